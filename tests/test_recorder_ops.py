"""Ops, values, places, names and groups of a recorded run."""

import math

from reading import code, op, ops, printed, tape_names, value
from running import record
from tapedeck.trace.document import (
    AssignEvent,
    ConstantEvent,
    ErrorEvent,
    ExitEvent,
    Limits,
    OpEvent,
    PrintEvent,
    ReadEvent,
)


def test_each_op_has_its_exact_place_inputs_outputs_and_value():
    trace = record(
        "import tensorflow as tf\n"
        "x = tf.Variable(3.0)\n"
        "with tf.GradientTape() as tape:\n"
        "    y = x * x + 2 * tf.sin(x)\n"
    )
    told = [(o.type, code(trace, o.place), value(trace, o.outputs[0])) for o in ops(trace)]
    assert told == [
        ("Mul", "x * x", 9.0),
        ("Sin", "tf.sin(x)", 0.14112),
        ("Mul", "2 * tf.sin(x)", 0.28224),
        ("AddV2", "x * x + 2 * tf.sin(x)", 9.28224),
    ]
    squared, _, doubled, total = ops(trace)
    assert total.inputs == (squared.outputs[0], doubled.outputs[0])
    two = trace.tensors[doubled.inputs[0]]
    assert (two.value.data, two.source) == (2.0, "python")
    assert trace.tensors[total.outputs[0]].name == "y"


def test_each_use_of_a_variable_is_a_read_of_its_own():
    trace = record(
        "import tensorflow as tf\n"
        "w = tf.Variable([1.0, 2.0])\n"
        "with tf.GradientTape() as tape:\n"
        "    y = tf.stack([w, w]) * w\n"
    )
    reads = [trace.ops[e.op] for e in trace.events if isinstance(e, ReadEvent)]
    assert [trace.variables[r.variable].name for r in reads] == ["w", "w", "w"]
    assert all(tape_names(trace, r) == ["tape"] for r in reads)
    stack = op(trace, "tf.stack([w, w])")
    assert stack.inputs == (reads[0].outputs[0], reads[1].outputs[0])


def test_assignments_tell_the_value_afterwards():
    trace = record(
        "import tensorflow as tf\n"
        "v = tf.Variable([1.0, 2.0])\n"
        "v.assign([3.0, 4.0])\n"
        "v.assign_add([1.0, 1.0])\n"
        "v.assign_sub([4.0, 0.0])\n"
        "v[0].assign(9.0)\n"
        "print(v.numpy())\n"
    )
    told = [value(trace, e.tensor) for e in trace.events if isinstance(e, AssignEvent)]
    assert told == [[3.0, 4.0], [4.0, 5.0], [0.0, 5.0], [9.0, 5.0]]
    assert printed(trace) == "[9. 5.]\n"


def test_constants_are_events_where_the_snippet_makes_them():
    trace = record(
        "import tensorflow as tf, numpy as np\n"
        "a = tf.constant([1, 2])\n"
        "b = tf.convert_to_tensor(np.ones(2, np.float32))\n"
        "c = tf.reduce_sum(b, axis=0)\n"
    )
    made = [trace.tensors[e.tensor] for e in trace.events if isinstance(e, ConstantEvent)]
    assert [(t.name, t.dtype, t.source, code(trace, t.place)) for t in made] == [
        ("a", "int32", "python", "tf.constant([1, 2])"),
        ("b", "float32", "numpy", "tf.convert_to_tensor(np.ones(2, np.float32))"),
    ]


