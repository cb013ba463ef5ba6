/**
 * What the page asks of a trace, answered quickly: built once a trace in one pass over it.
 *
 * @typedef {import("./types.js").Trace} Trace
 * @typedef {import("./types.js").Op} Op
 * @typedef {import("./types.js").Ref} Ref
 * @typedef {import("./types.js").Value} Value
 * @typedef {import("./types.js").TapeState} TapeState
 * @typedef {import("./types.js").PrintEvent} PrintEvent
 * @typedef {import("./tapes.js").Interval} Interval
 * @typedef {import("./tapes.js").OpStatus} OpStatus
 * @typedef {import("./gradients.js").Contributions} Contributions
 * @typedef {import("./gradients.js").GradientRow} GradientRow
 * @typedef {import("./groups.js").Children} Children
 * @typedef {import("./breaks.js").Break} Break
 * @typedef {import("./graphs.js").Body} Body
 * @typedef {import("./tracing.js").Tracing} Tracing
 *
 * @typedef {{ tape: number, step: number, by: "hand" | "read" }} Watch
 * @typedef {{ step: number, stream: PrintEvent["stream"], text: string, line: number | null }} Line
 * @typedef {{ tensor?: number | null, variable?: number | null }} Target  a tensor or a variable
 */

import { breaksOf } from "./breaks.js";
import { complete } from "./document.js";
import { assignsOf, consumersOf, producersOf, readsOf, stepsOf, watchesOf } from "./facts.js";
import { carriesNumbers, openGraphs } from "./graphs.js";
import { backwardOf, contributionsTo, gradientRow, rewindAt, sumAt } from "./gradients.js";
import { groupTree, iterationAt } from "./groups.js";
import { lastAtMost, listAt } from "./lists.js";
import { tracedAt, tracingsOf } from "./tracing.js";
import { intervalAt, opStatus, tapeIntervals, tapesOfOp } from "./tapes.js";

/**
 * @param {any} document  a trace as it came
 * @returns {TraceIndex}
 */
export function buildIndex(document) {
  return new TraceIndex(complete(document));
}

/** The answers about one trace. Every id and step is a position in the trace's arrays. */
export class TraceIndex {
  /** @param {Trace} trace */
  constructor(trace) {
    /** What is recorded, and behind it the traced graphs that have been opened. */
    this.trace = { ...trace, ops: [...trace.ops], tensors: [...trace.tensors], groups: [...trace.groups] };
    /** @private */
    this._producers = producersOf(trace);
    /** @private */
    this._consumers = consumersOf(trace);
    /** @private */
    this._reads = readsOf(trace);
    /** @private */
    this._steps = stepsOf(trace);
    /** @private @type {Map<number, Body>} by op */
    this._bodies = new Map();
    /** @private */
    this._intervals = tapeIntervals(trace);
    /** @private */
    this._watches = watchesOf(trace);
    /** @private */
    this._backward = backwardOf(trace);
    /** @private */
    this._assigns = assignsOf(trace);
    /** @private */
    this._tracings = tracingsOf(trace);
    /** The function that is being traced at a step, null: none. */
    this.tracedAt = tracedAt(trace);
    this.groups = groupTree(trace, this._steps.opSteps);
    /** @private @type {readonly Break[] | null} */
    this._breaks = null;
  }

  /**
   * Opens the traced graph of an op: what it consists of stands in `trace` from then on.
   *
   * @param {number} op
   * @returns {Body | null} null: it has none
   */
  open(op) {
    const known = this._bodies.get(op);
    if (known) return known;
    if (this.trace.ops[op].bodies.length === 0) return null;
    this.breaks(); // Found in what is recorded only.
    const given = this.given(op);
    const body = openGraphs(this.trace, op);
    this._bodies.set(op, { ...body, returns: body.returns.filter(({ output }) => given(output)) });
    this._producers = producersOf(this.trace);
    this._consumers = consumersOf(this.trace);
    this._reads = readsOf(this.trace);
    this._steps = stepsOf(this.trace);
    this.groups = groupTree(this.trace, this._steps.opSteps);
    return this._bodies.get(op) ?? null;
  }

  /**
   * Which outputs an op has for what comes after it: one that a tape holds gives more, for its
   * rewind alone.
   *
   * @param {number} id
   * @returns {(output: number) => boolean}
   */
  given(id) {
    const op = this.trace.ops[id];
    const taken = op.outputs.map((tensor, output) => {
      if (!carriesNumbers(this.trace.tensors[tensor].dtype)) return false;
      const used = [...this.consumers(tensor)].some((user) => this.trace.ops[user].call === null);
      return used || op.host !== null || op.call !== null || this.trace.tensors[tensor].name !== null || output === 0;
    });
    if (op.bodies.length === 0) return () => true;
    return (output) => output < 0 || !taken.includes(true) || taken[output];
  }

  /**
   * What had to be traced for a call of a traced function; null: it is none.
   *
   * @param {number} op
   */
  tracingOf(op) {
    return this._tracings.get(op) ?? null;
  }

  /**
   * What an op opens into, null while it has not been opened.
   *
   * @param {number} op
   */
  bodyOf(op) {
    return this._bodies.get(op) ?? null;
  }

