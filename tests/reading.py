"""Short ways to say what a trace holds, for assertions."""

from typing import Any

from tapedeck.trace.document import Op, OpEvent, PrintEvent, RewindEvent, SumEvent, TapeEvent, Trace


def value(trace: Trace, tensor: int | None) -> Any:
    """A tensor's data, None for None."""
    if tensor is None:
        return None
    kept = trace.tensors[tensor].value
    return None if kept is None else kept.data


def calls(trace: Trace) -> list[Any]:
    """Each gradient call: `{source: gradient}`, or the error's `Type: text`."""
    told: list[Any] = []
    for call in trace.gradients:
        if call.error is not None:
            error = trace.errors[call.error]
            told.append(f"{error.type}: {error.message}")
        else:
            told.append({call.sources[r.source].text: value(trace, r.tensor) for r in call.results})
    return told


def life(trace: Trace, tape: str) -> list[str]:
    """The states of the only tape of that name, one after the other."""
    (index,) = [i for i, t in enumerate(trace.tapes) if t.name == tape]
    return [e.state for e in trace.events if isinstance(e, TapeEvent) and e.tape == index]


def code(trace: Trace, place: int | None) -> str:
    """The piece of the snippet at a place (on one line)."""
    assert place is not None
    at = trace.places[place]
    assert at.line == at.end_line, at
    return trace.snippet.text.splitlines()[at.line - 1][at.column : at.end_column]


def ops(trace: Trace, bookkeeping: bool = False) -> list[Op]:
    """The ops that are steps."""
    found = [trace.ops[e.op] for e in trace.events if isinstance(e, OpEvent)]
    return [op for op in found if bookkeeping or not op.bookkeeping]


def op(trace: Trace, text: str) -> Op:
    """The only op that the snippet writes so."""
    (found,) = [o for o in ops(trace) if o.place is not None and code(trace, o.place) == text]
    return found


def rewinds(trace: Trace, call: int = 0) -> list[tuple[str, list[Any], list[Any]]]:
    """Each rewound op of a gradient call: type, upstream gradients, contributions."""
    return [
        (
            trace.ops[e.op].type,
            [value(trace, t) for t in e.upstream],
            [value(trace, t) for t in e.contributions],
        )
        for e in trace.events
        if isinstance(e, RewindEvent) and e.call == call
    ]


def sums(trace: Trace) -> list[tuple[str | None, list[Any], Any]]:
    """Each sum: whose, its parts, the total."""
    told = []
    for e in trace.events:
        if isinstance(e, SumEvent):
            owner = trace.variables[e.variable] if e.variable is not None else None
            name = owner.name if owner else trace.tensors[e.tensor or 0].name
            told.append((name, [value(trace, t) for t in e.parts], value(trace, e.total)))
    return told


def printed(trace: Trace, *streams: str) -> str:
    """What was written to the streams; standard output where none is named."""
    wanted = streams or ("stdout",)
    events = [e for e in trace.events if isinstance(e, PrintEvent)]
    return "".join(e.text for e in events if e.stream in wanted)


def tape_names(trace: Trace, found: Op) -> list[str | None]:
    """The tapes that hold an op."""
    return [trace.tapes[t].name for t in found.recorded_by]
