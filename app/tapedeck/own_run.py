"""A run of a person's own program, in a child of this process, without limits.

What was recorded up to there is told also where the program takes its process down with it.
"""

import os
import signal
import struct
import sys
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from tapedeck.trace.document import Mode, Outcome, Snippet, Trace
from tapedeck.trace.stream import Assembler

SIZE = struct.Struct(">I")


def run(source: str, path: str | None, mode: Mode, seed: int) -> Trace:
    """The trace of a program; `path` is where it stands, None where it was read from a pipe."""
    reading, writing = os.pipe()
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        os.close(reading)
        _record(source, path, mode, seed, writing)
    os.close(writing)
    # An interrupt is for the program: it is told as what ended it.
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    assembler = Assembler()
    with os.fdopen(reading, "rb") as pipe:
        for payload in _payloads(pipe.read):
            assembler.feed(payload)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    signal.signal(signal.SIGINT, before)
    if assembler.complete:
        return assembler.trace()
    return msgspec.structs.replace(_started(assembler, source, mode, seed), outcome=_died(status))


def _record(source: str, path: str | None, mode: Mode, seed: int, writing: int) -> None:
    """The child: runs the program, sends what is recorded, and ends."""
    status = 1
    try:
        from tapedeck.recorder import session

        if path is not None:
            _take_place(path)

        def send(payload: bytes) -> None:
            data = memoryview(SIZE.pack(len(payload)) + payload)
            while data:
                data = data[os.write(writing, data) :]

        session.stream(source, send, mode, seed, path=path)
        status = 0
    except BaseException:  # noqa: BLE001  (the child must not go on as the parent)
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def _take_place(path: str) -> None:
    """The program's folder is where Python looks first, as in `python path`."""
    folder = str(Path(path).resolve().parent)
    if sys.flags.safe_path:
        sys.path.insert(0, folder)
    else:
        sys.path[0] = folder


def _payloads(read: Callable[[int], bytes]) -> Iterator[bytes]:
    while len(head := read(SIZE.size)) == SIZE.size:
        size = SIZE.unpack(head)[0]
        payload = read(size)
        if len(payload) < size:
            return
        yield payload


def _started(assembler: Assembler, source: str, mode: Mode, seed: int) -> Trace:
    if assembler.bytes_taken:
        return assembler.trace()
    return Trace(snippet=Snippet(text=source, asked=mode, seed=seed))


def _died(status: int) -> Outcome:
    if status >= 0:
        detail = f"The program ended its process with exit code {status}."
        return Outcome("crashed", detail, exit_code=status)
    name = signal.Signals(-status).name
    return Outcome("crashed", f"The program's process was killed by {name}.", signal=name)
