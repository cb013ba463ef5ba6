"""Findings: each kind from a snippet that has it, and none from snippets that have none."""

import pytest

from running import record
from tapedeck.diagnosis import diagnose, explanation
from tapedeck.trace.document import Trace

TF = "import numpy as np\nimport tensorflow as tf\n"


def found(trace: Trace) -> list[str]:
    """The codes of the findings."""
    return [finding.code for finding in trace.findings]


LIFE = {
    "TD101": (
        (
            "x = tf.Variable(3.0)\nwith tf.GradientTape() as t:\n    y = x * x\n"
            "t.gradient(y, x)\nt.gradient(y, x)\n"
        ),
        {"tape": "t", "method": "gradient", "line": 7, "used_line": 6, "used_method": "gradient"},
    ),
    "TD102": (
        "x = tf.Variable(3.0)\nt = tf.GradientTape(persistent=True)\ny = x * x\nt.gradient(y, x)\n",
        {"tape": "t", "method": "gradient", "line": 6, "made_line": 4},
    ),
    "TD103": (
        "x = tf.ones(2)\nt = tf.GradientTape()\nt.watch(x)\n",
        {"tape": "t", "line": 5, "since_line": 4},
    ),
    "TD104": (
        (
            "x = tf.Variable(3.0)\nc = tf.ones(2)\nwith tf.GradientTape() as t:\n    y = x * x\n"
            "t.gradient(y, x)\nt.watch(c)\n"
        ),
        {"tape": "t", "line": 8, "since_line": 7},
    ),
    "TD105": (
        "with tf.GradientTape() as t:\n    with t:\n        pass\n",
        {"tape": "t", "line": 4, "since_line": 3},
    ),
    "TD106": (
        (
            "x = tf.Variable(3.0)\nwith tf.GradientTape(persistent=True) as t:\n    y = x * x\n\n"
            "t.gradient(y, x)\nt.reset()\n"
        ),
        {"tape": "t", "method": "reset", "line": 8, "since_line": 5},
    ),
    "TD107": (
        "t = tf.GradientTape()\nwith t.stop_recording():\n    pass\n",
        {"tape": "t", "method": "stop_recording", "line": 4, "since_line": 3},
    ),
    "TD108": (
        "with tf.GradientTape() as t:\n    with t.stop_recording():\n        t.reset()\n",
        {"tape": "t", "method": "reset", "line": 5, "since_line": 4},
    ),
    "TD109": ("with tf.GradientTape as t:\n    pass\n", {"line": 3}),
    "TD110": (
        "x = tf.Variable(3.0)\nwith tf.GradientTape() as t:\n    y = x * x\nt.gradients(y, x)\n",
        {"line": 6, "used": "gradients", "method": "gradient"},
    ),
    "TD113": (
        (
            "x = tf.Variable(3.0)\nwith tf.GradientTape() as t:\n    with tf.GradientTape() as t:\n"
            "        y = x * x\n    g = t.gradient(y, x)\nt.gradient(g, x)\n"
        ),
        {
            "tape": "t",
            "method": "gradient",
            "line": 8,
            "used_line": 7,
            "used_method": "gradient",
            "made_line": 5,
            "outer_line": 4,
        },
    ),
    "TD114": (
        (
            "xs = [tf.Variable(3.0), tf.Variable(1.0)]\nwith tf.GradientTape() as t:\n"
            "    y = xs[0] * xs[1]\nfor x in xs:\n    t.gradient(y, x)\n"
        ),
        {"tape": "t", "method": "gradient", "line": 7, "used_line": 7, "used_method": "gradient"},
    ),
}


@pytest.mark.parametrize("code", LIFE)
def test_an_error_is_explained_by_what_made_it_inevitable(code: str) -> None:
    source, facts = LIFE[code]
    trace = diagnose(record(TF + source))
    assert trace.outcome.kind == "raised"
    [finding] = trace.findings
    assert (finding.code, finding.facts) == (code, facts)
    assert finding.error == trace.outcome.error
    assert trace.places[finding.places[0]].line == facts["line"]
    assert "{" not in explanation(finding)


