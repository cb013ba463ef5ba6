"""Whether a snippet would still run when its numbers, lists and arrays are tensors.

`auto` reads a snippet as expressions only where it does: where all that is done with its values
is arithmetic, or a call of TensorFlow, NumPy or `math`. `x.append(3.0)`, `round(x, 1)` or
`json.dumps({"x": x})` need the Python object.
"""

import ast
from collections.abc import Iterator, Mapping

from tapedeck.recorder.prepare.names import CALCULATING, Names, dotted, path_of
from tapedeck.recorder.prepare.uses import parameters_of

#: Built-in functions that take a tensor too, and of them those that give one.
TAKING = frozenset(
    {"print", "abs", "pow", "float", "int", "len", "str", "repr", "format", "bool", "max", "min"}
    | {"sum", "list", "tuple", "zip", "enumerate"}
)
GIVING = frozenset({"abs", "pow", "max", "min", "sum", "list", "tuple", "zip", "enumerate"})
ATTRIBUTES = frozenset({"shape", "dtype", "numpy", "ndim", "device"})
ARITHMETIC = ast.Add | ast.Sub | ast.Mult | ast.Div | ast.FloorDiv | ast.Mod | ast.Pow | ast.MatMult
COMPARING = ast.Eq | ast.NotEq | ast.Lt | ast.LtE | ast.Gt | ast.GtE
FORMATS = tuple("eEfFgG%")
PASSES = 3
"""How often values are followed through the snippet; more only for calls before definitions."""


def fits(tree: ast.Module, inputs: Mapping[str, ast.expr], names: Names) -> bool:
    """Whether nothing that is done with the inputs (name → value) needs a Python object."""
    values = _Values(tree, inputs, names)
    return all(
        values.takes(parent, child)
        for parent in ast.walk(tree)
        for child in ast.iter_child_nodes(parent)
        if isinstance(child, ast.expr) and values.is_one(child)
    )


class _Values:
    """The expressions whose value an input makes a tensor instead of a Python object."""

    def __init__(self, tree: ast.Module, inputs: Mapping[str, ast.expr], names: Names) -> None:
        self._names = names
        self._own = parameters_of(tree)
        self._made = self._tensorflow_objects(tree)
        self._carrying = set(inputs)
        self._sizes = {
            name: len(value.elts)
            for name, value in inputs.items()
            if isinstance(value, ast.List | ast.Tuple)
        }
        self._known: dict[int, bool] = {}
        for _ in range(PASSES):
            before = len(self._carrying)
            self._known.clear()
            for node in ast.walk(tree):
                self._follow(node)
            if len(self._carrying) == before:
                break
        self._known.clear()

    def _tensorflow_objects(self, tree: ast.Module) -> set[str]:
        """Names of what TensorFlow functions gave: layers, models, losses."""
        return {
            target.id
            for node in ast.walk(tree)
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)
            if self._path(node.value.func).partition(".")[0] in ("tf", "keras", "layers")
            for target in node.targets
            if isinstance(target, ast.Name)
        }

    def _path(self, node: ast.expr) -> str:
        return path_of(node, self._names)

    def _follow(self, node: ast.AST) -> None:
        """Marks the names that a statement or a call gives such a value."""
        if isinstance(node, ast.Assign):
            for target in node.targets:
                self._bind(target, node.value)
        elif isinstance(node, ast.AnnAssign | ast.AugAssign | ast.NamedExpr) and node.value:
            self._bind(node.target, node.value)
        elif isinstance(node, ast.comprehension | ast.For):
            self._bind(node.target, node.iter)
        elif isinstance(node, ast.Call) and self._path(node.func) in self._own:
            parameters = self._own[self._path(node.func)]
            given = [*zip(parameters, node.args, strict=False)]
            given += [(k.arg, k.value) for k in node.keywords if k.arg]
            self._carrying.update(name for name, value in given if self.is_one(value))

    def _bind(self, target: ast.expr, value: ast.expr) -> None:
        if self.is_one(value):
            self._carrying.update(n.id for n in ast.walk(target) if isinstance(n, ast.Name))

    def is_one(self, node: ast.expr) -> bool:
        """Whether an expression is such a value."""
        key = id(node)
        if key not in self._known:
            self._known[key] = self._look(node)
        return self._known[key]

    def _look(self, node: ast.expr) -> bool:
        if isinstance(node, ast.Name):
            return isinstance(node.ctx, ast.Load) and node.id in self._carrying
        if isinstance(node, ast.Call):
            path = self._path(node.func)
            passing = path in GIVING or path in self._own
            return passing and any(map(self.is_one, _arguments(node)))
        return any(map(self.is_one, _parts(node)))

    def takes(self, parent: ast.AST, child: ast.expr) -> bool:
        """Whether a tensor may stand in the place of `child` in its parent."""
        match parent:
            case ast.BinOp():
                return isinstance(parent.op, ARITHMETIC) and not self._joins(parent)
            case ast.Compare():
                return all(isinstance(op, COMPARING) for op in parent.ops)
            case ast.Subscript():
                return child is parent.value and isinstance(parent.ctx, ast.Load)
            case ast.Attribute():
                return isinstance(parent.ctx, ast.Load) and parent.attr in ATTRIBUTES
            case ast.FormattedValue():
                return parent.format_spec is None or _formats_floats(parent.format_spec)
            case ast.Call():
                return self._is_taking(parent)
            case ast.Assign():
                return all(_is_plain(target) for target in parent.targets)
            case ast.AnnAssign() | ast.AugAssign():
                return _is_plain(parent.target)
            case _:
                return isinstance(parent, PLACES)

    def _joins(self, node: ast.BinOp) -> bool:
        """`a + b` of two lists that are no vectors of one size."""
        sizes = {self._sizes.get(dotted(side)) for side in (node.left, node.right)}
        return isinstance(node.op, ast.Add) and None not in sizes and len(sizes) > 1

    def _is_taking(self, call: ast.Call) -> bool:
        if isinstance(call.func, ast.Lambda):
            return True
        path = self._path(call.func)
        root = path.partition(".")[0]
        return (
            root in CALCULATING
            or root in self._made
            or path in TAKING
            or path in self._own
            or root in ("layers", "losses", "optimizers")
            or (isinstance(call.func, ast.Attribute) and call.func.attr == "numpy")
            or (isinstance(call.func, ast.Call) and self._is_taking(call.func))
        )


