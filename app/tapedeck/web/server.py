"""Serves the application with uvicorn."""

import ipaddress
import logging

import uvicorn

from tapedeck.web.app import create_app
from tapedeck.web.settings import Settings

_log = logging.getLogger("uvicorn.error")


def serve(host: str = "127.0.0.1", port: int = 8000) -> None:
    """Serves until it is told to stop. Raises SystemExit with a sentence for a wrong setting."""
    try:
        settings = Settings.from_environment()
    except ValueError as error:
        raise SystemExit(str(error)) from None
    config = uvicorn.Config(
        create_app(settings),
        host=host,
        port=port,
        # Streams of runs that are still under way do not hold it up.
        timeout_graceful_shutdown=3,
        server_header=False,
    )
    if not _is_local(host):
        _log.warning("Others can reach %s, and runs are not locked down: see README.md", host)
    uvicorn.Server(config).run()


def _is_local(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
