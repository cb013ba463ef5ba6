"""A trace as text: what `tapedeck trace` prints."""

from collections.abc import Iterable, Iterator
from typing import Any

from tapedeck.diagnosis import entry, explanation
from tapedeck.trace.document import Finding, GradientCall, PrintEvent, Result, Tensor, Trace, Value
from tapedeck.trace.queries import Interval, TraceIndex, index

REPAIRS = {
    "indent": "common indent taken off",
    "prompt": "prompts taken off",
    "cell": "cell marks taken off",
    "output": "printed output taken out",
    "traceback": "traceback taken out",
    "magic": "notebook commands left out",
    "terminal": "terminal commands left out",
    "space": "unusual spaces made plain",
    "zero_width": "invisible characters taken out",
    "quotes": "typographic quotes made straight",
    "signs": "typographic signs made plain",
    "tabs": "tabs made spaces",
    "line_ends": "line ends made uniform",
    "line_number": "line numbers taken off",
    "fence": "only the fenced code is read",
    "import": "added:",
    "unused_import": "left out, not needed:",
    "drawing": "drawing left out",
    "float": "read as a float:",
}
HINTS = {
    "prose": "This line is text, not code. Give the code alone.",
    "python2": "This is Python 2. In Python 3 print is a function: print(x).",
    "bracket": "A bracket is missing, or one is too many.",
    "string": "A quote is missing: the string has no end.",
    "tabs": "Tabs and spaces are mixed in the indent.",
    "indent": "The indent fits none of the lines above.",
    "block": "After a colon an indented block has to follow.",
    "colon": "A colon is missing at the end of the line.",
    "character": "A character here is none of Python's.",
    "nul": "The text holds a NUL character.",
    "assign": "A value stands where a name has to. To compare, write ==.",
    "outside": "This statement may only stand inside a function or a loop.",
    "nesting": "Too many blocks or brackets inside one another.",
    "unfinished": "The text ends in the middle of a statement.",
}
INDENT = "  "
MOST = 3
"""Gradient calls of one place that are shown one by one; of more, the first and the last."""


def summary(trace: Trace, name: str) -> str:
    """The readable summary of a run, ending with a line end."""
    known = index(trace)
    parts = [
        [_head(trace, name)],
        _reading(trace),
        _console(known),
        _tapes(known),
        _calls(known),
        _errors(known),
    ]
    return "\n\n".join("\n".join(part) for part in parts if part) + "\n"


def _head(trace: Trace, name: str) -> str:
    ops = sum(op.call is None and not op.bookkeeping for op in trace.ops)
    counts = [_count(ops, "op"), _count(len(trace.tapes), "tape")]
    counts.append(_count(len(trace.gradients), "gradient call"))
    text = f"{name}: {trace.outcome.kind.replace('_', ' ')}, {', '.join(counts)}"
    if trace.environment.tensorflow:
        text += f" (TensorFlow {trace.environment.tensorflow})"
    # An exception is told at its own place below.
    detail = trace.outcome.detail if trace.outcome.error is None else ""
    return f"{text}\n{detail}" if detail else text


def _count(number: int, word: str) -> str:
    return f"{number:,} {word}{'' if number == 1 else 's'}"


def _reading(trace: Trace) -> list[str]:
    snippet = trace.snippet
    lines = []
    if snippet.mode == "expressions" and snippet.target:
        watched = ", ".join(snippet.watched) or "variables"
        lines.append(f"Ran under a tape: {watched} watched, {snippet.target} differentiated")
    for repair in snippet.repairs:
        text = f"{REPAIRS.get(repair.code, repair.code)} {repair.text}".rstrip()
        where = f" (line {_lines(repair.lines)})" if repair.lines else ""
        lines.append(f"Put right: {text}{where}")
    return lines


def _lines(numbers: tuple[int, ...]) -> str:
    if len(numbers) <= MOST:
        return ", ".join(map(str, numbers))
    return f"{numbers[0]} and {len(numbers) - 1} more"


def _console(known: TraceIndex) -> list[str]:
    written = "".join(
        event.text for _, event in known.console() if event.stream in ("stdout", "stderr")
    )
    warned = [event for _, event in known.console() if event.stream in ("warning", "log")]
    lines = ["Output", *(INDENT + line for line in written.splitlines())] if written else []
    return lines + [f"Warning: {_first_line(event)}" for event in warned]


def _first_line(event: PrintEvent) -> str:
    return event.text.strip().partition("\n")[0]


def _tapes(known: TraceIndex) -> list[str]:
    lives: dict[tuple[str, int, str], int] = {}
    for tape, record in enumerate(known.trace.tapes):
        if record.owner == "library":
            continue
        line = _line(known.trace, record.place)
        key = (record.name or "(no name)", line, " · ".join(_life(known, tape)))
        lives[key] = lives.get(key, 0) + 1
    rows = []
    for (name, line, life), times in lives.items():
        many = f" × {times}" if times > 1 else ""
        rows.append(f"{INDENT}{name} (line {line}){many}: {life}")
    return ["Tapes", *rows] if rows else []


