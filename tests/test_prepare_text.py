"""Pasted text: what is put right, what is left alone, what is explained at its place."""

import ast

import pytest

from tapedeck.recorder.prepare import Prepared, prepare

NBSP, ZERO_WIDTH = "\u00a0", "\u200b"


def code(source: str) -> str:
    """The repaired text; fails where it does not parse."""
    prepared = prepare(source, "script")
    assert prepared.error is None, prepared.error
    return prepared.code


def repairs(source: str) -> dict[str, tuple[int, ...]]:
    """Code of each repair → its lines."""
    return {repair.code: repair.lines for repair in prepare(source, "script").snippet.repairs}


def refused(source: str) -> Prepared:
    """What is said of a text that cannot be put right."""
    prepared = prepare(source, "script")
    assert prepared.tree is None and prepared.error is not None
    return prepared


@pytest.mark.parametrize(
    ("source", "expected", "made"),
    [
        ("   a = 1\n   \u00a0\n   b = 2\n", "a = 1\n \nb = 2\n", {"space": (2,), "indent": (1, 3)}),
        ("a = 1\n    b = 2\n    c = 3\n", "a = 1\nb = 2\nc = 3\n", {"indent": (2, 3)}),
        ("a =\u00a01\u3000+ 2\n", "a = 1 + 2\n", {"space": (1,)}),
        ("\ufeffa\u200b = 1\n", "a = 1\n", {"zero_width": (1,)}),
        (
            "a = \u201chi\u201d\nb = \u2018it\u2019s\u2019",
            "a = \"hi\"\nb = 'it\u2019s'",
            {"quotes": (1, 2)},
        ),
        ('a = "hi\u201d\n', 'a = "hi"\n', {"quotes": (1,)}),
        ("a = \u201c\u201c\u201cx\ny\u201d\u201d\u201d\n", 'a = """x\ny"""\n', {"quotes": (1, 2)}),
        ("a\uff1d\uff081\uff0c 2\uff09\n", "a=(1, 2)\n", {"signs": (1,)}),
        (
            "a = 3 \u2212 2 \u2013 1\nb = a \u00d7 2\n",
            "a = 3 - 2 - 1\nb = a * 2\n",
            {"signs": (1, 2)},
        ),
        ("x = 2\ny = x\u00b2 \u2264 4\n", "x = 2\ny = x**2 <= 4\n", {"signs": (2,)}),
        ("if 1 &lt; 2:\n    a = 1\n", "if 1 < 2:\n    a = 1\n", {"signs": (1,)}),
        (
            ">>> a = 1\n>>> if a:\n...     b = 2\n... \n>>> b\n2\n",
            "a = 1\nif a:\n    b = 2\n\nb\n\n",
            {"prompt": (1, 2, 3, 4, 5), "output": (6,)},
        ),
        (
            "In [1]: a = 1\n   ...: b = 2\n\nIn [2]: a + b\nOut[2]: 3\n\nIn [3]: c = 4\n",
            "a = 1\nb = 2\n\na + b\n\n\nc = 4\n",
            {"cell": (1, 2, 4, 7), "output": (5,)},
        ),
        (
            "In [1]:\na = 1\n\nOut[1]:\n\n1\n\nIn [2]:\nb = 2\n",
            "\na = 1\n\n\n\n\n\n\nb = 2\n",
            {"cell": (1, 8), "output": (4, 6)},
        ),
        (
            "%matplotlib inline\n!pip install x\n%%time\na = 1\n%time b = 2\na?\n",
            "\n\n\na = 1\nb = 2\n\n",
            {"magic": (1, 2, 3, 5, 6)},
        ),
        (
            "Try:\n```python\na = 1\n```\nand then\n```\nb = 2\n```\n```text\n2\n```\n",
            "\n\na = 1\n\n\n\nb = 2\n\n\n\n\n",
            {"fence": (1, 2, 4, 5, 6, 8, 9, 10, 11)},
        ),
        (
            "1 def f():\n2     return 1\n3\n4 f()\n",
            "def f():\n    return 1\n\nf()\n",
            {"line_number": (1, 2, 3, 4), "indent": (1, 2, 4)},
        ),
        ("if 1:\n    a = 1\n\tb = 2\n", "if 1:\n    a = 1\n    b = 2\n", {"tabs": (3,)}),
        ("python\nCopy code\na = 1\n", "\n\na = 1\n", {"fence": (1, 2)}),
        (
            "> a = 1\n>\n> if a:\n>     b = 2\n",
            "a = 1\n\nif a:\n    b = 2\n",
            {"prompt": (1, 2, 3, 4)},
        ),
        (
            'Python 3.11.7 (main) [GCC 12] on linux\nType "help", "copyright"\n>>> a = 1\n',
            "\n\na = 1\n",
            {"output": (1, 2), "prompt": (3,)},
        ),
        ("C:\\Users\\me> python a.py\n\na = 1\n", "\n\na = 1\n", {"terminal": (1,)}),
        (
            "files = !ls\nif True:\n    !ls\na = 1\n",
            "files = []\nif True:\n    pass\na = 1\n",
            {"magic": (1, 3)},
        ),
        (
            "In [1]: x = 2.0\nIn [2]: print(x)\n2.0\nIn [3]: x\n",
            "x = 2.0\nprint(x)\n\nx\n",
            {"cell": (1, 2, 4), "output": (3,)},
        ),
        (
            "a = 1\n```\ntf.Tensor(3.0, shape=(), dtype=float32)\n```\n",
            "a = 1\n\n\n\n",
            {"output": (2, 3, 4)},
        ),
        (
            "```\na = 1.0\nprint(a)\n```\nprints\n```\n1.0\n```\n",
            "\na = 1.0\nprint(a)\n\n\n\n\n\n",
            {"fence": (1, 4, 5, 6, 7, 8)},
        ),
        ("a = 2\nb = 2 \u00b7 a\n", "a = 2\nb = 2 * a\n", {"signs": (2,)}),
        ("a = 1\n$ python3 a.py\n8.00\n", "a = 1\n\n\n", {"terminal": (2,), "output": (3,)}),
    ],
)
def test_repair(source: str, expected: str, made: dict[str, tuple[int, ...]]) -> None:
    assert code(source) == expected
    assert repairs(source) == made


