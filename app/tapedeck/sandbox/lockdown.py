"""What a child gives up for good before it runs anything.

`lock_down` is called once in each child, right after the fork and before the warm-up: what is
bound to a thread (Landlock, seccomp) then holds for every thread that TensorFlow starts. Each
layer is one function here.
"""

import ctypes
import os
import resource
import signal

from tapedeck.sandbox.protocol import data_of
from tapedeck.trace.document import Limits

_PR_SET_PDEATHSIG = 1
_PR_SET_DUMPABLE = 4
_PR_SET_CHILD_SUBREAPER = 36
_PR_SET_NO_NEW_PRIVS = 38
#: Address space that TensorFlow's own threads and arenas take beside a run's tensors.
_ROOM = 256 << 20
#: The largest file that a run may write into its folder.
_FILE = 64 << 20
#: Seconds of CPU that the warm-up may have used, and those until a run that blocks SIGXCPU is killed.
_CPU_ROOM = 2


def lock_down(limits: Limits, parent: int) -> None:
    """Applies every layer to the calling process; `parent` is the pid of the zygote."""
    _die_with(parent)
    _gain_nothing()
    _limit_resources(limits)


def adopt_orphans() -> None:
    """Processes that a child leaves behind become children of the caller, who can end them."""
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)


def _die_with(parent: int) -> None:
    _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def _gain_nothing() -> None:
    _prctl(_PR_SET_NO_NEW_PRIVS, 1)
    _prctl(_PR_SET_DUMPABLE, 0)


def _limit_resources(limits: Limits) -> None:
    _limit(resource.RLIMIT_CORE, 0)
    _limit(resource.RLIMIT_NOFILE, 64)
    _limit(resource.RLIMIT_FSIZE, _FILE)
    if limits.memory_bytes is not None:
        _limit(resource.RLIMIT_DATA, data_of("self") + limits.memory_bytes + _ROOM)
    if limits.cpu_seconds is not None:
        soft = int(limits.cpu_seconds) + _CPU_ROOM
        resource.setrlimit(resource.RLIMIT_CPU, (soft, soft + _CPU_ROOM))


def _limit(which: int, value: int) -> None:
    resource.setrlimit(which, (value, value))


def _prctl(option: int, value: int) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(option, value, 0, 0, 0) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
