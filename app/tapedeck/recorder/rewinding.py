"""Gradient calls: targets and sources, each op that is rewound, each sum of contributions."""

from collections.abc import Callable, Sequence
from threading import get_ident
from typing import Any

import msgspec

# By name, not through `tf`: the snippet may delete or replace what stands there.
from tensorflow import IndexedSlices, is_tensor
from tensorflow.nest import flatten

from tapedeck.recorder import hooks
from tapedeck.recorder.builder import Builder
from tapedeck.recorder.instrument import Call
from tapedeck.recorder.registry import Registry
from tapedeck.recorder.structure import leaf_texts
from tapedeck.recorder.tapes import TapeRecord, Tapes
from tapedeck.recorder.where import Where
from tapedeck.trace.document import (
    GradientBeginEvent,
    GradientCall,
    GradientEndEvent,
    Ref,
    Result,
    RewindEvent,
    SumEvent,
)

Key = tuple[str, int]
"""What gradients are summed for: ("tensor", id) or ("variable", id)."""


class _Rewind(msgspec.Struct):
    """An op that is being rewound."""

    op: int | None
    upstream: tuple[int | None, ...]
    by_rule: bool


class Running:
    """A gradient call that is running."""

    def __init__(self, index: int, tape: TapeRecord, kind: str, sources: list[Key]) -> None:
        self.index = index
        self.tape = tape
        self.kind = kind
        self.sources = sources
        self.rewinds: list[_Rewind] = []
        self.pending: dict[Key, list[int]] = {}
        """Contributions not yet summed, in the order they came."""
        self.sums: list[tuple[tuple[int, ...], int]] = []
        """Sums whose tensor is not known before the next op is rewound."""
        self.inner = 0
        """How many calls inside of TensorFlow's own jacobian are running."""

    @property
    def by_rule(self) -> bool:
        """Whether a rule of the snippet's own is at work: a custom gradient."""
        return any(rewind.by_rule for rewind in self.rewinds)


