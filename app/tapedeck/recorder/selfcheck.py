"""Is this TensorFlow one whose hooks work: each is tried on a program whose trace is known."""

import platform
from collections.abc import Callable

import tensorflow as tf

from tapedeck.recorder import Check
from tapedeck.recorder.session import record
from tapedeck.trace.document import (
    ExitEvent,
    PrintEvent,
    RewindEvent,
    SumEvent,
    TapeEvent,
    Trace,
    WatchEvent,
)

KNOWN = ("2.18", "2.19", "2.20", "2.21")
PROGRAM = """\
import tensorflow as tf
w = tf.Variable(3.0)
c = tf.constant([1.0, 2.0])
with tf.GradientTape() as tape:
    tape.watch(c)
    y = w * w + 2.0 * w + tf.reduce_mean(tf.concat([c, c], 0))
g = tape.gradient(y, w)
print(float(g))
"""


def check() -> list[Check]:
    """Tries every hook. Each row: what, whether it works, what was seen."""
    version = ".".join(tf.__version__.split(".")[:2])
    rows: list[Check] = [
        ("Python", True, platform.python_version()),
        ("TensorFlow", version in KNOWN, f"{tf.__version__}, tried with {', '.join(KNOWN)}"),
    ]
    try:
        trace = record(PROGRAM, "script")
    except Exception as error:  # noqa: BLE001  (any fault is the answer)
        return [*rows, ("hooks", False, f"{type(error).__name__}: {error}")]
    return rows + [_row(name, look, trace) for name, look in LOOKS.items()]


def _row(name: str, look: Callable[[Trace], object], trace: Trace) -> Check:
    try:
        seen = look(trace)
    except Exception as error:  # noqa: BLE001  (any fault is the answer)
        return name, False, f"{type(error).__name__}: {error}"
    return name, bool(seen), str(seen) if seen else "nothing was seen"


def _ops(trace: Trace) -> str:
    types = [op.type for op in trace.ops if op.call is None and not op.bookkeeping]
    return ", ".join(types) if {"Mul", "AddV2"} <= set(types) else ""


def _execute_path(trace: Trace) -> str:
    found = [op for op in trace.ops if op.type in ("ConcatV2", "Mean") and op.recorded_by]
    return ", ".join(op.type for op in found) if len(found) == 2 else ""


def _places(trace: Trace) -> str:
    op = next(op for op in trace.ops if op.type == "Mul")
    place = trace.places[op.place or 0]
    return f"line {place.line}, columns {place.column} to {place.end_column}"


def _result(trace: Trace) -> str:
    tensor = trace.gradients[0].results[0].tensor
    value = None if tensor is None else trace.tensors[tensor].value
    return "8.0" if value is not None and value.data == 8.0 else ""


def _life(trace: Trace) -> str:
    states = [e.state for e in trace.events if isinstance(e, TapeEvent)]
    wanted = ["created", "recording", "stopped", "rewinding", "consumed"]
    return ", ".join(states) if states == wanted else ""


def _kinds(kind: type, least: int) -> Callable[[Trace], object]:
    def look(trace: Trace) -> str:
        count = sum(isinstance(event, kind) for event in trace.events)
        return f"{count} seen" if count >= least else ""

    return look


LOOKS: dict[str, Callable[[Trace], object]] = {
    "ops": _ops,
    "ops of the execute path": _execute_path,
    "places in the source": _places,
    "variable reads": lambda t: f"{sum(o.type == 'ReadVariableOp' for o in t.ops)} seen",
    "watching": _kinds(WatchEvent, 2),
    "tape life": _life,
    "rewinding": _kinds(RewindEvent, 5),
    "sums": _kinds(SumEvent, 1),
    "gradients": _result,
    "constants": lambda t: [x.name for x in t.tensors if x.place is not None and x.name == "c"],
    "exits to Python": lambda t: [e.how for e in t.events if isinstance(e, ExitEvent)],
    "console": lambda t: [e.text for e in t.events if isinstance(e, PrintEvent)],
}
