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


class Line:
    """One line of the code and, for each of its characters, the column in the person's text."""

    __slots__ = ("columns", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.columns: list[int] | None = None
        """One entry a character and one for the end; None while the line is as it was pasted."""

    def replace(self, start: int, end: int, new: str) -> None:
        """Puts `new` in the place of the characters from `start` to `end` (exclusive)."""
        columns = list(range(len(self.text) + 1)) if self.columns is None else self.columns
        if len(new) == end - start:
            kept = columns[start:end]
        else:
            kept = [columns[start]] * len(new)
        self.columns = columns[:start] + kept + columns[end:]
        self.text = self.text[:start] + new + self.text[end:]

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

    def texts(self) -> list[str]:
        """The code, line by line."""
        return [line.text for line in self.lines]

    def code(self) -> str:
        """The code."""
        return "\n".join(self.texts())

    def replace(self, index: int, start: int, end: int, new: str, code: str) -> None:
        """Replaces a piece of the line at `index` (counted from 0) and notes the repair."""
        self.lines[index].replace(start, end, new)
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
        self.unterminated: dict[int, int] = {}
        """Line index → column of a quote that is not closed on its line."""
        self._quote = ""
        self._depth = 0
        for index, line in enumerate(lines):
            self.inside.append(bool(self._quote))
            self.depth.append(self._depth)
            self.masks.append(self._line(index, line))

    def _line(self, index: int, line: str) -> str:
        mask: list[str] = []
        position, opened = 0, 0
        while position < len(line):
            if self._quote:
                position = self._through_string(line, position, mask)
                continue
            char = line[position]
            if char == "#":
                mask.append("#" * (len(line) - position))
                return "".join(mask)
            if char in "\"'":
                opened = position
                self._quote = char * 3 if line.startswith(char * 3, position) else char
                mask.append("s" * len(self._quote))
                position += len(self._quote)
                continue
            self._count_bracket(char)
            mask.append("c")
            position += 1
        if len(self._quote) == 1 and not line.endswith("\\"):
            self.unterminated[index] = opened
            self._quote = ""
        return "".join(mask)

    def _through_string(self, line: str, position: int, mask: list[str]) -> int:
        if line[position] == "\\":
            step = min(2, len(line) - position)
        elif line.startswith(self._quote, position):
            step = len(self._quote)
            self._quote = ""
        else:
            step = 1
        mask.append("s" * step)
        return position + step

    def _count_bracket(self, char: str) -> None:
        if char in "([{":
            self._depth += 1
        elif char in ")]}":
            self._depth = max(0, self._depth - 1)

    def code_matches(self, index: int, pattern: re.Pattern[str], line: str) -> list[re.Match[str]]:
        """The matches that begin in code (not in a string or a comment), last one first."""
        mask = self.masks[index]
        return [match for match in pattern.finditer(line) if mask[match.start()] == "c"][::-1]


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
