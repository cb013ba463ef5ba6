"""Questions about a trace: who made a tensor, what a tape was doing, whether it held an op.

`index(trace)` goes through the trace once; every question is then a lookup or a short walk.
"""

import bisect
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Literal

from tapedeck.trace.document import (
    AnyEvent,
    AssignEvent,
    ErrorEvent,
    ExitEvent,
    GradientBeginEvent,
    GradientEndEvent,
    OpEvent,
    PrintEvent,
    ReadEvent,
    RewindEvent,
    SumEvent,
    TapeEvent,
    TapeState,
    Trace,
    WatchEvent,
)

Reason = Literal[
    "not_created",
    "outside_block",
    "after_call",
    "paused",
    "suspended",
    "thread",
    "raised",
    "dtype",
    "nothing_watched",
    "rewinding",
    "deleted",
]
NON_DIFFERENTIABLE = ("int", "uint", "bool", "string", "qint", "quint")


@dataclass(frozen=True)
class Interval:
    """A tape was in `state` from step `start` until the step before `end` (None: to the end)."""

    state: TapeState
    cause: str
    start: int
    end: int | None
    place: int | None


@dataclass(frozen=True)
class Status:
    """What one tape made of one op, and what has become of it at some step."""

    recorded: bool
    reason: Reason | None
    """Why it was not recorded."""
    since: int | None
    """The step from which the reason held: the block was left, the recording was paused."""
    state: TapeState | None
    """The tape's state at the step asked about; None before it was created."""
    held: bool
    """Recorded, and at the step asked about the tape still has it."""


