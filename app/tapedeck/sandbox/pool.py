"""Which run gets a child, and when: warm children in advance, a queue, never more than the cores."""

import asyncio
import collections
import contextlib
import logging
from collections.abc import AsyncIterator, Callable

import msgspec

from tapedeck.sandbox.forks import Child, Zygote, ZygoteGone
from tapedeck.trace.document import Limits

_log = logging.getLogger(__name__)
#: Seconds that a run whose turn it is waits for the zygote: it may be starting.
_PATIENCE = 60.0
_PAUSES = (0.1, 0.5, 2.0, 5.0)


class QueueFull(Exception):
    """So many runs wait already that another one would wait too long."""


class _Waiter(msgspec.Struct, eq=False):
    turn: asyncio.Future[None]
    on_position: Callable[[int], None]


class Pool:
    """Children for runs. `start` and `stop` it; `child()` lends one for one run."""

    def __init__(self, limits: Limits, *, running: int, warm: int, queue: int) -> None:
        self._limits = limits
        self._most_running = running
        self._most_warm = warm
        self._most_waiting = queue
        self._running = 0
        self._warming = 0
        self._idle: collections.deque[Child] = collections.deque()
        self._waiters: collections.deque[_Waiter] = collections.deque()
        self._zygote: Zygote | None = None
        self._up = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def ready(self) -> bool:
        """Whether a warm child waits."""
        return bool(self._idle)

    async def start(self) -> None:
        """Begins to keep a zygote alive; returns at once."""
        self._spawn(self._keep_zygote())

    async def stop(self) -> None:
        """Ends every process."""
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._zygote is not None:
            await self._zygote.stop()

    @contextlib.asynccontextmanager
    async def child(
        self, on_position: Callable[[int], None], *, fresh: bool = False
    ) -> AsyncIterator[Child]:
        """Waits for its turn, lends a child, and ends it afterwards.

        `fresh`: one that is not warmed, and so has not started TensorFlow.
        `on_position` is told the place in the queue, from 1, whenever it changes. Raises QueueFull, or
        ZygoteGone where the zygote does not start.
        """
        await self._turn(on_position)
        child: Child | None = None
        try:
            child = await (self._fork_in_time() if fresh else self._take())
            yield child
        finally:
            if child is None:
                self._leave()
            else:
                child.kill()
                child.close()
                # The place is free only when the process is: never more running than cores.
                child.exited.add_done_callback(lambda _: self._leave())

    async def _turn(self, on_position: Callable[[int], None]) -> None:
        if self._running < self._most_running and not self._waiters:
            self._running += 1
            return
        if len(self._waiters) >= self._most_waiting:
            raise QueueFull
        waiter = _Waiter(asyncio.get_running_loop().create_future(), on_position)
        self._waiters.append(waiter)
        on_position(len(self._waiters))
        try:
            await waiter.turn
        except asyncio.CancelledError:
            if waiter.turn.done() and not waiter.turn.cancelled():
                self._leave()
            else:
                self._waiters.remove(waiter)
                self._tell_positions()
            raise

    def _leave(self) -> None:
        """A place is free: the next one's turn, or time to warm a child."""
        self._running -= 1
        while self._waiters:
            waiter = self._waiters.popleft()
            if not waiter.turn.done():
                self._running += 1
                waiter.turn.set_result(None)
                self._tell_positions()
                return
        self._refill()

    def _tell_positions(self) -> None:
        for position, waiter in enumerate(self._waiters, 1):
            waiter.on_position(position)

    async def _take(self) -> Child:
        """A warm child where one waits, else a new one. Raises ZygoteGone where none comes."""
        while self._idle:
            child = self._idle.popleft()
            if child.alive:
                return child
        return await self._fork_in_time()

    async def _fork_in_time(self) -> Child:
        """A new child. Raises ZygoteGone where none comes."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_PATIENCE):
                return await self._fork()
        raise ZygoteGone

    async def _fork(self) -> Child:
        while True:
            await self._up.wait()
            assert self._zygote is not None
            with contextlib.suppress(ZygoteGone, EOFError):
                return await self._zygote.fork(self._limits, warm=False)
            # What failed is on its way to be replaced.
            await asyncio.sleep(_PAUSES[0])

    def _refill(self) -> None:
        """Warms one more child where there is need and a core is free."""
        busy = self._running + self._warming >= self._most_running
        enough = len(self._idle) + self._warming >= self._most_warm
        if not busy and not enough and not self._waiters and self._up.is_set():
            self._warming += 1
            self._spawn(self._warm())

    async def _warm(self) -> None:
        assert self._zygote is not None
        try:
            child = await self._zygote.fork(self._limits, warm=True)
            child.exited.add_done_callback(lambda _: self._forget(child))
            self._idle.append(child)
        except (ZygoteGone, EOFError):
            await asyncio.sleep(_PAUSES[1])
        finally:
            self._warming -= 1
        self._refill()

    def _forget(self, child: Child) -> None:
        if child in self._idle:
            self._idle.remove(child)
            child.close()
            self._refill()

    async def _keep_zygote(self) -> None:
        failures = 0
        while True:
            try:
                self._zygote = await Zygote.start()
            except (ZygoteGone, OSError) as failure:
                _log.error("The zygote could not be started:\n%s", failure)
            else:
                failures = 0
                self._up.set()
                self._refill()
                await self._zygote.gone.wait()
                self._up.clear()
                _log.error("The zygote ended; another one is started:\n%s", self._zygote.last_words)
            await asyncio.sleep(_PAUSES[min(failures, len(_PAUSES) - 1)])
            failures += 1

    def _spawn(self, work: "asyncio._CoroutineLike[None]") -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
