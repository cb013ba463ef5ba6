"""Gradient calls: targets, sources, results, each rewound op and each sum."""

import pytest

from reading import calls, code, life, op, ops, printed, rewinds, sums, tape_names, value
from running import record


def test_contributions_and_their_sum_are_told_op_by_op():
    trace = record(
        "import tensorflow as tf\n"
        "x = tf.Variable(3.0)\n"
        "with tf.GradientTape() as tape:\n"
        "    y = x * x + 2 * x\n"
        "g = tape.gradient(y, x)\n"
    )
    assert rewinds(trace) == [
        ("AddV2", [1.0], [1.0, 1.0]),
        ("Mul", [1.0], [3.0, 3.0]),
        ("Mul", [1.0], [3.0, 2.0]),
        ("ReadVariableOp", [3.0], [3.0]),
        ("ReadVariableOp", [3.0], [3.0]),
        ("ReadVariableOp", [2.0], [2.0]),
    ]
    assert sums(trace) == [("x", [3.0, 3.0, 2.0], 8.0)]
    result = trace.tensors[trace.gradients[0].results[0].tensor]
    assert (result.value.data, result.name) == (8.0, "g")


def test_a_sum_in_the_middle_belongs_to_the_tensor_it_is_for():
    trace = record(
        "import tensorflow as tf\n"
        "x = tf.constant(2.0)\n"
        "with tf.GradientTape() as tape:\n"
        "    tape.watch(x)\n"
        "    h = x * 3.0\n"
        "    y = h * h\n"
        "tape.gradient(y, x)\n"
    )
    assert sums(trace) == [("h", [6.0, 6.0], 12.0)]
    assert rewinds(trace) == [("Mul", [1.0], [6.0, 6.0]), ("Mul", [12.0], [36.0, None])]
    assert calls(trace) == [{"x": 36.0}]


def test_the_same_contribution_object_to_two_tensors_is_summed_for_each():
    trace = record(
        "import tensorflow as tf\n"
        "a = tf.Variable(1.0)\n"
        "b = tf.Variable(2.0)\n"
        "with tf.GradientTape() as tape:\n"
        "    y = (a + b) + (a + b)\n"
        "tape.gradient(y, [a, b])\n"
    )
    assert sums(trace) == [("a", [1.0, 1.0], 2.0), ("b", [1.0, 1.0], 2.0)]
    assert calls(trace) == [{"a": 2.0, "b": 2.0}]


@pytest.mark.parametrize(
    ("target", "sources", "wanted"),
    [
        ("[p, q]", "x", {"x": 7.0}),
        ("{'p': p, 'q': q}", "[x, w]", {"x": 7.0, "w": 3.0}),
        ("p", "{'b': w, 'a': x}", {"x": 6.0, "w": 0.0}),
        ("q", "(w, [x])", {"w": 3.0, "x": 1.0}),
        ("q", "parts", {"parts[0]": 1.0, "parts[1]": 3.0}),
        ("q", "sources=[w]", {"w": 3.0}),
    ],
)
def test_structures_of_targets_and_sources(target, sources, wanted):
    trace = record(
        "import tensorflow as tf\n"
        "x = tf.Variable(3.0)\n"
        "w = tf.Variable(1.0)\n"
        "parts = [x, w]\n"
        "with tf.GradientTape() as tape:\n"
        "    p = x * x + 0.0 * w\n"
        "    q = w * x\n"
        f"tape.gradient({target}, {sources})\n"
    )
    assert calls(trace) == [wanted]


def test_output_gradients_and_zero_for_unconnected():
    trace = record(
        "import tensorflow as tf\n"
        "x = tf.Variable(3.0)\n"
        "z = tf.Variable([1.0, 2.0])\n"
        "with tf.GradientTape() as tape:\n"
        "    y = x * x\n"
        "tape.gradient(y, [x, z], output_gradients=tf.constant(10.0),\n"
        "              unconnected_gradients='zero')\n"
    )
    call = trace.gradients[0]
    assert call.unconnected == "zero"
    assert [value(trace, t) for t in call.output_gradients] == [10.0]
    assert calls(trace) == [{"x": 60.0, "z": [0.0, 0.0]}]
    assert rewinds(trace)[0] == ("Mul", [10.0], [30.0, 30.0])


def test_a_second_derivative_shows_the_outer_tape_recording_the_inner_rewind():
    trace = record(
        "import tensorflow as tf\n"
        "x = tf.Variable(2.0)\n"
        "with tf.GradientTape() as outer:\n"
        "    with tf.GradientTape() as inner:\n"
        "        y = x ** 3\n"
        "    dy = inner.gradient(y, x)\n"
        "d2y = outer.gradient(dy, x)\n"
        "print(dy.numpy(), d2y.numpy())\n"
    )
    assert printed(trace) == "12.0 12.0\n"
    backward = [o for o in ops(trace) if o.call == 0]
    assert [o.type for o in backward] == ["Pow", "Mul"]
    assert all(tape_names(trace, o) == ["outer"] for o in backward)
    assert {trace.ops[o.rewinds].type for o in backward} == {"Pow"}
    assert life(trace, "inner")[-1] == life(trace, "outer")[-1] == "consumed"


