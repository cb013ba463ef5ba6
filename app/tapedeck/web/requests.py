"""Reads a request to run a snippet, and says helpfully what is wrong with it."""

import asyncio
import re
from typing import Annotated

import msgspec
from fastapi import Request

from tapedeck.trace.document import Mode
from tapedeck.web.errors import Problem, too_slow
from tapedeck.web.guard import Guard
from tapedeck.web.settings import Settings

_SHAPE = (
    'Send JSON like {"source": "x = 3.0\\nx**2", "mode": "auto", "seed": 0}; mode is "auto", '
    '"script" or "expressions", seed a whole number from 0 to 4294967295.'
)
#: A browser shows the answer only when it could send all of its request: so much of one that is too
#: large is read, and forgotten at once.
_MOST_DISCARDED = 32 << 20
#: A character beyond 16 bits stands in JSON as two of these; half of it is no character.
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
Seed = Annotated[int, msgspec.Meta(ge=0, lt=2**32)]


class RunRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What `POST /api/traces` takes."""

    source: Annotated[str, msgspec.Meta(description="The snippet, as the person sees it.")]
    mode: Annotated[
        Mode,
        msgspec.Meta(
            description="script: as it stands; expressions: under a tape of Tapedeck's own; "
            "auto: expressions where the snippet has no tape."
        ),
    ] = "auto"
    seed: Annotated[Seed, msgspec.Meta(description="Seeds Python, NumPy and TensorFlow.")] = 0


_decoder = msgspec.json.Decoder(RunRequest)


async def read_run_request(request: Request, settings: Settings, guard: Guard) -> RunRequest:
    """Reads and checks the request. Raises Problem: 400, 403, 408, 413, 415 or 422."""
    # All of it first: a client that still sends does not listen to an answer.
    try:
        async with asyncio.timeout(settings.request_seconds):
            body = await _read(request, settings.body_bytes)
    except TimeoutError:
        raise too_slow(settings.request_seconds) from None
    guard.check_origin(request.headers)
    _check_type(request.headers.get("Content-Type", ""))
    try:
        body.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Problem(
            400,
            "not_utf8",
            f"The body is not UTF-8: byte {error.start} is 0x{body[error.start]:02x}.",
            "Save the snippet as UTF-8 and send it again.",
        ) from None
    return _decode(body)


def _check_type(given: str) -> None:
    # A page of another site can send other types without asking the server first.
    kind = given.partition(";")[0].strip().lower()
    if kind != "application/json":
        raise Problem(
            415,
            "not_said_to_be_json",
            f"The type of the body is {kind[:100] or 'not given'}, not application/json.",
            "Send the header Content-Type: application/json.",
        )


async def _read(request: Request, most_bytes: int) -> bytes:
    """The body; no more of it is kept than may be."""
    body = bytearray()
    size = 0
    async for chunk in request.stream():
        size += len(chunk)
        if size <= most_bytes:
            body += chunk
        elif size > _MOST_DISCARDED:
            break
    if size > most_bytes:
        raise Problem(
            413,
            "too_large",
            f"The request is larger than {most_bytes:,} bytes.",
            "Send only the part of the program around the tape.",
        )
    return bytes(body)


def _decode(body: bytes) -> RunRequest:
    try:
        return _decoder.decode(body)
    except msgspec.ValidationError as error:
        raise Problem(422, "invalid", f"{error}.", _SHAPE) from None
    except msgspec.DecodeError as error:
        if _SURROGATE.search(body):
            raise Problem(
                422,
                "invalid",
                "The source holds half of a surrogate pair, which is not a character.",
                "Remove the character or replace it by the whole one.",
            ) from None
        raise Problem(400, "not_json", f"The body is not JSON: {error}.", _SHAPE) from None
