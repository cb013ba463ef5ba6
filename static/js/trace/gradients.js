/**
 * The backward passes: what arrived where, and what it was summed to.
 *
 * @typedef {import("./types.js").Trace} Trace
 * @typedef {import("./types.js").Ref} Ref
 * @typedef {import("./types.js").RewindEvent} RewindEvent
 * @typedef {import("./types.js").SumEvent} SumEvent
 *
 * @typedef {object} Contribution
 * @property {number} op  the op that sent it
 * @property {number} input  the op's input that it was sent to
 * @property {number} tensor  what was sent
 * @property {number} step
 *
 * @typedef {object} Sum
 * @property {number} total
 * @property {readonly number[]} parts
 * @property {number} step
 *
 * @typedef {object} Contributions
 * @property {Contribution[]} parts
 * @property {Sum | null} sum  the last one that came
 *
 * @typedef {"later" | "running" | "tensor" | "none" | "raised"} RowStatus
 * @typedef {object} GradientRow
 * @property {number} call
 * @property {number} source  position in the call's sources
 * @property {number | null} tensor  the result, or what has come so far
 * @property {RowStatus} status
 * @property {number} step  where the call ends; −1: it does not
 * @property {number | null} finding
 *
 * @typedef {object} Backward
 * @property {Int32Array} begin  step at which each call begins; −1: never
 * @property {Int32Array} end
 * @property {Map<number, number[]>} rewinds  op → steps of its rewinds
 * @property {Map<number, number[]>} tensorSums  tensor → steps of its sums
 * @property {Map<number, number[]>} variableSums
 */

import { addTo } from "./lists.js";

/**
 * @param {Trace} trace
 * @returns {Backward}
 */
export function backwardOf(trace) {
  const begin = new Int32Array(trace.gradients.length).fill(-1);
  const end = new Int32Array(trace.gradients.length).fill(-1);
  /** @type {Backward} */
  const found = { begin, end, rewinds: new Map(), tensorSums: new Map(), variableSums: new Map() };
  trace.events.forEach((event, step) => {
    if (event.kind === "gradient_begin") begin[event.call] = step;
    else if (event.kind === "gradient_end") end[event.call] = step;
    else if (event.kind === "rewind") addTo(found.rewinds, event.op, step);
    else if (event.kind === "sum") {
      if (event.tensor !== null) addTo(found.tensorSums, event.tensor, step);
      if (event.variable !== null) addTo(found.variableSums, event.variable, step);
    }
  });
  return found;
}

/**
 * The last rewind of an op up to a step.
 *
 * @param {Trace} trace
 * @param {Backward} backward
 * @param {number} op
 * @param {number} step
 * @returns {RewindEvent | null}
 */
export function rewindAt(trace, backward, op, step) {
  const steps = backward.rewinds.get(op);
  if (!steps) return null;
  for (let i = steps.length - 1; i >= 0; i -= 1) {
    if (steps[i] <= step) return /** @type {RewindEvent} */ (trace.events[steps[i]]);
  }
  return null;
}

/**
 * The last sum for a tensor or variable in a call, up to a step.
 *
 * @param {Trace} trace
 * @param {readonly number[] | undefined} steps
 * @param {number} call
 * @param {number} step
 * @returns {Sum | null}
 */
export function sumAt(trace, steps, call, step) {
  if (!steps) return null;
  for (let i = steps.length - 1; i >= 0; i -= 1) {
    const event = /** @type {SumEvent} */ (trace.events[steps[i]]);
    if (steps[i] > step || event.call !== call) continue;
    return { total: event.total, parts: event.parts, step: steps[i] };
  }
  return null;
}
