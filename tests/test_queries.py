"""Questions about a recorded trace."""

import pytest

from running import record
from tapedeck.trace.document import Trace
from tapedeck.trace.queries import Status, TraceIndex, differentiable, index

SOURCE = """\
import tensorflow as tf
w = tf.Variable(2.0)
x = tf.constant(3.0)
before = w * 1.0
with tf.GradientTape() as tape:
    h = w * x
    with tape.stop_recording():
        paused = h * h
    i = tf.cast(h, tf.int32)
    j = i + 1
    k = x * x
    y = h + paused
after = y * 2.0
g = tape.gradient(y, w)
print("done")
late = g * 3.0
"""


@pytest.fixture(scope="module")
def trace() -> Trace:
    return record(SOURCE)


@pytest.fixture(scope="module")
def known(trace: Trace) -> TraceIndex:
    return index(trace)


def _tensor(trace: Trace, name: str) -> int:
    (found,) = [i for i, tensor in enumerate(trace.tensors) if tensor.name == name]
    return found


def _op(known: TraceIndex, name: str) -> int:
    op = known.producer(_tensor(known.trace, name))
    assert op is not None
    return op


def test_producer_and_consumers(trace: Trace, known: TraceIndex) -> None:
    h = _tensor(trace, "h")
    assert trace.ops[_op(known, "h")].type == "Mul"
    assert known.producer(_tensor(trace, "x")) is None
    assert [trace.ops[op].type for op in known.consumers[h]] == ["Mul", "Cast", "AddV2"]


def test_a_step_leads_to_its_op_and_back(known: TraceIndex) -> None:
    op = _op(known, "y")
    step = known.step_of(op)
    assert step is not None and known.op_at(step) == op


def test_the_tape_at_each_step(known: TraceIndex) -> None:
    steps = [known.step_of(_op(known, n)) for n in ("before", "h", "paused", "y", "after", "late")]
    states = [known.tape_state(0, step) for step in steps if step is not None]
    assert states == [None, "recording", "paused", "recording", "stopped", "consumed"]
    assert known.tape_state(0, known.begins[0] + 1) == "rewinding"
    assert [part.cause for part in known.intervals[0]] == [
        "created",
        "entered",
        "paused",
        "resumed",
        "left",
        "call",
        "returned",
    ]
    assert known.call_of_interval(known.intervals[0][-1], 0) == 0


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("before", "not_created"),
        ("paused", "paused"),
        ("j", "dtype"),
        ("k", "nothing_watched"),
        ("after", "outside_block"),
        ("late", "outside_block"),
    ],
)
def test_why_an_op_was_not_recorded(known: TraceIndex, name: str, reason: str) -> None:
    status = known.status(_op(known, name), 0)
    assert (status.recorded, status.held, status.reason) == (False, False, reason)


def test_an_op_that_raised_was_not_kept_off_by_its_inputs() -> None:
    trace = record(
        """
        import tensorflow as tf
        x = tf.Variable(1.0)
        with tf.GradientTape() as tape:
            try:
                tf.matmul(x, x)
            except Exception:
                pass
        """
    )
    (op,) = [i for i, record in enumerate(trace.ops) if record.type == "MatMul"]
    assert index(trace).status(op, 0).reason == "raised"


def test_what_became_of_a_recorded_op(known: TraceIndex) -> None:
    op = _op(known, "h")
    assert known.status(op, 0) == Status(True, None, None, "recording", True)
    assert known.status(op, 0, known.begins[0]) == Status(True, None, None, "stopped", True)
    end = len(known.trace.events) - 1
    assert known.status(op, 0, end) == Status(True, None, None, "consumed", False)


def test_a_gradient_call_in_the_block_ends_the_recording() -> None:
    known = index(
        record(
            "import tensorflow as tf\nw = tf.Variable(2.0)\nwith tf.GradientTape() as tape:\n"
            "    y = w * w\n    tape.gradient(y, w)\n    z = w * 3.0\n"
        )
    )
    assert known.status(_op(known, "z"), 0).reason == "after_call"


def test_a_reset_drops_what_was_held() -> None:
    known = index(
        record(
            "import tensorflow as tf\nw = tf.Variable(2.0)\nwith tf.GradientTape() as tape:\n"
            "    y = w * w\n    tape.reset()\n    z = y * 3.0\n    u = w * 1.0\n"
        )
    )
    end = len(known.trace.events) - 1
    assert known.status(_op(known, "y"), 0, end).held is False
    assert known.status(_op(known, "z"), 0).reason == "nothing_watched"
    assert known.status(_op(known, "u"), 0, end).held is True


def test_paths(trace: Trace, known: TraceIndex) -> None:
    h, y, x = (_tensor(trace, name) for name in ("h", "y", "x"))
    assert known.path(h, y) == [_op(known, "y")]
    assert known.path(y, h) is None
    between = [op for op in known.between([h], [y])]
    assert between == [_op(known, "paused"), _op(known, "y")]
    assert _tensor(trace, "k") in known.downstream([x])
    assert _tensor(trace, "k") not in known.downstream([x], tape=0)
    assert x in known.upstream([y]) and _tensor(trace, "k") not in known.upstream([y])


def test_reads_watches_and_console(trace: Trace, known: TraceIndex) -> None:
    assert len(known.reads[0]) == 2
    watch = known.watch_step(0, variable=0)
    assert watch is not None and watch < (known.step_of(_op(known, "h")) or 0)
    assert known.watch_step(0, tensor=_tensor(trace, "x")) is None
    [(step, event)] = known.console()
    assert event.text == "done\n"
    assert list(known.console(step - 1)) == []


@pytest.mark.parametrize(
    ("dtype", "follows"),
    [("float32", True), ("bfloat16", True), ("complex64", True), ("resource", True)]
    + [("variant", True), ("int32", False), ("uint8", False), ("bool", False), ("string", False)],
)
def test_which_types_a_tape_follows(dtype: str, follows: bool) -> None:
    assert differentiable(dtype) is follows
