"""Whether a snippet's text carries a value from one place to another, by names, line by line.

The trace does not hold what Python does between two tensors. The text does, and this reads as
much of it as can be read without running it: assignments, `append` and the like, and `return`.
"""

import re

from tapedeck.trace.document import Place

ASSIGNED = re.compile(r"^\s*(?:with .* as )?([A-Za-z_][\w., \[\]\"'()*]*?)\s*[-+*/@]?=(?!=)(.*)$")
ADDED = re.compile(r"^\s*([A-Za-z_][\w.]*)\.(?:append|extend|add|insert|update)\((.*)$")
RETURNED = re.compile(r"^\s*(?:return|yield)\b(.*)$")
WORD = re.compile(r"[A-Za-z_]\w*")
PASSES = 6


def leads(lines: list[str], start: Place, end: Place) -> bool:
    """Whether what is at `start` reaches the statement at `end`."""
    first = _statement(lines, start.line)
    last = range(end.line, end.end_line + 1)
    if set(last) & set(first):
        return True
    names = _names_at(lines, first, start.function)
    wanted = " ".join(lines[line - 1] for line in last if line <= len(lines))
    for _ in range(PASSES):
        if names & set(WORD.findall(wanted)):
            return True
        names |= _carried(lines, names)
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
