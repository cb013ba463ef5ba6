"""Runs a job for a client: as one answer or as events, and no longer than the client is there."""

import asyncio
import contextlib
import zlib
from collections.abc import AsyncIterator, Coroutine

import msgspec
from fastapi import Request, Response
from fastapi.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from tapedeck.runners.interface import Job, Progress, Runner
from tapedeck.web.errors import problem_of

#: Seconds after which a silent stream sends a comment, so that nothing on the way closes it.
_SILENCE = 10.0
_KEEP_ALIVE = b": still there\n\n"

Event = Progress | bytes | Exception
"""Progress, the trace at last, or what went wrong."""


async def answer_once(request: Request, runner: Runner, job: Job) -> Response:
    """Runs the job and answers with the trace; ends the run when the client goes away."""
    trace = await _while_connected(request, runner.run(job, lambda progress: None))
    # Nobody reads the answer to a client that went away.
    return Response(trace or b"", 200 if trace else 499, media_type="application/json")


async def _while_connected(request: Request, work: Coroutine[None, None, bytes]) -> bytes | None:
    running = asyncio.create_task(work)
    leaving = asyncio.create_task(_disconnect(request))
    try:
        await asyncio.wait({running, leaving}, return_when=asyncio.FIRST_COMPLETED)
        return await running if running.done() else None
    finally:
        running.cancel()
        leaving.cancel()


async def _disconnect(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


async def answer_in_events(request: Request, runner: Runner, job: Job) -> Response:
    """Runs the job and answers with server-sent events: `progress` …, then `trace` or `error`.

    What goes wrong before the first event is raised, and so has a status of its own.
    """
    events: asyncio.Queue[Event] = asyncio.Queue()
    running = asyncio.create_task(_run(runner, job, events))
    try:
        first = await events.get()
    except asyncio.CancelledError:
        running.cancel()
        raise
    if isinstance(first, Exception):
        raise first
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    stream = _stream(first, events)
    if "gzip" in request.headers.get("Accept-Encoding", ""):
        headers |= {"Content-Encoding": "gzip", "Vary": "Accept-Encoding"}
        stream = _zipped(stream)
    return _Events(stream, running, headers)


class _Events(StreamingResponse):
    """A stream of events from a run, which ends with it: also when the client goes away."""

    def __init__(
        self, stream: AsyncIterator[bytes], running: asyncio.Task[None], headers: dict[str, str]
    ) -> None:
        super().__init__(stream, headers=headers, media_type="text/event-stream")
        self._running = running

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._running.cancel()


async def _run(runner: Runner, job: Job, events: asyncio.Queue[Event]) -> None:
    try:
        events.put_nowait(await runner.run(job, events.put_nowait))
    except Exception as error:  # noqa: BLE001  (it is answered in the stream)
        events.put_nowait(error)


async def _stream(first: Event, events: asyncio.Queue[Event]) -> AsyncIterator[bytes]:
    event = first
    while isinstance(event, Progress):
        yield _event("progress", msgspec.json.encode(event))
        while (following := await _next(events)) is None:
            yield _KEEP_ALIVE
        event = following
    if isinstance(event, bytes):
        yield _event("trace", event)
    else:
        yield _event("error", problem_of(event).body())


async def _next(events: asyncio.Queue[Event]) -> Event | None:
    with contextlib.suppress(TimeoutError):
        return await asyncio.wait_for(events.get(), _SILENCE)
    return None


def _event(name: str, data: bytes) -> bytes:
    return b"event: %s\ndata: %s\n\n" % (name.encode(), data)


async def _zipped(stream: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """The stream in gzip, each piece complete in itself."""
    packer = zlib.compressobj(5, zlib.DEFLATED, 31)
    async for piece in stream:
        yield await asyncio.to_thread(_packed, packer, piece)
    yield packer.flush()


def _packed(packer: "zlib._Compress", piece: bytes) -> bytes:
    return packer.compress(piece) + packer.flush(zlib.Z_SYNC_FLUSH)
