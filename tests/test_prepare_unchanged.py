"""A text that is a program runs as it is, whatever it looks like."""

import ast
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tapedeck.recorder.prepare import prepare

WHOLE = [
    "import numpy as np\nfrom numpy import array\ndef f(n):\n    return (\n array(n)\n + 1)\nf(2)\n",
    "from numpy import (zeros,\n array)\nprint(\n array([1, 2]).sum()\n)\n",
    "for array in [len]:\n    pass\narray([1, 2])\n",
    "import numpy as np\na, array = 1, np.array\narray([1, 2])\n",
    "import numpy as np\narray: object = np.array\narray([1, 2])\n",
    "from numpy import *\narray([1, 2])\n",
    "globals()['array'] = list\narray([1, 2])\n",
    "def Tensor(n, dtype): print(n)\nfloat32 = 1\nTensor(3, dtype=float32)\n",
    "def Tensor(n, shape, dtype): print(n)\nfloat32 = 1\nTensor(3, shape=(), dtype=float32)\n",
    "x = [1]\nif x in \\\n  [1]:\n    print(x)\n",
    "x = [[1]]\nwhile x == \\\n[1]:\n    pass\n",
    "In = {1: 2}\nIn [1]: int\nprint(In)\n",
    "In, Out = {}, {}\nOut[1]: int = 3\nIn [2]: int\nprint(Out)\n",
    "python = 3\npython\n",
    "if True:\n    array([1, 2])\n",
    "x = 5\ny = (x\n% 3)\nz = x \\\n% 3\n",
    "try:\n    array([1, 2])\nexcept NameError:\n    print('no array')\n",
    "x = '\\\n[1]:'\n",
    "a = 1; array = list; array([1])\n",
]


@pytest.mark.parametrize("source", WHOLE)
@pytest.mark.parametrize("mode", ["auto", "script"])
def test_a_program_is_not_changed(source: str, mode: str) -> None:
    ast.parse(source)
    prepared = prepare(source, mode)  # type: ignore[arg-type]
    assert prepared.code == source
    assert {repair.code for repair in prepared.snippet.repairs} <= {"import", "float"}


LINES = st.sampled_from(
    [
        "array([1, 2])",
        "print(",
        "array(3)",
        ")",
        "(",
        " + array([1]))",
        "x = [",
        "[1. 2.]",
        "[1]:",
        "if x in \\",
        "  [1]:",
        "    pass",
        "pass",
        "In [1]: int",
        "In[1] = 2",
        "In = {}",
        "Out[2]: 3",
        "Out = {}",
        "python",
        "python = 1",
        "Copy",
        "Tensor(3, shape=(), dtype=float32)",
        "tf.Tensor(3.0, shape=(), dtype=float32)",
        "float32 = 1",
        "Tensor = print",
        "array = list",
        "for array in [list]:",
        "from numpy import array",
        "from numpy import (ones,",
        " array)",
        "x = (1",
        "% 2)",
        "... ",
        "...",
        '"""',
        "1",
        "2",
        "> 3",
        "# a",
        "",
    ]
)
#: What can only be a NameError where nothing binds the name.
NAMES = {"array", "In", "Out", "python", "Copy", "Tensor", "tf", "float32"}


@settings(deadline=None)
@given(st.lists(LINES, max_size=9).map("\n".join))
def test_a_program_loses_only_statements_that_cannot_run(source: str) -> None:
    try:
        before = ast.parse(source)
        compile(source, "a", "exec")
    except SyntaxError:
        return
    after = ast.parse(prepare(source, "script").code)
    bound = {n.id for n in ast.walk(before) if isinstance(n, ast.Name) and _stores(n)}
    for node in ast.walk(before):
        if isinstance(node, ast.ImportFrom):
            bound |= {alias.name for alias in node.names}
    kept = [ast.dump(statement) for statement in after.body]
    for statement in before.body:
        if ast.dump(statement) in kept:
            continue
        used = {n.id for n in ast.walk(statement) if isinstance(n, ast.Name)}
        assert used & NAMES - bound, ast.unparse(statement)
        return  # nothing after it would have run


def _stores(node: ast.Name) -> bool:
    return not isinstance(node.ctx, ast.Load)


LARGE = {
    "entities on one line": "&gt;" * 60_000,
    "a syntax error before many lines": "x = 1 +\n" + "y = x * 2.5 + z\n" * 15_000,
    "brackets that nothing closes": "array(\n" * 35_000,
    "curly quotes on one line": "\u201ca\u201d " * 60_000,
    "tabs on one line": "if 1:\n" + "\t" * 250_000 + "x",
    "many inputs": "".join(f"a{i} = {i}.5\n" for i in range(14_000)) + "y = a0 * a1\n",
    "a printed list without end": "[" + "1 " * 120_000,
    "a fence without end": "```" + "a" * 240_000 + "`",
    "many names at once": f"{'a, ' * 40_000} = {'b, ' * 40_000}",
    "many fences": "```\n" * 60_000,
    "many labels": "python\n" * 35_000,
}


@pytest.mark.parametrize("name", LARGE)
def test_a_large_text_is_read_in_time_that_grows_with_it(name: str) -> None:
    text = LARGE[name]
    began = time.process_time()
    compiled = _compile_seconds(text)
    prepare(text)
    # Its own time beside that of CPython's compiler; what grew with the square took minutes.
    assert time.process_time() - began < 3 + 8 * compiled


def _compile_seconds(text: str) -> float:
    began = time.process_time()
    try:
        compile(text, "a", "exec")
    except SyntaxError:
        pass
    return time.process_time() - began


@pytest.mark.parametrize(
    "source",
    [
        "y = x" + ".f()" * 1_000,
        "if a: pass\n" + "elif a: pass\n" * 1_500,
        "x = 1.0\ny = " + " + ".join(["x"] * 3_000),
    ],
)
def test_deep_programs_are_read(source: str) -> None:
    prepared = prepare(source)
    assert prepared.error is None and prepared.code == source
