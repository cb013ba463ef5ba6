"""Errors of what was handed to a gradient call, to `watch` or to an optimizer."""

import re
from collections.abc import Iterable

from tapedeck.diagnosis.context import Context, places, same_kind, steps
from tapedeck.trace.document import Error, Finding

Facts = dict[str, str | int | float]

#: Part of TensorFlow's text → code; groups of the pattern become facts.
PATTERNS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("TD301", re.compile(r"Argument `target` should be a list .* but received None")),
    ("TD302", re.compile(r"Cannot convert the argument `type_value`: None to a TensorFlow")),
    (
        "TD314",
        re.compile(
            r"Cannot convert the argument `type_value`: <(?P<found>generator|map|filter|zip)\b"
        ),
    ),
    (
        "TD313",
        re.compile(r"Cannot convert the argument `type_value`: (?P<found>\S+) to a TensorFlow"),
    ),
    ("TD315", re.compile(r"'(?P<found>list|tuple|dict)' object has no attribute 'shape'")),
    ("TD303", re.compile(r"'(?P<found>[\w.]+)' object has no attribute '(?:dtype|_id|shape)'")),
    ("TD304", re.compile(r"Unknown value for unconnected_gradients: '(?P<found>.*)'")),
    ("TD306", re.compile(r"Type (?P<found>\w+) is not supported as a gradient source")),
    ("TD307", re.compile(r"must be created with persistent=True to compute the (?P<method>\w+)")),
    (
        "TD308",
        re.compile(
            r"Need first dimension of target shape \((?P<target>.*?)\) and source"
            r" shape \((?P<source>.*?)\) to match"
        ),
    ),
    ("TD309", re.compile(r"gradient registry has no entry for: (?P<found>\w+)")),
)


def findings(context: Context) -> list[Finding]:
    """The findings of this family."""
    found = [*_calls(context), *_watch(context), *_elsewhere(context)]
    return same_kind(found)


def _calls(context: Context) -> Iterable[Finding]:
    for number, call in enumerate(context.trace.gradients):
        if call.error is None:
            continue
        record = context.trace.errors[call.error]
        for code, pattern in PATTERNS:
            match = pattern.search(record.message)
            if not match:
                continue
            facts: Facts = {
                "tape": context.tape_name(call.tape),
                "method": call.kind,
                "line": context.line(call.place),
                **{key: value for key, value in match.groupdict().items() if value},
            }
            op = _missing_rule(context, facts) if code == "TD309" else None
            where = context.trace.ops[op].place if op is not None else None
            if code == "TD309":
                facts["op_line"] = context.line(where) or facts["line"]
                facts["expression"] = context.text(where) or str(facts["found"])
            yield Finding(
                code,
                places=places(call.place, where),
                facts=facts,
                steps=steps(
                    context.index.step_of(op) if op is not None else None,
                    context.index.begins.get(number),
                ),
                call=number,
                tape=call.tape,
                op=op,
                error=call.error,
            )
            break


def _missing_rule(context: Context, facts: Facts) -> int | None:
    """The last op of the type that has no registered gradient."""
    found = [i for i, op in enumerate(context.trace.ops) if op.type == facts["found"]]
    return found[-1] if found else None


def _watch(context: Context) -> Iterable[Finding]:
    """watch() of something that is no tensor; Keras 3 variables are among them."""
    pattern = re.compile(
        r"Passed in object (.*) of type '(?P<found>\w+)', not tf\.Tensor", re.DOTALL
    )
    for error, record in enumerate(context.trace.errors):
        match = pattern.search(record.message)
        if match:
            found = match.group("found")
            keras = "path=" in match.group(1) and found == "Variable"
            yield _plain(context, error, record, "TD310" if keras else "TD305", {"found": found})


def _elsewhere(context: Context) -> Iterable[Finding]:
    """Errors that other functions raise because of how gradients were asked for."""
    for error, record in enumerate(context.trace.errors):
        if record.message.startswith("tf.gradients is not supported when eager"):
            yield _plain(context, error, record, "TD311", {})
        elif record.message.startswith("No gradients provided for any variable"):
            step = context.index.errors.get(error, 0)
            before = [c for c, end in context.index.ends.items() if end < step]
            last = max(before, default=None)
            if last is None or not _all_none(context, last):
                continue
            line = context.line(context.trace.gradients[last].place)
            yield _plain(context, error, record, "TD312", {"call_line": line}, last)


def _all_none(context: Context, call: int) -> bool:
    results = context.trace.gradients[call].results
    return bool(results) and all(result.tensor is None for result in results)


def _plain(
    context: Context, error: int, record: Error, code: str, facts: Facts, call: int | None = None
) -> Finding:
    where = context.trace.gradients[call].place if call is not None else None
    return Finding(
        code,
        places=places(record.place, where),
        facts={"line": context.line(record.place), **facts},
        steps=steps(context.index.errors.get(error)),
        call=call,
        error=error,
    )
