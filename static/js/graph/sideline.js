/**
 * Ops that no gradient could ever concern: whole numbers, truth values and containers that lead to
 * no float and to no target, as the counters of optimizers and of random seeds. What a traced graph
 * consists of is not judged here: of that its own bookkeeping is known.
 *
 * @typedef {import("../trace/index.js").TraceIndex} TraceIndex
 */

import { carriesNumbers } from "../trace/graphs.js";

/** @type {WeakMap<TraceIndex, Set<number>>} */
const known = new WeakMap();

/**
 * @param {TraceIndex} index
 * @returns {Set<number>} empty where nothing in the trace has floats
 */
export function sideline(index) {
  let found = known.get(index);
  if (found === undefined) {
    found = findThem(index);
    known.set(index, found);
  }
  return found;
}

/** @param {TraceIndex} index */
function findThem(index) {
  const { ops, tensors, gradients } = index.trace;
  const matters = new Uint8Array(ops.length);
  for (const { targets } of gradients) {
    for (const { tensor } of targets) {
      const op = tensor === null ? null : index.producer(tensor);
      if (op !== null) matters[op] = 1;
    }
  }
  // Producers stand before their consumers, so that one pass from the end reaches all of them.
  for (let op = ops.length - 1; op >= 0; op -= 1) {
    const { inputs, outputs, bookkeeping } = ops[op];
    const floats = [...inputs, ...outputs].some((id) => id !== null && carriesNumbers(tensors[id].dtype));
    if (floats && !bookkeeping) matters[op] = 1;
    if (matters[op] === 0) continue;
    for (const tensor of inputs) {
      const producer = tensor === null ? null : index.producer(tensor);
      if (producer !== null) matters[producer] = 1;
    }
  }
  if (!matters.includes(1)) return new Set();
  return new Set(ops.flatMap(({ host }, op) => (matters[op] === 0 && host === null ? [op] : [])));
}
