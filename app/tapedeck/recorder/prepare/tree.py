"""The tree of a snippet of expressions with a tape put around it.

Every added node stands at a place of the snippet that says why it is there: a `watch` at the
name it watches, the tape at the first statement it records, the gradient call at its target.
Names that are ours alone (`<target>`) are no identifiers, so they can meet none of the snippet's.
"""

import ast
import copy
from typing import TypeVar

from tapedeck.recorder.prepare.expressions import Input, Plan

Node = TypeVar("Node", bound=ast.AST)
Located = ast.expr | ast.stmt

TARGET = "<target>"
GRADIENTS = "<gradients>"


def transformed(tree: ast.Module, plan: Plan) -> ast.Module:
    """What runs: the statements before the tape, the tape's block, and the gradient call."""
    before: list[ast.stmt] = []
    inside: list[ast.stmt] = []
    for index, statement in enumerate(tree.body):
        items = plan.inputs_at(index)
        done = _statements(statement, index, items, plan)
        if index < plan.start:
            before += done
        elif plan.target.kind == "printed" and index == plan.target.index:
            inside += [_keep_target(plan), *done]
        else:
            inside += [*done, *(added for item in items for added in _watch(item, plan))]
    watches = [s for item in plan.inputs if item.index < plan.start for s in _watch(item, plan)]
    where: Located = tree.body[plan.start] if plan.start < len(tree.body) else plan.target.node
    return ast.Module([*before, *_block(plan, [*watches, *inside], where), _gradient(plan)], [])


def _statements(statement: ast.stmt, index: int, items: list[Input], plan: Plan) -> list[ast.stmt]:
    """What runs for a statement; `x = y = 2.0` makes a tensor for each name."""
    if not items or not isinstance(statement, ast.Assign) or len(statement.targets) == 1:
        return [_statement(statement, index, items, plan)]
    inputs = {id(item.target): item for item in items}
    return [
        ast.copy_location(
            ast.Assign([target], _value(statement, inputs.get(id(target)), plan)), statement
        )
        for target in statement.targets
    ]


def _value(statement: ast.Assign, item: Input | None, plan: Plan) -> ast.expr:
    return copy.deepcopy(_constant(item, plan) if item else statement.value)


def _statement(statement: ast.stmt, index: int, items: list[Input], plan: Plan) -> ast.stmt:
    if items:
        made = _Constants(items, plan).visit(statement)
        assert isinstance(made, ast.stmt)
        return made
    if index != plan.target.index or not isinstance(statement, ast.Expr):
        return statement
    if plan.target.kind == "expression":
        return _keep_target(plan)
    call = statement.value
    assert isinstance(call, ast.Call)
    shown = _at(_load(TARGET), plan.target.node)
    printed = ast.copy_location(ast.Call(call.func, [shown], call.keywords), call)
    return ast.copy_location(ast.Expr(printed), statement)


class _Constants(ast.NodeTransformer):
    """Puts tensors in the place of the inputs' values, in a copy of the statement."""

    def __init__(self, items: list[Input], plan: Plan) -> None:
        self._plan = plan
        self._items = {id(item.value): item for item in items}

    def visit(self, node: ast.AST) -> ast.AST:
        item = self._items.get(id(node))
        if item is not None:
            return _constant(item, self._plan)
        fields = {
            name: [self.visit(part) for part in value]
            if isinstance(value, list)
            else self.visit(value)
            if isinstance(value, ast.AST)
            else value
            for name, value in ast.iter_fields(node)
        }
        return ast.copy_location(type(node)(**fields), node)


def _constant(item: Input, plan: Plan) -> ast.expr:
    """The input's value as a tensor."""
    if item.kind in ("tensor", "int_tensor"):
        return item.value
    keywords = []
    value = item.value
    if isinstance(value, ast.Constant) and isinstance(value.value, int):
        value = ast.copy_location(ast.Constant(float(value.value)), value)
    elif item.kind != "float" and item.kind != "floats":
        dtype = ast.Attribute(_load(plan.tensorflow), "float32", ast.Load())
        keywords = [ast.keyword("dtype", dtype)]
    elif item.kind == "floats" and isinstance(value, ast.Tuple):
        value = ast.copy_location(ast.List(value.elts, ast.Load()), value)
    function = ast.Attribute(_load(plan.tensorflow), "constant", ast.Load())
    return _at(ast.Call(function, [value], keywords), item.value)


def _keep_target(plan: Plan) -> ast.stmt:
    node = plan.target.node
    return _at(ast.Assign([ast.Name(TARGET, ast.Store())], node), node)


def _watch(item: Input, plan: Plan) -> list[ast.stmt]:
    watch = ast.Attribute(_load(plan.tape), "watch", ast.Load())
    added: list[ast.stmt] = [ast.Expr(ast.Call(watch, [_load(item.name)], []))]
    if item.alias:
        kept = ast.Name(hidden(item.alias), ast.Store())
        added.append(ast.Assign([kept], _load(item.name)))
    return [_at(statement, item.target) for statement in added]


def hidden(alias: str) -> str:
    """A name of ours in the tree: not an identifier."""
    return f"<{alias}>"


def _block(plan: Plan, body: list[ast.stmt], where: Located) -> list[ast.stmt]:
    tape = ast.Call(ast.Attribute(_load(plan.tensorflow), "GradientTape", ast.Load()), [], [])
    item = ast.withitem(tape, ast.Name(plan.tape, ast.Store()))
    body = body or [_at(ast.Pass(), where)]
    return [_at(ast.With([item], body), where)]


def _gradient(plan: Plan) -> ast.stmt:
    """`<gradients> = tape.gradient(target, [x, w])`."""
    target = plan.target.node
    if plan.target.kind == "name":
        over = ast.parse(ast.unparse(target), mode="eval").body
        for node in ast.walk(over):
            ast.copy_location(node, target)
    else:
        over = _load(TARGET)
    if plan.number:
        convert = ast.Attribute(_load(plan.tensorflow), "convert_to_tensor", ast.Load())
        over = _at(ast.Call(convert, [over], []), target)
    sources = [_at(_load(_source_name(item)), item.target) for item in plan.inputs]
    listed = ast.List([*sources, *map(_variable, plan.variables)], ast.Load())
    function = ast.Attribute(_load(plan.tape), "gradient", ast.Load())
    call = ast.Call(function, [over, listed], [])
    return _at(ast.Assign([ast.Name(GRADIENTS, ast.Store())], call), target)


def _source_name(item: Input) -> str:
    return hidden(item.alias) if item.alias else item.name


def _variable(name: str) -> ast.expr:
    base, _, attribute = name.partition(".")
    if not attribute:
        return _load(base)
    return ast.Starred(ast.Attribute(_load(base), attribute, ast.Load()), ast.Load())


def _load(name: str) -> ast.Name:
    return ast.Name(name, ast.Load())


def _at(node: Node, place: Located) -> Node:
    """Gives the added nodes (those without a position) the place of an existing one."""
    for part in ast.walk(node):
        if isinstance(part, Located | ast.keyword) and not hasattr(part, "lineno"):
            ast.copy_location(part, place)
            part.end_lineno, part.end_col_offset = place.end_lineno, place.end_col_offset
    return node