  /** How many steps there are. */
  get length() {
    return this.trace.events.length;
  }

  /**
   * The op that made a tensor, null for a constant.
   *
   * @param {number} tensor
   * @returns {number | null}
   */
  producer(tensor) {
    const op = this._producers[tensor];
    return op < 0 ? null : op;
  }

  /**
   * The ops that take a tensor, in the order they ran; one that takes it twice stands twice.
   *
   * @param {number} tensor
   */
  consumers(tensor) {
    return listAt(this._consumers, tensor);
  }

  /**
   * The step at which an op ran; −1: it has no event of its own.
   *
   * @param {number} op
   */
  stepOfOp(op) {
    return this._steps.opSteps[op];
  }

  /**
   * The op that runs, is read, assigns or is rewound at a step.
   *
   * @param {number} step
   * @returns {number | null}
   */
  opAtStep(step) {
    const event = this.trace.events[step];
    return event && "op" in event ? event.op : null;
  }

  /**
   * The step from which a tensor is there; −1: before the first.
   *
   * @param {number} tensor
   */
  stepOfTensor(tensor) {
    const op = this._producers[tensor];
    return op < 0 ? this._steps.constantSteps[tensor] : this._steps.opSteps[op];
  }

  /**
   * The step at which a variable is made; −1: before the first.
   *
   * @param {number} variable
   */
  stepOfVariable(variable) {
    return this._steps.variableSteps[variable];
  }

  /**
   * The variable whose value a tensor is, null where no read made it.
   *
   * @param {number} tensor
   */
  variableOfTensor(tensor) {
    const op = this._producers[tensor];
    return op >= 0 && this.isRead(op) ? this.trace.ops[op].variable : null;
  }

  /** @param {number} op */
  isRead(op) {
    return this.trace.ops[op].variable !== null && this._reads[op] === 1;
  }

  /**
   * @param {number} tape
   * @param {number} step
   * @returns {TapeState | null} null before it was made
   */
  tapeStateAt(tape, step) {
    return intervalAt(this._intervals[tape], step)?.state ?? null;
  }

  /**
   * @param {number} tape
   * @returns {readonly Interval[]}
   */
  tapeIntervals(tape) {
    return this._intervals[tape];
  }

  /** Steps at which a tape enters a state, in order. */
  tapeSteps() {
    return this._steps.tapeSteps;
  }

  /**
   * The tapes that had been made and not yet deleted when an op ran.
   *
   * @param {number} op
   */
  tapesAlive(op) {
    const step = this._steps.opSteps[op];
    return this.trace.tapes.flatMap((_, tape) => {
      const state = this.tapeStateAt(tape, step);
      return state === null || state === "deleted" ? [] : [tape];
    });
  }

  /**
   * The tapes that an op is shown with: those that recorded it and those that were running; where
   * there is none, the one that it just missed.
   *
   * @param {number} op
   * @returns {number[]}
   */
  tapesOfOp(op) {
    return tapesOfOp(this, op);
  }

  /**
   * @param {number} op
   * @param {number} tape
   * @param {number} step
   * @returns {OpStatus}
   */
  opStatus(op, tape, step) {
    return opStatus(this, op, tape, step);
  }

  /**
   * Whether a tape followed a tensor at a step: watched by then, or made by an op that it recorded.
   *
   * @param {number} tensor
   * @param {number} tape
   * @param {number} step
   */
  onTape(tensor, tape, step) {
    const op = this._producers[tensor];
    if (op >= 0 && this.trace.ops[op].recorded_by.includes(tape)) return true;
    return this.watchedBy({ tensor }).some((watch) => watch.tape === tape && watch.step <= step);
  }

  /**
   * The tapes that watch a tensor or a variable, and since when.
   *
   * @param {Target} target
   * @returns {readonly Watch[]}
   */
  watchedBy({ tensor, variable }) {
    if (variable !== undefined && variable !== null) return this._watches.variables.get(variable) ?? [];
    return (tensor !== undefined && tensor !== null && this._watches.tensors.get(tensor)) || [];
  }

  /**
   * Steps at which an op is rewound, in order.
   *
   * @param {number} op
   * @returns {readonly number[]}
   */
  rewindsOf(op) {
    return this._backward.rewinds.get(op) ?? [];
  }

  /**
   * The last rewind of an op up to a step.
   *
   * @param {number} op
   * @param {number} step
   */
  rewindAt(op, step) {
    return rewindAt(this.trace, this._backward, op, step);
  }

  /**
   * The upstream gradient that had arrived at an output by a step.
   *
   * @param {number} op
   * @param {number} output  position among the op's outputs
   * @param {number} step
   * @returns {number | null} id of a tensor
   */
  upstreamAt(op, output, step) {
    return this.rewindAt(op, step)?.upstream[output] ?? null;
  }

  /**
   * What an op had sent on to one of its inputs by a step.
   *
   * @param {number} op
   * @param {number} input  position among the op's inputs
   * @param {number} step
   * @returns {number | null} id of a tensor; null: nothing, or not yet
   */
  contributionAt(op, input, step) {
    return this.rewindAt(op, step)?.contributions[input] ?? null;
  }

