"""How a snippet uses each of its names: as a value, an exponent, an index, a count, a setting."""

import ast
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from tapedeck.recorder.prepare.names import dotted

Role = Literal["value", "exponent", "index", "setting", "shown"]

#: Functions whose arguments are counts, shapes or axes; the number of leading arguments that are
#: tensors all the same.
COUNTING = {
    "range": 0,
    "zeros": 0,
    "ones": 0,
    "eye": 0,
    "fill": 0,
    "normal": 0,
    "uniform": 0,
    "reshape": 1,
    "tile": 1,
    "repeat": 1,
    "roll": 1,
    "expand_dims": 1,
    "squeeze": 1,
    "one_hot": 1,
    "transpose": 1,
    "broadcast_to": 1,
    "split": 1,
    "stack": 1,
    "concat": 1,
    "pad": 1,
    "top_k": 1,
    "slice": 1,
    "cumsum": 1,
    "reduce_sum": 1,
    "reduce_mean": 1,
    "reduce_max": 1,
    "reduce_min": 1,
    "reduce_prod": 1,
    "softmax": 1,
    "gather": 1,
    "cast": 1,
    "linspace": 2,
    "range_": 0,
}
#: Keyword arguments that are tensors; every other one sets something.
TENSOR_KEYWORDS = frozenset(
    {"x", "y", "a", "b", "input", "input_tensor", "inputs", "tensor", "values", "value", "logits"}
    | {"labels", "features", "weights", "targets", "y_true", "y_pred", "vector", "mat", "params"}
)
POWERS = frozenset({"pow", "power", "float_power"})
SHOWING = frozenset({"print", "str", "repr", "format", "type", "isinstance", "id"})
WHOLE = (ast.FloorDiv, ast.LShift, ast.RShift, ast.BitOr, ast.BitAnd, ast.BitXor)


@dataclass
class Uses:
    """Name → the roles in which it is used anywhere in the snippet.

    Names are told apart by their text alone: a function's argument `n` counts as a use of a
    global `n` too, which errs towards leaving a number as it is.
    """

    roles: dict[str, set[Role]] = field(default_factory=dict)
    feeds: dict[str, set[str]] = field(default_factory=dict)
    """Name → names that are made from it (`m = n + 1`, or `n` passed as the argument `m`)."""

    def of(self, name: str) -> set[Role]:
        """The roles of a name; an index or a setting made from it counts as its own."""
        found = set(self.roles.get(name, ()))
        return found | {role for role, names in self._leading.items() if name in names}

    @cached_property
    def _leading(self) -> dict[Role, set[str]]:
        """Index and setting → the names that such a value is made from."""
        sources: dict[str, set[str]] = {}
        for name, made in self.feeds.items():
            for other in made:
                sources.setdefault(other, set()).add(name)
        roles: tuple[Role, ...] = ("index", "setting")
        return {
            role: reached({name for name, used in self.roles.items() if role in used}, sources)
            for role in roles
        }


def reached(starts: set[str], edges: dict[str, set[str]]) -> set[str]:
    """The names that edges lead to, and those where they start."""
    found, queue = set(starts), list(starts)
    while queue:
        for name in edges.get(queue.pop(), ()):
            if name not in found:
                found.add(name)
                queue.append(name)
    return found


def uses(tree: ast.Module) -> Uses:
    """The uses of every name of a snippet."""
    collector = _Collector(parameters_of(tree))
    collector.visit(tree)
    return collector.found


def parameters_of(tree: ast.Module) -> dict[str, list[str]]:
    """Function → its positional parameters, for the snippet's own functions and lambdas."""
    found: dict[str, list[str]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            found[node.name] = [a.arg for a in [*node.args.posonlyargs, *node.args.args]]
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Lambda):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    found[target.id] = [a.arg for a in node.value.args.args]
    return found


