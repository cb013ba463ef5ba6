"""Every error of the API: one shape, with a sentence that helps.

`{"error": {"code": "too_large", "message": "…", "hint": "…"}}`
"""

import logging
from collections.abc import Mapping

import msgspec
from fastapi import FastAPI, Request, Response
from starlette.exceptions import HTTPException

from tapedeck.runners.interface import Overloaded, Unavailable

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


def install(app: FastAPI) -> None:
    """Gives every exception its answer."""

    async def handle(_: Request, error: Exception) -> Response:
        return problem_of(error).response()

    for kind in (Problem, Overloaded, Unavailable, HTTPException, Exception):
        app.add_exception_handler(kind, handle)
