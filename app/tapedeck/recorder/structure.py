"""How the snippet names the leaves of a structure: `w`, `model.weights[1]`, `p["bias"]`."""

import ast
from collections.abc import Mapping
from typing import Any

from tapedeck.recorder.instrument import Call


def leaf_texts(structure: Any, call: Call | None, position: int, keyword: str) -> list[str]:
    """A text for each leaf, in the order of `tf.nest.flatten`."""
    node = call.argument(position, keyword) if call is not None else None
    return _walk(
        structure, node, keyword if call is None or node is None else call.text(node), call
    )


def _walk(structure: Any, node: ast.expr | None, text: str, call: Call | None) -> list[str]:
    """Goes down the value and the expression it is written as side by side, as far as both go."""
    parts = _parts(structure, text)
    if parts is None:
        return [text]
    written = _written(node, list(parts))
    texts: list[str] = []
    for key, (part, fallback) in parts.items():
        inner = written.get(key)
        name = call.text(inner) if inner is not None and call is not None else fallback
        texts += _walk(part, inner, name, call)
    return texts


def _parts(structure: Any, text: str) -> dict[Any, tuple[Any, str]] | None:
    """Key → (part, how it is reached), in the order of `tf.nest.flatten`; None for a leaf."""
    if isinstance(structure, Mapping):
        keys = sorted(structure) if type(structure) is dict else list(structure)
        return {key: (structure[key], f"{text}[{key!r}]") for key in keys}
    if isinstance(structure, tuple) and hasattr(structure, "_fields"):
        return {f: (getattr(structure, f), f"{text}.{f}") for f in structure._fields}
    if isinstance(structure, list | tuple):
        return {i: (part, f"{text}[{i}]") for i, part in enumerate(structure)}
    return None


def _written(node: ast.expr | None, keys: list[Any]) -> dict[Any, ast.expr]:
    """Key → expression, where a display with just these keys is written."""
    if isinstance(node, ast.List | ast.Tuple) and keys == list(range(len(node.elts))):
        spread = any(isinstance(element, ast.Starred) for element in node.elts)
        return {} if spread else dict(enumerate(node.elts))
    if isinstance(node, ast.Dict):
        pairs = zip(node.keys, node.values, strict=True)
        found = {k.value: value for k, value in pairs if isinstance(k, ast.Constant)}
        return found if set(found) == set(keys) else {}
    return {}
