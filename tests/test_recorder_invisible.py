"""Recording does not change the run: the same output, values and errors with it as without."""

import re

import pytest

from running import plain, recorded

PROGRAMS = {
    "one tape": """
import tensorflow as tf
x = tf.Variable(3.0)
with tf.GradientTape() as tape:
    y = x ** 3 + tf.exp(-x) * 2
g = tape.gradient(y, x)
print(g, tape.watched_variables()[0].name)
try:
    tape.gradient(y, x)
except RuntimeError as error:
    print(type(error), error)
""",
    "life of a tape": """
import tensorflow as tf
x = tf.constant([1.0, 2.0])
tape = tf.GradientTape(persistent=True)
for act in ("tape.watch(x)", "tape.reset()", "tape.stop_recording().__enter__()",
            "tape.gradient(x, x)", "tape.jacobian(x, x)", "tape.__enter__()", "tape.__enter__()",
            "tape.watch(3)", "tape.gradient(None, x)", "tape.gradient(x, 'x')",
            "tape.gradient(x, x, unconnected_gradients='maybe')", "tape.batch_jacobian(x, x)",
            "tape.gradients(x, x)", "tf.GradientTape(persist=True)", "tape.gradient()"):
    try:
        exec(act)
        print(act, "went well", tape._recording)
    except Exception as error:
        print(act, type(error).__name__, error)
""",
    "failing ops": """
import tensorflow as tf, traceback
a, b = tf.ones([2, 3]), tf.ones([4])
for act in (lambda: a + b, lambda: tf.matmul(a, a), lambda: tf.concat([a, b], 0),
            lambda: tf.reshape(a, [7]), lambda: tf.constant("s") + 1, lambda: a[5, 5],
            lambda: tf.cast(a, "nothing"), lambda: tf.Variable(1.0).assign([1.0, 2.0]),
            lambda: tf.linalg.inv(tf.zeros([2, 2])), lambda: tf.ensure_shape(a, [1])):
    try:
        act()
    except Exception as error:
        print(type(error).__name__, str(error)[:400])
tf.gather(a, [9])
""",
    "numbers leave TensorFlow": """
import tensorflow as tf, numpy as np
t = tf.constant([[1.5, -2.0], [0.25, 4.0]])
print(np.sin(t), np.asarray(t).dtype, t.numpy().sum(), float(t[0, 0]), int(t[1, 1]), bool(t[0, 0] > 1))
print(f"{t[0, 0]:.3f}", len(t), [float(v) for v in t[0]], t[0, 1] == -2.0, hash(t.ref()) is not None)
u = t.numpy(); u[0, 0] = 99.0
print(t)
for bad in (lambda: float(t), lambda: int(tf.constant("x")), lambda: bool(tf.constant([1, 2]))):
    try:
        bad()
    except Exception as error:
        print(type(error).__name__, error)
""",
    "variables": """
import tensorflow as tf
v = tf.Variable([1.0, 2.0], name="weights")
w = tf.Variable(3, trainable=False)
print(v * 2, 2 - v, v @ tf.ones([2, 1]) if False else v[0], -v, abs(v), v ** 2, w // 2, v > 1.5)
v.assign_add([1.0, 1.0]).assign_sub([0.5, 0.5])
with tf.GradientTape() as tape:
    y = tf.concat([v, v], 0) + tf.stack([v[0], v[1], v[0], v[1]])
    z = tf.reduce_sum(tf.where([True, False], v, tf.stop_gradient(v)))
print(v, y, tape.gradient([y, z], v), len(tape.watched_variables()))
v.scatter_update(tf.IndexedSlices([7.0], [0])) if hasattr(v, "scatter_update") else None
print(v.numpy(), v.handle.dtype, v.shape)
""",
    "higher order": """
import tensorflow as tf
x = tf.Variable([0.3, 0.7])
with tf.GradientTape(persistent=True) as t3:
    with tf.GradientTape() as t2:
        with tf.GradientTape() as t1:
            y = tf.reduce_sum(tf.sin(x) ** 3)
        d1 = t1.gradient(y, x)
    d2 = t2.gradient(d1, x)
d3 = t3.gradient(d2, x)
hessian = t3.jacobian(d1, x)
print(d1, d2, d3, hessian)
""",
    "functions and control flow": """
import tensorflow as tf
traces = []
@tf.function
def f(x, n):
    traces.append(n)
    total = tf.zeros_like(x)
    for i in tf.range(n):
        if tf.reduce_sum(x) > 0.0:
            total += x * tf.cast(i, tf.float32)
        else:
            total -= x
    return total
w = tf.Variable([1.0, 2.0])
with tf.GradientTape() as tape:
    y = f(w, 3) + f(w, tf.constant(4)) + f(w, 3)
    c = tf.cond(y[0] > 0.0, lambda: y * 2.0, lambda: y)
    s = tf.map_fn(lambda v: v * v, c)
    k = tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a * w), [0, s])[1]
g = tape.gradient(k, w)
print(y, k, g, len(traces))
""",
    "custom rules": """
import tensorflow as tf
@tf.custom_gradient
def clipped(x):
    def grad(u):
        return tf.clip_by_value(u, -0.5, 0.5)
    return x * x, grad
v = tf.Variable(2.0)
@tf.custom_gradient
def with_variables(x):
    def grad(u, variables=None):
        return u * v, [u * 100.0 for _ in variables]
    return x * v, grad
@tf.recompute_grad
def again(x):
    return tf.sin(x) * tf.cos(x)
x = tf.Variable(3.0)
with tf.GradientTape() as tape:
    y = clipped(x) + with_variables(x) + again(x) + tf.grad_pass_through(tf.round)(x)
print(y, tape.gradient(y, [x, v]))
""",
    "forward mode": """
import tensorflow as tf
x = tf.constant([1.0, 2.0])
with tf.autodiff.ForwardAccumulator(x, tf.ones([2])) as acc:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(x ** 3)
    g = tape.gradient(y, x)
print(acc.jvp(y), acc.jvp(g), g)
""",
    "kinds of tensors": """
import tensorflow as tf
table = tf.Variable(tf.reshape(tf.range(8.0), [4, 2]))
r = tf.ragged.constant([[1.0, 2.0], [3.0]])
s = tf.sparse.from_dense([[0.0, 1.0], [2.0, 0.0]])
z = tf.Variable(1.0 + 2.0j, dtype=tf.complex64)
h = tf.Variable([1.0, 2.0], dtype=tf.float16)
with tf.GradientTape(persistent=True) as tape:
    tape.watch(r)
    a = tf.nn.embedding_lookup(table, [0, 0, 3])
    b = r * r
    c = tf.sparse.sparse_dense_matmul(s, table[:2])
    d = tf.abs(z) ** 2
    e = tf.reduce_sum(h * h)
print(tape.gradient(a, table), tape.gradient(b, r), tape.gradient(c, table))
print(tape.gradient(d, z), tape.gradient(e, h), tf.strings.join(["a", "b"]), tf.constant([]))
print(tape.gradient(a, [table, z], unconnected_gradients="zero"))
""",
    "keras by hand": """
import tensorflow as tf
model = tf.keras.Sequential([
    tf.keras.layers.Dense(4, activation="relu"), tf.keras.layers.BatchNormalization(),
    tf.keras.layers.Dropout(0.5), tf.keras.layers.Dense(1)])
adam = tf.keras.optimizers.Adam(0.01)
mse = tf.keras.losses.MeanSquaredError()
metric = tf.keras.metrics.Mean()
x = tf.random.normal([8, 3]); y = tf.random.normal([8, 1])
for step in range(3):
    with tf.GradientTape() as tape:
        loss = mse(y, model(x, training=True))
    grads = tape.gradient(loss, model.trainable_variables)
    adam.apply_gradients(zip(grads, model.trainable_variables))
    metric.update_state(loss)
    print(step, loss.numpy(), metric.result().numpy(), [g.name if hasattr(g, "name") else g.shape for g in grads])
print(model.layers[0].kernel.path, adam.iterations.numpy(), [w.numpy().sum() for w in model.weights])
""",
    "keras fit": """
import tensorflow as tf
model = tf.keras.Sequential([tf.keras.layers.LSTM(3), tf.keras.layers.Dense(1)])
model.compile("adam", "mse", metrics=["mae"])
x = tf.random.normal([8, 4, 2]); y = tf.random.normal([8, 1])
history = model.fit(x, y, epochs=2, verbose=0, batch_size=4)
print({k: [round(float(x), 5) for x in v] for k, v in sorted(history.history.items())})
""",
    "random numbers and warnings": """
import tensorflow as tf, numpy as np, random, warnings, sys
print(tf.random.normal([2]), tf.random.uniform([2]), np.random.rand(2), random.random())
print(tf.random.Generator.from_seed(3).normal([2]), tf.nn.dropout(tf.ones([8]), 0.5))
warnings.warn("once"); warnings.warn("twice")
print("to stderr", file=sys.stderr)
x = tf.constant(3)
with tf.GradientTape(persistent=True) as tape:
    tape.watch(x)
    y = tf.cast(x, tf.float32) * 2.0
    g = tape.gradient(y, x)
tf.print("tensors:", y, output_stream=sys.stdout)
print(g)
""",
    "several threads": """
import tensorflow as tf, threading
w = tf.Variable(2.0)
results = {}
def work(n):
    with tf.GradientTape() as tape:
        y = w * float(n)
    results[n] = tape.gradient(y, w).numpy()
threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
[t.start() for t in threads]; [t.join() for t in threads]
print(sorted(results.items()), threading.active_count())
""",
    "objects, generators and references": """
import tensorflow as tf, weakref, gc, sys
class Thing:
    def __init__(self):
        self.tape = tf.GradientTape(persistent=True)
        self.w = tf.Variable(3.0)
    def run(self):
        with self.tape:
            yield self.w * 2.0
            yield self.w * self.w
thing = Thing()
a, b = list(thing.run())
print(thing.tape.gradient([a, b], thing.w))
t = tf.ones([3]) * 2.0
gone = weakref.ref(t); del t; gc.collect()
tape_gone = weakref.ref(thing.tape); del thing.tape; gc.collect()
w_gone = weakref.ref(thing.w); del thing.w; gc.collect()
print(gone() is None, tape_gone() is None, w_gone() is None)
def f(n): return f(n + 1)
try:
    f(0)
except RecursionError as error:
    print(error)
print(__name__, __file__, sorted(k for k in globals() if not k.startswith("__")))
""",
    "an error at the end": """
import tensorflow as tf
def loss(w, x):
    return tf.reduce_sum(tf.matmul(w, x))
w = tf.Variable(tf.ones([2, 3]))
with tf.GradientTape() as tape:
    value = loss(w, tf.ones([2, 2]))
print(tape.gradient(value, w))
""",
    "an error from a gradient": """
import tensorflow as tf
@tf.custom_gradient
def wrong(x):
    def grad(u):
        raise ArithmeticError("my own rule")
    return x * 2.0, grad
x = tf.Variable(1.0)
with tf.GradientTape() as tape:
    y = wrong(x)
tape.gradient(y, x)
""",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_recorded_run_is_the_plain_run(name):
    without, with_it = plain(PROGRAMS[name]), recorded(PROGRAMS[name])
    assert same_everywhere(with_it.stdout) == same_everywhere(without.stdout)
    assert with_it.error == without.error
    assert with_it.values == without.values
    assert same_everywhere(with_it.stderr) == same_everywhere(without.stderr)
    assert same_everywhere(with_it.traceback) == same_everywhere(without.traceback)
    assert without.stdout or without.error, "the program shows nothing to compare"


def same_everywhere(text: str) -> str:
    """Without what differs between any two runs: addresses, times, temporary names."""
    text = re.sub(r"0x[0-9a-f]+|^[IWE]\d{4} [\d:.]+ +\d+ ", "~", text, flags=re.MULTILINE)
    return re.sub(r"__autograph_generated_file\w+|\d{4}-\d\d-\d\d [\d:.]+", "~", text)
