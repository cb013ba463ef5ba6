"""Ops that work number by number: one table for the value, its derivatives, and their check.

Each rule is written in a small language, Python expressions of the inputs `a`, `b`, `c`, the
output `z` and functions by their names. `latex` writes it out; the tests evaluate the same text
and compare it with TensorFlow's own values and gradients at the rule's points.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple


class Scalar(NamedTuple):
    """The rule of one op type."""

    value: str
    partials: tuple[str | None, ...]
    """None: TensorFlow passes nothing back to this input."""
    points: tuple[tuple[float, ...], ...]
    """Inputs at which it is checked."""
    attrs: Mapping[str, float] = MappingProxyType({})
    """Attributes used there, by the names they have in the formulas and in the op."""


ANY = ((0.7,), (-1.3,), (2.1,))
POSITIVE = ((0.4,), (1.7,), (3.2,))
UNIT = ((0.3,), (-0.6,), (0.85,))
PAIRS = ((0.7, 2.3), (-1.3, 0.6), (2.1, -0.9))
POSITIVE_PAIRS = ((0.7, 2.3), (1.3, 0.6), (2.1, 3.4))
SELU_ALPHA, SELU_SCALE = 1.6732632423543772, 1.0507009873554805

_BINARY = {
    "Add": Scalar("a + b", ("1", "1"), PAIRS),
    "AddV2": Scalar("a + b", ("1", "1"), PAIRS),
    "Sub": Scalar("a - b", ("1", "-1"), PAIRS),
    "Mul": Scalar("a * b", ("b", "a"), PAIRS),
    "MulNoNan": Scalar("a * b", ("b", "a"), PAIRS),
    "Div": Scalar("a / b", ("1 / b", "-(a / b**2)"), PAIRS),
    "RealDiv": Scalar("a / b", ("1 / b", "-(a / b**2)"), PAIRS),
    "DivNoNan": Scalar("a / b", ("1 / b", "-(a / b**2)"), PAIRS),
    "FloorMod": Scalar("a % b", ("1", "-floor(a / b)"), PAIRS),
    "Pow": Scalar("a**b", ("b * a**(b - 1)", "a**b * log(a)"), POSITIVE_PAIRS),
    "Maximum": Scalar("maximum(a, b)", ("where(a >= b, 1, 0)", "where(a >= b, 0, 1)"), PAIRS),
    "Minimum": Scalar("minimum(a, b)", ("where(a <= b, 1, 0)", "where(a <= b, 0, 1)"), PAIRS),
    "SquaredDifference": Scalar("(a - b)**2", ("2 * (a - b)", "-2 * (a - b)"), PAIRS),
    "Atan2": Scalar("atan2(a, b)", ("b / (a**2 + b**2)", "-(a / (a**2 + b**2))"), PAIRS),
    "Xdivy": Scalar("a / b", ("1 / b", "-(a / b**2)"), PAIRS),
    "Xlogy": Scalar("a * log(b)", ("log(b)", "a / b"), POSITIVE_PAIRS),
    "Xlog1py": Scalar("a * log(1 + b)", ("log(1 + b)", "a / (1 + b)"), POSITIVE_PAIRS),
    "Zeta": Scalar("zeta(a, b)", (None, "-a * zeta(a + 1, b)"), ((2.3, 1.2), (3.1, 0.7))),
    "Polygamma": Scalar("polygamma(a, b)", (None, "polygamma(a + 1, b)"), ((1.0, 1.2), (2.0, 0.7))),
}

_POWERS = {
    "Neg": Scalar("-a", ("-1",), ANY),
    "Abs": Scalar("abs(a)", ("sign(a)",), ANY),
    "Sign": Scalar("sign(a)", ("0",), ANY),
    "Square": Scalar("a**2", ("2 * a",), ANY),
    "Sqrt": Scalar("sqrt(a)", ("1 / (2 * sqrt(a))",), POSITIVE),
    "Rsqrt": Scalar("1 / sqrt(a)", ("-(1 / (2 * a**(3 / 2)))",), POSITIVE),
    "Reciprocal": Scalar("1 / a", ("-(1 / a**2)",), ANY),
    "Inv": Scalar("1 / a", ("-(1 / a**2)",), ANY),
    "Exp": Scalar("exp(a)", ("exp(a)",), ANY),
    "Expm1": Scalar("exp(a) - 1", ("exp(a)",), ANY),
    "Log": Scalar("log(a)", ("1 / a",), POSITIVE),
    "Log1p": Scalar("log(1 + a)", ("1 / (1 + a)",), POSITIVE),
    "Identity": Scalar("a", ("1",), ANY),
}

_ANGLES = {
    "Sin": Scalar("sin(a)", ("cos(a)",), ANY),
    "Cos": Scalar("cos(a)", ("-sin(a)",), ANY),
    "Tan": Scalar("tan(a)", ("1 / cos(a)**2",), ANY),
    "Asin": Scalar("asin(a)", ("1 / sqrt(1 - a**2)",), UNIT),
    "Acos": Scalar("acos(a)", ("-(1 / sqrt(1 - a**2))",), UNIT),
    "Atan": Scalar("atan(a)", ("1 / (1 + a**2)",), ANY),
    "Sinh": Scalar("sinh(a)", ("cosh(a)",), ANY),
    "Cosh": Scalar("cosh(a)", ("sinh(a)",), ANY),
    "Tanh": Scalar("tanh(a)", ("1 - z**2",), ANY),
    "Asinh": Scalar("asinh(a)", ("1 / sqrt(a**2 + 1)",), ANY),
    "Acosh": Scalar("acosh(a)", ("1 / sqrt(a**2 - 1)",), ((1.4,), (2.7,))),
    "Atanh": Scalar("atanh(a)", ("1 / (1 - a**2)",), UNIT),
}

_ACTIVATIONS = {
    "Sigmoid": Scalar("1 / (1 + exp(-a))", ("z * (1 - z)",), ANY),
    "Softplus": Scalar("log(1 + exp(a))", ("sigmoid(a)",), ANY),
    "Softsign": Scalar("a / (1 + abs(a))", ("1 / (1 + abs(a))**2",), ANY),
    "Relu": Scalar("maximum(a, 0)", ("where(a > 0, 1, 0)",), ANY),
    "Relu6": Scalar("minimum(maximum(a, 0), 6)", ("where(abs(a - 3) < 3, 1, 0)",), (*ANY, (7.0,))),
    "LeakyRelu": Scalar(
        "where(a > 0, a, alpha * a)", ("where(a > 0, 1, alpha)",), ANY, {"alpha": 0.2}
    ),
    "Elu": Scalar("where(a > 0, a, exp(a) - 1)", ("where(a > 0, 1, exp(a))",), ANY),
    "Selu": Scalar(
        "scale * where(a > 0, a, alpha * (exp(a) - 1))",
        ("scale * where(a > 0, 1, alpha * exp(a))",),
        ANY,
        {"alpha": SELU_ALPHA, "scale": SELU_SCALE},
    ),
}

_SPECIAL = {
    "Erf": Scalar("erf(a)", ("2 / sqrt(pi) * exp(-a**2)",), ANY),
    "Erfc": Scalar("erfc(a)", ("-2 / sqrt(pi) * exp(-a**2)",), ANY),
    "Erfinv": Scalar("erfinv(a)", ("sqrt(pi) / 2 * exp(z**2)",), UNIT),
    "Ndtri": Scalar("ndtri(a)", ("sqrt(2 * pi) * exp(z**2 / 2)",), ((0.2,), (0.6,))),
    "Lgamma": Scalar("lgamma(a)", ("digamma(a)",), POSITIVE),
    "Digamma": Scalar("digamma(a)", ("trigamma(a)",), POSITIVE),
    "Dawsn": Scalar("dawsn(a)", ("1 - 2 * a * z",), ANY),
    "Expint": Scalar("expint(a)", ("exp(a) / a",), POSITIVE),
    "FresnelSin": Scalar("fresnel_sin(a)", ("sin(pi / 2 * a**2)",), ANY),
    "FresnelCos": Scalar("fresnel_cos(a)", ("cos(pi / 2 * a**2)",), ANY),
    "Spence": Scalar("spence(1 - a)", ("log(a) / (1 - a)",), POSITIVE),
    "BesselI0": Scalar("i0(a)", ("i1(a)",), ANY),
    "BesselI1": Scalar("i1(a)", ("i0(a) - z / a",), ANY),
    "BesselI0e": Scalar("exp(-abs(a)) * i0(a)", ("i1e(a) - sign(a) * z",), ANY),
    "BesselI1e": Scalar("exp(-abs(a)) * i1(a)", ("i0e(a) - z * (sign(a) + 1 / a)",), ANY),
    "BesselJ0": Scalar("j0(a)", ("-j1(a)",), ANY),
    "BesselJ1": Scalar("j1(a)", ("j0(a) - z / a",), ANY),
    "BesselY0": Scalar("y0(a)", ("-y1(a)",), POSITIVE),
    "BesselY1": Scalar("y1(a)", ("y0(a) - z / a",), POSITIVE),
    "BesselK0": Scalar("k0(a)", ("-k1(a)",), POSITIVE),
    "BesselK1": Scalar("k1(a)", ("-k0(a) - z / a",), POSITIVE),
    "BesselK0e": Scalar("exp(a) * k0(a)", ("z - k1e(a)",), POSITIVE),
    "BesselK1e": Scalar("exp(a) * k1(a)", ("z * (1 - 1 / a) - k0e(a)",), POSITIVE),
}

#: What the rewind of these ops computes: nodes of their own where an outer tape records them.
_GRADIENTS = {
    "TanhGrad": Scalar("b * (1 - a**2)", ("-2 * a * b", "1 - a**2"), PAIRS),
    "SigmoidGrad": Scalar("b * a * (1 - a)", ("b * (1 - 2 * a)", "a * (1 - a)"), PAIRS),
    "SqrtGrad": Scalar("b / (2 * a)", ("-(b / (2 * a**2))", "1 / (2 * a)"), PAIRS),
    "RsqrtGrad": Scalar("-(b * a**3 / 2)", ("-(3 * b * a**2 / 2)", "-(a**3 / 2)"), PAIRS),
    "ReciprocalGrad": Scalar("-b * a**2", ("-2 * a * b", "-a**2"), PAIRS),
    "InvGrad": Scalar("-b * a**2", ("-2 * a * b", "-a**2"), PAIRS),
    "ReluGrad": Scalar("where(b > 0, a, 0)", ("where(b > 0, 1, 0)", "0"), PAIRS),
    "SoftplusGrad": Scalar(
        "a * sigmoid(b)", ("sigmoid(b)", "a * sigmoid(b) * (1 - sigmoid(b))"), PAIRS
    ),
    "EluGrad": Scalar(
        "where(b < 0, a * (b + 1), a)", ("where(b < 0, b + 1, 1)", "where(b < 0, a, 0)"), PAIRS
    ),
}

SCALAR: dict[str, Scalar] = {
    **_BINARY,
    **_POWERS,
    **_ANGLES,
    **_ACTIVATIONS,
    **_SPECIAL,
    **_GRADIENTS,
}
