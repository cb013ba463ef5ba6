/**
 * The ops that one tape holds, as a band behind them.
 *
 * @typedef {import("../trace/index.js").TraceIndex} TraceIndex
 * @typedef {import("./model.js").GraphModel} GraphModel
 * @typedef {import("./layout.js").LayoutResult} LayoutResult
 * @typedef {import("./camera.js").Rect} Rect
 * @typedef {Rect & { tape: number }} Band
 */

const SIDE = 22;
const TOP = 20;
const BOTTOM = 38;
/** How much wider a band is for each band within it. */
const NESTED = { side: 8, top: 8, bottom: 22 };

/**
 * @param {TraceIndex} index
 * @param {GraphModel} model
 * @param {LayoutResult} layout
 * @returns {Band[]} the outer ones first
 */
export function bandsOf(index, model, layout) {
  /** @type {Map<number, number[]>} */
  const members = new Map();
  model.nodes.forEach(({ ops }, id) => {
    for (const tape of new Set(ops.flatMap((op) => index.trace.ops[op].recorded_by))) {
      members.set(tape, [...(members.get(tape) ?? []), id]);
    }
  });
  const boxes = [...members].map(([tape, nodes]) => ({ tape, ...around(model, layout, nodes) }));
  boxes.sort((a, b) => b.w * b.h - a.w * a.h || a.tape - b.tape);
  return boxes.map((box, i) => {
    const inner = boxes.slice(i + 1).filter((other) => contains(box, other)).length;
    const side = SIDE + inner * NESTED.side;
    const top = TOP + inner * NESTED.top;
    const bottom = BOTTOM + inner * NESTED.bottom;
    return { tape: box.tape, x: box.x - side, y: box.y - top, w: box.w + 2 * side, h: box.h + top + bottom };
  });
}

/**
 * Around the nodes, or around the whole frames that they stand in where the tape reaches out of
 * these.
 *
 * @param {GraphModel} model
 * @param {LayoutResult} layout
 * @param {readonly number[]} nodes
 * @returns {Rect}
 */
function around(model, layout, nodes) {
  const chains = nodes.map((node) => chainOf(model, node));
  const shared = chains.reduce((common, chain) => common.filter((frame) => chain.slice(1).includes(frame)), chains[0].slice(1));
  const inside = shared[0] ?? -1;
  const boxes = chains.map((chain) => layout.nodes[chain[chain.indexOf(inside) - 1] ?? chain[chain.length - 2]]);
  const x = Math.min(...boxes.map((box) => box.x));
  const y = Math.min(...boxes.map((box) => box.y));
  const right = Math.max(...boxes.map((box) => box.x + box.w));
  const bottom = Math.max(...boxes.map((box) => box.y + box.h));
  return { x, y, w: right - x, h: bottom - y };
}

/**
 * A node and its frames, from the inside out, −1 last.
 *
 * @param {GraphModel} model
 * @param {number} node
 */
function chainOf(model, node) {
  const chain = [node];
  while (chain[chain.length - 1] >= 0) chain.push(model.nodes[chain[chain.length - 1]].parent);
  return chain;
}

/**
 * @param {Rect} outer
 * @param {Rect} inner
 */
function contains(outer, inner) {
  return (
    inner.x >= outer.x && inner.y >= outer.y &&
    inner.x + inner.w <= outer.x + outer.w && inner.y + inner.h <= outer.y + outer.h
  );
}
