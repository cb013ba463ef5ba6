"""What OpenAPI says about the routes, with examples of real requests and answers.

`openapi_examples.json` is written by `make examples`: each request in it was sent to a server.
"""

import json
from pathlib import Path
from typing import Any

import msgspec

from tapedeck.web.examples import Example
from tapedeck.web.requests import RunRequest

_EXAMPLES: dict[str, Any] = json.loads(
    (Path(__file__).parent / "openapi_examples.json").read_text(encoding="utf-8")
)
_TRACE = {"$ref": "/schema/trace.json"}
_ERROR = {
    "type": "object",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["code", "message", "hint"],
            "properties": {
                "code": {"type": "string", "description": "Stable, for programs."},
                "message": {"type": "string", "description": "What is wrong."},
                "hint": {"type": "string", "description": "What to do about it."},
            },
        }
    },
}


def _inline(kind: type) -> dict[str, Any]:
    """The schema of a struct that refers to no other one."""
    _, definitions = msgspec.json.schema_components([kind])
    schema: dict[str, Any] = definitions[kind.__name__]
    return schema


def _examples_of(part: str, *status: int) -> dict[str, Any]:
    return {
        name: {"summary": one["summary"], "value": one[part]}
        for name, one in _EXAMPLES.items()
        if not status or one["status"] in status
    }


def _error(status: int, description: str) -> dict[str, Any]:
    content = {"schema": _ERROR, "examples": _examples_of("response", status)}
    return {"description": description, "content": {"application/json": content}}


RUN: dict[str, Any] = {
    "openapi_extra": {
        "requestBody": {
            "required": True,
            "content": {
                "application/json": {
                    "schema": _inline(RunRequest),
                    "examples": _examples_of("request"),
                }
            },
        }
    },
    "responses": {
        200: {
            "description": "The trace",
            "content": {
                "application/json": {
                    "schema": _TRACE,
                    "examples": _examples_of("response", 200),
                },
                "text/event-stream": {
                    "schema": {"type": "string"},
                    "example": 'event: progress\ndata: {"stage":"queued","position":2}\n\n'
                    'event: progress\ndata: {"stage":"started"}\n\n'
                    'event: progress\ndata: {"stage":"running","ops":120,"line":7}\n\n'
                    'event: progress\ndata: {"stage":"finishing"}\n\n'
                    'event: trace\ndata: {"snippet":…}\n\n',
                },
            },
        },
        400: _error(400, "The body is not UTF-8, or not JSON"),
        403: _error(403, "A page of another site asks, or the server does not go by that name"),
        408: _error(408, "The request did not come to its end in time"),
        413: _error(413, "The body is too large"),
        415: _error(415, "The body is not said to be JSON"),
        422: _error(422, "A field is missing, unknown, or of a wrong type"),
        503: _error(503, "Too many runs wait already, or the server stops"),
    },
}

EXAMPLES: dict[str, Any] = {
    "responses": {
        200: {
            "description": "The lessons",
            "content": {
                "application/json": {"schema": {"type": "array", "items": _inline(Example)}}
            },
        }
    }
}
