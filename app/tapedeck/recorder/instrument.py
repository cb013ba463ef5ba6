"""Marks in the snippet's code: which names got which values, which call and iteration runs.

The marks are calls to a constant that stands in the compiled code itself, not to a name, and
they give back what they get: the program cannot tell. Positions stay those of the text.
"""

import ast
import contextlib
import sys
import types
from collections.abc import Callable, Iterator
from typing import Any, Literal

import msgspec

from tapedeck.recorder.recompile import bind_constants, compile_marked, placeholder

DEEPEST = 100_000
Span = tuple[int, int, int, int]
"""line, utf-8 column, end line, end utf-8 column, as CPython gives positions."""


class Block(msgspec.Struct, frozen=True):
    """A `for` or `while` statement, or a `with tf.name_scope(...)`: ops in it are a group."""

    number: int
    kind: Literal["loop", "scope"]
    header: Span
    title: str
    body: Span
    inner: set[int]
    """The blocks inside of it in the same function."""


class Call:
    """A method's call, as the snippet writes it."""

    def __init__(self, node: ast.Call, source: str) -> None:
        assert isinstance(node.func, ast.Attribute)
        self.method = node.func.attr
        self.spread = any(isinstance(a, ast.Starred) for a in node.args) or any(
            k.arg is None for k in node.keywords
        )
        """It has `*arguments` or `**arguments`."""
        self._arguments = list(node.args)
        self._keywords = {k.arg: k.value for k in node.keywords if k.arg is not None}
        self._source = source

    def argument(self, position: int, keyword: str) -> ast.expr | None:
        """The expression for one parameter, None where it is not given."""
        if keyword in self._keywords:
            return self._keywords[keyword]
        return self._arguments[position] if position < len(self._arguments) else None

    def text(self, node: ast.expr) -> str:
        """The expression on one line."""
        return _text(self._source, node)


class Marks:
    """What the instrumented code calls. Set the functions before the code runs."""

    def __init__(self) -> None:
        self.bind: Callable[[str, Any], None] = lambda name, value: None
        self.enter: Callable[[types.FrameType, str], None] = lambda frame, name: None
        self.iterate: Callable[[types.FrameType, int], None] = lambda frame, block: None


class Instrumented(msgspec.Struct, frozen=True):
    """A snippet ready to run, and what its text says."""

    code: types.CodeType
    blocks: tuple[Block, ...]
    calls: dict[Span, Call]
    tapes: dict[int, str]
    """Line of a `with` statement → the name that it gives to a tape."""


def span_of(node: ast.expr | ast.stmt) -> Span:
    """The node's position."""
    return (
        node.lineno,
        node.col_offset,
        node.end_lineno or node.lineno,
        node.end_col_offset or node.col_offset,
    )


def instrument(tree: ast.Module, source: str, filename: str, marks: Marks) -> Instrumented:
    """Compiles the tree with marks in it. `source` is the text that its positions refer to."""
    with _deep():
        return _instrument(tree, source, filename, marks)


