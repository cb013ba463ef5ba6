"""None although ops lead from the source to the target: which of them the tape does not hold."""

import re

from tapedeck.diagnosis.question import Facts, Question, Verdict
from tapedeck.trace.document import RewindEvent
from tapedeck.trace.queries import Interval, Status, differentiable


def verdict(question: Question) -> Verdict:
    """The first edge of the path that breaks, and why."""
    dtype = _source_dtype(question)
    if dtype and not differentiable(dtype):
        return Verdict("TD214", {"dtype": dtype}, (_made(question),), edge=question.source_name)
    unfollowed = _unfollowed(question)
    if unfollowed is not None:
        return _unfollowed_verdict(question, unfollowed)
    broken = _broken(question)
    if broken is not None:
        return _unheld(question, broken)
    return _held_all_the_way(question)


def _source_dtype(question: Question) -> str | None:
    source = question.source
    if source.variable is not None:
        return question.trace.variables[source.variable].dtype
    return None if source.tensor is None else question.trace.tensors[source.tensor].dtype


def _made(question: Question) -> int | None:
    """Where the source was made."""
    source = question.source
    if source.variable is not None:
        return question.trace.variables[source.variable].place
    if source.tensor is None:
        return None
    op = question.index.producer(source.tensor)
    return (
        question.trace.tensors[source.tensor].place if op is None else question.trace.ops[op].place
    )


def _unfollowed(question: Question) -> int | None:
    """The first op that takes a tensor in that was never on the tape; other inputs may be."""
    if question.source.variable is not None:
        return None
    for tensor in question.source_tensors:
        if question.index.ever_on_tape(question.tape, tensor):
            return None
    first = [op for op in question.first_ops if question.leads_on(op)]
    recording = [op for op in first if _while_recording(question, op)]
    return next(iter(recording or first), None)


def _while_recording(question: Question, op: int) -> bool:
    status = question.index.status(op, question.tape)
    return status.recorded or status.reason == "nothing_watched"


def _unfollowed_verdict(question: Question, op: int) -> Verdict:
    if _while_recording(question, op):
        return _not_watched(question, op)
    return _unheld(question, op)


def _broken(question: Question) -> int | None:
    """The first op on the path that takes something connected in and is not on the tape."""
    return next((op for op in question.walk() if not question.held(op)), None)


def _unheld(question: Question, op: int) -> Verdict:
    status = question.index.status(op, question.tape)
    if status.recorded:
        return _dropped(question, op)
    if question.trace.ops[op].call is not None and status.reason in ("outside_block", "rewinding"):
        return _first_gradient(question, op, status)
    match status.reason:
        case "nothing_watched":
            return _not_watched(question, op)
        case "outside_block" | "not_created" | "deleted":
            return _outside(question, op)
        case "after_call":
            return _with_interval(question, op, "TD207", status)
        case "paused":
            return _with_interval(question, op, "TD206", status)
        case "dtype":
            return _whole_numbers(question, op)
        case "thread":
            return _at_op(question, op, "TD212")
        case "suspended":
            code = "TD210" if _stops(question, op) else "TD211"
            return _at_op(question, op, code)
        case _:
            return _at_op(question, op, "TD220")


def _stops(question: Question, op: int) -> bool:
    """Also the read of a variable that is handed to `stop_gradient` is not recorded."""
    named = re.match(r"[\w.]*\bstop_gradient\(", question.context.expression(op))
    return named is not None or question.trace.ops[op].type in ("StopGradient", "PreventGradient")


def _at_op(question: Question, op: int, code: str, facts: Facts | None = None) -> Verdict:
    record = question.trace.ops[op]
    return Verdict(
        code,
        {
            "op": record.type,
            "expression": question.context.expression(op),
            "op_line": question.context.line(record.place),
            **(facts or {}),
        },
        (record.place,),
        (question.index.step_of(op),),
        op=op,
        edge=record.place if record.place is not None else op,
    )


