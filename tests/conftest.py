"""What the tests share: a real server, one for each process that runs tests."""

import contextlib
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import httpx
import pytest

from browsing import browser_options, chromium, desk  # noqa: F401  (fixtures)

ROOT = Path(__file__).parents[1]
#: Short limits, so that the runs that reach them do not take long.
LIMITS = {"TAPEDECK_WALL_SECONDS": "5", "TAPEDECK_MEMORY_MIB": "512"}


class Server:
    """A server of its own process, with its own zygote."""

    def __init__(self, process: "subprocess.Popen[bytes]", url: str) -> None:
        self.pid = process.pid
        self._process = process
        self.url = url
        self.client = httpx.Client(base_url=url, timeout=60)

    def run(self, source: str, mode: str = "auto", seed: int = 0) -> dict[str, Any]:
        """The trace of a snippet; fails where the answer is not one."""
        request = {"source": source, "mode": mode, "seed": seed}
        answer = self.client.post("/api/traces", json=request)
        assert answer.status_code == 200, answer.text
        trace: dict[str, Any] = answer.json()
        return trace

    def wait_until_ready(self, seconds: float = 60) -> None:
        """Returns when a warm child waits."""
        end = time.monotonic() + seconds
        while time.monotonic() < end and self._process.poll() is None:
            try:
                if self.client.get("/readyz").status_code == 200:
                    return
            except httpx.TransportError:
                pass
            time.sleep(0.05)
        raise TimeoutError(f"{self.url} is not ready after {seconds} s")

    def wait_until_gone(self) -> None:
        """Returns when its process has ended."""
        self._process.wait(10)


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port: int = probe.getsockname()[1]
        return port


@contextlib.contextmanager
def start_server(log: IO[bytes] | None = None, **settings: str) -> Iterator[Server]:
    """A server with these environment variables, and a warm child; what it says goes to `log`."""
    port = _free_port()
    command = [sys.executable, "-m", "tapedeck.cli", "serve", "--port", str(port)]
    environment = {**os.environ, **LIMITS, **settings}
    with subprocess.Popen(command, env=environment, cwd=ROOT, stdout=log, stderr=log) as process:
        server = Server(process, f"http://127.0.0.1:{port}")
        try:
            server.wait_until_ready()
            yield server
        finally:
            server.client.close()
            process.terminate()


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """A running server."""
    with start_server() as server:
        yield server


@pytest.fixture
def server_url(server: Server) -> str:
    """The address of a running server."""
    return server.url
