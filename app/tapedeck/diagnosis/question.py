"""One None of a gradient call, and what the trace holds about it."""

import heapq
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from tapedeck.diagnosis.context import Context
from tapedeck.trace.document import Ref

Facts = dict[str, str | int | float]


@dataclass(frozen=True)
class Verdict:
    """What a rule found."""

    code: str
    facts: Facts = field(default_factory=dict)
    places: tuple[int | None, ...] = ()
    steps: tuple[int | None, ...] = ()
    op: int | None = None
    edge: object = None
    """What it hangs on: results with the same code and edge share a finding."""
    level: Literal["problem", "hint"] = "problem"


class Call:
    """What all questions about one gradient call share."""

    def __init__(self, context: Context, number: int) -> None:
        self.context = context
        self.number = number
        self.record = context.trace.gradients[number]
        self.begin = context.index.begins.get(number, len(context.trace.events))

    @cached_property
    def targets(self) -> list[int]:
        """The target tensors."""
        found = [ref.tensor for ref in self.record.targets if ref.tensor is not None]
        for tensor in list(found):
            found += self.context.trace.tensors[tensor].parts
        return found

    @cached_property
    def before(self) -> set[int]:
        """All tensors that the targets were computed from, and the targets."""
        return self.context.index.upstream(self.targets)

    @property
    def target_name(self) -> str:
        """What the snippet calls the targets."""
        names = [self.context.ref_name(target) for target in self.record.targets]
        return ", ".join(dict.fromkeys(names))

    def step(self, op: int) -> int:
        """The step of an op; of its gradient call for a backward op inside one."""
        return self.context.step(op)

    def earlier(self, op: int) -> bool:
        """Whether an op ran before the call."""
        return self.step(op) < self.begin

    @cached_property
    def constants(self) -> list[tuple[int, int, int | None]]:
        """The constants that the target was computed from: tensor, step, place."""
        trace, index = self.context.trace, self.context.index
        found = []
        for tensor in sorted(self.before):
            record = trace.tensors[tensor]
            if index.producer(tensor) is not None or record.source not in ("python", "numpy"):
                continue
            uses = [op for op in index.consumers.get(tensor, ()) if self.earlier(op)]
            used = self.step(uses[0]) if uses else self.begin
            place = record.place
            if place is None and uses:
                place = trace.ops[uses[0]].place
            found.append((tensor, self.context.constant_steps.get(tensor, used), place))
        return found


class Question:
    """Why did a call give None for `source`?"""

    def __init__(self, call: Call, source: Ref) -> None:
        self.context = call.context
        self.index = call.context.index
        self.trace = call.context.trace
        self.shared = call
        self.call = call.number
        self.source = source
        self.tape = call.record.tape
        self.begin = call.begin
        self.targets = call.targets
        self.target_name = call.target_name
        self.earlier = call.earlier
        self.step = call.step

    @property
    def source_name(self) -> str:
        """What the snippet calls the source."""
        return self.context.ref_name(self.source)

    @cached_property
    def first_ops(self) -> list[int]:
        """The ops that use the source itself, in the order they ran."""
        if self.source.variable is not None:
            return [op for op in self.index.reads.get(self.source.variable, ()) if self.earlier(op)]
        found: list[int] = []
        for tensor in self.source_tensors:
            found += [op for op in self.index.consumers.get(tensor, ()) if self.earlier(op)]
        return sorted(set(found))

    @cached_property
    def source_tensors(self) -> list[int]:
        """The tensors that the source is; none for a variable."""
        if self.source.tensor is None:
            return []
        return [self.source.tensor, *self.trace.tensors[self.source.tensor].parts]

    @cached_property
    def starts(self) -> list[int]:
        """The tensors that flow from the source: itself, or the values read from the variable."""
        if self.source.variable is None:
            return self.source_tensors
        return [t for op in self.first_ops for t in self.trace.ops[op].outputs]

    @cached_property
    def after(self) -> set[int]:
        """All tensors computed from the source before the call."""
        return self.index.downstream(self.starts)

    @property
    def before(self) -> set[int]:
        """All tensors that the targets were computed from."""
        return self.shared.before

    def connected(self) -> bool:
        """Whether ops lead from the source to a target, recorded or not."""
        return any(tensor in self.before for tensor in self.starts)

    def leads_on(self, op: int) -> bool:
        """Whether an op lies on a way to the targets."""
        return self.earlier(op) and any(t in self.before for t in self.trace.ops[op].outputs)

    def held(self, op: int) -> bool:
        """Whether the tape holds an op when the call begins."""
        return self.index.status(op, self.tape, self.begin - 1).held

    def walk(self) -> Iterator[int]:
        """The ops on ways from the source to the targets, in the order they ran.

        It goes on behind an op only where the tape holds it: the first op that it does not hold
        is the edge where the path breaks.
        """
        waiting = [(self.step(op), op) for op in self.first_ops if self.leads_on(op)]
        heapq.heapify(waiting)
        seen = {op for _, op in waiting}
        while waiting:
            _, op = heapq.heappop(waiting)
            yield op
            if not self.held(op):
                continue
            self.followed.update(self.trace.ops[op].outputs)
            for tensor in self.trace.ops[op].outputs:
                for after in self.index.consumers.get(tensor, ()):
                    if after not in seen and self.leads_on(after):
                        seen.add(after)
                        heapq.heappush(waiting, (self.step(after), after))

    @cached_property
    def followed(self) -> set[int]:
        """The tensors that the tape connects with the source, as far as was walked."""
        return set(self.source_tensors)
