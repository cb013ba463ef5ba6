"""The places in TensorFlow where the hooks sit, and what is used of it there."""

from __future__ import annotations

import sys
import types
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tensorflow.python import pywrap_tfe
from tensorflow.python.eager import backprop, core, execute, forwardprop
from tensorflow.python.eager.polymorphic_function import atomic_function, tracing_compilation
from tensorflow.python.framework import constant_op, ops
from tensorflow.python.ops import resource_variable_ops

from tapedeck.recorder.hooks.facts import (
    EXITS,
    Function,
    disguised,
    is_eager,
    recording_suspended,
    tensor_id,
)
from tapedeck.recorder.listener import Listener

if TYPE_CHECKING:
    from tapedeck.recorder.hooks.install import Hooks


def hook_execution(hooks: Hooks) -> None:
    fast, quick = hooks.fast, execute.quick_execute
    cancelable = execute.execute_with_cancellation
    explicit, tell, failed = hooks.explicit_reads, hooks.tell, hooks.failed
    listen = hooks.listen_on_this_thread

    # Every generated op function tries `TFE_Py_FastPathExecute` first. It reads variables
    # among its arguments in C++, where nothing sees it; so they are read before.
    def _tapedeck_fast_path(ctx: Any, op_name: Any, name: Any, *args: Any) -> Any:
        listen()
        try:
            return fast(ctx, op_name, name, *explicit(args))
        except core._NotOkStatusException as error:
            failed(op_name, args, error, name)
            raise

    # `execute.execute` is what generated code falls back to, and what runs functions.
    def _tapedeck_execute_path(
        op_name: Any, num_outputs: Any, inputs: Any, attrs: Any, ctx: Any, name: Any = None
    ) -> Any:
        listen()
        try:
            outputs = quick(op_name, num_outputs, inputs, attrs, ctx, name)
        except Exception as error:
            failed(op_name, inputs, error, name)
            raise
        tell(op_name, tuple(inputs), attrs, outputs, offered=False)
        return outputs

    def _tapedeck_execute_cancelable(
        op_name: Any,
        num_outputs: Any,
        inputs: Any,
        attrs: Any,
        ctx: Any,
        cancellation_manager: Any,
        name: Any = None,
    ) -> Any:
        listen()
        outputs = cancelable(op_name, num_outputs, inputs, attrs, ctx, cancellation_manager, name)
        tell(op_name, tuple(inputs), attrs, outputs, offered=False)
        return outputs

    hooks.replace(pywrap_tfe, "TFE_Py_FastPathExecute", disguised(_tapedeck_fast_path, execute))
    hooks.replace(execute, "execute", disguised(_tapedeck_execute_path, execute))
    hooks.replace(
        execute, "execute_with_cancellation", disguised(_tapedeck_execute_cancelable, execute)
    )


def hook_recording(hooks: Hooks) -> None:
    listener = hooks.listener
    record = pywrap_tfe.TFE_Py_RecordGradient
    watch = pywrap_tfe.TFE_Py_TapeWatch
    watch_variable = pywrap_tfe.TFE_Py_TapeWatchVariable
    accessed = pywrap_tfe.TFE_Py_TapeVariableAccessed

    # Called by generated code after an op of the execute path.
    def record_gradient(op_name: Any, inputs: Any, attrs: Any, outputs: Any, scope: Any) -> None:
        record(op_name, inputs, attrs, outputs, scope)
        listener.recorded(inputs, attrs, outputs)

    # `tape.watch` and `tape.watch_variable` end here.
    def tape_watch(tape: Any, tensor: Any) -> None:
        watch(tape, tensor)
        if is_eager(tensor):
            listener.watched(tape, tensor_id(tensor), tensor)

    def tape_watch_variable(tape: Any, variable: Any) -> None:
        watch_variable(tape, variable)
        if is_eager(variable.handle):
            listener.watched(tape, tensor_id(variable.handle), variable)

    # Called before each read of a trainable variable.
    def variable_accessed(variable: Any) -> None:
        accessed(variable)
        if is_eager(variable.handle) and not recording_suspended():
            listener.variable_accessed(variable)

    hooks.replace(pywrap_tfe, "TFE_Py_RecordGradient", record_gradient)
    hooks.replace(pywrap_tfe, "TFE_Py_TapeWatch", tape_watch)
    hooks.replace(pywrap_tfe, "TFE_Py_TapeWatchVariable", tape_watch_variable)
    hooks.replace(pywrap_tfe, "TFE_Py_TapeVariableAccessed", variable_accessed)
    # What custom gradients and functions record: a Python function for going back.
    for name in ("TFE_Py_TapeSetRecordOperation", "TFE_Py_TapeSetRecordOperationBackprop"):
        hooks.replace(pywrap_tfe, name, _with_rule(hooks.listener, getattr(pywrap_tfe, name)))


def _with_rule(listener: Listener, original: Function) -> Function:
    def _tapedeck_record_operation(
        op_type: Any, outputs: Any, inputs: Any, backward: Any, *rest: Any
    ) -> None:
        if not all(is_eager(tensor) for tensor in outputs):
            original(op_type, outputs, inputs, backward, *rest)
            return
        backward = listener.rule_recorded(op_type, outputs, inputs, backward)
        original(op_type, outputs, inputs, backward, *rest)

    return disguised(_tapedeck_record_operation, backprop)


def hook_tapes(hooks: Hooks) -> None:
    tape = backprop.GradientTape
    listener = hooks.listener

    def method(name: str, **told: Function) -> None:
        hooks.insert(vars(tape)[name], "GradientTape", **told)

    method("__init__", end=_created(listener))
    method("_push_tape", end=_pushed(listener), error=_raised(listener))
    method("_pop_tape", end=_popped(listener), error=_raised(listener))
    method("watch", error=_raised(listener))
    for kind in ("gradient", "jacobian", "batch_jacobian"):
        method(
            kind,
            begin=_begun(listener, kind, vars(tape)[kind]),
            end=_ended(listener),
            error=lambda: listener.gradient_raised(_current_error()),
        )


