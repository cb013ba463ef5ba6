"""The trace in the making: arrays that grow, and the stream that follows them."""

import threading
from collections.abc import Callable
from typing import Any

import msgspec

from tapedeck.trace.document import (
    AnyEvent,
    Environment,
    Error,
    GradientCall,
    Graph,
    Group,
    Limits,
    Op,
    Outcome,
    Place,
    Record,
    Snippet,
    Tape,
    Tensor,
    Variable,
)
from tapedeck.trace.stream import encode_payload

Send = Callable[[bytes], None]


class Builder:
    """Collects a trace. Each `add_*` gives the id of what was added; `event` ends a step.

    Everything new or changed since the last step is sent at each step, so that the receiver
    holds all of it even when the process dies the next moment.
    """

    def __init__(self, snippet: Snippet, environment: Environment, send: Send) -> None:
        self.snippet = snippet
        self.environment = environment
        self.limits: Limits = environment.limits
        self.lock = threading.RLock()
        self.places: list[Place] = []
        self.tensors: list[Tensor] = []
        self.variables: list[Variable] = []
        self.groups: list[Group] = []
        self.ops: list[Op] = []
        self.graphs: list[Graph] = []
        self.tapes: list[Tape] = []
        self.gradients: list[GradientCall] = []
        self.errors: list[Error] = []
        self.events: list[AnyEvent] = []
        self.truncated = ""
        """Which limit ended the recording; empty while it goes on."""
        self._send = send
        self._sent_bytes = 0
        self._waiting: list[tuple[str, int, Any]] = []
        self._put("snippet", 0, snippet)
        self._put("environment", 0, environment)
        self.flush()

    def _put(self, section: str, index: int, value: Any) -> None:
        self._waiting.append((section, index, value))

    def flush(self) -> None:
        """Sends what has not been sent."""
        if not self._waiting:
            return
        payload = encode_payload(self._waiting)
        self._waiting.clear()
        self._sent_bytes += len(payload)
        if self.limits.trace_bytes is not None and self._sent_bytes > self.limits.trace_bytes:
            self.truncate(f"the trace reached {self.limits.trace_bytes:,} bytes")
        self._send(payload)

    def truncate(self, why: str) -> None:
        """Ends the recording; the program goes on without it."""
        self.truncated = self.truncated or why

    def _add(self, section: str, array: list[Any], value: Record) -> int:
        index = len(array)
        array.append(value)
        self._put(section, index, value)
        return index

    def place(self, place: Place) -> int:
        """Adds a place."""
        return self._add("places", self.places, place)

    def tensor(self, tensor: Tensor) -> int:
        """Adds a tensor."""
        return self._add("tensors", self.tensors, tensor)

    def variable(self, variable: Variable) -> int:
        """Adds a variable."""
        return self._add("variables", self.variables, variable)

    def group(self, group: Group) -> int:
        """Adds a group."""
        return self._add("groups", self.groups, group)

    def op(self, op: Op) -> int:
        """Adds an op; past the limit of ops the recording ends."""
        if self.limits.ops is not None and len(self.ops) + 1 >= self.limits.ops:
            self.truncate(f"{self.limits.ops:,} ops were recorded")
        return self._add("ops", self.ops, op)

    def graph(self, graph: Graph) -> int:
        """Adds a graph."""
        return self._add("graphs", self.graphs, graph)

    def tape(self, tape: Tape) -> int:
        """Adds a tape."""
        return self._add("tapes", self.tapes, tape)

    def gradient(self, call: GradientCall) -> int:
        """Adds a gradient call."""
        return self._add("gradients", self.gradients, call)

    def error(self, error: Error) -> int:
        """Adds an error."""
        return self._add("errors", self.errors, error)

    def change(self, section: str, index: int, **fields: Any) -> None:
        """Replaces fields of something added before."""
        array: list[Any] = getattr(self, section)
        array[index] = msgspec.structs.replace(array[index], **fields)
        self._put(section, index, array[index])

    def event(self, event: AnyEvent) -> int:
        """Ends a step with its event and sends it. Gives the step."""
        step = self._add("events", self.events, event)
        self.flush()
        return step

    def finish(self, outcome: Outcome) -> None:
        """Sends the outcome, the last entry of a stream."""
        self._put("outcome", 0, outcome)
        self.flush()
