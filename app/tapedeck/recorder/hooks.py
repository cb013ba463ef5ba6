"""The hooks: the only file that touches TensorFlow's private API.

`Hooks(listener)` tells a listener what TensorFlow does: ops, recordings, tapes, gradient calls,
rewinds, constants, variables and exits to Python. What is used of TensorFlow, and what breaks
when it goes, stands at each hook. `check()` tries each of them at start-up.

Written from TensorFlow 2.18 to 2.21.
"""

import contextlib
import sys
import threading
import types
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol

from tensorflow.python import pywrap_tfe
from tensorflow.python.eager import backprop, context, core, execute, forwardprop
from tensorflow.python.framework import constant_op, dtypes, ops
from tensorflow.python.ops import resource_variable_ops

from tapedeck.recorder.recompile import recompile

Function = Callable[..., Any]
DISGUISE = "_tapedeck_"
"""Begins the names of functions that stand in for TensorFlow's own; tracebacks drop them."""


class Listener(Protocol):
    """Who listens. Tensors and tapes are TensorFlow's own objects: keep none of them."""

    def op(
        self,
        kind: str,
        inputs: Sequence[Any],
        attrs: Sequence[Any],
        outputs: Sequence[Any],
        offered: bool,
    ) -> None:
        """An op ran. `offered`: TensorFlow has already let the tapes record it."""

    def op_failed(self, kind: str, inputs: Sequence[Any], error: BaseException) -> None:
        """An op raised."""

    def recorded(self, inputs: Sequence[Any], attrs: Any, outputs: Sequence[Any]) -> None:
        """An op of the execute path, seen before, is recorded now."""

    def rule_recorded(
        self, kind: str, outputs: Sequence[Any], inputs: Sequence[Any], backward: Function
    ) -> Function:
        """A Python backward function is recorded for some outputs. Gives the one to use."""

    def tape_created(self, tape: Any) -> None:
        """`GradientTape.__init__` returned."""

    def tape_pushed(self, tape: Any, record: Any, caller: str) -> None:
        """The tape records from now on, onto `record`. `caller`: the method that pushed it."""

    def tape_popped(self, tape: Any, caller: str, by_error: bool) -> None:
        """The tape records no longer."""

    def tape_raised(self, tape: Any, error: BaseException) -> None:
        """A method of the tape raises."""

    def watched(self, record: Any, tensor_id: int, subject: Any) -> None:
        """`watch()` of a tensor or a variable."""

    def variable_accessed(self, variable: Any) -> None:
        """A trainable variable is about to be read: tapes watch it by themselves."""

    def gradient_begun(self, kind: str, arguments: dict[str, Any]) -> None:
        """A gradient call begins."""

    def gradient_ended(self, result: Any) -> None:
        """It returns."""

    def gradient_raised(self, error: BaseException) -> None:
        """It raises."""

    def rewind_begun(self, kind: str, attrs: Any, upstream: Sequence[Any]) -> None:
        """One op is rewound by its registered gradient."""

    def rewind_ended(self, contributions: Any) -> None:
        """What its gradient gave for its inputs."""

    def summed(self, parts: Sequence[Any], total: Any) -> None:
        """Contributions to one tensor were summed."""

    def constant(self, tensor: Any, value: Any) -> None:
        """A tensor was made from Python or NumPy data."""

    def variable_created(self, variable: Any) -> None:
        """A variable is ready for use."""

    def exited(self, tensor: Any, how: str) -> None:
        """A tensor's value is handed to Python."""


def _is_dtype(value: object) -> bool:
    return isinstance(value, dtypes.DType) and not value._is_ref_dtype


class _Local(threading.local):
    """What each thread has of its own."""

    def __init__(self) -> None:
        self.quiet = 0
        self.listening = False


def tensor_id(tensor: Any) -> int:
    """TensorFlow's number for an eager tensor: never given twice in a process."""
    number: int = tensor._id
    return number


def handle_of(variable: Any) -> Any:
    """The resource tensor behind a variable, None where there is none."""
    return getattr(variable, "handle", None)


EAGER_TENSOR: type = ops.EagerTensor


def is_eager(tensor: Any) -> bool:
    """Whether it is a tensor with a value."""
    return isinstance(tensor, EAGER_TENSOR)


