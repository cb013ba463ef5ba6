"""From a pasted text to a program that runs, with the way back for every position.

Pure Python: no TensorFlow, nothing runs. Line numbers of the code are those of the text; columns
are mapped (`Prepared.to_text`).
"""

import ast
import contextlib
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from tapedeck.recorder.prepare import characters, output, proven, structure
from tapedeck.recorder.prepare.draft import Draft
from tapedeck.recorder.prepare.errors import explain
from tapedeck.recorder.prepare.expressions import Plan, plan_expressions
from tapedeck.recorder.prepare.imports import MODULES, import_line, missing_names, needless
from tapedeck.recorder.prepare.script import plain_script
from tapedeck.recorder.prepare.tree import transformed
from tapedeck.trace.document import Mode, Snippet

__all__ = ["MODULES", "Prepared", "prepare"]

DEEP = 20_000
"""Calls inside one another while a text is read."""


@dataclass(frozen=True)
class Prepared:
    """A snippet, ready to run."""

    snippet: Snippet
    """What stands in the trace; `text` is exactly what the person sees."""
    code: str
    """What the positions of `tree` refer to: the repaired text, line by line like the text."""
    tree: ast.Module | None
    """What is compiled and run. In expressions mode it holds the added tape. None: see `error`."""
    error: SyntaxError | None = None
    """Why there is no tree. Its positions are those of the person's text."""
    hint: str | None = None
    """Code of the explanation of `error`."""
    names: tuple[str, ...] = ()
    """Names to provide before it runs; `MODULES` tells which module each of them is."""
    tape: str | None = None
    """Expressions mode: the name of the added tape in the tree."""
    columns: tuple[tuple[int, ...] | None, ...] = field(default=(), repr=False)
    """For each line the column in the text of every character of the code and of its end; None
    where they are the same."""

    @property
    def mode(self) -> Mode:
        """How it was read: `script` or `expressions`."""
        return self.snippet.mode

    def to_text(self, line: int, column: int, end: bool = False) -> tuple[int, int]:
        """A position of the code in the person's text.

        `line` counts from 1; `column` counts UTF-8 bytes from 0, as CPython's positions do. The
        result counts code points. `end` is for the exclusive end of a piece.
        """
        lines = self._code_lines
        if not 1 <= line <= len(lines):
            return max(1, min(line, len(lines))), 0
        text = lines[line - 1]
        if not text.isascii():
            column = len(text.encode("utf-8", "replace")[:column].decode("utf-8", "ignore"))
        column = min(column, len(text))
        columns = self.columns[line - 1]
        if columns is None:
            return line, column
        if end and column:
            return line, columns[column - 1] + 1
        return line, columns[column]

    @cached_property
    def _code_lines(self) -> list[str]:
        return self.code.split("\n")


def prepare(source: str, mode: Mode = "auto", seed: int = 0) -> Prepared:
    """Reads a pasted text: puts right what can be without changing meaning, chooses the mode."""
    text = source.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    draft = Draft(text)
    if "\r" in text:
        draft.note("line_ends")
    with _deep():
        return _read(draft, text, mode, seed)


@contextlib.contextmanager
def _deep() -> Iterator[None]:
    """What CPython compiles is read: its compiler goes deeper than Python's functions may."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, DEEP))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


def _read(draft: Draft, text: str, mode: Mode, seed: int) -> Prepared:
    text_lines = draft.texts()
    try:
        tree = _repair(draft)
    except SyntaxError as error:
        shown, hint = explain(error, draft, text_lines)
        snippet = Snippet(
            text=text,
            asked=mode,
            mode="expressions" if mode == "expressions" else "script",
            seed=seed,
            repairs=draft.repairs(),
        )
        return Prepared(snippet, draft.code(), None, shown, hint, columns=_columns(draft))
    return _planned(draft, text, tree, mode, seed)


def _repair(draft: Draft) -> ast.Module:
    """Goes through the repairs until the text is a program. Raises SyntaxError where it is none.

    From then on only what the program's tree proves to do nothing is taken out.
    """
    for stage in _STAGES:
        if draft.is_program():
            break
        stage(draft)
    proven.leftovers(draft)
    _leave_out(draft, needless(draft.program()))
    return draft.program()


_STAGES = (
    structure.labels,
    structure.cells,
    output.tensors,
    output.printed,
    characters.invisible,
    structure.quoted,
    structure.fences,
    structure.cells,
    structure.prompts,
    output.printed,
    output.tensors,
    structure.magics,
    structure.line_numbers,
    structure.indent,
    structure.tabs,
    characters.signs,
    structure.tabs,
)


def _leave_out(draft: Draft, statements: list[ast.stmt]) -> None:
    """Puts `pass` in the place of statements."""
    for node in sorted(statements, key=lambda s: (s.lineno, s.col_offset), reverse=True):
        first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
        code = "unused_import" if isinstance(node, ast.Import | ast.ImportFrom) else "drawing"
        text = ast.unparse(node)
        for index in range(last, first, -1):
            end = _characters(draft, index, node.end_col_offset or 0) if index == last else None
            size = len(draft.lines[index].text) if end is None else end
            draft.lines[index].replace(0, size, "")
        start = _characters(draft, first, node.col_offset)
        end = len(draft.lines[first].text)
        if first == last:
            end = _characters(draft, first, node.end_col_offset or 0)
        draft.lines[first].replace(start, end, "pass")
        draft.note(code, first, text if code == "unused_import" else "")


def _characters(draft: Draft, index: int, column: int) -> int:
    text = draft.lines[index].text
    return column if text.isascii() else len(text.encode()[:column].decode())


def _planned(draft: Draft, text: str, tree: ast.Module, mode: Mode, seed: int) -> Prepared:
    plan = plan_expressions(tree, asked=mode == "expressions") if mode != "script" else None
    names = missing_names(tree)
    if plan is None:
        for name, line in names.items():
            draft.note("import", line - 1, import_line(name))
        snippet = Snippet(text=text, asked=mode, mode="script", seed=seed, repairs=draft.repairs())
        return Prepared(snippet, draft.code(), tree, names=tuple(names), columns=_columns(draft))
    return _expressions(draft, text, tree, plan, mode, seed)


def _expressions(
    draft: Draft, text: str, tree: ast.Module, plan: Plan, mode: Mode, seed: int
) -> Prepared:
    code = draft.code()
    for line, literal in plan.floats:
        draft.note("float", line - 1, literal)
    snippet = Snippet(
        text=text,
        asked=mode,
        mode="expressions",
        seed=seed,
        repairs=draft.repairs(),
        watched=plan.watched_names,
        target=_written(code, plan),
        script=plain_script(code, tree, plan),
    )
    return Prepared(
        snippet,
        code,
        transformed(tree, plan),
        names=plan.provided,
        tape=plan.tape,
        columns=_columns(draft),
    )


def _written(code: str, plan: Plan) -> str:
    """The target as the person writes it, on one line."""
    written = ast.get_source_segment(code, plan.target.node)
    return " ".join(written.split()) if written else plan.target_text


def _columns(draft: Draft) -> tuple[tuple[int, ...] | None, ...]:
    return tuple(None if line.columns is None else tuple(line.columns) for line in draft.lines)
