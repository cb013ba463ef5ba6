"""A server for measurements, on a port of its own."""

import contextlib
import socket
import subprocess
import sys
import time
from collections.abc import Iterator

import httpx


@contextlib.contextmanager
def running() -> Iterator[httpx.Client]:
    """A client of a fresh server; warm when it is given."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "tapedeck.cli", "serve", "--port", str(port)]
    quiet = subprocess.DEVNULL
    with subprocess.Popen(command, stdout=quiet, stderr=quiet) as process:
        try:
            with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60) as client:
                wait_until_warm(client)
                yield client
        finally:
            process.terminate()


def wait_until_warm(client: httpx.Client) -> None:
    """Returns when a warm child waits. Raises TimeoutError after a minute."""
    for _ in range(1200):
        with contextlib.suppress(httpx.TransportError):
            if client.get("/readyz").is_success:
                return
        time.sleep(0.05)
    raise TimeoutError("The server did not become ready")