_DTYPE_NAMES = {d.as_datatype_enum: d.name for d in vars(dtypes).values() if _is_dtype(d)}
_DIFFERENTIABLE = {
    d.as_datatype_enum
    for d in vars(dtypes).values()
    if _is_dtype(d) and (d.is_floating or d.is_complex or d in (dtypes.resource, dtypes.variant))
}


def dtype_name(tensor: Any) -> str:
    """`float32`; of an eager tensor."""
    # `dtype` of Python's class builds on this number; it is asked for at every op.
    return _DTYPE_NAMES[tensor._datatype_enum()]


def is_differentiable(tensor: Any) -> bool:
    """Whether a tape follows tensors of its dtype: TensorFlow's `IsDtypeTrainable`."""
    return tensor._datatype_enum() in _DIFFERENTIABLE


def array_of(tensor: Any) -> Any:
    """The contents as an array that shares the tensor's memory."""
    # `_numpy_internal` is the reader below every `.numpy()`; it calls no op and no hook.
    return tensor._numpy_internal()


def recording_suspended() -> bool:
    """Whether TensorFlow has switched all recording off on this thread."""
    return bool(pywrap_tfe.TFE_Py_TapeSetIsStopped())


def should_record(tensors: Sequence[Any]) -> bool:
    """TensorFlow's own answer whether any tape would record an op of these inputs."""
    return bool(pywrap_tfe.TFE_Py_TapeSetShouldRecordBackprop(list(tensors)))


def status_error(error: BaseException, name: str) -> BaseException:
    """The exception that TensorFlow's Python code will make of a failed op's status."""
    if not isinstance(error, core._NotOkStatusException):
        return error
    message = error.message
    # `raise_from_not_ok_status` adds the op's name in this way.
    converted: BaseException = core._status_to_exception(
        core._NotOkStatusException(f"{message} name: {name}", error.code, error.payloads)
    )
    return converted


def disguised(function: Function, like: Any) -> Function:
    """The function, with the file name of TensorFlow's own code in its frames.

    TensorFlow strips its own frames from the tracebacks that a user sees; these go along.
    """
    assert isinstance(function, types.FunctionType)
    code = function.__code__.replace(co_filename=like.__file__)
    copy = types.FunctionType(
        code, function.__globals__, function.__name__, function.__defaults__, function.__closure__
    )
    copy.__kwdefaults__ = function.__kwdefaults__
    return copy


