"""The process that runs one snippet and dies."""

import builtins
import os
import resource
import socket
import sys
import tempfile
import traceback
from os import _exit
from pathlib import Path
from typing import NoReturn

from tapedeck import recorder
from tapedeck.sandbox import protocol
from tapedeck.sandbox.lockdown import lock_down
from tapedeck.sandbox.protocol import Fork, Kind, Ready

_BUILTINS = dict(vars(builtins))
_SPEECHLESS = protocol.frame(Kind.FAILURE, b"it could not tell how")


def live(channel: socket.socket, request: Fork, parent: int, home: Path) -> NoReturn:
    """The whole life of a child, from the fork on: one job, then the end."""
    try:
        _detach(home)
        lock_down(request.limits, parent)
        if request.warm:
            recorder.warm_up()
        _serve(channel)
    except:  # noqa: E722  (whatever it is, the server is told)
        _report(channel)
    finally:
        # No atexit handlers, no waiting for threads that the snippet started.
        _exit(0)


def _report(channel: socket.socket) -> None:
    """Tells that the recorder failed; where even that fails, the exit code tells it.

    The snippet may have replaced anything: Python's builtins come back first, and what fails even
    then is caught by an `except` that looks up no name.
    """
    try:
        builtins.__dict__.update(_BUILTINS)
        failure = protocol.frame(Kind.FAILURE, _described().encode(errors="backslashreplace"))
    except:  # noqa: E722
        failure = _SPEECHLESS
    try:
        channel.sendall(failure)
    except:  # noqa: E722
        _exit(protocol.UNHEARD)


def _described() -> str:
    """The error under way and where it was raised, innermost last, in one line."""
    kind, error, trace = sys.exc_info()
    frames = traceback.StackSummary.extract(traceback.walk_tb(trace), lookup_lines=False)[-6:]
    places = " > ".join(f"{Path(one.filename).name}:{one.lineno} {one.name}" for one in frames)
    text = " ".join("".join(traceback.format_exception_only(kind, error)).split())
    return f"{text[:500]} ({places})"


def _serve(channel: socket.socket) -> None:
    channel.sendall(protocol.frame(Kind.READY, protocol.encode(_used_so_far())))
    try:
        _, body = protocol.read_frame(channel)
    except EOFError:
        return
    job = protocol.decode_job(body)
    send = protocol.frame_writer(channel, Kind.PAYLOAD)
    recorder.stream(job.source, send, job.mode, job.seed, job.limits)


def _detach(home: Path) -> None:
    """A session, a folder and standard streams of its own."""
    os.setsid()
    os.chdir(home)
    tempfile.tempdir = str(home)
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in range(3):
        os.dup2(nothing, descriptor)
    os.close(nothing)


def _used_so_far() -> Ready:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return Ready(
        cpu_seconds=usage.ru_utime + usage.ru_stime,
        memory_bytes=protocol.memory_of("self"),
        resident_bytes=protocol.resident_of("self"),
    )
