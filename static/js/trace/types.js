/**
 * The trace document as the page holds it.
 *
 * The same records as `tapedeck.trace.document` describes. In the JSON a field that has its
 * default is left out; `complete` (document.js) puts the defaults in, so that every field below
 * is there. An id is a position in its array.
 *
 * @typedef {number | boolean | string} Scalar
 *
 * @typedef {"created" | "recording" | "paused" | "stopped" | "rewinding" | "consumed" | "deleted"} TapeState
 * @typedef {"created" | "entered" | "left" | "left_by_error" | "paused" | "resumed" | "reset" | "call" | "returned" | "raised" | "collected"} TapeCause
 * @typedef {readonly (number | null)[] | null} Shape
 *
 * @typedef {object} Place
 * @property {number} line  from 1
 * @property {number} column  from 0, in code points
 * @property {number} end_line
 * @property {number} end_column  exclusive
 * @property {string | null} function
 *
 * @typedef {object} Repair
 * @property {string} code
 * @property {readonly number[]} lines
 * @property {string} text
 *
 * @typedef {object} Snippet
 * @property {string} text
 * @property {"auto" | "script" | "expressions"} asked
 * @property {"script" | "expressions"} mode
 * @property {number} seed
 * @property {readonly Repair[]} repairs
 * @property {readonly string[]} watched
 * @property {string | null} target
 * @property {string | null} script
 *
 * @typedef {object} Limits
 * @property {number | null} [wall_seconds]
 * @property {number | null} [cpu_seconds]
 * @property {number | null} [memory_bytes]
 * @property {number | null} [output_bytes]
 * @property {number | null} [ops]
 * @property {number | null} [trace_bytes]
 *
 * @typedef {object} Environment
 * @property {string} tapedeck
 * @property {string} python
 * @property {string} tensorflow
 * @property {string} keras
 * @property {string} numpy
 * @property {string} platform
 * @property {readonly string[]} devices
 * @property {Limits} limits
 *
 * @typedef {object} Outcome
 * @property {"completed" | "raised" | "timed_out" | "out_of_memory" | "crashed" | "cancelled" | "truncated"} kind
 * @property {string} detail
 * @property {number | null} error
 * @property {number | null} exit_code
 * @property {string | null} signal
 *
 * @typedef {object} Value
 * @property {any} [data]  nested arrays of Scalar, a bare Scalar for a scalar
 * @property {any} [corner]
 * @property {Scalar | null} [min]
 * @property {Scalar | null} [max]
 * @property {number | null} [mean]
 * @property {number | null} [l2]
 * @property {number} [nan]
 * @property {number} [inf]
 * @property {number} [zero]
 * @property {readonly number[]} [histogram]
 * @property {boolean} [sampled]
 *
 * @typedef {object} Tensor
 * @property {string} dtype
 * @property {Shape} shape
 * @property {Value | null} value
 * @property {string | null} name
 * @property {number | null} place
 * @property {"dense" | "indexed_slices" | "sparse" | "ragged"} form
 * @property {readonly number[]} parts
 * @property {"python" | "numpy" | "variable" | null} source
 *
 * @typedef {object} Variable
 * @property {string} dtype
 * @property {Shape} shape
 * @property {string | null} name
 * @property {string} path
 * @property {number | null} place
 * @property {boolean} trainable
 * @property {Value | null} initial
 * @property {boolean} keras
 *
 * @typedef {"function" | "loop" | "iteration" | "layer" | "loss" | "metric" | "optimizer" | "scope" | "graph" | "part"} GroupKind
 *   graph, part: made by the page where a traced graph is opened (graphs.js)
 * @typedef {object} Group
 * @property {GroupKind} kind
 * @property {string} name
 * @property {number | null} parent
 * @property {number | null} place
 * @property {number | null} index
 *
 * @typedef {object} Op
 * @property {string} type
 * @property {readonly (number | null)[]} inputs
 * @property {readonly number[]} outputs
 * @property {number | null} place
 * @property {number | null} group
 * @property {Record<string, any>} attrs
 * @property {number | null} variable
 * @property {readonly (number | null)[]} captures
 * @property {readonly number[]} recorded_by
 * @property {string | null} suspended
 * @property {boolean} bookkeeping
 * @property {number} thread
 * @property {number | null} call
 * @property {number | null} rewinds
 * @property {string | null} rule
 * @property {number | null} error
 * @property {readonly number[]} bodies  ids into `graphs`
 * @property {number | null} host  made by the page: the op that opens into the graph this one is of
 * @property {number | null} argument  made by the page: it stands for this input of the graph
 *
 * @typedef {object} Graph
 * @property {string} name
 * @property {readonly Tensor[]} tensors
 * @property {readonly Op[]} ops
 * @property {readonly number[]} inputs
 * @property {readonly number[]} outputs
 * @property {number | null} place
 * @property {number} left_out
 *
 * @typedef {object} Tape
 * @property {string | null} name
 * @property {number | null} place
 * @property {boolean} persistent
 * @property {boolean} watch_accessed_variables
 * @property {"snippet" | "library" | "tapedeck"} owner
 * @property {number | null} group
 * @property {number} thread
 * @property {boolean} symbolic
 *
 * @typedef {object} Ref
 * @property {number | null} tensor
 * @property {number | null} variable
 * @property {string} text
 *
 * @typedef {object} Result
 * @property {number} source
 * @property {number | null} tensor
 * @property {number | null} finding
 *
 * @typedef {object} GradientCall
 * @property {"gradient" | "jacobian" | "batch_jacobian"} kind
 * @property {number} tape
 * @property {number | null} place
 * @property {readonly Ref[]} targets
 * @property {readonly Ref[]} sources
 * @property {readonly (number | null)[]} output_gradients
 * @property {"none" | "zero"} unconnected
 * @property {boolean | null} vectorized
 * @property {readonly Result[]} results
 * @property {number | null} error
 * @property {number | null} group
 *
 * @typedef {object} Frame
 * @property {string} function
 * @property {number | null} place
 * @property {string} module
 * @property {number | null} line
 *
 * @typedef {object} TraceError
 * @property {string} type
 * @property {string} message
 * @property {number | null} place
 * @property {readonly Frame[]} frames
 * @property {boolean} handled
 * @property {number | null} cause
 * @property {string | null} hint
 * @property {string} text
 *
 * @typedef {object} Finding
 * @property {string} code
 * @property {"problem" | "hint"} level
 * @property {readonly number[]} places
 * @property {Record<string, string | number>} facts
 * @property {readonly number[]} steps
 * @property {number | null} call
 * @property {number | null} tape
 * @property {number | null} op
 * @property {number | null} error
 *
 * @typedef {{ kind: "tape", tape: number, state: TapeState, cause: TapeCause, place: number | null }} TapeEvent
 * @typedef {{ kind: "watch", tape: number, by: "hand" | "read", tensor: number | null, variable: number | null, place: number | null }} WatchEvent
 * @typedef {{ kind: "variable", variable: number }} VariableEvent
 * @typedef {{ kind: "constant", tensor: number }} ConstantEvent
 * @typedef {{ kind: "op", op: number }} OpEvent
 * @typedef {{ kind: "read", op: number }} ReadEvent
 * @typedef {{ kind: "assign", op: number, tensor: number | null, variable: number | null }} AssignEvent
 * @typedef {{ kind: "exit", tensor: number, how: string, place: number | null }} ExitEvent
 * @typedef {{ kind: "gradient_begin", call: number }} GradientBeginEvent
 * @typedef {{ kind: "rewind", call: number, op: number, upstream: readonly (number | null)[], contributions: readonly (number | null)[] }} RewindEvent
 * @typedef {{ kind: "sum", call: number, total: number, parts: readonly number[], tensor: number | null, variable: number | null }} SumEvent
 * @typedef {{ kind: "gradient_end", call: number }} GradientEndEvent
 * @typedef {{ kind: "trace", function: string, phase: "begun" | "ended" | "raised", again: boolean, why: string, place: number | null }} TracingEvent
 * @typedef {{ kind: "print", stream: "stdout" | "stderr" | "warning" | "log", text: string, place: number | null }} PrintEvent
 * @typedef {{ kind: "error", error: number }} ErrorEvent
 * @typedef {TapeEvent | WatchEvent | VariableEvent | ConstantEvent | OpEvent | ReadEvent | AssignEvent | ExitEvent | GradientBeginEvent | RewindEvent | SumEvent | GradientEndEvent | TracingEvent | PrintEvent | ErrorEvent} TraceEvent
 *
 * @typedef {object} Stats
 * @property {number} wall_ms
 * @property {number} cpu_ms
 * @property {number} peak_bytes
 *
 * @typedef {object} Trace
 * @property {number} schema_version
 * @property {Snippet} snippet
 * @property {Environment} environment
 * @property {Outcome} outcome
 * @property {readonly Place[]} places
 * @property {readonly Tensor[]} tensors
 * @property {readonly Variable[]} variables
 * @property {readonly Group[]} groups
 * @property {readonly Op[]} ops
 * @property {readonly Graph[]} graphs
 * @property {readonly Tape[]} tapes
 * @property {readonly GradientCall[]} gradients
 * @property {readonly TraceError[]} errors
 * @property {readonly Finding[]} findings
 * @property {readonly TraceEvent[]} events
 * @property {Stats} stats
 */

export {};
