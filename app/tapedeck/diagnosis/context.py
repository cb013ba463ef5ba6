"""What the rules ask about a trace, in the snippet's own words."""

import re
from functools import cached_property

from tapedeck.trace.document import (
    ConstantEvent,
    Error,
    Finding,
    GradientCall,
    Place,
    Ref,
    Trace,
)
from tapedeck.trace.queries import Interval, TraceIndex, index

LINE_END = re.compile(r"\r\n|\r|\n")
LONGEST = 60
"""Characters of an expression that a sentence quotes."""


class Context:
    """A trace, its index, and its snippet's text by place."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.index: TraceIndex = index(trace)

    @cached_property
    def lines(self) -> list[str]:
        """The person's text, line by line."""
        return LINE_END.split(self.trace.snippet.text)

    @cached_property
    def constant_steps(self) -> dict[int, int]:
        """Constant → the step at which the snippet made it."""
        events = enumerate(self.trace.events)
        return {e.tensor: step for step, e in events if isinstance(e, ConstantEvent)}

    def step(self, op: int) -> int:
        """The step of an op; of its gradient call for a backward op inside one; else -1."""
        found = self.index.step_of(op)
        if found is not None:
            return found
        call = self.trace.ops[op].call
        return self.index.begins.get(call, -1) if call is not None else -1

    def place(self, number: int | None) -> Place | None:
        """A place by its id."""
        return None if number is None else self.trace.places[number]

    def line(self, number: int | None) -> int:
        """The line of a place; 0 where there is none."""
        place = self.place(number)
        return place.line if place else 0

    def end_line(self, number: int | None) -> int:
        """The last line of a place; 0 where there is none."""
        place = self.place(number)
        if not place:
            return 0
        return place.end_line if place.end_column else max(place.line, place.end_line - 1)

    def text(self, number: int | None) -> str:
        """The piece of the snippet at a place, on one line and not too long."""
        place = self.place(number)
        if place is None or place.end_line > len(self.lines):
            return ""
        if place.line == place.end_line:
            piece = self.lines[place.line - 1][place.column : place.end_column]
        else:
            piece = self.lines[place.line - 1][place.column :]
        piece = " ".join(piece.split())
        return piece if len(piece) <= LONGEST else piece[: LONGEST - 1] + "…"

    def tape_name(self, tape: int) -> str:
        """What the snippet calls a tape."""
        return self.trace.tapes[tape].name or "tape"

    def tape_at(self, place: int | None, step: int) -> int | None:
        """The tape of `name.method(...)` at a place: the newest of that name at that step."""
        match = re.match(r"([\w.\[\]\"']+?)\.\w+\(", self.text(place))
        wanted = match.group(1) if match else None
        alive = [
            tape
            for tape in range(len(self.trace.tapes))
            if self.trace.tapes[tape].owner != "library"
            and self.index.tape_state(tape, step) not in (None, "deleted")
        ]
        named = [tape for tape in alive if self.trace.tapes[tape].name == wanted]
        if named:
            return named[-1]
        return alive[-1] if len(alive) == 1 else None

    def ref_name(self, ref: Ref) -> str:
        """What the snippet calls a target or a source."""
        if ref.text:
            return ref.text
        if ref.variable is not None:
            return self.trace.variables[ref.variable].name or "variable"
        if ref.tensor is not None:
            return self.trace.tensors[ref.tensor].name or "tensor"
        return "value"

    def tensor_name(self, tensor: int) -> str:
        """What the snippet calls a tensor, or the expression that made it."""
        record = self.trace.tensors[tensor]
        if record.name:
            return record.name
        producer = self.index.producer(tensor)
        place = record.place if producer is None else self.trace.ops[producer].place
        return self.text(place) or record.name or "a tensor"

    def expression(self, op: int) -> str:
        """The expression of an op in the snippet, or its type."""
        return self.text(self.trace.ops[op].place) or self.trace.ops[op].type

    def before(self, tape: int, step: int) -> Interval | None:
        """What a tape was doing just before a step."""
        return self.index.interval(tape, step - 1)

    def errors_with(self, part: str) -> list[tuple[int, Error]]:
        """The errors whose text holds `part`, each once, with their ids."""
        return [(i, e) for i, e in enumerate(self.trace.errors) if part in e.message]

    def calls_that_raised(self, error: int) -> list[tuple[int, GradientCall]]:
        """The gradient calls that raised an error."""
        return [(i, call) for i, call in enumerate(self.trace.gradients) if call.error == error]


def places(*numbers: int | None) -> tuple[int, ...]:
    """Those of some place ids that are there, each once."""
    return tuple(dict.fromkeys(n for n in numbers if n is not None))


def steps(*numbers: int | None) -> tuple[int, ...]:
    """Those of some steps that are there, in order, each once."""
    return tuple(sorted({n for n in numbers if n is not None and n >= 0}))


def same_kind(findings: list[Finding]) -> list[Finding]:
    """Findings without those that say the same of the same places (one in each iteration)."""
    seen: set[tuple[object, ...]] = set()
    kept = []
    for finding in findings:
        key = (finding.code, finding.places, tuple(sorted(finding.facts.items())))
        if key not in seen:
            seen.add(key)
            kept.append(finding)
    return kept