@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_line_ends_of_other_systems(end: str) -> None:
    prepared = prepare(f"a = 1{end}b = 2{end}", "script")
    assert prepared.code == "a = 1\nb = 2\n"
    assert prepared.snippet.text == f"a = 1{end}b = 2{end}"
    assert [repair.code for repair in prepared.snippet.repairs] == ["line_ends"]


def test_a_traceback_and_printed_tensors_after_code() -> None:
    source = """\
a = 1

-----------------------------------------------
RuntimeError      Traceback (most recent call last)
<ipython-input-5> in <module>()
      7 
----> 8 b = a.b
\u00a0
/usr/lib/x.py in gradient(self)
    978     \"\"\"
--> 980       raise RuntimeError("once")

RuntimeError: only once.

tf.Tensor(10.0, shape=(), dtype=float32)
tf.Tensor(
[[1. 2.]
 [3. 4.]], shape=(2, 2), dtype=float32)
<tf.Tensor: shape=(2,), dtype=float32, numpy=array([1., 2.],
      dtype=float32)>
[1. 2. 3.]
b = 2
"""
    assert [line for line in code(source).split("\n") if line.strip()] == ["a = 1", "b = 2"]
    assert repairs(source)["output"] == (15, 16, 17, 18, 19, 20, 21)


def test_a_printed_tensor_that_would_parse_is_taken_out() -> None:
    source = "a = 1\ntf.Tensor(10.0, shape=(), dtype=float32)\n"
    ast.parse(source)
    assert code(source) == "a = 1\n\n"
    assert repairs(source) == {"output": (2,)}


def test_nothing_inside_a_string_literal_changes() -> None:
    source = f'  a = "{NBSP}\u201cx\u201d \uff08"\n  b = """\n>>> 1\n   %time\n```\n"""\n'
    assert code(source) == source.replace("  a", "a").replace("  b", "b")
    assert repairs(source) == {"indent": (1, 2)}


