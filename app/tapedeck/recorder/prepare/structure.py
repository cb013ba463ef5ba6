"""What surrounds code where it was copied: fences, prompts, cells, line numbers, magics, indent.

Each function looks for one kind, does nothing where it is not there, and takes lines out by
leaving them blank.
"""

import ast
import re
from itertools import pairwise

from tapedeck.recorder.prepare.draft import Draft, Edit, blank_all, is_code, parse

FENCE = re.compile(r"\s*+(?:```++|~~~++)\s*+([\w+{}.#-]*+)[^`]*$")
PYTHON = ("", "python", "py", "python3", "ipython", "ipython3", "pycon", "{python}", "py3")
PROMPT = re.compile(r"\s*(>>>|\.\.\.)(?: |$)|\s*(>>>)(?=\S)")
CELL_IN = re.compile(r"\s*(?:In\s?)?\[(?:\d+|\s|\*)\]:[ \t]*$|\s*In\s?\[(?:\d+|\s|\*)\]: ?")
CELL_OUT = re.compile(r"\s*Out\s?\[\d+\]:")
CELL_MORE = re.compile(r"\s*\.\.\.+: ?")
NUMBERED = re.compile(r"\s*(\d+)(?:[ \t]*[:|.)\]](?=\s|$)|(?=\s|$))")
MAGIC = re.compile(r"\s*(?:%%?[a-zA-Z_]\w*|!\s*\S|\?{1,2}\w|[\w.]+\?{1,2}\s*$)")
SHELL = re.compile(r"\s*(?:\(\w+\) ?)?(?:\$|\w+@[\w-]+:\S*[$#]|[A-Z]:\\[^>]*>|PS [^>]*>) *[a-z]")
OUTPUT = re.compile(r"\s*(?:<?(?:tf\.)?Tensor\b|array\(|\[*\[[-+\d. ])")
QUOTED = re.compile(r" ?> ?(?!>)")
LANGUAGE = re.compile(r"\s*(?:[Pp]ython3?|py|ipython3?)\s*$")
BUTTON = re.compile(
    r"\s*(?:Copy(?: code)?|Copied!?|Edit|Run|Try it|코드 복사|복사)(?: (?:Edit|Copy|Run))?\s*$"
)
SHELL_VALUE = re.compile(r"\s*[A-Za-z_][\w, ]*=\s*((?:!|%%?[a-z]).*)$")
PIP = re.compile(r"\s*(?:pip3?|conda|python3? -m pip) install \S")
TAB_WIDTHS = (8, 4, 2)


def fences(draft: Draft) -> None:
    """Keeps what stands in the Python fences of a Markdown text."""
    scan = draft.scan()
    marks = [
        (index, match.group(1).lower())
        for index, line in enumerate(draft.lines)
        if not scan.inside[index] and (match := FENCE.match(line.text))
    ]
    if not marks:
        return
    if len(marks) == 1:
        draft.blank(marks[0][0], "fence")
        return
    kept: set[int] = set()
    shown: set[int] = set()
    texts = draft.texts()
    for (start, language), (end, _) in zip(marks[::2], marks[1::2], strict=False):
        if language == "" and not _does_something(texts[start + 1 : end]):
            shown.update(range(start, end + 1))
        elif language in PYTHON:
            kept.update(range(start + 1, end))
    if len(marks) % 2 and marks[-1][1] in PYTHON:
        kept.update(range(marks[-1][0] + 1, len(draft.lines)))
    if not kept and shown and len(marks) % 2 == 0:
        outside = [t for i, t in enumerate(texts) if i not in shown]
        if is_code("\n".join(outside)):
            blank_all(draft, shown, "output")
            return
        kept = shown - {index for index, _ in marks}
    blank_all(draft, (i for i in range(len(draft.lines)) if i not in kept), "fence")


def _does_something(texts: list[str]) -> bool:
    """Whether the text of a fence is more than what a program printed."""
    return not all(_idle(text) or OUTPUT.match(text) or not text.strip() for text in texts)


def labels(draft: Draft) -> None:
    """Takes out the words that a page writes above its code: `python`, `Copy code`."""
    code = draft.code()
    for index, line in enumerate(draft.lines):
        if BUTTON.match(line.text):
            draft.blank(index, "fence")
        elif LANGUAGE.match(line.text):
            if not re.search(rf"\b{line.text.strip()}\s*[=.(]", code):
                draft.blank(index, "fence")
                continue
            return
        elif line.text.strip():
            return