class Rewinding:
    """Listens to gradient calls."""

    def __init__(self, builder: Builder, registry: Registry, tapes: Tapes, where: Where) -> None:
        self._builder = builder
        self._registry = registry
        self._tapes = tapes
        self._where = where
        self._running: dict[int, list[Running]] = {}
        self._ops: dict[int, tuple[int, Any]] = {}
        """The op of each attribute tuple that TensorFlow holds for going back."""
        self.texts: dict[Any, Call] = {}

    def current(self) -> Running | None:
        """The innermost call that is running on this thread."""
        stack = self._running.get(get_ident())
        return stack[-1] if stack else None

    def current_op(self) -> int | None:
        """The forward op that is being rewound on this thread."""
        call = self.current()
        return call.rewinds[-1].op if call and call.rewinds else None

    def remember(self, attrs: Any, op: int) -> None:
        """Going back, TensorFlow passes the very tuple of attributes that came forwards."""
        self._ops[id(attrs)] = (op, attrs)

    # Calls.

    def begun(self, kind: str, arguments: dict[str, Any]) -> None:
        """A gradient call begins."""
        record = self._tapes.of(arguments["self"])
        if record is None:
            return
        outer = self.current()
        if outer is not None and outer.kind != "gradient" and outer.tape is record:
            outer.inner += 1
            return
        place, group = self._where.here()
        if not hooks.executing_eagerly():
            place = self._where.place()
        key = "source" if kind == "batch_jacobian" else "sources"
        ours = self._builder.tapes[record.index].owner == "tapedeck"
        text = None if ours else self._text(kind, place)
        targets = self._refs(arguments["target"], text, 0, "target")
        sources = self._refs(arguments[key], text, 1, key)
        if ours:
            asked = self._builder.snippet.target or "target"
            targets = tuple(msgspec.structs.replace(ref, text=asked) for ref in targets)
        given = arguments.get("output_gradients")
        unconnected = arguments.get("unconnected_gradients")
        index = self._builder.gradient(
            GradientCall(
                kind,  # type: ignore[arg-type]
                record.index,
                place=place,
                targets=targets,
                sources=sources,
                output_gradients=() if given is None else self._given(given),
                unconnected="zero"
                if str(getattr(unconnected, "value", unconnected)) == "zero"
                else "none",
                vectorized=bool(arguments["experimental_use_pfor"])
                if "experimental_use_pfor" in arguments
                else None,
                group=group,
            )
        )
        running = Running(index, record, kind, [k for s in sources if (k := _key(s))])
        self._running.setdefault(get_ident(), []).append(running)
        self._builder.event(GradientBeginEvent(index))
        self._tapes.call_begun(record)

    def _text(self, kind: str, place: int | None) -> Call | None:
        """The call as the snippet writes it."""
        span = self._where.running_span()
        written = self.texts.get(span) if span is not None else None
        if written is not None:
            return written if written.method == kind and not written.spread else None
        if place is None or hooks.executing_eagerly():
            return None
        # In code that AutoGraph rewrote only the line is known.
        line = self._builder.places[place].line
        found = [c for s, c in self.texts.items() if s[0] == line and c.method == kind]
        return found[0] if len(found) == 1 else None

    def _given(self, output_gradients: Any) -> tuple[int | None, ...]:
        values = flatten(output_gradients)
        return tuple(self._registry.tensor(v) if is_tensor(v) else None for v in values)

    def _refs(self, structure: Any, text: Call | None, position: int, name: str) -> tuple[Ref, ...]:
        leaves = flatten(structure)
        if text is None:
            # Not written as a gradient call here: what the snippet calls the things themselves.
            names = [self._registry.name_of_leaf(leaf) for leaf in leaves]
            texts = [given or f"{name}[{i}]" for i, given in enumerate(names)]
            if len(leaves) == 1 and names[0] is None:
                texts = [name]
            return tuple(self._ref(leaf, t) for leaf, t in zip(leaves, texts, strict=True))
        texts = leaf_texts(structure, text, position, name)
        if len(texts) != len(leaves):
            texts = [f"{texts[0] if texts else name}[{i}]" for i in range(len(leaves))]
        return tuple(self._ref(leaf, text) for leaf, text in zip(leaves, texts, strict=True))

    def _ref(self, leaf: Any, text: str) -> Ref:
        variable = self._registry.variable(leaf) if hooks.handle_of(leaf) is not None else None
        if variable is not None:
            return Ref(variable=variable, text=text)
        if is_tensor(leaf) or isinstance(leaf, IndexedSlices):
            return Ref(tensor=self._registry.tensor(leaf), text=text)
        return Ref(text=text)

    def ended(self, result: Any) -> None:
        """It returns."""
        call = self._finish()
        if call is None:
            return
        for key in call.sources:
            self._tell_sum(call, key)
        leaves = flatten(result)
        results = tuple(
            Result(source, self._registry.optional(leaf)) for source, leaf in enumerate(leaves)
        )
        self._builder.change("gradients", call.index, results=results)
        self._builder.event(GradientEndEvent(call.index))
        self._tapes.call_ended(call.tape, raised=False)

    def raised(self, tell: Callable[[], int]) -> None:
        """It raises; `tell` adds the error with its event."""
        call = self._finish()
        if call is None:
            return
        self._builder.change("gradients", call.index, error=tell())
        self._builder.event(GradientEndEvent(call.index))
        self._tapes.call_ended(call.tape, raised=True)

    def _finish(self) -> Running | None:
        call = self.current()
        if call is None:
            return None
        if call.inner:
            call.inner -= 1
            return None
        self._running[get_ident()].pop()
        return call

    # Rewinds.

    def rewind_begun(self, attrs: Any, upstream: Sequence[Any]) -> None:
        """A registered gradient function is called for one op."""
        known = self._ops.get(id(attrs))
        self.op_begun(known[0] if known else None, upstream)

    def op_begun(self, op: int | None, upstream: Sequence[Any], *, by_rule: bool = False) -> None:
        """One op is rewound; `by_rule`: not by its registered gradient."""
        call = self.current()
        if call is None:
            return
        if op is None or not all(_has_value(gradient) for gradient in upstream):
            call.rewinds.append(_Rewind(None, (), by_rule))
            return
        for output in self._builder.ops[op].outputs:
            self._tell_sum(call, ("tensor", output))
        ids = tuple(self._registry.optional(gradient) for gradient in upstream)
        ids += (None,) * (len(self._builder.ops[op].outputs) - len(ids))
        call.rewinds.append(_Rewind(op, ids, by_rule))

    def op_ended(self, contributions: Any) -> None:
        """What it sends on to its inputs."""
        call = self.current()
        if call is None or not call.rewinds:
            return
        rewind = call.rewinds.pop()
        if rewind.op is None:
            return
        op = self._builder.ops[rewind.op]
        values = contributions if isinstance(contributions, list | tuple) else [contributions]
        ids = [self._registry.optional(v) if _has_value(v) else None for v in values]
        ids = (ids + [None] * len(op.inputs))[: max(len(op.inputs), 1)]
        for position, gradient in enumerate(ids):
            key = self._input_key(op, position)
            if gradient is not None and key is not None:
                call.pending.setdefault(key, []).append(gradient)
        self._builder.event(RewindEvent(call.index, rewind.op, rewind.upstream, tuple(ids)))

    def _input_key(self, op: Any, position: int) -> Key | None:
        tensor = op.inputs[position] if position < len(op.inputs) else None
        if tensor is not None:
            return "tensor", tensor
        variable = op.captures[position] if position < len(op.captures) else op.variable
        return ("variable", variable) if variable is not None else None

    # Sums.

    def summed(self, parts: Sequence[Any], total: Any) -> None:
        """TensorFlow added contributions; whose they are shows when the next op is rewound."""
        call = self.current()
        if call is None or not all(map(_has_value, [*parts, total])):
            return
        ids = tuple(self._registry.tensor(part) for part in parts)
        call.sums.append((ids, self._registry.tensor(total)))

    def _tell_sum(self, call: Running, key: Key) -> None:
        pending = call.pending.get(key)
        if not pending:
            return
        for position, (parts, total) in enumerate(call.sums):
            if list(parts) == pending[: len(parts)]:
                del call.sums[position]
                call.pending[key] = [total, *pending[len(parts) :]]
                target = {key[0]: key[1]}
                self._builder.event(SumEvent(call.index, total, parts, **target))
                self._tell_sum(call, key)
                return


def _key(source: Ref) -> Key | None:
    if source.variable is not None:
        return "variable", source.variable
    return ("tensor", source.tensor) if source.tensor is not None else None


def _has_value(gradient: Any) -> bool:
    """Whether it is nothing, an eager tensor, or made of eager tensors."""
    if gradient is None or hooks.is_eager(gradient):
        return True
    return isinstance(gradient, IndexedSlices) and hooks.is_eager(gradient.values)
