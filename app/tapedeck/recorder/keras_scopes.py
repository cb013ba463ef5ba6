"""Which Keras layer, loss or optimizer is at work: read from Keras's own stack of name scopes."""

import sys
from typing import Any, Literal, NamedTuple

Kind = Literal["layer", "loss", "metric", "optimizer", "scope"]


class Scope(NamedTuple):
    """One open name scope."""

    serial: int
    """The same for all ops in one run through the scope, another for the next run."""
    kind: Kind
    name: str


_serials = iter(range(1, sys.maxsize))


def open_scopes() -> list[Scope]:
    """The scopes open on this thread, outermost first; nothing where Keras is not loaded."""
    state = sys.modules.get("keras.src.backend.common.global_state")
    if state is None:
        return []
    # Keras pushes one fresh `name_scope` object for each `with`, and knows who opened it.
    stack = getattr(state.GLOBAL_STATE_TRACKER, "name_scope_stack", None)
    return [_scope(entry) for entry in stack] if stack else []


def _scope(entry: Any) -> Scope:
    known: Scope | None = entry.__dict__.get("_tapedeck_scope")
    if known is None:
        known = Scope(next(_serials), _kind(entry.caller, entry.name), entry.name)
        entry._tapedeck_scope = known
    return known


def _kind(caller: Any, name: str) -> Kind:
    import keras

    if isinstance(caller, keras.layers.Layer):
        return "layer"
    if isinstance(caller, keras.optimizers.Optimizer):
        return "optimizer"
    if isinstance(caller, keras.metrics.Metric):
        return "metric"
    return "loss" if caller is None and _is_loss(name) else "scope"


def _is_loss(name: str) -> bool:
    import keras

    base = name.rstrip("0123456789").rstrip("_")
    return callable(getattr(keras.losses, base, None)) or base == "compile_loss"