def _with_interval(question: Question, op: int, code: str, status: Status) -> Verdict:
    part = question.index.interval(question.tape, status.since or 0)
    place = part.place if part else None
    found = _at_op(question, op, code, {"since_line": question.context.line(place)})
    return _more(found, places=(place,), steps=(status.since,))


def _more(
    found: Verdict, places: tuple[int | None, ...] = (), steps: tuple[int | None, ...] = ()
) -> Verdict:
    return Verdict(
        found.code,
        found.facts,
        (*found.places, *places),
        (*found.steps, *steps),
        op=found.op,
        edge=found.edge,
        level=found.level,
    )


def _not_watched(question: Question, op: int) -> Verdict:
    """The tape was recording, but did not follow the source."""
    place = _made(question)
    facts: Facts = {"made_line": question.context.line(place)}
    if question.source.variable is not None:
        variable = question.trace.variables[question.source.variable]
        watch = question.index.watch_step(question.tape, variable=question.source.variable)
        if watch is not None:
            return _late(question, op, watch)
        if not variable.trainable:
            return _more(_at_op(question, op, "TD202", facts), places=(place,))
        if not question.trace.tapes[question.tape].watch_accessed_variables:
            made = question.trace.tapes[question.tape].place
            facts = {"tape_line": question.context.line(made)}
            return _more(_at_op(question, op, "TD203", facts), places=(made,))
        if _replaced_by_assign(question):
            return _at_op(question, op, "TD224", facts)
        return _at_op(question, op, "TD220", facts)
    assert question.source.tensor is not None
    watch = question.index.watch_step(question.tape, tensor=question.source.tensor)
    if watch is not None:
        return _late(question, op, watch)
    copy = _watched_namesake(question)
    if copy is not None:
        event = question.trace.events[copy]
        at = getattr(event, "place", None)
        facts["watch_line"] = question.context.line(at)
        return _more(_at_op(question, op, "TD209", facts), places=(place, at), steps=(copy,))
    made_by = question.index.producer(question.source.tensor)
    if made_by is not None and _from_variable(question):
        facts["made_from"] = question.context.expression(made_by)
        return _edge(_more(_at_op(question, op, "TD204", facts), places=(place,)), question)
    return _edge(_more(_at_op(question, op, "TD201", facts), places=(place,)), question)


def _from_variable(question: Question) -> bool:
    """Whether the source was itself computed from a variable or from another named tensor."""
    assert question.source.tensor is not None
    above = question.index.upstream([question.source.tensor]) - {question.source.tensor}
    makers = [question.index.producer(tensor) for tensor in above]
    read = any(m is not None and question.trace.ops[m].variable is not None for m in makers)
    return read or any(question.trace.tensors[tensor].name for tensor in above)


def _edge(found: Verdict, question: Question) -> Verdict:
    """Each source is unwatched for itself."""
    return Verdict(
        found.code, found.facts, found.places, found.steps, op=found.op, edge=question.source_name
    )


def _replaced_by_assign(question: Question) -> bool:
    """`w = w.assign_sub(…)`: what `assign` returns is no variable that a tape watches."""
    name = re.escape(question.source_name)
    pattern = re.compile(rf"(?<![\w.]){name}\s*=[^=].*\.assign(?:_add|_sub)?\(")
    return any(pattern.search(line) for line in question.context.lines)


def _watched_namesake(question: Question) -> int | None:
    """The step of a `watch` of something that shares its origin or its name with the source."""
    tensor = question.source.tensor
    assert tensor is not None
    for step in question.index.watches[question.tape]:
        event = question.trace.events[step]
        watched = getattr(event, "tensor", None)
        if watched is None or watched == tensor or getattr(event, "by", "") != "hand":
            continue
        if watched in question.after or tensor in question.index.downstream([watched]):
            return step
    return None


def _late(question: Question, op: int, watch: int) -> Verdict:
    event = question.trace.events[watch]
    place = getattr(event, "place", None)
    facts: Facts = {"watch_line": question.context.line(place)}
    return _more(_at_op(question, op, "TD205", facts), places=(place,), steps=(watch,))


