"""One None of a gradient call, and what the trace holds about it."""

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


class Question:
    """Why did `call` give None for `source`?"""

    def __init__(self, context: Context, call: int, source: Ref) -> None:
        self.context = context
        self.index = context.index
        self.trace = context.trace
        self.call = call
        self.source = source
        self.record = self.trace.gradients[call]
        self.tape = self.record.tape
        self.begin = self.index.begins.get(call, len(self.trace.events))

    @property
    def source_name(self) -> str:
        """What the snippet calls the source."""
        return self.context.ref_name(self.source)

    @property
    def target_name(self) -> str:
        """What the snippet calls the targets."""
        return ", ".join(dict.fromkeys(self.context.ref_name(t) for t in self.record.targets))

    @cached_property
    def targets(self) -> list[int]:
        """The target tensors."""
        found = [ref.tensor for ref in self.record.targets if ref.tensor is not None]
        for tensor in list(found):
            found += self.trace.tensors[tensor].parts
        return found

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

    def earlier(self, op: int) -> bool:
        """Whether an op ran before the call."""
        return self.step(op) < self.begin

    def step(self, op: int) -> int:
        """The step of an op; of its gradient call for a backward op inside one."""
        found = self.index.step_of(op)
        if found is not None:
            return found
        call = self.trace.ops[op].call
        return self.index.begins.get(call, -1) if call is not None else -1

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

    @cached_property
    def before(self) -> set[int]:
        """All tensors that the targets were computed from."""
        return self.index.upstream(self.targets)

    def connected(self) -> bool:
        """Whether ops lead from the source to a target, recorded or not."""
        return any(tensor in self.after for tensor in self.targets)

    @cached_property
    def path_ops(self) -> list[int]:
        """The ops on any path from the source to the targets, in the order they ran.

        For a variable its reads are among them.
        """
        reads = [
            op
            for op in self.first_ops
            if self.source.variable is not None
            and any(t in self.before for t in self.trace.ops[op].outputs)
        ]
        rest = [op for op in self.index.between(self.starts, self.targets) if self.earlier(op)]
        return sorted(dict.fromkeys([*reads, *rest]), key=self.step)

    def held(self, op: int) -> bool:
        """Whether the tape holds an op when the call begins."""
        return self.index.status(op, self.tape, self.begin - 1).held

    @cached_property
    def followed(self) -> set[int]:
        """The tensors that the tape connects with the source."""
        reached = set(self.source_tensors)
        for op in self.path_ops:
            record = self.trace.ops[op]
            first = self.source.variable is not None and op in self.first_ops
            if self.held(op) and (first or any(t in reached for t in record.inputs)):
                reached.update(record.outputs)
        return reached
