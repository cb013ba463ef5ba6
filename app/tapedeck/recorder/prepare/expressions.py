"""Expressions mode: what of a snippet without a tape is watched, and what is differentiated.

A plan is made once; the tree that runs (`tree`) and the script that is shown (`script`) are both
made from it, so that they do the same.
"""

import ast
from dataclasses import dataclass
from functools import cached_property

from tapedeck.recorder.prepare.fits import fits
from tapedeck.recorder.prepare.imports import bound_names, missing_names
from tapedeck.recorder.prepare.inputs import Kind, kind_of
from tapedeck.recorder.prepare.names import Names, dotted, names_of, path_of
from tapedeck.recorder.prepare.targets import Target, Targets, assigned, pairs
from tapedeck.recorder.prepare.uses import Role, Uses, reached, uses

#: A snippet with any of these brings its own differentiation: it is a script.
OWN_TAPE = frozenset(
    {"GradientTape", "gradient", "gradients", "jacobian", "batch_jacobian", "ForwardAccumulator"}
    | {"jvp", "fit", "train_on_batch", "train_step", "apply_gradients", "minimize", "compile"}
    | {"value_and_gradient", "get_gradients", "exec", "eval", "grad"}
)
LEAVING = frozenset({"float", "int"})
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
    number: bool
    """Whether the target may be a plain number, made by NumPy, `math` or `float`: it is converted
    for the gradient call, which then tells where the value left TensorFlow."""

    def inputs_at(self, index: int) -> list[Input]:
        """The inputs that the statement at a position assigns."""
        return self._by_index.get(index, [])

    @cached_property
    def _by_index(self) -> dict[int, list[Input]]:
        found: dict[int, list[Input]] = {}
        for item in self.inputs:
            found.setdefault(item.index, []).append(item)
        return found

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
    names = names_of(tree)
    found = uses(tree)
    variables = _variables(tree, names)
    inputs = _watched(_candidates(tree, names), found, bool(variables))
    if not (inputs or variables):
        return None
    targets = Targets(tree, names, {item.index for item in inputs})
    if asked:
        target = targets.last()
    else:
        changed = {i.name: i.value for i in inputs if i.kind not in ("tensor", "int_tensor")}
        if not fits(tree, changed, names):
            return None
        sources = {i.name for i in inputs} | {name.partition(".")[0] for name in variables}
        target = targets.last(reached(sources, _flows(tree, found)))
    if target is None and inputs and (asked or targets.only_inputs()):
        target = Target("name", inputs[-1].index, inputs[-1].target)
    return _plan(tree, inputs, variables, target) if target else None


def _flows(tree: ast.Module, found: Uses) -> dict[str, set[str]]:
    """Name → names that are made from it, also by a function that reads it."""
    flows = {name: set(made) for name, made in found.feeds.items()}
    for function in tree.body:
        if not isinstance(function, ast.FunctionDef):
            continue
        for node in ast.walk(function):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                flows.setdefault(node.id, set()).add(function.name)
    return flows


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
    last = _last_bound(tree)
    aliased: list[Input] = []
    for item in inputs:
        alias = _free(f"{item.name}_0", taken) if last[item.name] > item.index else None
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
        number=_leaves(tree) and not isinstance(target.node, ast.Tuple),
    )


def _leaves(tree: ast.Module) -> bool:
    """Whether a call may give a plain number for a tensor."""
    names = names_of(tree)
    paths = (path_of(node.func, names) for node in ast.walk(tree) if isinstance(node, ast.Call))
    return any(path in LEAVING or path.partition(".")[0] in ("np", "math") for path in paths)


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


def _candidates(tree: ast.Module, names: Names) -> list[Input]:
    return [
        Input(index, name.id, name, value, kind)
        for index, statement in enumerate(tree.body)
        for name, value in pairs(statement)
        if (kind := kind_of(value, names))
    ]


def _watched(candidates: list[Input], found: Uses, others: bool) -> list[Input]:
    """Of the candidates those that it means something to differentiate with respect to."""
    chosen = [item for item in candidates if _means_something(item, found.of(item.name))]
    if chosen or others:
        return chosen
    return [i for i in candidates if not found.of(i.name) or found.of(i.name) == {"shown"}][-1:]


def _is_float(item: Input) -> bool:
    return item.kind not in ("int", "ints", "int_tensor")


def _means_something(item: Input, roles: set[Role]) -> bool:
    if "value" not in roles and not ("exponent" in roles and _is_float(item)):
        return False
    if item.kind in ("tensor", "array"):
        return True
    return not roles & {"index", "setting"}


def _variables(tree: ast.Module, names: Names) -> list[str]:
    found: list[str] = []
    for statement in tree.body:
        pair = assigned(statement)
        if not pair or not isinstance(pair[1], ast.Call):
            continue
        path = path_of(pair[1].func, names)
        if path in ("tf.Variable", "Variable"):
            found.append(pair[0].id)
        elif ".layers." in f".{path}" or path.rpartition(".")[2] in ("Sequential", "Model"):
            found.append(f"{pair[0].id}.trainable_variables")
    return list(dict.fromkeys(found))


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


def _last_bound(tree: ast.Module) -> dict[str, int]:
    """Name → position of the last statement that binds it, other than inside a definition."""
    return {
        node.id: index
        for index, statement in enumerate(tree.body)
        if not isinstance(statement, ast.FunctionDef | ast.ClassDef)
        for node in ast.walk(statement)
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)
    }
