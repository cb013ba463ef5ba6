"""LaTeX from the small language of `scalar`: Python expressions of `a`, `b`, …, `z` and functions."""

import ast

#: Functions written as a name before a bracket.
NAMES = {
    "sin": r"\sin",
    "cos": r"\cos",
    "tan": r"\tan",
    "asin": r"\arcsin",
    "acos": r"\arccos",
    "atan": r"\arctan",
    "sinh": r"\sinh",
    "cosh": r"\cosh",
    "tanh": r"\tanh",
    "asinh": r"\operatorname{arsinh}",
    "acosh": r"\operatorname{arcosh}",
    "atanh": r"\operatorname{artanh}",
    "log": r"\ln",
    "sigmoid": r"\sigma",
    "erf": r"\operatorname{erf}",
    "erfc": r"\operatorname{erfc}",
    "erfinv": r"\operatorname{erf}^{-1}",
    "ndtri": r"\Phi^{-1}",
    "sign": r"\operatorname{sgn}",
    "lgamma": r"\ln\Gamma",
    "digamma": r"\psi",
    "trigamma": r"\psi'",
    "maximum": r"\max",
    "minimum": r"\min",
    "atan2": r"\operatorname{atan2}",
    "dawsn": r"D",
    "expint": r"\operatorname{Ei}",
    "spence": r"\operatorname{Li}_2",
    "fresnel_sin": r"S",
    "fresnel_cos": r"C",
    "i0": r"I_0",
    "i1": r"I_1",
    "i0e": r"\tilde{I}_0",
    "i1e": r"\tilde{I}_1",
    "j0": r"J_0",
    "j1": r"J_1",
    "y0": r"Y_0",
    "y1": r"Y_1",
    "k0": r"K_0",
    "k1": r"K_1",
    "k0e": r"\tilde{K}_0",
    "k1e": r"\tilde{K}_1",
}
SYMBOLS = {"pi": r"\pi", "alpha": r"\alpha", "scale": r"\lambda"}
COMPARISONS = {
    ast.Gt: ">",
    ast.GtE: r"\ge",
    ast.Lt: "<",
    ast.LtE: r"\le",
    ast.Eq: "=",
    ast.NotEq: r"\ne",
}
OPPOSITE = {
    ast.Gt: ast.LtE,
    ast.GtE: ast.Lt,
    ast.Lt: ast.GtE,
    ast.LtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
}
SUM, PRODUCT, SIGNED, POWER, ATOM = range(5)


def latex(expression: str) -> str:
    """The LaTeX of an expression. Raises ValueError for what the language does not have."""
    return _write(ast.parse(expression, mode="eval").body)[0]


def _write(node: ast.expr) -> tuple[str, int]:
    """The text and how tightly it binds."""
    match node:
        case ast.Constant(value=int() | float() as value):
            return f"{value:g}", ATOM
        case ast.Name(id=name):
            return SYMBOLS.get(name, name), ATOM
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return f"-{_at_least(operand, PRODUCT)}", SIGNED
        case ast.BinOp():
            return _binary(node)
        case ast.Call(func=ast.Name(id=name), args=arguments):
            return _call(name, arguments)
        case ast.Compare(left=left, ops=[operator], comparators=[right]):
            sign = COMPARISONS[type(operator)]
            return f"{_write(left)[0]} {sign} {_write(right)[0]}", SUM
    raise ValueError(ast.unparse(node))


def _at_least(node: ast.expr, level: int) -> str:
    text, binds = _write(node)
    return text if binds >= level else rf"\left({text}\right)"


def _binary(node: ast.BinOp) -> tuple[str, int]:
    match node.op:
        case ast.Add():
            return f"{_at_least(node.left, SUM)} + {_at_least(node.right, SUM)}", SUM
        case ast.Sub():
            return f"{_at_least(node.left, SUM)} - {_at_least(node.right, PRODUCT)}", SUM
        case ast.Mult():
            sign = r"\," if _is_number(node.left) else r"\cdot"
            return f"{_at_least(node.left, PRODUCT)} {sign} {_factor(node.right)}", PRODUCT
        case ast.Div():
            return rf"\frac{{{_write(node.left)[0]}}}{{{_write(node.right)[0]}}}", POWER
        case ast.Pow():
            base = _at_least(node.left, ATOM)
            return f"{base}^{{{_write(node.right)[0]}}}", POWER
        case ast.Mod():
            return rf"{_at_least(node.left, ATOM)} \bmod {_at_least(node.right, ATOM)}", PRODUCT
    raise ValueError(ast.unparse(node))


def _is_number(node: ast.expr) -> bool:
    return isinstance(node.operand if isinstance(node, ast.UnaryOp) else node, ast.Constant)


def _factor(node: ast.expr) -> str:
    """The right side of a product: a sign there needs brackets."""
    text, binds = _write(node)
    return text if binds >= POWER or binds == PRODUCT else rf"\left({text}\right)"


def _call(name: str, arguments: list[ast.expr]) -> tuple[str, int]:
    texts = [_write(argument)[0] for argument in arguments]
    if name == "where" and isinstance(arguments[0], ast.Compare):
        return _cases(arguments[0], texts), SUM
    match name, texts:
        case "exp", [text]:
            return f"e^{{{text}}}", POWER
        case "sqrt", [text]:
            return rf"\sqrt{{{text}}}", ATOM
        case "abs", [text]:
            return rf"\left|{text}\right|", ATOM
        case "floor", [text]:
            return rf"\left\lfloor {text} \right\rfloor", ATOM
        case "polygamma", [order, text]:
            return rf"\psi^{{({order})}}\left({text}\right)", ATOM
        case "zeta", [first, second]:
            return rf"\zeta\left({first}, {second}\right)", ATOM
    if name not in NAMES:
        raise ValueError(name)
    return rf"{NAMES[name]}\left({', '.join(texts)}\right)", ATOM


def _cases(condition: ast.Compare, texts: list[str]) -> str:
    opposite = OPPOSITE[type(condition.ops[0])]()
    otherwise = _write(ast.Compare(condition.left, [opposite], condition.comparators))[0]
    rows = rf"{texts[1]} & {texts[0]} \\ {texts[2]} & {otherwise}"
    return rf"\begin{{cases}} {rows} \end{{cases}}"
