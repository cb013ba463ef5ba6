"""The command line: `tapedeck serve | trace | doctor`."""

import argparse
import io
import os
import sys
import tokenize
from collections.abc import Sequence
from pathlib import Path

from tapedeck import __version__

RAISED, UNREADABLE, FOUND, STOPPED = 1, 2, 3, 4
EXIT_CODES = """\
exit codes of trace:
  0  the program ran to its end and nothing was found
  1  the program raised an exception, or is no Python
  2  the file cannot be read, or the command line is wrong
  3  it ran to its end, but a gradient is None for a reason that is told
  4  it was ended by something else: a limit, or sys.exit() with a code
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command; returns its exit code."""
    options = _parser().parse_args(arguments)
    command: int = options.run(options)
    return command


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="tapedeck",
        description="Shows what tf.GradientTape did, step by step.",
    )
    parser.add_argument("--version", action="version", version=f"tapedeck {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    serve = commands.add_parser("serve", help="serve the page and the API")
    serve.add_argument("--host", default="127.0.0.1", help="address to listen on (%(default)s)")
    serve.add_argument("--port", type=_port, default=8000, help="port (%(default)s)")
    serve.set_defaults(run=_serve)

    trace = commands.add_parser(
        "trace",
        help="run a program and tell what its tapes did",
        description="Runs a program on this machine, without limits, and tells what its tapes did.",
        epilog=EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    trace.add_argument("file", metavar="FILE", help="the program; - reads standard input")
    trace.add_argument("--json", action="store_true", help="print the trace document")
    trace.add_argument("--mode", choices=("auto", "script", "expressions"), default="auto")
    trace.add_argument("--seed", type=_seed, default=0, help="seed of all randomness (%(default)s)")
    trace.set_defaults(run=_trace)

    doctor = commands.add_parser(
        "doctor", help="check TensorFlow's hooks and the limits of this machine"
    )
    doctor.set_defaults(run=_doctor)
    return parser


def _port(text: str) -> int:
    number = int(text)
    if not 0 <= number <= 65535:
        raise argparse.ArgumentTypeError(f"{number} is no port: 0 to 65535")
    return number


def _seed(text: str) -> int:
    number = int(text)
    if not 0 <= number < 1 << 32:
        raise argparse.ArgumentTypeError(f"{number} is no seed: 0 to 4294967295")
    return number


def _serve(options: argparse.Namespace) -> int:
    from tapedeck.web.server import serve

    try:
        serve(options.host, options.port)
    except KeyboardInterrupt:
        return 0
    return 0


def _trace(options: argparse.Namespace) -> int:
    try:
        source = _read(options.file)
    except (OSError, UnicodeDecodeError, SyntaxError) as problem:
        print(f"tapedeck: cannot read {options.file}: {_reason(problem)}", file=sys.stderr)
        return UNREADABLE
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

    import msgspec

    from tapedeck.diagnosis import diagnose
    from tapedeck.own_run import run
    from tapedeck.summary import summary

    path = None if options.file == "-" else options.file
    trace = diagnose(run(source, path, options.mode, options.seed))
    if options.json:
        print(msgspec.json.encode(trace).decode())
    else:
        name = "standard input" if options.file == "-" else options.file
        print(summary(trace, name), end="")
    if trace.outcome.kind == "raised":
        return RAISED
    if trace.outcome.kind != "completed" or trace.outcome.exit_code:
        return STOPPED
    return FOUND if any(finding.level == "problem" for finding in trace.findings) else 0


def _read(name: str) -> str:
    """The program's text, in the encoding that it declares (PEP 263)."""
    data = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
    encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
    return data.decode(encoding)


def _reason(problem: OSError | UnicodeDecodeError | SyntaxError) -> str:
    if isinstance(problem, OSError):
        return problem.strerror or str(problem)
    if isinstance(problem, UnicodeDecodeError) and problem.encoding not in ("utf-8", "utf-8-sig"):
        return f"it is not {problem.encoding} text (byte {problem.start})"
    if isinstance(problem, SyntaxError) and "unknown encoding" in str(problem):
        return str(problem)
    return "it is not UTF-8 text"


def _doctor(_: argparse.Namespace) -> int:
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
    from tapedeck.doctor import machine, tensorflow

    well = True
    for title, look in (("This machine", machine), ("TensorFlow", tensorflow)):
        print(title)
        for name, works, detail in look():
            print(f"  {'ok  ' if works else 'FAIL'}  {name}: {detail}")
            well = well and works
    return 0 if well else 1


if __name__ == "__main__":
    sys.exit(main())
