"""Runs snippets for the tests: recorded, and plain, each in a fresh process.

TensorFlow is imported once in the test's process, which never starts it; each run is a fork of
that process, as in the real sandbox. So every run finds a TensorFlow that has done nothing yet.
"""

import os

os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import importlib
import linecache
import logging
import pickle
import random
import sys
import threading
import traceback
import types
import warnings
import weakref
from collections.abc import Callable
from typing import Any, TypeVar

import msgspec
import numpy as np
import tensorflow as tf
from tensorflow.python.eager import context

from tapedeck.recorder import record as record_here
from tapedeck.recorder import stream
from tapedeck.recorder.console import Console
from tapedeck.recorder.errors import format_error
from tapedeck.recorder.session import _Source
from tapedeck.trace.document import Limits, Mode, Trace
from tapedeck.trace.stream import Assembler

T = TypeVar("T")
SECONDS = 120
UNLIMITED = Limits()


def forked(function: Callable[..., T], *arguments: Any) -> T:
    """What the function gives in a fork of this process."""
    assert not context.context()._initialized, "TensorFlow was started in the test's own process"
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            importlib.reload(warnings)  # pytest keeps warnings from being shown
            logging.getLogger().handlers.clear()  # and takes what is logged
            alarm = threading.Timer(SECONDS, lambda: os._exit(2))
            alarm.daemon = True
            alarm.start()
            result = pickle.dumps(function(*arguments))
            with os.fdopen(writing, "wb") as pipe:
                pipe.write(result)
            status = 0
        except BaseException:  # noqa: BLE001
            traceback.print_exc()
        finally:
            os._exit(status)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        data = pipe.read()
    _, status = os.waitpid(child, 0)
    assert status == 0, f"the run's process ended with {status}"
    result: T = pickle.loads(data)
    return result


def record(source: str, mode: Mode = "auto", seed: int = 0, limits: Limits = UNLIMITED) -> Trace:
    """The trace of a snippet, put together from the stream as a receiver would."""
    return msgspec.json.decode(forked(_record, source, mode, seed, limits), type=Trace)


def _record(source: str, mode: Mode, seed: int, limits: Limits) -> bytes:
    assembler = Assembler()
    stream(source, assembler.feed, mode, seed, limits)
    assert assembler.complete
    return msgspec.json.encode(assembler.trace())


class Outcome(msgspec.Struct):
    """What a program showed of itself."""

    stdout: str
    stderr: str
    error: str | None
    """`Type: text`."""
    traceback: str
    values: dict[str, Any]
    """Top-level names that hold numbers, arrays or tensors, as bytes."""


def plain(source: str, seed: int = 0) -> Outcome:
    """The snippet as Python runs it, without Tapedeck."""
    return forked(_plain, source, seed)


def _plain(source: str, seed: int) -> Outcome:
    module = types.ModuleType("__main__")
    module.__file__ = "snippet.py"
    module.__dict__["__loader__"] = _Source(source)
    sys.modules["__main__"] = module
    linecache.cache["snippet.py"] = (len(source), None, source.splitlines(True), "snippet.py")
    random.seed(seed)
    np.random.seed(seed)
    tf.random.set_seed(seed)
    tf.config.list_physical_devices()  # says on standard error which it looks for
    written: dict[str, str] = {"stdout": "", "stderr": ""}

    def write(stream: str, text: str) -> None:
        written["stdout" if stream == "stdout" else "stderr"] += text

    problem = None
    console = Console(write, None)
    with console.captured():
        try:
            exec(compile(source, "snippet.py", "exec", dont_inherit=True), module.__dict__)  # noqa: S102
        except BaseException as raised:  # noqa: BLE001
            problem = raised
    return Outcome(
        written["stdout"],
        written["stderr"],
        None if problem is None else f"{type(problem).__name__}: {problem}",
        "" if problem is None else _trimmed(format_error(problem)),
        _values(module.__dict__),
    )


def recorded(source: str, seed: int = 0) -> Outcome:
    """The same of a recorded run."""
    return forked(_recorded, source, seed)


def _recorded(source: str, seed: int) -> Outcome:
    from tapedeck.recorder import session

    seen: dict[str, Any] = {}
    run = session._run

    def spying(code: Any, namespace: dict[str, Any], errors: Any) -> Any:
        outcome = run(code, namespace, errors)
        seen.update(_values(namespace))
        return outcome

    session._run = spying  # type: ignore[assignment]
    trace = record_here(source, "script", seed)
    prints = [e for e in trace.events if type(e).__name__ == "PrintEvent"]
    last = None if trace.outcome.error is None else trace.errors[trace.outcome.error]
    return Outcome(
        "".join(p.text for p in prints if p.stream == "stdout"),  # type: ignore[union-attr]
        "".join(p.text for p in prints if p.stream != "stdout"),  # type: ignore[union-attr]
        None if last is None else f"{last.type}: {last.message}",
        "" if last is None else _trimmed(last.text),
        seen,
    )


def _trimmed(text: str) -> str:
    """A traceback from the snippet's first frame on."""
    head, found, rest = text.partition('  File "snippet.py"')
    return found + rest if found else head


def _values(namespace: dict[str, Any]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for name, value in namespace.items():
        if name.startswith("__"):
            continue
        for path, leaf in _leaves(name, value):
            array = _array(leaf)
            if array is not None:
                values[path] = (str(array.dtype), array.shape, array.tobytes())
            elif leaf is None:
                values[path] = None
    return values


def _leaves(path: str, value: Any) -> list[tuple[str, Any]]:
    if type(value) in (list, tuple):
        return [leaf for i, v in enumerate(value) for leaf in _leaves(f"{path}[{i}]", v)]
    if type(value) is dict:
        return [leaf for k, v in value.items() for leaf in _leaves(f"{path}[{k!r}]", v)]
    return [(path, value)]


def _array(value: Any) -> Any:
    if type(value) in (weakref.ProxyType, weakref.CallableProxyType):
        return None  # it may be dead
    if type(value).__module__ == "__main__":
        return None  # asking it may run the program's own code
    if isinstance(value, bool | int | float | np.ndarray | np.generic):
        return np.asarray(value)
    if isinstance(value, tf.Variable) or (tf.is_tensor(value) and hasattr(value, "numpy")):
        try:
            array = np.asarray(value.numpy())
        except Exception:  # noqa: BLE001
            return None
        return None if array.dtype == object else array
    return None
