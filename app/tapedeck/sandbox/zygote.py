"""`python -m tapedeck.sandbox.zygote DESCRIPTOR FOLDER`: loads TensorFlow once, forks children.

It has one thread and never initialises TensorFlow's eager context: a process forked after that
hangs in `tf.function`, `jacobian` and `fit`. It reads `Fork` requests from the descriptor, tells
of births and deaths, and ends when the server closes its end. Each child works in a folder of its
own within FOLDER, removed after it.
"""

import contextlib
import gc
import importlib
import os
import pkgutil
import select
import shutil
import signal
import socket
import sys
from pathlib import Path

import msgspec

from tapedeck import recorder
from tapedeck.sandbox import child, lockdown, protocol
from tapedeck.sandbox.protocol import Exited, Fork, Forked, Started


class _Child(msgspec.Struct, frozen=True):
    id: int
    pid: int


def main() -> None:
    """Loads TensorFlow, then serves until the server is gone."""
    control = socket.socket(fileno=int(sys.argv[1]))
    lockdown.adopt_orphans()
    load()
    control.send(protocol.encode(Started()))
    folder = Path(sys.argv[2])
    zygote = _Zygote(control, folder)
    with contextlib.suppress(ConnectionError):
        zygote.serve()
    # The server is gone: nobody else ends its runs and removes what they left.
    zygote.end_children()
    shutil.rmtree(folder, ignore_errors=True)


def load() -> None:
    """Imports all that a run needs, and checks that the process may still be forked."""
    import keras
    import numpy  # noqa: F401  (imported for the children)
    import tensorflow as tf

    for module in pkgutil.walk_packages(recorder.__path__, f"{recorder.__name__}."):
        importlib.import_module(module.name)
    keras.layers.Dense(3)
    tf.keras.Model  # noqa: B018  (tf.keras loads when first touched)
    tf.autograph.to_graph(lambda x: x)
    # Initialising the eager context would show here: it starts TensorFlow's threads.
    if len(os.listdir("/proc/self/task")) != 1:
        raise RuntimeError("threads were started while TensorFlow was loaded; forks would hang")
    gc.collect()
    gc.freeze()


class _Zygote:
    """Forks on request and reaps what it forked."""

    def __init__(self, control: socket.socket, folder: Path) -> None:
        self._control = control
        self._folder = folder
        self._children: dict[int, _Child] = {}
        self._poll = select.poll()
        self._poll.register(control, select.POLLIN)

    def serve(self) -> None:
        """Returns when the server closed its end."""
        while True:
            for descriptor, _ in self._poll.poll():
                if descriptor != self._control.fileno():
                    self._reap(descriptor)
                elif request := self._control.recv(protocol.MAX_MESSAGE):
                    self._fork(protocol.decode_request(request))
                else:
                    return

    def end_children(self) -> None:
        """Kills every child and waits until it is dead."""
        for pidfd, one in self._children.items():
            signal.pidfd_send_signal(pidfd, signal.SIGKILL)
            os.waitpid(one.pid, 0)

    def _fork(self, request: Fork) -> None:
        ours, theirs = socket.socketpair()
        parent, home = os.getpid(), self._home(request.id)
        home.mkdir()
        pid = os.fork()
        if pid == 0:
            ours.close()
            self._control.close()
            for descriptor in self._children:
                os.close(descriptor)
            child.live(theirs, request, parent, home)
        theirs.close()
        pidfd = os.pidfd_open(pid)
        self._children[pidfd] = _Child(request.id, pid)
        self._poll.register(pidfd, select.POLLIN)
        message = protocol.encode(Forked(request.id, pid))
        socket.send_fds(self._control, [message], [pidfd, ours.fileno()])
        ours.close()

    def _reap(self, pidfd: int) -> None:
        self._poll.unregister(pidfd)
        gone = self._children.pop(pidfd)
        # Its group first, as long as the dead leader still holds the number.
        _kill_group(gone.pid)
        _, status, usage = os.wait4(gone.pid, 0)
        os.close(pidfd)
        self._end_orphans()
        shutil.rmtree(self._home(gone.id), ignore_errors=True)
        killed = os.WIFSIGNALED(status)
        report = Exited(
            id=gone.id,
            exit_code=None if killed else os.WEXITSTATUS(status),
            signal=os.WTERMSIG(status) if killed else None,
            cpu_seconds=usage.ru_utime + usage.ru_stime,
            peak_resident_bytes=usage.ru_maxrss << 10,
        )
        self._control.send(protocol.encode(report))

    def _home(self, number: int) -> Path:
        return self._folder / str(number)

    def _end_orphans(self) -> None:
        """Ends processes that dead children left behind, and what those leave behind."""
        ours = {one.pid for one in self._children.values()}
        while orphans := _children_of_this_process() - ours:
            for pid in orphans:
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)


def _kill_group(leader: int) -> None:
    try:
        os.killpg(leader, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        # It died before `setsid`, or nothing of its group can be signalled any more.
        return


def _children_of_this_process() -> set[int]:
    try:
        with open("/proc/self/task/" + str(os.getpid()) + "/children", encoding="ascii") as file:
            return {int(pid) for pid in file.read().split()}
    except FileNotFoundError:
        # A kernel without CONFIG_PROC_CHILDREN: the group kill has to do.
        return set()


if __name__ == "__main__":
    main()
