/**
 * Groups as a tree, with the steps they cover.
 *
 * @typedef {import("./types.js").Trace} Trace
 * @typedef {{ groups: number[], ops: number[] }} Children
 *
 * @typedef {object} GroupTree
 * @property {Children} top  what stands outside of any group
 * @property {Children[]} children  by group
 * @property {Int32Array} from  first step of the group; −1: nothing ran in it
 * @property {Int32Array} to  last step (inclusive)
 * @property {Int32Array} size  ops in it, at any depth
 * @property {Int32Array} depth
 */

/**
 * @param {Trace} trace
 * @param {Int32Array} opSteps
 * @returns {GroupTree}
 */
export function groupTree(trace, opSteps) {
  const count = trace.groups.length;
  /** @type {Children} */
  const top = { groups: [], ops: [] };
  /** @type {Children[]} */
  const children = trace.groups.map(() => ({ groups: [], ops: [] }));
  const depth = new Int32Array(count);
  trace.groups.forEach(({ kind, parent }, group) => {
    // An opened graph hangs on its op, not on the group around that.
    if (kind !== "graph") (parent === null ? top : children[parent]).groups.push(group);
    depth[group] = parent === null ? 0 : depth[parent] + 1;
  });
  trace.ops.forEach(({ group }, op) => {
    (group === null ? top : children[group]).ops.push(op);
  });
  const spans = spansOf(trace, opSteps);
  return { top, children, depth, ...spans };
}

/**
 * The steps of everything that says which group it is in, widened to the groups around it.
 *
 * @param {Trace} trace
 * @param {Int32Array} opSteps
 */
function spansOf(trace, opSteps) {
  const count = trace.groups.length;
  const from = new Int32Array(count).fill(-1);
  const to = new Int32Array(count).fill(-1);
  const size = new Int32Array(count);
  /** @type {(group: number | null, step: number) => void} */
  const widen = (group, step) => {
    if (group === null || step < 0) return;
    if (from[group] < 0 || step < from[group]) from[group] = step;
    if (step > to[group]) to[group] = step;
  };
  trace.ops.forEach(({ group }, op) => {
    if (group !== null) size[group] += 1;
    widen(group, opSteps[op]);
  });
  trace.events.forEach((event, step) => {
    if (event.kind === "tape" && event.state !== "deleted") widen(trace.tapes[event.tape].group, step);
    else if ("call" in event) widen(trace.gradients[event.call]?.group ?? null, step);
  });
  for (let group = count - 1; group >= 0; group -= 1) {
    const parent = trace.groups[group].parent;
    if (parent === null || trace.groups[group].kind === "graph") continue;
    size[parent] += size[group];
    widen(parent, from[group]);
    widen(parent, to[group]);
  }
  return { from, to, size };
}

/**
 * The iteration of a loop that a step lies in: the last that had begun. −1 before the first.
 *
 * @param {GroupTree} tree
 * @param {readonly number[]} iterations
 * @param {number} step
 */
export function iterationAt(tree, iterations, step) {
  let low = 0;
  let high = iterations.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (tree.from[iterations[middle]] <= step) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