def hook_rewinding(hooks: Hooks) -> None:
    listener, local = hooks.listener, hooks.local

    def begun(
        op_name: Any,
        attr_tuple: Any,
        num_inputs: Any,
        inputs: Any,
        outputs: Any,
        out_grads: Any,
        skip_input_indices: Any,
        forward_pass_name_scope: Any,
    ) -> None:
        listener.rewind_begun(op_name, attr_tuple, out_grads)

    def ended(result: Any) -> Any:
        listener.rewind_ended(result)
        return result

    # C++ calls this for each op that it goes back through.
    hooks.insert(backprop._gradient_function, begin=begun, end=ended)

    def hush(*_: Any) -> None:
        local.quiet += 1

    def speak(result: Any = None) -> Any:
        local.quiet -= 1
        return result

    def summed(total: Any) -> Any:
        listener.summed(sys._getframe(1).f_locals["gradients"], total)
        return total

    # C++ adds gradients with this, through the vector space registered for it.
    hooks.insert(backprop._aggregate_grads, end=summed)
    # Inside of a forward accumulator's rule TensorFlow plays with tapes of its own.
    hooks.insert(forwardprop._jvp_dispatch, begin=hush, end=speak, error=speak)


def hook_functions(hooks: Hooks) -> None:
    listener = hooks.listener

    def begun(function_type: Any, type_context: Any, func_graph: Any, tracing_options: Any) -> None:
        listener.trace_begun(str(tracing_options.name), function_type)

    def ended(result: Any) -> Any:
        listener.trace_ended(False)
        return result

    def made(result: Any) -> Any:
        seen = sys._getframe(1).f_locals
        name = seen["name"]
        listener.graph_made(name.decode() if isinstance(name, bytes) else name, seen["graph"])
        return result

    # Called for each trace of a `tf.function`.
    hooks.insert(
        tracing_compilation._create_concrete_function,
        begin=begun,
        end=ended,
        error=lambda: listener.trace_ended(True),
    )
    # Called for each function that is made of a graph: traced ones, branches, loop bodies.
    hooks.insert(atomic_function.from_func_graph, end=made)


def hook_values(hooks: Hooks) -> None:
    listener = hooks.listener
    convert = constant_op.convert_to_eager_tensor
    initialize = resource_variable_ops.BaseResourceVariable.__init__

    # Every Python or NumPy value that becomes a tensor, but those that C++ converts.
    def _tapedeck_convert_to_eager_tensor(value: Any, ctx: Any, dtype: Any = None) -> Any:
        tensor = convert(value, ctx, dtype)
        if tensor is not value:
            listener.constant(tensor, value)
        return tensor

    # Called last when a variable is made: its handle exists and holds the initial value.
    def _tapedeck_variable_init(self: Any, *args: Any, **kwargs: Any) -> None:
        initialize(self, *args, **kwargs)
        if is_eager(self.handle):
            listener.variable_created(self)

    hooks.replace(
        constant_op,
        "convert_to_eager_tensor",
        disguised(_tapedeck_convert_to_eager_tensor, constant_op),
    )
    hooks.replace(
        resource_variable_ops.BaseResourceVariable,
        "__init__",
        disguised(_tapedeck_variable_init, resource_variable_ops),
    )
    base = ops._EagerTensorBase
    for name, how in EXITS.items():
        hooks.insert(vars(base)[name], base.__name__, begin=_exit(listener, how))


def _exit(listener: Listener, how: str) -> Function:
    def begin(self: Any, *_: Any) -> None:
        listener.exited(self, how)

    return begin


def _current_error() -> BaseException:
    error = sys.exc_info()[1]
    assert error is not None
    return error


def _created(listener: Listener) -> Function:
    def end(result: Any) -> Any:
        listener.tape_created(sys._getframe(1).f_locals["self"])
        return result

    return end


def _pushed(listener: Listener) -> Function:
    def end(result: Any) -> Any:
        frame = sys._getframe(1)
        tape = frame.f_locals["self"]
        listener.tape_pushed(tape, tape._tape._tape, _caller(frame)[0])
        return result

    return end


def _popped(listener: Listener) -> Function:
    def end(result: Any) -> Any:
        frame = sys._getframe(1)
        caller, by_error = _caller(frame)
        listener.tape_popped(frame.f_locals["self"], caller, by_error)
        return result

    return end


def _raised(listener: Listener) -> Function:
    def error() -> None:
        listener.tape_raised(sys._getframe(1).f_locals["self"], _current_error())

    return error


def _caller(frame: types.FrameType) -> tuple[str, bool]:
    """The method that pushes or pops, and whether that is a block left by an exception."""
    caller = frame.f_back
    assert caller is not None
    name = caller.f_code.co_name
    return name, name == "__exit__" and caller.f_locals.get("typ") is not None


def _begun(listener: Listener, kind: str, method: Any) -> Function:
    code = method.__code__
    names = code.co_varnames[: code.co_argcount]

    def begin(*values: Any) -> None:
        listener.gradient_begun(kind, dict(zip(names, values, strict=True)))

    return begin


def _ended(listener: Listener) -> Function:
    def end(result: Any) -> Any:
        listener.gradient_ended(result)
        return result

    return end


POINTS: tuple[Callable[[Hooks], None], ...] = (
    hook_execution,
    hook_recording,
    hook_tapes,
    hook_rewinding,
    hook_functions,
    hook_values,
)