def quoted(draft: Draft) -> None:
    """Takes off the `> ` of a quoted mail or comment, where every line has it."""
    filled = [(i, line.text) for i, line in enumerate(draft.lines) if line.text.strip()]
    matches = [(index, QUOTED.match(text)) for index, text in filled]
    if len(matches) < 2 or not all(match for _, match in matches):
        return
    for index, match in matches:
        assert match
        draft.replace(index, 0, match.end(), "", "prompt")


def prompts(draft: Draft) -> None:
    """Keeps what stands after `>>>` and `...`; what the interpreter answered goes."""
    scan = draft.scan()
    first = next(
        (
            index
            for index, line in enumerate(draft.lines)
            if not scan.inside[index] and line.text.lstrip().startswith(">>>")
        ),
        None,
    )
    if first is None:
        return
    in_code = False
    for index in range(first, len(draft.lines)):
        text = draft.lines[index].text
        match = PROMPT.match(text)
        if match and (in_code or ">>>" in match.group()):
            draft.replace(index, 0, match.end(), "", "prompt")
            in_code = True
        else:
            in_code = False
            draft.blank(index, "output")


def cells(draft: Draft) -> None:
    """Keeps the `In [3]:` cells of a notebook; the `Out[3]:` go, with what follows them.

    An answer ends with a blank line or with the next cell. In a terminal's session (code stands
    beside its `In [3]:`) the lines after it that do nothing are what it printed.
    """
    scan = draft.scan()
    texts = draft.texts()
    if not any(CELL_IN.match(t) and scan.statement(i) for i, t in enumerate(texts)):
        return
    answer, said, beside, begun = False, False, False, False
    for index, text in enumerate(texts):
        if scan.inside[index]:
            continue
        if scan.statement(index) and (match := CELL_IN.match(text)):
            answer, begun, beside = False, True, bool(text[match.end() :].strip())
            draft.replace(index, 0, match.end(), "", "cell")
        elif scan.statement(index) and (match := CELL_OUT.match(text)):
            answer, said = True, bool(text[match.end() :].strip())
            draft.blank(index, "output")
        elif begun and (match := CELL_MORE.match(text)):
            draft.replace(index, 0, match.end(), "", "cell")
        elif (answer and text.strip()) or (beside and scan.statement(index) and _idle(text)):
            said = True
            draft.blank(index, "output")
        else:
            answer = answer and not said


def _idle(text: str) -> bool:
    """Whether a line of a session does nothing: a value, or no Python."""
    if not text.strip() or text[0] in " \t#@" or text.rstrip()[-1] in ":,([{\\":
        return False
    if not is_code(text):
        return True
    [*others, last] = parse(text).body
    if others or not isinstance(last, ast.Expr):
        return False
    try:
        ast.literal_eval(last.value)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return False
    return True


def line_numbers(draft: Draft) -> None:
    """Takes out the numbers that stand before every line, or on lines of their own."""
    filled = [(i, line.text) for i, line in enumerate(draft.lines) if line.text.strip()]
    matches = [(index, NUMBERED.match(text)) for index, text in filled]
    numbers = [int(match.group(1)) for _, match in matches if match]
    if len(numbers) < 2:
        return
    if len(numbers) == len(filled) and _rising(numbers):
        for index, match in matches:
            assert match
            draft.replace(index, 0, match.end(), "", "line_number")
        return
    alone = [index for index, text in filled if text.strip().isdecimal()]
    if len(alone) > 1 and _rising([int(draft.lines[i].text) for i in alone], step=1):
        blank_all(draft, alone, "line_number")


def _rising(numbers: list[int], step: int | None = None) -> bool:
    pairs = list(pairwise(numbers))
    return all(b - a == step if step else 1 <= b - a <= 20 for a, b in pairs)


def magics(draft: Draft) -> None:
    """Takes out notebook magics, shell lines and what a terminal printed after them."""
    scan = draft.scan()
    answer = False
    for index, line in enumerate(draft.lines):
        free = scan.statement(index)
        if free and (MAGIC.match(line.text) or PIP.match(line.text)):
            _magic(draft, index)
            answer = False
        elif free and SHELL_VALUE.match(line.text):
            draft.edit(index, [(*_span(SHELL_VALUE, line.text, 1), "[]")], "magic")
        elif free and SHELL.match(line.text):
            draft.blank(index, "terminal")
            answer = True
        elif answer and line.text.strip():
            draft.blank(index, "output")
        else:
            answer = False


