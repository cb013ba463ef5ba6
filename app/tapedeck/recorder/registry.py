"""Which of TensorFlow's objects is which id in the trace. Holds numbers, never the objects."""

from collections.abc import Iterable
from typing import Any, get_args

import msgspec
import numpy as np

# By name, not through `tf`: the snippet may delete or replace what stands there.
from tensorflow import IndexedSlices, RaggedTensor, SparseTensor

from tapedeck.recorder import hooks
from tapedeck.recorder.builder import Builder
from tapedeck.recorder.values import summarize
from tapedeck.trace.document import DType, Tensor, Value, Variable

VALUELESS = {"resource", "variant"}
DTYPES: dict[str, DType] = {name: name for name in get_args(DType)}
DETAILED = 4000
"""So many tensors of a trace are told in full; those after them briefly, so that it stays small."""


class Registry:
    """Ids of tensors and variables by TensorFlow's own numbers for them."""

    def __init__(self, builder: Builder) -> None:
        self._builder = builder
        self.tensors: dict[int, int] = {}
        self.variables: dict[int, int] = {}
        """By the number of the variable's handle."""
        self._values: dict[int, Tensor] = {}
        """What a read of the variable gives as long as nothing writes to it."""

    def tensor(self, value: Any, **fields: Any) -> int:
        """The id for a tensor of any form; one not seen before is added."""
        if hooks.is_eager(value):
            number = hooks.tensor_id(value)
            known = self.tensors.get(number)
            if known is None:
                known = self.tensors[number] = self._builder.tensor(self._dense(value, fields))
            return known
        if isinstance(value, IndexedSlices):
            return self._composite(value, "indexed_slices", value.values, value.indices)
        if isinstance(value, SparseTensor):
            return self._composite(value, "sparse", value.values, value.indices)
        if isinstance(value, RaggedTensor):
            return self._composite(value, "ragged", value.flat_values, *value.nested_row_splits)
        return self._builder.tensor(Tensor(dtype_of(value), _static_shape(value), **fields))

    def read(self, value: Any, variable: int) -> int:
        """A new id for a value read from a variable; summed up once for each value it has."""
        known = self._values.get(variable)
        if known is None:
            index = self.output(value)
            self._values[variable] = self._builder.tensors[index]
            return index
        index = self.tensors[hooks.tensor_id(value)] = self._builder.tensor(known)
        return index

    def written(self, variables: Iterable[int | None]) -> None:
        """These variables may have another value from now on."""
        for variable in variables:
            if variable is not None:
                self._values.pop(variable, None)

    def changed(self, variable: int, value: Any) -> bool:
        """Whether this value is another than the last one told; if so, that one is forgotten."""
        known = self._values.get(variable)
        before = known.value if known is not None else self._builder.variables[variable].initial
        brief = before is not None and before.data is None and before.corner is None
        now = None if hooks.dtype_name(value) in VALUELESS else self._summary(value, brief)
        if msgspec.json.encode(before) == msgspec.json.encode(now):
            return False
        self.written((variable,))
        return True

    def _summary(self, tensor: Any, brief: bool) -> Value:
        return summarize(np.asarray(hooks.array_of(tensor)), brief)

    def optional(self, value: Any) -> int | None:
        """The id for a tensor, None for None."""
        return None if value is None else self.tensor(value)

    def _dense(self, tensor: Any, fields: dict[str, Any]) -> Tensor:
        dtype = DTYPES.get(hooks.dtype_name(tensor), "other")
        if dtype in VALUELESS:
            return Tensor(dtype, _static_shape(tensor), **fields)
        array = np.asarray(hooks.array_of(tensor))
        brief = len(self._builder.tensors) >= DETAILED
        return Tensor(dtype, array.shape, summarize(array, brief), **fields)

    def output(self, value: Any) -> int:
        """A new id for an op's output. The same object comes out twice of some ops."""
        index = self._builder.tensor(self._dense(value, {}))
        self.tensors[hooks.tensor_id(value)] = index
        return index

    def _composite(self, value: Any, form: Any, *components: Any) -> int:
        parts = tuple(map(self.tensor, components))
        # Its first component stands for it: the same object gives the same id again.
        number = -1 - parts[0]
        known = self.tensors.get(number)
        if known is None:
            tensor = Tensor(dtype_of(value), _static_shape(value), form=form, parts=parts)
            known = self.tensors[number] = self._builder.tensor(tensor)
        return known

    def name_of_leaf(self, leaf: Any) -> str | None:
        """What the snippet, or else Keras, calls a variable or an eager tensor."""
        if hooks.handle_of(leaf) is not None:
            index = self.variable(leaf)
            return None if index is None else self._builder.variables[index].name
        return self.name_of(leaf)

    def name_of(self, tensor: Any) -> str | None:
        """What the snippet calls an eager tensor, or the variable with this handle."""
        variable = self.variable_id(tensor)
        if variable is not None:
            return self._builder.variables[variable].name
        index = self.tensors.get(hooks.tensor_id(tensor)) if hooks.is_eager(tensor) else None
        return None if index is None else self._builder.tensors[index].name

    def variable_id(self, tensor: Any) -> int | None:
        """The variable whose handle this is."""
        return self.variables.get(hooks.tensor_id(tensor)) if hooks.is_eager(tensor) else None

    def variable(self, variable: Any, place: int | None = None, initial: Any = None) -> int | None:
        """The id for a variable, TensorFlow's or Keras's; None for a symbolic one."""
        handle = hooks.handle_of(variable)
        if handle is None or not hooks.is_eager(handle):
            return None
        number = hooks.tensor_id(handle)
        known = self.variables.get(number)
        keras_path = getattr(variable, "path", None)
        if known is None:
            known = self.variables[number] = self._builder.variable(
                Variable(
                    dtype_of(variable),
                    _static_shape(variable),
                    name=_plain_name(variable),
                    path=keras_path or str(variable.name),
                    place=place,
                    trainable=bool(variable.trainable),
                    initial=None if initial is None else value_of(initial),
                    keras=keras_path is not None,
                )
            )
        elif keras_path and self._builder.variables[known].path != keras_path:
            before = self._builder.variables[known]
            unnamed = before.name in (_plain_name(variable), before.path.removesuffix(":0"))
            name = keras_path if unnamed else before.name
            self._builder.change("variables", known, path=keras_path, keras=True, name=name)
        return known


def _plain_name(variable: Any) -> str:
    return str(variable.name).removesuffix(":0")


def value_of(tensor: Any) -> Value | None:
    """What an eager tensor holds."""
    if hooks.dtype_name(tensor) in VALUELESS:
        return None
    return summarize(np.asarray(hooks.array_of(tensor)))


def dtype_of(value: Any) -> DType:
    """The dtype of a tensor or variable of any kind."""
    dtype = getattr(value, "dtype", None)
    return DTYPES.get(str(getattr(dtype, "name", dtype)), "other")


def _static_shape(value: Any) -> tuple[int | None, ...] | None:
    shape = getattr(value, "shape", None)
    if shape is None:
        return None
    try:
        return tuple(shape.as_list()) if hasattr(shape, "as_list") else tuple(shape)
    except ValueError:
        return None