def test_jacobian_and_batch_jacobian_are_one_call_each():
    trace = record(
        "import tensorflow as tf\n"
        "x = tf.Variable([[1.0, 2.0], [3.0, 4.0]])\n"
        "with tf.GradientTape(persistent=True) as tape:\n"
        "    y = x * x\n"
        "    s = tf.reduce_sum(y, 1)\n"
        "a = tape.jacobian(s, x)\n"
        "b = tape.batch_jacobian(y, x)\n"
        "c = tape.jacobian(s, x, experimental_use_pfor=False)\n"
        "print(tape.gradient(s, x).numpy())\n"
    )
    kinds = [(call.kind, call.vectorized) for call in trace.gradients]
    assert kinds == [
        ("jacobian", True), ("batch_jacobian", True), ("jacobian", False), ("gradient", None),
    ]  # fmt: skip
    rows = [[[2.0, 4.0], [0.0, 0.0]], [[0.0, 0.0], [6.0, 8.0]]]
    assert calls(trace)[0] == calls(trace)[2] == {"x": rows}
    assert calls(trace)[1] == {"x": [[[2.0, 0.0], [0.0, 4.0]], [[6.0, 0.0], [0.0, 8.0]]]}
    assert calls(trace)[3] == {"x": [[2.0, 4.0], [6.0, 8.0]]}
    assert life(trace, "tape").count("rewinding") == 4


def test_custom_gradients_and_functions_are_rewound_by_their_own_rule():
    trace = record(
        "import tensorflow as tf\n"
        "@tf.custom_gradient\n"
        "def halved(v):\n"
        "    return v * 3.0, lambda upstream: upstream * 0.5\n"
        "@tf.function\n"
        "def scaled(a, b):\n"
        "    return a * b\n"
        "x = tf.constant(2.0)\n"
        "w = tf.Variable(4.0)\n"
        "with tf.GradientTape() as tape:\n"
        "    tape.watch(x)\n"
        "    y = scaled(halved(x), w)\n"
        "tape.gradient(y, [x, w])\n"
    )
    rules = {o.type: o.rule for o in ops(trace) if o.rule}
    assert rules == {"halved": "custom_gradient", "scaled": "function"}
    assert rewinds(trace) == [("scaled", [1.0], [4.0, 6.0]), ("halved", [4.0], [2.0])]
    assert calls(trace) == [{"x": 2.0, "w": 6.0}]


def test_gradients_of_lookups_are_indexed_slices():
    trace = record(
        "import tensorflow as tf\n"
        "table = tf.Variable(tf.ones([5, 2]))\n"
        "with tf.GradientTape() as tape:\n"
        "    y = tf.reduce_sum(tf.gather(table, [1, 1, 3]))\n"
        "g = tape.gradient(y, table)\n"
    )
    result = trace.tensors[trace.gradients[0].results[0].tensor]
    assert result.form == "indexed_slices"
    values, indices = result.parts
    assert value(trace, values) == [[1.0, 1.0]] * 3
    assert value(trace, indices) == [1, 1, 3]


def test_the_names_are_those_at_the_call():
    trace = record(
        "import tensorflow as tf\n"
        "def compute_gradient(function, input_tensor):\n"
        "    with tf.GradientTape() as tape:\n"
        "        tape.watch(input_tensor)\n"
        "        output = function(input_tensor)\n"
        "    return tape.gradient(output, input_tensor)\n"
        "x = tf.constant(3.0)\n"
        "cube = compute_gradient(lambda x: x ** 3, x)\n"
        "square = compute_gradient(lambda x: x ** 2, x)\n"
    )
    assert calls(trace) == [{"input_tensor": 27.0}, {"input_tensor": 6.0}]
    assert [c.targets[0].text for c in trace.gradients] == ["output", "output"]
    assert [trace.tensors[c.results[0].tensor].name for c in trace.gradients] == ["cube", "square"]
    groups = [trace.groups[c.group] for c in trace.gradients]
    assert [(g.kind, g.name, code(trace, g.place)) for g in groups] == [
        ("function", "compute_gradient", "compute_gradient(lambda x: x ** 3, x)"),
        ("function", "compute_gradient", "compute_gradient(lambda x: x ** 2, x)"),
    ]


def test_an_op_without_a_gradient_raises_in_the_call():
    trace = record(
        "import tensorflow as tf\n"
        "x = tf.Variable([1.0, 2.0, 2.0])\n"
        "with tf.GradientTape() as tape:\n"
        "    y, _ = tf.unique(x)\n"
        "tape.gradient(y, x)\n"
    )
    assert calls(trace) == ["LookupError: gradient registry has no entry for: Unique"]
    assert life(trace, "tape")[-2:] == ["rewinding", "stopped"]
    assert trace.errors[trace.outcome.error].message.endswith("Unique")


def test_a_rewind_that_meets_none_sends_nothing():
    trace = record(
        "import tensorflow as tf\n"
        "x = tf.Variable(2.7)\n"
        "with tf.GradientTape() as tape:\n"
        "    y = tf.floor(x) * 2.0\n"
        "print(tape.gradient(y, x))\n"
    )
    assert calls(trace) == [{"x": None}]
    assert tape_names(trace, op(trace, "tf.floor(x)")) == ["tape"]
    assert rewinds(trace) == [("Mul", [1.0], [2.0, None]), ("Floor", [2.0], [None])]
