"""The words of the diagnosis: for every code a title, a sentence to fill in, and a page.

They stand in `pages/en.md` and `pages/ko.md`, one section a code: `# TD101 Title`, a paragraph
with the facts of a finding in braces, an optional line `Search: …` with what people search for,
and the rest of the page.
"""

import functools
import re
from pathlib import Path

import msgspec

from tapedeck.trace.document import Finding

PAGES = Path(__file__).parent / "pages"
LANGUAGES = ("en", "ko")
SECTION = re.compile(r"^# (TD\d+) (.+)$", re.MULTILINE)
FACT = re.compile(r"\{(\w+)\}")


class Entry(msgspec.Struct, frozen=True):
    """One kind of finding, in every language (keys `en`, `ko`)."""

    code: str
    title: dict[str, str]
    explanation: dict[str, str]
    """A template: `{name}` stands for a fact of the finding."""
    page: dict[str, str]
    """Markdown."""
    search: tuple[str, ...] = ()
    """Words that people search for when they meet it."""


def catalogue() -> list[Entry]:
    """Every code, in order."""
    return list(_entries().values())


def entry(code: str) -> Entry:
    """The entry of a code. Raises KeyError for one that does not exist."""
    return _entries()[code]


def explanation(finding: Finding, language: str = "en") -> str:
    """What a finding says, with its facts filled in."""
    template = entry(finding.code).explanation[language]
    return FACT.sub(lambda match: str(finding.facts.get(match.group(1), match.group())), template)


@functools.cache
def _entries() -> dict[str, Entry]:
    sections = {language: _sections(language) for language in LANGUAGES}
    found: dict[str, Entry] = {}
    for code in sorted(sections["en"]):
        parts = {language: sections[language][code] for language in LANGUAGES}
        found[code] = Entry(
            code=code,
            title={language: part[0] for language, part in parts.items()},
            explanation={language: part[1] for language, part in parts.items()},
            page={language: part[3] for language, part in parts.items()},
            search=tuple(dict.fromkeys(s for part in parts.values() for s in part[2])),
        )
    return found


def _sections(language: str) -> dict[str, tuple[str, str, list[str], str]]:
    """Code → title, explanation, search terms, page."""
    text = (PAGES / f"{language}.md").read_text(encoding="utf-8")
    pieces = SECTION.split(text)[1:]
    found = {}
    for code, title, body in zip(pieces[::3], pieces[1::3], pieces[2::3], strict=True):
        paragraphs = [p.strip() for p in body.strip().split("\n\n")]
        told = [" ".join(p.split()) for p in paragraphs]
        search = [p.removeprefix("Search: ") for p in told if p.startswith("Search: ")]
        rest = [p for p in paragraphs[1:] if not p.startswith("Search: ")]
        terms = [term.strip() for line in search for term in line.split(";")]
        found[code] = (title, told[0], terms, "\n\n".join(rest))
    return found