class Hooks:
    """Installs the hooks for one listener and takes them off again."""

    def __init__(self, listener: Listener) -> None:
        self.listener = listener
        self.local = _Local()
        self._undo: list[Callable[[], None]] = []
        self._classes: dict[type, bool] = {}
        self._fast: Function = pywrap_tfe.TFE_Py_FastPathExecute

    @contextlib.contextmanager
    def installed(self) -> Iterator[None]:
        """Hooks on inside the block, all off after it, whatever happens in it."""
        try:
            self._install()
            yield
        finally:
            while self._undo:
                self._undo.pop()()

    @contextlib.contextmanager
    def quiet(self) -> Iterator[None]:
        """Inside the block this thread's doings are not told to the listener."""
        self.local.quiet += 1
        try:
            yield
        finally:
            self.local.quiet -= 1

    def read_handle(self, handle: Any, dtype: str) -> Any:
        """The value behind a variable's handle, read unseen: no op told, no tape recording it.

        None where there is none yet.
        """
        suspended = recording_suspended()
        if not suspended:
            pywrap_tfe.TFE_Py_TapeSetStopOnThread()
        try:
            with self.quiet():
                kind = dtypes.as_dtype(dtype)
                return self._fast(
                    context.context(), "ReadVariableOp", None, handle, "dtype", kind
                )
        except core._NotOkStatusException:
            return None
        finally:
            if not suspended:
                pywrap_tfe.TFE_Py_TapeSetRestartOnThread()

    def _replace(self, owner: Any, name: str, value: Any) -> None:
        before = vars(owner)[name] if isinstance(owner, type) else getattr(owner, name)
        setattr(owner, name, value)
        self._undo.append(lambda: setattr(owner, name, before))

    def _insert(self, function: Any, owner: str | None = None, **hooks: Function) -> None:
        """Calls hooks from inside of one of TensorFlow's own Python functions.

        Its code is exchanged in place, so that C++ and whoever imported it have it too.
        """
        before = function.__code__
        function.__code__ = recompile(function, owner=owner, **hooks)
        self._undo.append(lambda: setattr(function, "__code__", before))

    def _install(self) -> None:
        context.context().ensure_initialized()
        self._listen_on_this_thread()
        self._hook_execution()
        self._hook_recording()
        self._hook_tapes()
        self._hook_rewinding()
        self._hook_values()

    # Ops.

    def _listen_on_this_thread(self) -> None:
        # Op callbacks belong to a thread's context: each thread that runs an op gets ours.
        # `add_op_callback` of the context, without op_callbacks.py's switch of
        # `execute.execute`: that is replaced for all threads by `_hook_execution`.
        if self.local.listening:
            return
        self.local.listening = True
        state = context.context()
        callback = self._callback
        state.add_op_callback(callback)
        if threading.current_thread() is threading.main_thread():
            self._undo.append(lambda: state.remove_op_callback(callback))
            self._undo.append(lambda: setattr(self.local, "listening", False))

    def _callback(
        self,
        op_type: Any,
        inputs: Any,
        attrs: Any,
        outputs: Any,
        op_name: Any = None,
        graph: Any = None,
    ) -> Any:
        # The signature must be exactly this: eager ops pass the name by position, graph ops by
        # keyword. In a graph, TensorFlow passes what one callback returns on to the next.
        if graph is not None:
            return None if len(context.context().op_callbacks) == 1 else list(outputs)
        self._tell(op_type, inputs, attrs, outputs, offered=True)
        return outputs

    def _tell(
        self, op_type: Any, inputs: Any, attrs: Any, outputs: Any, *, offered: bool
    ) -> None:
        if outputs is not None:
            kind = op_type.decode() if isinstance(op_type, bytes) else op_type
            self.listener.op(kind, inputs, attrs, outputs, offered)

    def _hook_execution(self) -> None:
        fast, quick = self._fast, execute.quick_execute
        cancelable = execute.execute_with_cancellation
        explicit, tell, failed = self._explicit_reads, self._tell, self._failed
        listen = self._listen_on_this_thread

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
            outputs = cancelable(
                op_name, num_outputs, inputs, attrs, ctx, cancellation_manager, name
            )
            tell(op_name, tuple(inputs), attrs, outputs, offered=False)
            return outputs

        self._replace(pywrap_tfe, "TFE_Py_FastPathExecute", disguised(_tapedeck_fast_path, execute))
        self._replace(execute, "execute", disguised(_tapedeck_execute_path, execute))
        self._replace(
            execute, "execute_with_cancellation", disguised(_tapedeck_execute_cancelable, execute)
        )

    def _explicit_reads(self, args: tuple[Any, ...]) -> Sequence[Any]:
        if self.local.quiet:
            return args
        changed: list[Any] | None = None
        is_variable = self.is_variable
        for position, argument in enumerate(args):
            if is_variable(argument):
                read: Any = argument.value()
            elif type(argument) in (list, tuple) and any(map(is_variable, argument)):
                read = [e.value() if is_variable(e) else e for e in argument]
            else:
                continue
            if changed is None:
                changed = list(args)
            changed[position] = read
        return args if changed is None else changed

    def is_variable(self, value: Any) -> bool:
        """Whether it is one of TensorFlow's variables."""
        # By class: `isinstance` with a variable's class goes through slow abstract classes.
        kind = type(value)
        known = self._classes.get(kind)
        if known is None:
            base = resource_variable_ops.BaseResourceVariable
            known = self._classes[kind] = issubclass(kind, base)
        return known

    def _failed(self, kind: Any, inputs: Sequence[Any], error: Exception, name: Any) -> None:
        if not context.context().executing_eagerly():
            return
        kind = kind.decode() if isinstance(kind, bytes) else kind
        tensors = [i for i in inputs if is_eager(i)]
        self.listener.op_failed(kind, tensors, status_error(error, name or ""))

    # Recording.

    def _hook_recording(self) -> None:
        listener = self.listener
        record = pywrap_tfe.TFE_Py_RecordGradient
        watch = pywrap_tfe.TFE_Py_TapeWatch
        watch_variable = pywrap_tfe.TFE_Py_TapeWatchVariable
        accessed = pywrap_tfe.TFE_Py_TapeVariableAccessed

        # Called by generated code after an op of the execute path.
        def record_gradient(
            op_name: Any, inputs: Any, attrs: Any, outputs: Any, scope: Any
        ) -> None:
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

        self._replace(pywrap_tfe, "TFE_Py_RecordGradient", record_gradient)
        self._replace(pywrap_tfe, "TFE_Py_TapeWatch", tape_watch)
        self._replace(pywrap_tfe, "TFE_Py_TapeWatchVariable", tape_watch_variable)
        self._replace(pywrap_tfe, "TFE_Py_TapeVariableAccessed", variable_accessed)
        # What custom gradients and functions record: a Python function for going back.
        for name in ("TFE_Py_TapeSetRecordOperation", "TFE_Py_TapeSetRecordOperationBackprop"):
            self._replace(pywrap_tfe, name, self._with_rule(getattr(pywrap_tfe, name)))

    def _with_rule(self, original: Function) -> Function:
        listener, local = self.listener, self.local

        def _tapedeck_record_operation(
            op_type: Any, outputs: Any, inputs: Any, backward: Any, *rest: Any
        ) -> None:
            if not all(is_eager(tensor) for tensor in outputs):
                original(op_type, outputs, inputs, backward, *rest)
                return
            backward = listener.rule_recorded(op_type, outputs, inputs, backward)
            original(op_type, outputs, inputs, backward, *rest)

        return disguised(_tapedeck_record_operation, backprop)

    # Tapes: methods of `GradientTape` itself, so that the tapes of libraries are seen too.

    def _hook_tapes(self) -> None:
        tape = backprop.GradientTape
        listener = self.listener
        current: list[Any] = []

        def method(name: str, **hooks: Function) -> None:
            self._insert(vars(tape)[name], "GradientTape", **hooks)

        def created(self: Any, persistent: Any, watch_accessed_variables: Any) -> None:
            current.append(self)

        def created_end(result: Any) -> Any:
            listener.tape_created(current.pop())
            return result

        method("__init__", begin=created, end=created_end)
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

    # Rewinding.

    def _hook_rewinding(self) -> None:
        listener, local = self.listener, self.local

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
        self._insert(backprop._gradient_function, begin=begun, end=ended)

        def hush(*_: Any) -> None:
            local.quiet += 1

        def speak(result: Any = None) -> Any:
            local.quiet -= 1
            return result

        parts: list[Any] = []

        def sum_begun(gradients: Any) -> None:
            parts.append(gradients)

        def sum_ended(total: Any) -> Any:
            listener.summed(parts.pop(), total)
            return total

        # C++ adds gradients with this, through the vector space registered for it.
        self._insert(backprop._aggregate_grads, begin=sum_begun, end=sum_ended)
        # Inside of a forward accumulator's rule TensorFlow plays with tapes of its own.
        self._insert(forwardprop._jvp_dispatch, begin=hush, end=speak, error=speak)

    # Constants, variables, and the ways out of TensorFlow.

    def _hook_values(self) -> None:
        listener = self.listener
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

        self._replace(
            constant_op,
            "convert_to_eager_tensor",
            disguised(_tapedeck_convert_to_eager_tensor, constant_op),
        )
        self._replace(
            resource_variable_ops.BaseResourceVariable,
            "__init__",
            disguised(_tapedeck_variable_init, resource_variable_ops),
        )
        base = ops._EagerTensorBase
        for name, how in EXITS.items():
            self._insert(vars(base)[name], base.__name__, begin=_exit(listener, how))


EXITS = {
    "numpy": ".numpy()",
    "__float__": "float()",
    "__int__": "int()",
    "__bool__": "bool()",
    "__index__": "index",
    "__complex__": "complex()",
    "__array__": "np.array",
}


def _exit(listener: Listener, how: str) -> Function:
    def begin(self: Any, *_: Any) -> None:
        listener.exited(self, how)

    return begin


def _current_error() -> BaseException:
    error = sys.exc_info()[1]
    assert error is not None
    return error


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


def tape_state(tape: Any) -> tuple[bool, bool, bool]:
    """Of a GradientTape: (holds a record, is recording, persistent)."""
    return tape._tape is not None, bool(tape._recording), bool(tape._persistent)


def watches_accessed_variables(tape: Any) -> bool:
    """Whether trainable variables that are read are watched by themselves."""
    return bool(tape._watch_accessed_variables)
