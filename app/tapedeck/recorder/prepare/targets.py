"""Which value of a snippet of expressions is differentiated: the last one that can be."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from tapedeck.recorder.prepare.inputs import kind_of
from tapedeck.recorder.prepare.names import Names, dotted, path_of
from tapedeck.recorder.prepare.uses import is_text

NOT_TENSORS = frozenset({"str", "len", "type", "numpy", "tolist", "bool", "dir"})
#: Attributes that tell something of a tensor.
ABOUT = frozenset(
    {"shape", "dtype", "name", "device", "ndim", "rank", "graph", "op", "size", "itemsize"}
    | {"trainable_variables", "variables", "weights", "__name__", "__version__", "__doc__"}
)
#: Statements that give nothing to differentiate.
SILENT = ast.Import | ast.ImportFrom | ast.FunctionDef | ast.Pass
COMPOUND = ast.If | ast.For | ast.While | ast.With | ast.Try


@dataclass(frozen=True)
class Target:
    """What is differentiated."""

    kind: Literal["name", "expression", "printed"]
    index: int
    """Position of its statement."""
    node: ast.expr
    """The assigned name, the expression, or what `print` shows."""


def assigned(statement: ast.stmt) -> tuple[ast.Name, ast.expr] | None:
    """Name and value of `name = value` (also with an annotation)."""
    if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
        return (statement.targets[0], statement.value) if len(statement.targets) == 1 else None
    if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
        return (statement.target, statement.value) if statement.value else None
    return None


def pairs(statement: ast.stmt) -> list[tuple[ast.Name, ast.expr]]:
    """Names and values of an assignment, also of `x, y = 2.0, 3.0` and of `x = y = 2.0`."""
    if pair := assigned(statement):
        return [pair]
    if not isinstance(statement, ast.Assign):
        return []
    names: list[ast.expr] = statement.targets
    values: list[ast.expr] = [statement.value] * len(names)
    if len(names) == 1 and isinstance(names[0], ast.Tuple):
        names = names[0].elts
        values = statement.value.elts if isinstance(statement.value, ast.Tuple) else []
    elif isinstance(statement.value, ast.Call):
        names, values = names[:1], values[:1]  # all of them are the same tensor
    if len(names) != len(values):
        return []
    each = zip(names, values, strict=True)
    return [(name, value) for name, value in each if isinstance(name, ast.Name)]


class Targets:
    """Finds the target of a snippet."""

    def __init__(self, tree: ast.Module, names: Names, inputs: set[int]) -> None:
        self._tree = tree
        self._names = names
        self._inputs = inputs

    def only_inputs(self) -> bool:
        """Whether the snippet does nothing but give its inputs their values."""
        return all(
            index in self._inputs or isinstance(statement, SILENT) or _is_doc(statement)
            for index, statement in enumerate(self._tree.body)
        )

    def last(self, known: set[str] | None = None) -> Target | None:
        """The last expression or assigned value; of `known` only one that such a name is in."""
        for index in range(len(self._tree.body) - 1, -1, -1):
            if index in self._inputs:
                continue
            target = self._of(self._tree.body[index], index)
            if target and (known is None or _uses(target, self._tree.body[index], known)):
                return target
        return None

    def _of(self, statement: ast.stmt, index: int) -> Target | None:
        if isinstance(statement, ast.Expr):
            return self._expression(statement.value, index)
        if isinstance(statement, COMPOUND):
            return self._in_block(statement, index)
        return self._assigned(statement, index)

    def _assigned(self, statement: ast.stmt, index: int) -> Target | None:
        if isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Name):
            return Target("name", index, statement.target)
        if isinstance(statement, ast.Assign) and self._is_value(statement.value):
            first = statement.targets[0]
            names = first.elts if isinstance(first, ast.Tuple) else [first]
            if names and all(isinstance(name, ast.Name) for name in names):
                return Target("name", index, first)
        if isinstance(statement, ast.AnnAssign):
            pair = assigned(statement)
            return Target("name", index, pair[0]) if pair and self._is_value(pair[1]) else None
        return None

    def _expression(self, node: ast.expr, index: int) -> Target | None:
        if isinstance(node, ast.Call) and dotted(node.func) == "print":
            if len(node.args) != 1 or not self._is_value(node.args[0]):
                return None
            return Target("printed", index, node.args[0])
        return Target("expression", index, node) if self._is_value(node) else None

    def _in_block(self, statement: ast.stmt, index: int) -> Target | None:
        """The last name assigned in a block; rather one that has a value whatever ran."""
        found = [t for s in _inner(statement) if (t := self._assigned(s, index))]
        sure = _sure([statement])
        for earlier in self._tree.body[:index]:
            sure |= _sure([earlier])
        named = [t for t in found if isinstance(t.node, ast.Name) and t.node.id in sure]
        return next(reversed(named or found), None)

    def _is_value(self, node: ast.expr) -> bool:
        """Whether it may be a tensor that depends on something."""
        if isinstance(node, NO_VALUE):
            return False
        if isinstance(node, ast.Attribute):
            return node.attr not in ABOUT and not _is_module(node, self._names)
        if kind_of(node, self._names) in ("int", "float", "ints"):
            return False
        if isinstance(node, ast.BinOp) and (is_text(node.left) or is_text(node.right)):
            return False
        if isinstance(node, ast.Call):
            path = path_of(node.func, self._names)
            last = node.func.attr if isinstance(node.func, ast.Attribute) else dotted(node.func)
            made = last in ("Variable", "Sequential") or ".layers." in path
            if last in NOT_TENSORS or last.startswith("assign") or last == "set_seed" or made:
                return False
        return any(isinstance(part, ast.Name) for part in ast.walk(node))


NO_VALUE = (
    ast.Constant
    | ast.Lambda
    | ast.JoinedStr
    | ast.Compare
    | ast.Starred
    | ast.GeneratorExp
    | ast.Await
    | ast.Yield
    | ast.YieldFrom
    | ast.Dict
    | ast.Set
    | ast.DictComp
    | ast.SetComp
)


def _is_module(node: ast.Attribute, names: Names) -> bool:
    """`tf.float32`, `np.pi`."""
    return path_of(node, names).partition(".")[0] in ("tf", "np", "math", "keras")


def _is_doc(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _uses(target: Target, statement: ast.stmt, known: set[str]) -> bool:
    nodes: list[ast.AST] = [statement if target.kind == "name" else target.node]
    return any(isinstance(n, ast.Name) and n.id in known for root in nodes for n in ast.walk(root))


def _bodies(statement: ast.stmt) -> list[list[ast.stmt]]:
    match statement:
        case ast.If() | ast.For() | ast.While():
            return [statement.body, statement.orelse]
        case ast.With():
            return [statement.body]
        case ast.Try():
            handlers = [handler.body for handler in statement.handlers]
            return [statement.body, *handlers, statement.orelse, statement.finalbody]
        case _:
            return []


def _inner(statement: ast.stmt) -> Iterator[ast.stmt]:
    """The simple statements in a block, in the order of the text."""
    bodies = _bodies(statement)
    if not bodies:
        yield statement
    for body in bodies:
        for part in body:
            yield from _inner(part)


def _sure(statements: list[ast.stmt]) -> set[str]:
    """The names that statements bind whichever way they go."""
    found: set[str] = set()
    for statement in statements:
        bodies = _bodies(statement)
        if isinstance(statement, ast.If):
            found |= _sure(statement.body) & _sure(statement.orelse)
        elif isinstance(statement, ast.With):
            found |= _sure(statement.body)
        elif not bodies and isinstance(statement, ast.Assign | ast.AnnAssign | ast.AugAssign):
            found |= {
                node.id
                for node in ast.walk(statement)
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
            }
    return found