#: Where else a tensor may stand.
PLACES = (
    ast.UnaryOp,
    ast.BoolOp,
    ast.IfExp,
    ast.Starred,
    ast.List,
    ast.Tuple,
    ast.ListComp,
    ast.GeneratorExp,
    ast.comprehension,
    ast.NamedExpr,
    ast.Lambda,
    ast.arguments,
    ast.keyword,
    ast.Expr,
    ast.Return,
    ast.Assert,
    ast.If,
    ast.For,
)


def _arguments(call: ast.Call) -> Iterator[ast.expr]:
    yield from call.args
    yield from (keyword.value for keyword in call.keywords)


def _parts(node: ast.expr) -> list[ast.expr]:
    """The parts of an expression whose being a tensor makes all of it one, or hold one."""
    match node:
        case ast.BinOp():
            return [node.left, node.right]
        case ast.UnaryOp():
            return [] if isinstance(node.op, ast.Not) else [node.operand]
        case ast.IfExp():
            return [node.body, node.orelse]
        case ast.BoolOp():
            return node.values
        case ast.List() | ast.Tuple() | ast.Set():
            return node.elts
        case ast.Dict():
            return node.values
        case ast.Subscript() | ast.Starred() | ast.NamedExpr():
            return [node.value]
        case ast.ListComp() | ast.GeneratorExp() | ast.SetComp():
            return [node.elt]
        case ast.DictComp():
            return [node.value]
        case _:
            return []


def _formats_floats(spec: ast.expr) -> bool:
    """Whether `:.2f` and not `:d`."""
    if not isinstance(spec, ast.JoinedStr) or not spec.values:
        return True
    last = spec.values[-1]
    return isinstance(last, ast.Constant) and str(last.value).endswith(FORMATS)


def _is_plain(target: ast.expr) -> bool:
    if isinstance(target, ast.Tuple | ast.List):
        return all(_is_plain(part) for part in target.elts)
    return isinstance(target, ast.Name)
