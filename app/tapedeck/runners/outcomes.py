"""The trace of a run that its child could not finish itself, and what was measured outside."""

import logging
import signal

import msgspec

from tapedeck.sandbox.protocol import Job
from tapedeck.sandbox.supervision import Ending
from tapedeck.trace.document import Limits, Outcome, Snippet, Stats, Trace
from tapedeck.trace.stream import Assembler, StreamError

_log = logging.getLogger(__name__)
_MIB = 1 << 20
#: A run that died this near to its memory limit most probably died of it.
_NEAR = 0.7


def finish(assembler: Assembler, job: Job, ending: Ending) -> Trace:
    """The trace of what came, with the outcome that the server saw where the child gave none."""
    if ending.reason == "failed":
        # The child is not trusted: one line, whatever it says.
        _log.error("The recorder failed: %s", ascii(ending.detail[:2000]))
    trace = _assembled(assembler, job)
    # The child is not trusted with what is known here: the request, and what was used.
    snippet = msgspec.structs.replace(trace.snippet, text=job.source, asked=job.mode, seed=job.seed)
    trace = msgspec.structs.replace(trace, snippet=snippet, stats=_stats(ending))
    if ending.reason == "finished":
        return trace
    ended = outcome(ending, job.limits)
    if job.limits.ops is not None and len(trace.ops) >= job.limits.ops:
        # The recording had ended before the run did.
        full = f" Recording had ended early: {job.limits.ops:,} ops were recorded."
        ended = msgspec.structs.replace(ended, detail=ended.detail + full)
    return msgspec.structs.replace(trace, outcome=ended)


def outcome(ending: Ending, limits: Limits) -> Outcome:
    """What the end of a child means."""
    match ending.reason:
        case "wall":
            seconds = _figure(limits.wall_seconds or 0.0)
            return Outcome("timed_out", f"It was stopped after {seconds} seconds.")
        case "memory":
            return Outcome(
                "out_of_memory",
                f"It was stopped when it used more than {_memory(limits)} MiB of memory.",
            )
        case "exited":
            return _died(ending, limits)
        case "refused":
            return Outcome("crashed", f"What the run sent was refused: {ending.detail}.")
        case "closed":
            return Outcome(
                "crashed",
                "The run closed the connection over which its trace goes, and went on; it was "
                "stopped. What came before is here.",
            )
        case "cut_off":
            return Outcome(
                "crashed",
                "The run closed the connection over which its trace goes. What came before is "
                "here; how it ended is not known.",
            )
        case _:
            return Outcome(
                "crashed",
                "Tapedeck's recorder failed, perhaps by what the run closed or replaced; the "
                "server's log says how. What came before is here.",
            )


def _died(ending: Ending, limits: Limits) -> Outcome:
    if ending.exit_code is not None:
        text = f"The process ended itself with exit code {ending.exit_code}."
        return Outcome("crashed", text, exit_code=ending.exit_code)
    if ending.signal is None:
        return Outcome("crashed", "The process that runs snippets ended, and this run with it.")
    name = _signal_name(ending.signal)
    if ending.signal == signal.SIGXCPU:
        seconds = _figure(limits.cpu_seconds or 0.0)
        return Outcome(
            "timed_out", f"It used more than {seconds} seconds of CPU time.", signal=name
        )
    if _near_memory_limit(ending, limits):
        text = (
            f"The process was ended by {name} while it held {ending.peak_bytes // _MIB} MiB of at "
            f"most {_memory(limits)} MiB: it is probably out of memory."
        )
        return Outcome("out_of_memory", text, signal=name)
    return Outcome("crashed", f"The process was ended by the signal {name}.", signal=name)


def _near_memory_limit(ending: Ending, limits: Limits) -> bool:
    return limits.memory_bytes is not None and ending.peak_bytes > _NEAR * limits.memory_bytes


def _memory(limits: Limits) -> int:
    return (limits.memory_bytes or 0) // _MIB


def _figure(seconds: float) -> str:
    return f"{seconds:g}"


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _assembled(assembler: Assembler, job: Job) -> Trace:
    """What came, where it is a trace; else nothing but the snippet."""
    try:
        return assembler.trace()
    except StreamError as error:
        _log.error("A run sent no trace: %s", error)
        return Trace(snippet=Snippet(text=job.source, asked=job.mode, seed=job.seed))


def _stats(ending: Ending) -> Stats:
    return Stats(
        wall_ms=round(ending.wall_seconds * 1000, 3),
        cpu_ms=round(ending.cpu_seconds * 1000, 3),
        peak_bytes=ending.peak_bytes,
    )
