"""Expressions mode: what of a snippet without a tape is watched, and what is differentiated.

A plan is made once; the tree that runs (`tree`) and the script that is shown (`script`) are both
made from it, so that they do the same.
"""

import ast
from dataclasses import dataclass
from typing import Literal

from tapedeck.recorder.prepare.imports import bound_names, missing_names
from tapedeck.recorder.prepare.inputs import Kind, kind_of
from tapedeck.recorder.prepare.uses import Role, Uses, dotted, uses

#: A snippet with any of these brings its own differentiation: it is a script.
OWN_TAPE = frozenset(
    {"GradientTape", "gradient", "gradients", "jacobian", "batch_jacobian", "ForwardAccumulator"}
    | {"jvp", "fit", "train_on_batch", "train_step", "apply_gradients", "minimize", "compile"}
    | {"value_and_gradient", "get_gradients", "exec", "eval", "grad"}
)
PLAIN = (
    ast.Assign,
    ast.AnnAssign,
    ast.AugAssign,
    ast.Expr,
    ast.FunctionDef,
    ast.Import,
    ast.ImportFrom,
    ast.Pass,
    ast.Assert,
)
NOT_TENSORS = frozenset({"float", "int", "str", "len", "type", "numpy", "tolist", "bool", "dir"})


@dataclass(frozen=True)
class Input:
    """A top-level assignment whose value becomes a watched tensor."""

    index: int
    """Position of the statement in the module."""
    name: str
    target: ast.Name
    value: ast.expr
    kind: Kind
    alias: str | None = None
    """A name of our own that keeps the watched tensor where the snippet binds `name` again."""


@dataclass(frozen=True)
class Target:
    """What is differentiated."""

    kind: Literal["name", "expression", "printed"]
    index: int
    """Position of its statement."""
    node: ast.expr
    """The assigned name, the expression, or what `print` shows."""


@dataclass(frozen=True)
class Plan:
    """What is done to a snippet of expressions."""

    inputs: tuple[Input, ...]
    variables: tuple[str, ...]
    """Names of variables; `layer.trainable_variables` for a Keras layer."""
    target: Target
    start: int
    """Position of the first statement that goes into the tape's block."""
    tensorflow: str
    """The name under which TensorFlow is there."""
    tape: str
    result: str
    """A free name for the target where it has none, ..."""
    gradients: str
    """... and one for what `gradient` returns."""
    provided: tuple[str, ...]

    def inputs_at(self, index: int) -> list[Input]:
        """The inputs that the statement at a position assigns."""
        return [item for item in self.inputs if item.index == index]

    @property
    def watched_names(self) -> tuple[str, ...]:
        """The names that became watched tensors, each once."""
        return tuple(dict.fromkeys(item.name for item in self.inputs))

    @property
    def target_text(self) -> str:
        """How the snippet names what is differentiated."""
        return ast.unparse(self.target.node)

    @property
    def floats(self) -> tuple[tuple[int, str], ...]:
        """Whole numbers that are read as floats: line and how they are read."""
        return tuple(
            (item.target.lineno, f"{item.name} = {float_text(item.value)}")
            for item in self.inputs
            if item.kind in ("int", "ints")
        )


def float_text(node: ast.expr) -> str:
    """A literal of whole numbers written as floats."""
    return ast.unparse(_Floats().visit(ast.parse(ast.unparse(node), mode="eval").body))


class _Floats(ast.NodeTransformer):
    def visit_Constant(self, node: ast.Constant) -> ast.Constant:
        return ast.Constant(float(node.value)) if isinstance(node.value, int) else node


def plan_expressions(tree: ast.Module, asked: bool = False) -> Plan | None:
    """The plan for a snippet, or None where it is a script.

    `asked`: the person chose expressions mode, so only a snippet with nothing to differentiate
    is left as a script.
    """
    if not asked and not _is_plain(tree):
        return None
    candidates = _candidates(tree)
    variables = _variables(tree)
    inputs = _watched(candidates, uses(tree), bool(variables))
    target = _target(tree, inputs)
    if target is None or not (inputs or variables):
        return None
    return _plan(tree, inputs, variables, target)


