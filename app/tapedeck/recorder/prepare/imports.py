"""Modules: those a snippet uses without importing them, and those it imports without need."""

import ast
import importlib.util
from collections import Counter
from collections.abc import Iterator

#: Name in the snippet → module that it stands for when the snippet never binds it.
MODULES = {
    "tf": "tensorflow",
    "np": "numpy",
    "keras": "keras",
    "tensorflow": "tensorflow",
    "numpy": "numpy",
    "math": "math",
    "layers": "keras.layers",
    "optimizers": "keras.optimizers",
    "losses": "keras.losses",
}
#: Libraries that only draw: a snippet's gradients do not depend on them.
DRAWING = frozenset({"matplotlib", "seaborn", "plotly", "pylab", "bokeh", "altair", "IPython"})
#: Calls that may stand among the arguments of a drawing call that is left out.
HARMLESS = frozenset(
    {"numpy", "float", "int", "list", "tuple", "range", "len", "str", "linspace", "arange", "zip"}
)


def import_line(name: str) -> str:
    """The import that binds `name`: `import tensorflow as tf`."""
    module = MODULES[name]
    if module == name:
        return f"import {name}"
    package, _, last = module.rpartition(".")
    return f"from {package} import {name}" if last == name else f"import {module} as {name}"


def bound_names(tree: ast.AST) -> set[str]:
    """Every name that the snippet binds anywhere: assignments, imports, definitions, arguments."""
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            names.add(node.id)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names.update(_imported(node).keys())
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.arg):
            names.add(node.arg)
        elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
            names.add(node.name)
    return names


def _imported(node: ast.Import | ast.ImportFrom) -> dict[str, str]:
    """Name bound → top-level module."""
    if isinstance(node, ast.Import):
        return {a.asname or a.name.split(".")[0]: a.name.split(".")[0] for a in node.names}
    return {a.asname or a.name: (node.module or "").split(".")[0] for a in node.names}


def missing_names(tree: ast.Module) -> dict[str, int]:
    """The names of MODULES that the snippet uses and never binds → line of the first use.

    All but `tf` and `np` are ordinary words too: they count only before a dot.
    """
    bound = bound_names(tree)
    found: dict[str, int] = {}
    for node in ast.walk(tree):
        if not isinstance(node, ast.Attribute) or not isinstance(node.value, ast.Name):
            continue
        name = node.value.id
        if name in MODULES and name not in bound:
            found[name] = min(found.get(name, node.lineno), node.lineno)
    return dict(sorted(found.items(), key=lambda item: item[1]))


def needless(tree: ast.Module) -> list[ast.stmt]:
    """Statements that can be left out because they need a missing module that nothing depends on.

    These are the imports of modules that are not installed here and never used, or used only for
    drawing, and then the drawing statements themselves. Where anything else uses such a module
    its import stays, so that Python raises its own ModuleNotFoundError.
    """
    wanted = [
        (statement, names)
        for statement in tree.body
        if isinstance(statement, ast.Import | ast.ImportFrom)
        and "*" not in (names := _imported(statement))
        and "__future__" not in names.values()
        and all(_is_missing(module) for module in names.values())
    ]
    if not wanted:
        return []
    used = Counter(node.id for node in ast.walk(tree) if isinstance(node, ast.Name))
    drawn = {name for _, names in wanted if DRAWING & set(names.values()) for name in names}
    drawing = [s for s in _statements(tree) if isinstance(s, ast.Expr) and _only_draws(s, drawn)]
    uses = Counter(n.id for s in drawing for n in ast.walk(s) if isinstance(n, ast.Name))
    needed = {name for name in drawn if used[name] != uses[name]}
    found = [
        statement
        for statement, names in wanted
        if not needed & set(names) and not any(used[n] for n in set(names) - drawn)
    ]
    left_out = set(map(id, found))
    gone = {name for s, names in wanted if id(s) in left_out for name in names}
    return [*found, *(s for s in drawing if _only_draws(s, gone))]


def _is_missing(module: str) -> bool:
    if not module:
        return False
    try:
        return importlib.util.find_spec(module) is None
    except (ImportError, ValueError, AttributeError):
        return False


def _statements(tree: ast.AST) -> Iterator[ast.stmt]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.stmt))


def _only_draws(statement: ast.Expr, names: set[str]) -> bool:
    """`plt.plot(x, y.numpy())`: a call of the module whose arguments only read."""
    call = statement.value
    if not isinstance(call, ast.Call) or not _is_rooted(call.func, names):
        return False
    for argument in [*call.args, *(keyword.value for keyword in call.keywords)]:
        for node in ast.walk(argument):
            if isinstance(node, ast.Await | ast.Yield | ast.YieldFrom | ast.NamedExpr):
                return False
            if isinstance(node, ast.Call) and _called(node) not in HARMLESS:
                return False
    return True


def _called(call: ast.Call) -> str:
    if isinstance(call.func, ast.Attribute):
        return call.func.attr
    return call.func.id if isinstance(call.func, ast.Name) else ""


def _is_rooted(node: ast.expr, names: set[str]) -> bool:
    while isinstance(node, ast.Attribute | ast.Call):
        node = node.value if isinstance(node, ast.Attribute) else node.func
    return isinstance(node, ast.Name) and node.id in names
