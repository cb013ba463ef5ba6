"""Errors of a tape's life: used up, never entered, entered twice, asked outside of its block."""

import re
from collections.abc import Iterable

from tapedeck.diagnosis.context import Context, places, same_kind, steps
from tapedeck.trace.document import Finding
from tapedeck.trace.queries import Interval

METHODS = {
    "gradients": "gradient",
    "grad": "gradient",
    "grads": "gradient",
    "compute_gradient": "gradient",
    "compute_gradients": "gradient",
    "backward": "gradient",
    "jacobians": "jacobian",
    "hessian": "jacobian",
    "batch_jacobians": "batch_jacobian",
    "stop": "stop_recording",
    "pause": "stop_recording",
    "stop_gradient": "stop_recording",
    "start": "watch",
    "record": "watch",
    "watch_variable": "watch",
    "watch_variables": "watch",
    "clear": "reset",
}


def findings(context: Context) -> list[Finding]:
    """The findings of this family."""
    found = [
        *_used_up(context),
        *_watch_without_record(context),
        *_entered_twice(context),
        *_not_recording(context),
        *_class_entered(context),
        *_wrong_method(context),
    ]
    return same_kind(found)


def _used_up(context: Context) -> Iterable[Finding]:
    """gradient() on a tape that holds no record; TensorFlow says the same for two causes."""
    for error, record in context.errors_with("A non-persistent GradientTape can only be used"):
        for number, call in context.calls_that_raised(error):
            begin = context.index.begins.get(number, 0)
            part = context.before(call.tape, begin)
            facts: dict[str, str | int | float] = {
                "tape": context.tape_name(call.tape),
                "method": call.kind,
                "line": context.line(call.place),
            }
            if part is None or part.state == "created":
                made = context.trace.tapes[call.tape].place
                yield Finding(
                    "TD102",
                    places=places(call.place, made),
                    facts={**facts, "made_line": context.line(made)},
                    steps=steps(part.start if part else None, begin),
                    call=number,
                    tape=call.tape,
                    error=error,
                )
            elif part.state == "consumed":
                yield _consumed(context, number, part, facts, error)


def _consumed(
    context: Context, number: int, part: Interval, facts: dict[str, str | int | float], error: int
) -> Finding:
    call = context.trace.gradients[number]
    first = context.index.call_of_interval(part, call.tape)
    used = context.trace.gradients[first] if first is not None else None
    other = _outer_of_same_name(context, call.tape, part.start)
    code = "TD101"
    facts = {
        **facts,
        "used_line": context.line(used.place if used else part.place),
        "used_method": used.kind if used else "gradient",
    }
    made = None
    if other is not None:
        code, made = "TD113", context.trace.tapes[call.tape].place
        facts["made_line"] = context.line(made)
        facts["outer_line"] = context.line(context.trace.tapes[other].place)
    elif facts["used_line"] == facts["line"]:
        code = "TD114"
    return Finding(
        code,
        places=places(call.place, used.place if used else part.place, made),
        facts=facts,
        steps=steps(part.start, context.index.begins.get(number)),
        call=number,
        tape=call.tape,
        error=error,
    )


def _outer_of_same_name(context: Context, tape: int, step: int) -> int | None:
    """A tape that lost its name to `tape`, made inside its block, and is still unused."""
    name = context.trace.tapes[tape].name
    created = context.index.intervals[tape][0].start
    for other, record in enumerate(context.trace.tapes):
        if other == tape or name is None or record.name != name:
            continue
        outer = context.index.tape_state(other, created) == "recording"
        if outer and context.index.tape_state(other, step) in ("recording", "stopped"):
            return other
    return None