@contextlib.contextmanager
def _deep() -> Iterator[None]:
    """Room for trees as deep as CPython compiles them; the walks over them are recursive."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, DEEPEST))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


def _instrument(tree: ast.Module, source: str, filename: str, marks: Marks) -> Instrumented:
    calls = _read_calls(tree, source)
    tapes = {
        node.lineno: item.optional_vars.id
        for node in ast.walk(tree)
        if isinstance(node, ast.With)
        for item in node.items
        if isinstance(item.optional_vars, ast.Name)
    }
    marker = _Marker(source)
    marked = marker.visit(tree)
    ast.fix_missing_locations(marked)

    # At the end of the stack a mark may fail; the program will meet that end by itself.
    def bind(value: Any, name: str) -> Any:
        with contextlib.suppress(RecursionError):
            marks.bind(name, value)
        return value

    def enter(name: str, parameters: dict[str, Any]) -> None:
        with contextlib.suppress(RecursionError):
            marks.enter(sys._getframe(1), name)
            for parameter, value in parameters.items():
                marks.bind(parameter, value)

    def iterate(block: int, targets: dict[str, Any]) -> None:
        with contextlib.suppress(RecursionError):
            marks.iterate(sys._getframe(1), block)
            for target, value in targets.items():
                marks.bind(target, value)

    objects = {"bind": bind, "enter": enter, "iterate": iterate}
    code = bind_constants(compile_marked(marked, filename), objects)
    return Instrumented(code, tuple(marker.blocks), calls, tapes)


def _read_calls(tree: ast.Module, source: str) -> dict[Span, Call]:
    return {
        span_of(node): Call(node, source)
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    }


def _text(source: str, node: ast.expr) -> str:
    text = ast.get_source_segment(source, node)
    return " ".join((text or ast.unparse(node)).split())


class _Marker(ast.NodeTransformer):
    """Puts the marks in."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.blocks: list[Block] = []
        self._around: list[int] = []

    # Names: the value goes through `bind(value, name)`.

    def visit_Assign(self, node: ast.Assign) -> ast.Assign:
        self.generic_visit(node)
        names = [_name(target) for target in node.targets]
        named = next((name for name in names if name), None)
        if named:
            node.value = _bound(node.value, named)
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AnnAssign:
        self.generic_visit(node)
        name = _name(node.target)
        if node.value is not None and name:
            node.value = _bound(node.value, name)
        return node

    def visit_NamedExpr(self, node: ast.NamedExpr) -> ast.NamedExpr:
        self.generic_visit(node)
        node.value = _bound(node.value, node.target.id)
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        self.generic_visit(node)
        if not isinstance(node.target, ast.Name):
            return node
        value = ast.copy_location(ast.Name(node.target.id, ast.Load()), node)
        seen = ast.copy_location(ast.Expr(_bound(value, node.target.id)), node)
        return [node, seen]

    def visit_AsyncWith(self, node: ast.AsyncWith) -> Any:
        return self.visit_With(node)

    def visit_With(self, node: ast.With | ast.AsyncWith) -> Any:
        scope = next((name for i in node.items if (name := _scope(i.context_expr))), None)
        if scope:
            self._block(node, "scope", scope, node.items[0].context_expr, [])
        else:
            self.generic_visit(node)
        names = [i.optional_vars for i in node.items if isinstance(i.optional_vars, ast.Name)]
        marks: list[ast.stmt] = [
            ast.copy_location(ast.Expr(_bound(_load(name), name.id)), name) for name in names
        ]
        node.body = marks + node.body
        return node

    # Calls and iterations.

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> Any:
        return self._function(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        return self._function(node)

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> Any:
        around, self._around = self._around, []
        self.generic_visit(node)
        self._around = around
        parameters = node.args.posonlyargs + node.args.args + node.args.kwonlyargs
        names = [p.arg for p in parameters if p.arg not in ("self", "cls")]
        mark = _mark("enter", ast.Constant(node.name), names, node.body[0])
        documented = ast.get_docstring(node, clean=False) is not None
        node.body.insert(1 if documented else 0, mark)
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.Lambda:
        return node

    def visit_AsyncFor(self, node: ast.AsyncFor) -> Any:
        return self.visit_For(node)

    def visit_For(self, node: ast.For | ast.AsyncFor) -> Any:
        title = f"for {_text(self.source, node.target)} in {_text(self.source, node.iter)}"
        names = _plain_names(node.target)
        return self._block(node, "loop", title, node.iter, names)

    def visit_While(self, node: ast.While) -> Any:
        title = f"while {_text(self.source, node.test)}"
        return self._block(node, "loop", title, node.test, [])

    def _block(
        self,
        node: Any,
        kind: Literal["loop", "scope"],
        title: str,
        head: ast.expr,
        names: list[str],
    ) -> Any:
        number = len(self.blocks)
        header = (*span_of(node)[:2], *span_of(head)[2:])
        body = (*span_of(node.body[0])[:2], *span_of(node.body[-1])[2:])
        self.blocks.append(Block(number, kind, header, title, body, set()))
        for around in self._around:
            self.blocks[around].inner.add(number)
        self._around.append(number)
        self.generic_visit(node)
        self._around.pop()
        node.body.insert(0, _mark("iterate", ast.Constant(number), names, node.body[0]))
        return node


def _scope(node: ast.expr) -> str | None:
    """The name given to `tf.name_scope("name")`."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return None
    if node.func.attr != "name_scope" or not node.args:
        return None
    first = node.args[0]
    return str(first.value) if isinstance(first, ast.Constant) else ast.unparse(first)


def _plain_names(target: ast.expr) -> list[str]:
    """The names that a loop's target gives values to."""
    if isinstance(target, ast.Name):
        return [target.id]
    if isinstance(target, ast.Starred):
        return _plain_names(target.value)
    if isinstance(target, ast.Tuple | ast.List):
        return [name for element in target.elts for name in _plain_names(element)]
    return []


def _name(target: ast.expr) -> str | None:
    """`w`, `self.w`, `a, b`: what the value is called, None for subscripts and the like."""
    if isinstance(target, ast.Name):
        return target.id
    if isinstance(target, ast.Attribute):
        owner = _name(target.value)
        return f"{owner}.{target.attr}" if owner else None
    if isinstance(target, ast.Tuple | ast.List):
        plain = ast.Name | ast.Attribute
        names = [_name(e) if isinstance(e, plain) else None for e in target.elts]
        return ", ".join(name or "_" for name in names)
    return None


def _load(name: ast.Name) -> ast.expr:
    return ast.copy_location(ast.Name(name.id, ast.Load()), name)


def _bound(value: ast.expr, name: str) -> ast.expr:
    call = ast.Call(placeholder("bind"), [value, ast.Constant(name)], [])
    return ast.copy_location(call, value)


def _mark(kind: str, first: ast.expr, names: list[str], at: ast.stmt) -> ast.stmt:
    values: list[ast.expr] = [ast.Name(name, ast.Load()) for name in names]
    keys: list[ast.expr | None] = [ast.Constant(name) for name in names]
    call = ast.Call(placeholder(kind), [first, ast.Dict(keys, values)], [])
    return ast.copy_location(ast.Expr(ast.copy_location(call, at)), at)
