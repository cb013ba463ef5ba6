"""What programs printed, pasted along with the code that printed it."""

import re

from tapedeck.recorder.prepare.draft import Draft, Scan, blank_all, is_code

TENSOR = re.compile(r"\s*(?:tf\.)?Tensor\(")
TENSOR_END = re.compile(r"(?:shape=\(.*\), )?dtype=\w+\)\s*$")
ARRAY = re.compile(r"\s*array\(")
ARRAY_BOUND = re.compile(r"import.*\barray\b|import \*|^\s*array\s*=|def array\b", re.MULTILINE)
REPR = re.compile(
    r"\s*[\[({]*(?:['\"]\w+['\"]: )?(?:ListWrapper\(\[)?"
    r"<(?:tf\.|tensorflow|keras|KerasTensor|KerasVariable|Variable |bound method|function |class )"
)
NUMBERS = re.compile(r"\s*\[+\s*[-+\d.](?:[-+\d.e\[\]]|nan|inf|\s)*\s(?:[-+\d.e\[\]]|nan|inf|\s)*$")
LOG = re.compile(
    r"\s*(?:WARNING:\w|INFO:\w|\d{4}-\d\d-\d\d \d\d:\d\d:\d\d|[IWEF]\d{4} \d\d:\d\d"
    r"|[IWEF] tensorflow/|Epoch \d+/\d+|\d+/\d+ +[\[\u2501\u2500\x1b]|Collecting \w"
    r"|Requirement already satisfied|Successfully installed|Downloading \S+\.whl"
    r"|Python \d\.\d+\.\d+ .*|\[(?:GCC|Clang) .*\] on \w+|Type \"help\", \"copyright\""
    r"|Using TensorFlow backend|Process finished with exit code)"
)
RULE = re.compile(r"\s*-{20,}\s*$")
TRACEBACK = re.compile(r".*\bTraceback \(most recent call last\)")
RAISED = re.compile(
    r"\s*[A-Za-z_][\w.]*(?:Error|Exception|Interrupt|Warning|Exit|Iteration)(?::|\s*$)"
)
CHAINED = re.compile(
    r"\s*(?:During handling of the above exception|The above exception was the direct cause)"
)
LONGEST = 400
"""Lines of one printed value or traceback at most."""


def tensors(draft: Draft) -> None:
    """Takes out printed tensors and arrays that look like Python: `tf.Tensor(10.0, shape=(), …)`."""
    texts = draft.texts()
    if not any(TENSOR.match(text) or ARRAY.match(text) for text in texts):
        return
    scan = Scan(texts)
    array_known = ARRAY_BOUND.search("\n".join(texts)) is not None
    for index, text in enumerate(texts):
        if scan.inside[index]:
            continue
        if TENSOR.match(text):
            end = _balanced(texts, index)
            if end is not None and TENSOR_END.search(texts[end]):
                blank_all(draft, range(index, end + 1), "output")
        elif ARRAY.match(text) and not array_known:
            end = _balanced(texts, index)
            if end is not None:
                blank_all(draft, range(index, end + 1), "output")


def printed(draft: Draft) -> None:
    """Takes out other printed values, log lines and tracebacks."""
    _tracebacks(draft)
    texts = draft.texts()
    scan = Scan(texts)
    for index, text in enumerate(texts):
        if scan.inside[index] or not draft.lines[index].text.strip():
            continue
        if LOG.match(text) or CHAINED.match(text) or RULE.match(text):
            draft.blank(index, "output")
        elif REPR.match(text) or (NUMBERS.match(text) and not scan.depth[index]):
            end = _balanced(texts, index)
            if end is not None and not is_code("\n".join(texts[index : end + 1])):
                blank_all(draft, range(index, end + 1), "output")


def _balanced(texts: list[str], start: int) -> int | None:
    """The line on which all brackets that open from line `start` on are closed again."""
    depth = 0
    for index in range(start, min(len(texts), start + LONGEST)):
        depth += sum(texts[index].count(char) for char in "([{<")
        depth -= sum(texts[index].count(char) for char in ")]}>")
        if depth <= 0:
            return index
    return None


def _tracebacks(draft: Draft) -> None:
    texts = draft.texts()
    inside = Scan(texts).inside
    index = 0
    while index < len(texts):
        if inside[index] or not TRACEBACK.match(texts[index]) or texts[index].lstrip()[:1] == "#":
            index += 1
            continue
        end = _traceback_end(texts, index)
        start = index - 1 if index and RULE.match(texts[index - 1]) else index
        blank_all(draft, range(start, end), "traceback")
        index = end


def _traceback_end(texts: list[str], start: int) -> int:
    """The line after the traceback's last: the exception, and the rest of its message."""
    index = start + 1
    while index < min(len(texts), start + LONGEST) and not RAISED.match(texts[index]):
        index += 1
    index += 1
    while index < len(texts) and texts[index].strip() and not is_code(texts[index].strip()):
        index += 1
    return min(index, len(texts))
