"""HTTP as uvicorn speaks it, with patience that ends, and with errors in the API's shape."""

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from tapedeck.web.errors import Problem, too_slow


def http_protocol(seconds: float) -> type[asyncio.Protocol]:
    """uvicorn's protocol; the head of a request may take so many seconds to come."""

    class Patient(_Protocol):
        patience = seconds

    return Patient


class _Protocol(H11Protocol):
    patience: float
    _waiting: asyncio.TimerHandle | None = None
    _begun = False
    """Whether some of a head has come."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.conn.their_state is not h11.IDLE or self.transport.is_closing():
            self._stop_waiting()
            return
        self._begun = True
        self._wait()

    def _wait(self) -> None:
        if self._waiting is None:
            self._waiting = self.loop.call_later(self.patience, self._give_up)

    def _stop_waiting(self) -> None:
        self._begun = False
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None

    def _give_up(self) -> None:
        self._waiting = None
        if self.transport.is_closing():
            return
        if self._begun and self.conn.our_state is h11.IDLE:
            self._answer(too_slow(self.patience))
        self.transport.close()

    def send_400_response(self, msg: str) -> None:
        """What is not HTTP gets an answer all the same."""
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            hint = "The API is described at /openapi.json."
            self._answer(Problem(400, "not_http", "The request is not valid HTTP.", hint))
        self.transport.close()

    def _answer(self, problem: Problem) -> None:
        body = problem.body()
        headers = [
            ("Content-Type", "application/json"),
            ("Content-Length", str(len(body))),
            ("Connection", "close"),
        ]
        events: tuple[Any, ...] = (
            h11.Response(status_code=problem.status, headers=headers),
            h11.Data(data=body),
            h11.EndOfMessage(),
        )
        for event in events:
            self.transport.write(self.conn.send(event) or b"")