  /**
   * What a call had sent to a tensor or a variable by a step, and the sum of it.
   *
   * @param {Target} target
   * @param {number} call
   * @param {number} step
   * @returns {Contributions}
   */
  contributionsTo(target, call, step) {
    return contributionsTo(this, target, call, step);
  }

  /**
   * The sum of what a call had sent to a tensor or a variable by a step, null before it is made.
   *
   * @param {Target} target
   * @param {number} call
   * @param {number} step
   */
  sumAt({ tensor, variable }, call, step) {
    const { variableSums, tensorSums } = this._backward;
    const isVariable = variable !== undefined && variable !== null;
    const steps = isVariable ? variableSums.get(variable) : tensorSums.get(tensor ?? -1);
    return sumAt(this.trace, steps, call, step);
  }

  /**
   * The tensors that reads of a variable gave.
   *
   * @param {number} variable
   */
  tensorsOfVariable(variable) {
    return this._assigns.reads.get(variable) ?? [];
  }

  /**
   * What a variable holds at a step.
   *
   * @param {number} variable
   * @param {number} step
   * @returns {Value | null}
   */
  variableValueAt(variable, step) {
    const steps = this._assigns.steps.get(variable) ?? [];
    const event = this.trace.events[steps[lastAtMost(steps, step)] ?? -1];
    if (event?.kind === "assign" && event.tensor !== null) return this.trace.tensors[event.tensor].value;
    return this.trace.variables[variable].initial;
  }

  /**
   * Step at which a call begins and ends; −1: it does not.
   *
   * @param {number} call
   */
  callSpan(call) {
    return { begin: this._backward.begin[call], end: this._backward.end[call] };
  }

  /**
   * The innermost gradient call that runs at a step, its first and last step included.
   *
   * @param {number} step
   * @returns {number | null}
   */
  callAt(step) {
    const event = this.trace.events[step];
    if (event && "call" in event) return event.call;
    let found = null;
    for (let call = 0; call < this.trace.gradients.length; call += 1) {
      const { begin, end } = this.callSpan(call);
      if (begin >= 0 && begin <= step && (end < 0 || step <= end)) found = call;
    }
    return found;
  }

  /**
   * What was written up to a step.
   *
   * @param {number} step
   * @returns {Line[]}
   */
  console(step) {
    const { events, places } = this.trace;
    return this._steps.prints.slice(0, lastAtMost(this._steps.prints, step) + 1).map((at) => {
      const { stream, text, place } = /** @type {PrintEvent} */ (events[at]);
      return { step: at, stream, text, line: place === null ? null : places[place].line };
    });
  }

  /**
   * One row a source of every gradient call, as it stands at a step.
   *
   * @param {number} step
   * @returns {GradientRow[]}
   */
  gradientsTable(step) {
    return this.trace.gradients.flatMap((call, id) =>
      call.sources.map((_, source) => gradientRow(this, id, source, step)),
    );
  }

  /**
   * The groups and ops that stand directly in a group; null: in none.
   *
   * @param {number | null} group
   * @returns {Children}
   */
  groupChildren(group) {
    return group === null ? this.groups.top : this.groups.children[group];
  }

  /**
   * The first and the last step of a group; −1 where nothing ran in it.
   *
   * @param {number} group
   */
  groupSpan(group) {
    return { from: this.groups.from[group], to: this.groups.to[group] };
  }

  /**
   * How many ops a group holds, at any depth.
   *
   * @param {number} group
   */
  groupSize(group) {
    return this.groups.size[group];
  }

  /** The loops that ran more than once. */
  loops() {
    return this.trace.groups.flatMap(({ kind }, group) =>
      kind === "loop" && this.iterations(group).length > 1 ? [group] : [],
    );
  }

  /**
   * The iterations of a loop, as groups, in order.
   *
   * @param {number} loop
   */
  iterations(loop) {
    return this.groups.children[loop].groups.filter((id) => this.trace.groups[id].kind === "iteration");
  }

  /**
   * Position of the iteration that a step lies in; −1 before the first.
   *
   * @param {number} loop
   * @param {number} step
   */
  iterationAt(loop, step) {
    return iterationAt(this.groups, this.iterations(loop), step);
  }

  /**
   * The innermost loop that a step lies in, null: in none.
   *
   * @param {number} step
   */
  loopAt(step) {
    const around = this.loops().filter((loop) => {
      const { from, to } = this.groupSpan(loop);
      return step >= from && step <= to;
    });
    return around.at(-1) ?? null;
  }

  /**
   * The number, from 1, of the innermost iteration that a step lies in; null: in no loop. A tape of
   * an earlier iteration that dies in this one dies in this one.
   *
   * @param {number} step
   */
  iterationOfStep(step) {
    const loop = this.loopAt(step);
    return loop === null ? null : this.iterationAt(loop, step) + 1;
  }

  /** The places where a path from a source to a target breaks: one a finding. */
  breaks() {
    this._breaks ??= breaksOf(this);
    return this._breaks;
  }
}