def _is_plain(tree: ast.Module) -> bool:
    if not all(isinstance(statement, PLAIN) for statement in tree.body):
        return False
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr in OWN_TAPE:
            return False
        if isinstance(node, ast.Name) and node.id in OWN_TAPE:
            return False
    return True


def _plan(tree: ast.Module, inputs: list[Input], variables: list[str], target: Target) -> Plan:
    taken = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)} | bound_names(tree)
    start = _start(tree, inputs, target)
    names = list(missing_names(tree))
    name = _tensorflow_name(tree)
    if name not in names and not _imported_first(
        tree, name, min([start, *(i.index for i in inputs)])
    ):
        names.append(name)
    aliased: list[Input] = []
    for item in inputs:
        alias = _free(f"{item.name}_0", taken) if _bound_again(tree, item) else None
        if alias:
            taken.add(alias)
        aliased.append(Input(item.index, item.name, item.target, item.value, item.kind, alias))
    return Plan(
        inputs=tuple(aliased),
        variables=tuple(variables),
        target=target,
        start=start,
        tensorflow=name,
        tape=_free("tape", taken),
        result=_free("target", taken),
        gradients=_free("gradients", taken),
        provided=tuple(names),
    )


def _free(name: str, taken: set[str]) -> str:
    stem, number, found = name.rstrip("0123456789").rstrip("_") or name, 1, name
    while found in taken:
        found = f"{stem}_{number}"
        number += 1
    return found


def _tensorflow_name(tree: ast.Module) -> str:
    """`tf` unless the snippet gives that name to something else."""
    if "tf" not in bound_names(tree) or _import_index(tree, "tf") is not None:
        return "tf"
    return "tensorflow"


def _import_index(tree: ast.Module, name: str) -> int | None:
    for index, statement in enumerate(tree.body):
        if isinstance(statement, ast.Import) and any(
            alias.name == "tensorflow" and (alias.asname or alias.name) == name
            for alias in statement.names
        ):
            return index
    return None


def _imported_first(tree: ast.Module, name: str, before: int) -> bool:
    index = _import_index(tree, name)
    return index is not None and index < before


def assigned(statement: ast.stmt) -> tuple[ast.Name, ast.expr] | None:
    """Name and value of `name = value` (also with an annotation)."""
    if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
        return (statement.targets[0], statement.value) if len(statement.targets) == 1 else None
    if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
        return (statement.target, statement.value) if statement.value else None
    return None


def pairs(statement: ast.stmt) -> list[tuple[ast.Name, ast.expr]]:
    """Names and values of an assignment, also of `x, y = 2.0, 3.0`."""
    if pair := assigned(statement):
        return [pair]
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return []
    names, values = statement.targets[0], statement.value
    if not isinstance(names, ast.Tuple) or not isinstance(values, ast.Tuple):
        return []
    if len(names.elts) != len(values.elts):
        return []
    each = zip(names.elts, values.elts, strict=True)
    return [(name, value) for name, value in each if isinstance(name, ast.Name)]


def _candidates(tree: ast.Module) -> list[Input]:
    return [
        Input(index, name.id, name, value, kind)
        for index, statement in enumerate(tree.body)
        for name, value in pairs(statement)
        if (kind := kind_of(value))
    ]


def _watched(candidates: list[Input], found: Uses, others: bool) -> list[Input]:
    """Of the candidates those that it means something to differentiate with respect to."""
    chosen = [item for item in candidates if _means_something(item, found.of(item.name))]
    if chosen or others:
        return chosen
    exponents = [i for i in candidates if found.of(i.name) & {"exponent"} and _is_float(i)]
    if exponents:
        return [i for i in exponents if not found.of(i.name) & {"index", "setting"}]
    return [i for i in candidates if not found.of(i.name) or found.of(i.name) == {"shown"}][-1:]


def _is_float(item: Input) -> bool:
    return item.kind not in ("int", "ints", "int_tensor")


