"""Putting the hooks in and taking them out again."""

import contextlib
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from tensorflow.python import pywrap_tfe
from tensorflow.python.eager import context, core
from tensorflow.python.framework import dtypes
from tensorflow.python.ops import resource_variable_ops

from tapedeck.recorder.hooks.facts import Function, is_eager, recording_suspended, status_error
from tapedeck.recorder.hooks.points import POINTS
from tapedeck.recorder.listener import Listener
from tapedeck.recorder.recompile import recompile


class _Local(threading.local):
    """What each thread has of its own."""

    def __init__(self) -> None:
        self.quiet = 0
        self.listening = False


class Hooks:
    """Installs the hooks for one listener and takes them off again."""

    def __init__(self, listener: Listener) -> None:
        self.listener = listener
        self.local = _Local()
        self._undo: list[Callable[[], None]] = []
        self._classes: dict[type, bool] = {}
        self.fast: Function = pywrap_tfe.TFE_Py_FastPathExecute

    @contextlib.contextmanager
    def installed(self) -> Iterator[None]:
        """Hooks on inside the block, all off after it, whatever happens in it."""
        try:
            self._install()
            yield
        finally:
            while self._undo:
                # The snippet may have taken a hook off by itself.
                with contextlib.suppress(Exception):
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
                return self.fast(context.context(), "ReadVariableOp", None, handle, "dtype", kind)
        except core._NotOkStatusException:
            return None
        finally:
            if not suspended:
                pywrap_tfe.TFE_Py_TapeSetRestartOnThread()

    def replace(self, owner: Any, name: str, value: Any) -> None:
        """Puts a function in the place of one of TensorFlow's."""
        before = vars(owner)[name] if isinstance(owner, type) else getattr(owner, name)
        setattr(owner, name, value)
        self._undo.append(lambda: setattr(owner, name, before))

    def insert(self, function: Any, owner: str | None = None, **hooks: Function) -> None:
        """Calls hooks from inside of one of TensorFlow's own Python functions.

        Its code is exchanged in place, so that C++ and whoever imported it have it too.
        """
        before = function.__code__
        function.__code__ = recompile(function, owner=owner, **hooks)
        self._undo.append(lambda: setattr(function, "__code__", before))

    def _install(self) -> None:
        # Nothing here starts TensorFlow's context: the snippet may set its threads and devices first.
        self.listen_on_this_thread()
        for point in POINTS:
            point(self)

    def listen_on_this_thread(self) -> None:
        """Makes sure that this thread's ops are told."""
        # Op callbacks belong to a thread's context: each thread that runs an op gets ours.
        # `add_op_callback` of the context, without op_callbacks.py's switch of
        # `execute.execute`: that is replaced for all threads by `hook_execution`.
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
        if not self.local.quiet:
            self.tell(op_type, inputs, attrs, outputs, offered=True)
        return outputs

    def tell(self, op_type: Any, inputs: Any, attrs: Any, outputs: Any, *, offered: bool) -> None:
        """Tells an op; `offered`: TensorFlow has already let the tapes record it."""
        if outputs is not None:
            kind = op_type.decode() if isinstance(op_type, bytes) else op_type
            self.listener.op(kind, inputs, attrs, outputs, offered)

    def explicit_reads(self, args: tuple[Any, ...]) -> Sequence[Any]:
        """The arguments, with a read made of each variable among them."""
        get = self._classes.get
        for argument in args:  # nearly all calls: no variable, no list, no class not seen yet
            if get(type(argument), True):
                return args if self.local.quiet else self._with_reads(args)
        return args

    def _with_reads(self, args: tuple[Any, ...]) -> Sequence[Any]:
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
            known = issubclass(kind, base)
            if kind not in (list, tuple):
                self._classes[kind] = known
        return known

    def failed(self, kind: Any, inputs: Sequence[Any], error: Exception, name: Any) -> None:
        """Tells an op that raised."""
        if not context.context().executing_eagerly():
            return
        kind = kind.decode() if isinstance(kind, bytes) else kind
        tensors = [i for i in inputs if is_eager(i)]
        self.listener.op_failed(kind, tensors, status_error(error, name or ""))
