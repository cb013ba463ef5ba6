"""None where no ops lead from the source to the target: what stands between them."""

import re

from tapedeck.diagnosis.question import Facts, Question, Verdict
from tapedeck.trace.document import ExitEvent
from tapedeck.trace.queries import differentiable

ASSIGNED = re.compile(r"^\s*(?:with .* as )?([A-Za-z_][\w., \[\]\"'()*]*?)\s*[-+*/@]?=(?!=)(.*)$")
ADDED = re.compile(r"^\s*([A-Za-z_][\w.]*)\.(?:append|extend|add|insert|update)\((.*)$")
RETURNED = re.compile(r"^\s*(?:return|yield)\b(.*)$")
BRANCH = re.compile(r"^\s*(?:if|elif|while)\b|\bif\b.*\belse\b")
WORD = re.compile(r"[A-Za-z_]\w*")
PASSES = 6


def verdict(question: Question) -> Verdict:
    """Why no ops lead from the source to the target, as far as the trace shows it."""
    for rule in RULES:
        found = rule(question)
        if found is not None:
            return found
    source = question.source.variable
    if source is not None and not question.trace.variables[source].trainable:
        return Verdict("TD238", edge="")
    return Verdict("TD230", edge="")


def _target_dtype(question: Question) -> Verdict | None:
    """A target of whole numbers or booleans has no gradient to begin with."""
    for tensor in question.targets:
        dtype = question.trace.tensors[tensor].dtype
        if not differentiable(dtype):
            return Verdict("TD219", {"dtype": dtype, "expression": question.target_name}, edge="")
    return None


def _through_a_variable(question: Question) -> Verdict | None:
    """The value went into a variable by `assign`, and the target reads that variable."""
    for variable, ops in question.index.assigns.items():
        for op in ops:
            given = question.trace.ops[op].inputs
            if not any(t in question.after for t in given if t is not None):
                continue
            reads = [
                read
                for read in question.index.reads.get(variable, ())
                if question.step(read) > question.step(op)
                and any(t in question.before for t in question.trace.ops[read].outputs)
            ]
            if reads and question.earlier(op):
                return _assigned(question, variable, op, reads[0])
    return None


def _assigned(question: Question, variable: int, op: int, read: int) -> Verdict:
    context, ops = question.context, question.trace.ops
    name = question.trace.variables[variable].name or "variable"
    return Verdict(
        "TD231",
        {
            "variable": name,
            "expression": context.expression(op),
            "op_line": context.line(ops[op].place),
            "use_line": context.line(ops[read].place),
        },
        (ops[op].place, ops[read].place),
        (question.index.step_of(op), question.index.step_of(read)),
        op=op,
        edge=name,
    )


def _left_tensorflow(question: Question) -> Verdict | None:
    """A value left for Python or NumPy, and a constant made from it leads to the target."""
    if found := _numpy_function(question):
        return found
    reads = set(question.index.reads.get(question.source.variable or -1, ()))
    for step in question.index.exits:
        event = question.trace.events[step]
        if not isinstance(event, ExitEvent) or step >= question.begin:
            continue
        maker = question.index.producer(event.tensor)
        if event.tensor not in question.after and maker not in reads:
            continue
        for tensor, made, place in question.shared.constants:
            if made <= step or not _leads_to(question, event.place, place):
                continue
            return _left(question, event, step, tensor, made, place)
    return None


def _left(
    question: Question, event: ExitEvent, step: int, tensor: int, made: int, place: int | None
) -> Verdict:
    context = question.context
    return Verdict(
        "TD232",
        {
            "left": context.tensor_name(event.tensor),
            "how": event.how,
            "expression": context.text(event.place) or event.how,
            "op_line": context.line(event.place),
            "back_line": context.line(place),
            "kind": question.trace.tensors[tensor].source or "python",
        },
        (event.place, place),
        (step, made),
        edge="",
    )


def _leads_to(question: Question, start: int | None, end: int | None) -> bool:
    """Whether the text carries what left at `start` to `end`, by names from line to line."""
    context = question.context
    from_place, to_place = context.place(start), context.place(end)
    if from_place is None or to_place is None:
        return False
    first = _statement(context.lines, from_place.line)
    last = range(to_place.line, to_place.end_line + 1)
    if set(last) & set(first):
        return True
    names = _names_at(context.lines, first, from_place.function)
    wanted = " ".join(context.lines[line - 1] for line in last if line <= len(context.lines))
    for _ in range(PASSES):
        if names & set(WORD.findall(wanted)):
            return True
        names |= _carried(context.lines, names)
    return False


def _statement(lines: list[str], line: int) -> range:
    """The lines of a statement, as far as open brackets tell."""
    end, depth = line, 0
    while end <= len(lines):
        depth += sum(map(lines[end - 1].count, "([{")) - sum(map(lines[end - 1].count, ")]}"))
        if depth <= 0:
            break
        end += 1
    return range(line, end + 1)


