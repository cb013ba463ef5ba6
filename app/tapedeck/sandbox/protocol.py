"""What the server, the zygote and its children say to each other.

Between the server and a child go frames: one byte of kind, four of length, the body. Between the
server and the zygote goes one message a packet, together with descriptors where a child is born.
Nothing is pickled, and whoever reads bounds what it takes.
"""

import asyncio
import enum
import socket
import struct
import threading
from collections.abc import Callable

import msgspec

from tapedeck.trace.document import Limits, Mode

MAX_FRAME = 32 << 20
MAX_MESSAGE = 1 << 16
#: The exit code of a child that cannot reach the server any more.
UNHEARD = 113
_HEADER = struct.Struct(">BI")


class ProtocolError(Exception):
    """The other side sent something that is not a frame."""


class Kind(enum.IntEnum):
    """What a frame carries."""

    READY = 1
    """Child → server: it waits for its job (`Ready`)."""
    JOB = 2
    """Server → child: what to run (`Job`)."""
    PAYLOAD = 3
    """Child → server: pieces of the trace, as `tapedeck.trace.stream` reads them."""
    FAILURE = 4
    """Child → server: the recorder itself failed; how, in one line."""


class Job(msgspec.Struct, frozen=True):
    """One run."""

    source: str
    mode: Mode
    seed: int
    limits: Limits


class Ready(msgspec.Struct, frozen=True):
    """What a child had used before its job: the run's own use is counted from here."""

    cpu_seconds: float
    memory_bytes: int
    """Anonymous and shared memory, as `memory_of` counts it."""
    resident_bytes: int


class Fork(msgspec.Struct, frozen=True, tag=True):
    """Server → zygote: make a child."""

    id: int
    warm: bool
    limits: Limits


class Started(msgspec.Struct, frozen=True, tag=True):
    """Zygote → server: TensorFlow is loaded."""


class Forked(msgspec.Struct, frozen=True, tag=True):
    """Zygote → server, with the child's pidfd and the server's end of its channel."""

    id: int
    pid: int


class Exited(msgspec.Struct, frozen=True, tag=True):
    """Zygote → server: a child is gone."""

    id: int
    exit_code: int | None = None
    signal: int | None = None
    cpu_seconds: float = 0.0
    peak_resident_bytes: int = 0


encode = msgspec.json.encode
decode_request = msgspec.json.Decoder(Fork).decode
decode_report = msgspec.json.Decoder(Started | Forked | Exited).decode
decode_job = msgspec.json.Decoder(Job).decode
decode_ready = msgspec.json.Decoder(Ready).decode


def frame(kind: Kind, body: bytes) -> bytes:
    """The bytes of one frame."""
    return _HEADER.pack(kind, len(body)) + body


def frame_writer(channel: socket.socket, kind: Kind) -> Callable[[bytes], None]:
    """Gives a function that sends frames of one kind, from any thread of the child."""
    lock = threading.Lock()

    def write(body: bytes) -> None:
        with lock:
            channel.sendall(frame(kind, body))

    return write


def read_frame(channel: socket.socket) -> tuple[Kind, bytes]:
    """Waits for one frame. Raises EOFError where the other side is gone."""
    kind, size = _header(_read_exactly(channel, _HEADER.size))
    return kind, _read_exactly(channel, size)


async def receive_frame(reader: asyncio.StreamReader) -> tuple[Kind, bytes]:
    """Waits for one frame. Raises EOFError where the other side is gone."""
    try:
        kind, size = _header(await reader.readexactly(_HEADER.size))
        return kind, await reader.readexactly(size)
    except (asyncio.IncompleteReadError, ConnectionError):
        raise EOFError from None


def memory_of(pid: int | str) -> int:
    """Bytes of anonymous and shared memory of a process; 0 when it is gone."""
    fields = _status(pid)
    return fields.get("RssAnon", 0) + fields.get("RssShmem", 0)


def resident_of(pid: int | str) -> int:
    """Bytes of all memory of a process that is resident; 0 when it is gone."""
    return _status(pid).get("VmRSS", 0)


def data_of(pid: int | str) -> int:
    """Bytes of private writable address space, what RLIMIT_DATA counts."""
    return _status(pid).get("VmData", 0)


def _status(pid: int | str) -> dict[str, int]:
    try:
        with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as file:
            lines = file.read().splitlines()
    except (FileNotFoundError, ProcessLookupError):
        return {}
    pairs = (line.split() for line in lines)
    return {words[0][:-1]: int(words[1]) << 10 for words in pairs if words[-1] == "kB"}


def _header(data: bytes) -> tuple[Kind, int]:
    kind, size = _HEADER.unpack(data)
    if size > MAX_FRAME:
        raise ProtocolError(f"a frame of {size} bytes")
    try:
        return Kind(kind), size
    except ValueError:
        raise ProtocolError(f"a frame of kind {kind}") from None


def _read_exactly(channel: socket.socket, size: int) -> bytes:
    data = bytearray()
    while len(data) < size:
        chunk = channel.recv(size - len(data))
        if not chunk:
            raise EOFError
        data += chunk
    return bytes(data)