def _span(pattern: re.Pattern[str], text: str, group: int) -> tuple[int, int]:
    match = pattern.match(text)
    assert match
    return match.span(group)


def _magic(draft: Draft, index: int) -> None:
    """`%time y = f(x)` keeps its statement; of others in a block a `pass` stays."""
    text = draft.lines[index].text
    match = re.match(r"(\s*)%(?:time|timeit|prun|memit|lprun)\s+(?=[A-Za-z_(])", text)
    if match and is_code(text[match.end() :].strip()):
        draft.replace(index, match.end(1), match.end(), "", "magic")
    elif text[0] in " \t" and not text.lstrip().startswith("%%"):
        draft.replace(index, len(_indent_of(text)), len(text), "pass", "magic")
    else:
        draft.blank(index, "magic")


def indent(draft: Draft) -> None:
    """Takes out an indent that all lines share, or all lines but the first."""
    rows = _rows(draft)
    if not rows:
        return
    first, *rest = [_indent_of(draft.lines[index].text) for index in rows]
    common = _common([first, *rest])
    chosen = rows
    if not common and rest and not first and not draft.lines[rows[0]].text.rstrip().endswith(":"):
        common, chosen = _common(rest), rows[1:]
    if not common:
        return
    scan = draft.scan()
    for index in range(chosen[0], len(draft.lines)):
        text = draft.lines[index].text
        if not scan.inside[index] and text.strip():
            size = len(_common([common, _indent_of(text)]))
            if size:
                draft.replace(index, 0, size, "", "indent")
        elif not text.strip() and not scan.inside[index]:
            draft.lines[index].replace(0, min(len(common), len(text)), "")


def _rows(draft: Draft) -> list[int]:
    """The lines whose indent counts: code outside of strings and brackets."""
    scan = draft.scan()
    return [
        index
        for index, line in enumerate(draft.lines)
        if line.text.strip() and scan.statement(index) and not line.text.lstrip().startswith("#")
    ]


def _indent_of(text: str) -> str:
    return text[: len(text) - len(text.lstrip(" \t\f"))]


def _common(indents: list[str]) -> str:
    low, high = min(indents), max(indents)
    size = next((i for i, (a, b) in enumerate(zip(low, high, strict=False)) if a != b), len(low))
    return low[:size]


def tabs(draft: Draft) -> None:
    """Makes tabs among the indents spaces where all widths that give a program give the same."""
    texts = draft.texts()
    if not any("\t" in _indent_of(text) for text in texts):
        return
    scan = draft.scan()
    rows = _rows(draft)
    found: dict[tuple[int, ...], int] = {}
    for width in TAB_WIDTHS:
        levels = _levels([len(_indent_of(texts[index]).expandtabs(width)) for index in rows])
        if levels is None or levels in found:
            continue
        if is_code("\n".join(_expanded(text, width) for text in texts)):
            found[levels] = width
    if len(found) != 1:
        return
    width = next(iter(found.values()))
    for index, text in enumerate(texts):
        if "\t" in _indent_of(text) and not scan.inside[index]:
            draft.edit(index, _tab_edits(text, width), "tabs")


def _levels(sizes: list[int]) -> tuple[int, ...] | None:
    """The nesting of lines with these indents; None where an indent fits none above."""
    open_sizes = [0]
    levels: list[int] = []
    for size in sizes:
        while size < open_sizes[-1]:
            open_sizes.pop()
        if size > open_sizes[-1]:
            if levels and levels[-1] > len(open_sizes):
                return None
            open_sizes.append(size)
        levels.append(len(open_sizes))
    return tuple(levels)


def _expanded(text: str, width: int) -> str:
    indent = _indent_of(text)
    return indent.expandtabs(width) + text[len(indent) :]


def _tab_edits(text: str, width: int) -> list[Edit]:
    """A space or more in the place of each tab of the indent."""
    edits, column = [], 0
    for index, char in enumerate(_indent_of(text)):
        size = width - column % width if char == "\t" else 1
        if char == "\t":
            edits.append((index, index + 1, " " * size))
        column += size
    return edits
