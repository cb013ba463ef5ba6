"""Every tape's life, and which op is on which tape."""

from reading import calls, life, op, printed, tape_names
from running import record
from tapedeck.trace.document import TapeEvent, WatchEvent

USED_UP = (
    "RuntimeError: A non-persistent GradientTape can only be used to "
    "compute one set of gradients (or jacobians)"
)


def test_a_tape_is_consumed_by_its_first_gradient_call():
    trace = record(
        "import tensorflow as tf\n"
        "x = tf.Variable(3.0)\n"
        "with tf.GradientTape() as tape:\n"
        "    y = x ** 2\n"
        "tape.gradient(y, x)\n"
        "tape.gradient(y, x)\n"
    )
    assert life(trace, "tape") == ["created", "recording", "stopped", "rewinding", "consumed"]
    assert calls(trace) == [{"x": 6.0}, USED_UP]
    assert trace.outcome.kind == "raised"
    error = trace.errors[trace.outcome.error]
    assert (trace.places[error.place].line, error.handled) == (6, False)


def test_an_error_that_the_snippet_catches_is_told_with_its_frames():
    trace = record(
        "import tensorflow as tf\n"
        "x = tf.Variable(3.0)\n"
        "def again(tape, y):\n"
        "    return tape.gradient(y, x)\n"
        "with tf.GradientTape() as tape:\n"
        "    y = x ** 2\n"
        "again(tape, y)\n"
        "try:\n"
        "    again(tape, y)\n"
        "except RuntimeError as error:\n"
        "    print(error)\n"
    )
    (error,) = trace.errors
    assert error.handled
    assert [(f.function, f.module) for f in error.frames] == [
        ("<module>", ""),
        ("again", ""),
        ("gradient", "tensorflow/python/eager/backprop.py"),
    ]
    assert [trace.places[f.place].line for f in error.frames[:2]] == [9, 4]
    assert trace.outcome.kind == "completed"


def test_a_persistent_tape_stops_again_after_each_call():
    trace = record(
        "import tensorflow as tf\n"
        "x = tf.constant(2.0)\n"
        "with tf.GradientTape(persistent=True) as t:\n"
        "    t.watch(x)\n"
        "    y = x * x\n"
        "    z = y * y\n"
        "print(t.gradient(y, x).numpy(), t.gradient(z, x).numpy())\n"
        "del t\n"
    )
    assert trace.tapes[0].persistent
    assert life(trace, "t") == [
        "created", "recording", "stopped", "rewinding", "stopped", "rewinding", "stopped", "deleted",
    ]  # fmt: skip
    assert calls(trace) == [{"x": 4.0}, {"x": 32.0}]
    assert printed(trace) == "4.0 32.0\n"


def test_stop_recording_pauses_and_its_ops_are_on_no_tape():
    trace = record(
        "import tensorflow as tf\n"
        "x = tf.Variable(3.0)\n"
        "with tf.GradientTape() as tape:\n"
        "    a = x * 2.0\n"
        "    with tape.stop_recording():\n"
        "        b = a * 3.0\n"
        "    c = a * 4.0\n"
        "print(tape.gradient(c, x).numpy())\n"
    )
    assert life(trace, "tape") == [
        "created", "recording", "paused", "recording", "stopped", "rewinding", "consumed",
    ]  # fmt: skip
    assert tape_names(trace, op(trace, "a * 3.0")) == []
    assert tape_names(trace, op(trace, "a * 4.0")) == ["tape"]
    assert calls(trace) == [{"x": 8.0}]


def test_reset_drops_the_ops_and_goes_on_recording():
    trace = record(
        "import tensorflow as tf\n"
        "x = tf.Variable(3.0)\n"
        "with tf.GradientTape() as tape:\n"
        "    a = x * 2.0\n"
        "    tape.reset()\n"
        "    b = x * 5.0\n"
        "print(tape.gradient([a, b], x).numpy())\n"
    )
    causes = [e.cause for e in trace.events if isinstance(e, TapeEvent)]
    assert causes == ["created", "entered", "reset", "left", "call", "returned"]
    assert calls(trace) == [{"x": 5.0}]


def test_entering_again_goes_on_and_entering_a_consumed_tape_starts_anew():
    trace = record(
        "import tensorflow as tf\n"
        "x = tf.Variable(3.0)\n"
        "tape = tf.GradientTape()\n"
        "with tape:\n"
        "    a = x * 2.0\n"
        "with tape:\n"
        "    b = a * a\n"
        "print(tape.gradient(b, x).numpy())\n"
        "with tape:\n"
        "    c = x * x\n"
        "print(tape.gradient(c, x).numpy())\n"
    )
    assert printed(trace) == "24.0\n6.0\n"
    assert life(trace, "tape") == [
        "created", "recording", "stopped", "recording", "stopped", "rewinding", "consumed",
        "recording", "stopped", "rewinding", "consumed",
    ]  # fmt: skip


def test_an_exception_leaves_the_block_and_what_was_recorded_stays():
    trace = record(
        "import tensorflow as tf\n"
        "x = tf.Variable(3.0)\n"
        "try:\n"
        "    with tf.GradientTape() as tape:\n"
        "        y = x * x\n"
        "        raise KeyError('enough')\n"
        "except KeyError:\n"
        "    pass\n"
        "print(tape.gradient(y, x).numpy())\n"
    )
    causes = [e.cause for e in trace.events if isinstance(e, TapeEvent)]
    assert causes == ["created", "entered", "left_by_error", "call", "returned"]
    assert calls(trace) == [{"x": 6.0}]


