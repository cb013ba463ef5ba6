"""Where the program is: the place in the snippet, and the groups around it."""

import sys
import types
from typing import Any, NamedTuple, Protocol

from tapedeck.recorder.builder import Builder
from tapedeck.recorder.hooks import GENERATED, original_line
from tapedeck.recorder.instrument import Block, Instrumented, Marks
from tapedeck.recorder.keras_scopes import open_scopes
from tapedeck.trace.document import Group, Place

FILENAME = "snippet.py"
Position = tuple[int, int, int, int]


class ToText(Protocol):
    """Maps a position of the code to the person's text."""

    def __call__(self, line: int, column: int, end: bool = False) -> tuple[int, int]: ...


class _Entered(NamedTuple):
    """A call of one of the snippet's functions."""

    serial: int
    name: str
    scopes: int
    """How many Keras scopes were open when it was called."""
    code: types.CodeType


class _Turn(NamedTuple):
    """A run through a block's body."""

    serial: int
    """Of the whole loop."""
    iteration: int


class Where:
    """Answers `here()`; keeps no frame."""

    def __init__(self, builder: Builder, code: str, to_text: ToText) -> None:
        self._builder = builder
        self._to_text = to_text
        self._lines = code.split("\n")
        self._blocks: tuple[Block, ...] = ()
        self._calls: dict[int, _Entered] = {}
        self._turns: dict[int, dict[int, _Turn]] = {}
        self._serial = 0
        self._place_ids: dict[Place, int] = {}
        self._headers: dict[int, int] = {}
        self._known: dict[tuple[int, int], tuple[int, tuple[Block, ...]]] = {}
        self._positions: dict[int, list[Any]] = {}
        self._codes: list[types.CodeType] = []
        self._groups: dict[tuple[int | None, Any], int] = {}

    def attach(self, instrumented: Instrumented, marks: Marks) -> None:
        """Follows the calls and iterations that the marks tell."""
        self._blocks = instrumented.blocks
        marks.enter = self._enter
        marks.iterate = self._iterate

    def _enter(self, frame: types.FrameType, name: str) -> None:
        self._serial += 1
        entered = _Entered(self._serial, name, len(open_scopes()), frame.f_code)
        self._calls[id(frame)] = entered
        self._turns.pop(id(frame), None)

    def _iterate(self, frame: types.FrameType, block: int) -> None:
        turns = self._turns.setdefault(id(frame), {})
        before = turns.get(block)
        if before is None or self._blocks[block].kind == "scope":
            self._serial += 1
            turns[block] = _Turn(self._serial, 0)
        else:
            turns[block] = _Turn(before.serial, before.iteration + 1)
        for inner in self._blocks[block].inner:
            turns.pop(inner, None)

    def place(self) -> int | None:
        """Id of the innermost place in the snippet that is running."""
        frame: types.FrameType | None = sys._getframe(1)
        while frame is not None:
            filename = frame.f_code.co_filename
            if filename == FILENAME:
                return self.place_of(frame.f_code, frame.f_lasti)
            if GENERATED in filename:
                place = self._generated(filename, frame.f_lineno)
                if place is not None:
                    return place
            frame = frame.f_back
        return None

    def _generated(self, filename: str, line: int) -> int | None:
        found = original_line(filename, line)
        if found is None or found[0] != FILENAME:
            return None
        return self.line(found[1], found[2])

    def line(self, line: int, function: str) -> int:
        """Id of the place of a whole line of the code."""
        lines = self._lines
        text = lines[line - 1] if 1 <= line <= len(lines) else ""
        start = len(text) - len(text.lstrip())
        span = line, len(text[:start].encode()), line, len(text.rstrip().encode())
        name = None if function == "<module>" else function
        return self._place_id(Place(*self._text_span(span), function=name))

    def stack(self) -> list[tuple[str, int]]:
        """The snippet's functions that are running, outermost first, each with its place."""
        frames = reversed(_snippet_frames(sys._getframe(1)))
        return [(f.f_code.co_name, self.place_of(f.f_code, f.f_lasti)) for f in frames]

    def called_by_snippet(self, depth: int, pass_over: tuple[str, ...] = ()) -> bool:
        """Whether the frame `depth` above the caller's is the snippet's.

        Frames of files that end with one of `pass_over` do not count.
        """
        frame: types.FrameType | None = sys._getframe(depth + 1)
        while frame is not None and frame.f_code.co_filename.endswith(pass_over):
            frame = frame.f_back
        if frame is None:
            return False
        filename = frame.f_code.co_filename
        return filename == FILENAME or GENERATED in filename

    def here(self) -> tuple[int | None, int | None]:
        """Ids of the innermost place and the innermost group."""
        frames = _snippet_frames(sys._getframe(1))
        if not frames:
            return None, None
        scopes = open_scopes()
        done = 0
        group: int | None = None
        caller: int | None = None
        place = None
        for frame in reversed(frames):
            code = frame.f_code
            place, blocks = self._look_up(code, frame.f_lasti)
            call = self._calls.get(id(frame))
            if call is not None and call.code is code:
                group, done = self._scoped(group, scopes, done, call.scopes, caller)
                key = ("function", call.serial)
                group = self._group(group, key, "function", call.name, caller)
            turns = self._turns.get(id(frame))
            for block in blocks if turns else ():
                group = self._in_block(group, block, turns)
            caller = place
        group, _ = self._scoped(group, scopes, done, len(scopes), caller)
        return place, group

    def _scoped(
        self, group: int | None, scopes: Any, start: int, stop: int, place: int | None
    ) -> tuple[int | None, int]:
        for scope in scopes[start:stop]:
            group = self._group(group, scope.serial, scope.kind, scope.name, place)
        return group, max(start, stop)

    def _in_block(
        self, group: int | None, block: Block, turns: dict[int, _Turn] | None
    ) -> int | None:
        turn = turns.get(block.number) if turns else None
        if turn is None:
            return group
        place = self._header_place(block)
        key: tuple[str, int] = (block.kind, turn.serial)
        group = self._group(group, key, block.kind, block.title, place)
        if block.kind == "scope":
            return group
        key = ("iteration", turn.iteration)
        return self._group(group, key, "iteration", block.title, place, turn.iteration)

    def _header_place(self, block: Block) -> int:
        known = self._headers.get(block.number)
        if known is None:
            place = Place(*self._text_span(block.header))
            known = self._headers[block.number] = self._place_id(place)
        return known

    def _group(
        self,
        parent: int | None,
        key: Any,
        kind: Any,
        name: str,
        place: int | None,
        index: int | None = None,
    ) -> int:
        known = self._groups.get((parent, key))
        if known is None:
            group = Group(kind, name, parent=parent, place=place, index=index)
            known = self._groups[parent, key] = self._builder.group(group)
        return known

    def place_of(self, code: types.CodeType, lasti: int) -> int:
        """Id of the place of one instruction."""
        return self._look_up(code, lasti)[0]

    def span_of(self, code: types.CodeType, lasti: int) -> Position:
        """CPython's position of one instruction, in the code that runs."""
        positions = self._positions.get(id(code))
        if positions is None:
            positions = self._positions[id(code)] = list(code.co_positions())
            self._codes.append(code)
        line, end_line, column, end_column = positions[lasti // 2]
        line = line or code.co_firstlineno
        return line, column or 0, end_line or line, end_column or 0

    def running_span(self) -> Position | None:
        """CPython's position of the innermost instruction of the snippet that is running."""
        frames = _snippet_frames(sys._getframe(1))
        return self.span_of(frames[0].f_code, frames[0].f_lasti) if frames else None

    def _look_up(self, code: types.CodeType, lasti: int) -> tuple[int, tuple[Block, ...]]:
        known = self._known.get((id(code), lasti))
        if known is not None:
            return known
        span = self.span_of(code, lasti)
        function = None if code.co_name == "<module>" else code.co_qualname.split(".<locals>.")[-1]
        place = self._place_id(Place(*self._text_span(span), function=function))
        start = span[:2]
        blocks = tuple(b for b in self._blocks if b.body[:2] <= start < b.body[2:])
        known = self._known[id(code), lasti] = place, blocks
        return known

    def _text_span(self, span: Position) -> Position:
        line, column = self._to_text(span[0], span[1])
        end_line, end_column = self._to_text(span[2], span[3], end=True)
        return line, column, end_line, end_column

    def _place_id(self, place: Place) -> int:
        known = self._place_ids.get(place)
        if known is None:
            known = self._place_ids[place] = self._builder.place(place)
        return known


def _snippet_frames(frame: types.FrameType | None) -> list[types.FrameType]:
    """The snippet's frames, innermost first."""
    frames = []
    while frame is not None:
        code = frame.f_code
        if code.co_filename == FILENAME:
            frames.append(frame)
            if code.co_name == "<module>":
                break
        frame = frame.f_back
    return frames
