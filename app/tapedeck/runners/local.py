"""Runs jobs on this machine."""

import asyncio
import logging
import os
from collections.abc import Callable

import msgspec

from tapedeck.diagnosis import diagnose
from tapedeck.runners.interface import Job, Overloaded, Progress, Stopping, Unavailable
from tapedeck.runners.outcomes import finish
from tapedeck.sandbox.forks import ZygoteGone
from tapedeck.sandbox.pool import Pool, QueueFull
from tapedeck.sandbox.startup import needs_fresh_start
from tapedeck.sandbox.supervision import Ending, supervise
from tapedeck.trace.document import Limits, Op, Place, Trace
from tapedeck.trace.stream import Assembler

_log = logging.getLogger(__name__)
#: Seconds between two reports of progress.
_REPORT = 0.1
_op_decoder = msgspec.json.Decoder(Op)
_place_decoder = msgspec.json.Decoder(Place)


class LocalRunner:
    """Children of a zygote on this machine, behind the interface of all runners."""

    def __init__(self, limits: Limits, *, warm: int = 2, queue: int = 200) -> None:
        self._pool = Pool(limits, running=os.cpu_count() or 1, warm=warm, queue=queue)
        self._runs: set[asyncio.Task[bytes]] = set()
        self._stopping = False

    @property
    def ready(self) -> bool:
        """Whether a warm child waits."""
        return self._pool.ready

    async def start(self) -> None:
        """Begins to load TensorFlow."""
        await self._pool.start()

    async def stop(self) -> None:
        """Ends every run and every process."""
        self._stopping = True
        for work in self._runs:
            work.cancel()
        await asyncio.gather(*self._runs, return_exceptions=True)
        await self._pool.stop()

    async def run(self, job: Job, on_progress: Callable[[Progress], None]) -> bytes:
        """The trace of the job as JSON. Raises Overloaded, Unavailable or Stopping."""
        if self._stopping:
            raise Stopping
        work = asyncio.create_task(self._run(job, on_progress))
        self._runs.add(work)
        work.add_done_callback(self._runs.discard)
        try:
            return await work
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                raise
            raise Stopping from None

    async def _run(self, job: Job, on_progress: Callable[[Progress], None]) -> bytes:
        try:
            assembler, ending = await self._attempt(job, on_progress)
            unbegun = ending.reason == "exited" and not assembler.bytes_taken
            if unbegun or ending.lost:
                # Its child died before the snippet began, or with the zygote: once more.
                assembler, ending = await self._attempt(job, on_progress)
        except QueueFull:
            raise Overloaded from None
        except ZygoteGone:
            raise Unavailable from None
        on_progress(Progress("finishing"))
        return await asyncio.to_thread(lambda: _encode(_diagnosed(finish(assembler, job, ending))))

    async def _attempt(
        self, job: Job, on_progress: Callable[[Progress], None]
    ) -> tuple[Assembler, Ending]:
        assembler = Assembler(_most_bytes(job.limits))
        fresh = needs_fresh_start(job.source)
        tell = _Teller(assembler, on_progress)
        async with self._pool.child(tell.position, fresh=fresh) as child:
            on_progress(Progress("started"))
            return assembler, await supervise(child, job, tell.feed)


_encode = msgspec.json.Encoder().encode


def _diagnosed(trace: Trace) -> Trace:
    """The trace with its findings; as it is where the diagnosis fails."""
    try:
        return diagnose(trace)
    except Exception:  # noqa: BLE001
        # A trace without findings is worth more than none.
        _log.exception("The diagnosis failed")
        return trace


class _Teller:
    """Feeds the assembler and tells how far it is, not too often."""

    def __init__(self, assembler: Assembler, on_progress: Callable[[Progress], None]) -> None:
        self._assembler = assembler
        self._on_progress = on_progress
        self._next_report = 0.0

    def position(self, position: int) -> None:
        self._on_progress(Progress("queued", position=position))

    def feed(self, payload: bytes) -> bool:
        self._assembler.feed(payload)
        now = asyncio.get_running_loop().time()
        if now >= self._next_report and not self._assembler.complete:
            self._next_report = now + _REPORT
            ops = self._assembler.count("ops")
            self._on_progress(Progress("running", ops=ops, line=_line(self._assembler)))
        return self._assembler.complete


def _line(assembler: Assembler) -> int | None:
    """The line of the last op that came."""
    try:
        op = _op_decoder.decode(assembler.entry("ops", -1))
        if op.place is None:
            return None
        return _place_decoder.decode(assembler.entry("places", op.place)).line
    except (IndexError, msgspec.MsgspecError):
        return None


def _most_bytes(limits: Limits) -> int | None:
    # Entries that are replaced come twice: the recorder keeps the limit for what stays.
    return None if limits.trace_bytes is None else 2 * limits.trace_bytes + (1 << 20)
