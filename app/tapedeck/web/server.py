"""Serves the application with uvicorn."""

import uvicorn

from tapedeck.web.app import create_app


def serve(host: str = "127.0.0.1", port: int = 8000) -> None:
    """Serves until it is told to stop."""
    uvicorn.run(
        create_app(),
        host=host,
        port=port,
        # Streams of runs that are still under way do not hold it up.
        timeout_graceful_shutdown=3,
        server_header=False,
    )
