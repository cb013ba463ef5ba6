"""What can be set from outside, and where the page's files are."""

import os
from collections.abc import Mapping
from pathlib import Path

import msgspec

from tapedeck.trace.document import Limits

_PACKAGE = Path(__file__).parents[1]


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Settings of a server; each can be given as an environment variable `TAPEDECK_<NAME>`."""

    wall_seconds: float = 10.0
    cpu_seconds: float = 20.0
    memory_mib: int = 1024
    output_bytes: int = 256 << 10
    ops: int = 50_000
    trace_mib: int = 32
    warm: int = 3
    """Children kept warm."""
    queue: int = 200
    """Runs that may wait; one more is told to come back later."""
    body_bytes: int = 256 << 10
    """The largest request that is read."""
    request_seconds: float = 10.0
    """How long the head of a request may take to come, and then its body."""
    hosts: str = ""
    """Names, with commas between them, by which browsers reach the server; see `web.guard`."""

    @property
    def limits(self) -> Limits:
        """The limits of every run."""
        return Limits(
            wall_seconds=self.wall_seconds,
            cpu_seconds=self.cpu_seconds,
            memory_bytes=self.memory_mib << 20,
            output_bytes=self.output_bytes,
            ops=self.ops,
            trace_bytes=self.trace_mib << 20,
        )

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> "Settings":
        """Reads the variables. Raises ValueError naming the one that does not fit."""
        given = {
            name: environment[variable]
            for name in cls.__struct_fields__
            if (variable := f"TAPEDECK_{name.upper()}") in environment
        }
        try:
            return msgspec.convert(given, cls, strict=False)
        except msgspec.ValidationError as error:
            raise ValueError(f"TAPEDECK_* settings: {error}") from None


def folder(name: str) -> Path:
    """A folder that comes with the page: inside the installed package, else in the checkout."""
    installed = _PACKAGE / "files" / name
    return installed if installed.is_dir() else _PACKAGE.parents[1] / name
