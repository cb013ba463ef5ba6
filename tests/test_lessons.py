"""The gallery: each lesson runs, gives what its text says, and has both its texts."""

import re
from pathlib import Path
from typing import Any

import pytest

from reading import calls, printed
from running import record
from tapedeck.diagnosis import diagnose

LESSONS = Path(__file__).parents[1] / "lessons"
PATHS = sorted(LESSONS.glob("*.py"))
USED_UP = (
    "RuntimeError: A non-persistent GradientTape can only be used to compute one set of "
    "gradients (or jacobians)"
)
#: Lesson → its gradient calls and findings. The training loop's values are checked apart.
RESULTS: dict[str, tuple[list[Any], list[str]]] = {
    "01-two-paths": ([{"x": 8.0}], []),
    "02-expressions": ([{"x": 8.0}], []),
    "03-watch": ([{"x": [2.0, 4.0, 6.0]}], []),
    "04-persistent": ([{"a": 2.0}, {"b": 3.0}, {"a": 4.0}, {"b": 6.0}], []),
    "05-used-up": ([{"x": 27.0}, USED_UP], ["TD101"]),
    "06-second-derivative": ([{"x": 12.0}, {"x": 12.0}], []),
    "07-none": ([{"w": None, "x": None}], ["TD213", "TD201"]),
    "09-stop-recording": ([{"x": 2.0}], []),
    "10-jacobian": ([{"x": [[3.0, 0.0, 0.0], [1.0, 4.0, 0.0], [1.0, 0.0, 6.0]]}], []),
    "11-two-tapes": ([{"x": 3.0}, {"y": 2.0}], []),
    "12-unconnected": ([{"a": 4.0, "b": 0.0}], []),
    "13-branches": ([{"x": -0.120000005}], []),
}


@pytest.mark.parametrize("name", RESULTS)
def test_lesson_gives_what_its_text_says(name: str) -> None:
    trace = diagnose(record((LESSONS / f"{name}.py").read_text(encoding="utf-8")))
    results, codes = RESULTS[name]
    assert trace.outcome.kind == "completed"
    assert _lists(calls(trace)) == results
    assert [finding.code for finding in trace.findings] == codes
    assert trace.snippet.repairs == ()


def _lists(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _lists(item) for key, item in value.items()}
    return [_lists(item) for item in value] if isinstance(value, list | tuple) else value


def test_the_training_loop_learns() -> None:
    trace = diagnose(record((LESSONS / "08-training-loop.py").read_text(encoding="utf-8")))
    assert trace.outcome.kind == "completed" and trace.findings == ()
    assert len(trace.gradients) == 20
    losses = [float(text) for text in re.findall(r"loss ([\d.]+)", printed(trace))]
    assert len(losses) == 4 and losses == sorted(losses, reverse=True)


def test_every_lesson_is_checked() -> None:
    assert {path.stem for path in PATHS} == RESULTS.keys() | {"08-training-loop"}


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_both_texts_are_there(path: Path) -> None:
    texts = [path.with_suffix(f".{lang}.md").read_text(encoding="utf-8") for lang in ("en", "ko")]
    for text in texts:
        assert re.match(r"# \S.*\n\n\S", text)
    english, korean = texts
    assert not re.search("[가-힣]", english) and re.search("[가-힣]", korean)
    assert english.count("\n\n") == korean.count("\n\n")
    assert set(re.findall(r"`[^`]+`", korean)) <= set(re.findall(r"`[^`]+`", english))
