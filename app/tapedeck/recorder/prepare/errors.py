"""A syntax error at its place in the person's text, with the kind of explanation that fits."""

import re

from tapedeck.recorder.prepare.draft import Draft

HANGUL = re.compile("[\uac00-\ud7a3]")
WORD = re.compile(r"[^\W\d_]{2,}")
SIGN = re.compile(r"[=\[\]{}]|\w\(|\w\.\w")
PRINT = re.compile(r"\s*print\s+[^=(\s]")
URL = re.compile(r"[^#'\"=(]*\bhttps?://")
PROSE_WORDS = 4

#: What Python says → the code of the explanation.
MESSAGES = (
    ("Missing parentheses in call to 'print'", "python2"),
    ("Missing parentheses in call to 'exec'", "python2"),
    ("leading zeros in decimal integer", "python2"),
    ("multiple exception types must be parenthesized", "python2"),
    ("was never closed", "bracket"),
    ("unmatched", "bracket"),
    ("does not match opening parenthesis", "bracket"),
    ("unterminated string literal", "string"),
    ("unterminated triple-quoted string literal", "string"),
    ("unterminated f-string", "string"),
    ("inconsistent use of tabs", "tabs"),
    ("unexpected indent", "indent"),
    ("unindent does not match", "indent"),
    ("expected an indented block", "block"),
    ("expected ':'", "colon"),
    ("invalid non-printable character", "character"),
    ("invalid character", "character"),
    ("null bytes", "nul"),
    ("Maybe you meant '==' or ':=' instead of '='", "assign"),
    ("cannot assign to", "assign"),
    ("outside function", "outside"),
    ("outside loop", "outside"),
    ("outside async function", "outside"),
    ("too many nested", "nesting"),
    ("too many statically nested blocks", "nesting"),
    ("unexpected EOF", "unfinished"),
)


def explain(error: SyntaxError, draft: Draft, text_lines: list[str]) -> tuple[SyntaxError, str]:
    """The error with the person's line and columns, and the code of its explanation."""
    line = min(max(error.lineno or _nul_line(text_lines), 1), len(text_lines))
    if _in_prose(text_lines, line):
        hint = "prose"
    else:
        hint = _hint(error, draft.lines[line - 1].text)
    start = _column(draft, line, error.offset)
    end_line, end = error.end_lineno or line, error.end_offset
    if end_line > len(text_lines) or end is None or end < 1:
        end_line, end_column = line, start + 1
    else:
        end_column = _column(draft, end_line, end, end=True)
    if (end_line, end_column) <= (line, start):
        end_line, end_column = line, start + 1
    details = ("<snippet>", line, start + 1, text_lines[line - 1], end_line, end_column + 1)
    return type(error)(error.msg, details), hint


def _column(draft: Draft, line: int, offset: int | None, end: bool = False) -> int:
    """Python counts offsets from 1 in characters; 0 and None mean the line as a whole."""
    column = max((offset or 1) - 1, 0)
    return draft.lines[line - 1].original(min(column, len(draft.lines[line - 1].text)), end)


def _nul_line(text_lines: list[str]) -> int:
    return next((i for i, text in enumerate(text_lines, 1) if "\0" in text), 1)


def _hint(error: SyntaxError, code_line: str) -> str:
    message = error.msg or ""
    if PRINT.match(code_line):
        return "python2"
    return next((hint for part, hint in MESSAGES if part in message), "syntax")


def _in_prose(text_lines: list[str], line: int) -> bool:
    """Whether the line is a sentence, a link, or a short heading in a text with sentences."""
    text = text_lines[line - 1]
    if is_prose(text) or URL.match(text):
        return True
    heading = len(WORD.findall(text)) > 1 and not SIGN.search(text) and text.strip()[-1:] != ":"
    return heading and any(is_prose(other) for other in text_lines)


def is_prose(text: str) -> bool:
    """Whether a line is a sentence and not code.

    Four words or more (two with Hangul) and nothing that only code has. `for x in y` is short
    and `return x if a else b` parses: this is asked only of the line of a syntax error.
    """
    body = text.strip().lstrip("-*\u2022#\u00b7").strip()
    words = WORD.findall(body)
    least = 2 if HANGUL.search(body) else PROSE_WORDS
    if (
        len(words) < least
        or body.endswith(":")
        and body.split()[0] in ("if", "for", "while", "with")
    ):
        return False
    letters = sum(char.isalpha() or char.isspace() for char in body)
    if letters < 0.75 * len(body):
        return False
    return not SIGN.search(body) or (body[-1] in ".!?" and body[0].isupper())