@dataclass(frozen=True)
class TraceIndex:
    """Everything looked up once."""

    trace: Trace
    producers: dict[int, int]
    consumers: dict[int, tuple[int, ...]]
    op_steps: dict[int, int]
    """Op → its step. A backward op inside one rewind has none of its own."""
    intervals: tuple[tuple[Interval, ...], ...]
    """For each tape its states in order."""
    begins: dict[int, int]
    """Gradient call → the step at which it begins."""
    ends: dict[int, int]
    rewinds: dict[int, tuple[int, ...]]
    """Gradient call → steps of its rewinds."""
    sums: dict[int, tuple[int, ...]]
    reads: dict[int, tuple[int, ...]]
    """Variable → ops that read it."""
    assigns: dict[int, tuple[int, ...]]
    """Variable → ops that give it a value."""
    watches: tuple[tuple[int, ...], ...]
    """For each tape the steps of its watches."""
    exits: tuple[int, ...]
    prints: tuple[int, ...]
    errors: dict[int, int]
    """Error → the step at which it was raised."""
    _held: dict[tuple[int, int], tuple[int, ...]] = field(default_factory=dict)

    # Tensors and ops.

    def producer(self, tensor: int) -> int | None:
        """The op that made a tensor; None for a constant."""
        return self.producers.get(tensor)

    def step_of(self, op: int) -> int | None:
        """The step at which an op ran."""
        return self.op_steps.get(op)

    def op_at(self, step: int) -> int | None:
        """The op that ran (or was rewound) at a step."""
        event = self.trace.events[step]
        return (
            event.op if isinstance(event, OpEvent | ReadEvent | AssignEvent | RewindEvent) else None
        )

    # Tapes.

    def interval(self, tape: int, step: int) -> Interval | None:
        """What a tape was doing after the event at `step`; None before it was created."""
        intervals = self.intervals[tape]
        position = bisect.bisect_right(intervals, step, key=lambda part: part.start) - 1
        return intervals[position] if position >= 0 else None

    def tape_state(self, tape: int, step: int) -> TapeState | None:
        """The state of a tape after the event at `step`."""
        found = self.interval(tape, step)
        return found.state if found else None

    def call_of_interval(self, part: Interval, tape: int) -> int | None:
        """The gradient call that brought a tape into this interval."""
        calls = [
            (begin, call)
            for call, begin in self.begins.items()
            if self.trace.gradients[call].tape == tape and begin <= part.start
        ]
        return max(calls)[1] if calls else None

    def watch_step(
        self, tape: int, tensor: int | None = None, variable: int | None = None
    ) -> int | None:
        """The step at which a tape began to watch a tensor or a variable."""
        for step in self.watches[tape]:
            event = self.trace.events[step]
            assert isinstance(event, WatchEvent)
            if (event.tensor, event.variable) == (tensor, variable):
                return step
        return None

    def on_tape(self, tape: int, tensor: int, step: int) -> bool:
        """Whether a tensor was on a tape just before the event at `step`."""
        added = [at for at in self._additions(tape, tensor) if at < step]
        if not added:
            return False
        cleared = [p.start for p in self.intervals[tape] if _clears(p) and p.start < step]
        return not cleared or max(cleared) < max(added)

    def ever_on_tape(self, tape: int, tensor: int) -> bool:
        """Whether a tape followed a tensor at any time: it was watched, or a recorded op made it."""
        return bool(self._additions(tape, tensor))

    def _additions(self, tape: int, tensor: int) -> tuple[int, ...]:
        key = (tape, tensor)
        if key not in self._held:
            steps = []
            made_by = self.producers.get(tensor)
            if made_by is not None and tape in self.trace.ops[made_by].recorded_by:
                steps.append(self.op_steps.get(made_by, -1))
            watched = self.watch_step(tape, tensor=tensor)
            if watched is not None:
                steps.append(watched)
            self._held[key] = tuple(steps)
        return self._held[key]

    def status(self, op: int, tape: int, step: int | None = None) -> Status:
        """What a tape made of an op; `step` (the op's own by default) is when one looks."""
        ran = self.op_steps.get(op, self._begin_of_call(op))
        look = ran if step is None else step
        state = self.tape_state(tape, look)
        if tape in self.trace.ops[op].recorded_by:
            gone = any(_clears(p) for p in self.intervals[tape] if ran < p.start <= look)
            return Status(True, None, None, state, not gone)
        reason, since = self._why_not(op, tape, ran)
        return Status(False, reason, since, state, False)

    def _begin_of_call(self, op: int) -> int:
        call = self.trace.ops[op].call
        return self.begins.get(call, 0) if call is not None else 0

    def _why_not(self, op: int, tape: int, ran: int) -> tuple[Reason, int | None]:
        record = self.trace.ops[op]
        part = self.interval(tape, ran)
        if part is None:
            return "not_created", None
        if part.state in ("paused", "deleted"):
            return ("paused" if part.state == "paused" else "deleted"), part.start
        if part.state == "rewinding":
            return "rewinding", part.start
        if part.state != "recording":
            return self._after_block(part, tape), part.start
        if record.error is not None:
            return "raised", None
        if record.suspended == "thread" or record.thread != self.trace.tapes[tape].thread:
            return "thread", part.start
        if record.suspended:
            return "suspended", part.start
        held = any(t is not None and self.on_tape(tape, t, ran) for t in record.inputs)
        return ("dtype" if held else "nothing_watched"), None

    def _after_block(self, part: Interval, tape: int) -> Reason:
        """A gradient call inside of the block ends the recording; otherwise the block was left."""
        if part.cause != "returned" and part.cause != "raised":
            return "outside_block"
        before = [
            p for p in self.intervals[tape] if p.start < part.start and p.state != "rewinding"
        ]
        return "after_call" if before and before[-1].state == "recording" else "outside_block"

    # Paths.

    def downstream(self, tensors: Iterable[int], tape: int | None = None) -> set[int]:
        """Tensors that were computed from these (with them); only by ops of `tape` if given."""
        seen = set(tensors)
        queue = deque(seen)
        while queue:
            for op in self.consumers.get(queue.popleft(), ()):
                if not self._counts(op, tape):
                    continue
                new = [t for t in self.trace.ops[op].outputs if t not in seen]
                seen.update(new)
                queue.extend(new)
        return seen

    def upstream(self, tensors: Iterable[int], tape: int | None = None) -> set[int]:
        """Tensors that these were computed from (with them)."""
        seen = set(tensors)
        queue = deque(seen)
        while queue:
            op = self.producers.get(queue.popleft())
            if op is None or not self._counts(op, tape):
                continue
            new = [t for t in self.trace.ops[op].inputs if t is not None and t not in seen]
            seen.update(new)
            queue.extend(new)
        return seen

    def _counts(self, op: int, tape: int | None) -> bool:
        return tape is None or tape in self.trace.ops[op].recorded_by

    def between(self, sources: Iterable[int], targets: Iterable[int]) -> list[int]:
        """The ops on any path from the sources to the targets, in the order they ran."""
        after, before = self.downstream(sources), self.upstream(targets)
        return sorted(
            op
            for op, record in enumerate(self.trace.ops)
            if any(t in after for t in record.inputs) and any(t in before for t in record.outputs)
        )

    def path(self, source: int, target: int) -> list[int] | None:
        """The shortest chain of ops from one tensor to another; None where there is none."""
        came: dict[int, tuple[int, int] | None] = {source: None}
        queue = deque([source])
        while queue and target not in came:
            tensor = queue.popleft()
            for op in self.consumers.get(tensor, ()):
                for output in self.trace.ops[op].outputs:
                    if output not in came:
                        came[output] = (tensor, op)
                        queue.append(output)
        if target not in came:
            return None
        chain: list[int] = []
        link = came[target]
        while link:
            chain.append(link[1])
            link = came[link[0]]
        return chain[::-1]

    # The console.

    def console(self, step: int | None = None) -> Iterator[tuple[int, PrintEvent]]:
        """What was written up to a step (or in all), with the steps."""
        for at in self.prints:
            if step is not None and at > step:
                return
            event = self.trace.events[at]
            assert isinstance(event, PrintEvent)
            yield at, event


