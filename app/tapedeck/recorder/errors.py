"""Exceptions as the trace tells them: the text to the letter, the frames without Tapedeck's."""

import re
import traceback
import types
from pathlib import Path

from tapedeck.recorder.builder import Builder
from tapedeck.recorder.hooks import DISGUISE
from tapedeck.recorder.where import FILENAME, Where
from tapedeck.trace.document import Error, ErrorEvent, Frame

HERE = str(Path(__file__).parent)
LIBRARY = re.compile(r"^.*/(?:site|dist)-packages/|^.*?/lib/python3\.\d+/")
FRAMES = 60


class Errors:
    """Adds errors to the trace, each exception once."""

    def __init__(self, builder: Builder, where: Where) -> None:
        self._builder = builder
        self._where = where
        self._last: tuple[int, int] | None = None
        """`id` of the newest exception told, and its error. Not the exception: it holds frames."""

    def tell(self, error: BaseException) -> int:
        """An exception on its way through TensorFlow: its error, with an event."""
        if self._last is not None and self._last[0] == id(error):
            return self._last[1]
        running = [Frame(function=name, place=place) for name, place in self._where.stack()]
        frames = (*running, *_frames(error.__traceback__, self._where))
        index = self._builder.error(
            Error(
                type_of(error),
                text_of(error),
                place=self._where.place(),
                frames=frames,
                handled=True,
            )
        )
        self._builder.event(ErrorEvent(index))
        self._last = id(error), index
        return index

    def note(self, kind: str, message: str) -> int:
        """An error without an exception object yet: TensorFlow makes it later."""
        place = self._where.place()
        index = self._builder.error(Error(kind, message, place=place, handled=True))
        self._builder.event(ErrorEvent(index))
        return index

    def final(self, error: BaseException, hint: str | None = None) -> int:
        """The exception that ended the run."""
        known = self._known(error)
        if known is None:
            known = self._builder.error(Error(type_of(error), text_of(error)))
            self._builder.event(ErrorEvent(known))
        frames = tuple(_frames(error.__traceback__, self._where))
        places = [frame.place for frame in frames if frame.place is not None]
        self._builder.change(
            "errors",
            known,
            handled=False,
            place=places[-1] if places else self._builder.errors[known].place,
            frames=frames,
            cause=self._cause(error),
            hint=hint,
            text=format_error(error),
        )
        return known

    def _known(self, error: BaseException) -> int | None:
        if self._last is not None and self._last[0] == id(error):
            return self._last[1]
        newest = self._builder.errors[-1] if self._builder.errors else None
        same = newest and (newest.type, newest.message) == (type_of(error), text_of(error))
        return len(self._builder.errors) - 1 if same else None

    def _cause(self, error: BaseException, depth: int = 0) -> int | None:
        cause = error.__cause__
        if cause is None and not error.__suppress_context__:
            cause = error.__context__
        if cause is None or depth > 4:
            return None
        known = self._known(cause)
        if known is not None:
            return known
        frames = tuple(_frames(cause.__traceback__, self._where))
        places = [frame.place for frame in frames if frame.place is not None]
        return self._builder.error(
            Error(
                type_of(cause),
                text_of(cause),
                place=places[-1] if places else None,
                frames=frames,
                handled=True,
                cause=self._cause(cause, depth + 1),
            )
        )


def text_of(error: BaseException) -> str:
    """`str(error)`, whatever the exception's own code does."""
    try:
        return readable(str(error))
    except BaseException as failure:  # noqa: BLE001  (a stranger's `__str__`)
        return f"<{type(failure).__name__} in str()>"


def readable(text: str) -> str:
    """The text with lone surrogates, which no JSON carries, escaped."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()


def type_of(error: BaseException) -> str:
    """The name of its class, whatever its metaclass does."""
    name: str = type.__dict__["__name__"].__get__(type(error))
    return readable(name)


def _frames(entry: types.TracebackType | None, where: Where) -> list[Frame]:
    frames: list[Frame] = []
    while entry is not None:
        code = entry.tb_frame.f_code
        if code.co_filename == FILENAME:
            place = where.place_of(code, entry.tb_lasti)
            frames.append(Frame(function=code.co_name, place=place))
        elif not _is_ours(code.co_filename, code.co_name):
            module = shorten(code.co_filename)
            frames.append(Frame(function=code.co_name, module=module, line=entry.tb_lineno))
        entry = entry.tb_next
    if len(frames) > FRAMES:
        half = FRAMES // 2
        frames = frames[:half] + frames[-half:]
    return frames


def shorten(filename: str) -> str:
    """A library's file without the machine's own path."""
    return LIBRARY.sub("", filename, count=1)


def _is_ours(filename: str, function: str) -> bool:
    return filename.startswith(HERE) or function.startswith(DISGUISE)


def format_error(error: BaseException) -> str:
    """The traceback as Python prints it, without Tapedeck's frames and without paths."""
    try:
        told = traceback.TracebackException.from_exception(error, compact=True)
        _strip(told, 0)
        return readable("".join(told.format()))
    except BaseException:  # noqa: BLE001  (a stranger's exception class)
        return f"{type_of(error)}: {text_of(error)}\n"


def _strip(told: traceback.TracebackException | None, depth: int) -> None:
    if told is None or depth > 8:
        return
    kept = [frame for frame in told.stack if not _is_ours(frame.filename, frame.name)]
    for frame in kept:
        frame.filename = shorten(frame.filename)
    told.stack = traceback.StackSummary.from_list(kept)
    _strip(told.__cause__, depth + 1)
    _strip(told.__context__, depth + 1)
