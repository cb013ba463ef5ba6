"""Expressions mode: what is chosen, what runs, and that the script shown does the same."""

import ast
from typing import Any

import pytest

from running import record
from tapedeck.recorder.prepare import prepare
from tapedeck.trace.document import Trace


def results(trace: Trace, call: int = -1) -> list[Any]:
    """What a gradient call gave, as plain numbers; None where it gave None."""
    tensors = [result.tensor for result in trace.gradients[call].results]
    return [None if t is None else _data(trace, t) for t in tensors]


def _data(trace: Trace, tensor: int) -> Any:
    value = trace.tensors[tensor].value
    return None if value is None else value.data


PROGRAMS: list[tuple[str, tuple[str, ...], str, list[Any]]] = [
    ("x = 3.0\ny = x**2 + 2*x\n", ("x",), "y", [8.0]),
    ("x = 3\ny = x**2 + 2*x\n", ("x",), "y", [8.0]),
    ("x = 3.0\nx**2", ("x",), "x**2", [6.0]),
    ("x = 3.0\nprint(x**2)\n", ("x",), "x**2", [6.0]),
    ("x = 3.0\ny = x**2\nprint(y)\n", ("x",), "y", [6.0]),
    ("a = 2.0; b = -1.5  # two\nc = a * b\n", ("a", "b"), "c", [-1.5, 2.0]),
    ("x = [1.0, 2.0]\ntf.reduce_sum(x * x)\n", ("x",), "tf.reduce_sum(x * x)", [[2.0, 4.0]]),
    ("x = [[1, 2], [3, 4]]\ny = tf.square(x)\n", ("x",), "y", [[[2.0, 4.0], [6.0, 8.0]]]),
    ("x = np.array([1.0, 2.0])\ny = 3.0 * x\n", ("x",), "y", [[3.0, 3.0]]),
    ("x = 2 * np.pi\ny = tf.cos(x)\n", ("x",), "y", [-1.7484555e-07]),
    ("import math\nx = 2*3\ny = x / 2\n", ("x",), "y", [0.5]),
    (
        (
            "import tensorflow as tf\n\nw = tf.Variable(2.0)\nx = tf.constant([1.0, 3.0])\n"
            "# the prediction\ny = w * x\n"
        ),
        ("x",),
        "y",
        [[2.0, 2.0], 4.0],
    ),
    ("x = 2.0\nx = x * x\ny = 3 * x\n", ("x",), "y", [12.0]),
    ("x = 2.0\ny = x * x\nx = 5.0\nz = x * y\n", ("x",), "z", [20.0, 4.0]),
    ("def f(t):\n    return t ** 3\n\nx = 2.0\nf(x)\n", ("x",), "f(x)", [12.0]),
    ("n = 2\nxs = [1.0, 2.0, 3.0]\ny = xs[n] * xs[0] ** n\n", ("xs",), "y", [[6.0, 0.0, 1.0]]),
    ("axis = 1\nx = [[1.0, 2.0]]\ny = tf.reduce_sum(x, axis)\n", ("x",), "y", [[[1.0, 1.0]]]),
    ("x = 3.0\ny: float = x * x\ny += x\n", ("x",), "y", [7.0]),
    ("tape = 2.0\ny = tape ** 2\n", ("tape",), "y", [4.0]),
    ("x, n, w = 2.0, 3, 5\ny = w * x**n\n", ("x", "w"), "y", [60.0, 8.0]),
    ("x = 3.0\na, b = x * x, x\n", ("x",), "a, b", [7.0]),
    ("a, b = 2.0, 3.0\na**b\n", ("a", "b"), "a**b", [12.0, 5.5451775]),
    ("x = np.float32(3.0)\ny = x * x\n", ("x",), "y", [6.0]),
    (
        "x = [1.0, 2.0]\ny = tf.reduce_sum(tf.square(x) * [1., 10.])\n",
        ("x",),
        "y",
        [[2.0, 40.0]],
    ),
    ("b = 2.0\ny = 3.0 ** b\n", ("b",), "y", [9.88751]),
    ('"""A doc."""\nx = 1.0\ns = """a\n  b"""\ny = 2 * x\n', ("x",), "y", [2.0]),
]


