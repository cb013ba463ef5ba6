"""What programs printed, pasted along with the code that printed it."""

import re

from tapedeck.recorder.prepare.draft import Draft, Scan, blank_all, is_code

TENSOR = re.compile(r"\s*(?:tf\.)?Tensor\(")
TENSOR_END = re.compile(r"shape=\([^()]{0,200}\), dtype=(\w{1,20})(?:, device=[^()]{1,200})?\)$")
TAIL = 500
"""Characters of a line's end in which a tensor's shape and dtype are looked for."""
ARRAY = re.compile(r"\s*array\(")
#: `array` and the like as the program's own name: neither called nor an attribute.
OWN = r"(?<![\w.])(?:(?:def|class)\s+)?{}\b(?!\s*\()|\b(?:def|class)\s+{}\b"
STAR = re.compile(r"\bimport\s*\*")
REPR = re.compile(
    r"\s*[\[({]*(?:['\"]\w+['\"]: )?(?:ListWrapper\(\[)?"
    r"<(?:tf\.|tensorflow|keras|KerasTensor|KerasVariable|Variable |bound method|function |class )"
)
NUMBERS = re.compile(r"\s*+\[++\s*+[-+\d.](?:[-+\d.e\[\]\s]|nan|inf)*+$")
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
    """Takes out printed tensors and arrays that look like Python: `tf.Tensor(10.0, shape=(), …)`.

    For a text that is no program yet; where it is one, `proven.printed` looks at its tree.
    """
    texts = draft.texts()
    starts = [i for i, text in enumerate(texts) if TENSOR.match(text) or ARRAY.match(text)]
    if not starts:
        return
    scan = draft.scan()
    ends = _Ends(texts)
    own = _own_names(draft, scan)
    gone = -1
    for index in starts:
        end = ends.balanced(index)
        if index <= gone or end is None or not scan.statement(index):
            continue
        if TENSOR.match(texts[index]):
            last = TENSOR_END.search(texts[end].rstrip()[-TAIL:])
            printed = last is not None and last.group(1) not in own
        else:
            printed = "array" not in own
        if printed:
            blank_all(draft, range(index, end + 1), "output")
            gone = end


def _own_names(draft: Draft, scan: Scan) -> set[str]:
    """`array` and dtypes that the program may have bound itself."""
    names = ["array", "float16", "float32", "float64", "int32", "int64", "bool", "bfloat16"]
    code = [
        "".join(char if kind == "c" else " " for char, kind in zip(line.text, mask, strict=True))
        if "#" in mask or "s" in mask
        else line.text
        for line, mask in zip(draft.lines, scan.masks, strict=True)
    ]
    text = "\n".join(code)
    if STAR.search(text):
        return set(names)
    text = re.sub(r"\bdtype\s*=\s*\w+", "", text)
    return {name for name in names if re.search(OWN.format(name, name), text)}


def printed(draft: Draft) -> None:
    """Takes out other printed values, log lines and tracebacks."""
    _tracebacks(draft)
    texts = draft.texts()
    scan, ends = draft.scan(), _Ends(texts)
    looked = -1
    for index, text in enumerate(texts):
        if scan.inside[index] or not text.strip() or index <= looked:
            continue
        if LOG.match(text) or CHAINED.match(text) or RULE.match(text):
            draft.blank(index, "output")
        elif REPR.match(text) or (NUMBERS.match(text) and scan.statement(index)):
            end = ends.balanced(index)
            if end is None:
                continue
            looked = end
            if not is_code("\n".join(texts[index : end + 1])):
                blank_all(draft, range(index, end + 1), "output")


class _Ends:
    """For each line the line on which all brackets are closed that open from it on."""

    def __init__(self, texts: list[str]) -> None:
        depths = [0]
        for text in texts:
            opened = sum(map(text.count, "([{<"))
            depths.append(depths[-1] + opened - sum(map(text.count, ")]}>")))
        self._ends: list[int] = [len(texts) + LONGEST] * len(texts)
        waiting: list[int] = []
        for index, depth in enumerate(depths):
            while waiting and depths[waiting[-1]] >= depth:
                self._ends[waiting.pop()] = index - 1
            waiting.append(index)

    def balanced(self, start: int) -> int | None:
        """That line; None where there is none near."""
        end = self._ends[start]
        return end if end < start + LONGEST and end < len(self._ends) else None


def _tracebacks(draft: Draft) -> None:
    texts = draft.texts()
    inside = draft.scan().inside
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
