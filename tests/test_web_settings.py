"""What can be set from outside, and how a server ends."""

import os
import signal
import time
from pathlib import Path

import httpx
import pytest

from conftest import start_server
from tapedeck.web.settings import Settings
from test_web_events import ENDLESS, busy, stream


def test_variables_set_the_limits() -> None:
    settings = Settings.from_environment(
        {"TAPEDECK_WALL_SECONDS": "2.5", "TAPEDECK_MEMORY_MIB": "256", "OTHER": "x"}
    )
    assert settings.limits.wall_seconds == 2.5
    assert settings.limits.memory_bytes == 256 * 2**20
    assert settings.limits.ops == Settings().ops


def test_a_wrong_variable_is_named() -> None:
    with pytest.raises(ValueError, match=r"Expected `int`, got `str` - at `\$.warm`"):
        Settings.from_environment({"TAPEDECK_WARM": "many"})


def test_cpu_time_has_a_limit_of_its_own() -> None:
    with start_server(TAPEDECK_CPU_SECONDS="0.5", TAPEDECK_WALL_SECONDS="20") as server:
        trace = server.run(ENDLESS)
        assert trace["outcome"] == {
            "kind": "timed_out",
            "detail": "It used more than 0.5 seconds of CPU time.",
            "signal": "SIGXCPU",
        }
        assert 500 < trace["stats"]["cpu_ms"] < 4000


def test_one_run_too_many_is_told_to_come_back() -> None:
    with start_server(TAPEDECK_QUEUE="1") as server, busy(server), stream(server, "x = 1.0") as one:
        assert next(one)[1]["position"] == 1
        for accept in ("application/json", "text/event-stream"):
            answer = server.client.post(
                "/api/traces", json={"source": "x = 1.0"}, headers={"Accept": accept}
            )
            assert answer.status_code == 503
            assert answer.json()["error"]["code"] == "overloaded"
            assert answer.headers["Retry-After"] == "5"


def test_a_server_that_is_killed_leaves_nothing_behind() -> None:
    with (
        start_server() as server,
        stream(server, f"import os\nprint(os.getcwd())\n{ENDLESS}") as run,
    ):
        assert next(run) == ("progress", {"stage": "started"})
        time.sleep(0.5)
        processes = _processes_below(server.pid)
        folders = {Path(os.readlink(f"/proc/{pid}/cwd")) for pid in processes} - {Path("/")}
        assert len(processes) >= 2
        assert folders
        os.kill(server.pid, signal.SIGKILL)
        with pytest.raises(httpx.TransportError):
            list(run)
        end = time.monotonic() + 5
        while time.monotonic() < end and any(_alive(pid) for pid in processes):
            time.sleep(0.05)
        assert not any(_alive(pid) for pid in processes)
        assert not any(folder.exists() for folder in folders)


def _processes_below(pid: int) -> list[int]:
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
    below = [_processes_below(int(child)) for child in children]
    return [int(child) for child in children] + [one for found in below for one in found]


def _alive(pid: int) -> bool:
    return Path(f"/proc/{pid}").exists()