def _watch_without_record(context: Context) -> Iterable[Finding]:
    """watch() while TensorFlow's inner record does not exist."""
    for error, record in context.errors_with("'NoneType' object has no attribute '_tape'"):
        step = context.index.errors.get(error, 0)
        tape = context.tape_at(record.place, step)
        if tape is None:
            continue
        part = context.index.interval(tape, step)
        if part is None or part.state not in ("created", "consumed"):
            continue
        facts: dict[str, str | int | float] = {
            "tape": context.tape_name(tape),
            "line": context.line(record.place),
            "since_line": context.line(part.place),
        }
        yield Finding(
            "TD103" if part.state == "created" else "TD104",
            places=places(record.place, part.place),
            facts=facts,
            steps=steps(part.start, step),
            tape=tape,
            error=error,
        )


def _entered_twice(context: Context) -> Iterable[Finding]:
    for error, record in context.errors_with("Tape is still recording, This can happen"):
        step = context.index.errors.get(error, 0)
        recording = [
            (part.start, tape, part)
            for tape in range(len(context.trace.tapes))
            if (part := context.index.interval(tape, step)) and part.state == "recording"
        ]
        named = [item for item in recording if _names(context, record.place, item[1])]
        if not recording:
            continue
        start, tape, part = max(named or recording, key=lambda item: item[0])
        yield Finding(
            "TD105",
            places=places(record.place, part.place),
            facts={
                "tape": context.tape_name(tape),
                "line": context.line(record.place),
                "since_line": context.line(part.place),
            },
            steps=steps(start, step),
            tape=tape,
            error=error,
        )


def _names(context: Context, place: int | None, tape: int) -> bool:
    name = context.trace.tapes[tape].name
    return (
        name is not None and re.search(rf"\b{re.escape(name)}\b", context.text(place)) is not None
    )


def _not_recording(context: Context) -> Iterable[Finding]:
    """reset() or stop_recording() on a tape that is not recording."""
    errors = [
        *context.errors_with("Tape is not recording."),
        *context.errors_with("Trying to stop recording a tape which is not recording."),
    ]
    for error, record in errors:
        step = context.index.errors.get(error, 0)
        tape = context.tape_at(record.place, step)
        part = context.index.interval(tape, step) if tape is not None else None
        if tape is None or part is None:
            continue
        method = "reset" if ".reset(" in context.text(record.place) else "stop_recording"
        ended = _block_end(context, tape, step)
        code = {"created": "TD107", "paused": "TD108"}.get(part.state, "TD106")
        since = part.place if code != "TD106" else ended.place if ended else part.place
        line = context.end_line(since) if code == "TD106" else context.line(since)
        yield Finding(
            code,
            places=places(record.place, since),
            facts={
                "tape": context.tape_name(tape),
                "method": method,
                "line": context.line(record.place),
                "since_line": line,
            },
            steps=steps(ended.start if ended else part.start, step),
            tape=tape,
            error=error,
        )


def _block_end(context: Context, tape: int, step: int) -> Interval | None:
    """The last time before a step that a tape's block was left."""
    left = [
        part
        for part in context.index.intervals[tape]
        if part.start <= step and part.cause in ("left", "left_by_error")
    ]
    return left[-1] if left else None


def _class_entered(context: Context) -> Iterable[Finding]:
    """`with tf.GradientTape as tape:` without parentheses."""
    for error, record in enumerate(context.trace.errors):
        wanted = "context manager protocol" in record.message or record.message == "__enter__"
        line = context.line(record.place)
        if not wanted or not line:
            continue
        if re.search(r"\bGradientTape\b(?!\s*\()", context.lines[line - 1]):
            yield Finding(
                "TD109",
                places=places(record.place),
                facts={"line": line},
                steps=steps(context.index.errors.get(error)),
                error=error,
            )


def _wrong_method(context: Context) -> Iterable[Finding]:
    pattern = re.compile(r"'GradientTape' object has no attribute '(\w+)'")
    for error, record in enumerate(context.trace.errors):
        match = pattern.match(record.message)
        if not match or match.group(1) not in METHODS:
            continue
        yield Finding(
            "TD110",
            places=places(record.place),
            facts={
                "line": context.line(record.place),
                "used": match.group(1),
                "method": METHODS[match.group(1)],
            },
            steps=steps(context.index.errors.get(error)),
            error=error,
        )
