"""Every error of the API: one shape, with a sentence that helps.

`{"error": {"code": "too_large", "message": "…", "hint": "…"}}`
"""

import logging
from collections.abc import Mapping

import msgspec
from fastapi import FastAPI, Request, Response
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from tapedeck.runners.interface import Overloaded, Stopping, Unavailable

_log = logging.getLogger(__name__)
_CODES = {404: "not_found", 405: "method_not_allowed"}
_HINTS = {
    404: "The API is described at /openapi.json.",
    405: "The API is described at /openapi.json.",
}


class Problem(Exception):
    """An error that carries its answer."""

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        hint: str,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message
        self.hint = hint
        self.headers = headers

    def body(self) -> bytes:
        """The answer as JSON."""
        fields = {"code": self.code, "message": self.message, "hint": self.hint}
        return msgspec.json.encode({"error": fields})

    def response(self) -> Response:
        """The answer."""
        return Response(self.body(), self.status, self.headers, "application/json")


def problem_of(error: Exception) -> Problem:
    """The answer to an exception."""
    match error:
        case Problem():
            return error
        case Overloaded():
            return Problem(
                503,
                "overloaded",
                "So many runs wait already that yours would wait too long.",
                "Try again in a few seconds.",
                {"Retry-After": "5"},
            )
        case Unavailable():
            return Problem(
                503,
                "unavailable",
                "The process that runs snippets does not start.",
                "The server's log says why.",
            )
        case Stopping():
            return Problem(
                503,
                "stopping",
                "The server stops, and this run with it.",
                "Send it again when the server is up.",
                {"Retry-After": "10"},
            )
        case ClientDisconnect():
            # Nobody reads this.
            return Problem(499, "gone", "The client went away.", "")
        case HTTPException(status_code=status, detail=detail):
            code, hint = _CODES.get(status, "http_error"), _HINTS.get(status, "")
            return Problem(status, code, f"{detail}.", hint, error.headers)
        case _:
            return Problem(
                500,
                "internal",
                "Something in Tapedeck failed.",
                "The server's log says what; running it again may work.",
            )


def too_slow(seconds: float) -> Problem:
    """The answer to a request that does not come to its end."""
    return Problem(
        408,
        "too_slow",
        f"The request did not come within {seconds:g} seconds.",
        "Send it again, all of it at once.",
    )


def install(app: FastAPI) -> None:
    """Gives every exception its answer."""

    async def handle(_: Request, error: Exception) -> Response:
        return problem_of(error).response()

    expected = (Problem, Overloaded, Stopping, Unavailable, ClientDisconnect, HTTPException)
    for kind in (*expected, Exception):
        app.add_exception_handler(kind, handle)