def _clears(part: Interval) -> bool:
    """Whether a tape loses what it holds by entering this interval."""
    return part.state in ("consumed", "deleted") or part.cause == "reset"


def differentiable(dtype: str) -> bool:
    """Whether a tape can follow tensors of this dtype (floating, complex, resource, variant)."""
    return not dtype.startswith(NON_DIFFERENTIABLE)


def index(trace: Trace) -> TraceIndex:
    """Goes through a trace once."""
    builder = _Builder(trace)
    for step, event in enumerate(trace.events):
        builder.take(step, event)
    return builder.result()


class _Builder:
    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.op_steps: dict[int, int] = {}
        self.states: list[list[tuple[int, TapeEvent]]] = [[] for _ in trace.tapes]
        self.watches: list[list[int]] = [[] for _ in trace.tapes]
        self.begins: dict[int, int] = {}
        self.ends: dict[int, int] = {}
        self.rewinds: dict[int, list[int]] = {}
        self.sums: dict[int, list[int]] = {}
        self.exits: list[int] = []
        self.prints: list[int] = []
        self.errors: dict[int, int] = {}

    def take(self, step: int, event: AnyEvent) -> None:
        """Files one event."""
        match event:
            case OpEvent() | ReadEvent() | AssignEvent():
                self.op_steps.setdefault(event.op, step)
            case TapeEvent():
                self.states[event.tape].append((step, event))
            case WatchEvent():
                self.watches[event.tape].append(step)
            case GradientBeginEvent():
                self.begins[event.call] = step
            case GradientEndEvent():
                self.ends[event.call] = step
            case RewindEvent():
                self.rewinds.setdefault(event.call, []).append(step)
            case SumEvent():
                self.sums.setdefault(event.call, []).append(step)
            case ExitEvent():
                self.exits.append(step)
            case PrintEvent():
                self.prints.append(step)
            case ErrorEvent():
                self.errors.setdefault(event.error, step)
            case _:
                pass

    def result(self) -> TraceIndex:
        """The index of all that was taken."""
        producers: dict[int, int] = {}
        consumers: dict[int, list[int]] = {}
        reads: dict[int, list[int]] = {}
        assigns: dict[int, list[int]] = {}
        for op, record in enumerate(self.trace.ops):
            for tensor in record.outputs:
                producers.setdefault(tensor, op)
            for tensor in dict.fromkeys(t for t in record.inputs if t is not None):
                consumers.setdefault(tensor, []).append(op)
            step = self.op_steps.get(op)
            for variable in _variables(record.variable, record.captures):
                event = None if step is None else self.trace.events[step]
                kind = assigns if isinstance(event, AssignEvent) else reads
                kind.setdefault(variable, []).append(op)
        return TraceIndex(
            trace=self.trace,
            producers=producers,
            consumers=_frozen(consumers),
            op_steps=self.op_steps,
            intervals=tuple(_intervals(states) for states in self.states),
            begins=self.begins,
            ends=self.ends,
            rewinds=_frozen(self.rewinds),
            sums=_frozen(self.sums),
            reads=_frozen(reads),
            assigns=_frozen(assigns),
            watches=tuple(map(tuple, self.watches)),
            exits=tuple(self.exits),
            prints=tuple(self.prints),
            errors=self.errors,
        )


def _variables(variable: int | None, captures: tuple[int | None, ...]) -> list[int]:
    found = [variable, *captures]
    return list(dict.fromkeys(v for v in found if v is not None))


def _frozen(lists: dict[int, list[int]]) -> dict[int, tuple[int, ...]]:
    return {key: tuple(values) for key, values in lists.items()}


def _intervals(states: list[tuple[int, TapeEvent]]) -> tuple[Interval, ...]:
    found = []
    for position, (step, event) in enumerate(states):
        end = states[position + 1][0] if position + 1 < len(states) else None
        found.append(Interval(event.state, event.cause, step, end, event.place))
    return tuple(found)
