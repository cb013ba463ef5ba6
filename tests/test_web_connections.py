"""Connections that go wrong: half-sent, broken off, not HTTP; and a server that stops meanwhile."""

import contextlib
import json
import os
import signal
import socket
import struct
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from conftest import Server, start_server
from test_web_events import ENDLESS, stream

HEAD = (
    b"POST /api/traces HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    b"Content-Length: 100\r\n\r\n"
)


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("server") / "log"


@pytest.fixture(scope="module")
def server(log: Path) -> Iterator[Server]:
    """A server without much patience, which writes a log."""
    with log.open("wb") as file, start_server(file, TAPEDECK_REQUEST_SECONDS="1") as server:
        yield server


@contextlib.contextmanager
def connected(server: Server) -> Iterator[socket.socket]:
    address = ("127.0.0.1", httpx.URL(server.url).port or 0)
    with socket.create_connection(address, timeout=10) as connection:
        yield connection


def answer_on(connection: socket.socket) -> tuple[int, dict[str, Any]]:
    """Status and error of what comes until the server closes."""
    data = bytearray()
    while chunk := connection.recv(1 << 16):
        data += chunk
    head, _, body = bytes(data).partition(b"\r\n\r\n")
    assert b"application/json" in head
    error: dict[str, Any] = json.loads(body)["error"]
    assert set(error) == {"code", "message", "hint"}
    return int(head.split()[1]), error


@pytest.mark.parametrize("sent", [HEAD, HEAD + b'{"source": ', HEAD[:40], b"G"])
def test_a_half_sent_request_is_given_up(server: Server, sent: bytes) -> None:
    started = time.monotonic()
    with connected(server) as connection:
        connection.sendall(sent)
        status, error = answer_on(connection)
    assert (status, error["code"]) == (408, "too_slow")
    assert error["message"] == "The request did not come within 1 seconds."
    assert 0.9 < time.monotonic() - started < 3


def test_drops_of_a_body_do_not_keep_it_open(server: Server) -> None:
    with connected(server) as connection:
        connection.sendall(HEAD)
        with contextlib.suppress(OSError):
            for _ in range(40):
                connection.sendall(b" ")
                time.sleep(0.1)
            pytest.fail("the connection stays open")


def test_drops_of_a_body_that_nobody_reads_do_not_keep_it_open(server: Server) -> None:
    with connected(server) as connection:
        connection.sendall(HEAD.replace(b"/api/traces", b"/api/nothing"))
        status, error = answer_on(connection)
    assert (status, error["code"]) == (404, "not_found")


def test_a_connection_without_a_request_is_closed(server: Server) -> None:
    with connected(server) as connection:
        assert connection.recv(1) == b""


def test_what_is_not_http_is_told_so(server: Server) -> None:
    with connected(server) as connection:
        connection.sendall(b"\x16\x03\x01 hello\r\n\r\n")
        status, error = answer_on(connection)
    assert (status, error["code"]) == (400, "not_http")


@pytest.mark.parametrize("abrupt", [True, False])
def test_a_client_that_vanishes_leaves_no_traceback(
    server: Server, log: Path, abrupt: bool
) -> None:
    for _ in range(3):
        with connected(server) as connection:
            connection.sendall(HEAD + b"{")
            time.sleep(0.1)
            if abrupt:
                linger = struct.pack("ii", 1, 0)
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
    time.sleep(1.5)
    assert server.client.get("/healthz").status_code == 200
    assert quiet(log)


def quiet(log: Path) -> bool:
    text = log.read_text()
    assert "Traceback" not in text, text
    assert "Exception" not in text, text
    return True


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_stopping_answers_every_run_at_once(tmp_path: Path, how: signal.Signals) -> None:
    log = tmp_path / "log"
    answers: list[httpx.Response] = []

    def ask() -> None:
        request = {"source": ENDLESS}
        answers.append(httpx.post(f"{server.url}/api/traces", json=request, timeout=30))

    with log.open("wb") as file, start_server(file) as server:
        # As many as there are cores run, the others wait.
        askers = [threading.Thread(target=ask) for _ in range((os.cpu_count() or 1) + 2)]
        for asker in askers:
            asker.start()
        with stream(server, ENDLESS) as run:
            assert next(run)[0] == "progress"
            time.sleep(1)
            started = time.monotonic()
            os.kill(server.pid, how)
            last = list(run)[-1]
        for asker in askers:
            asker.join()
        server.wait_until_gone()
        assert time.monotonic() - started < 2
    assert last[0] == "error"
    assert last[1]["error"]["code"] == "stopping"
    assert len(answers) == len(askers)
    for answer in answers:
        assert (answer.status_code, answer.json()["error"]["code"]) == (503, "stopping")
    assert quiet(log)


def test_stopping_does_not_wait_for_a_body(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with log.open("wb") as file, start_server(file) as server, connected(server) as connection:
        connection.sendall(HEAD + b"{")
        time.sleep(0.3)
        os.kill(server.pid, signal.SIGTERM)
        status, error = answer_on(connection)
        server.wait_until_gone()
    assert (status, error["code"]) == (503, "stopping")
    assert quiet(log)
