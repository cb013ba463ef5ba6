"""The mirror of what each tape holds agrees with TensorFlow's own answer at every op."""

from collections.abc import Sequence
from typing import Any

import pytest

from running import forked, record_here
from tapedeck.recorder import check, hooks
from tapedeck.recorder.tapes import Tapes
from test_recorder_invisible import PROGRAMS

NOTHING_WATCHED = {"failing ops", "numbers leave TensorFlow", "life of a tape"}


def compare(source: str) -> tuple[int, list[str]]:
    """How many ops were offered to the tapes, and where mirror and TensorFlow differ."""
    offered = 0
    wrong: list[str] = []
    take = Tapes.take

    def compared(self: Tapes, inputs: Sequence[Any], outputs: Sequence[Any]) -> tuple[int, ...]:
        nonlocal offered
        offered += 1
        ours = take(self, inputs, outputs)
        if bool(ours) != hooks.should_record(inputs):
            wrong.append(f"{ours} for inputs {[i.shape for i in inputs]}")
        return ours

    Tapes.take = compared  # type: ignore[method-assign]
    record_here(source, "script")
    return offered, wrong


@pytest.mark.parametrize("name", [n for n in PROGRAMS if n != "forward mode"])
def test_the_mirror_agrees_with_tensorflow(name: str) -> None:
    offered, wrong = forked(compare, PROGRAMS[name])
    assert wrong == []
    assert offered > 0 or name in NOTHING_WATCHED


def test_every_hook_works_on_this_tensorflow() -> None:
    rows = forked(check)
    assert [row for row in rows if not row[1]] == []
    assert len(rows) >= 14
