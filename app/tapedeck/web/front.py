"""What every request gets before any route sees it, and every answer after."""

import asyncio

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tapedeck.runners.interface import Stopping
from tapedeck.web.errors import Problem, problem_of
from tapedeck.web.guard import Guard


class Front:
    """ASGI middleware: refuses requests to foreign names, answers HEAD, ends requests in good order."""

    def __init__(self, app: ASGIApp, guard: Guard) -> None:
        self._app = app
        self._guard = guard

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        if scope["method"] == "HEAD":
            # As GET; the server itself sends no body.
            scope = {**scope, "method": "GET"}
        exchange = _Exchange(scope, receive, send)
        try:
            self._guard.check_host(exchange.headers)
            await self._app(scope, exchange.receive, exchange.send)
        except Problem as problem:
            await problem.response()(scope, receive, exchange.send)
        except asyncio.CancelledError:
            # The server stops and waits no longer.
            if not exchange.answered:
                await problem_of(Stopping()).response()(scope, receive, exchange.send)


class _Exchange:
    """A request and its answer."""

    def __init__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.headers = Headers(scope=scope)
        self.answered = False
        self._receive = receive
        self._send = send
        length = self.headers.get("Content-Length", "0")
        self._has_more = length != "0" or "Transfer-Encoding" in self.headers

    async def receive(self) -> Message:
        message = await self._receive()
        if message["type"] == "http.request":
            self._has_more = bool(message.get("more_body"))
        return message

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.answered = True
            if self._has_more:
                # Nobody waits for a body that nobody reads.
                close = (b"connection", b"close")
                message = {**message, "headers": [*message.get("headers", ()), close]}
        await self._send(message)
