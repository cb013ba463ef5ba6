"""The formulas, checked against TensorFlow's own values and gradients."""

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import pytest

from running import forked
from tapedeck.calculus import SCALAR, WHOLE, formulas
from tapedeck.calculus.latex import latex


def _names(tf: Any) -> dict[str, Any]:
    """What the expressions' functions mean, in TensorFlow's own functions."""
    m, s = tf.math, tf.math.special
    return {
        **{n: getattr(m, n) for n in ("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh")},
        **{n: getattr(m, n) for n in ("tanh", "asinh", "acosh", "atanh", "log", "exp")},
        **{n: getattr(m, n) for n in ("sigmoid", "erf", "erfc", "erfinv", "ndtri", "sign", "abs")},
        **{n: getattr(m, n) for n in ("lgamma", "digamma", "maximum", "minimum", "atan2")},
        **{n: getattr(m, n) for n in ("floor", "polygamma", "zeta")},
        **{n: getattr(s, n) for n in ("dawsn", "expint", "fresnel_sin", "fresnel_cos")},
        **{f"{k}{n}": getattr(s, f"bessel_{k}{n}") for k in "ijyk" for n in (0, 1)},
        **{f"{k}{n}e": getattr(s, f"bessel_{k}{n}e") for k in "ik" for n in (0, 1)},
        "spence": lambda x: s.spence(1 - x),
        "sqrt": lambda x: m.sqrt(tf.cast(x, tf.float64)),
        "trigamma": lambda x: m.polygamma(tf.ones_like(x), x),
        "where": lambda c, yes, no: tf.where(c, tf.cast(yes, tf.float64), tf.cast(no, tf.float64)),
        "pi": math.pi,
    }


def _run(tf: Any, op: str, inputs: list[Any], attrs: Mapping[str, float]) -> Any:
    function = getattr(tf.raw_ops, op)
    names = list(function.__signature__.parameters)
    given = dict(zip(names, inputs, strict=False))
    given.update({key: value for key, value in attrs.items() if key in names})
    return function(**given)


def _gradients(tf: Any, op: str, point: tuple[float, ...]) -> tuple[float, list[float | None]]:
    inputs = [tf.constant(value, tf.float64) for value in point]
    with tf.GradientTape() as tape:
        for tensor in inputs:
            tape.watch(tensor)
        result = _run(tf, op, inputs, SCALAR[op].attrs)
    found = tape.gradient(result, inputs)
    return float(result), [None if g is None else float(g) for g in found]


class Measured(NamedTuple):
    """A rule at a point: TensorFlow's value and partials, and the rule's own."""

    value: float
    partials: list[float | None]
    ours: float
    our_partials: list[float | None]


CASES = [(op, point) for op, rule in SCALAR.items() for point in rule.points]


def _measure() -> dict[tuple[str, tuple[float, ...]], Measured]:
    import tensorflow as tf

    return {(op, point): _measure_one(tf, op, point) for op, point in CASES}


def _measure_one(tf: Any, op: str, point: tuple[float, ...]) -> Measured:
    rule = SCALAR[op]
    tensors = {name: tf.constant(x, tf.float64) for name, x in zip("abc", point, strict=False)}
    names: dict[str, Any] = {**_names(tf), **rule.attrs, **tensors}
    names["z"] = eval(rule.value, names)
    ours = [None if text is None else float(eval(text, names)) for text in rule.partials]
    return Measured(*_gradients(tf, op, point), float(names["z"]), ours)


@pytest.fixture(scope="module")
def measured() -> dict[tuple[str, tuple[float, ...]], Measured]:
    """All of them, measured in a process of its own."""
    return forked(_measure)


@pytest.mark.parametrize(("op", "point"), CASES, ids=[f"{op}-{p}" for op, p in CASES])
def test_rule_gives_what_tensorflow_gives(measured: Any, op: str, point: tuple[float, ...]) -> None:
    found: Measured = measured[op, point]
    assert found.ours == pytest.approx(found.value, rel=1e-6)
    for ours, expected in zip(found.our_partials, found.partials, strict=True):
        if ours is None:
            assert expected is None
        else:
            assert ours == pytest.approx(expected or 0.0, rel=1e-6, abs=1e-12)


def test_there_are_enough_of_them() -> None:
    assert len(formulas()) >= 120
    assert not SCALAR.keys() & WHOLE.keys()


@pytest.mark.parametrize("op", sorted(SCALAR.keys() | WHOLE.keys()))
def test_op_exists_and_its_latex_is_balanced(op: str) -> None:
    import tensorflow as tf

    assert hasattr(tf.raw_ops, op) or op in ("ReadVariableOp",)
    entry = formulas()[op]
    for text in [entry["formula"], *entry["partials"]]:
        if text is None:
            continue
        assert text.count("{") == text.count("}")
        assert text.count(r"\left") - text.count(r"\leftarrow") == text.count(r"\right")
        assert "\\text{" not in text  # words belong to the page's catalogue
        assert "\n" not in text and "{{" not in text.replace("^{{", "")


def test_latex_is_written_as_one_writes_it() -> None:
    assert formulas()["Mul"] == {"formula": r"z = a \cdot b", "partials": ["b", "a"]}
    assert formulas()["Square"] == {"formula": "z = a^{2}", "partials": [r"2 \, a"]}
    assert formulas()["Sigmoid"]["partials"] == [r"z \cdot \left(1 - z\right)"]
    assert formulas()["Tan"]["partials"] == [r"\frac{1}{\cos\left(a\right)^{2}}"]
    assert formulas()["RealDiv"]["partials"] == [r"\frac{1}{b}", r"-\frac{a}{b^{2}}"]
    assert latex("-(a + b) * (a - b)") == (r"-\left(a + b\right) \cdot \left(a - b\right)")
    assert formulas()["Relu"]["partials"] == [r"\begin{cases} 1 & a > 0 \\ 0 & a \le 0 \end{cases}"]
    assert latex("(a + b)**2") == r"\left(a + b\right)^{2}"


def test_the_language_is_small() -> None:
    with pytest.raises(ValueError, match="import_module"):
        latex("import_module(a)")
