"""One run in one child: gives it the job, takes what it sends, and ends it in time."""

import asyncio
from collections.abc import Callable
from typing import Any, Literal

import msgspec

from tapedeck.sandbox.forks import Child
from tapedeck.sandbox.protocol import UNHEARD, Job, Kind, ProtocolError
from tapedeck.trace.document import Limits

#: Seconds between two looks at a child's memory.
_LOOK = 0.05
#: Seconds that a dead child's last frames, or the end of one that closed its channel, may take.
_GRACE = 1.0

#: Takes a payload; says whether it was the last. Raises ValueError to refuse it.
Feed = Callable[[bytes], bool]

Reason = Literal["finished", "exited", "wall", "memory", "closed", "cut_off", "refused", "failed"]


class Ending(msgspec.Struct, frozen=True):
    """How a child's run ended, as seen from outside of it."""

    reason: Reason
    """finished: it sent its last payload; exited: it died by itself; wall, memory: a limit;
    closed: it closed the channel and lived on; cut_off: it could not send any more and gave up; refused: what it sent was not accepted; failed: the recorder's
    own error."""
    detail: str = ""
    exit_code: int | None = None
    signal: int | None = None
    wall_seconds: float = 0.0
    cpu_seconds: float = 0.0
    peak_bytes: int = 0
    """The most memory that the run took beyond what the process held before."""

    @property
    def lost(self) -> bool:
        """Whether it ended with the zygote, and so most probably through no fault of its own."""
        return self.reason == "exited" and self.exit_code is None and self.signal is None


async def supervise(child: Child, job: Job, feed: Feed) -> Ending:
    """Runs the job; the child is dead afterwards, also when this is cancelled."""
    loop = asyncio.get_running_loop()
    started = loop.time()
    receiving = asyncio.create_task(_receive(child, feed))
    watching = asyncio.create_task(_watch(child, job.limits))
    try:
        child.send(job)
        ends: set[asyncio.Future[Any]] = {receiving, child.exited}
        await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        wall = loop.time() - started
        reason, detail = await _heard(receiving)
        if reason == "closed":
            await asyncio.wait({child.exited}, timeout=_GRACE)
            reason = _gone(child)
        if reason == "exited" and watching.done():
            reason = watching.result()
        child.kill()
        await asyncio.wait({child.exited})
    finally:
        child.kill()
        receiving.cancel()
        watching.cancel()
    return _ending(child, reason, detail, wall)


def _gone(child: Child) -> Reason:
    """Why the channel of a child is closed."""
    if not child.exited.done():
        return "closed"
    return "cut_off" if child.exited.result().exit_code == UNHEARD else "exited"


def _ending(child: Child, reason: Reason, detail: str, wall: float) -> Ending:
    exited, ready = child.exited.result(), child.ready
    by_itself = reason == "exited"
    return Ending(
        reason=reason,
        detail=detail,
        exit_code=exited.exit_code if by_itself else None,
        signal=exited.signal if by_itself else None,
        wall_seconds=wall,
        cpu_seconds=max(0.0, exited.cpu_seconds - (ready.cpu_seconds if ready else 0.0)),
        peak_bytes=max(0, exited.peak_resident_bytes - (ready.resident_bytes if ready else 0)),
    )


async def _heard(receiving: "asyncio.Task[tuple[Reason, str]]") -> tuple[Reason, str]:
    """What the receiving came to; what a dead child had sent may still be on its way."""
    await asyncio.wait({receiving}, timeout=_GRACE)
    return receiving.result() if receiving.done() else ("closed", "")


async def _receive(child: Child, feed: Feed) -> tuple[Reason, str]:
    while True:
        try:
            kind, body = await child.receive()
        except EOFError:
            return "closed", ""
        except ProtocolError as error:
            return "refused", str(error)
        if kind is Kind.FAILURE:
            return "failed", body.decode("utf-8", "replace")
        try:
            if feed(body):
                return "finished", ""
        except ValueError as error:
            return "refused", str(error)


async def _watch(child: Child, limits: Limits) -> Reason:
    """Kills the child at a limit and says which."""
    loop = asyncio.get_running_loop()
    started = loop.time()
    while True:
        await asyncio.sleep(_LOOK)
        if limits.wall_seconds is not None and loop.time() - started >= limits.wall_seconds:
            child.kill()
            return "wall"
        if limits.memory_bytes is not None and child.memory_of_its_own() > limits.memory_bytes:
            child.kill()
            return "memory"
