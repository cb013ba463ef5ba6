"""The pasted text on its way to code: its lines, where each character came from, what was done.

Repairs never add or remove a line: line 7 of the code is line 7 of the person's text, so only the
columns of repaired lines need a map.
"""

import ast
import re
import warnings
from collections.abc import Iterable, Sequence

from tapedeck.trace.document import Repair

LINE_END = re.compile(r"\r\n|\r|\n")
Edit = tuple[int, int, str]
"""Start, exclusive end and new text of a piece of a line."""


class Line:
    """One line of the code and, for each of its characters, the column in the person's text."""

    __slots__ = ("columns", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.columns: list[int] | None = None
        """One entry a character and one for the end; None while the line is as it was pasted."""

    def replace(self, start: int, end: int, new: str) -> None:
        """Puts `new` in the place of the characters from `start` to `end` (exclusive)."""
        self.edit([(start, end, new)])

    def edit(self, edits: Sequence[Edit]) -> None:
        """Makes several replacements at once; their positions, from left to right, are those of
        the text before."""
        columns = self.columns or range(len(self.text) + 1)
        texts: list[str] = []
        kept: list[int] = []
        position = 0
        for start, end, new in edits:
            texts += (self.text[position:start], new)
            kept += columns[position:start]
            same = len(new) == end - start
            kept += columns[start:end] if same else [columns[start]] * len(new)
            position = end
        self.text = "".join([*texts, self.text[position:]])
        self.columns = [*kept, *columns[position:]]

    def original(self, column: int, end: bool = False) -> int:
        """The column in the person's text; `end` for the exclusive end of a piece."""
        if self.columns is None:
            return column
        last = len(self.columns) - 1
        if end and 0 < column <= last:
            return self.columns[column - 1] + 1
        return self.columns[min(column, last)]


class Draft:
    """The lines of a pasted text, being repaired."""

    def __init__(self, text: str) -> None:
        self.lines = [Line(line) for line in LINE_END.split(text)]
        self._notes: dict[tuple[str, str], set[int]] = {}
        self._scanned: tuple[str, Scan] | None = None
        self._parsed: tuple[str, ast.Module | SyntaxError] | None = None

    def texts(self) -> list[str]:
        """The code, line by line."""
        return [line.text for line in self.lines]

    def code(self) -> str:
        """The code."""
        return "\n".join(self.texts())

    def scan(self) -> "Scan":
        """What each character of the code as it is now is to Python's tokenizer."""
        code = self.code()
        if self._scanned is None or self._scanned[0] != code:
            self._scanned = code, Scan(self.texts())
        return self._scanned[1]

    def program(self) -> ast.Module:
        """The tree of the code as it is now. Raises SyntaxError where it is no program."""
        code = self.code()
        if self._parsed is None or self._parsed[0] != code:
            try:
                self._parsed = code, parse(code)
            except SyntaxError as error:
                self._parsed = code, error
        found = self._parsed[1]
        if isinstance(found, SyntaxError):
            raise found
        return found

    def is_program(self) -> bool:
        """Whether the code as it is now is a program."""
        try:
            self.program()
        except SyntaxError:
            return False
        return True

    def replace(self, index: int, start: int, end: int, new: str, code: str) -> None:
        """Replaces a piece of the line at `index` (counted from 0) and notes the repair."""
        self.edit(index, [(start, end, new)], code)

    def edit(self, index: int, edits: Sequence[Edit], code: str) -> None:
        """Replaces pieces of the line at `index`, from left to right, and notes the repair."""
        if edits:
            self.lines[index].edit(edits)
            self.note(code, index)

    def blank(self, index: int, code: str) -> None:
        """Takes the whole line out, leaving a blank one."""
        line = self.lines[index]
        if line.text.strip():
            self.note(code, index)
        line.replace(0, len(line.text), "")

    def note(self, code: str, index: int | None = None, text: str = "") -> None:
        """Notes a repair of the line at `index`, or of the whole text."""
        lines = self._notes.setdefault((code, text), set())
        if index is not None:
            lines.add(index + 1)

    def repairs(self) -> tuple[Repair, ...]:
        """What was put right, in the order it was done."""
        return tuple(
            Repair(code=code, lines=tuple(sorted(lines)), text=text)
            for (code, text), lines in self._notes.items()
        )


TOKEN = re.compile(r"[^#'\"()\[\]{}]++|#.*|\"{3}|'{3}|[\"'()\[\]{}]", re.DOTALL)
#: Quote → what follows it in its line, up to the closing quote.
STRINGS = {
    quote: re.compile(rf"(?:[^\\{quote[0]}]|\\.{rest})*+(?P<end>{quote})?+", re.DOTALL)
    for quote, rest in (
        ("'", ""),
        ('"', ""),
        ("'''", "|'(?!'')"),
        ('"""', '|"(?!"")'),
    )
}


class Scan:
    """What each character of a text is to Python's tokenizer, read leniently.

    The text need not parse: an unterminated string ends with its line.
    """

    def __init__(self, lines: Sequence[str]) -> None:
        self.masks: list[str] = []
        """A string as long as the line: `c` code, `s` string literal, `#` comment."""
        self.inside: list[bool] = []
        """Whether the line begins inside a string literal."""
        self.depth: list[int] = []
        """How many brackets are open where the line begins."""
        self.continued: list[bool] = []
        """Whether the line goes on with the one before: in a bracket or after a backslash."""
        self.unterminated: dict[int, int] = {}
        """Line index → column of a quote that is not closed on its line."""
        self._quote = ""
        self._depth = 0
        slash = False
        for index, line in enumerate(lines):
            self.inside.append(bool(self._quote))
            self.depth.append(self._depth)
            self.continued.append(slash or self._depth > 0)
            mask = self._line(index, line)
            self.masks.append(mask)
            slash = line.endswith("\\") and mask.endswith("c")

    def statement(self, index: int) -> bool:
        """Whether a statement may begin on a line."""
        return not self.inside[index] and not self.continued[index]

    def _line(self, index: int, line: str) -> str:
        mask: list[str] = []
        position, opened = 0, 0
        while position < len(line):
            if self._quote:
                match = STRINGS[self._quote].match(line, position)
                end = match.end() if match else len(line)
                if match and match["end"]:
                    self._quote = ""
                elif end < len(line):
                    end = len(line)  # a backslash ends the line
                mask.append("s" * (end - position))
                position = end
                continue
            token = TOKEN.match(line, position)
            assert token
            text = token.group()
            if text[0] in "\"'":
                opened, self._quote = position, text
            elif text in "()[]{}":
                self._count_bracket(text)
            kind = "s" if text[0] in "\"'" else "#" if text[0] == "#" else "c"
            mask.append(kind * len(text))
            position = token.end()
        if len(self._quote) == 1 and not line.endswith("\\"):
            self.unterminated[index] = opened
            self._quote = ""
        return "".join(mask)

    def _count_bracket(self, char: str) -> None:
        if char in "([{":
            self._depth += 1
        else:
            self._depth = max(0, self._depth - 1)

    def code_matches(self, index: int, pattern: re.Pattern[str], line: str) -> list[re.Match[str]]:
        """The matches that begin in code (not in a string or a comment)."""
        mask = self.masks[index]
        return [match for match in pattern.finditer(line) if mask[match.start()] == "c"]


def parse(code: str) -> ast.Module:
    """The tree of `code`, after a full compilation. Raises SyntaxError and nothing else.

    Python reports some errors only when it compiles (`return` outside of a function), and others
    (a NUL, nesting that is too deep) not as a SyntaxError.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            tree = ast.parse(code)
            compile(code, "<snippet>", "exec", dont_inherit=True)
        except (RecursionError, MemoryError):
            raise SyntaxError("too many nested parentheses or statements") from None
        except (ValueError, OverflowError) as error:
            raise SyntaxError(str(error)) from None
    return tree


def is_code(text: str) -> bool:
    """Whether a text is a program."""
    try:
        parse(text)
    except SyntaxError:
        return False
    return True


def blank_all(draft: Draft, indexes: Iterable[int], code: str) -> None:
    """Takes the lines at `indexes` out."""
    for index in indexes:
        draft.blank(index, code)
