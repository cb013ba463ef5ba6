/**
 * The backward passes: what arrived where, and what it was summed to.
 *
 * @typedef {import("./types.js").Trace} Trace
 * @typedef {import("./types.js").Ref} Ref
 * @typedef {import("./types.js").RewindEvent} RewindEvent
 * @typedef {import("./types.js").SumEvent} SumEvent
 * @typedef {import("./index.js").TraceIndex} TraceIndex
 * @typedef {import("./index.js").Target} Target
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

/**
 * What a call had sent to a tensor or a variable by a step, and the sum of it.
 *
 * @param {TraceIndex} index
 * @param {Target} target
 * @param {number} call
 * @param {number} step
 * @returns {Contributions}
 */
export function contributionsTo(index, { tensor, variable }, call, step) {
  const isVariable = variable !== undefined && variable !== null;
  const tensors = isVariable ? index.tensorsOfVariable(variable) : [tensor ?? -1];
  const parts = tensors.flatMap((id) => (id < 0 ? [] : partsFor(index, id, call, step)));
  parts.sort((a, b) => a.step - b.step || a.input - b.input);
  return { parts, sum: index.sumAt({ tensor, variable }, call, step) };
}

/**
 * @param {TraceIndex} index
 * @param {number} tensor
 * @param {number} call
 * @param {number} step
 * @returns {Contribution[]}
 */
function partsFor(index, tensor, call, step) {
  const { events, ops } = index.trace;
  /** @type {Contribution[]} */
  const parts = [];
  for (const op of new Set(index.consumers(tensor))) {
    for (const at of index.rewindsOf(op)) {
      const event = events[at];
      if (at > step || event.kind !== "rewind" || event.call !== call) continue;
      ops[op].inputs.forEach((id, input) => {
        const sent = event.contributions[input] ?? null;
        if (id === tensor && sent !== null) parts.push({ op, input, tensor: sent, step: at });
      });
    }
  }
  return parts;
}

/**
 * How one source of a call stands at a step.
 *
 * @param {TraceIndex} index
 * @param {number} id  the call
 * @param {number} source  position in its sources
 * @param {number} step
 * @returns {GradientRow}
 */
export function gradientRow(index, id, source, step) {
  const call = index.trace.gradients[id];
  const { begin, end } = index.callSpan(id);
  const result = call.results.find((one) => one.source === source) ?? null;
  const row = { call: id, source, step: end, finding: result?.finding ?? null };
  if (begin < 0 || step < begin) return { ...row, tensor: null, status: "later" };
  if (call.error !== null && step > begin) return { ...row, tensor: null, status: "raised" };
  if (end < 0 || step < end) {
    return { ...row, tensor: soFar(index, call.sources[source], id, step), status: "running" };
  }
  const tensor = result?.tensor ?? null;
  return { ...row, tensor, status: tensor === null ? "none" : "tensor" };
}

/**
 * @param {TraceIndex} index
 * @param {Ref} source
 * @param {number} call
 * @param {number} step
 */
function soFar(index, source, call, step) {
  const { parts, sum } = contributionsTo(index, source, call, step);
  if (sum) return sum.total;
  return parts.length === 1 ? parts[0].tensor : null;
}
