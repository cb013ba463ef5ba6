"""Which values of a snippet of expressions can become watched tensors."""

import ast
from typing import Literal

from tapedeck.recorder.prepare.names import ROOTS, Names, path_of

#: TensorFlow functions that make a floating tensor from nothing.
MAKERS = frozenset({"constant", "convert_to_tensor", "ones", "zeros", "fill", "linspace"})
RANDOM = frozenset(
    {"normal", "uniform", "truncated_normal", "stateless_normal", "stateless_uniform"}
)
FLOATS = frozenset({"float16", "float32", "float64"})
ARRAYS = frozenset({"array", "asarray", "linspace"})
NUMBER_NAMES = frozenset({"np.pi", "math.pi", "np.e", "math.e"})

Kind = Literal["float", "int", "floats", "ints", "array", "tensor", "int_tensor"]


def kind_of(node: ast.expr, names: Names = ROOTS) -> Kind | None:
    """What kind of input a value is; None where it is none."""
    if number := _number(node, names):
        return number
    if isinstance(node, ast.List | ast.Tuple):
        shape, floats = _nested(node, names)
        return None if shape is None else ("floats" if floats else "ints")
    if isinstance(node, ast.Call):
        return _call_kind(node, names)
    return None


def _number(node: ast.expr, names: Names) -> Literal["float", "int"] | None:
    """`3`, `-2.5`, `1 / 3`, `2 * np.pi`."""
    if isinstance(node, ast.Constant):
        if isinstance(node.value, bool) or not isinstance(node.value, int | float):
            return None
        return "float" if isinstance(node.value, float) else "int"
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
        return _number(node.operand, names)
    if isinstance(node, ast.BinOp):
        left, right = _number(node.left, names), _number(node.right, names)
        if not left or not right:
            return None
        whole = left == right == "int" and not isinstance(node.op, ast.Div)
        return "int" if whole else "float"
    return "float" if path_of(node, names) in NUMBER_NAMES else None


def _nested(node: ast.expr, names: Names) -> tuple[tuple[int, ...] | None, bool]:
    """Shape of nested lists of numbers (None where they are not even) and whether any is a float."""
    if not isinstance(node, ast.List | ast.Tuple):
        number = _number(node, names)
        return (() if number else None), number == "float"
    parts = [_nested(item, names) for item in node.elts]
    shapes = {shape for shape, _ in parts}
    if len(shapes) != 1 or None in shapes:
        return None, False
    inner = shapes.pop()
    assert inner is not None
    return (len(parts), *inner), any(floats for _, floats in parts)


def _call_kind(node: ast.Call, names: Names) -> Kind | None:
    path = path_of(node.func, names)
    root, _, rest = path.partition(".")
    dtype = next((ast.unparse(k.value) for k in node.keywords if k.arg == "dtype"), "")
    if any(word in dtype for word in ("int", "bool", "string")):
        return None
    first = kind_of(node.args[0], names) if node.args else None
    if root == "np" and rest in FLOATS:
        return "array" if first in ("float", "int", "floats", "ints") else None
    if root == "np" and rest in ARRAYS:
        return "array" if rest == "linspace" or first in ("floats", "float") else None
    if root != "tf":
        return None
    if rest.startswith("random.") and rest.rpartition(".")[2] in RANDOM:
        return "tensor"
    if rest == "range":
        kinds = {kind_of(argument, names) for argument in node.args}
        return "tensor" if "float" in kinds or "float" in dtype else "int_tensor"
    if rest == "cast":
        floats = len(node.args) > 1 and "float" in ast.unparse(node.args[1])
        return "tensor" if first and (floats or "float" in dtype) else None
    if rest not in MAKERS:
        return None
    if rest not in ("constant", "convert_to_tensor") or "float" in dtype or len(node.args) > 1:
        return "tensor"
    if node.args and isinstance(node.args[0], ast.Constant) and first is None:
        return None
    return "int_tensor" if first in ("int", "ints") else "tensor"
