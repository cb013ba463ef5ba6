"""Programs recorded and plain, in one process."""

import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")

import contextlib
import io

from bench.pairs import Work, interleaved, line
from tapedeck import recorder

TRAINING = """\
import tensorflow as tf
tf.random.set_seed(0)
x = tf.random.normal([32, 8])
y = tf.random.normal([32, 1])
w1 = tf.Variable(tf.random.normal([8, 16]) * 0.1)
b1 = tf.Variable(tf.zeros([16]))
w2 = tf.Variable(tf.random.normal([16, 1]) * 0.1)
b2 = tf.Variable(tf.zeros([1]))
for step in range(100):
    with tf.GradientTape() as tape:
        hidden = tf.nn.relu(x @ w1 + b1)
        loss = tf.reduce_mean(tf.square(hidden @ w2 + b2 - y))
    variables = [w1, b1, w2, b2]
    for variable, gradient in zip(variables, tape.gradient(loss, variables)):
        variable.assign_sub(0.1 * gradient)
"""
MATMULS = """\
import tensorflow as tf
tf.random.set_seed(0)
w = tf.Variable(tf.random.normal([1024, 1024]) * 0.01)
x = tf.random.normal([1024, 1024])
with tf.GradientTape() as tape:
    y = x
    for _ in range(8):
        y = y @ w
    loss = tf.reduce_sum(y)
g = tape.gradient(loss, w)
"""


def measure() -> list[str]:
    """Aims: at most 2 times plain on the loop, at most 1.1 on the matmuls."""
    loop = interleaved(_recorded(TRAINING), _plain(TRAINING), turns=9)
    matmuls = interleaved(_recorded(MATMULS), _plain(MATMULS), turns=9)
    return [
        line("training loop, 100 steps", loop, "recorded", "plain", "at most 2", loop.ratio <= 2),
        line(
            *("1024 x 1024 matmuls", matmuls, "recorded", "plain", "at most 1.1"),
            matmuls.ratio <= 1.1,
        ),
    ]


def _recorded(source: str) -> Work:
    def work() -> None:
        # What the child does for each run: the trace goes out piece by piece.
        payloads: list[bytes] = []
        recorder.stream(source, payloads.append, "script")
        assert b'["outcome",0,{}]' in payloads[-1]

    return work


def _plain(source: str) -> Work:
    code = compile(source, "<plain>", "exec")

    def work() -> None:
        with contextlib.redirect_stdout(io.StringIO()):
            exec(code, {"__name__": "__main__"})  # noqa: S102  (our own text)

    return work
