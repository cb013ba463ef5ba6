"""None where no ops lead from the source to the target: what stands between them."""

import re

from tapedeck.diagnosis.flow import leads
from tapedeck.diagnosis.question import Facts, Question, Verdict
from tapedeck.trace.document import ExitEvent, Place
from tapedeck.trace.queries import differentiable

PREDICT = re.compile(r"[A-Za-z_][\w.]*\.predict(?:_on_batch)?\([^()]*\)?")
HANDLED = re.compile(r"^[^#]*\bif\b.*\bis not None\b")
NUMPY = re.compile(r"\b(?:np|numpy)\.(?!(?:array|asarray|float)\w*\b)[\w.]+\(")
BRANCH = re.compile(r"^\s*(?:if|elif|while)\b|\bif\b.*\belse\b")


def verdict(question: Question) -> Verdict:
    """Why no ops lead from the source to the target, as far as the trace shows it."""
    for rule in RULES:
        found = rule(question)
        if found is not None:
            return found
    source = question.source.variable
    if source is not None and not question.trace.variables[source].trainable:
        return Verdict("TD238", edge="")
    # A snippet that leaves None out expects one where the source plays no part.
    handled = any(HANDLED.search(line) for line in question.context.lines)
    return Verdict("TD230", edge="", level="hint" if handled else "problem")


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
            if made <= step or not _leads(question, event.place, place):
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


def _leads(question: Question, start: int | None, end: int | None) -> bool:
    context = question.context
    first, last = context.place(start), context.place(end)
    return first is not None and last is not None and leads(context.lines, first, last)


def _predicted(question: Question) -> Verdict | None:
    """The target was made from what `model.predict()` gave, which is NumPy."""
    lines = question.context.lines
    found = [(n, m) for n, line in enumerate(lines, 1) if (m := PREDICT.search(line))]
    for _, made, place in question.shared.constants:
        end = question.context.place(place)
        if end is None:
            continue
        for line, match in found:
            if leads(lines, Place(line, match.start(), line, match.end()), end):
                facts: Facts = {"expression": match.group(), "op_line": line}
                facts["back_line"] = end.line
                return Verdict("TD239", facts, (place,), (made,), edge="")
    return None


def _through_numpy(question: Question) -> Verdict | None:
    """NumPy took the source's value, without asking TensorFlow: `np.sum(x)`."""
    lines, context = question.context.lines, question.context
    name = re.compile(rf"(?<![\w.]){re.escape(question.source_name)}\b")
    for number, line in enumerate(lines, 1):
        match = NUMPY.search(line)
        if not match or not name.search(line, match.end()):
            continue
        start = Place(number, match.start(), number, len(line))
        for tensor, made, place in question.shared.constants:
            end = context.place(place)
            if end is None or not leads(lines, start, end):
                continue
            call = match.group().rstrip("(")
            facts: Facts = {"left": question.source_name, "how": f"{call}()", "op_line": number}
            facts |= {"expression": line[match.start() :].strip(), "back_line": end.line}
            facts["kind"] = question.trace.tensors[tensor].source or "numpy"
            return Verdict("TD232", facts, (place,), (made,), edge="")
    return None


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
        return Verdict("TD235", facts, (place,), (end,), edge="", level="hint")
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
    _predicted,
    _through_numpy,
    _made_anew,
    _other_object,
    _derivative,
    _python_branch,
)
