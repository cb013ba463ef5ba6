"""What the program writes: Python's streams, and what C++ writes to descriptors 1 and 2."""

import _thread
import contextlib
import fcntl
import io
import os
import select
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Literal

Stream = Literal["stdout", "stderr", "warning", "log"]
Write = Callable[[Stream, str], None]
PIPE_SIZE = 1 << 20
CROWDED = 1 << 15


class Console:
    """Tells `write` each line as it comes; C++ output when `drain` looks for it."""

    def __init__(self, write: Write, limit: int | None) -> None:
        self._write = write
        self._limit = limit
        self._taken = 0
        self.cut = False
        """True once the limit was reached and output was dropped."""
        self._pipes: list[tuple[int, Stream]] = []
        self._lock = threading.Lock()
        self._relieving = False
        self._poll = select.poll()

    def take(self, stream: Stream, text: str) -> None:
        """Passes text on, up to the limit."""
        size = len(text.encode()) if not text.isascii() else len(text)
        if self._limit is not None and self._taken + size > self._limit:
            text = text[: max(0, self._limit - self._taken)] if not self.cut else ""
            self.cut = True
        self._taken += size
        if text:
            self._write(stream, text)

    def drain(self) -> None:
        """Takes what was written to the descriptors since the last call."""
        if not self._poll.poll(0):
            return
        for position in range(2):
            with self._lock:
                if not self._pipes:
                    return
                descriptor, stream = self._pipes[position]
                data = _read_all(descriptor)
            if data:
                text = data.decode("utf-8", "replace")
                self.take("log" if stream == "stderr" and _is_log(text) else stream, text)

    @contextlib.contextmanager
    def captured(self) -> Iterator[None]:
        """Inside the block everything written comes here instead."""
        out, err = _PythonStream(self, "stdout"), _StandardError(self, "stderr")
        before = sys.stdout, sys.stderr, sys.stdin
        with _redirected(1) as one, _redirected(2) as two:
            self._pipes = [(one, "stdout"), (two, "stderr")]
            self._poll.register(one, select.POLLIN)
            self._poll.register(two, select.POLLIN)
            self._relieving = True
            sys.stdout, sys.stderr, sys.stdin = out, err, _NoInput()
            try:
                # Not a `threading.Thread`: the program may count its threads.
                _thread.start_new_thread(self._relieve, ())
                yield
            finally:
                self._relieving = False
                out.end_line()
                err.end_line()
                sys.stdout, sys.stderr, sys.stdin = before
                self.drain()
                with self._lock:
                    self._pipes = []
                    self._poll = select.poll()

    def _relieve(self) -> None:
        # A pipe is soon full: C++ that writes more than it holds in one op must not wait for ever.
        while self._relieving:
            if any(_fill(descriptor) > CROWDED for descriptor, _ in self._pipes):
                self.drain()
            time.sleep(0.1)


class _PythonStream(io.TextIOBase):
    """`sys.stdout` or `sys.stderr`: one event each time that a line is complete."""

    encoding = "utf-8"
    errors = "strict"

    def __init__(self, console: Console, stream: Stream) -> None:
        self._console = console
        self._stream = stream
        self._line = ""
        self.name = f"<{stream}>"
        self.buffer = _Bytes(self)

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        if not text.isascii():
            # As Python's own streams: lone surrogates raise, or are escaped on standard error.
            text = text.encode("utf-8", self.errors).decode("utf-8")
        self._line += text
        if text.endswith("\n") or len(self._line) > 1 << 16:
            self.end_line()
        return len(text)

    def flush(self) -> None:
        self.end_line()

    def end_line(self) -> None:
        """Passes an unfinished line on."""
        if self._line:
            text, self._line = self._line, ""
            self._console.drain()  # what C++ wrote before this comes before this
            self._console.take(_origin(self._stream), text)

    def fileno(self) -> int:
        return 1 if self._stream == "stdout" else 2

    def isatty(self) -> bool:
        return False


class _StandardError(_PythonStream):
    """`sys.stderr`, which shows what it cannot encode."""

    errors = "backslashreplace"


class _Bytes(io.RawIOBase):
    """`sys.stdout.buffer`."""

    def __init__(self, text: _PythonStream) -> None:
        self._text = text

    def writable(self) -> bool:
        return True

    def write(self, data: object) -> int:
        raw = bytes(data)  # type: ignore[call-overload]
        self._text.write(raw.decode("utf-8", "replace"))
        return len(raw)


class _NoInput(io.TextIOBase):
    """`sys.stdin`: nobody is there to type."""

    name = "<stdin>"

    def readable(self) -> bool:
        return True

    def read(self, size: int | None = -1) -> str:
        return ""

    def readline(self, size: int | None = -1) -> str:  # type: ignore[override]
        return ""

    def fileno(self) -> int:
        raise io.UnsupportedOperation("fileno")


@contextlib.contextmanager
def _redirected(descriptor: int) -> Iterator[int]:
    """The descriptor writes into a pipe inside the block; gives the pipe's reading end."""
    kept = os.dup(descriptor)
    reading, writing = os.pipe()
    with contextlib.suppress(OSError):
        fcntl.fcntl(reading, fcntl.F_SETPIPE_SZ, PIPE_SIZE)
    os.set_blocking(reading, False)
    os.dup2(writing, descriptor)
    os.close(writing)
    try:
        yield reading
    finally:
        os.dup2(kept, descriptor)
        os.close(kept)
        os.close(reading)


def _read_all(descriptor: int) -> bytes:
    chunks = []
    with contextlib.suppress(BlockingIOError):
        while chunk := os.read(descriptor, 1 << 16):
            chunks.append(chunk)
    return b"".join(chunks)


def _fill(descriptor: int) -> int:
    import array
    import termios

    size = array.array("i", [0])
    with contextlib.suppress(OSError):
        fcntl.ioctl(descriptor, termios.FIONREAD, size)
    return size[0]


def _is_log(text: str) -> bool:
    """Whether it looks like a line of TensorFlow's C++ log: `W0000 00:00:...`, `2026-11-30 ...`."""
    head = text.lstrip()[:5]
    return (head[:1] in "IWEF" and head[1:5].isdigit()) or (head[:4].isdigit() and head[4:] == "-")


def _origin(stream: Stream) -> Stream:
    """Standard error is also where warnings and Python's logging go: told by who writes."""
    if stream == "stdout":
        return stream
    frame = sys._getframe(2)
    for _ in range(6):
        name = frame.f_code.co_filename
        if name.endswith("/warnings.py"):
            return "warning"
        if "/logging/" in name:
            return "log"
        if frame.f_back is None:
            break
        frame = frame.f_back
    return stream