def test_values_survive_json_whatever_they_are():
    trace = record(
        "import tensorflow as tf\n"
        "a = tf.constant([float('nan'), float('inf'), -float('inf'), -0.0, 0.1])\n"
        "b = tf.constant([2**62, -1], tf.int64)\n"
        "c = tf.constant(1 + 2j)\n"
        "d = tf.constant(['snow', 'é'])\n"
        "e = tf.constant([True, False])\n"
        "f = tf.constant([], tf.float32)\n"
        "g = tf.constant(1.5, tf.bfloat16)\n"
        "h = tf.constant(1e-7, tf.float64)\n"
    )
    data = {t.name: t.value.data for t in trace.tensors if t.name}
    assert data["a"][:3] == ["nan", "inf", "-inf"]
    assert data["a"][3] == 0.0
    assert math.copysign(1.0, data["a"][3]) == -1.0
    assert data["a"][4] == 0.1
    assert data["b"] == ["4611686018427387904", -1]
    assert data["c"] == "(1+2j)"
    assert data["d"] == ["snow", "é"]
    assert data["e"] == [True, False]
    assert data["f"] == []
    assert (data["g"], data["h"]) == (1.5, 1e-7)


def test_large_tensors_are_told_by_statistics_and_a_corner():
    trace = record(
        "import tensorflow as tf\n"
        "a = tf.reshape(tf.range(10000.0), [10, 1000])\n"
        "b = tf.where(a > 9990.0, float('nan'), a)\n"
        "c = tf.zeros([3000, 2000])\n"
        "d = tf.tensor_scatter_nd_update(c, [[7, 7], [1234, 567]], [7.0, float('nan')])\n"
    )
    values = {t.name: t.value for t in trace.tensors if t.name}
    a, b, c, d = (values[name] for name in "abcd")
    assert (a.data, a.min, a.max, a.mean, a.zero, a.nan) == (None, 0.0, 9999.0, 4999.5, 1, 0)
    assert a.l2 == 577307.0
    assert a.corner[1] == [1000.0, 1001.0, 1002.0, 1003.0]
    assert sum(a.histogram) == 10000
    assert max(a.histogram) == min(a.histogram) == 625
    assert (b.nan, b.max) == (9, 9990.0)
    assert c.sampled
    assert (d.sampled, d.nan, d.max) == (True, 1, 7.0)
    assert (c.min, c.max, c.l2) == (0.0, 0.0, 0.0)


def test_calls_iterations_and_scopes_are_nested_groups():
    trace = record(
        "import tensorflow as tf\n"
        "def step(x):\n"
        "    for k in range(2):\n"
        "        x = x * 2.0\n"
        "    return x\n"
        "x = tf.constant(1.0)\n"
        "for i in range(3):\n"
        "    with tf.name_scope('inside'):\n"
        "        y = step(x)\n"
        "z = x + 1.0\n"
    )

    def path(found):
        names = []
        group = found.group
        while group is not None:
            kept = trace.groups[group]
            names.append(kept.name if kept.index is None else kept.index)
            group = kept.parent
        return names[::-1]

    outer, inner = "for i in range(3)", "for k in range(2)"
    assert [path(o) for o in ops(trace) if o.type == "Mul"] == [
        [outer, i, "inside", "step", inner, k] for i in range(3) for k in range(2)
    ]
    assert path(op(trace, "x + 1.0")) == []
    loops = [g for g in trace.groups if g.kind == "loop"]
    assert [g.name for g in loops] == [outer, inner, inner, inner]


def test_keras_layers_losses_and_optimizers_are_groups_by_their_names():
    trace = record(
        "import tensorflow as tf\n"
        "class Net(tf.keras.Model):\n"
        "    def __init__(self):\n"
        "        super().__init__()\n"
        "        self.hidden = tf.keras.layers.Dense(2, name='hidden')\n"
        "    def call(self, x):\n"
        "        return tf.tanh(self.hidden(x))\n"
        "net = Net()\n"
        "mse = tf.keras.losses.MeanSquaredError()\n"
        "adam = tf.keras.optimizers.Adam()\n"
        "x = tf.ones([1, 3])\n"
        "with tf.GradientTape() as tape:\n"
        "    loss = mse(tf.zeros([1, 2]), net(x))\n"
        "grads = tape.gradient(loss, net.trainable_variables)\n"
        "adam.apply_gradients(zip(grads, net.trainable_variables))\n"
    )
    matmul = next(o for o in ops(trace) if o.type == "MatMul")
    chain = []
    group = matmul.group
    while group is not None:
        chain.append((trace.groups[group].kind, trace.groups[group].name))
        group = trace.groups[group].parent
    assert chain[::-1] == [("layer", "net"), ("function", "call"), ("layer", "hidden")]
    kinds = {(g.kind, g.name) for g in trace.groups}
    assert ("loss", "mean_squared_error") in kinds
    assert ("optimizer", "adam") in kinds
    sources = [trace.variables[s.variable] for s in trace.gradients[0].sources]
    assert [v.path for v in sources] == ["net/hidden/kernel", "net/hidden/bias"]


