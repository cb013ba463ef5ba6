"""The command line, as a person runs it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tapedeck import __version__

ROOT = Path(__file__).parents[1]


def tapedeck(*arguments: str, given: bytes = b"") -> "subprocess.CompletedProcess[str]":
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "app"), "TF_ENABLE_ONEDNN_OPTS": "0"}
    done = subprocess.run(
        [sys.executable, "-m", "tapedeck.cli", *arguments],
        input=given,
        capture_output=True,
        env=environment,
        timeout=120,
        check=False,
    )
    return subprocess.CompletedProcess(
        done.args, done.returncode, done.stdout.decode(), done.stderr.decode()
    )


def test_summary_of_a_program(tmp_path: Path) -> None:
    program = tmp_path / "train.py"
    (tmp_path / "helper.py").write_text("FACTOR = 2.0\n")
    program.write_text(
        "import tensorflow as tf\nfrom helper import FACTOR\n\nx = tf.Variable(3.0)\n"
        "with tf.GradientTape() as tape:\n    y = FACTOR * x * x\nprint(tape.gradient(y, x).numpy())\n"
    )
    done = tapedeck("trace", str(program))
    assert done.returncode == 0, done.stderr
    head, rest = done.stdout.split("\n", 1)
    assert head.startswith(f"{program}: completed, 2 ops, 1 tape, 1 gradient call (TensorFlow ")
    assert (
        rest
        == """
Output
  12.0

Tapes
  tape (line 5): recording from line 5 · stopped after line 6 · consumed by gradient() on line 7

tape.gradient() on line 7
  d y / d x = 12.0
"""
    )


def test_json_is_the_trace_document() -> None:
    done = tapedeck("trace", "-", "--json", "--seed", "7", given=b"x = 3.0\ny = x**2 + 2*x\n")
    assert done.returncode == 0, done.stderr
    trace = json.loads(done.stdout)
    assert trace["snippet"]["mode"] == "expressions"
    assert trace["snippet"]["seed"] == 7
    result = trace["gradients"][0]["results"][0]["tensor"]
    assert trace["tensors"][result]["value"]["data"] == 8.0


def test_an_exception_is_told_with_its_cause() -> None:
    source = b"""\
x = tf.Variable(3.0)
with tf.GradientTape() as tape:
    y = x * x
tape.gradient(y, x)
tape.gradient(y, x)
"""
    done = tapedeck("trace", "-", given=source)
    assert done.returncode == 1
    assert "standard input: raised" in done.stdout
    assert "Put right: added: import tensorflow as tf (line 1)" in done.stdout
    assert "tape.gradient() on line 5: raised RuntimeError" in done.stdout
    assert "TD101 The tape was already used up" in done.stdout
    assert "used up by the `gradient()` call on line 4" in done.stdout


def test_none_is_told_with_its_reason() -> None:
    source = (
        b"x = tf.constant(3.0)\nwith tf.GradientTape() as t:\n    y = x * x\nt.gradient(y, x)\n"
    )
    done = tapedeck("trace", "-", given=source)
    assert done.returncode == 3
    assert "d y / d x = None\n    TD201 The source was not watched\n" in done.stdout


def test_a_syntax_error_is_told_at_its_place() -> None:
    done = tapedeck("trace", "-", given=b"x = (1\n")
    assert done.returncode == 1
    assert "SyntaxError on line 1: '(' was never closed" in done.stdout


def test_an_exit_code_of_the_program() -> None:
    done = tapedeck("trace", "-", given=b"import sys\nsys.exit(3)\n")
    assert done.returncode == 4
    assert "The snippet ended itself with exit code 3." in done.stdout


@pytest.mark.parametrize(
    ("content", "reason"), [(None, "No such file or directory"), (b"\xff\xfe", "not UTF-8 text")]
)
def test_a_file_that_cannot_be_read(tmp_path: Path, content: bytes | None, reason: str) -> None:
    path = tmp_path / "a.py"
    if content is not None:
        path.write_bytes(content)
    done = tapedeck("trace", str(path))
    assert done.returncode == 2
    assert done.stdout == ""
    assert f"cannot read {path}" in done.stderr and reason in done.stderr


def test_many_calls_of_one_place_are_told_by_the_first_and_the_last() -> None:
    source = b"""\
x = tf.Variable(1.0)
for i in range(10):
    with tf.GradientTape() as tape:
        y = x * float(i)
    g = tape.gradient(y, x)
"""
    told = tapedeck("trace", "-", given=source).stdout
    assert "line 5, call 1 of 10\n  d y / d x = 0.0\n" in told
    assert "line 5, call 10 of 10\n  d y / d x = 9.0\n" in told
    assert told.count("tape.gradient()") == 2


def test_doctor_looks_at_the_machine_and_at_tensorflow() -> None:
    done = tapedeck("doctor")
    assert done.stdout.startswith("This machine\n")
    assert "\nTensorFlow\n" in done.stdout
    assert "ok    limits of memory, CPU and files: taken on" in done.stdout
    assert done.returncode == (1 if "FAIL" in done.stdout else 0)


def test_help_and_wrong_use() -> None:
    assert tapedeck("--version").stdout == f"tapedeck {__version__}\n"
    told = tapedeck("trace", "--help").stdout
    assert "exit codes of trace:" in told
    assert tapedeck().returncode == 2
    assert "70000 is no port" in tapedeck("serve", "--port", "70000").stderr


def test_a_program_finds_itself_as_under_python(tmp_path: Path) -> None:
    program = tmp_path / "data.py"
    program.write_text("import sys\nprint(__file__, sys.argv, sys.path[0])\nprint(input())\n")
    plain = subprocess.run(
        [sys.executable, str(program)], input=b"Bob\n", capture_output=True, check=True
    )
    trace = json.loads(tapedeck("trace", str(program), "--json", given=b"Bob\n").stdout)
    printed = "".join(e["text"] for e in trace["events"] if e.get("stream") == "stdout")
    assert printed == plain.stdout.decode()


@pytest.mark.parametrize(
    ("end", "detail"),
    [
        ("import os\nos._exit(3)\n", "The program ended its process with exit code 3."),
        (
            "import ctypes\nctypes.string_at(0)\n",
            "The program's process was killed by SIGSEGV.",
        ),
    ],
)
def test_what_came_before_the_process_died_is_told(end: str, detail: str) -> None:
    done = tapedeck("trace", "-", given=f"print('before', flush=True)\n{end}".encode())
    assert done.returncode == 4
    assert "standard input: crashed" in done.stdout
    assert f"{detail}\n\nOutput\n  before\n" in done.stdout


def test_a_declared_encoding_and_a_seed_out_of_range(tmp_path: Path) -> None:
    program = tmp_path / "latin.py"
    program.write_bytes(b"# -*- coding: latin-1 -*-\nprint('\xe9')\n")
    assert "Output\n  é\n" in tapedeck("trace", str(program)).stdout
    assert "-1 is no seed" in tapedeck("trace", str(program), "--seed", "-1").stderr
