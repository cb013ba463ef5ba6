"""Why a gradient call gave None: the edge where the path from source to target breaks.

Each rule speaks only when the trace shows its cause; the last one says what is known.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from tapedeck.diagnosis import cuts, detached
from tapedeck.diagnosis.context import Context
from tapedeck.diagnosis.question import Call, Question, Verdict
from tapedeck.trace.document import Finding


@dataclass(frozen=True)
class Explained:
    """A finding and the results that it explains, as (call, position in its results)."""

    finding: Finding
    results: tuple[tuple[int, int], ...]


def verdicts(context: Context) -> list[Explained]:
    """The findings of this family; results with the same cause share one."""
    groups: dict[tuple[object, ...], list[Answer]] = {}
    for number, record in enumerate(context.trace.gradients):
        if record.unconnected == "zero" or _is_library(context, number):
            continue
        for answer in _answers(Call(context, number)):
            groups.setdefault(answer.cause(), []).append(answer)
    return [_explained(context, group) for group in groups.values()]


@dataclass(frozen=True)
class Answer:
    """Why one result is None."""

    verdict: Verdict
    question: Question
    position: int

    def cause(self) -> tuple[object, ...]:
        """Results of one place (one call, or the same call in each iteration) with the same
        cause have the same."""
        place = self.question.shared.record.place
        return place, self.verdict.code, self.verdict.edge, self.verdict.places


def _answers(call: Call) -> Iterator[Answer]:
    tensors = call.context.trace.tensors
    if all(tensors[target].value is None for target in call.targets):
        return  # in a graph that is being traced: its ops are not in the trace
    for position, result in enumerate(call.record.results):
        if result.tensor is None:
            question = Question(call, call.record.sources[result.source])
            yield Answer(_verdict(question), question, position)


def _is_library(context: Context, number: int) -> bool:
    call = context.trace.gradients[number]
    return call.place is None or context.trace.tapes[call.tape].owner == "library"


def _verdict(question: Question) -> Verdict:
    if question.connected():
        return cuts.verdict(question)
    return detached.verdict(question)


def _explained(context: Context, group: list[Answer]) -> Explained:
    verdict, question = group[0].verdict, group[0].question
    call = context.trace.gradients[question.call]
    finding = Finding(
        verdict.code,
        level=verdict.level,
        places=tuple(dict.fromkeys(p for p in (*verdict.places, call.place) if p is not None)),
        facts={
            "source": ", ".join(dict.fromkeys(answer.question.source_name for answer in group)),
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
    return Explained(finding, tuple((a.question.call, a.position) for a in group))