def _outside(question: Question, op: int) -> Verdict:
    """The op ran before the block was entered or after it was left."""
    step = question.step(op)
    parts = question.index.intervals[question.tape]
    entered = next((p for p in parts if p.cause == "entered" and p.start > step), None)
    left = [p for p in parts if p.cause in ("left", "left_by_error") and p.start <= step]
    if left:
        part: Interval | None = left[-1]
        early = left[-1].cause == "left_by_error"
        place = left[-1].place
        line = question.context.end_line(place)
        code = "TD216" if early else "TD208"
    else:
        stopped = [p for p in parts if p.cause == "left_by_error" and p.start < question.begin]
        part, code = (stopped[-1], "TD217") if stopped else (entered, "TD215")
        place = part.place if part else None
        line = question.context.line(place)
    found = _at_op(question, op, code, {"since_line": line})
    return _more(found, places=(place,), steps=(part.start if part else None,))


def _dropped(question: Question, op: int) -> Verdict:
    """It was recorded, and the tape lost it before the call."""
    parts = [
        part
        for part in question.index.intervals[question.tape]
        if question.step(op) < part.start < question.begin
        and (part.state in ("consumed", "deleted") or part.cause == "reset")
    ]
    if not parts:
        return _at_op(question, op, "TD220")
    part = parts[-1]
    code = "TD218" if part.cause == "reset" else "TD225"
    found = _at_op(question, op, code, {"since_line": question.context.line(part.place)})
    return _more(found, places=(part.place,), steps=(part.start,))


def _whole_numbers(question: Question, op: int) -> Verdict:
    """The op takes integers, booleans or strings, which no tape follows."""
    record = question.trace.ops[op]
    for tensor in record.inputs:
        if tensor is None or tensor not in question.followed:
            continue
        maker = question.index.producer(tensor)
        if maker is None:
            continue
        dtype = question.trace.tensors[tensor].dtype
        facts: Facts = {"dtype": dtype, "use_line": question.context.line(record.place)}
        found = _at_op(question, maker, "TD213", facts)
        return _more(found, places=(record.place,), steps=(question.index.step_of(op),))
    return _at_op(question, op, "TD220")


def _first_gradient(question: Question, op: int, status: Status) -> Verdict:
    """The target is a gradient whose own computation this tape did not record."""
    inner = question.trace.ops[op].call
    assert inner is not None
    place = question.trace.gradients[inner].place
    same = question.trace.gradients[inner].tape == question.tape
    code = "TD222" if same else "TD221"
    facts: Facts = {
        "inner_line": question.context.line(place),
        "inner_tape": question.context.tape_name(question.trace.gradients[inner].tape),
    }
    if status.since is not None:
        part = question.index.interval(question.tape, status.since)
        facts["since_line"] = question.context.end_line(part.place) if part else 0
    return Verdict(code, facts, (place,), (status.since, question.index.begins.get(inner)), edge="")


def _held_all_the_way(question: Question) -> Verdict:
    """The tape holds the whole path: an op on it passes nothing on, or the target cannot."""
    for tensor in question.targets:
        dtype = question.trace.tensors[tensor].dtype
        maker = question.index.producer(tensor)
        if not differentiable(dtype) and maker is not None:
            return _at_op(question, maker, "TD219", {"dtype": dtype})
    for step in question.index.rewinds.get(question.call, ()):
        event = question.trace.events[step]
        if not isinstance(event, RewindEvent):
            continue
        record = question.trace.ops[event.op]
        arrived = any(upstream is not None for upstream in event.upstream)
        into = [
            given
            for tensor, given in zip(record.inputs, event.contributions, strict=False)
            if tensor in question.followed
        ]
        if arrived and into and all(given is None for given in into):
            found = _at_op(question, event.op, "TD223")
            return _more(found, steps=(step,))
    return Verdict("TD220", edge=question.source_name)