VARIABLES = TF + "w = tf.Variable(2.0)\nx = tf.Variable(3.0)\n"
#: Code → what follows the imports and the variables `w` and `x` (lines 1 to 4), and the line of
#: the operation that the finding names. The gradient asked for at the end is that of `y` by `x`.
NONE: dict[str, tuple[str, int | None]] = {
    "TD201": ("x = tf.constant(3.0)\nwith tf.GradientTape() as t:\n    y = w * x\n", 7),
    "TD202": (
        "x = tf.Variable(3.0, trainable=False)\nwith tf.GradientTape() as t:\n    y = x * x\n",
        7,
    ),
    "TD203": (
        "with tf.GradientTape(watch_accessed_variables=False) as t:\n    y = x * x\n",
        6,
    ),
    "TD204": ("x = w * 2.0\nwith tf.GradientTape() as t:\n    y = x * x\n", 7),
    "TD205": (
        "x = tf.constant(3.0)\nwith tf.GradientTape() as t:\n    y = x * x\n    t.watch(x)\n",
        7,
    ),
    "TD206": (
        (
            "with tf.GradientTape() as t:\n    with t.stop_recording():\n        h = x * x\n"
            "    y = h * 2.0\n"
        ),
        7,
    ),
    "TD207": (
        (
            "with tf.GradientTape() as t:\n    t.gradient(w * w, w)\n    y = x * x\n"
            "with t:\n    z = x * 1.0\n"
        ),
        7,
    ),
    "TD208": ("with tf.GradientTape() as t:\n    h = x * x\ny = h[None]\n", 7),
    "TD209": (
        (
            "x = tf.constant(3.0)\nwith tf.GradientTape() as t:\n    c = tf.identity(x)\n"
            "    t.watch(c)\n    y = x * x\n"
        ),
        9,
    ),
    "TD210": ("with tf.GradientTape() as t:\n    y = tf.stop_gradient(x) * 2.0\n", 6),
    "TD212": (
        (
            "import threading\nout = []\nwith tf.GradientTape() as t:\n"
            "    th = threading.Thread(target=lambda: out.append(x * x))\n    th.start()\n"
            "    th.join()\n    y = out[0] * w\n"
        ),
        8,
    ),
    "TD213": (
        (
            "with tf.GradientTape() as t:\n    i = tf.cast(x, tf.int32)\n"
            "    y = tf.cast(i, tf.float32)\n"
        ),
        6,
    ),
    "TD214": (
        (
            "x = tf.constant(3)\nwith tf.GradientTape() as t:\n    t.watch(x)\n"
            "    y = tf.cast(x, tf.float32)\n"
        ),
        None,
    ),
    "TD215": ("y = x * x\nwith tf.GradientTape() as t:\n    pass\n", 5),
    "TD216": (
        (
            "try:\n    with tf.GradientTape() as t:\n        h = x * x\n        int('a')\n"
            "except ValueError:\n    y = h * 2.0\n"
        ),
        10,
    ),
    "TD217": (
        (
            "y = x * x\ntry:\n    with tf.GradientTape() as t:\n        int('a')\n        y = x * x\n"
            "except ValueError:\n    pass\n"
        ),
        5,
    ),
    "TD218": (
        "with tf.GradientTape() as t:\n    h = x * x\n    t.reset()\n    y = h * w\n",
        6,
    ),
    "TD219": ("with tf.GradientTape() as t:\n    y = x > 2.0\n", 6),
    "TD221": (
        (
            "with tf.GradientTape() as t:\n    with tf.GradientTape() as inner:\n        h = x ** 3\n"
            "y = inner.gradient(h, x)\n"
        ),
        None,
    ),
    "TD222": (
        "with tf.GradientTape(persistent=True) as t:\n    h = x ** 3\ny = t.gradient(h, x)\n",
        None,
    ),
    "TD223": ("with tf.GradientTape() as t:\n    y = tf.floor(x)\n", 6),
    "TD224": ("x = x.assign_add(1.0)\nwith tf.GradientTape() as t:\n    y = x * x\n", 7),
    "TD225": (
        (
            "with tf.GradientTape() as t:\n    h = x * x\n    with t.stop_recording():\n"
            "        t.gradient(h, x)\n    y = h * w\n"
        ),
        6,
    ),
    "TD230": ("with tf.GradientTape() as t:\n    y = w * w\n", None),
    "TD231": (
        (
            "v = tf.Variable(0.0)\nwith tf.GradientTape() as t:\n"
            "    v.assign(x * 2.0)\n    y = v * v\n"
        ),
        7,
    ),
    "TD232": (
        "with tf.GradientTape() as t:\n    n = np.sin(x.numpy())\n    y = w * n\n",
        6,
    ),
    "TD233": ("with tf.GradientTape() as t:\n    y = x * x\n    x = x + 1.0\n", 7),
    "TD234": (
        (
            "v = tf.Variable([1.0, 2.0])\nwith tf.GradientTape() as t:\n    y = v[0] * v[1]\n"
            "x = v[0]\n"
        ),
        8,
    ),
    "TD235": (
        (
            "with tf.GradientTape() as t:\n    with tf.GradientTape() as inner:\n        h = x * 3.0\n"
            "    y = inner.gradient(h, x)\n"
        ),
        None,
    ),
    "TD236": (
        (
            "n = np.float32(2.0)\nwith tf.GradientTape() as t:\n    y = w * tf.constant(n)\n"
            "x = tf.constant(n)\n"
        ),
        8,
    ),
    "TD237": ("with tf.GradientTape() as t:\n    if x > 1.0:\n        y = w * 2.0\n", 6),
    "TD238": (
        "x = tf.Variable(3.0, trainable=False)\nwith tf.GradientTape() as t:\n    y = w * w\n",
        None,
    ),
}