def test_names_of_attributes_tuples_lists_and_arguments():
    trace = record(
        "import tensorflow as tf\n"
        "class Box:\n"
        "    pass\n"
        "box = Box()\n"
        "box.w = tf.Variable(1.0)\n"
        "a, b = tf.constant(1.0), tf.constant(2.0)\n"
        "many = [tf.constant(3.0), tf.constant(4.0)]\n"
        "total = a\n"
        "total += b\n"
        "if (half := b / 2.0) > 0.0:\n"
        "    pass\n"
    )
    assert [v.name for v in trace.variables] == ["box.w"]
    named = {t.name: t.value.data for t in trace.tensors if t.name}
    assert named == {
        "a": 1.0, "b": 2.0, "many[0]": 3.0, "many[1]": 4.0, "total": 3.0, "half": 1.0,
    }  # fmt: skip


def test_leaving_tensorflow_is_an_event():
    trace = record(
        "import tensorflow as tf\n"
        "x = tf.constant(3.0)\n"
        "a = x.numpy()\n"
        "b = float(x)\n"
        "c = int(x)\n"
        "if x > 2.0:\n"
        "    pass\n"
        "print(f'{x}', x)\n"
        "v = tf.Variable(4.0)\n"
        "d = float(v)\n"
    )
    exits = [(e.how, code(trace, e.place)) for e in trace.events if isinstance(e, ExitEvent)]
    assert exits == [
        (".numpy()", "x.numpy()"),
        ("float()", "float(x)"),
        ("int()", "int(x)"),
        ("bool()", "x > 2.0"),
        ("float()", "float(v)"),
    ]


def test_output_comes_at_the_step_and_place_where_it_was_written():
    trace = record(
        "import tensorflow as tf, sys, warnings, os\n"
        "print('one\\ntwo')\n"
        "x = tf.constant(1.0) + 1.0\n"
        "print('err', file=sys.stderr)\n"
        "warnings.warn('careful')\n"
        "tf.print('from C++', x)\n"
        "os.write(1, b'raw\\n')\n"
        "tf.get_logger().warning('logged')\n"
        "print('no end', end='')\n"
    )
    told = [
        (e.stream, e.text, trace.places[e.place].line)
        for e in trace.events
        if isinstance(e, PrintEvent) and e.place is not None
    ]
    assert told[:2] == [("stdout", "one\ntwo\n", 2), ("stderr", "err\n", 4)]
    assert told[2][0] == "warning"
    assert "UserWarning: careful" in told[2][1]
    assert told[3] == ("stderr", "from C++ 2\n", 6)
    assert printed(trace) == "one\ntwo\nraw\nno end"
    assert printed(trace, "log") == "logged\n"
    added = next(i for i, e in enumerate(trace.events) if isinstance(e, OpEvent))
    first = next(i for i, e in enumerate(trace.events) if isinstance(e, PrintEvent))
    assert first < added


def test_a_failing_op_is_an_op_with_its_error():
    trace = record(
        "import tensorflow as tf\n"
        "a = tf.ones([2, 3])\n"
        "try:\n"
        "    tf.matmul(a, a)\n"
        "except tf.errors.InvalidArgumentError as error:\n"
        "    print(error.message[:25])\n"
        "b = tf.ones([4]) + tf.ones([5])\n"
    )
    failed = [trace.ops[e.op] for e in trace.events if isinstance(e, OpEvent)]
    failed = [o for o in failed if o.error is not None]
    assert [(o.type, code(trace, o.place), o.outputs) for o in failed] == [
        ("MatMul", "tf.matmul(a, a)", ()),
        ("AddV2", "tf.ones([4]) + tf.ones([5])", ()),
    ]
    assert [e.handled for e in trace.errors] == [True, False]
    assert trace.errors[1].message.endswith("Incompatible shapes: [4] vs. [5] [Op:AddV2] name: ")
    assert sum(isinstance(e, ErrorEvent) for e in trace.events) == 2
    assert trace.outcome.error == 1


