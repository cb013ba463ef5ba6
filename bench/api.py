"""A snippet of ten ops: through the API, and as a cold `python` process."""

import subprocess
import sys

from bench import server
from bench.pairs import interleaved, line

SNIPPET = """\
import tensorflow as tf

w = tf.Variable([1.0, 2.0, 3.0])
b = tf.Variable(0.5)
x = tf.constant([0.5, -1.0, 2.0])
with tf.GradientTape() as tape:
    a = w * x
    s = tf.reduce_sum(a)
    z = s + b
    y = tf.tanh(z)
    loss = tf.square(y - 1.0)
print(tape.gradient(loss, [w, b]))
"""


def measure() -> list[str]:
    """Aim: at least 50 times faster."""
    with server.running() as client:

        def through_api() -> None:
            answer = client.post("/api/traces", json={"source": SNIPPET})
            assert answer.json()["outcome"] == {}

        pair = interleaved(_cold, through_api, turns=7)
    holds = pair.ratio >= 50
    return [line("10 ops, cold python / API", pair, "cold", "API", "at least 50", holds)]


def _cold() -> None:
    subprocess.run([sys.executable, "-c", SNIPPET], check=True, capture_output=True)
