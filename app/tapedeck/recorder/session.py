"""One run of a snippet under the hooks, from the pasted text to the trace."""

import atexit
import builtins
import contextlib
import functools
import gc
import importlib
import linecache
import os
import random
import sys
import threading
import traceback
import types
from collections.abc import Callable, Iterator
from time import monotonic
from typing import Any

import msgspec
import numpy as np
import tensorflow as tf
from tensorflow.errors import ResourceExhaustedError

from tapedeck.recorder.builder import Builder, Send
from tapedeck.recorder.console import Console, Stream
from tapedeck.recorder.environment import environment
from tapedeck.recorder.errors import Errors, text_of, type_of
from tapedeck.recorder.instrument import Marks, instrument
from tapedeck.recorder.prepare import MODULES, Prepared, prepare
from tapedeck.recorder.recording import Recording
from tapedeck.recorder.where import FILENAME, Where
from tapedeck.trace.document import (
    Error,
    ErrorEvent,
    Limits,
    Mode,
    Outcome,
    Place,
    PrintEvent,
    Trace,
)
from tapedeck.trace.stream import Assembler

UNLIMITED = Limits()
PATIENCE = 0.5
"""The part of the wall limit that threads of the snippet get after its last line."""


def record(source: str, mode: Mode = "auto", seed: int = 0, limits: Limits = UNLIMITED) -> Trace:
    """Runs a snippet in this process and gives its trace; see `stream`."""
    assembler = Assembler()
    stream(source, assembler.feed, mode, seed, limits)
    return assembler.trace()


def stream(
    source: str,
    send: Send,
    mode: Mode = "auto",
    seed: int = 0,
    limits: Limits = UNLIMITED,
    path: str | None = None,
) -> None:
    """Runs a snippet and sends its trace while it is recorded.

    It runs in this process, in the main thread. `send` gets payloads (`tapedeck.trace.stream`);
    the last entry is the outcome. Whatever the snippet raises is in the trace, not raised here.
    A program of a person's own has a `path`, and reads this process's standard input.
    """
    prepared = prepare(source, mode, seed)
    builder = Builder(prepared.snippet, environment(limits), send)
    if prepared.error is not None or prepared.tree is None:
        builder.finish(_unreadable(prepared, builder))
        return
    where = Where(builder, prepared.code, prepared.to_text)
    recording = Recording(builder, where, prepared.tape)
    console = Console(_writer(builder, where), limits.output_bytes)
    marks = Marks()
    instrumented = instrument(prepared.tree, prepared.code, FILENAME, marks)
    where.attach(instrumented, marks)
    recording.rewinding.texts = instrumented.calls
    recording.tapes.names = instrumented.tapes
    marks.bind = recording.bind
    recording.drain = console.drain
    given = sys.stdin
    with (
        _program(prepared, seed, path or FILENAME) as namespace,
        console.captured(),
        recording.hooks.installed(),
    ):
        sys.stdin = sys.stdin if path is None else given
        with _at_exit() as run_exit_functions:
            outcome = _run(instrumented.code, namespace, recording.errors)
            outcome = _wait_for_threads(outcome, limits)
            run_exit_functions()
        recording.finish()
    builder.finish(_limited(outcome, builder, console))


def _unreadable(prepared: Prepared, builder: Builder) -> Outcome:
    problem = prepared.error
    assert problem is not None
    kind, message = type(problem).__name__, problem.msg
    line = problem.lineno or 1
    column = max((problem.offset or 1) - 1, 0)
    end_line = max(problem.end_lineno or line, line)
    end_column = max((problem.end_offset or 0) - 1, 0)
    if end_line == line:
        end_column = max(end_column, column)
    place = builder.place(Place(line, column, end_line, end_column))
    text = "".join(traceback.format_exception_only(problem))
    error = builder.error(Error(kind, message, place=place, hint=prepared.hint, text=text))
    builder.event(ErrorEvent(error))
    return Outcome("raised", f"{kind}: {message}", error=error)


def _writer(builder: Builder, where: Where) -> Any:
    def write(stream: Stream, text: str) -> None:
        with builder.lock:
            builder.event(PrintEvent(stream, text, where.place()))

    return write


@contextlib.contextmanager
def _program(prepared: Prepared, seed: int, path: str) -> Iterator[dict[str, Any]]:
    """A fresh `__main__` with the snippet's source known to Python, and seeded randomness."""
    module = types.ModuleType("__main__")
    module.__file__ = path if path == FILENAME else os.path.abspath(path)
    module.__dict__["__loader__"] = _Source(prepared.code)
    module.__dict__.update(__builtins__=builtins, **_modules(prepared.names))
    before = sys.modules["__main__"], sys.argv
    lines = prepared.code.splitlines(keepends=True)
    linecache.cache[FILENAME] = (len(prepared.code), None, lines, FILENAME)
    sys.modules["__main__"], sys.argv = module, [path]
    random.seed(seed)
    np.random.seed(seed % 2**32)
    tf.random.set_seed(seed)
    try:
        yield module.__dict__
    finally:
        sys.modules["__main__"], sys.argv = before
        linecache.cache.pop(FILENAME, None)


