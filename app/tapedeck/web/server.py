"""Serves the application with uvicorn."""

import contextlib
import ipaddress
import logging
import socket

import uvicorn
from fastapi import FastAPI

from tapedeck.web.app import create_app
from tapedeck.web.protocol import http_protocol
from tapedeck.web.settings import Settings

_log = logging.getLogger("uvicorn.error")


def serve(host: str = "127.0.0.1", port: int = 8000) -> None:
    """Serves until it is told to stop. Raises SystemExit with a sentence for a wrong setting."""
    try:
        settings = Settings.from_environment()
    except ValueError as error:
        raise SystemExit(str(error)) from None
    app = create_app(settings)
    config = uvicorn.Config(
        app,
        host=host,
        port=port,
        http=http_protocol(settings.request_seconds),
        ws="none",
        # Runs are over by then; a client that reads or sends slowly holds it up no longer.
        timeout_graceful_shutdown=1,
        server_header=False,
    )
    if not _is_local(host):
        _log.warning("Others can reach %s, and runs are not locked down: see README.md", host)
    with contextlib.suppress(KeyboardInterrupt):
        _Server(config, app).run()


class _Server(uvicorn.Server):
    """Ends the runs before it waits for the answers to their clients."""

    def __init__(self, config: uvicorn.Config, app: FastAPI) -> None:
        super().__init__(config)
        self._app = app

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Answers every run with an error, then stops as uvicorn does."""
        await self._app.state.runner.stop()
        await super().shutdown(sockets)


def _is_local(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
