"""Why a gradient call gave None: the edge where the path from source to target breaks.

Each rule speaks only when the trace shows its cause; the last one says what is known.
"""

from dataclasses import dataclass

import msgspec

from tapedeck.diagnosis import cuts, detached
from tapedeck.diagnosis.context import Context
from tapedeck.diagnosis.question import Question, Verdict
from tapedeck.trace.document import Finding


@dataclass(frozen=True)
class Explained:
    """A finding and the results that it explains, as (call, position in its results)."""

    finding: Finding
    results: tuple[tuple[int, int], ...]


def verdicts(context: Context) -> list[Explained]:
    """The findings of this family; results with the same cause share one."""
    order: list[tuple[object, ...]] = []
    groups: dict[tuple[object, ...], list[tuple[Verdict, Question, int]]] = {}
    for number, call in enumerate(context.trace.gradients):
        if call.unconnected == "zero" or _is_library(context, number):
            continue
        for position, result in enumerate(call.results):
            if result.tensor is not None:
                continue
            question = Question(context, number, call.sources[result.source])
            verdict = _verdict(question)
            key = (number, verdict.code, verdict.edge)
            if key not in groups:
                order.append(key)
            groups.setdefault(key, []).append((verdict, question, position))
    return [_explained(context, groups[key]) for key in order]


def _is_library(context: Context, number: int) -> bool:
    call = context.trace.gradients[number]
    return call.place is None or context.trace.tapes[call.tape].owner == "library"


def _verdict(question: Question) -> Verdict:
    if question.connected():
        return cuts.verdict(question)
    return detached.verdict(question)


def _explained(context: Context, group: list[tuple[Verdict, Question, int]]) -> Explained:
    verdict, question, _ = group[0]
    call = context.trace.gradients[question.call]
    names = dict.fromkeys(item.source_name for _, item, _ in group)
    finding = Finding(
        verdict.code,
        places=tuple(dict.fromkeys(p for p in (*verdict.places, call.place) if p is not None)),
        facts={
            "source": ", ".join(names),
            "target": question.target_name,
            "tape": context.tape_name(call.tape),
            "method": call.kind,
            "line": context.line(call.place),
            **verdict.facts,
        },
        steps=tuple(sorted({s for s in (*verdict.steps, question.begin) if s is not None})),
        call=question.call,
        tape=call.tape,
        op=verdict.op,
    )
    finding = msgspec.structs.replace(finding, level=verdict.level)
    return Explained(finding, tuple((item.call, position) for _, item, position in group))
