"""What an op computes and its local derivatives, as LaTeX.

Inputs are `a`, `b`, `c`, … in the op's own order, its output is `z`. `\\bar{z}` is the gradient of
the target with respect to `z`: what arrives there when the tape is rewound.
"""

import functools
from typing import TypedDict

from tapedeck.calculus.latex import latex
from tapedeck.calculus.scalar import SCALAR, Scalar
from tapedeck.calculus.whole import WHOLE

__all__ = ["SCALAR", "WHOLE", "Formula", "Scalar", "formulas"]


class Formula(TypedDict):
    """One op type in LaTeX."""

    formula: str
    partials: list[str | None]
    """For each input the derivative of the output; a whole equation where it holds `=`, None
    where the input has none (an axis, a shape)."""


@functools.cache
def formulas() -> dict[str, Formula]:
    """The formulas by op type."""
    found: dict[str, Formula] = {}
    for op, rule in SCALAR.items():
        partials = [None if part is None else latex(part) for part in rule.partials]
        found[op] = {"formula": f"z = {latex(rule.value)}", "partials": partials}
    for op, (formula, given) in WHOLE.items():
        found[op] = {"formula": formula, "partials": list(given)}
    return found