@pytest.mark.parametrize("code", NONE)
def test_none_is_explained_by_the_edge_that_breaks(code: str) -> None:
    source, line = NONE[code]
    trace = diagnose(record(f"{VARIABLES}{source}t.gradient(y, x)\n"))
    assert trace.outcome.kind == "completed", trace.outcome
    [result] = trace.gradients[-1].results
    assert result.tensor is None and result.finding is not None
    finding = trace.findings[result.finding]
    assert found(trace) == [code]
    assert finding.facts["source"] == "x"
    assert finding.facts.get("op_line") == line
    assert "{" not in explanation(finding)
    assert "{" not in explanation(finding, "ko")


def test_predict_is_named_as_what_cuts_the_path() -> None:
    trace = diagnose(
        record(
            "import tensorflow as tf\n"
            "m = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(1)])\n"
            "with tf.GradientTape() as tape:\n"
            "    p = m.predict(tf.ones((4, 2)), verbose=0)\n"
            "    loss = tf.reduce_mean((p - 1.0) ** 2)\n"
            "tape.gradient(loss, m.trainable_variables)\n"
        )
    )
    assert found(trace) == ["TD239"]
    assert trace.findings[0].facts["op_line"] == 4
    assert trace.findings[0].facts["back_line"] == 5


def test_variables_of_one_layer_share_a_finding() -> None:
    trace = diagnose(
        record(
            "import tensorflow as tf\n"
            "model = tf.keras.Sequential([tf.keras.Input((1,)), tf.keras.layers.Dense(1)])\n"
            "p = model(tf.ones((2, 1)))\n"
            "with tf.GradientTape() as tape:\n"
            "    loss = tf.reduce_mean(p)\n"
            "grads = tape.gradient(loss, model.trainable_variables)\n"
            "tf.keras.optimizers.SGD().apply_gradients(zip(grads, model.trainable_variables))\n"
        )
    )
    assert sorted(found(trace)) == ["TD215", "TD312"]
    assert [result.finding for result in trace.gradients[0].results] == [1, 1]
    assert trace.findings[1].facts["source"] == (
        "model.trainable_variables[0], model.trainable_variables[1]"
    )


ARGUMENTS = {
    "TD301": "t.gradient(None, x)",
    "TD302": "t.gradient(y, [x, None])",
    "TD303": "t.gradient(float(y), x)",
    "TD304": "t.gradient(y, x, unconnected_gradients='zeros')",
    "TD305": "t.watch(3.0)",
    "TD306": "t.gradient(y, tf.sparse.from_dense([1.0]))",
    "TD307": "t.jacobian(y, x, experimental_use_pfor=False)",
    "TD308": "t.batch_jacobian(tf.ones((2, 2)) * y, tf.ones((3, 2)))",
    "TD311": "tf.gradients(y, x)",
    "TD314": "t.gradient(y, (v for v in [x]))",
    "TD315": "t.jacobian([y], x)",
}


