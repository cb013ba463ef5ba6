"""What TensorFlow's objects tell when asked, by way of its private API."""

import sys
import types
from collections.abc import Callable, Sequence
from typing import Any

from tensorflow.python import pywrap_tfe
from tensorflow.python.eager import context, core
from tensorflow.python.framework import dtypes, ops
from tensorflow.python.util import tf_stack

Function = Callable[..., Any]
DISGUISE = "_tapedeck_"
"""Begins the names of functions that stand in for TensorFlow's own; tracebacks drop them."""


def _is_dtype(value: object) -> bool:
    return isinstance(value, dtypes.DType) and not value._is_ref_dtype


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
    return issubclass(type(tensor), EAGER_TENSOR)


_DTYPE_NAMES = {d.as_datatype_enum: d.name for d in vars(dtypes).values() if _is_dtype(d)}
_DIFFERENTIABLE = {
    d.as_datatype_enum
    for d in vars(dtypes).values()
    if _is_dtype(d) and (d.is_floating or d.is_complex or d in (dtypes.resource, dtypes.variant))
}


def dtype_name(tensor: Any) -> str:
    """`float32`; of an eager tensor."""
    # `dtype` of Python's class builds on this number; it is asked for at every op.
    name: str = _DTYPE_NAMES[tensor._datatype_enum()]
    return name


def is_differentiable(tensor: Any) -> bool:
    """Whether a tape follows tensors of its dtype: TensorFlow's `IsDtypeTrainable`."""
    return tensor._datatype_enum() in _DIFFERENTIABLE


def array_of(tensor: Any) -> Any:
    """The contents as an array that shares the tensor's memory."""
    # `_numpy_internal` is the reader below every `.numpy()`; it calls no op and no hook.
    return tensor._numpy_internal()


EXITS = {
    "numpy": ".numpy()",
    "__float__": "float()",
    "__int__": "int()",
    "__bool__": "bool()",
    "__index__": "index",
    "__complex__": "complex()",
    "__array__": "np.array",
}
"""Methods that hand a value to Python, and how they are called."""


def asked_for(how: str) -> str:
    """How the snippet asked for a value: `float(v)` of a variable calls `.numpy()` in turn."""
    frame = sys._getframe(1)
    for _ in range(12):
        name = frame.f_code.co_name
        if name in EXITS and frame.f_code.co_filename.endswith("resource_variable_ops.py"):
            return EXITS[name]
        if frame.f_back is None:
            break
        frame = frame.f_back
    return how


def executing_eagerly() -> bool:
    """Whether ops run now, instead of being put into a graph."""
    return bool(context.executing_eagerly())


GENERATED = "__autograph_generated_file"
"""Stands in the name of each file that AutoGraph writes."""


def original_line(filename: str, line: int) -> tuple[str, int, str] | None:
    """What a line of AutoGraph's generated code was made from: (file, line, function)."""
    # AutoGraph keeps a stack of mappers a thread; the newest knows all files up to now.
    stack = tf_stack._source_mapper_stacks[tf_stack._get_thread_key()]
    found = stack[-1].get_effective_source_map().get((filename, line))
    return None if found is None else (found[0], found[1], found[2])


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


def tape_state(tape: Any) -> tuple[bool, bool, bool]:
    """Of a GradientTape: (holds a record, is recording, persistent)."""
    return tape._tape is not None, bool(tape._recording), bool(tape._persistent)


def watches_accessed_variables(tape: Any) -> bool:
    """Whether trainable variables that are read are watched by themselves."""
    return bool(tape._watch_accessed_variables)
