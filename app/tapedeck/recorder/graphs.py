"""Traced functions: when TensorFlow traces one and why, and the graph that it opens into."""

import weakref
from collections.abc import Sequence
from typing import Any

import numpy as np
from tensorflow import make_ndarray

from tapedeck.recorder.builder import Builder
from tapedeck.recorder.kinds import BOOKKEEPING, COUNTING
from tapedeck.recorder.registry import Registry, dtype_of
from tapedeck.recorder.values import summarize
from tapedeck.recorder.where import FILENAME, Where
from tapedeck.trace.document import Graph, Op, Tensor, TraceEvent

LONGEST = 1000
"""Ops told of one graph; the rest is only counted."""
#: Attributes that name the functions an op runs.
BODIES = ("f", "then_branch", "else_branch", "cond", "body")
INPUTS = {"Placeholder", "_Arg"}


class Graphs:
    """Knows each traced graph by the name of the function that runs it."""

    def __init__(self, builder: Builder, registry: Registry, where: Where) -> None:
        self._builder = builder
        self._registry = registry
        self._where = where
        self._functions: dict[str, weakref.ref[Any]] = {}
        self._read: dict[int, tuple[weakref.ref[Any], int]] = {}
        """By the graph's `id`, which stays good while the reference does."""
        self._arguments: dict[str, dict[str, str]] = {}
        self._tracing: list[str] = []

    # Tracing.

    def trace_begun(self, name: str, arguments: dict[str, str]) -> None:
        """TensorFlow begins to trace a function for arguments of these types."""
        before = self._arguments.get(name)
        self._arguments[name] = arguments
        self._tracing.append(name)
        why = "" if before is None else _difference(before, arguments)
        self._tell(name, "begun", before is not None, why)

    def trace_ended(self, raised: bool) -> None:
        """It has finished, or the function's Python raised."""
        if self._tracing:
            self._tell(self._tracing.pop(), "raised" if raised else "ended", False, "")

    def _tell(self, name: str, phase: Any, again: bool, why: str) -> None:
        place = self._where.place()
        self._builder.event(TraceEvent(name, phase, again=again, why=why, place=place))

    # Graphs.

    def made(self, name: str, graph: Any) -> None:
        """A function of that name runs this graph from now on."""
        self._functions[name] = weakref.ref(graph)

    def bodies(self, names: Sequence[str]) -> tuple[int, ...]:
        """The ids of the graphs that these functions run; unknown ones are left out."""
        found = (self._body(name) for name in names)
        return tuple(index for index in found if index is not None)

    def _body(self, name: str) -> int | None:
        reference = self._functions.get(name)
        graph = reference() if reference is not None else None
        if graph is None:
            return None
        known = self._read.get(id(graph))
        if known is not None and known[0]() is graph:
            return known[1]
        index = self._builder.graph(self._convert(graph))
        self._read[id(graph)] = weakref.ref(graph), index
        return index

    def _convert(self, graph: Any) -> Graph:
        captured = {id(inside): outside for outside, inside in graph.captures}
        reading = _Reading(self._registry, captured)
        operations = [o for o in graph.get_operations() if o.type not in INPUTS]
        inputs = tuple(reading.tensor(tensor) for tensor in graph.inputs)
        ops = tuple(self._op(operation, reading) for operation in operations[:LONGEST])
        outputs = tuple(reading.tensor(tensor) for tensor in graph.outputs)
        places = [op.place for op in ops if op.place is not None]
        return Graph(
            str(graph.name),
            tensors=tuple(reading.tensors),
            ops=ops,
            inputs=inputs,
            outputs=outputs,
            place=places[0] if places else None,
            left_out=max(0, len(operations) - LONGEST),
        )

    def _op(self, operation: Any, reading: "_Reading") -> Op:
        inputs = tuple(reading.input(tensor) for tensor in operation.inputs)
        variables = [reading.variable(tensor) for tensor in operation.inputs]
        used = [variable for variable in variables if variable is not None]
        outputs = tuple(reading.tensor(tensor) for tensor in operation.outputs)
        names = [name for name in map(_function_name(operation), BODIES) if name]
        return Op(
            operation.type,
            inputs,
            outputs,
            place=self._place(operation),
            variable=used[0] if used else None,
            captures=tuple(variables) if len(used) > 1 else (),
            bookkeeping=_is_bookkeeping(operation),
            bodies=self.bodies(names),
        )

    def _place(self, operation: Any) -> int | None:
        # TensorFlow maps AutoGraph's generated lines back to the snippet's by itself.
        for frame in reversed(operation.traceback or ()):
            if frame.filename == FILENAME:
                return self._where.line(frame.lineno, frame.name)
        return None


class _Reading:
    """The tensors of one graph while it is read."""

    def __init__(self, registry: Registry, captured: dict[int, Any]) -> None:
        self._registry = registry
        self._captured = captured
        self._ids: dict[int, int] = {}
        self.tensors: list[Tensor] = []

    def tensor(self, tensor: Any) -> int:
        """Its id in the graph."""
        known = self._ids.get(id(tensor))
        if known is None:
            known = self._ids[id(tensor)] = len(self.tensors)
            self.tensors.append(self._describe(tensor))
        return known

    def input(self, tensor: Any) -> int | None:
        """An op's input: its id; None for the handle of a variable."""
        return None if self.variable(tensor) is not None else self.tensor(tensor)

    def variable(self, tensor: Any) -> int | None:
        """The variable whose captured handle this is."""
        outside = self._captured.get(id(tensor))
        return None if outside is None else self._registry.variable_id(outside)

    def _describe(self, tensor: Any) -> Tensor:
        shape = tensor.shape
        return Tensor(
            dtype_of(tensor),
            tuple(shape.as_list()) if shape.rank is not None else None,
            value=_constant(tensor.op),
            name=self._name(tensor),
        )

    def _name(self, tensor: Any) -> str | None:
        outside = self._captured.get(id(tensor))
        if outside is not None:
            return self._registry.name_of(outside)
        last = str(tensor.op.name).rpartition("/")[2]
        named = tensor.op.type in INPUTS and not last.startswith("Placeholder")
        return last if named else None


def _is_bookkeeping(operation: Any) -> bool:
    """Bookkeeping by its type, a mere passing on, or counting."""
    if operation.type in BOOKKEEPING or operation.type in ("Identity", "IdentityN"):
        return True
    kinds = [tensor.dtype.name for tensor in operation.outputs]
    return bool(kinds) and all(kind in COUNTING for kind in kinds)


def _constant(operation: Any) -> Any:
    if operation.type != "Const":
        return None
    array = np.asarray(make_ndarray(operation.get_attr("value")))
    return summarize(array)


def _function_name(operation: Any) -> Any:
    """A function from an attribute's name to that of the function it holds, '' for none."""
    attributes = operation.node_def.attr

    def name(attribute: str) -> str:
        return str(attributes[attribute].func.name) if attribute in attributes else ""

    return name


def _difference(before: dict[str, str], after: dict[str, str]) -> str:
    changed = [
        f"{name}: {before.get(name, '-')} → {kind}"
        for name, kind in after.items()
        if before.get(name) != kind
    ]
    return "; ".join(changed)[:400]


def describe_arguments(function_type: Any) -> dict[str, str]:
    """Each parameter's type, short: `TensorSpec(shape=(2,), dtype=tf.float32)`, `Literal[3]`."""
    return {
        str(name): str(parameter.type_constraint).replace(", name=None", "")
        for name, parameter in function_type.parameters.items()
    }
