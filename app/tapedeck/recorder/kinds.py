"""What an op is for, by its type."""

import functools
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from tapedeck.recorder.hooks import dtype_name

#: Ops that only move or describe data so that others can work.
BOOKKEEPING = {
    "ReadVariableOp",
    "AssignVariableOp",
    "AssignAddVariableOp",
    "AssignSubVariableOp",
    "VarIsInitializedOp",
    "VariableShape",
    "Const",
    "Shape",
    "ShapeN",
    "Size",
    "Rank",
    "BroadcastGradientArgs",
    "NoOp",
    "Assert",
    "PrintV2",
    "StringFormat",
}
#: Name of the function that runs a traced graph.
FUNCTION = re.compile(r"^__(?:inference|forward|backward)_(.+)_\d+$")
SPEAKING = {"PrintV2", "Print", "Assert", "EagerPyFunc", "PyFunc", "PyFuncStateless"}
#: Ops that take a variable and leave it as it is.
READS = {
    "ReadVariableOp",
    "ResourceGather",
    "ResourceGatherNd",
    "VariableShape",
    "VarIsInitializedOp",
}
WRITES = {"AssignVariableOp", "AssignAddVariableOp", "AssignSubVariableOp"}
WRITE_PREFIXES = ("ResourceApply", "ResourceSparseApply", "ResourceScatter", "ResourceStrided")
COUNTING = {"int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "bool"}
PLAIN = (bool, int, float, str)


class Kind(NamedTuple):
    """What an op's type tells."""

    name: str
    """A function's own name; else the type."""
    function: bool
    """The call of a traced function."""
    writes: bool
    """It gives a variable a new value."""
    bookkeeping: bool
    speaks: bool
    """Its kernel may write to standard output or standard error."""


@functools.cache
def kind_of(op_type: str) -> Kind:
    """What the type of an op tells."""
    function = FUNCTION.match(op_type)
    return Kind(
        function[1] if function else op_type,
        function is not None,
        op_type in WRITES or op_type.startswith(WRITE_PREFIXES),
        op_type in BOOKKEEPING,
        function is not None or op_type in SPEAKING,
    )


def counts_on(inputs: Sequence[int | None], outputs: Sequence[Any], known: set[int]) -> bool:
    """Whether an op counts on from bookkeeping: `known` holds the tensors that are."""
    if not outputs or known.isdisjoint(i for i in inputs if i is not None):
        return False
    return all(dtype_name(tensor) in COUNTING for tensor in outputs)


def plain_attrs(attrs: Sequence[Any]) -> dict[str, Any]:
    """The attributes worth showing; the dict is shared, not to be changed."""
    try:
        return _plain_attrs(attrs if type(attrs) is tuple else tuple(attrs))
    except TypeError:  # an attribute that cannot be hashed
        return _shown(attrs)


@functools.lru_cache(2048)
def _plain_attrs(attrs: tuple[Any, ...]) -> dict[str, Any]:
    return _shown(attrs)


def _shown(attrs: Sequence[Any]) -> dict[str, Any]:
    """The attributes worth showing: not the dtypes, which the tensors tell, and not what is off."""
    shown = {}
    for name, value in zip(attrs[::2], attrs[1::2], strict=False):
        if name.startswith(("T", "_")) or name in ("dtype", "SrcT", "DstT", "config_proto"):
            continue
        if isinstance(value, bytes):
            value = value.decode("utf-8", "replace")
        if isinstance(value, list | tuple) and all(isinstance(v, PLAIN) for v in value):
            value = tuple(value)[:16]
        elif not isinstance(value, PLAIN) or value is False:
            continue
        shown[str(name)] = value[:200] if isinstance(value, str) else value
    return shown
