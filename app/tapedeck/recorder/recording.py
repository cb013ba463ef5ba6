"""The listener: turns what the hooks tell into the trace."""

import functools
import sys
from collections.abc import Callable, Sequence
from threading import get_ident
from typing import Any

from tapedeck.recorder import hooks
from tapedeck.recorder.builder import Builder
from tapedeck.recorder.errors import Errors
from tapedeck.recorder.graphs import Graphs, describe_arguments
from tapedeck.recorder.kinds import READS, Kind, counts_on, kind_of, plain_attrs
from tapedeck.recorder.listener import Listener
from tapedeck.recorder.names import Names
from tapedeck.recorder.registry import Registry
from tapedeck.recorder.rewinding import Rewinding, Running
from tapedeck.recorder.tapes import Tapes
from tapedeck.recorder.where import Where
from tapedeck.trace.document import (
    AssignEvent,
    ConstantEvent,
    ExitEvent,
    Op,
    OpEvent,
    ReadEvent,
    VariableEvent,
    WatchEvent,
)

#: Files whose frames stand between `tf.constant` or `tf.convert_to_tensor` and the snippet.
CONSTANT_FILES = (
    "framework/constant_op.py",
    "framework/tensor_conversion.py",
    "framework/tensor_conversion_registry.py",
    "framework/constant_tensor_conversion.py",
    "framework/ops.py",
    "ops/weak_tensor_ops.py",
    "util/dispatch.py",
    "util/traceback_utils.py",
    "profiler/trace.py",
    "recorder/recording.py",
)
#: Files whose frames stand between `GradientTape()` and the snippet.
CREATION_FILES = ("eager/backprop.py", "recorder/recording.py", "recorder/hooks/points.py")
#: Files whose frames stand between an exit such as `variable.numpy()` and the snippet.
EXIT_FILES = (
    "framework/ops.py",
    "ops/resource_variable_ops.py",
    "recorder/hooks/points.py",
    "recorder/recording.py",
)


def _locked(method: Callable[..., Any]) -> Callable[..., Any]:
    """One thread at a time, nothing once the recording is full, and unheard by itself."""

    @functools.wraps(method)
    def told(self: "Recording", *args: Any) -> Any:
        builder, local = self.builder, self.hooks.local
        if local.quiet or builder.truncated or self.finished:
            return args[-1] if method.__name__ == "rule_recorded" else None
        local.quiet += 1
        try:
            with builder.lock:
                return method(self, *args)
        except RecursionError:
            pass  # the program is about to get it too, at a place of its own
        except Exception as failure:  # noqa: BLE001  (see below)
            # A fault of the recorder's own must not become one of the program's.
            builder.truncate(f"the recorder failed with {type(failure).__name__}: {failure}")
        finally:
            local.quiet -= 1
        return args[-1] if method.__name__ == "rule_recorded" else None

    return told