def test_gradient_inside_the_block_ends_the_recording():
    trace = record(
        "import tensorflow as tf\n"
        "x = tf.Variable(3.0)\n"
        "with tf.GradientTape() as tape:\n"
        "    y = x * x\n"
        "    g = tape.gradient(y, x)\n"
        "    z = x * 7.0\n"
    )
    assert life(trace, "tape") == ["created", "recording", "rewinding", "consumed"]
    assert tape_names(trace, op(trace, "x * 7.0")) == []


def test_nested_tapes_each_hold_what_they_watch():
    trace = record(
        "import tensorflow as tf\n"
        "x = tf.constant(2.0)\n"
        "y = tf.constant(3.0)\n"
        "with tf.GradientTape() as t1, tf.GradientTape() as t2:\n"
        "    t1.watch(x)\n"
        "    t2.watch(y)\n"
        "    a = x * x\n"
        "    z = tf.multiply(x, y)\n"
        "print(t1.gradient(z, x).numpy(), t2.gradient(z, y).numpy())\n"
    )
    assert tape_names(trace, op(trace, "x * x")) == ["t1"]
    assert tape_names(trace, op(trace, "tf.multiply(x, y)")) == ["t1", "t2"]
    assert printed(trace) == "3.0 2.0\n"


def test_watching_tells_by_hand_from_by_itself():
    trace = record(
        "import tensorflow as tf\n"
        "w = tf.Variable(2.0)\n"
        "frozen = tf.Variable(5.0, trainable=False)\n"
        "x = tf.constant(3.0)\n"
        "with tf.GradientTape() as tape:\n"
        "    tape.watch(x)\n"
        "    y = w * x + frozen\n"
    )
    watches = [e for e in trace.events if isinstance(e, WatchEvent)]
    assert [(e.by, e.tensor is None) for e in watches] == [("hand", False), ("read", True)]
    assert trace.tensors[watches[0].tensor].name == "x"
    assert trace.variables[watches[1].variable].name == "w"


def test_without_watch_accessed_variables_nothing_is_watched_by_itself():
    trace = record(
        "import tensorflow as tf\n"
        "v = tf.Variable(2.0)\n"
        "w = tf.Variable(3.0)\n"
        "with tf.GradientTape(watch_accessed_variables=False) as tape:\n"
        "    tape.watch(v)\n"
        "    y = v * w\n"
        "print(tape.gradient(y, [v, w]))\n"
    )
    assert not trace.tapes[0].watch_accessed_variables
    watches = [e for e in trace.events if isinstance(e, WatchEvent)]
    assert [(e.by, trace.variables[e.variable].name) for e in watches] == [("hand", "v")]
    assert calls(trace) == [{"v": 3.0, "w": None}]


def test_a_tape_does_not_record_another_threads_ops():
    trace = record(
        "import tensorflow as tf, threading\n"
        "x = tf.Variable(3.0)\n"
        "made = []\n"
        "def work():\n"
        "    made.append(x * 2.0)\n"
        "with tf.GradientTape() as tape:\n"
        "    thread = threading.Thread(target=work)\n"
        "    thread.start()\n"
        "    thread.join()\n"
        "print(tape.gradient(made[0], x))\n"
    )
    found = op(trace, "x * 2.0")
    assert (found.recorded_by, found.suspended, found.thread) == ((), "thread", 1)
    assert calls(trace) == [{"x": None}]


def test_tapes_of_keras_are_seen_and_told_apart():
    trace = record(
        "import tensorflow as tf\n"
        "model = tf.keras.Sequential([tf.keras.layers.Dense(1)])\n"
        "model.compile('sgd', 'mse', run_eagerly=True)\n"
        "model.fit(tf.ones([4, 2]), tf.ones([4, 1]), verbose=0, batch_size=4)\n"
    )
    assert [tape.owner for tape in trace.tapes] == ["library"]
    assert len(trace.gradients[0].results) == 2


def test_reset_after_the_block_raises_tensorflows_own_text():
    trace = record(
        "import tensorflow as tf\n"
        "x = tf.Variable(3.0)\n"
        "with tf.GradientTape(persistent=True) as tape:\n"
        "    y = x * x\n"
        "tape.reset()\n"
    )
    error = trace.errors[trace.outcome.error]
    assert (error.type, error.message) == ("ValueError", "Tape is not recording.")
    assert trace.places[error.place].line == 5
    assert error.text.endswith("ValueError: Tape is not recording.\n")
    assert "tapedeck" not in error.text


def test_the_snippet_may_delete_gradient_tape():
    trace = record(
        "import tensorflow as tf\n"
        "x = tf.Variable(3.0)\n"
        "Tape = tf.GradientTape\n"
        "del tf.GradientTape\n"
        "with Tape() as tape:\n"
        "    y = x * x\n"
        "print(tape.gradient(y, x).numpy())\n"
        "tf.GradientTape = None\n"
    )
    assert calls(trace) == [{"x": 6.0}]
    assert trace.outcome.kind == "completed"