class _Collector(ast.NodeVisitor):
    def __init__(self, parameters: dict[str, list[str]]) -> None:
        self.found = Uses()
        self._parameters = parameters
        self._role: Role = "value"
        self._made: list[str] = []

    def _as(self, role: Role, *nodes: ast.AST | None) -> None:
        """Visits with a role; inside an index or a setting everything is one."""
        before = self._role
        self._role = before if before in ("index", "setting") else role
        for node in nodes:
            if node is not None:
                self.visit(node)
        self._role = before

    def visit_Name(self, node: ast.Name) -> None:
        if not isinstance(node.ctx, ast.Load):
            return
        self.found.roles.setdefault(node.id, set()).add(self._role)
        for made in self._made:
            self.found.feeds.setdefault(node.id, set()).add(made)

    def visit_Assign(self, node: ast.Assign) -> None:
        names = [n.id for t in node.targets for n in ast.walk(t) if isinstance(n, ast.Name)]
        if len(names) > 1:  # one name for all of them, so that there are not names × names edges
            together = ", ".join(names[:2]) + f", {id(node)}"
            self.found.feeds[together] = set(names)
            names = [together]
        self._making(names, node.value)
        for target in node.targets:
            self.visit(target)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None and isinstance(node.target, ast.Name):
            self._making([node.target.id], node.value)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        if isinstance(node.target, ast.Name):
            self.found.roles.setdefault(node.target.id, set()).add("value")
            self._making([node.target.id], node.value)
        else:
            self.generic_visit(node)

    def _making(self, names: list[str], value: ast.expr) -> None:
        before, self._made = self._made, names
        self.visit(value)
        self._made = before

    def visit_Subscript(self, node: ast.Subscript) -> None:
        self.visit(node.value)
        self._as("index", node.slice)

    def visit_Compare(self, node: ast.Compare) -> None:
        self._as("shown", node.left, *node.comparators)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        self._as("shown", *node.values)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        if isinstance(node.op, ast.Pow):
            self.visit(node.left)
            self._as("exponent", node.right)
        elif isinstance(node.op, ast.Mod) and is_text(node.left):
            self._as("shown", node.right)
        elif isinstance(node.op, WHOLE) or _makes_sequence(node):
            self._as("setting", node.left, node.right)
        else:
            self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        path = dotted(node.func)
        last = path.rpartition(".")[2]
        self.visit(node.func)
        if path in self._parameters:
            self._own_call(node, self._parameters[path])
            return
        if last in SHOWING:
            for argument in [*node.args, *(k.value for k in node.keywords)]:
                # `print(x * w)` is an expression with values of its own.
                computed = last == "print" and isinstance(argument, ast.BinOp | ast.Call)
                self._as("value" if computed else "shown", argument)
            return
        tensors = 0 if ".layers." in path else COUNTING.get(last, len(node.args))
        if last in POWERS:
            tensors = 1
        for position, argument in enumerate(node.args):
            role: Role = "exponent" if last in POWERS else "setting"
            self._as("value" if position < tensors else role, argument)
        for keyword in node.keywords:
            role = "value" if keyword.arg in TENSOR_KEYWORDS else "setting"
            self._as(role, keyword.value)

    def _own_call(self, node: ast.Call, parameters: list[str]) -> None:
        for argument, name in zip(node.args, parameters, strict=False):
            before, self._made = self._made, [*self._made, name]
            self.visit(argument)
            self._made = before
        for extra in node.args[len(parameters) :]:
            self.visit(extra)
        for keyword in node.keywords:
            before, self._made = self._made, [*self._made, *([keyword.arg] if keyword.arg else [])]
            self.visit(keyword.value)
            self._made = before


def _makes_sequence(node: ast.BinOp) -> bool:
    """`[x] * 3`, `"-" * n`, `shape + [1]`: a sequence, unless the other side is computed."""
    plain = (ast.Name, ast.Constant, ast.List, ast.Tuple)
    pairs = ((node.left, node.right), (node.right, node.left))
    return any(
        is_text(one) or (_is_sequence(one) and isinstance(other, plain)) for one, other in pairs
    )


def _is_sequence(node: ast.expr) -> bool:
    return isinstance(node, ast.List | ast.Tuple) or is_text(node)


def is_text(node: ast.expr) -> bool:
    """Whether it is a string literal."""
    return isinstance(node, ast.Constant) and isinstance(node.value, str)
