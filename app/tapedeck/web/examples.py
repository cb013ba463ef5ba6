"""The gallery: `lessons/NN-slug.py`, each with its text in every language beside it."""

from pathlib import Path

import msgspec

LANGUAGES = ("en", "ko")


class Example(msgspec.Struct, frozen=True):
    """One lesson; titles and texts by language."""

    id: str
    source: str
    title: dict[str, str]
    text: dict[str, str]


def load_examples(lessons: Path) -> tuple[Example, ...]:
    """Reads the lessons in their order. Raises OSError where a lesson lacks a text."""
    return tuple(_load(path) for path in sorted(lessons.glob("*.py")))


def _load(path: Path) -> Example:
    texts = {
        language: _title_and_text(path.with_suffix(f".{language}.md")) for language in LANGUAGES
    }
    return Example(
        id=path.stem.partition("-")[2],
        source=path.read_text(encoding="utf-8"),
        title={language: title for language, (title, _) in texts.items()},
        text={language: text for language, (_, text) in texts.items()},
    )


def _title_and_text(path: Path) -> tuple[str, str]:
    first, _, rest = path.read_text(encoding="utf-8").partition("\n")
    return first.removeprefix("# ").strip(), rest.strip()
