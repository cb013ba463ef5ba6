"""How the snippet names the leaves of a structure: `w`, `model.weights[1]`, `p["bias"]`."""

from collections.abc import Mapping
from typing import Any

from tapedeck.recorder.instrument import Call


def leaf_texts(structure: Any, call: Call | None, position: int, keyword: str) -> list[str]:
    """A text for each leaf, in the order of `tf.nest.flatten`."""
    text, elements = _argument(call, position, keyword)
    parts = _parts(structure)
    if elements is None or parts is None or len(elements) != len(parts):
        return _walk(structure, text)
    if any(element.startswith("*") for element in elements):
        return _walk(structure, text)
    return [t for element, part in zip(elements, parts, strict=True) for t in _walk(part, element)]


def _parts(structure: Any) -> list[Any] | None:
    if type(structure) is dict:
        return [structure[key] for key in sorted(structure)]
    return list(structure) if isinstance(structure, list | tuple) else None


def _argument(call: Call | None, position: int, keyword: str) -> tuple[str, tuple[str, ...] | None]:
    if call is None:
        return keyword, None
    if keyword in call.keywords:
        return call.keywords[keyword], call.elements.get(keyword)
    if position < len(call.arguments):
        return call.arguments[position], call.elements.get(str(position))
    return keyword, None


def _walk(structure: Any, text: str) -> list[str]:
    if isinstance(structure, Mapping):
        keys = sorted(structure) if type(structure) is dict else list(structure)
        return [t for key in keys for t in _walk(structure[key], f"{text}[{key!r}]")]
    if isinstance(structure, tuple) and hasattr(structure, "_fields"):
        fields = structure._fields
        return [t for field in fields for t in _walk(getattr(structure, field), f"{text}.{field}")]
    if isinstance(structure, list | tuple):
        return [t for i, item in enumerate(structure) for t in _walk(item, f"{text}[{i}]")]
    return [text]
