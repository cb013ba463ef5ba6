"""Puts the web process together."""

import contextlib
import mimetypes
from collections.abc import AsyncIterator

from fastapi import FastAPI, Request, Response
from fastapi.staticfiles import StaticFiles
from fastapi.templating import Jinja2Templates
from starlette.middleware.gzip import GZipMiddleware
from starlette.types import Receive, Scope, Send

from tapedeck import __version__
from tapedeck.runners.local import LocalRunner
from tapedeck.web import api, errors
from tapedeck.web.front import Front
from tapedeck.web.guard import Guard
from tapedeck.web.security import SecurityHeaders
from tapedeck.web.settings import Settings, folder

_DESCRIPTION = (
    "Runs a snippet under a real TensorFlow and tells what its `tf.GradientTape`s did. The answer "
    "is one document, the trace; its schema is at `/schema/trace.json`."
)


def create_app(settings: Settings | None = None) -> FastAPI:
    """The application. Its children start with it and end with it."""
    settings = settings or Settings.from_environment()

    @contextlib.asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        runner = LocalRunner(settings.limits, warm=settings.warm, queue=settings.queue)
        app.state.runner = runner
        await runner.start()
        try:
            yield
        finally:
            await runner.stop()

    app = FastAPI(
        title="Tapedeck",
        version=__version__,
        description=_DESCRIPTION,
        lifespan=lifespan,
        # Swagger's page loads scripts from elsewhere, which the page's policy forbids.
        docs_url=None,
        redoc_url=None,
    )
    app.state.settings = settings
    app.state.guard = Guard(settings.hosts)
    errors.install(app)
    app.add_middleware(GZipMiddleware, minimum_size=1000, compresslevel=5)
    app.add_middleware(Front, guard=app.state.guard)
    app.add_middleware(SecurityHeaders)
    app.include_router(api.router)
    _add_page(app)
    return app


def _add_page(app: FastAPI) -> None:
    templates = Jinja2Templates(folder("templates"))
    # The system's table may lack or misname them, and a module needs the right type.
    mimetypes.add_type("text/javascript", ".js")
    mimetypes.add_type("image/svg+xml", ".svg")

    @app.get("/", include_in_schema=False)
    async def page(request: Request) -> Response:
        response = templates.TemplateResponse(request, "index.html", {"nonce": request.state.nonce})
        response.headers["Cache-Control"] = "no-store"
        return response

    app.mount("/static", _Static(directory=folder("static")))


class _Static(StaticFiles):
    """Files that a browser keeps, and asks each time whether they are still the same.

    They are small: whoever asks for a range gets all of it.
    """

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = [pair for pair in scope["headers"] if pair[0] != b"range"]
        await super().__call__({**scope, "headers": headers}, receive, send)

    async def get_response(self, path: str, scope: Scope) -> Response:
        response = await super().get_response(path, scope)
        response.headers["Cache-Control"] = "no-cache"
        response.headers["Accept-Ranges"] = "none"
        return response
