"""A trace on its way: pieces as they are recorded, put together on the other side.

A payload is a JSON array of entries `[section, index, value]`: `value` becomes the element
`index` of that section, or replaces it (a tensor gets its name after it was made). For the parts
that stand once (`snippet`, `environment`, `outcome`) the index is 0. Whoever receives payloads
does not trust them: `Assembler` bounds what it takes and `trace()` checks every type and id.
"""

from collections.abc import Iterable
from typing import Any

import msgspec

from tapedeck.trace.document import Outcome, Trace

SINGLE = ("snippet", "environment", "outcome")
ARRAYS = (
    "places",
    "tensors",
    "variables",
    "groups",
    "ops",
    "graphs",
    "tapes",
    "gradients",
    "errors",
    "events",
)

_encoder = msgspec.json.Encoder()
_payload_decoder = msgspec.json.Decoder(list[tuple[str, int, msgspec.Raw]])
_trace_decoder = msgspec.json.Decoder(Trace)


class StreamError(ValueError):
    """What came is not a piece of a trace."""


def encode_payload(entries: Iterable[tuple[str, int, Any]]) -> bytes:
    """The payload for some entries `(section, index, value)`."""
    return _encoder.encode(list(entries))


class Assembler:
    """Puts payloads together into a trace."""

    def __init__(self, max_bytes: int | None = None) -> None:
        self.max_bytes = max_bytes
        self.bytes_taken = 0
        self.complete = False
        """True once the outcome came: the recorder's last entry."""
        self._single: dict[str, msgspec.Raw] = {}
        self._arrays: dict[str, list[msgspec.Raw]] = {name: [] for name in ARRAYS}

    def count(self, section: str) -> int:
        """How many entries of an array came so far."""
        return len(self._arrays[section])

    def entry(self, section: str, index: int) -> msgspec.Raw:
        """One entry of an array as it came, unchecked. Raises IndexError."""
        return self._arrays[section][index]

    def feed(self, payload: bytes) -> None:
        """Takes one payload. Raises StreamError where it is malformed or too much in all."""
        self.bytes_taken += len(payload)
        if self.max_bytes is not None and self.bytes_taken > self.max_bytes:
            raise StreamError(f"more than {self.max_bytes} bytes of trace")
        try:
            entries = _payload_decoder.decode(payload)
        except msgspec.MsgspecError as error:
            raise StreamError(f"not a payload: {error}") from None
        for section, index, value in entries:
            self._put(section, index, value)

    def _put(self, section: str, index: int, value: msgspec.Raw) -> None:
        if section in SINGLE:
            self._single[section] = value.copy()
            self.complete = self.complete or section == "outcome"
            return
        array = self._arrays.get(section)
        if array is None or not 0 <= index <= len(array):
            raise StreamError(f"no place for {section}[{index}]")
        if index == len(array):
            array.append(value.copy())
        else:
            array[index] = value.copy()

    def trace(self) -> Trace:
        """The trace of what came, checked. Raises StreamError where it is not one."""
        # Only what came is joined here: the decoder below checks every type in it.
        document: dict[str, Any] = {"outcome": Outcome(), **self._single, **self._arrays}
        try:
            return _trace_decoder.decode(_encoder.encode(document))
        except msgspec.MsgspecError as error:
            raise StreamError(f"not a trace: {error}") from None