class _Source:
    """The module's loader: where `inspect`, `linecache` and AutoGraph find its source again."""

    def __init__(self, code: str) -> None:
        self._code = code

    def get_source(self, name: str) -> str:
        return self._code


def _modules(names: tuple[str, ...]) -> dict[str, Any]:
    return {name: importlib.import_module(MODULES[name]) for name in names}


def _run(code: types.CodeType, namespace: dict[str, Any], errors: Errors) -> Outcome:
    try:
        exec(code, namespace)  # noqa: S102  (the person's own program: what this process is for)
    except SystemExit as leaving:
        return _left(leaving)
    except BaseException as error:  # noqa: BLE001  (whatever it raises is the result)
        index = errors.final(error, _hint(error))
        # What the exception holds (frames, and all in them) goes with it.
        traceback.clear_frames(error.__traceback__)
        kind = type_of(error)
        memory = isinstance(error, MemoryError | ResourceExhaustedError)
        return Outcome(
            "out_of_memory" if memory else "raised",
            f"{kind}: {text_of(error).partition(chr(10))[0][:300]}",
            error=index,
        )
    return Outcome()


def _left(leaving: SystemExit) -> Outcome:
    code = leaving.code
    if code is None or isinstance(code, int):
        number = code or 0
    else:
        print(code, file=sys.stderr)
        number = 1
    return Outcome(
        "completed", f"The snippet ended itself with exit code {number}.", exit_code=number
    )


def _hint(error: BaseException) -> str | None:
    if isinstance(error, EOFError):
        return "no_input"
    if isinstance(error, ModuleNotFoundError):
        return "not_installed"
    if isinstance(error, RecursionError):
        return "endless_recursion"
    if isinstance(error, KeyboardInterrupt):
        return "interrupted_by_itself"
    return None


def _wait_for_threads(outcome: Outcome, limits: Limits) -> Outcome:
    """As Python at the end of a program; but not for ever where there is a limit."""
    end = None if limits.wall_seconds is None else monotonic() + PATIENCE * limits.wall_seconds
    left = 0
    for thread in threading.enumerate():
        if thread is threading.current_thread() or thread.daemon:
            continue
        thread.join(None if end is None else max(0.0, end - monotonic()))
        left += thread.is_alive()
    if not left or outcome.kind != "completed":
        return outcome
    count = "One thread" if left == 1 else f"{left} threads"
    detail = f"{count} of the snippet still ran {PATIENCE * (limits.wall_seconds or 0):g} s later."
    return msgspec.structs.replace(outcome, detail=detail)


@contextlib.contextmanager
def _at_exit() -> Iterator[Callable[[], None]]:
    """Keeps what the snippet registers with `atexit`, to run it at the snippet's own end."""
    register = atexit.register
    kept: list[functools.partial[Any]] = []

    def keep(function: Any, *args: Any, **kwargs: Any) -> Any:
        if sys._getframe(1).f_code.co_filename != FILENAME:
            return register(function, *args, **kwargs)
        kept.append(functools.partial(function, *args, **kwargs))
        return function

    def run() -> None:
        for function in reversed(kept):
            try:
                function()
            except BaseException:  # noqa: BLE001  (as Python does: told, and gone on)
                sys.stderr.write(f"Exception ignored in atexit callback {function.func!r}\n")
                traceback.print_exc()

    atexit.register = keep  # type: ignore[assignment]
    try:
        yield run
    finally:
        atexit.register = register


def _limited(outcome: Outcome, builder: Builder, console: Console) -> Outcome:
    """Says so where a limit cut something off."""
    if outcome.kind != "completed":
        return outcome
    if builder.truncated:
        detail = f"Recording ended early: {builder.truncated}. The program itself ran to its end."
        return msgspec.structs.replace(outcome, kind="truncated", detail=detail)
    if console.cut:
        detail = f"The console keeps the first {builder.limits.output_bytes:,} bytes of output."
        return msgspec.structs.replace(outcome, kind="truncated", detail=detail)
    return outcome


def warm_up() -> None:
    """Runs a small program, so that the next one finds everything loaded and started."""
    record(
        "import tensorflow as tf\n"
        "x = tf.Variable([1.0, 2.0])\n"
        "with tf.GradientTape() as tape:\n"
        "    y = tf.reduce_sum(x * x + 2.0 * x)\n"
        "print(tape.gradient(y, x).numpy())\n"
    )
    tf.keras.utils.clear_session()
    gc.collect()
