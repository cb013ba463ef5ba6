"""What was pasted along with a program that parses: taken out only where its tree proves that it
does nothing but raise a NameError.

All of it stands at the top of the program, outside of every block, and uses a name that nothing
in the program binds: `Out[2]: 3`, `array([1., 2.])`, `tf.Tensor(3.0, shape=(), dtype=float32)`.
"""

import ast
import builtins
from collections.abc import Iterable

from tapedeck.recorder.prepare import structure
from tapedeck.recorder.prepare.draft import Draft, blank_all
from tapedeck.recorder.prepare.imports import bound_names

LABELS = frozenset({"python", "Python", "python3", "Python3", "py", "ipython", "ipython3"})
BUTTONS = frozenset({"Copy", "Copied", "Edit", "Run"})
DYNAMIC = frozenset({"globals", "exec", "eval", "locals", "vars", "setattr", "__builtins__"})


def leftovers(draft: Draft) -> None:
    """Takes labels, cell marks and printed values out of a program."""
    tree = draft.program()
    if not any(_is_suspect(statement) for statement in tree.body):
        return
    bound = _bound(tree)
    if bound is None:
        return
    if any(_is_cell(statement, bound) for statement in tree.body):
        structure.cells(draft)
        if not draft.is_program():
            return
        tree = draft.program()
    for index, statement in enumerate(tree.body):
        if _is_label(statement, bound) and _own_lines(draft, tree, index):
            blank_all(draft, _lines(statement), "fence")
            continue
        break
    for index, statement in enumerate(tree.body):
        if _is_printed(statement, bound) and _own_lines(draft, tree, index):
            blank_all(draft, _lines(statement), "output")


def _is_suspect(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.AnnAssign):
        return isinstance(statement.target, ast.Subscript)
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call | ast.Name)


def _bound(tree: ast.Module) -> set[str] | None:
    """The names that the program may bind; None where that cannot be told."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and any(alias.name == "*" for alias in node.names):
            return None
        if isinstance(node, ast.Name) and node.id in DYNAMIC:
            return None
    return bound_names(tree) | set(dir(builtins))


def _is_cell(statement: ast.stmt, bound: set[str]) -> bool:
    """`In [3]: x = 1` and `Out[3]: 2`, which Python reads as annotations."""
    if not isinstance(statement, ast.AnnAssign) or not isinstance(statement.target, ast.Subscript):
        return False
    name, number = statement.target.value, statement.target.slice
    return (
        isinstance(name, ast.Name)
        and name.id in ("In", "Out")
        and name.id not in bound
        and isinstance(number, ast.Constant)
        and isinstance(number.value, int)
    )


def _is_label(statement: ast.stmt, bound: set[str]) -> bool:
    if not isinstance(statement, ast.Expr) or not isinstance(statement.value, ast.Name):
        return False
    return statement.value.id in LABELS | BUTTONS and statement.value.id not in bound


def _is_printed(statement: ast.stmt, bound: set[str]) -> bool:
    """A call as NumPy and TensorFlow print values: literal arguments, and a dtype by its name."""
    if not isinstance(statement, ast.Expr) or not isinstance(statement.value, ast.Call):
        return False
    call = statement.value
    if not all(_is_literal(argument) for argument in call.args):
        return False
    given = {keyword.arg: keyword.value for keyword in call.keywords}
    dtype = given.pop("dtype", None)
    given.pop("device", None)
    unknown = isinstance(dtype, ast.Name) and dtype.id not in bound
    if isinstance(call.func, ast.Name) and call.func.id == "array":
        return "array" not in bound and (dtype is None or unknown) and not given
    if ast.unparse(call.func) not in ("tf.Tensor", "Tensor"):
        return False
    return unknown and set(given) == {"shape"} and _is_literal(given["shape"])


def _is_literal(node: ast.expr) -> bool:
    literal = ast.Constant | ast.List | ast.Tuple | ast.UnaryOp | ast.unaryop | ast.expr_context
    return all(isinstance(part, literal) for part in ast.walk(node))


def _lines(statement: ast.stmt) -> Iterable[int]:
    return range(statement.lineno - 1, statement.end_lineno or statement.lineno)


def _own_lines(draft: Draft, tree: ast.Module, index: int) -> bool:
    """Whether a statement shares its lines with no other."""
    statement = tree.body[index]
    before = tree.body[index - 1] if index else None
    after = tree.body[index + 1] if index + 1 < len(tree.body) else None
    alone = not before or (before.end_lineno or before.lineno) < statement.lineno
    return alone and (not after or after.lineno > (statement.end_lineno or statement.lineno))
