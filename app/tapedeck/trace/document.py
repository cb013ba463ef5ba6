"""The trace document: everything one run of a snippet produced, as plain data.

A trace is written by the recorder, sent as JSON, and read by the diagnosis and by the page.
Its arrays are flat and an id is a position in its array: `Op.outputs == (5,)` means
`trace.tensors[5]`. Nothing stands in it twice: what can be computed from the rest is a query
(`tapedeck.trace.queries`). `docs/trace-format.md` explains it for readers of the JSON.
"""

from typing import Any, Literal

import msgspec

SCHEMA_VERSION = 1

Mode = Literal["auto", "script", "expressions"]
TapeState = Literal["created", "recording", "paused", "stopped", "rewinding", "consumed", "deleted"]
DType = Literal[
    "bfloat16", "bool", "complex128", "complex64", "float16", "float32", "float64",
    "float8_e4m3b11fnuz", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz",
    "float4_e2m1fn", "int1", "int16", "int2", "int32", "int4", "int64", "int8", "qint16",
    "qint32", "qint8", "quint16", "quint8", "resource", "string", "uint1", "uint16", "uint2",
    "uint32", "uint4", "uint64", "uint8", "variant", "other",
]  # fmt: skip
#: A number as JSON can carry it: non-finite floats are the strings "nan", "inf" and "-inf", an
#: integer beyond ±2**53 and a complex number are their Python text, -0.0 stays -0.0.
Number = float | int | bool | str


class Record(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True, gc=False):
    """Base of everything in a trace."""


class Place(Record, frozen=True):
    """A piece of the snippet as the person sees it.

    Lines are counted from 1, columns from 0 in Unicode code points; the end is exclusive.
    """

    line: int
    column: int
    end_line: int
    end_column: int
    function: str | None = None
    """Name of the snippet's function around it, None at module level."""


class Repair(Record, frozen=True):
    """Something that was put right in the pasted text before it ran."""

    code: str
    """`indent`, `prompt`, `magic`, `space`, `zero_width`, `quotes`, `tabs`, `import`, ..."""
    lines: tuple[int, ...] = ()
    """The lines of the person's text that it concerns; empty for the text as a whole."""
    text: str = ""
    """What was added or left out, where that helps: `import tensorflow as tf`."""


class Snippet(Record, frozen=True):
    """What was asked to run and how it was read."""

    text: str
    asked: Mode = "auto"
    mode: Literal["script", "expressions"] = "script"
    seed: int = 0
    repairs: tuple[Repair, ...] = ()
    watched: tuple[str, ...] = ()
    """Expressions mode: the names that became watched tensors."""
    target: str | None = None
    """Expressions mode: the name or the text of the expression that was differentiated."""
    script: str | None = None
    """Expressions mode: the script with its own tape that runs to the same result."""


class Limits(Record, frozen=True):
    """The limits that the run had. None means unlimited."""

    wall_seconds: float | None = None
    cpu_seconds: float | None = None
    memory_bytes: int | None = None
    """Memory of its own that the run may use beyond what the warm process already holds."""
    output_bytes: int | None = None
    """Characters kept of the console, in UTF-8 bytes."""
    ops: int | None = None
    trace_bytes: int | None = None


class Environment(Record, frozen=True):
    """What the snippet ran on. Nothing personal: no path, no host name."""

    tapedeck: str = ""
    python: str = ""
    tensorflow: str = ""
    keras: str = ""
    numpy: str = ""
    platform: str = ""
    devices: tuple[str, ...] = ()
    limits: Limits = Limits()


class Outcome(Record, frozen=True):
    """How the run ended."""

    kind: Literal[
        "completed",
        "raised",
        "timed_out",
        "out_of_memory",
        "crashed",
        "cancelled",
        "truncated",
    ] = "completed"
    detail: str = ""
    """One English sentence with the figures: which limit, which signal, which exit code."""
    error: int | None = None
    """Id of the error that ended the run."""
    exit_code: int | None = None
    """Given where the snippet ended the run itself (`sys.exit(3)`, `os._exit(3)`)."""
    signal: str | None = None
    """Name of the signal that killed the process: `SIGSEGV`."""


