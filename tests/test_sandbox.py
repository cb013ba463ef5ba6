"""Runs that end badly: each has a clear outcome, and the next run is served as if nothing had been."""

import os
import re
import signal
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from conftest import Server, start_server

SQUARE = """\
import tensorflow as tf
x = tf.Variable(3.0)
with tf.GradientTape() as tape:
    y = x * x
print(tape.gradient(y, x).numpy())
"""
MARK = """\
import tensorflow as tf
tf.constant(2.0) * 3.0
print("before")
"""


def printed(trace: dict[str, Any]) -> str:
    return "".join(event["text"] for event in trace["events"] if event["kind"] == "print")


def gradient_values(trace: dict[str, Any]) -> list[Any]:
    tensors = trace["tensors"]
    return [
        tensors[result["tensor"]]["value"]["data"]
        for call in trace["gradients"]
        for result in call["results"]
    ]


@pytest.fixture(autouse=True)
def next_run_is_right(server: Server) -> Any:
    """After every test here a normal run gives what it always gives."""
    yield
    trace = server.run(SQUARE)
    assert trace["outcome"] == {}
    assert printed(trace) == "6.0\n"
    assert gradient_values(trace) == [6.0]


def outcome(server: Server, source: str) -> dict[str, Any]:
    """The outcome of MARK followed by the source, with what MARK did still in the trace."""
    trace = server.run(MARK + source)
    assert printed(trace).startswith("before\n")
    assert [op["type"] for op in trace["ops"] if not op.get("bookkeeping")][:1] == ["Mul"]
    ended: dict[str, Any] = trace["outcome"]
    return ended


def test_a_segmentation_fault_is_a_crash_by_its_signal(server: Server) -> None:
    assert outcome(server, "import ctypes\nctypes.string_at(0)") == {
        "kind": "crashed",
        "detail": "The process was ended by the signal SIGSEGV.",
        "signal": "SIGSEGV",
    }


def test_abort_is_a_crash_by_its_signal(server: Server) -> None:
    assert outcome(server, "import os\nos.abort()")["signal"] == "SIGABRT"


def test_os_exit_is_a_crash_with_its_code(server: Server) -> None:
    assert outcome(server, "import os\nos._exit(7)") == {
        "kind": "crashed",
        "detail": "The process ended itself with exit code 7.",
        "exit_code": 7,
    }


def test_os_exit_with_zero_is_no_success(server: Server) -> None:
    ended = outcome(server, "import os\nos._exit(0)")
    assert (ended["kind"], ended["exit_code"]) == ("crashed", 0)


def test_sys_exit_is_an_end_of_the_snippets_own(server: Server) -> None:
    ended = outcome(server, "import sys\nsys.exit(3)")
    assert ended["exit_code"] == 3
    assert ended.get("kind", "completed") == "completed"


def test_an_endless_loop_is_stopped_in_time(server: Server) -> None:
    started = time.monotonic()
    ended = outcome(server, "while True: pass")
    assert ended == {"kind": "timed_out", "detail": "It was stopped after 5 seconds."}
    assert 5 <= time.monotonic() - started < 7


def test_a_loop_that_blocks_every_signal_is_stopped_too(server: Server) -> None:
    source = "import signal\nsignal.pthread_sigmask(signal.SIG_BLOCK, range(1, 64))\nwhile 1: pass"
    assert outcome(server, source)["kind"] == "timed_out"


def test_a_stopped_process_is_stopped_for_good(server: Server) -> None:
    source = "import os, signal\nos.kill(os.getpid(), signal.SIGSTOP)"
    assert outcome(server, source)["kind"] == "timed_out"


def test_memory_taken_piece_by_piece_ends_at_the_limit(server: Server) -> None:
    source = "kept = []\nwhile True: kept.append(b'x' * 10_000_000)"
    assert outcome(server, source)["kind"] == "out_of_memory"


def test_a_tensor_of_a_billion_elements_is_out_of_memory_in_tensorflows_words(
    server: Server,
) -> None:
    trace = server.run("import tensorflow as tf\nx = tf.zeros([10**9])")
    assert trace["outcome"]["kind"] == "out_of_memory"
    error = trace["errors"][trace["outcome"]["error"]]
    assert error["type"] == "ResourceExhaustedError"
    assert "OOM when allocating tensor with shape[1000000000]" in error["message"]


def test_threads_without_end_do_not_hold_the_run(server: Server) -> None:
    source = """\
import threading, time
def work():
    while True: time.sleep(0.01)
for _ in range(5): threading.Thread(target=work).start()
"""
    started = time.monotonic()
    assert outcome(server, source) == {"detail": "5 threads of the snippet still ran 2.5 s later."}
    assert time.monotonic() - started < 5


def test_ever_more_threads_end_with_an_error(server: Server) -> None:
    source = """\
import threading, time
while True: threading.Thread(target=time.sleep, args=(100,), daemon=True).start()
"""
    assert outcome(server, source)["kind"] in ("raised", "crashed", "out_of_memory")


