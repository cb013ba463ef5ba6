"""Which values of a snippet of expressions can become watched tensors."""

import ast
from typing import Literal

from tapedeck.recorder.prepare.uses import dotted

#: TensorFlow functions that make a floating tensor from nothing.
MAKERS = frozenset({"constant", "convert_to_tensor", "ones", "zeros", "fill", "linspace"})
RANDOM = frozenset(
    {"normal", "uniform", "truncated_normal", "stateless_normal", "stateless_uniform"}
)
ARRAYS = frozenset({"array", "asarray", "linspace"})
NUMBER_NAMES = frozenset({"np.pi", "math.pi", "np.e", "math.e", "numpy.pi"})

Kind = Literal["float", "int", "floats", "ints", "array", "tensor", "int_tensor"]


def kind_of(node: ast.expr) -> Kind | None:
    """What kind of input a value is; None where it is none."""
    if number := _number(node):
        return number
    if isinstance(node, ast.List | ast.Tuple):
        shape, floats = _nested(node)
        return None if shape is None else ("floats" if floats else "ints")
    if isinstance(node, ast.Call):
        return _call_kind(node)
    return None


def _number(node: ast.expr) -> Literal["float", "int"] | None:
    """`3`, `-2.5`, `1 / 3`, `2 * np.pi`."""
    if isinstance(node, ast.Constant):
        if isinstance(node.value, bool) or not isinstance(node.value, int | float):
            return None
        return "float" if isinstance(node.value, float) else "int"
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
        return _number(node.operand)
    if isinstance(node, ast.BinOp):
        left, right = _number(node.left), _number(node.right)
        if not left or not right:
            return None
        whole = left == right == "int" and not isinstance(node.op, ast.Div)
        return "int" if whole else "float"
    return "float" if dotted(node) in NUMBER_NAMES else None


def _nested(node: ast.expr) -> tuple[tuple[int, ...] | None, bool]:
    """Shape of nested lists of numbers (None where they are not even) and whether any is a float."""
    if not isinstance(node, ast.List | ast.Tuple):
        number = _number(node)
        return (() if number else None), number == "float"
    parts = [_nested(item) for item in node.elts]
    shapes = {shape for shape, _ in parts}
    if len(shapes) != 1 or None in shapes:
        return None, False
    inner = shapes.pop()
    assert inner is not None
    return (len(parts), *inner), any(floats for _, floats in parts)


def _call_kind(node: ast.Call) -> Kind | None:
    path = dotted(node.func)
    root, _, rest = path.partition(".")
    dtype = next((ast.unparse(k.value) for k in node.keywords if k.arg == "dtype"), "")
    if any(word in dtype for word in ("int", "bool", "string")):
        return None
    if root in ("np", "numpy") and rest in ARRAYS:
        inner = kind_of(node.args[0]) if node.args else None
        return "array" if rest == "linspace" or inner in ("floats", "float") else None
    if root not in ("tf", "tensorflow"):
        return None
    if rest.startswith("random.") and rest.rpartition(".")[2] in RANDOM:
        return "tensor"
    if rest not in MAKERS:
        return None
    if rest not in ("constant", "convert_to_tensor") or "float" in dtype or len(node.args) > 1:
        return "tensor"
    inner = kind_of(node.args[0]) if node.args else None
    if node.args and isinstance(node.args[0], ast.Constant) and inner is None:
        return None
    return "int_tensor" if inner in ("int", "ints") else "tensor"
