"""Which function a snippet means by a name, also where it was imported by itself."""

import ast
from collections.abc import Mapping

Names = Mapping[str, str]
"""Name → the module or function that it stands for, as a dotted path."""
ROOTS = {"tensorflow": "tf", "numpy": "np"}
#: Modules whose functions take tensors and give tensors or plain numbers.
CALCULATING = frozenset({"tf", "np", "math", "keras"})


def names_of(tree: ast.Module) -> Names:
    """What the names that a snippet imports stand for; `tensorflow` is `tf`, `numpy` is `np`."""
    names = dict(ROOTS)
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                path = alias.name if alias.asname else alias.name.partition(".")[0]
                names[alias.asname or path] = _short(path)
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                names[alias.asname or alias.name] = _short(f"{node.module}.{alias.name}")
    return names


def _short(path: str) -> str:
    root, dot, rest = path.partition(".")
    return ROOTS.get(root, root) + dot + rest


def dotted(node: ast.expr) -> str:
    """`tf.random.normal` for such an expression, "" for anything else."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return ""
    return ".".join([node.id, *reversed(parts)])


def path_of(node: ast.expr, names: Names) -> str:
    """The same with imported names resolved."""
    root, dot, rest = dotted(node).partition(".")
    return names.get(root, root) + dot + rest