def test_processes_that_a_run_leaves_behind_are_ended(server: Server) -> None:
    source = """\
import os, time
if os.fork() == 0:
    os.setsid()
    time.sleep(1000)
    os._exit(0)
print("parent")
"""
    trace = server.run(source)
    assert "parent\n" in printed(trace)
    assert _wait_until(lambda: len(_descendants(server.pid)) <= 1 + 3 + 2)


def test_a_closed_channel_is_a_crash(server: Server) -> None:
    source = "import os\nos.closerange(3, 256)\nwhile True: pass"
    assert outcome(server, source) == {
        "kind": "crashed",
        "detail": "The run closed the connection over which its trace goes, and went on; it was "
        "stopped. What came before is here.",
    }


@pytest.mark.parametrize(
    "source",
    [
        "import os\nos.closerange(3, 256)",
        "import os\nos.closerange(0, 256)\nprint('after')",
        "import os\nos._exit = None\nos.closerange(3, 256)",
        (
            "import gc, socket\nfor each in gc.get_objects():\n    if isinstance(each, socket.socket):\n"
            "        each.close()\nprint('after')"
        ),
    ],
)
def test_a_run_that_closes_its_channel_did_not_end_itself(server: Server, source: str) -> None:
    assert outcome(server, source) == {
        "kind": "crashed",
        "detail": "The run closed the connection over which its trace goes. What came before is "
        "here; how it ended is not known.",
    }


@pytest.mark.parametrize(
    "source",
    [
        "builtins.len = None",
        "builtins.isinstance = None",
        "for name in list(vars(builtins)): setattr(builtins, name, None)",
    ],
)
def test_a_recorder_that_fails_says_so_in_one_line(tmp_path: Path, source: str) -> None:
    log = tmp_path / "log"
    with log.open("wb") as file, start_server(file) as server:
        ended = outcome(server, f"import builtins\n{source}\nprint('x')\ntf.constant(2.0) * 3.0\n")
    assert ended == {
        "kind": "crashed",
        "detail": "Tapedeck's recorder failed, perhaps by what the run closed or replaced; the "
        "server's log says how. What came before is here.",
    }
    said = [line for line in log.read_text().splitlines() if not line.startswith("INFO: ")]
    assert len(said) == 1
    assert re.fullmatch(
        r"The recorder failed: [\"']TypeError: 'NoneType' object is not callable \(.* > .*\)[\"']",
        said[0],
    )


def test_an_error_whose_text_is_no_text_is_told(server: Server) -> None:
    source = "class Odd(Exception):\n    def __str__(self): return chr(0xd800)\nraise Odd"
    trace = server.run(source)
    assert trace["outcome"]["detail"] == "Odd: \\ud800"


@pytest.mark.parametrize(
    ("source", "says"),
    [
        (
            (
                "tf.config.threading.set_intra_op_parallelism_threads(1)\n"
                "print(tf.config.threading.get_intra_op_parallelism_threads())"
            ),
            "1\n",
        ),
        (
            (
                "tf.config.threading.set_inter_op_parallelism_threads(3)\n"
                "print(tf.config.threading.get_inter_op_parallelism_threads())"
            ),
            "3\n",
        ),
        (
            (
                "(cpu,) = tf.config.list_physical_devices('CPU')\n"
                "two = [tf.config.LogicalDeviceConfiguration()] * 2\n"
                "tf.config.set_logical_device_configuration(cpu, two)\n"
                "print(len(tf.config.list_logical_devices('CPU')))"
            ),
            "2\n",
        ),
        ("tf.config.set_visible_devices([], 'GPU')\nprint('set')", "set\n"),
        (
            "tf.config.optimizer.set_jit(True)\nprint(tf.config.optimizer.get_jit())",
            "autoclustering\n",
        ),
        ("tf.config.run_functions_eagerly(True)\nprint('set')", "set\n"),
    ],
)
def test_what_comes_before_tensorflow_starts_can_be_set(
    server: Server, source: str, says: str
) -> None:
    trace = server.run(f"import tensorflow as tf\n{source}\n" + SQUARE)
    assert trace["outcome"] == {}
    assert printed(trace) == says + "6.0\n"
    assert gradient_values(trace) == [6.0]


def test_set_too_late_it_raises_as_it_does_in_tensorflow(server: Server) -> None:
    trace = server.run(MARK + "tf.config.threading.set_intra_op_parallelism_threads(1)")
    error = trace["errors"][trace["outcome"]["error"]]
    assert error["message"] == "Intra op parallelism cannot be modified after initialization."


@pytest.mark.parametrize(
    "forged", [b"nonsense " * 10, b"\x03\x00\x00\x00\x02[]" * 3 + b"\x03\xff\xff\xff\xff"]
)
def test_what_a_run_forges_harms_only_itself(server: Server, forged: bytes) -> None:
    source = f"""\
import os, socket, stat
for descriptor in range(3, 64):
    try:
        if stat.S_ISSOCK(os.fstat(descriptor).st_mode):
            os.write(descriptor, {forged!r})
    except OSError:
        pass
while True: pass
"""
    ended = server.run(source)["outcome"]
    assert ended["kind"] == "crashed"
    assert ended["detail"].startswith("What the run sent was refused: a frame of ")


