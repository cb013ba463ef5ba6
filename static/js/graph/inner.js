/**
 * What a folded group hides: its own tapes, gradient calls and targets are details of it.
 *
 * @typedef {import("../trace/index.js").TraceIndex} TraceIndex
 */

/**
 * @param {TraceIndex} index
 * @param {number | null} group
 * @param {number} outer
 */
export function isWithin({ trace }, group, outer) {
  for (let id = group; id !== null; id = trace.groups[id].parent) if (id === outer) return true;
  return false;
}

/**
 * The gradient calls that ran in a group, in order.
 *
 * @param {TraceIndex} index
 * @param {number} group
 */
export function callsWithin(index, group) {
  return index.trace.gradients.flatMap((call, id) => (isWithin(index, call.group, group) ? [id] : []));
}

/**
 * The targets that were made in a group for its own calls, in order: the losses of a loop.
 *
 * @param {TraceIndex} index
 * @param {number} group
 * @param {readonly number[]} calls
 */
export function lossesWithin(index, group, calls) {
  const targets = calls.flatMap((call) => index.trace.gradients[call].targets[0]?.tensor ?? []);
  return targets.filter((tensor) => {
    const op = index.producer(tensor);
    return op !== null && isWithin(index, index.trace.ops[op].group, group);
  });
}

/**
 * The one of these tensors that was made last by a step.
 *
 * @param {TraceIndex} index
 * @param {readonly number[]} tensors  in order
 * @param {number} step
 */
export function latest(index, tensors, step) {
  return tensors.findLast((tensor) => index.stepOfTensor(tensor) <= step);
}
