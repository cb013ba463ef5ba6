"""The server's side of the zygote and of its children."""

import asyncio
import collections
import contextlib
import logging
import os
import select
import signal
import socket
import sys
import tempfile
from pathlib import Path

import tapedeck
from tapedeck.sandbox import protocol
from tapedeck.sandbox.protocol import Exited, Fork, Forked, Job, Kind, Ready, Started
from tapedeck.trace.document import Limits

_log = logging.getLogger(__name__)
_FDS = 2
#: All that the zygote, and so every snippet, sees of the environment.
_ENVIRONMENT = {
    "PATH": "/usr/local/bin:/usr/bin:/bin",
    "LANG": "C.UTF-8",
    "HOME": "/",
    "KERAS_HOME": os.devnull,
    "KERAS_BACKEND": "tensorflow",
    "PYTHONHASHSEED": "0",
    "OPENBLAS_NUM_THREADS": "1",
    # On, a tensor of 100 GB hangs and gradual allocation ends in SIGSEGV; off, both raise.
    "TF_ENABLE_ONEDNN_OPTS": "0",
    "CUDA_VISIBLE_DEVICES": "-1",
}


class ZygoteGone(Exception):
    """The zygote ended; what it was asked for will not come."""


class Child:
    """One forked process, as long as it lives."""

    def __init__(self, pid: int, pidfd: int) -> None:
        self.pid = pid
        self.exited: asyncio.Future[Exited] = asyncio.get_running_loop().create_future()
        self.ready: Ready | None = None
        self._pidfd: int | None = pidfd
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None

    async def connect(self, channel: socket.socket) -> None:
        """Takes the channel and waits until the child is ready for its job.

        Raises EOFError where it died before, ProtocolError where it says something else.
        """
        self._reader, self._writer = await asyncio.open_unix_connection(sock=channel)
        kind, body = await self.receive()
        if kind is Kind.FAILURE:
            _log.error("A child failed before its job: %s", body.decode("utf-8", "replace"))
            raise EOFError
        self.ready = protocol.decode_ready(body)

    async def receive(self) -> tuple[Kind, bytes]:
        """The next frame. Raises EOFError once the child's end is closed."""
        assert self._reader is not None
        return await protocol.receive_frame(self._reader)

    def send(self, job: Job) -> None:
        """Gives it its job."""
        assert self._writer is not None
        self._writer.write(protocol.frame(Kind.JOB, protocol.encode(job)))

    def memory_of_its_own(self) -> int:
        """Bytes that it uses beyond what it held before its job; 0 or less when it is gone."""
        base = self.ready.memory_bytes if self.ready else 0
        return protocol.memory_of(self.pid) - base

    @property
    def alive(self) -> bool:
        """Whether it lives at this moment, also where the news of its death is on its way."""
        return self._pidfd is not None and not select.select([self._pidfd], [], [], 0)[0]

    def kill(self) -> None:
        """Ends it at once, whatever it does. Safe to call when it is gone."""
        if self._pidfd is not None:
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._pidfd, signal.SIGKILL)

    def bury(self, report: Exited) -> None:
        """It is gone: says so to who waits, and closes what was open."""
        if self._pidfd is not None:
            os.close(self._pidfd)
            self._pidfd = None
        if not self.exited.done():
            self.exited.set_result(report)

    def close(self) -> None:
        """Closes the channel."""
        if self._writer is not None:
            self._writer.close()


