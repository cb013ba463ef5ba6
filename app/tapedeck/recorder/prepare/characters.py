"""Single characters that web pages, chats and word processors put in the place of Python's.

Only characters outside of string literals and comments are touched.
"""

import re
import unicodedata
from collections.abc import Callable

from tapedeck.recorder.prepare.draft import Draft, Edit, Scan

ZERO_WIDTH = re.compile("[\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]")
SPACES = re.compile("[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000\u2028\u2029\x0b\x1c-\x1f\x85]")
CONTROL = re.compile("[\x01-\x08\x0e-\x1b\x7f\x80-\x84\x86-\x9f]")
ENTITY = re.compile(r"&(?:gt|lt|amp|quot|nbsp|#39|#34);")
ENTITIES = {
    "&gt;": ">",
    "&lt;": "<",
    "&amp;": "&",
    "&quot;": '"',
    "&#34;": '"',
    "&#39;": "'",
    "&nbsp;": " ",
}
DOUBLE = "\u201c\u201d\u201e\u201f\u2033\uff02\u00ab\u00bb"
SINGLE = "\u2018\u2019\u201a\u201b\u2032\uff07\u00b4"
QUOTE = re.compile(f"[{DOUBLE}{SINGLE}]")
TRIPLE = re.compile(f"[{DOUBLE}\"]{{3}}|[{SINGLE}']{{3}}")
SIGNS = {
    "\u2212": "-",
    "\u2010": "-",
    "\u2011": "-",
    "\u2012": "-",
    "\u2013": "-",
    "\u2014": "-",
    "\u00d7": "*",
    "\u2217": "*",
    "\u22c5": "*",
    "\u00f7": "/",
    "\u2215": "/",
    "\u2264": "<=",
    "\u2265": ">=",
    "\u2260": "!=",
    "\u2026": "...",
    "\u2192": "->",
    "\u3001": ",",
    "\u3002": ".",
    "\u3010": "[",
    "\u3011": "]",
}
SIGN = re.compile("[" + "".join(SIGNS) + "]")
WIDE = re.compile("[\uff01-\uff5e]")
#: A middle dot may stand inside of a name; after a number, a bracket or a blank it multiplies.
DOT = re.compile(r"(?<=[\s\d)\]])(?<![^\W\d])\u00b7(?=\s*[\w(])")
POWER = re.compile(r"(?<=[\w)\]])[\u00b9\u00b2\u00b3\u2070\u2074-\u2079]+")


def invisible(draft: Draft) -> None:
    """Takes out zero-width characters and makes every kind of blank a space."""
    _substitute(draft, ZERO_WIDTH, "zero_width", lambda _: "")
    _substitute(draft, CONTROL, "zero_width", lambda _: "")
    _substitute(draft, SPACES, "space", lambda _: " ")


def signs(draft: Draft) -> None:
    """Makes full-width and typographic signs the ones that Python knows."""
    _substitute(draft, ENTITY, "signs", lambda found: ENTITIES[found])
    _quotes(draft)
    _substitute(draft, WIDE, "signs", lambda found: unicodedata.normalize("NFKC", found))
    _substitute(draft, SIGN, "signs", lambda found: SIGNS[found])
    _substitute(draft, DOT, "signs", lambda _: "*")
    _substitute(draft, POWER, "signs", lambda found: "**" + unicodedata.normalize("NFKC", found))


def _substitute(
    draft: Draft, pattern: re.Pattern[str], code: str, new: Callable[[str], str]
) -> None:
    if not any(pattern.search(text) for text in draft.texts()):
        return
    scan = draft.scan()
    for index, line in enumerate(draft.lines):
        found = scan.code_matches(index, pattern, line.text)
        draft.edit(index, [(*match.span(), new(match.group())) for match in found], code)


def _quotes(draft: Draft) -> None:
    if not any(QUOTE.search(text) for text in draft.texts()):
        return
    scan = draft.scan()
    for index, line in enumerate(draft.lines):
        edits = [
            (*match.span(), ('"' if match.group()[0] in DOUBLE + '"' else "'") * 3)
            for match in scan.code_matches(index, TRIPLE, line.text)
            if QUOTE.search(match.group())
        ]
        draft.edit(index, edits, "quotes")
    scan = draft.scan()
    for index in range(len(draft.lines)):
        _close_typographic(draft, scan, index)
    scan = draft.scan()
    for index in range(len(draft.lines)):
        _pair(draft, scan, index)


def _close_typographic(draft: Draft, scan: Scan, index: int) -> None:
    """A string that begins with a straight quote and ends with a typographic one."""
    opened = scan.unterminated.get(index)
    if opened is None:
        return
    text = draft.lines[index].text
    family = DOUBLE if text[opened] == '"' else SINGLE
    for column in range(opened + 1, len(text)):
        if text[column] in family and _may_close(text, column):
            draft.replace(index, column, column + 1, text[opened], "quotes")
            return


def _pair(draft: Draft, scan: Scan, index: int) -> None:
    """Strings between two typographic quotes, from left to right."""
    text, mask = draft.lines[index].text, scan.masks[index]
    edits: list[Edit] = []
    end = -1
    for match in QUOTE.finditer(text):
        column = match.start()
        if column <= end or mask[column] != "c":
            continue
        straight, family = ('"', DOUBLE) if text[column] in DOUBLE else ("'", SINGLE)
        closing = _closing(text, column, family + straight)
        if closing is None or straight in text[column + 1 : closing]:
            break
        edits += [(column, column + 1, straight), (closing, closing + 1, straight)]
        end = closing
    draft.edit(index, edits, "quotes")


def _closing(text: str, column: int, family: str) -> int | None:
    """Where the string that opens at a column ends."""
    later = range(column + 1, len(text))
    return next((at for at in later if text[at] in family and _may_close(text, at)), None)


def _may_close(text: str, column: int) -> bool:
    """A quote between two letters is an apostrophe."""
    return not (text[column - 1].isalnum() and text[column + 1 : column + 2].isalnum())
