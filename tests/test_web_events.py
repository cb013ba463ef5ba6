"""Runs as a stream of events: progress, the trace at last, and the end when the client leaves."""

import contextlib
import json
import os
import threading
import time
from collections.abc import Iterator
from typing import Any

import httpx

from conftest import Server

ENDLESS = "while True: pass"
QUICK = "x = 3.0\nx * x"


class Client:
    """A client that reads events one by one."""

    def __init__(self, response: httpx.Response) -> None:
        self.response = response
        # Kept: httpx closes the connection with the iterator.
        self._lines = response.iter_lines()

    def __iter__(self) -> Iterator[tuple[str, dict[str, Any]]]:
        return self

    def __next__(self) -> tuple[str, dict[str, Any]]:
        name = ""
        for line in self._lines:
            if line.startswith("event: "):
                name = line.removeprefix("event: ")
            elif line.startswith("data: "):
                return name, json.loads(line.removeprefix("data: "))
        raise StopIteration


@contextlib.contextmanager
def stream(server: Server, source: str) -> Iterator[Client]:
    """A run as events; leaving the block closes the connection."""
    with httpx.stream(
        "POST",
        f"{server.url}/api/traces",
        json={"source": source},
        headers={"Accept": "text/event-stream"},
        timeout=30,
    ) as response:
        yield Client(response)


@contextlib.contextmanager
def busy(server: Server) -> Iterator[None]:
    """Inside the block a run without end holds each core."""
    with contextlib.ExitStack() as stack:
        clients = [stack.enter_context(stream(server, ENDLESS)) for _ in range(os.cpu_count() or 1)]
        for client in clients:
            # A run that was left a moment ago may still hold the core.
            while next(client) != ("progress", {"stage": "started"}):
                pass
        yield


def test_a_run_is_told_from_its_start_to_its_trace(server: Server) -> None:
    with stream(server, QUICK) as client:
        assert client.response.headers["Content-Type"].startswith("text/event-stream")
        events = list(client)
    assert events[0] == ("progress", {"stage": "started"})
    assert events[-2] == ("progress", {"stage": "finishing"})
    name, trace = events[-1]
    assert name == "trace"
    assert trace["snippet"]["text"] == QUICK


def test_progress_tells_the_ops_so_far_and_their_line(server: Server) -> None:
    source = "import time, tensorflow as tf\nx = tf.constant(1.0)\nfor _ in range(8):\n" + (
        "    x = x * 2.0\n    time.sleep(0.1)"
    )
    with stream(server, source) as client:
        progress = [data for name, data in client if data.get("stage") == "running"]
    counts = [data["ops"] for data in progress]
    assert counts == sorted(counts)
    assert counts[-1] >= 4
    assert progress[-1]["line"] == 4


def test_what_waits_is_told_its_position(server: Server) -> None:
    with busy(server), stream(server, QUICK) as first, stream(server, QUICK) as second:
        assert next(first) == ("progress", {"stage": "queued", "position": 1})
        assert next(second) == ("progress", {"stage": "queued", "position": 2})


def test_leaving_the_queue_lets_the_others_move_up(server: Server) -> None:
    with busy(server), contextlib.ExitStack() as first_place:
        first = first_place.enter_context(stream(server, QUICK))
        assert next(first)[1]["position"] == 1
        with stream(server, QUICK) as second:
            assert next(second)[1]["position"] == 2
            first_place.close()
            assert next(second) == ("progress", {"stage": "queued", "position": 1})


def test_leaving_ends_the_run(server: Server) -> None:
    with busy(server):
        pass
    # Every core was busy without end; with the clients gone they are free at once.
    started = time.monotonic()
    assert server.run(QUICK)["outcome"] == {}
    assert time.monotonic() - started < 2


def test_leaving_a_plain_request_ends_its_run(server: Server) -> None:
    def leave() -> None:
        try:
            httpx.post(f"{server.url}/api/traces", json={"source": ENDLESS}, timeout=0.5)
        except httpx.ReadTimeout:
            pass

    clients = [threading.Thread(target=leave) for _ in range(2)]
    for client in clients:
        client.start()
    for client in clients:
        client.join()
    started = time.monotonic()
    assert server.run(QUICK)["outcome"] == {}
    assert time.monotonic() - started < 2


def test_the_server_answers_while_every_core_is_busy(server: Server) -> None:
    with busy(server):
        started = time.monotonic()
        assert server.client.get("/healthz").status_code == 200
        assert time.monotonic() - started < 0.5


def test_a_wrong_request_is_refused_before_any_event(server: Server) -> None:
    answer = httpx.post(
        f"{server.url}/api/traces", json={"source": 1}, headers={"Accept": "text/event-stream"}
    )
    assert answer.status_code == 422
    assert answer.json()["error"]["code"] == "invalid"


def test_forty_people_press_run_at_once(server: Server) -> None:
    traces: list[dict[str, Any]] = []

    def press(number: int) -> None:
        traces.append(server.run(f"x = {number}.0\nx * x"))

    started = time.monotonic()
    people = [threading.Thread(target=press, args=(number,)) for number in range(40)]
    for person in people:
        person.start()
    for person in people:
        person.join()
    assert time.monotonic() - started < 20
    results = {
        trace["snippet"]["text"]: trace["tensors"][trace["gradients"][0]["results"][0]["tensor"]]
        for trace in traces
    }
    assert len(results) == 40
    assert all(
        tensor["value"]["data"] == 2 * float(text.split()[2]) for text, tensor in results.items()
    )
