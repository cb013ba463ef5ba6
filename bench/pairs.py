"""Two things measured side by side: in turns, so that a busy machine slows both."""

import statistics
import time
from collections.abc import Callable

import msgspec

Work = Callable[[], object]


class Pair(msgspec.Struct, frozen=True):
    """Medians of two things, in seconds, and of the ratio within each turn."""

    first: float
    second: float
    ratio: float
    """first / second."""
    turns: int


def interleaved(first: Work, second: Work, turns: int) -> Pair:
    """Measures both, one after the other, `turns` times; each ran once before."""
    first(), second()
    times = [(seconds(first), seconds(second)) for _ in range(turns)]
    return Pair(
        first=statistics.median(one for one, _ in times),
        second=statistics.median(two for _, two in times),
        ratio=statistics.median(one / two for one, two in times),
        turns=turns,
    )


def seconds(work: Work) -> float:
    """How long it takes, in seconds."""
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def line(name: str, pair: Pair, one: str, other: str, aim: str, holds: bool) -> str:
    """One line of the report."""
    verdict = "holds" if holds else "MISSED"
    return (
        f"{name:<34} {one} {pair.first * 1000:9.1f} ms   {other} {pair.second * 1000:9.1f} ms   "
        f"ratio {pair.ratio:6.2f}   aim {aim}: {verdict}   ({pair.turns} turns)"
    )