class Value(Record, frozen=True):
    """What a tensor held.

    Small ones (at most 64 elements) whole in `data`, nested as the shape says; larger ones as
    statistics, a histogram and the corner with the lowest indices.
    """

    data: Any = None
    """Nested tuples of Number (a bare Number for a scalar); strings for a string tensor."""
    corner: Any = None
    """Nested like `data`: at most the first 4 along each of the last two axes, 0 along the others."""
    min: Number | None = None
    max: Number | None = None
    mean: Number | None = None
    l2: Number | None = None
    """Euclidean norm of the finite elements. min, max and mean are of the finite ones too."""
    nan: int = 0
    inf: int = 0
    zero: int = 0
    histogram: tuple[int, ...] = ()
    """Counts in equal bins from min to max, of the finite elements."""
    sampled: bool = False
    """True where mean, zero and histogram come from an even sample of the elements."""


class Tensor(Record, frozen=True):
    """A value: made by an op, or a constant.

    The op that made it has it among its outputs; a tensor no op made is a constant.
    """

    dtype: DType = "float32"
    shape: tuple[int | None, ...] | None = None
    """None: unknown rank; None inside: unknown length."""
    value: Value | None = None
    """None where there is nothing to show: symbolic, resource, variant."""
    name: str | None = None
    """What the snippet calls it: `loss`, `grads[0]`, `self.h`."""
    place: int | None = None
    """A constant: where the snippet made it. Id into `places`."""
    form: Literal["dense", "indexed_slices", "sparse", "ragged"] = "dense"
    parts: tuple[int, ...] = ()
    """Not dense: ids of the component tensors. indexed_slices: (values, indices)."""
    source: Literal["python", "numpy", "variable"] | None = None
    """A constant: what it was made from, where known."""


class Variable(Record, frozen=True):
    """One variable."""

    dtype: DType
    shape: tuple[int | None, ...] | None = None
    name: str | None = None
    """What the snippet calls it, else TensorFlow's or Keras's name for it."""
    path: str = ""
    """TensorFlow's name: `dense/kernel`, `weight:0`."""
    place: int | None = None
    trainable: bool = True
    initial: Value | None = None
    keras: bool = False


class Group(Record, frozen=True):
    """Ops that belong together; groups nest."""

    kind: Literal["function", "loop", "iteration", "layer", "loss", "metric", "optimizer", "scope"]
    name: str
    parent: int | None = None
    place: int | None = None
    """function: the call; loop: the whole statement's header; layer: the call."""
    index: int | None = None
    """iteration: its number, counted from 0."""


class Op(Record, frozen=True):
    """One TensorFlow operation that really ran."""

    type: str
    inputs: tuple[int | None, ...] = ()
    """Tensor ids; None for an input that is not a tensor of its own (a resource handle)."""
    outputs: tuple[int, ...] = ()
    place: int | None = None
    """The exact sub-expression. None: it ran outside of the snippet's code."""
    group: int | None = None
    attrs: dict[str, Any] = {}
    variable: int | None = None
    """The variable that it reads or assigns."""
    captures: tuple[int | None, ...] = ()
    """A function that uses several variables: the variable behind each input, None for a tensor."""
    recorded_by: tuple[int, ...] = ()
    """The tapes that hold it. For every other tape alive `queries.op_status` tells why not."""
    suspended: str | None = None
    """Why no tape could record it although one was recording: `suspended` (TensorFlow had
    switched recording off), `thread` (it ran in another thread than the tape)."""
    bookkeeping: bool = False
    """Shape arithmetic, variable reads, assigns, casts of indices: hidden until asked for."""
    thread: int = 0
    """0: the thread the snippet started in; others are counted as they appear."""
    call: int | None = None
    """A backward op: the gradient call that it ran in."""
    rewinds: int | None = None
    """A backward op: the forward op whose rewind it belongs to."""
    rule: str | None = None
    """What will rewind it where that is not TensorFlow's registered gradient: `custom_gradient`,
    `function`."""
    error: int | None = None
    """It raised this error instead of giving outputs."""
    bodies: tuple[int, ...] = ()
    """What it opens into, ids into `graphs`: a function's graph; the branches of an `If`; the
    condition and the body of a `While`."""


