"""What an op is for, by its type."""

from collections.abc import Sequence
from typing import Any

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
WRITES = {"AssignVariableOp", "AssignAddVariableOp", "AssignSubVariableOp"}
WRITE_PREFIXES = ("ResourceApply", "ResourceSparseApply", "ResourceScatter", "ResourceStrided")
COUNTING = {"int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "bool"}
PLAIN = (bool, int, float, str)


def writes(kind: str) -> bool:
    """Whether it gives a variable a new value."""
    return kind in WRITES or kind.startswith(WRITE_PREFIXES)


def is_bookkeeping(
    kind: str, inputs: Sequence[int | None], outputs: Sequence[Any], known: set[int]
) -> bool:
    """Whether it is bookkeeping: by its type, or counting on from other bookkeeping."""
    if kind in BOOKKEEPING:
        return True
    if not outputs or known.isdisjoint(i for i in inputs if i is not None):
        return False
    return all(dtype_name(tensor) in COUNTING for tensor in outputs)


def plain_attrs(attrs: Sequence[Any]) -> dict[str, Any]:
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
