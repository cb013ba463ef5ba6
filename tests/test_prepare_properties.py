"""Properties of reading pasted text that hold for every program."""

import ast
import string

from hypothesis import given, settings
from hypothesis import strategies as st

from tapedeck.recorder.prepare import prepare

NAMES = st.sampled_from(["a", "b", "loss", "x1", "größe", "변수"])
NUMBERS = st.sampled_from(["1", "2.5", "-3", "1e3"])
STRINGS = st.text(string.ascii_letters + " >>>%!`\u00a0\u201c\u2013（#[]", max_size=12).map(repr)
VALUES = st.one_of(NAMES, NUMBERS, STRINGS, st.tuples(NAMES, NUMBERS).map(" + ".join))
ASSIGNMENTS = st.tuples(NAMES, VALUES).map(" = ".join)
CALLS = st.tuples(NAMES, VALUES).map(lambda pair: f"print({pair[0]}, {pair[1]})")
SIMPLE = st.one_of(ASSIGNMENTS, CALLS, st.just("# a comment, isn't it"), st.just(""))


def _block(lines: list[str]) -> list[str]:
    return ["if True:", *(f"    {line}" if line else "" for line in lines), "    pass"]


PROGRAMS = st.lists(
    st.one_of(SIMPLE.map(lambda line: [line]), st.lists(SIMPLE, max_size=3).map(_block)), max_size=6
).map(lambda blocks: "\n".join(line for block in blocks for line in block) + "\n")


def _tree(code: str) -> str:
    return ast.dump(ast.parse(code))


@settings(deadline=None)
@given(PROGRAMS)
def test_a_program_that_parses_is_left_as_it_is(program: str) -> None:
    ast.parse(program)
    prepared = prepare(program, "script")
    assert prepared.code == program
    assert set(prepared.columns) == {None}
    assert {repair.code for repair in prepared.snippet.repairs} <= {"import"}


@settings(deadline=None)
@given(PROGRAMS, st.sampled_from(["  ", "    ", "\u00a0\u00a0 ", "\t"]))
def test_an_indented_program_is_the_program(program: str, indent: str) -> None:
    pasted = "".join(f"{indent}{line}\n" for line in program.split("\n")[:-1])
    prepared = prepare(pasted, "script")
    assert prepared.error is None
    assert _tree(prepared.code) == _tree(program)
    assert prepared.code.count("\n") == pasted.count("\n")


@settings(deadline=None)
@given(PROGRAMS)
def test_a_session_with_prompts_is_the_program(program: str) -> None:
    lines = program.split("\n")[:-1]
    marks = ["... " if line.startswith("    ") else ">>> " for line in lines]
    pasted = "".join(f"{mark}{line}\n" for mark, line in zip(marks, lines, strict=True))
    prepared = prepare(pasted, "script")
    assert prepared.error is None
    assert _tree(prepared.code) == _tree(program)


@settings(deadline=None)
@given(PROGRAMS, st.sampled_from([" ", "\u00a0"]), st.sampled_from(["", "\u200b", "\ufeff"]))
def test_positions_lead_to_the_same_characters(program: str, blank: str, mark: str) -> None:
    pasted = "".join(f"{blank * 3}{line}{mark}\n" for line in program.split("\n")[:-1])
    prepared = prepare(pasted, "script")
    if prepared.tree is None:
        return
    shown = pasted.split("\n")
    for node in ast.walk(prepared.tree):
        if not isinstance(node, ast.Name | ast.Constant):
            continue
        line, column = prepared.to_text(node.lineno, node.col_offset)
        end_line, end = prepared.to_text(node.end_lineno or 0, node.end_col_offset or 0, end=True)
        assert line == end_line == node.lineno
        written = ast.get_source_segment(prepared.code, node)
        assert shown[line - 1][column:end] == written


@settings(deadline=None)
@given(st.text(max_size=200))
def test_any_text_is_answered(text: str) -> None:
    prepared = prepare(text)
    assert prepared.snippet.text.encode("utf-8", "replace").decode() == prepared.snippet.text
    assert (prepared.tree is None) == (prepared.error is not None)
    if prepared.error is not None:
        lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        line = prepared.error.lineno or 0
        assert 1 <= line <= len(lines)
        assert 1 <= (prepared.error.offset or 0) <= len(lines[line - 1]) + 1


@settings(deadline=None)
@given(
    st.lists(
        st.sampled_from(
            ["x = 1", ">>> x", "```", "In [1]:", "  y", "\t%a", '"""', "1 a", "$ b", "}", "(", "’"]
        ),
        max_size=8,
    )
)
def test_scraps_of_pasted_text_are_answered(lines: list[str]) -> None:
    prepared = prepare("\n".join(lines))
    assert len(prepared.code.split("\n")) == len(lines or [""])
