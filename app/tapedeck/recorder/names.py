"""What the snippet calls its tensors, variables and tapes."""

import types
from typing import Any

# By name, not through `tf`: the snippet may delete or replace what stands there.
from keras import Variable as KerasVariable
from tensorflow import GradientTape

from tapedeck.recorder import hooks
from tapedeck.recorder.builder import Builder
from tapedeck.recorder.registry import Registry
from tapedeck.recorder.tapes import Tapes

# Classes are asked, never values: a value's own `__class__`, `__len__` or `__iter__` is the
# snippet's code, which must not run here.
#: What has no place in a trace, whatever the snippet calls it.
UNNAMED = {int, float, str, bool, type(None), types.FunctionType, type}
DEPTH = 2
"""How deep a structure is looked into."""
LENGTH = 64
"""Longer lists and dicts are left alone."""


class Names:
    """Gives each thing the first name that the snippet has for it."""

    def __init__(
        self, builder: Builder, registry: Registry, tapes: Tapes, installed: hooks.Hooks
    ) -> None:
        self._builder = builder
        self._registry = registry
        self._tapes = tapes
        self._hooks = installed

    def bind(self, name: str, value: Any) -> None:
        """The snippet gives a value a name: `w`, `self.w`, or `a, b` for a tuple."""
        if type(value) in UNNAMED:
            return
        if issubclass(type(value), GradientTape):
            self._tapes.name(value, name)
        elif ", " in name and type(value) in (list, tuple):
            for part, element in zip(name.split(", "), value, strict=False):
                if part != "_":
                    self._name(part, element)
        else:
            self._name(name, value)

    def _name(self, name: str, value: Any, depth: int = 0) -> None:
        if hooks.is_eager(value):
            index = self._registry.tensors.get(hooks.tensor_id(value))
            if index is not None and self._builder.tensors[index].name is None:
                self._builder.change("tensors", index, name=name)
        elif type(value) in (list, tuple) and depth < DEPTH and len(value) <= LENGTH:
            for position, element in enumerate(value):
                self._name(f"{name}[{position}]", element, depth + 1)
        elif type(value) is dict and depth < DEPTH and len(value) <= LENGTH:
            for key, element in value.items():
                self._name(f"{name}[{key!r}]", element, depth + 1)
        elif self._hooks.is_variable(value) or issubclass(type(value), KerasVariable):
            self._name_variable(name, value)

    def _name_variable(self, name: str, variable: Any) -> None:
        index = self._registry.variable(variable)
        if index is None:
            return
        known = self._builder.variables[index]
        in_layer = known.keras and "/" in known.path
        if known.name == known.path.removesuffix(":0") and not in_layer:
            self._builder.change("variables", index, name=name)
