"""`tf.function`: when it is traced and why, and the graph that its call opens into."""

from reading import calls, code, life, op, ops, printed, value
from running import record
from tapedeck.trace.document import AssignEvent, OpEvent, PrintEvent, TraceEvent

SCALED = (
    "import tensorflow as tf\n"
    "w = tf.Variable(2.0)\n"
    "@tf.function\n"
    "def scaled(x, n):\n"
    "    print('tracing', n)\n"
    "    if tf.reduce_sum(x) > 0.0:\n"
    "        x = x * w\n"
    "    for i in tf.range(n):\n"
    "        x = x + tf.sin(x)\n"
    "    return x\n"
)


def test_first_trace_again_and_cached_are_told_apart():
    trace = record(
        SCALED + "a = scaled(tf.constant([1.0, 2.0]), 2)\n"
        "b = scaled(tf.constant([3.0, 4.0]), 2)\n"
        "c = scaled(tf.constant([5.0]), 2)\n"
        "d = scaled(tf.constant([6.0]), 3)\n",
        mode="script",
    )
    begun = [e for e in trace.events if isinstance(e, TraceEvent) and e.phase == "begun"]
    assert [(e.function, e.again) for e in begun] == [
        ("scaled", False), ("scaled", True), ("scaled", True),
    ]  # fmt: skip
    assert begun[1].why == (
        "x: TensorSpec(shape=(2,), dtype=tf.float32) → TensorSpec(shape=(1,), dtype=tf.float32)"
    )
    assert begun[2].why == "n: Literal[2] → Literal[3]"
    told = [
        e.phase if isinstance(e, TraceEvent) else "call" if isinstance(e, OpEvent) else "print"
        for e in trace.events
        if isinstance(e, TraceEvent | PrintEvent | OpEvent)
    ]
    traced = ["begun", "print", "ended", "call"]
    assert told == [*traced, "call", *traced, *traced]


def test_a_call_opens_into_the_ops_of_its_graph():
    trace = record(SCALED + "a = scaled(tf.constant([1.0, 2.0]), 2)\n", mode="script")
    call = op(trace, "scaled(tf.constant([1.0, 2.0]), 2)")
    assert (call.type, call.rule) == ("scaled", "function")
    (body,) = call.bodies
    graph = trace.graphs[body]
    assert [graph.tensors[t].name for t in graph.inputs] == ["x", "w"]
    assert [graph.tensors[t].shape for t in graph.inputs] == [(2,), ()]
    shown = [o for o in graph.ops if not o.bookkeeping]
    assert [(o.type, code(trace, o.place)) for o in shown] == [
        ("Sum", "if tf.reduce_sum(x) > 0.0:"),
        ("If", "if tf.reduce_sum(x) > 0.0:"),
        ("StatelessWhile", "for i in tf.range(n):"),
    ]
    then, other = (trace.graphs[b] for b in shown[1].bodies)
    assert [o.type for o in then.ops if not o.bookkeeping] == ["Mul"]
    assert [o.type for o in other.ops if not o.bookkeeping] == []
    read = next(o for o in then.ops if o.type == "ReadVariableOp")
    assert code(trace, read.place) == "x = x * w"
    condition, loop = (trace.graphs[b] for b in shown[2].bodies)
    assert [o.type for o in loop.ops if not o.bookkeeping] == ["Sin", "AddV2"]
    assert "Less" in [o.type for o in condition.ops]


def test_the_same_graph_is_told_once():
    repeated = "x = tf.constant([1.0])\nfor i in range(3):\n    scaled(x, 2)\n"
    trace = record(SCALED + repeated, mode="script")
    bodies = [o.bodies for o in ops(trace) if o.rule == "function"]
    assert len(bodies) == 3
    assert len(set(bodies)) == 1


def test_a_function_is_rewound_as_one_op_whose_backward_graph_opens():
    trace = record(
        SCALED + "with tf.GradientTape() as tape:\n"
        "    y = scaled(tf.constant([1.0, 2.0]), 1)\n"
        "tape.gradient(y, w)\n"
    )
    (call,) = [o for o in ops(trace) if o.type == "scaled"]
    assert (call.rule, call.suspended, len(call.recorded_by)) == ("function", None, 1)
    backward = [o for o in trace.ops if o.call == 0 and o.bodies]
    assert len(backward) == 1
    assert trace.ops[backward[0].rewinds].type == "scaled"
    types = {o.type for o in trace.graphs[backward[0].bodies[0]].ops}
    assert "If" in types or "StatelessIf" in types


def test_a_tape_inside_a_function_is_symbolic_and_named():
    trace = record(
        "import tensorflow as tf\n"
        "w = tf.Variable(2.0)\n"
        "@tf.function\n"
        "def step(x):\n"
        "    with tf.GradientTape() as inner:\n"
        "        loss = w * x * x\n"
        "    return inner.gradient(loss, [w, x])\n"
        "print(step(tf.constant(5.0))[0].numpy())\n"
    )
    (tape,) = trace.tapes
    assert (tape.name, tape.owner, tape.symbolic) == ("inner", "snippet", True)
    assert code(trace, tape.place) == "with tf.GradientTape() as inner:"
    assert life(trace, "inner")[:5] == [
        "created", "recording", "stopped", "rewinding", "consumed",
    ]  # fmt: skip
    assert calls(trace) == [{"w": None, "x": None}]
    results = trace.gradients[0].results
    assert trace.tensors[results[0].tensor].shape == ()
    assert results[1].tensor is None
    assert value(trace, results[0].tensor) is None
    assert printed(trace) == "25.0\n"


def test_a_function_that_raises_while_it_is_traced():
    trace = record(
        "import tensorflow as tf\n"
        "@tf.function\n"
        "def broken(x):\n"
        "    raise ValueError('at trace time')\n"
        "broken(tf.constant(1.0))\n"
    )
    phases = [e.phase for e in trace.events if isinstance(e, TraceEvent)]
    assert phases == ["begun", "raised"]
    assert trace.errors[trace.outcome.error].type == "ValueError"


def test_what_a_function_does_to_its_variables_is_told_after_its_call():
    trace = record(
        "import tensorflow as tf\n"
        "w = tf.Variable(1.0)\n"
        "kept = tf.Variable(5.0)\n"
        "@tf.function\n"
        "def step():\n"
        "    w.assign_add(kept)\n"
        "    return w * 2.0\n"
        "for _ in range(2):\n"
        "    step()\n"
        "print(w.numpy())\n",
        mode="script",
    )
    assigns = [e for e in trace.events if isinstance(e, AssignEvent)]
    assert [(trace.variables[e.variable].name, value(trace, e.tensor)) for e in assigns] == [
        ("w", 6.0),
        ("w", 11.0),
    ]
    assert printed(trace) == "11.0\n"
