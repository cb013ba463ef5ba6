"""Strange programs run as they do in Python, and lose nothing of their recording."""

import pytest

from reading import calls, printed
from running import plain, record, recorded
from tapedeck.trace.document import Limits

STRANGE = {
    "values with code of their own": """
class Loud(list):
    def __len__(self):
        print("len"); return 2
    def __iter__(self):
        print("iter"); return iter([1, 2])
    @property
    def __class__(self):
        print("class"); return list
loud = Loud()
pair = loud
class Endless(list):
    def __iter__(self):
        while True:
            yield 1
endless = Endless()
import weakref
class Thing: pass
thing = Thing(); proxy = weakref.proxy(thing); del thing
again = proxy
print("done")
""",
    "targets that are not names": """
l = [0, 0]
for l[(lambda z: z)(1)] in (7, 8):
    pass
for l[max(j for j in range(2))] in (1,):
    pass
for (a, *b), c in [((1, 2, 3), 4)]:
    print(a, b, c)
(p, (q, r)), s = (1, (2, 3)), 4
print(l, p, q, r, s)
""",
    "at exit": """
import atexit
atexit.register(print, "registered first")
@atexit.register
def last():
    print("registered last")
print("end")
""",
    "a thread that outlives the last line": """
import threading, time
def work():
    time.sleep(1.5)
    print("late")
threading.Thread(target=work).start()
print("end")
""",
    "surrogates": """
import sys
try:
    print("a\\ud800")
except UnicodeEncodeError as error:
    print(error.reason)
print("b\\ud800", file=sys.stderr)
""",
    "coroutines": """
import asyncio
async def double(x):
    await asyncio.sleep(0)
    return x * 2
async def main():
    async for y in numbers():
        print(await double(y))
async def numbers():
    for i in range(2):
        yield i
asyncio.run(main())
""",
    "a chain of a thousand": "x = 1.0\ny = " + " + ".join(["x"] * 1000) + "\nprint(y)\n",
}


#: What Python does when the process ends; `plain` is not the end of one.
AT_THE_END = {
    "at exit": "end\nregistered last\nregistered first\n",
    "a thread that outlives the last line": "end\nlate\n",
}


@pytest.mark.parametrize("name", STRANGE)
def test_a_strange_program_runs_as_in_python(name: str) -> None:
    without, with_it = plain(STRANGE[name]), recorded(STRANGE[name])
    if name not in AT_THE_END:
        assert with_it.stdout == without.stdout
    assert with_it.stderr == without.stderr
    assert with_it.error == without.error is None


@pytest.mark.parametrize("name", AT_THE_END)
def test_a_program_runs_to_its_very_end(name: str) -> None:
    assert printed(record(STRANGE[name], "script")) == AT_THE_END[name]


def test_threads_that_never_end_are_waited_for_half_the_wall_limit() -> None:
    source = "import threading, time\n"
    source += "threading.Thread(target=lambda: time.sleep(60)).start()\nprint('end')\n"
    trace = record(source, limits=Limits(wall_seconds=1.0))
    assert trace.outcome.kind == "completed"
    assert trace.outcome.detail == "One thread of the snippet still ran 0.5 s later."


def test_an_error_whose_text_no_json_can_carry() -> None:
    trace = record("raise ValueError('\\udfff')\n")
    assert trace.errors[trace.outcome.error].message == "\\udfff"


def test_a_snippet_that_takes_the_hooks_off() -> None:
    trace = record(
        "import tensorflow as tf\n"
        "from tensorflow.python.framework import op_callbacks\n"
        "x = tf.Variable(3.0)\n"
        "with tf.GradientTape() as tape:\n"
        "    y = x * x\n"
        "print(tape.gradient(y, x).numpy())\n"
        "op_callbacks.clear_op_callbacks()\n"
    )
    assert (trace.outcome.kind, printed(trace)) == ("completed", "6.0\n")


def test_a_replaced_clock_does_not_reach_the_recorder() -> None:
    trace = record(
        "import tensorflow as tf, time\n"
        "time.monotonic = lambda: 1 / 0\n"
        "x = tf.Variable(3.0)\n"
        "with tf.GradientTape() as tape:\n"
        "    y = x * x\n"
        "tape.gradient(y, x)\n"
    )
    assert trace.outcome.kind == "completed"
    assert calls(trace) == [{"x": 6.0}]


def test_library_calls_are_named_by_what_they_differentiate() -> None:
    trace = record(
        "import tensorflow as tf\n"
        "model = tf.keras.Sequential([tf.keras.layers.Dense(1, name='out')], name='net')\n"
        "model.compile('sgd', 'mse', run_eagerly=True)\n"
        "model.fit(tf.ones([4, 2]), tf.zeros([4, 1]), verbose=0, batch_size=4)\n"
    )
    (call,) = trace.gradients
    assert [s.text for s in call.sources] == ["net/out/kernel", "net/out/bias"]
    assert call.targets[0].text == "target"


def test_expressions_are_named_as_the_person_writes_them() -> None:
    for source, wanted in {
        "x = 2.0\nx**2\n": ("x**2", ["x"]),
        "w = tf.Variable(2.0)\nloss = (w - 3)**2\n": ("loss", ["w"]),
        "A = [[1., 2.], [3., 4.]]\nb = [1., 1.]\ntf.linalg.matvec(A, b)\n": (
            "tf.linalg.matvec(A, b)",
            ["A", "b"],
        ),
        "x = 2.0\ntf.pow(x, 2)\n": ("tf.pow(x, 2)", ["x"]),
    }.items():
        (call,) = record(source).gradients
        assert (call.targets[0].text, [s.text for s in call.sources]) == wanted


def test_keras_weights_have_one_name_each() -> None:
    trace = record(
        "import tensorflow as tf\n"
        "class Net(tf.keras.Model):\n"
        "    def __init__(self):\n"
        "        super().__init__(name='net')\n"
        "        self.a = tf.keras.layers.Dense(2)\n"
        "        self.b = tf.keras.layers.Dense(1)\n"
        "    def call(self, x):\n"
        "        return self.b(self.a(x))\n"
        "net = Net()\n"
        "w = tf.keras.Variable(3.0)\n"
        "with tf.GradientTape() as tape:\n"
        "    y = tf.reduce_sum(net(tf.ones([1, 3]))) * w\n"
        "tape.gradient(y, net.trainable_variables + [w])\n"
    )
    names = [trace.variables[s.variable].name for s in trace.gradients[0].sources]
    assert names == [
        "net/dense/kernel",
        "net/dense/bias",
        "net/dense_1/kernel",
        "net/dense_1/bias",
        "w",
    ]
