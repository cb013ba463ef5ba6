"""The words of the diagnosis: complete, in both languages, with facts that the rules give."""

import re
from pathlib import Path

import pytest

from tapedeck import diagnosis
from tapedeck.diagnosis import catalogue, entry, explanation
from tapedeck.trace.document import Finding

CODES = [item.code for item in catalogue()]
RULES = "".join(p.read_text() for p in Path(diagnosis.__file__).parent.glob("*.py"))


def test_every_code_that_a_rule_gives_has_its_words() -> None:
    given = set(re.findall(r"\"(TD\d{3})\"", RULES))
    assert given == set(CODES)


@pytest.mark.parametrize("code", CODES)
def test_both_languages_say_the_same_facts(code: str) -> None:
    item = entry(code)
    facts = {lang: set(re.findall(r"\{(\w+)\}", text)) for lang, text in item.explanation.items()}
    assert facts["en"] == facts["ko"]
    assert item.title["ko"] != item.title["en"]
    assert re.search("[가-힣]", item.explanation["ko"])
    assert item.page["en"] and item.page["ko"]


def test_used_up_tape_names_what_people_search_for() -> None:
    item = entry("TD101")
    assert "gradient tape already stopped" in item.search
    assert "gradient tape already stopped" in item.explanation["en"]
    assert "gradient tape already stopped" in item.explanation["ko"]


def test_explanation_fills_the_facts_in() -> None:
    finding = Finding("TD105", facts={"tape": "t", "line": 6, "since_line": 4})
    assert explanation(finding) == (
        "Line 6 enters `t` again although it has been recording since line 4. "
        "One tape cannot record twice at the same time."
    )
    assert explanation(finding, "ko").startswith("4번째 줄부터 기록 중인 `t` 테이프에")