def _life(known: TraceIndex, tape: int) -> Iterator[str]:
    again: list[int] = []
    for part in known.intervals[tape]:
        if part.state in ("created", "rewinding"):
            continue
        if part.state == "stopped" and part.cause in ("returned", "raised"):
            again.append(_line(known.trace, part.place))
            continue
        yield from _rewound(again)
        yield f"{part.state}{_where(known, tape, part)}"
    yield from _rewound(again)
    if [part.state for part in known.intervals[tape]] == ["created"]:
        yield "created, never entered"


def _rewound(lines: list[int]) -> Iterator[str]:
    """Gradient calls that left a persistent tape as it was."""
    if lines:
        places = ", ".join(dict.fromkeys(map(str, lines)))
        yield f"rewound on line{'s' if len(set(lines)) > 1 else ''} {places}"
        lines.clear()


def _where(known: TraceIndex, tape: int, part: Interval) -> str:
    line = _line(known.trace, part.place)
    if not line or part.state == "deleted":
        return ""
    if part.state == "consumed":
        call = known.call_of_interval(part, tape)
        kind = known.trace.gradients[call].kind if call is not None else "gradient"
        return f" by {kind}() on line {line}"
    if part.cause in ("left", "left_by_error"):
        place = known.trace.places[part.place or 0]
        reason = " by an exception" if part.cause == "left_by_error" else ""
        return f" after line {place.end_line}{reason}"
    return f" from line {line}"


def _calls(known: TraceIndex) -> list[str]:
    groups: dict[tuple[int | None, str], list[int]] = {}
    for number, call in enumerate(known.trace.gradients):
        if call.place is not None and known.trace.tapes[call.tape].owner != "library":
            groups.setdefault((call.place, call.kind), []).append(number)
    lines: list[str] = []
    for numbers in groups.values():
        shown = numbers if len(numbers) <= MOST else [numbers[0], numbers[-1]]
        for number in shown:
            which = (
                f", call {numbers.index(number) + 1} of {len(numbers)}" if len(numbers) > 1 else ""
            )
            lines += _call(known, known.trace.gradients[number], which)
    return lines


def _call(known: TraceIndex, call: GradientCall, which: str) -> list[str]:
    tape = known.trace.tapes[call.tape].name or "tape"
    head = f"{tape}.{call.kind}() on line {_line(known.trace, call.place)}{which}"
    target = ", ".join(ref.text or "target" for ref in call.targets)
    if call.error is not None:
        return [f"{head}: raised {known.trace.errors[call.error].type}"]
    lines = [head]
    told: set[int] = set()
    for result in call.results:
        source = call.sources[result.source].text or "source"
        lines.append(f"{INDENT}d {target} / d {source} = {_result(known.trace, result)}")
        if result.finding is not None and result.finding not in told:
            told.add(result.finding)
            lines += _finding(known.trace.findings[result.finding])
    return lines


def _result(trace: Trace, result: Result) -> str:
    return "None" if result.tensor is None else value_text(trace.tensors[result.tensor])


def _finding(finding: Finding) -> list[str]:
    item = entry(finding.code)
    return [
        f"{INDENT * 2}{finding.code} {item.title['en']}",
        f"{INDENT * 2}{explanation(finding)}",
    ]


def _errors(known: TraceIndex) -> list[str]:
    lines: list[str] = []
    about = {f.error: f for f in known.trace.findings if f.error is not None}
    for number, error in enumerate(known.trace.errors):
        if number not in known.errors and number != known.trace.outcome.error:
            continue
        caught = " (caught)" if error.handled else ""
        line = _line(known.trace, error.place)
        where = f" on line {line}" if line else ""
        lines.append(f"{error.type}{where}{caught}: {error.message.partition(chr(10))[0]}")
        if error.hint in HINTS:
            lines.append(INDENT * 2 + HINTS[error.hint])
        if number in about:
            lines += _finding(about[number])
    return lines


def _line(trace: Trace, place: int | None) -> int:
    return 0 if place is None else trace.places[place].line


def value_text(tensor: Tensor) -> str:
    """A tensor's value on one line."""
    value = tensor.value
    if value is None:
        return f"{tensor.dtype} {_shape(tensor)}"
    if value.data is not None:
        return _data(value.data)
    return f"shape {_shape(tensor)}, {_statistics(value)}"


def _shape(tensor: Tensor) -> str:
    if tensor.shape is None:
        return "(?)"
    return "(" + ", ".join("?" if n is None else str(n) for n in tensor.shape) + ")"


def _data(data: Any) -> str:
    if isinstance(data, list | tuple):
        return "[" + ", ".join(_data(item) for item in data) + "]"
    return f"{data:.7g}" if isinstance(data, float) and not data.is_integer() else str(data)


def _statistics(value: Value) -> str:
    pairs: Iterable[tuple[str, Any]] = (
        ("min", value.min),
        ("mean", value.mean),
        ("max", value.max),
        ("l2", value.l2),
        ("nan", value.nan or None),
        ("inf", value.inf or None),
    )
    return ", ".join(f"{name} {_data(number)}" for name, number in pairs if number is not None)
