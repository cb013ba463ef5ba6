"""The process that runs one snippet and dies."""

import os
import resource
import socket
import tempfile
import traceback
from pathlib import Path
from typing import NoReturn

from tapedeck import recorder
from tapedeck.sandbox import protocol
from tapedeck.sandbox.lockdown import lock_down
from tapedeck.sandbox.protocol import Fork, Kind, Ready


def live(channel: socket.socket, request: Fork, parent: int, home: Path) -> NoReturn:
    """The whole life of a child, from the fork on: one job, then the end."""
    try:
        _detach(home)
        lock_down(request.limits, parent)
        if request.warm:
            recorder.warm_up()
        _serve(channel)
    except BaseException:  # noqa: BLE001  (whatever it is, the server is told)
        channel.sendall(protocol.frame(Kind.FAILURE, traceback.format_exc().encode()))
    finally:
        # No atexit handlers, no waiting for threads that the snippet started.
        os._exit(0)


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