class Graph(Record, frozen=True):
    """A traced graph: what a `tf.function` holds. Its ids are positions in itself."""

    name: str
    tensors: tuple[Tensor, ...] = ()
    """Symbolic: shapes, no values, but for constants."""
    ops: tuple[Op, ...] = ()
    """In an order in which they can run. `inputs` and `outputs` are ids into this graph's
    `tensors`; `variable`, `place` and `bodies` are ids into the trace's arrays."""
    inputs: tuple[int, ...] = ()
    """The arguments, then what it captured from outside."""
    outputs: tuple[int, ...] = ()
    place: int | None = None
    left_out: int = 0
    """How many more ops it has than are told."""


class Tape(Record, frozen=True):
    """One `tf.GradientTape` object. Its states over time are `tape` events."""

    name: str | None = None
    place: int | None = None
    persistent: bool = False
    watch_accessed_variables: bool = True
    owner: Literal["snippet", "library", "tapedeck"] = "snippet"
    """library: made inside TensorFlow or Keras; tapedeck: the tape around expressions."""
    group: int | None = None
    thread: int = 0
    symbolic: bool = False
    """Made while a `tf.function` was traced: it records a graph's ops, which have no values."""


class Ref(Record, frozen=True):
    """A target or a source of a gradient call: a tensor, a variable, or neither of them."""

    tensor: int | None = None
    variable: int | None = None
    text: str = ""
    """How the snippet names it: `w`, `model.trainable_variables[0]`, `b["bias"]`."""


class Result(Record, frozen=True):
    """What a gradient call gave for one source."""

    source: int
    """Position in the call's `sources`."""
    tensor: int | None = None
    """None: the call gave None for it."""
    finding: int | None = None
    """The finding that explains it."""


class GradientCall(Record, frozen=True):
    """One `gradient()`, `jacobian()` or `batch_jacobian()` call."""

    kind: Literal["gradient", "jacobian", "batch_jacobian"]
    tape: int
    place: int | None = None
    targets: tuple[Ref, ...] = ()
    sources: tuple[Ref, ...] = ()
    output_gradients: tuple[int | None, ...] = ()
    """Tensor ids, one a target; empty: ones."""
    unconnected: Literal["none", "zero"] = "none"
    vectorized: bool | None = None
    """Jacobians: whether `experimental_use_pfor` was on."""
    results: tuple[Result, ...] = ()
    """Empty while it runs and where it raised."""
    error: int | None = None
    group: int | None = None


class Frame(Record, frozen=True):
    """One line of a traceback: in the snippet (`place`) or in a library (`module`, `line`)."""

    function: str = ""
    place: int | None = None
    module: str = ""
    line: int | None = None


class Error(Record, frozen=True):
    """An exception, as the snippet saw it."""

    type: str
    message: str
    """TensorFlow's or Python's own text, to the letter."""
    place: int | None = None
    """The innermost place in the snippet."""
    frames: tuple[Frame, ...] = ()
    """Outermost first, as Python prints them."""
    handled: bool = False
    """The snippet caught it."""
    cause: int | None = None
    """`raise ... from` or the exception during whose handling it came."""
    hint: str | None = None
    """Code of a plain explanation where the error is not about gradients: `no_input`."""
    text: str = ""
    """The traceback as Python prints it."""


class Finding(Record, frozen=True):
    """One diagnosed problem."""

    code: str
    """`TD101`. The catalogue gives its title and page."""
    level: Literal["problem", "hint"] = "problem"
    places: tuple[int, ...] = ()
    facts: dict[str, str | int | float] = {}
    """What the sentence of the catalogue is filled with, in the snippet's own names."""
    steps: tuple[int, ...] = ()
    """Evidence: the events that show it."""
    call: int | None = None
    tape: int | None = None
    op: int | None = None
    error: int | None = None


# Events: the time axis. The step of an event is its position in `Trace.events`.


class Event(Record, tag_field="kind", frozen=True):
    """Base of the events."""


class TapeEvent(Event, tag="tape", frozen=True):
    """A tape enters a state."""

    tape: int
    state: TapeState
    cause: Literal[
        "created",
        "entered",
        "left",
        "left_by_error",
        "paused",
        "resumed",
        "reset",
        "call",
        "returned",
        "raised",
        "collected",
    ]
    """call: a gradient call begins, or (inside the block) stops the recording for its run."""
    place: int | None = None


