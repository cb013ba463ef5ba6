"""What `tapedeck doctor` looks at: can runs be locked down here, do the hooks work."""

import ctypes
import os
import platform
import sys
from collections.abc import Callable
from pathlib import Path

Check = tuple[str, bool, str]
"""What was tried, whether it works, and what was seen."""
_SYS_LANDLOCK_CREATE_RULESET = 444
_LANDLOCK_VERSION = 1
_SECCOMP = Path("/proc/sys/kernel/seccomp/actions_avail")


def machine() -> list[Check]:
    """Whether runs can be locked down on this machine."""
    rows: list[Check] = [
        ("system", sys.platform == "linux", f"{platform.system()} {platform.release()}"),
        ("Python", sys.version_info >= (3, 11), platform.python_version()),
    ]
    if sys.platform != "linux":
        return [*rows, ("lock-down", False, "runs are locked down on Linux only")]
    return [*rows, _limits(), _pidfd(), _landlock(), _seccomp()]


def tensorflow() -> list[Check]:
    """Whether this TensorFlow is one whose hooks work."""
    from tapedeck.recorder import check

    return check()


def _limits() -> Check:
    """Takes on every limit of a run in a child of this process."""
    from tapedeck.sandbox.lockdown import lock_down
    from tapedeck.trace.document import Limits

    parent = os.getpid()

    def locked() -> None:
        lock_down(Limits(cpu_seconds=1, memory_bytes=1 << 30), parent)

    return "limits of memory, CPU and files", *_in_a_child(locked)


def _in_a_child(function: Callable[[], None]) -> tuple[bool, str]:
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            function()
            os.write(writing, b"taken on")
        except (OSError, ValueError) as error:
            os.write(writing, f"!{type(error).__name__}: {error}".encode())
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        said = pipe.read().decode()
    os.waitpid(child, 0)
    return (False, said[1:] or "the child died") if said[:1] in ("!", "") else (True, said)


def _pidfd() -> Check:
    """Ending a run for sure needs a handle that no other process can inherit."""
    try:
        os.close(os.pidfd_open(os.getpid()))
    except OSError as error:
        return "handles on processes", False, str(error)
    return "handles on processes", True, "pidfd_open works"


def _landlock() -> Check:
    libc = ctypes.CDLL(None, use_errno=True)
    version = libc.syscall(_SYS_LANDLOCK_CREATE_RULESET, None, 0, _LANDLOCK_VERSION)
    if version < 1:
        return "Landlock", False, os.strerror(ctypes.get_errno())
    return "Landlock", True, f"version {version}"


def _seccomp() -> Check:
    try:
        actions = _SECCOMP.read_text().split()
    except OSError as error:
        return "seccomp", False, error.strerror or str(error)
    return "seccomp", "kill_process" in actions, ", ".join(actions)
