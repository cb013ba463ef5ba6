/**
 * The tapes over time, and why a tape does not hold an op.
 *
 * @typedef {import("./types.js").Trace} Trace
 * @typedef {import("./types.js").TapeState} TapeState
 * @typedef {import("./types.js").TapeCause} TapeCause
 * @typedef {import("./index.js").TraceIndex} TraceIndex
 *
 * @typedef {{ state: TapeState, cause: TapeCause, from: number, to: number }} Interval
 *   `from` is the step of the tape event, `to` the step where the next state begins (exclusive)
 * @typedef {"nothing_watched" | "dtype" | "before_block" | "outside_block" | "paused" | "during_call" | "after_call" | "deleted" | "suspended" | "stop_gradient" | "thread" | "dropped" | "failed"} Reason
 * @typedef {object} OpStatus
 * @property {boolean} recorded  the tape took the op when it ran
 * @property {TapeState | null} state  of the tape at the step asked for; null before it was made
 * @property {Reason | null} reason  why the tape does not hold it; null where it does
 * @property {number} since  step at which that reason began; −1 where it has no beginning
 */

/** Dtypes that a tape follows. */
const DIFFERENTIABLE = /^(float|bfloat|half|double|complex|resource|variant)/;

/** @type {Record<TapeState, Reason>} */
const REASON_OF_STATE = {
  created: "before_block",
  recording: "nothing_watched",
  paused: "paused",
  stopped: "outside_block",
  rewinding: "during_call",
  consumed: "after_call",
  deleted: "deleted",
};

/** @param {string} dtype */
export function differentiable(dtype) {
  return DIFFERENTIABLE.test(dtype);
}

/**
 * The states of every tape, one list of intervals a tape.
 *
 * @param {Trace} trace
 * @returns {Interval[][]}
 */
export function tapeIntervals(trace) {
  /** @type {Interval[][]} */
  const all = trace.tapes.map(() => []);
  trace.events.forEach((event, step) => {
    if (event.kind !== "tape") return;
    const intervals = all[event.tape];
    const last = intervals.at(-1);
    if (last) last.to = step;
    intervals.push({ state: event.state, cause: event.cause, from: step, to: trace.events.length });
  });
  return all;
}

/**
 * @param {readonly Interval[]} intervals
 * @param {number} step
 * @returns {Interval | null}
 */
export function intervalAt(intervals, step) {
  let low = 0;
  let high = intervals.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (intervals[middle].from <= step) low = middle + 1;
    else high = middle;
  }
  return low > 0 ? intervals[low - 1] : null;
}

/**
 * The first step after `from`, up to `until`, at which the tape let go of its operations to start
 * anew: `reset()`, or entered again after it was used up. −1 where it did not.
 *
 * @param {readonly Interval[]} intervals
 * @param {number} from
 * @param {number} until
 */
function droppedAt(intervals, from, until) {
  for (let i = 0; i < intervals.length; i += 1) {
    const interval = intervals[i];
    if (interval.from <= from) continue;
    if (interval.from > until) return -1;
    if (interval.cause === "reset") return interval.from;
    const fresh = interval.cause === "entered" && intervals[i - 1]?.state === "consumed";
    if (fresh) return interval.from;
  }
  return -1;
}

/**
 * What a tape on which inputs were watched from which step made of an op that it did not record.
 *
 * @param {Trace} trace
 * @param {readonly Interval[]} intervals
 * @param {number} op
 * @param {number} ranAt  the op's step
 * @param {number} tape
 * @param {(tensor: number) => boolean} onTape
 * @returns {{ reason: Reason, since: number }}
 */
function reasonNotRecorded(trace, intervals, op, ranAt, tape, onTape) {
  const { type, error, suspended, thread, inputs } = trace.ops[op];
  const interval = intervalAt(intervals, ranAt);
  if (interval === null) return { reason: "before_block", since: -1 };
  if (interval.state !== "recording") {
    return { reason: REASON_OF_STATE[interval.state], since: interval.from };
  }
  // An op that raised gave nothing that could be recorded.
  if (error !== null) return { reason: "failed", since: -1 };
  if (suspended === "thread" || thread !== trace.tapes[tape].thread) {
    return { reason: "thread", since: interval.from };
  }
  if (suspended !== null && type === "StopGradient") return { reason: "stop_gradient", since: interval.from };
  if (suspended !== null) return { reason: "suspended", since: interval.from };
  const followed = inputs.filter((tensor) => tensor !== null && onTape(tensor));
  return { reason: followed.length > 0 ? "dtype" : "nothing_watched", since: interval.from };
}

/**
 * What became of an op on a tape, as it stands at a step.
 *
 * @param {TraceIndex} index
 * @param {number} op
 * @param {number} tape
 * @param {number} step
 * @returns {OpStatus}
 */
export function opStatus(index, op, tape, step) {
  const state = index.tapeStateAt(tape, step);
  const intervals = index.tapeIntervals(tape);
  const ranAt = index.stepOfOp(op);
  if (!index.trace.ops[op].recorded_by.includes(tape)) {
    const onTape = /** @param {number} tensor */ (tensor) => index.onTape(tensor, tape, ranAt);
    const why = reasonNotRecorded(index.trace, intervals, op, ranAt, tape, onTape);
    return { recorded: false, state, ...why };
  }
  const dropped = droppedAt(intervals, ranAt, step);
  if (dropped >= 0) return { recorded: true, state, reason: "dropped", since: dropped };
  return { recorded: true, state, reason: null, since: ranAt };
}

/**
 * The tapes that an op is shown with: those that recorded it and those that were running; where
 * there is none, the one that it just missed.
 *
 * @param {TraceIndex} index
 * @param {number} op
 * @returns {number[]}
 */
export function tapesOfOp(index, op) {
  const { host, call, recorded_by: recorded } = index.trace.ops[op];
  if (host !== null || (call !== null && recorded.length === 0)) return [];
  const step = index.stepOfOp(op);
  const shown = new Set(recorded);
  let before = -1;
  let after = -1;
  index.trace.tapes.forEach(({ symbolic }, tape) => {
    if (symbolic) return; // It records the ops of a graph only.
    const state = index.tapeStateAt(tape, step);
    if (state === "recording" || state === "paused") shown.add(tape);
    else if (state !== null && state !== "deleted") before = tape;
    else if (state === null && after < 0 && index.tapeIntervals(tape).length > 0) after = tape;
  });
  if (shown.size > 0) return [...shown].sort((a, b) => a - b);
  if (before >= 0) return [before];
  return after >= 0 ? [after] : [];
}
