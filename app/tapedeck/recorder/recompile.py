"""Python functions with calls inserted, compiled so that nobody can tell by a traceback.

A wrapper around a function adds a frame, which shows in tracebacks, in `warnings` and in
whatever counts by its caller. So the function's own source is compiled anew, under its own file
and lines, with calls at its beginning, at its returns and where it raises.
"""

import ast
import functools
import inspect
import textwrap
import types
import warnings
from collections.abc import Callable
from typing import Any

Hook = Callable[..., Any]
MARK = "\0tapedeck:"


def placeholder(name: str) -> ast.expr:
    """A constant that `bind_constants` replaces by an object; a name could collide."""
    return ast.Constant(MARK + name)


def bind_constants(code: types.CodeType, objects: dict[str, Any]) -> types.CodeType:
    """The code with every placeholder, in nested code too, replaced by its object."""
    constants = tuple(_bound(constant, objects) for constant in code.co_consts)
    return code.replace(co_consts=constants)


def _bound(constant: object, objects: dict[str, Any]) -> object:
    if isinstance(constant, types.CodeType):
        return bind_constants(constant, objects)
    if isinstance(constant, str) and constant.startswith(MARK):
        return objects[constant.removeprefix(MARK)]
    return constant


def compile_marked(tree: ast.Module, filename: str) -> types.CodeType:
    """Compiles a tree that holds placeholders; `bind_constants` fills them."""
    with warnings.catch_warnings():
        # "'str' object is not callable; perhaps you missed a comma?": a placeholder's call.
        warnings.filterwarnings("ignore", "'str' object is not callable", SyntaxWarning)
        return compile(tree, filename, "exec", dont_inherit=True)


def recompile(
    function: types.FunctionType,
    *,
    owner: str | None = None,
    begin: Hook | None = None,
    end: Hook | None = None,
    error: Hook | None = None,
) -> types.CodeType:
    """The function's code with `begin(*parameters)`, `end(result) -> result` and `error()`.

    `owner` is the name of the class it is a method of, for its qualified name.
    """
    given = begin is not None, end is not None, error is not None
    objects = {"begin": begin, "end": end, "error": error}
    code = bind_constants(_marked(function, owner, given), objects)
    namespace: dict[str, Any] = {}
    exec(code, function.__globals__, namespace)  # noqa: S102  (TensorFlow's own source)
    made = namespace if owner is None else namespace[owner].__dict__
    compiled: types.CodeType = made[function.__name__].__code__
    return compiled


@functools.cache
def _marked(
    plain: types.FunctionType, owner: str | None, given: tuple[bool, bool, bool]
) -> types.CodeType:
    """The function's definition, compiled with placeholders where its hooks are called."""
    lines, first = inspect.getsourcelines(plain)
    source = textwrap.dedent("".join(lines))
    indent = len(lines[0]) - len(lines[0].lstrip())
    tree = ast.parse(source)
    definition = tree.body[0]
    assert isinstance(definition, ast.FunctionDef)
    definition.decorator_list = []
    _insert(definition, *given)
    if owner is not None:
        tree.body = [ast.ClassDef(owner, [], [], [definition], [], lineno=1, col_offset=0)]
    ast.fix_missing_locations(tree)
    ast.increment_lineno(tree, first - 1)
    for node in ast.walk(tree):
        if isinstance(node, ast.expr | ast.stmt):
            node.col_offset += indent
            node.end_col_offset = (node.end_col_offset or 0) + indent
    return compile_marked(tree, plain.__code__.co_filename)


def _insert(definition: ast.FunctionDef, begin: bool, end: bool, error: bool) -> None:
    body = definition.body
    documented = isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant)
    head, rest = (body[:1], body[1:]) if documented else ([], body)
    if end:
        rest = [_Returns().visit(statement) for statement in rest]
        if not isinstance(rest[-1], ast.Return):
            rest.append(_call("end", [ast.Constant(None)], rest[-1]))
    if begin:
        arguments = definition.args
        names = [a.arg for a in arguments.posonlyargs + arguments.args + arguments.kwonlyargs]
        rest.insert(0, _call("begin", [ast.Name(n, ast.Load()) for n in names], rest[0]))
    if error:
        rest = [_guarded(rest)]
    definition.body = head + rest


def _call(name: str, arguments: list[ast.expr], at: ast.stmt) -> ast.stmt:
    call = ast.Call(placeholder(name), arguments, [])
    return ast.copy_location(ast.Expr(ast.copy_location(call, at)), at)


def _guarded(body: list[ast.stmt]) -> ast.stmt:
    at = body[0]
    handler = ast.ExceptHandler(None, None, [_call("error", [], at), ast.Raise()])
    return ast.copy_location(ast.Try(body, [handler], [], []), at)


class _Returns(ast.NodeTransformer):
    """Passes what a function returns through the `end` hook; nested functions stay."""

    def visit_Return(self, node: ast.Return) -> ast.Return:
        value = node.value or ast.copy_location(ast.Constant(None), node)
        node.value = ast.copy_location(ast.Call(placeholder("end"), [value], []), node)
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.Lambda:
        return node