class Zygote:
    """The process that has TensorFlow loaded, started by `start`."""

    def __init__(
        self,
        process: asyncio.subprocess.Process,
        control: socket.socket,
        folder: "tempfile.TemporaryDirectory[str]",
    ) -> None:
        self.gone = asyncio.Event()
        self._process = process
        self._control = control
        self._started: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._births: dict[int, asyncio.Future[tuple[Child, socket.socket]]] = {}
        self._children: dict[int, Child] = {}
        self._next_id = 0
        self._folder = folder
        self._said: collections.deque[str] = collections.deque(maxlen=40)
        self._listening = asyncio.create_task(self._listen())
        asyncio.get_running_loop().add_reader(control.fileno(), self._on_report)

    @classmethod
    async def start(cls) -> "Zygote":
        """Starts one and waits until TensorFlow is loaded. Raises ZygoteGone where it fails."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        ours.setblocking(False)
        # Each child works in a folder of its own in here.
        folder = tempfile.TemporaryDirectory(prefix="tapedeck-", ignore_cleanup_errors=True)
        with theirs:
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-P", "-m", "tapedeck.sandbox.zygote"),
                *(str(theirs.fileno()), folder.name),
                env={**_ENVIRONMENT, "PYTHONPATH": str(Path(tapedeck.__file__).parents[1])},
                cwd="/",
                pass_fds=[theirs.fileno()],
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.DEVNULL,
                stderr=asyncio.subprocess.PIPE,
                start_new_session=True,
            )
        zygote = cls(process, ours, folder)
        try:
            await zygote._started
        except ZygoteGone:
            await zygote._listening
            raise ZygoteGone(zygote.last_words) from None
        except asyncio.CancelledError:
            await zygote.stop()
            raise
        return zygote

    async def fork(self, limits: Limits, *, warm: bool) -> Child:
        """A new child, ready for its job. Raises ZygoteGone or EOFError where that fails."""
        if self.gone.is_set():
            raise ZygoteGone
        self._next_id += 1
        number = self._next_id
        born: asyncio.Future[tuple[Child, socket.socket]]
        born = asyncio.get_running_loop().create_future()
        self._births[number] = born
        try:
            self._control.send(protocol.encode(Fork(number, warm, limits)))
        except OSError:
            del self._births[number]
            raise ZygoteGone from None
        meeting = asyncio.create_task(_meet(born))
        try:
            return await asyncio.shield(meeting)
        except asyncio.CancelledError:
            # Nobody waits for it any more; it is met all the same, and ended.
            meeting.add_done_callback(_dismiss)
            raise

    async def stop(self) -> None:
        """Ends the zygote and with it every child."""
        if self._process.returncode is None:
            self._process.kill()
        await self.gone.wait()
        await self._process.wait()
        self._folder.cleanup()

    @property
    def last_words(self) -> str:
        """The last lines that it wrote to standard error."""
        return "\n".join(self._said)

    def _on_report(self) -> None:
        try:
            message, fds, _, _ = socket.recv_fds(self._control, protocol.MAX_MESSAGE, _FDS)
        except BlockingIOError:
            return
        except ConnectionError:
            message, fds = b"", []
        if not message:
            self._bury()
            return
        match protocol.decode_report(message):
            case Started():
                self._started.set_result(None)
            case Forked(id=number, pid=pid):
                child = Child(pid, fds[0])
                self._children[number] = child
                self._births.pop(number).set_result((child, socket.socket(fileno=fds[1])))
            case Exited(id=number) as report:
                self._children.pop(number).bury(report)

    def _bury(self) -> None:
        """The zygote is gone, and its children with it."""
        asyncio.get_running_loop().remove_reader(self._control.fileno())
        self._control.close()
        for child in self._children.values():
            child.kill()
            child.bury(Exited(id=0))
        for born in self._births.values():
            born.set_exception(ZygoteGone())
        if not self._started.done():
            self._started.set_exception(ZygoteGone())
        self.gone.set()

    async def _listen(self) -> None:
        """Keeps what it writes, so that its pipe never fills."""
        assert self._process.stderr is not None
        with contextlib.suppress(ValueError):
            async for line in self._process.stderr:
                self._said.append(line.decode("utf-8", "replace").rstrip())


def _dismiss(meeting: "asyncio.Task[Child]") -> None:
    if not meeting.cancelled() and meeting.exception() is None:
        meeting.result().kill()
        meeting.result().close()


async def _meet(born: "asyncio.Future[tuple[Child, socket.socket]]") -> Child:
    child, channel = await born
    try:
        await child.connect(channel)
    except BaseException:
        child.kill()
        child.close()
        raise
    return child
