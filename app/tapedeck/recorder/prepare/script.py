"""The plain script that does what expressions mode did, in the person's own lines."""

import ast

from tapedeck.recorder.prepare.draft import LINE_END, Scan
from tapedeck.recorder.prepare.expressions import Input, Plan, float_text
from tapedeck.recorder.prepare.imports import import_line

INDENT = "    "


def plain_script(code: str, tree: ast.Module, plan: Plan) -> str:
    """A script with a tape of its own that runs to the same result; ends with a line end."""
    source = _Source(code, tree)
    before: list[str] = []
    inside = [f"{plan.tape}.watch({i.name})" for i in plan.inputs if i.index < plan.start]
    kept = [f"{i.alias} = {i.name}" for i in plan.inputs if i.index < plan.start and i.alias]
    inside += kept
    for index in range(len(tree.body)):
        lines = _statement(source, index, plan)
        if index < plan.start:
            before += lines
            continue
        inside += lines if index > plan.start else _trimmed(lines)
        for item in plan.inputs_at(index):
            inside.append(f"{plan.tape}.watch({item.name})")
            inside += [f"{item.alias} = {item.name}"] if item.alias else []
    head = [import_line(name) for name in plan.provided]
    block = [f"with {plan.tensorflow}.GradientTape() as {plan.tape}:"]
    block += [_indented(line) for line in _trimmed(inside) or ["pass"]]
    parts = [head, before, block, _ending(plan), source.rest()]
    return "\n\n".join("\n".join(_trimmed(part)) for part in parts if any(part)) + "\n"


def _indented(text: str) -> str:
    """Indents a statement, but not the lines that begin inside a string literal."""
    lines = text.split("\n")
    inside = Scan(lines).inside
    return "\n".join(
        line if inner or not line.strip() else INDENT + line
        for line, inner in zip(lines, inside, strict=True)
    )


def _trimmed(lines: list[str]) -> list[str]:
    """Without blank lines at the beginning and the end."""
    filled = [i for i, line in enumerate(lines) if line.strip()]
    return lines[filled[0] : filled[-1] + 1] if filled else []


def _statement(source: "_Source", index: int, plan: Plan) -> list[str]:
    """The statement with the comments before and after it."""
    items = plan.inputs_at(index)
    edits = [edit for item in items for edit in _constant(source, item, plan)]
    extra: list[str] = []
    if not items and index == plan.target.index and plan.target.kind != "name":
        start, end = source.span(plan.target.node)
        if plan.target.kind == "expression":
            start = source.starts[index]
            edits = [(start, start, f"{plan.result} = ")]
        else:
            extra = [f"{plan.result} = {_whole(plan.target.node, source.code[start:end])}"]
            edits = [(start, end, plan.result)]
    leading, trailing = source.leading(index), source.trailing(index)
    statement = source.statements[index]
    if items and isinstance(statement, ast.Assign) and len(statement.targets) > 1:
        each = _each(source, statement, items, plan)
        return [*leading, *each[:-1], each[-1] + trailing]
    return [*leading, *extra, source.text(index, edits) + trailing]


def _whole(node: ast.expr, text: str) -> str:
    """An expression as the value of an assignment: in brackets where it needs them."""
    return f"({text})" if "\n" in text or isinstance(node, ast.NamedExpr) else text


def _each(source: "_Source", statement: ast.Assign, items: list[Input], plan: Plan) -> list[str]:
    """`x = y = 2.0` with a tensor for each name."""
    start, end = source.span(statement.value)
    inputs = {id(item.target): item for item in items}
    lines = []
    for target in statement.targets:
        item = inputs.get(id(target))
        [(_, _, text)] = _constant(source, item, plan) if item else [(0, 0, source.code[start:end])]
        lines.append(f"{ast.unparse(target)} = {text}")
    return lines


def _constant(source: "_Source", item: Input, plan: Plan) -> list[tuple[int, int, str]]:
    if item.kind in ("tensor", "int_tensor"):
        return []
    start, end = source.span(item.value)
    text = source.code[start:end]
    if item.kind == "array" or (item.kind == "int" and not isinstance(item.value, ast.Constant)):
        text = f"{text}, dtype={plan.tensorflow}.float32"
    elif item.kind in ("int", "ints"):
        text = float_text(item.value)
    return [(start, end, f"{plan.tensorflow}.constant({text})")]


def _ending(plan: Plan) -> list[str]:
    target = plan.target_text if plan.target.kind == "name" else plan.result
    target = f"({target})" if isinstance(plan.target.node, ast.Tuple) else target
    target = f"{plan.tensorflow}.convert_to_tensor({target})" if plan.number else target
    sources = [item.alias or item.name for item in plan.inputs]
    labels = [item.name for item in plan.inputs] + list(plan.variables)
    plain = not any("." in name for name in plan.variables)
    if len(labels) == 1 and plain:
        only = (sources + list(plan.variables))[0]
        return [f"print({plan.tape}.gradient({target}, {only}))"]
    listed = sources + [f"*{name}" if "." in name else name for name in plan.variables]
    return [
        f"{plan.gradients} = {plan.tape}.gradient({target}, [{', '.join(listed)}])",
        f"for gradient in {plan.gradients}:",
        f"{INDENT}print(gradient)",
    ]


class _Source:
    """The text of a program, statement by statement."""

    def __init__(self, code: str, tree: ast.Module) -> None:
        self.code = code
        self.statements = tree.body
        self._lines = LINE_END.split(code)
        self._offsets = [0]
        for line in self._lines:
            self._offsets.append(self._offsets[-1] + len(line) + 1)
        self.starts = [self._start(statement) for statement in tree.body]
        self.ends = [self.span(statement)[1] for statement in tree.body]

    def _start(self, statement: ast.stmt) -> int:
        decorators = getattr(statement, "decorator_list", [])
        if decorators:
            return self.code.rindex("@", 0, self.span(decorators[0])[0])
        return self.span(statement)[0]

    def span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        """Start and end of a node as offsets in the code."""
        end_line, end_column = node.end_lineno or node.lineno, node.end_col_offset or 0
        return self._offset(node.lineno, node.col_offset), self._offset(end_line, end_column)

    def _offset(self, line: int, column: int) -> int:
        text = self._lines[line - 1]
        if not text.isascii():
            column = len(text.encode()[:column].decode())
        return self._offsets[line - 1] + column

    def text(self, index: int, edits: list[tuple[int, int, str]]) -> str:
        """The statement with some pieces replaced."""
        start, end = self.starts[index], self.ends[index]
        result, position = "", start
        for edit_start, edit_end, new in sorted(edits):
            result += self.code[position:edit_start] + new
            position = edit_end
        return result + self.code[position:end]

    def _line_end(self, offset: int) -> int:
        end = self.code.find("\n", offset)
        return len(self.code) if end < 0 else end

    def trailing(self, index: int) -> str:
        """The comment on the statement's last line."""
        end = self.ends[index]
        until = self._line_end(end)
        if index + 1 < len(self.starts):
            until = min(until, self.starts[index + 1])
        return self.code[end:until].rstrip().removesuffix(";").rstrip()

    def leading(self, index: int) -> list[str]:
        """Comments and blank lines between the statement before and this one."""
        start = self._line_end(self.ends[index - 1]) + 1 if index else 0
        stop = self.starts[index]
        if start >= stop:
            return []
        return [line.rstrip() for line in self.code[start:stop].split("\n")][:-1]

    def rest(self) -> list[str]:
        """What follows the last statement: comments."""
        start = self._line_end(self.ends[-1]) + 1
        return [line.rstrip() for line in self.code[start:].split("\n")]