class Recording:
    """Listens to the hooks for one run."""

    def __init__(self, builder: Builder, where: Where, owner_name: str | None) -> None:
        self.builder = builder
        self.where = where
        self.hooks = hooks.Hooks(self)
        self.registry = Registry(builder)
        self.errors = Errors(builder, where)
        self.tapes = Tapes(builder, where, owner_name)
        self.rewinding = Rewinding(builder, self.registry, self.tapes, where)
        self.graphs = Graphs(builder, self.registry, where)
        self.names = Names(builder, self.registry, self.tapes, self.hooks)
        self.finished = False
        self.drain: Callable[[], None] = lambda: None
        self._threads: dict[int, int] = {get_ident(): 0}
        self._bookkeeping: set[int] = set()
        self._waiting: tuple[int, ...] = ()
        """Numbers of the newest op's outputs while it waits to be recorded, and its id."""
        self._waiting_op = -1

    def finish(self) -> None:
        """Nothing is told any more."""
        self.finished = self.tapes.finished = True

    def _thread(self) -> int:
        return self._threads.setdefault(get_ident(), len(self._threads))

    # Ops.

    @_locked
    def op(
        self,
        kind: str,
        inputs: Sequence[Any],
        attrs: Sequence[Any],
        outputs: Sequence[Any],
        offered: bool,
    ) -> None:
        told = kind_of(kind)
        if told.speaks:
            self.drain()
        ids, variable, captures = self._inputs(inputs)
        if kind == "VarHandleOp" or (variable is None and kind == "AssignVariableOp"):
            return  # parts of making a variable, which is an event of its own
        suspended = hooks.recording_suspended()
        taken = self.tapes.take(inputs, outputs) if offered and not suspended else ()
        index = self._add(
            told,
            ids,
            outputs,
            attrs=plain_attrs(attrs) if attrs else {},
            variable=variable,
            captures=captures,
            recorded_by=taken,
            suspended=self._why_suspended(suspended),
            rule="function" if told.function else None,
            bodies=self.graphs.bodies([kind]) if told.function else (),
        )
        if taken and attrs:
            self.rewinding.remember(attrs, index)
        if variable is not None and kind not in READS and not told.function:
            self.registry.written((variable,))
        self._waiting = () if offered else tuple(map(hooks.tensor_id, outputs))
        self._waiting_op = index
        self._tell(index, told.writes, inputs)
        if told.function:
            self._tell_changes(index, inputs)

    def _tell_changes(self, index: int, inputs: Sequence[Any]) -> None:
        """What a function's call did to the variables that it holds."""
        for tensor in inputs:
            variable = self.registry.variable_id(tensor)
            if variable is None:
                continue
            value = self.hooks.read_handle(tensor, self.builder.variables[variable].dtype)
            if value is not None and self.registry.changed(variable, value):
                told = self.registry.read(value, variable)
                self.builder.event(AssignEvent(index, told, variable))

    def _inputs(
        self, tensors: Sequence[Any]
    ) -> tuple[tuple[int | None, ...], int | None, tuple[int | None, ...]]:
        """Of an op: its input tensors, its variable, and all of its variables if several."""
        ids: list[int | None] = []
        captures: list[int | None] = []
        known, variables = self.registry.tensors, self.registry.variables
        for tensor in tensors:
            number = hooks.tensor_id(tensor) if hooks.is_eager(tensor) else -1
            index = known.get(number)
            captures.append(variables.get(number) if index is None else None)
            if index is None and number >= 0 and hooks.dtype_name(tensor) != "resource":
                # Never seen: C++ made it of a Python number.
                index = self.registry.tensor(tensor, source="python")
            ids.append(index)
        used = [variable for variable in captures if variable is not None]
        several = tuple(captures) if len(used) > 1 else ()
        return tuple(ids), used[0] if used else None, several

    def _why_suspended(self, suspended: bool) -> str | None:
        if suspended and self.tapes.recording():
            return "suspended"
        if not self.tapes.recording() and self.tapes.recording_elsewhere():
            return "thread"
        return None

    def _add(
        self, kind: Kind, inputs: tuple[int | None, ...], made: Sequence[Any], **more: Any
    ) -> int:
        call = self.rewinding.current()
        place, group = self._here(call)
        if kind.name == "ReadVariableOp" and more.get("variable") is not None:
            outputs: tuple[int, ...] = (self.registry.read(made[0], more["variable"]),)
        else:
            outputs = tuple(self.registry.output(tensor) for tensor in made)
        bookkeeping = kind.bookkeeping or counts_on(inputs, made, self._bookkeeping)
        if bookkeeping:
            self._bookkeeping.update(outputs)
        op = Op(
            kind.name,
            inputs,
            outputs,
            place=place,
            group=group,
            bookkeeping=bookkeeping,
            thread=self._thread(),
            call=call.index if call else None,
            rewinds=self.rewinding.current_op(),
            **more,
        )
        return self.builder.op(op)

    def _here(self, call: Running | None) -> tuple[int | None, int | None]:
        if call is None or call.by_rule:
            return self.where.here()
        # TensorFlow's own gradient functions call no code of the snippet.
        started = self.builder.gradients[call.index]
        return started.place, started.group

    def _tell(self, index: int, written: bool, inputs: Sequence[Any]) -> None:
        op = self.builder.ops[index]
        if op.call is not None and not op.recorded_by:
            return  # inside of the rewind that has its own event
        if op.type == "ReadVariableOp" and op.variable is not None:
            self.builder.event(ReadEvent(index))
        elif written and op.variable is not None:
            self.builder.event(AssignEvent(index, self._value_after(op, inputs)))
        else:
            self.builder.event(OpEvent(index))

    def _value_after(self, op: Op, inputs: Sequence[Any]) -> int | None:
        if op.type == "AssignVariableOp":
            return op.inputs[1]
        variable = op.variable or 0
        value = self.hooks.read_handle(inputs[0], self.builder.variables[variable].dtype)
        return None if value is None else self.registry.read(value, variable)

    @_locked
    def op_failed(self, kind: str, inputs: Sequence[Any], error: BaseException) -> None:
        self.drain()
        index = self._add(kind_of(kind), self._inputs(inputs)[0], ())
        self.builder.event(OpEvent(index))
        told = self.errors.note(type(error).__name__, str(error))
        self.builder.change("ops", index, error=told)

    @_locked
    def recorded(self, inputs: Sequence[Any], attrs: Any, outputs: Sequence[Any]) -> None:
        numbers = tuple(map(hooks.tensor_id, outputs))
        if numbers != self._waiting or hooks.recording_suspended():
            return
        taken = self.tapes.take(inputs, outputs)
        if not taken:
            return
        self.builder.change("ops", self._waiting_op, recorded_by=taken)
        self.rewinding.remember(attrs, self._waiting_op)

    @_locked
    def rule_recorded(
        self,
        kind: str,
        outputs: Sequence[Any],
        inputs: Sequence[Any],
        backward: Callable[..., Any],
    ) -> Callable[..., Any]:
        suspended = hooks.recording_suspended()
        taken = () if suspended else self.tapes.take(inputs, outputs)
        ids, variable, captures = self._inputs(inputs)
        more: dict[str, Any] = {
            "variable": variable,
            "captures": captures,
            "recorded_by": taken,
            "suspended": self._why_suspended(suspended),
        }
        index = self._function_that_made(outputs)
        if index is None and not taken:
            return backward  # no tape will ever use the rule
        if index is not None:
            # A forward graph also gives out what its backward graph will need: not told.
            given = tuple(self.registry.tensor(tensor) for tensor in outputs)
            self.builder.change("ops", index, inputs=ids, outputs=given, **more)
        else:
            index = self._add(kind_of(kind), ids, outputs, rule="custom_gradient", **more)
            self._tell(index, written=False, inputs=inputs)
        return self._watched_backward(index, backward)

    def _function_that_made(self, outputs: Sequence[Any]) -> int | None:
        """The newest op, if it is the call of a function that gave these outputs."""
        newest = len(self.builder.ops) - 1
        while newest >= 0 and self.builder.ops[newest].type == "ZerosLike":
            newest -= 1  # made for outputs that cannot carry a gradient
        if newest < 0 or self.builder.ops[newest].rule != "function":
            return None
        made = {self.registry.tensors.get(hooks.tensor_id(tensor)) for tensor in outputs}
        return newest if made & set(self.builder.ops[newest].outputs) else None

    def _watched_backward(self, op: int, backward: Callable[..., Any]) -> Callable[..., Any]:
        def _tapedeck_backward(*upstream: Any) -> Any:
            self._rule_begun(op, upstream)
            contributions = backward(*upstream)
            self._rule_ended(contributions)
            return contributions

        return hooks.disguised(_tapedeck_backward, sys.modules[hooks.__name__])

    @_locked
    def _rule_begun(self, op: int, upstream: Sequence[Any]) -> None:
        self.rewinding.op_begun(op, upstream, by_rule=True)

    @_locked
    def _rule_ended(self, contributions: Any) -> None:
        self.rewinding.op_ended(contributions)

    # Functions.

    @_locked
    def trace_begun(self, name: str, function_type: Any) -> None:
        self.drain()
        if self.rewinding.current() is None:
            self.graphs.trace_begun(name, describe_arguments(function_type))

    @_locked
    def trace_ended(self, raised: bool) -> None:
        self.drain()
        if self.rewinding.current() is None:
            self.graphs.trace_ended(raised)

    @_locked
    def graph_made(self, name: str, graph: Any) -> None:
        self.graphs.made(name, graph)

    # Tapes.

    @_locked
    def tape_created(self, tape: Any) -> None:
        self.drain()
        by_snippet = self.where.called_by_snippet(1, CREATION_FILES)
        self.tapes.created(tape, by_snippet, self._thread())

    @_locked
    def tape_pushed(self, tape: Any, record: Any, caller: str) -> None:
        self.tapes.pushed(tape, record, caller)

    @_locked
    def tape_popped(self, tape: Any, caller: str, by_error: bool) -> None:
        self.tapes.popped(tape, caller, by_error)

    @_locked
    def tape_raised(self, tape: Any, error: BaseException) -> None:
        self.errors.tell(error)

    @_locked
    def watched(self, record: Any, number: int, subject: Any) -> None:
        tape = self.tapes.by_record(record)
        if tape is None:
            return
        tape.held.add(number)
        place = self.where.place()
        variable = self.registry.variables.get(number)
        tensor = None if variable is not None else self.registry.tensor(subject)
        self.builder.event(WatchEvent(tape.index, "hand", tensor, variable, place))

    @_locked
    def variable_accessed(self, variable: Any) -> None:
        number = hooks.tensor_id(variable.handle)
        index = self.registry.variable(variable)
        for tape in self.tapes.recording():
            watching = self.builder.tapes[tape.index].watch_accessed_variables
            if watching and number not in tape.held:
                tape.held.add(number)
                place = self.where.place()
                event = WatchEvent(tape.index, "read", variable=index, place=place)
                self.builder.event(event)

    # Gradient calls.

    @_locked
    def gradient_begun(self, kind: str, arguments: dict[str, Any]) -> None:
        self.drain()
        self.rewinding.begun(kind, arguments)

    @_locked
    def gradient_ended(self, result: Any) -> None:
        self.drain()
        self.rewinding.ended(result)

    @_locked
    def gradient_raised(self, error: BaseException) -> None:
        self.drain()
        self.rewinding.raised(lambda: self.errors.tell(error))

    @_locked
    def rewind_begun(self, kind: str, attrs: Any, upstream: Sequence[Any]) -> None:
        self.rewinding.rewind_begun(attrs, upstream)

    @_locked
    def rewind_ended(self, contributions: Any) -> None:
        self.rewinding.op_ended(contributions)

    @_locked
    def summed(self, parts: Sequence[Any], total: Any) -> None:
        self.rewinding.summed(parts, total)

    # Values.

    @_locked
    def constant(self, tensor: Any, value: Any) -> None:
        if not hooks.is_eager(tensor):
            return
        self.drain()
        source = "numpy" if type(value).__module__ == "numpy" else "python"
        if not self.where.called_by_snippet(1, CONSTANT_FILES):
            self.registry.tensor(tensor, source=source)
            return
        place = self.where.place()
        index = self.registry.tensor(tensor, place=place, source=source)
        self.builder.event(ConstantEvent(index))

    @_locked
    def variable_created(self, variable: Any) -> None:
        if hooks.tensor_id(variable.handle) in self.registry.variables:
            return  # another object for a known variable: what `assign_add` returns
        self.drain()
        initial = self.hooks.read_handle(variable.handle, variable.dtype.name)
        index = self.registry.variable(variable, self.where.place(), initial)
        if index is not None:
            self.builder.event(VariableEvent(index))

    @_locked
    def exited(self, tensor: Any, how: str) -> None:
        if not hooks.is_eager(tensor) or not self.where.called_by_snippet(1, EXIT_FILES):
            return
        self.drain()
        index = self.registry.tensor(tensor)
        how = hooks.asked_for(how)
        self.builder.event(ExitEvent(index, how, self.where.place()))

    @_locked
    def bind(self, name: str, value: Any) -> None:
        """The snippet gives a value a name: `w`, `self.w`, or `a, b` for a tuple."""
        self.names.bind(name, value)


_: type[Listener] = Recording