@pytest.mark.parametrize("code", ARGUMENTS)
def test_what_was_handed_over_is_explained(code: str) -> None:
    call = ARGUMENTS[code]
    trace = diagnose(
        record(f"{VARIABLES}with tf.GradientTape() as t:\n    y = x * w\n    {call}\n")
    )
    assert trace.outcome.kind == "raised"
    assert found(trace) == [code]
    assert trace.findings[0].facts["line"] == 7
    assert "{" not in explanation(trace.findings[0])


def test_an_op_without_a_registered_gradient_is_named() -> None:
    trace = diagnose(
        record(
            f"{VARIABLES}with tf.GradientTape() as t:\n"
            "    y = tf.raw_ops.MatrixLogarithm(input=tf.cast([[x]], tf.complex64))\n"
            "t.gradient(y, x)\n"
        )
    )
    assert found(trace) == ["TD309"]
    assert trace.findings[0].facts["found"] == "MatrixLogarithm"
    assert trace.findings[0].facts["op_line"] == 6


def test_a_loop_that_fails_the_same_way_each_time_is_told_once() -> None:
    trace = diagnose(
        record(
            f"{VARIABLES}for i in range(3):\n    t = tf.GradientTape()\n    try:\n"
            "        t.reset()\n    except ValueError:\n        pass\n"
        )
    )
    assert found(trace) == ["TD107"]


def test_a_none_inside_a_traced_function_is_not_judged() -> None:
    trace = diagnose(
        record(
            f"{VARIABLES}@tf.function\ndef step():\n    with tf.GradientTape() as t:\n"
            "        y = tf.floor(x)\n    return t.gradient(y, x) is None\nprint(step())\n"
        )
    )
    assert trace.outcome.kind == "completed"
    assert found(trace) == []


def levels(source: str) -> dict[str, str]:
    """Code → level of the findings of a snippet."""
    return {f.code: f.level for f in diagnose(record(source)).findings}


def test_a_none_that_the_snippet_leaves_out_is_no_problem() -> None:
    source = TF + (
        "a, b = tf.Variable(1.0), tf.Variable(2.0)\nwith tf.GradientTape() as t:\n    y = a * a\n"
        "gs = t.gradient(y, [a, b])\n"
    )
    assert levels(source) == {"TD230": "problem"}
    left_out = "pairs = [(g, v) for g, v in zip(gs, [a, b]) if g is not None]\n"
    assert levels(source + left_out) == {"TD230": "hint"}


def test_a_second_derivative_of_zero_is_no_problem() -> None:
    source = TF + (
        "x = tf.Variable(1.0)\nwith tf.GradientTape() as t2:\n"
        "    with tf.GradientTape() as t1:\n        y = 3.0 * x\n    g = t1.gradient(y, x)\n"
        "t2.gradient(g, x)\n"
    )
    assert levels(source) == {"TD235": "hint"}


def test_a_used_up_tape_is_a_problem_also_where_its_error_is_caught() -> None:
    source = TF + (
        "x = tf.Variable(1.0)\nwith tf.GradientTape() as t:\n    y = x * x\nt.gradient(y, x)\n"
        "try:\n    t.gradient(y, x)\nexcept RuntimeError as e:\n    print(e)\n"
    )
    assert levels(source) == {"TD101": "problem"}


@pytest.mark.parametrize(
    ("source", "cut"),
    [
        ("x = np.array([1.0, 2.0])\ny = np.sum(x**2)\n", "np.sum(x**2)"),
        ("import math\nx = 2.0\ny = math.sin(x)\n", "math.sin(x)"),
        ("x = 2.0\ny = float(x) ** 2\n", "float(x)"),
    ],
)
def test_an_expression_that_leaves_tensorflow_is_told_where(source: str, cut: str) -> None:
    trace = diagnose(record(source))
    assert trace.outcome.kind == "completed"
    [finding] = trace.findings
    assert (finding.code, finding.facts["expression"]) == ("TD232", cut)
