"""The recorder: runs a snippet under a real TensorFlow and gives its trace.

The only part that imports TensorFlow, and only when one of these functions is called.
"""

from tapedeck.recorder.builder import Send
from tapedeck.trace.document import Limits, Mode, Trace

__all__ = ["Check", "check", "record", "stream", "warm_up"]

UNLIMITED = Limits()

Check = tuple[str, bool, str]
"""What was tried, whether it works, and what was seen."""


def record(
    source: str,
    mode: Mode = "auto",
    seed: int = 0,
    limits: Limits = UNLIMITED,
) -> Trace:
    """Runs a snippet in this process and gives its trace."""
    from tapedeck.recorder import session

    return session.record(source, mode, seed, limits)


def stream(
    source: str,
    send: Send,
    mode: Mode = "auto",
    seed: int = 0,
    limits: Limits = UNLIMITED,
    path: str | None = None,
) -> None:
    """Runs a snippet in this process and sends its trace piece by piece; see `session.stream`."""
    from tapedeck.recorder import session

    session.stream(source, send, mode, seed, limits, path)


def warm_up() -> None:
    """Runs a small program, so that the next one finds everything loaded and started."""
    from tapedeck.recorder import session

    session.warm_up()


def check() -> list[Check]:
    """Tries every hook on this TensorFlow."""
    from tapedeck.recorder import selfcheck

    return selfcheck.check()