def _means_something(item: Input, roles: set[Role]) -> bool:
    if "value" not in roles:
        return False
    if item.kind in ("tensor", "array"):
        return True
    return not roles & {"index", "setting"}


def _variables(tree: ast.Module) -> list[str]:
    found: list[str] = []
    for statement in tree.body:
        pair = assigned(statement)
        if not pair or not isinstance(pair[1], ast.Call):
            continue
        path = dotted(pair[1].func)
        if path in ("tf.Variable", "tensorflow.Variable", "Variable"):
            found.append(pair[0].id)
        elif ".layers." in f".{path}" or path.rpartition(".")[2] in ("Sequential", "Model"):
            found.append(f"{pair[0].id}.trainable_variables")
    return list(dict.fromkeys(found))


def _target(tree: ast.Module, inputs: list[Input]) -> Target | None:
    """The last expression, or the last assigned value; an input itself only where nothing else is."""
    input_indexes = {item.index for item in inputs}
    for index in range(len(tree.body) - 1, -1, -1):
        if index not in input_indexes and (target := _target_of(tree.body[index], index)):
            return target
    if not inputs:
        return None
    return Target("name", inputs[-1].index, inputs[-1].target)


def _target_of(statement: ast.stmt, index: int) -> Target | None:
    if isinstance(statement, ast.Expr):
        return _expression_target(statement.value, index)
    if isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Name):
        return Target("name", index, statement.target)
    if isinstance(statement, ast.Assign) and _is_value(statement.value):
        first = statement.targets[0]
        names = first.elts if isinstance(first, ast.Tuple) else [first]
        if names and all(isinstance(name, ast.Name) for name in names):
            return Target("name", index, first)
    if isinstance(statement, ast.AnnAssign):
        pair = assigned(statement)
        return Target("name", index, pair[0]) if pair and _is_value(pair[1]) else None
    return None


def _expression_target(node: ast.expr, index: int) -> Target | None:
    if isinstance(node, ast.Call) and dotted(node.func) == "print":
        if len(node.args) != 1 or not _is_value(node.args[0]):
            return None
        return Target("printed", index, node.args[0])
    return Target("expression", index, node) if _is_value(node) else None


def _is_value(node: ast.expr) -> bool:
    """Whether it may be a tensor that depends on something."""
    if isinstance(node, ast.Constant | ast.Lambda | ast.JoinedStr | ast.Compare | ast.Attribute):
        return False
    if kind_of(node) in ("int", "float", "ints"):
        return False
    if isinstance(node, ast.Call):
        last = node.func.attr if isinstance(node.func, ast.Attribute) else dotted(node.func)
        made = last in ("Variable", "Sequential") or ".layers." in dotted(node.func)
        if last in NOT_TENSORS or last.startswith("assign") or last == "set_seed" or made:
            return False
    return any(isinstance(part, ast.Name) for part in ast.walk(node))


def _start(tree: ast.Module, inputs: list[Input], target: Target) -> int:
    """Statements before it need no tape: imports, definitions, the inputs themselves."""
    input_indexes = {item.index for item in inputs}
    for index, statement in enumerate(tree.body):
        if index in input_indexes or isinstance(
            statement, ast.Import | ast.ImportFrom | ast.FunctionDef | ast.Pass
        ):
            continue
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
            continue
        pair = assigned(statement)
        if pair and index != target.index and _needs_no_tape(pair[1]):
            continue
        return index
    return len(tree.body)


def _needs_no_tape(node: ast.expr) -> bool:
    if isinstance(node, ast.Constant | ast.Lambda) or kind_of(node):
        return True
    return isinstance(node, ast.Call) and dotted(node.func).endswith("Variable")


def _bound_again(tree: ast.Module, item: Input) -> bool:
    """Whether the snippet binds the input's name again after its assignment."""
    for index, statement in enumerate(tree.body):
        if index <= item.index:
            continue
        for node in ast.walk(statement):
            if not isinstance(node, ast.Name) or isinstance(node.ctx, ast.Load):
                continue
            if node.id == item.name:
                return not _is_local(statement)
    return False


def _is_local(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.FunctionDef | ast.ClassDef)