def test_errors_tell_frames_cause_and_traceback():
    trace = record(
        "def inner(n):\n"
        "    return 1 / n\n"
        "try:\n"
        "    inner(0)\n"
        "except ZeroDivisionError as error:\n"
        "    raise ValueError('no') from error\n"
    )
    last = trace.errors[trace.outcome.error]
    assert (last.type, last.message, code(trace, last.place)) == (
        "ValueError",
        "no",
        "raise ValueError('no') from error",
    )
    cause = trace.errors[last.cause]
    assert [(f.function, code(trace, f.place)) for f in cause.frames] == [
        ("<module>", "inner(0)"),
        ("inner", "1 / n"),
    ]
    assert last.text.count("Traceback (most recent call last):") == 2
    assert "/work" not in last.text
    assert "tapedeck" not in last.text


def test_the_same_seed_gives_the_same_trace_and_another_one_another():
    source = (
        "import tensorflow as tf, numpy as np, random\n"
        "a = tf.random.normal([3])\n"
        "b = np.random.rand()\n"
        "c = random.random()\n"
        "m = tf.keras.layers.Dense(2)\n"
        "print(a.numpy(), b, c, m(tf.ones([1, 2])).numpy())\n"
    )
    assert record(source, seed=7) == record(source, seed=7)
    assert printed(record(source, seed=7)) != printed(record(source, seed=8))


def test_limits_end_the_recording_but_not_the_program():
    source = (
        "import tensorflow as tf\n"
        "x = tf.constant(1.0)\n"
        "for i in range(100):\n"
        "    x = x + 1.0\n"
        "print(x.numpy())\n"
    )
    trace = record(source, limits=Limits(ops=40))
    assert len(trace.ops) == 40
    assert trace.outcome.kind == "truncated"
    assert "40 ops" in trace.outcome.detail
    assert printed(trace) == "101.0\n"
    spoken = record("for i in range(1000):\n    print(i)\n", limits=Limits(output_bytes=50))
    assert printed(spoken) == "".join(f"{i}\n" for i in range(1000))[:50]
    assert spoken.outcome.kind == "truncated"


def test_leaving_by_exit_and_by_interrupt():
    left = record("import sys\nprint('a')\nsys.exit(3)\n")
    assert (left.outcome.kind, left.outcome.exit_code, printed(left)) == ("completed", 3, "a\n")
    worded = record("raise SystemExit('goodbye')\n")
    assert (worded.outcome.exit_code, printed(worded, "stderr")) == (1, "goodbye\n")
    interrupted = record("raise KeyboardInterrupt\n")
    assert interrupted.outcome.kind == "raised"
    assert interrupted.errors[0].hint == "interrupted_by_itself"


def test_nobody_is_there_to_type():
    trace = record("name = input('who? ')\n")
    error = trace.errors[trace.outcome.error]
    assert (error.type, error.hint) == ("EOFError", "no_input")


def test_source_that_does_not_parse_is_a_trace_with_its_place():
    trace = record("x = 3\ny = (x +\n")
    error = trace.errors[trace.outcome.error]
    assert (trace.outcome.kind, error.type) == ("raised", "SyntaxError")
    assert trace.places[error.place].line == 2
    assert trace.ops == ()


def test_autograph_and_inspect_find_the_source():
    trace = record(
        "import tensorflow as tf, inspect\n"
        "@tf.function\n"
        "def f(x):\n"
        "    if x > 0.0:\n"
        "        return x\n"
        "    return -x\n"
        "print(f(tf.constant(-2.0)).numpy())\n"
        "print(inspect.getsource(f.python_function).count('return'))\n"
    )
    assert printed(trace) == "2.0\n2\n"
    assert printed(trace, "stderr", "log", "warning") == ""