class WatchEvent(Event, tag="watch", frozen=True):
    """A tape begins to watch a tensor or a variable."""

    tape: int
    by: Literal["hand", "read"]
    """hand: `watch()`; read: a trainable variable was read inside the block."""
    tensor: int | None = None
    variable: int | None = None
    place: int | None = None


class VariableEvent(Event, tag="variable", frozen=True):
    """A variable is made."""

    variable: int


class ConstantEvent(Event, tag="constant", frozen=True):
    """The snippet makes a tensor from Python or NumPy data."""

    tensor: int


class OpEvent(Event, tag="op", frozen=True):
    """An op ran: a forward op, or a backward op that an outer tape recorded."""

    op: int


class ReadEvent(Event, tag="read", frozen=True):
    """A variable is read (`Op.variable`); the op's output holds the value."""

    op: int


class AssignEvent(Event, tag="assign", frozen=True):
    """A variable is given a value."""

    op: int
    tensor: int | None = None
    """The value it has afterwards."""
    variable: int | None = None
    """Given where it is not `Op.variable`: a function can assign several."""


class ExitEvent(Event, tag="exit", frozen=True):
    """A tensor's value leaves TensorFlow for Python or NumPy."""

    tensor: int
    how: str
    """`.numpy()`, `float()`, `int()`, `bool()`, `np.array`."""
    place: int | None = None


class GradientBeginEvent(Event, tag="gradient_begin", frozen=True):
    """A gradient call begins."""

    call: int


class RewindEvent(Event, tag="rewind", frozen=True):
    """A gradient call goes back through one op."""

    call: int
    op: int
    upstream: tuple[int | None, ...] = ()
    """Tensor ids, one an output of the op: the gradient that arrives there."""
    contributions: tuple[int | None, ...] = ()
    """Tensor ids, one an input of the op: what is sent on to it. None: nothing."""


class SumEvent(Event, tag="sum", frozen=True):
    """Contributions to one tensor are summed."""

    call: int
    total: int
    parts: tuple[int, ...] = ()
    """Tensor ids of the contributions, in the order they came."""
    tensor: int | None = None
    """The forward tensor they belong to, or ..."""
    variable: int | None = None
    """... the variable."""


class GradientEndEvent(Event, tag="gradient_end", frozen=True):
    """A gradient call returns or raises."""

    call: int


class TraceEvent(Event, tag="trace", frozen=True):
    """TensorFlow begins or has finished tracing a `tf.function`. What the snippet's Python does
    in between (prints, appends) it does at trace time only."""

    function: str
    phase: Literal["begun", "ended", "raised"]
    again: bool = False
    """The function had been traced before, for other arguments."""
    why: str = ""
    """again: which argument changed from what to what."""
    place: int | None = None


class PrintEvent(Event, tag="print", frozen=True):
    """Something is written."""

    stream: Literal["stdout", "stderr", "warning", "log"]
    text: str
    place: int | None = None


class ErrorEvent(Event, tag="error", frozen=True):
    """An exception is raised by TensorFlow, or ends the run."""

    error: int


AnyEvent = (
    TapeEvent
    | WatchEvent
    | VariableEvent
    | ConstantEvent
    | OpEvent
    | ReadEvent
    | AssignEvent
    | ExitEvent
    | GradientBeginEvent
    | RewindEvent
    | SumEvent
    | GradientEndEvent
    | TraceEvent
    | PrintEvent
    | ErrorEvent
)


class Stats(Record, frozen=True):
    """Measured from outside of the run; the only part that differs from run to run."""

    wall_ms: float = 0.0
    cpu_ms: float = 0.0
    peak_bytes: int = 0


class Trace(Record, frozen=True):
    """The document."""

    snippet: Snippet
    schema_version: int = SCHEMA_VERSION
    environment: Environment = Environment()
    outcome: Outcome = Outcome()
    places: tuple[Place, ...] = ()
    tensors: tuple[Tensor, ...] = ()
    variables: tuple[Variable, ...] = ()
    groups: tuple[Group, ...] = ()
    ops: tuple[Op, ...] = ()
    graphs: tuple[Graph, ...] = ()
    tapes: tuple[Tape, ...] = ()
    gradients: tuple[GradientCall, ...] = ()
    errors: tuple[Error, ...] = ()
    findings: tuple[Finding, ...] = ()
    events: tuple[AnyEvent, ...] = ()
    stats: Stats = Stats()