@pytest.mark.parametrize(("source", "watched", "target", "expected"), PROGRAMS)
def test_runs_under_a_tape_and_so_does_the_script(
    source: str, watched: tuple[str, ...], target: str, expected: list[Any]
) -> None:
    trace = record(source)
    assert trace.outcome.kind == "completed", trace.outcome
    snippet = trace.snippet
    assert (snippet.mode, snippet.watched, snippet.target) == ("expressions", watched, target)
    assert results(trace) == expected
    assert [tape.owner for tape in trace.tapes] == ["tapedeck"]
    assert snippet.script is not None
    script = record(snippet.script, "script")
    assert script.outcome.kind == "completed", script.outcome
    assert script.snippet.repairs == ()
    assert results(script) == expected


def test_the_script_keeps_the_lines_and_comments() -> None:
    source = "# a line\nx = 3.0  # the input\n\n# the square\ny = x**2  # of x\n# the end\n"
    assert (
        prepare(source).snippet.script
        == """\
import tensorflow as tf

# a line
x = tf.constant(3.0)  # the input

with tf.GradientTape() as tape:
    tape.watch(x)
    # the square
    y = x**2  # of x

print(tape.gradient(y, x))

# the end
"""
    )


def test_added_nodes_stand_at_the_places_they_are_about() -> None:
    prepared = prepare("x = 3.0\ny = x * x\n")
    assert prepared.tree is not None
    assign, block, gradient = prepared.tree.body
    assert isinstance(assign, ast.Assign) and isinstance(block, ast.With)
    assert _place(assign.value) == (1, 4, 7)
    assert _place(block.body[0]) == (1, 0, 1)
    assert ast.unparse(block.body[0]) == "tape.watch(x)"
    assert _place(block) == (2, 0, 9)
    assert _place(gradient) == (2, 0, 1)
    assert prepared.tape == "tape"


def _place(node: ast.expr | ast.stmt) -> tuple[int, int, int | None]:
    return node.lineno, node.col_offset, node.end_col_offset


def test_a_whole_number_read_as_a_float_is_told() -> None:
    [repair] = prepare("x = 3\ny = x * x\n").snippet.repairs
    assert (repair.code, repair.lines, repair.text) == ("float", (1,), "x = 3.0")


@pytest.mark.parametrize(
    "source",
    [
        "x = 3.0\nwith tf.GradientTape() as tape:\n    tape.watch(x)\n",
        "x = 3.0\nfor i in range(3):\n    x = x * x\n",
        "x = 3.0\nif x > 2:\n    y = x\n",
        "model = tf.keras.Sequential()\nmodel.fit(x, y)\n",
        "print('hello')\n",
        "import os\nprint(os.getcwd())\n",
        "def f(x):\n    return x\n",
        "a = 'text'\nb = a + 'more'\n",
        "",
    ],
)
def test_everything_else_is_a_script(source: str) -> None:
    prepared = prepare(source)
    assert prepared.mode == "script"
    assert prepared.snippet.script is None


def test_the_mode_can_be_set() -> None:
    loop = "x = 3.0\ny = x\nfor i in range(2):\n    y = y * x\nz = y * 1.0\n"
    assert prepare(loop, "expressions").mode == "expressions"
    assert results(record(loop, "expressions")) == [27.0]
    assert prepare("x = 3.0\ny = x * x\n", "script").mode == "script"


