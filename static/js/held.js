/**
 * How many ops a tape holds, without its bookkeeping.
 *
 * @typedef {import("./trace/index.js").TraceIndex} TraceIndex
 */

import { lastAtMost } from "./trace/lists.js";

/** @type {WeakMap<TraceIndex, number[][]>} */
const cache = new WeakMap();

/**
 * The steps at which each tape recorded an op, in order.
 *
 * @param {TraceIndex} index
 */
function recordedSteps(index) {
  let steps = cache.get(index);
  if (steps !== undefined) return steps;
  const { tapes, ops } = index.trace;
  const found = tapes.map(() => /** @type {number[]} */ ([]));
  ops.forEach((op, id) => {
    if (op.bookkeeping) return;
    for (const tape of op.recorded_by) found[tape].push(index.stepOfOp(id));
  });
  found.forEach((list) => list.sort((a, b) => a - b));
  cache.set(index, found);
  return found;
}

/**
 * @param {TraceIndex} index
 * @param {number} tape
 * @param {number} step
 */
export function opsHeld(index, tape, step) {
  const state = index.tapeStateAt(tape, step);
  if (state === "consumed" || state === "deleted") return 0;
  const steps = recordedSteps(index)[tape];
  return lastAtMost(steps, step) - lastAtMost(steps, lastStart(index, tape, step));
}

/**
 * The step of the last reset, or of the last entry after the tape had been used up.
 *
 * @param {TraceIndex} index
 * @param {number} tape
 * @param {number} step
 */
function lastStart(index, tape, step) {
  let start = -1;
  let before = "";
  for (const { state, cause, from } of index.tapeIntervals(tape)) {
    if (from > step) break;
    if (cause === "reset" || (cause === "entered" && before === "consumed")) start = from;
    before = state;
  }
  return start;
}