def _names_at(lines: list[str], where: range, function: str | None) -> set[str]:
    """The names that a statement gives its value to."""
    text = lines[where.start - 1]
    if match := ASSIGNED.match(text) or ADDED.match(text):
        return set(WORD.findall(match.group(1)))
    if RETURNED.match(text) and function:
        return {function.rpartition(".")[2]}
    return set()


def _carried(lines: list[str], names: set[str]) -> set[str]:
    """The names that are given something made from one of `names`."""
    found: set[str] = set()
    for text in lines:
        match = ASSIGNED.match(text) or ADDED.match(text)
        if match and names & set(WORD.findall(match.group(2))):
            found |= set(WORD.findall(match.group(1)))
    return found


def _other_object(question: Question) -> Verdict | None:
    """The source is another object than the one that the target was computed from."""
    source = question.source.tensor
    if source is None:
        return None
    maker = question.index.producer(source)
    place = question.trace.ops[maker].place if maker is not None else None
    name = question.source_name
    facts: Facts = {
        "op_line": question.context.line(place),
        "expression": question.context.expression(maker) if maker is not None else name,
    }
    step = question.index.step_of(maker) if maker is not None else None
    if maker is not None and _same_name(question, name, source):
        return Verdict("TD233", facts, (place,), (step,), op=maker, edge=name)
    if maker is None or question.trace.ops[maker].call is not None:
        return None
    shared = question.index.upstream([source]) & question.before
    variables = _variables_above(question, source) & _variables_above(question, *question.targets)
    if (shared - {source}) or variables:
        return Verdict("TD234", facts, (place,), (step,), op=maker, edge=name)
    return None


def _same_name(question: Question, name: str, source: int) -> bool:
    tensors = question.trace.tensors
    if any(t != source and tensors[t].name == name for t in question.before):
        return True
    named = {v for v, record in enumerate(question.trace.variables) if record.name == name}
    return bool(named & _variables_above(question, *question.targets))


def _variables_above(question: Question, *tensors: int) -> set[int]:
    found = set()
    for tensor in question.index.upstream(tensors):
        maker = question.index.producer(tensor)
        record = question.trace.ops[maker] if maker is not None else None
        if record and record.variable is not None and record.type == "ReadVariableOp":
            found.add(record.variable)
    return found


def _derivative(question: Question) -> Verdict | None:
    """The target is a first derivative that does not depend on the source: the second is zero."""
    for number, call in enumerate(question.trace.gradients):
        given = {result.tensor for result in call.results}
        end = question.index.ends.get(number, question.begin)
        if number == question.call or end > question.begin or not given & question.before - {None}:
            continue
        place = call.place
        recording = question.index.tape_state(question.tape, question.index.begins.get(number, 0))
        if recording != "recording":
            continue
        facts: Facts = {"inner_line": question.context.line(place)}
        return Verdict("TD235", facts, (place,), (end,), edge="")
    return None


def _numpy_function(question: Question) -> Verdict | None:
    """The value goes through `tf.numpy_function`, which has no derivative."""
    made = [t for t in question.before if question.trace.tensors[t].source == "numpy"]
    for op, record in enumerate(question.trace.ops):
        text = question.context.text(record.place)
        if not made or not text.startswith(("tf.numpy_function(", "tf.compat.v1.py_func(")):
            continue
        if question.earlier(op) and any(t in question.after for t in record.outputs):
            line = question.context.line(record.place)
            facts: Facts = {"expression": text, "op_line": line, "how": text.partition("(")[0]}
            facts |= {"left": question.source_name, "back_line": line, "kind": "numpy"}
            step = question.index.step_of(op)
            return Verdict("TD232", facts, (record.place,), (step,), op=op, edge="")
    return None


def _made_anew(question: Question) -> Verdict | None:
    """The source did not exist yet when the target was computed."""
    source = question.source.tensor
    if source is None or question.index.producer(source) is not None:
        return None
    made = question.context.constant_steps.get(source)
    makers = [question.index.producer(tensor) for tensor in question.targets]
    computed = [question.step(maker) for maker in makers if maker is not None]
    if made is None or not computed or made < max(computed):
        return None
    place = question.trace.tensors[source].place
    facts: Facts = {"op_line": question.context.line(place)}
    return Verdict("TD236", facts, (place,), (made,), edge=question.source_name)


def _python_branch(question: Question) -> Verdict | None:
    """All that became of the source is a truth value that chose a branch."""
    for step in question.index.exits:
        event = question.trace.events[step]
        if not isinstance(event, ExitEvent) or event.how != "bool()" or step >= question.begin:
            continue
        place = question.context.place(event.place)
        if event.tensor not in question.after or place is None:
            continue
        line = question.context.lines[place.line - 1]
        if BRANCH.search(line):
            expression = question.context.text(event.place)
            facts: Facts = {"expression": expression, "op_line": place.line}
            return Verdict("TD237", facts, (event.place,), (step,), edge="")
    return None


RULES = (
    _target_dtype,
    _through_a_variable,
    _left_tensorflow,
    _made_anew,
    _other_object,
    _derivative,
    _python_branch,
)
