"""What every runner does."""

from collections.abc import Callable
from typing import Literal, Protocol

import msgspec

from tapedeck.sandbox.protocol import Job

__all__ = ["Job", "Overloaded", "Progress", "Runner", "Stopping", "Unavailable"]


class Progress(msgspec.Struct, frozen=True, omit_defaults=True):
    """How far a run is."""

    stage: Literal["queued", "started", "running", "finishing"]
    position: int | None = None
    """queued: its place in the queue, from 1."""
    ops: int | None = None
    """running: the ops recorded so far."""
    line: int | None = None
    """running: the line of the snippet where the last of them stands."""


class Overloaded(Exception):
    """Too many runs wait; try again later."""


class Stopping(Exception):
    """The runner was told to stop before the run came to its end."""


class Unavailable(Exception):
    """Nothing can run at this moment."""


class Runner(Protocol):
    """Runs jobs somewhere."""

    @property
    def ready(self) -> bool:
        """Whether a job would start at once on a warm process."""

    async def start(self) -> None:
        """Makes ready to run; returns at once."""

    async def stop(self) -> None:
        """Ends everything it started; runs that wait or go on raise Stopping. Safe to call again."""

    async def run(self, job: Job, on_progress: Callable[[Progress], None]) -> bytes:
        """The trace of the job as JSON.

        Cancelling the task ends the run. Raises Overloaded, Unavailable or Stopping.
        """