@pytest.mark.parametrize(
    ("source", "name", "line", "text"),
    [
        ("a = tf.constant(1.0)\n", "tf", 1, "import tensorflow as tf"),
        ("a = 1\nb = np.ones(a)\n", "np", 2, "import numpy as np"),
        ("m = keras.Sequential()\n", "keras", 1, "import keras"),
        ("d = layers.Dense(1)\n", "layers", 1, "from keras import layers"),
    ],
)
def test_missing_import_is_provided(source: str, name: str, line: int, text: str) -> None:
    prepared = prepare(source, "script")
    assert prepared.names == (name,)
    assert prepared.code == source
    [repair] = prepared.snippet.repairs
    assert (repair.code, repair.lines, repair.text) == ("import", (line,), text)


@pytest.mark.parametrize(
    "source", ["import tensorflow as tf\ntf.ones(1)\n", "def f(tf):\n    tf.x\n", "np = 1\nnp.x\n"]
)
def test_a_name_that_is_bound_is_not_provided(source: str) -> None:
    assert prepare(source, "script").names == ()


def test_needless_import_of_a_missing_module_is_left_out() -> None:
    source = "import no_such_module as n\na = 1\n"
    assert code(source) == "pass\na = 1\n"
    [repair] = prepare(source, "script").snippet.repairs
    assert (repair.code, repair.lines, repair.text) == (
        "unused_import",
        (1,),
        "import no_such_module as n",
    )


def test_used_import_of_a_missing_module_stays() -> None:
    source = "import no_such_module as n\na = n.f()\n"
    assert code(source) == source


def test_drawing_with_a_missing_library_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tapedeck.recorder.prepare.imports._is_missing", "matplotlib".__eq__)
    plotting = (
        "import matplotlib.pyplot as plt\na = [1]\nplt.plot(a,\n         label='a')\nplt.show()\n"
    )
    assert code(plotting) == "pass\na = [1]\npass\n\npass\n"
    assert repairs(plotting) == {"unused_import": (1,), "drawing": (3, 5)}
    used = "import matplotlib.pyplot as plt\nfig = plt.figure()\n"
    assert code(used) == used
    effect = "import matplotlib.pyplot as plt\nplt.plot(step())\n"
    assert code(effect) == effect


@pytest.mark.parametrize(
    ("source", "hint", "line", "offset"),
    [
        ("import os\nThis is a nice sentence about tapes.\n", "prose", 2, 11),
        ("print 3\n", "python2", 1, 1),
        ("a = (1,\nb = 2\n", "bracket", 1, 5),
        ("a = 'x\n", "string", 1, 5),
        ("def f():\nreturn 1\n", "block", 2, 1),
        ("if True\n    a = 1\n", "colon", 1, 8),
        ("return 1\n", "outside", 1, 1),
        ("a = 1\0\n", "nul", 1, 1),
        ("   a = \u00a0\u00a0)\n", "bracket", 1, 10),
    ],
)
def test_what_cannot_be_put_right_is_explained(
    source: str, hint: str, line: int, offset: int
) -> None:
    prepared = refused(source)
    assert prepared.hint == hint
    assert prepared.error is not None
    assert (prepared.error.lineno, prepared.error.offset) == (line, offset)
    assert prepared.error.text == source.split("\n")[line - 1]


def test_an_article_pasted_whole_is_told_apart_from_a_typo() -> None:
    article = (
        "How tapes work\n\nA tape records operations while it is open, as this shows.\n\nx = 1\n"
    )
    assert refused(article).hint == "prose"


def test_ambiguous_tabs_are_not_guessed() -> None:
    source = "if a:\n\tif b:\n\t\tx = 1\n    y = 2\n"
    assert refused(source).hint == "indent"


@pytest.mark.parametrize("source", ["", "\n", "# only a comment\n", "\ud800", "'" * 7, "(" * 400])
def test_odd_texts_are_answered(source: str) -> None:
    prepared = prepare(source)
    assert (prepared.tree is None) == (prepared.error is not None)
    prepared.snippet.text.encode()