@pytest.mark.parametrize(
    ("source", "watched"),
    [
        ("n = 3\nx = 2.0\ny = x ** n\n", ("x",)),
        ("k = 1\nx = [1.0, 2.0]\ny = x[k]\n", ("x",)),
        ("k = 1\nm = k + 1\nx = [1.0, 2.0, 3.0]\ny = x[m] * k\n", ("x",)),
        ("size = 3\nx = 2.0\ny = tf.zeros(size) + x\n", ("x",)),
        ("rate = 0.5\nx = 2.0\ny = tf.nn.leaky_relu(x, alpha=rate)\n", ("x",)),
        ("unused = 1.0\nx = 2.0\ny = x * x\n", ("x",)),
        ("x = 2.0\nlimit = 5.0\ny = x * x\nbig = y > limit\nz = y * 2\n", ("x",)),
        ("flag = True\nx = 2.0\ny = x * x\n", ("x",)),
        ("x = tf.constant([1, 2], dtype=tf.int32)\nw = 2.0\ny = w * w\n", ("w",)),
    ],
)
def test_only_what_it_means_something_for_is_watched(source: str, watched: tuple[str, ...]) -> None:
    assert prepare(source).snippet.watched == watched


@pytest.mark.parametrize(
    "source",
    [
        "x = [1.0, 2.0]; x.append(3.0); print(sum(x))",
        "x = 1.0\nassert isinstance(x, float)\ny = x * 2\n",
        "import json\nx = 1.0\njson.dumps({'x': x})\n",
        "x = 1.55\nround(x, 1)\n",
        "x = 7.0\ndivmod(x, 3)\n",
        "x = 1.0\nx.is_integer()\n",
        "import os; print(os.write(1, b'raw')); x = 1",
        "x = [1.0, 2.0]\nx[0] = 3.0\nprint(sum(x))\n",
        "x = 3\nprint(f'{x:d}')\ny = x * 2\n",
        "x = 2.0\ndef f(a):\n    return round(a)\nprint(f(x))\n",
        "a = [1.0, 2.0]\nb = [3.0]\nprint(a + b)\n",
        "x = [1.0, 2.0]\nprint(*x)\n",
        "x = 3.0\nprint(v * 2 for v in [x])\n",
    ],
)
def test_what_needs_python_objects_is_a_script(source: str) -> None:
    assert prepare(source).mode == "script"


MORE: list[tuple[str, str, list[Any]]] = [
    ("from tensorflow import constant\nx = constant(2.0)\nx**3\n", "x**3", [12.0]),
    ("x = tf.range(1.0, 3.0)\ny = tf.reduce_sum(x**2)\n", "y", [[2.0, 4.0]]),
    ("x = y = 2.0\nz = x * x * y\n", "z", [8.0, 4.0]),
    (
        "k = 2\nx = tf.constant([1., 5., 3.])\ntf.math.top_k(x, k).values\n",
        "tf.math.top_k(x, k).values",
        [[0.0, 1.0, 1.0]],
    ),
    ("x = 3.0\nprint(x**2\n      + x)\n", "x**2 + x", [7.0]),
    ("x = 3.0\nprint((x**2\n + x), end='!')\n", "x**2 + x", [7.0]),
    ("x = 3.0\nw = 2.0\nprint(x * w)\n", "x * w", [2.0, 3.0]),
    ("x = 3.0\nprint(y := x * 2)\n", "y := x * 2", [2.0]),
    ("x = 3.0\ny = x**2\nprint('%.2f' % y)\n", "y", [6.0]),
]


@pytest.mark.parametrize(("source", "target", "expected"), MORE)
def test_the_last_value_is_differentiated(source: str, target: str, expected: list[Any]) -> None:
    trace = record(source)
    assert trace.outcome.kind == "completed", trace.outcome
    assert (trace.snippet.mode, trace.snippet.target) == ("expressions", target)
    assert results(trace) == expected
    assert trace.snippet.script is not None
    assert results(record(trace.snippet.script, "script")) == expected


def test_a_branch_is_differentiated_by_the_name_that_it_assigns() -> None:
    trace = record("x = 3.0\nif x > 1:\n    y = x**2\nelse:\n    y = x\n", "expressions")
    assert trace.snippet.target == "y"
    assert results(trace) == [6.0]
