"""The API's routes."""

import functools
from typing import Annotated, Any

import msgspec
from fastapi import APIRouter, Depends, Request, Response

from tapedeck.calculus import formulas
from tapedeck.diagnosis import catalogue
from tapedeck.runners.interface import Job, Runner
from tapedeck.trace.schema import schema_text
from tapedeck.web import describe
from tapedeck.web.errors import Problem
from tapedeck.web.examples import load_examples
from tapedeck.web.guard import Guard
from tapedeck.web.requests import read_run_request
from tapedeck.web.settings import Settings, folder
from tapedeck.web.streaming import answer_in_events, answer_once

router = APIRouter()
_UNCHANGING = {"Cache-Control": "no-cache"}


def _runner(request: Request) -> Runner:
    runner: Runner = request.app.state.runner
    return runner


def _settings(request: Request) -> Settings:
    settings: Settings = request.app.state.settings
    return settings


def _guard(request: Request) -> Guard:
    guard: Guard = request.app.state.guard
    return guard


TheRunner = Annotated[Runner, Depends(_runner)]
TheSettings = Annotated[Settings, Depends(_settings)]
TheGuard = Annotated[Guard, Depends(_guard)]


@router.post("/api/traces", tags=["runs"], **describe.RUN)
async def run_snippet(
    request: Request, runner: TheRunner, settings: TheSettings, guard: TheGuard
) -> Response:
    """Runs a snippet and gives its trace.

    A snippet that raises, or that does not parse, is a trace too: `outcome` tells. With
    `Accept: text/event-stream` the answer is a stream of events: `progress` while it waits and
    runs, then `trace` or `error`. Closing the connection ends the run.
    """
    run = await read_run_request(request, settings, guard)
    job = Job(run.source, run.mode, run.seed, settings.limits)
    if "text/event-stream" in request.headers.get("Accept", ""):
        return await answer_in_events(request, runner, job)
    return await answer_once(request, runner, job)


@router.get("/api/examples", tags=["page"], **describe.EXAMPLES)
async def examples() -> Response:
    """The gallery: snippets with their titles and texts by language."""
    return _json(_examples())


@router.get("/api/formulas", tags=["page"])
async def op_formulas() -> Response:
    """What each op computes and its local derivative, as LaTeX."""
    return _json(_formulas())


@router.get("/api/findings", tags=["page"])
async def findings() -> Response:
    """The catalogue of findings: by code the title and the sentence, by language."""
    return _json(_findings())


@router.get("/schema/trace.json", tags=["page"])
async def trace_schema() -> Response:
    """The JSON Schema of the trace document."""
    return Response(_schema(), headers=_UNCHANGING, media_type="application/schema+json")


@router.get("/healthz", tags=["server"])
async def health() -> dict[str, str]:
    """The server is up."""
    return {"status": "up"}


@router.get("/readyz", tags=["server"], responses={503: {"description": "No warm process waits"}})
async def readiness(runner: TheRunner) -> dict[str, str]:
    """A warm process waits for the next run."""
    if not runner.ready:
        raise Problem(
            503,
            "not_ready",
            "No warm process waits for a run at this moment.",
            "A run sent now starts a little later; ask again in a few seconds.",
            {"Retry-After": "2"},
        )
    return {"status": "ready"}


def _json(body: bytes) -> Response:
    return Response(body, headers=_UNCHANGING, media_type="application/json")


@functools.cache
def _examples() -> bytes:
    return msgspec.json.encode(load_examples(folder("lessons")))


@functools.cache
def _formulas() -> bytes:
    return msgspec.json.encode(formulas())


@functools.cache
def _findings() -> bytes:
    entries: Any = catalogue()
    return msgspec.json.encode(entries)


@functools.cache
def _schema() -> bytes:
    return schema_text().encode()