def test_endless_recursion_raises(server: Server) -> None:
    trace = server.run("def f(): return f()\nf()")
    assert trace["outcome"]["kind"] == "raised"
    assert trace["errors"][trace["outcome"]["error"]]["type"] == "RecursionError"


def test_a_million_printed_lines_are_cut(server: Server) -> None:
    trace = server.run("for i in range(1_000_000): print(i)")
    assert trace["outcome"]["kind"] in ("truncated", "timed_out")
    text = printed(trace)
    assert text.startswith("0\n1\n2\n")
    assert 200_000 < len(text) <= 256 << 10


def test_input_finds_nobody_to_type(server: Server) -> None:
    trace = server.run("name = input('Name: ')")
    assert trace["outcome"]["kind"] == "raised"
    error = trace["errors"][trace["outcome"]["error"]]
    assert (error["type"], error["hint"]) == ("EOFError", "no_input")


def test_a_keyboard_interrupt_raised_by_hand_raises(server: Server) -> None:
    trace = server.run("raise KeyboardInterrupt")
    assert trace["outcome"]["kind"] == "raised"
    assert trace["errors"][trace["outcome"]["error"]]["type"] == "KeyboardInterrupt"


def test_a_missing_module_raises_at_its_place(server: Server) -> None:
    trace = server.run("x = 1\nimport not_to_be_found\nprint(not_to_be_found.x)")
    error = trace["errors"][trace["outcome"]["error"]]
    assert error["type"] == "ModuleNotFoundError"
    assert trace["places"][error["place"]]["line"] == 2


@pytest.mark.parametrize(
    "source", ["del tf.GradientTape", "tf.GradientTape = None", "tf.GradientTape.gradient = None"]
)
def test_tampering_with_the_tape_hurts_only_its_own_run(server: Server, source: str) -> None:
    trace = server.run(f"import tensorflow as tf\n{source}\nprint('done')")
    assert printed(trace) == "done\n"
    assert trace["outcome"] == {}


def test_two_runs_at_once_do_not_see_each_other(server: Server) -> None:
    source = """\
import builtins, time
import tensorflow as tf
builtins.mark = getattr(builtins, "mark", "") + "{name}"
tf.mark = getattr(tf, "mark", "") + "{name}"
time.sleep(0.5)
print(builtins.mark, tf.mark)
"""
    texts: dict[str, str] = {}

    def run(name: str) -> None:
        texts[name] = printed(server.run(source.replace("{name}", name)))

    threads = [threading.Thread(target=run, args=(name,)) for name in "ab"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert texts == {"a": "a a\n", "b": "b b\n"}


def test_a_file_is_gone_with_its_run(server: Server) -> None:
    trace = server.run(
        "import os\nopen('note.txt', 'w').write('secret')\nprint(os.path.abspath('note.txt'))"
    )
    path = Path(printed(trace).strip())
    assert path.name == "note.txt"
    assert _wait_until(lambda: not path.exists())


def test_a_run_does_not_see_the_servers_environment(server: Server) -> None:
    trace = server.run("import os\nprint(sorted(os.environ))")
    assert "TAPEDECK" not in printed(trace)
    assert "'PATH'" in printed(trace)


def test_a_zygote_that_dies_is_replaced(server: Server) -> None:
    (zygote,) = _children(server.pid)
    os.kill(zygote, signal.SIGKILL)
    assert gradient_values(server.run(SQUARE)) == [6.0]
    server.wait_until_ready()
    assert _children(server.pid) != [zygote]


def test_a_warm_child_that_dies_is_replaced(server: Server) -> None:
    server.wait_until_ready()
    (zygote,) = _children(server.pid)
    warm = set(_children(zygote))
    for child in warm:
        os.kill(child, signal.SIGKILL)
    assert _wait_until(lambda: warm.isdisjoint(_children(zygote)))
    assert gradient_values(server.run(SQUARE)) == [6.0]


def test_the_server_says_what_a_run_used(server: Server) -> None:
    trace = server.run(
        "import time\nkept = b'x' * 100_000_000\nend = time.process_time() + 0.5\n"
        "while time.process_time() < end: pass"
    )
    stats = trace["stats"]
    assert 500 <= stats["cpu_ms"] < 1500
    assert stats["wall_ms"] >= 500
    assert 95_000_000 < stats["peak_bytes"] < 200_000_000


def _children(pid: int) -> list[int]:
    text = "".join(
        path.read_text() for path in Path(f"/proc/{pid}/task").glob("*/children") if path.exists()
    )
    return [int(number) for number in re.findall(r"\d+", text)]


def _descendants(pid: int) -> list[int]:
    children = _children(pid)
    return children + [below for child in children for below in _descendants(child)]


def _wait_until(holds: Any, seconds: float = 5) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if holds():
            return True
        time.sleep(0.05)
    return bool(holds())
