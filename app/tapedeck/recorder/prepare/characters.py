"""Single characters that web pages, chats and word processors put in the place of Python's.

Only characters outside of string literals and comments are touched.
"""

import re
import unicodedata
from collections.abc import Callable

from tapedeck.recorder.prepare.draft import Draft, Scan

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
    _substitute(draft, POWER, "signs", lambda found: "**" + unicodedata.normalize("NFKC", found))


def _substitute(
    draft: Draft, pattern: re.Pattern[str], code: str, new: Callable[[str], str]
) -> None:
    if not any(pattern.search(text) for text in draft.texts()):
        return
    scan = Scan(draft.texts())
    for index, line in enumerate(draft.lines):
        for match in scan.code_matches(index, pattern, line.text):
            draft.replace(index, *match.span(), new(match.group()), code)


def _quotes(draft: Draft) -> None:
    if not any(QUOTE.search(text) for text in draft.texts()):
        return
    scan = Scan(draft.texts())
    for index, line in enumerate(draft.lines):
        for match in scan.code_matches(index, TRIPLE, line.text):
            if QUOTE.search(match.group()):
                straight = '"' if match.group()[0] in DOUBLE + '"' else "'"
                draft.replace(index, *match.span(), straight * 3, "quotes")
    scan = Scan(draft.texts())
    for index in range(len(draft.lines)):
        _close_typographic(draft, scan, index)
    scan = Scan(draft.texts())
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
    column = 0
    while True:
        text = draft.lines[index].text
        mask = scan.masks[index]
        column = next(
            (at for at in range(column, len(text)) if mask[at] == "c" and QUOTE.match(text[at])),
            len(text),
        )
        if column == len(text):
            return
        straight, family = ('"', DOUBLE) if text[column] in DOUBLE else ("'", SINGLE)
        end = next(
            (
                at
                for at in range(column + 1, len(text))
                if text[at] in family + straight and _may_close(text, at)
            ),
            None,
        )
        if end is None or straight in text[column + 1 : end]:
            return
        draft.replace(index, column, column + 1, straight, "quotes")
        draft.replace(index, end, end + 1, straight, "quotes")
        column = end + 1


def _may_close(text: str, column: int) -> bool:
    """A quote between two letters is an apostrophe."""
    return not (text[column - 1].isalnum() and text[column + 1 : column + 2].isalnum())
