"""What went wrong in a run and why, told from its trace alone.

A rule looks for one kind of problem and gives findings; `catalogue` says them in words. A rule
speaks only when the trace shows the cause: a correct snippet has no findings.
"""

import msgspec

from tapedeck.diagnosis import arguments, life, nones
from tapedeck.diagnosis.catalogue import Entry, catalogue, entry, explanation
from tapedeck.diagnosis.context import Context
from tapedeck.trace.document import Finding, Trace

__all__ = ["Entry", "catalogue", "diagnose", "entry", "explanation"]


def diagnose(trace: Trace) -> Trace:
    """The trace with its findings, and each None with the finding that explains it."""
    context = Context(trace)
    findings: list[Finding] = [*life.findings(context), *arguments.findings(context)]
    verdicts = nones.verdicts(context)
    results: dict[tuple[int, int], int] = {}
    for verdict in verdicts:
        for call, position in verdict.results:
            results[call, position] = len(findings)
        findings.append(verdict.finding)
    gradients = tuple(
        msgspec.structs.replace(
            call,
            results=tuple(
                msgspec.structs.replace(result, finding=results.get((number, position)))
                for position, result in enumerate(call.results)
            ),
        )
        for number, call in enumerate(trace.gradients)
    )
    return msgspec.structs.replace(trace, findings=tuple(findings), gradients=gradients)
