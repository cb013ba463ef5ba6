"""Every tape's life, and a mirror of what each one holds."""

import weakref
from collections.abc import Callable, Sequence
from threading import get_ident
from typing import Any

from tapedeck.recorder import hooks
from tapedeck.recorder.builder import Builder
from tapedeck.recorder.where import Where
from tapedeck.trace.document import Tape, TapeEvent, TapeState


class TapeRecord:
    """What is known of one tape."""

    def __init__(self, index: int, tape: Any) -> None:
        self.index = index
        self.object = weakref.ref(tape)
        self.state: TapeState = "created"
        self.held: set[int] = set()
        """Numbers of the tensors (and of the handles of variables) that are on the tape."""
        self.record: int | None = None
        """`id` of TensorFlow's own record, while there is one."""
        self.calls = 0
        """How many gradient calls of it are running."""


class Tapes:
    """Mirrors the set of tapes that record, thread by thread as TensorFlow does."""

    def __init__(self, builder: Builder, where: Where, owner_name: str | None) -> None:
        self._builder = builder
        self._where = where
        self._owner_name = owner_name
        self._known: dict[int, TapeRecord] = {}
        self._by_record: dict[int, TapeRecord] = {}
        self._recording: dict[int, list[TapeRecord]] = {}
        self.names: dict[int, str] = {}
        """Line of a `with` statement → the name of its tape, for code that AutoGraph rewrote."""
        self.finished = False

    def created(self, tape: Any, by_snippet: bool, thread: int) -> None:
        """A tape object is made."""
        place, group = self._where.here()
        _, _, persistent = hooks.tape_state(tape)
        symbolic = not hooks.executing_eagerly()
        if symbolic:
            place = self._where.place()
        line = self._builder.places[place].line if place is not None else 0
        index = self._builder.tape(
            Tape(
                name=self.names.get(line) if symbolic and by_snippet else None,
                place=place,
                persistent=persistent,
                watch_accessed_variables=hooks.watches_accessed_variables(tape),
                owner="snippet" if by_snippet else "library",
                group=group,
                thread=thread,
                symbolic=symbolic,
            )
        )
        record = self._known[id(tape)] = TapeRecord(index, tape)
        record.object = weakref.ref(tape, self._forgetter(record, id(tape)))
        self._enter(record, "created", "created", place)

    def _forgetter(self, record: TapeRecord, key: int) -> Callable[[Any], None]:
        def collected(_: Any) -> None:
            with self._builder.lock:
                if self._known.get(key) is record:
                    del self._known[key]
                self._release(record)
                if not self.finished and not self._builder.truncated:
                    self._enter(record, "deleted", "collected", self._where.place())

        return collected

    def _enter(self, record: TapeRecord, state: TapeState, cause: Any, place: int | None) -> None:
        record.state = state
        self._builder.event(TapeEvent(record.index, state, cause, place=place))

    def of(self, tape: Any) -> TapeRecord | None:
        """The record of a tape object."""
        return self._known.get(id(tape))

    def name(self, tape: Any, name: str) -> None:
        """The snippet calls the tape so."""
        record = self.of(tape)
        if record is None or self._builder.tapes[record.index].name is not None:
            return
        owner = "tapedeck" if name == self._owner_name else None
        fields = {"name": "tape", "owner": owner} if owner else {"name": name}
        self._builder.change("tapes", record.index, **fields)

    def pushed(self, tape: Any, cpp_record: Any, caller: str) -> None:
        """The tape records onto `cpp_record` from now on."""
        record = self.of(tape)
        if record is None:
            return
        if record.record != id(cpp_record):
            self._release(record)
            record.record = id(cpp_record)
            self._by_record[id(cpp_record)] = record
        self._recording.setdefault(get_ident(), []).append(record)
        if record.calls == 0:
            cause = {"stop_recording": "resumed", "reset": "reset"}.get(caller, "entered")
            self._enter(record, "recording", cause, self._where.place())

    def popped(self, tape: Any, caller: str, by_error: bool) -> None:
        """The tape records no longer."""
        record = self.of(tape)
        if record is None:
            return
        stack = self._recording.get(get_ident(), [])
        if record in stack:
            stack.remove(record)
        if caller == "reset":
            self._release(record)  # the next record may get the same `id`
        if record.calls or caller == "reset":
            return
        if caller == "stop_recording":
            self._enter(record, "paused", "paused", self._where.place())
        else:
            cause = "left_by_error" if by_error else "left"
            self._enter(record, "stopped", cause, self._where.place())

    def call_begun(self, record: TapeRecord) -> None:
        """A gradient call begins on a tape that holds something."""
        record.calls += 1
        if record.calls == 1 and record.state not in ("created", "consumed"):
            self._enter(record, "rewinding", "call", self._where.place())

    def call_ended(self, record: TapeRecord, raised: bool) -> None:
        """It ended: consumed, stopped, or recording again."""
        record.calls -= 1
        tape = record.object()
        if record.calls or record.state != "rewinding" or tape is None:
            return
        holds, recording, _ = hooks.tape_state(tape)
        if not holds:
            self._release(record)
        state: TapeState = "recording" if recording else "stopped" if holds else "consumed"
        self._enter(record, state, "raised" if raised else "returned", self._where.place())

    def _release(self, record: TapeRecord) -> None:
        record.held.clear()
        if record.record is not None and self._by_record.get(record.record) is record:
            del self._by_record[record.record]
        record.record = None

    # The mirror.

    def recording(self) -> list[TapeRecord]:
        """The tapes that record on this thread."""
        return self._recording.get(get_ident(), [])

    def recording_elsewhere(self) -> bool:
        """Whether a tape records on another thread only."""
        here = get_ident()
        return any(stack for thread, stack in self._recording.items() if thread != here)

    def by_record(self, cpp_record: Any) -> TapeRecord | None:
        """The tape that records onto this."""
        return self._by_record.get(id(cpp_record))

    def take(self, inputs: Sequence[Any], outputs: Sequence[Any]) -> tuple[int, ...]:
        """Puts an op on every tape that records it; gives their ids.

        TensorFlow's rule (`GradientTape::RecordOperation`): a tape holds an op when any input
        is on it whose dtype can be differentiated; then all of the outputs are on it.
        """
        tapes = self.recording()
        if not tapes:
            return ()
        numbers = [hooks.tensor_id(tensor) for tensor in inputs if hooks.is_differentiable(tensor)]
        made = [hooks.tensor_id(tensor) for tensor in outputs]
        taken = []
        for record in tapes:
            if not record.held.isdisjoint(numbers):
                record.held.update(made)
                taken.append(record.index)
        return tuple(dict.fromkeys(taken))
