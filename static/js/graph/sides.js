/**
 * Leaves beside their consumers: which, how much room they take, where they stand.
 *
 * @typedef {import("./level.js").Box} Box
 * @typedef {import("./level.js").Wire} Wire
 * @typedef {import("./level.js").Known} Known
 * @typedef {import("./level.js").Part} Part
 * @typedef {import("./level.js").Point} Point
 */

import { listAt } from "../trace/lists.js";

const SIDE_GAP = 52;
const STACK_GAP = 8;
/** More leaves than this above one node would make it the widest thing around: they go beside it. */
const LEAVES_ABOVE = 3;
/** A link that needs more room than this has something written on it: it runs along u. */
const LONG = 100;

/**
 * Which leaves stand beside their consumer, not before it: those of a node that something else
 * flows into as well, so that the chain runs on straight; and many at once.
 *
 * @typedef {{ before: number[], after: number[] }} Sides  leaves by side
 *
 * @param {readonly Box[]} boxes
 * @param {readonly Wire[]} wires
 * @returns {Map<number, Sides>} by consumer
 */
export function sidesOf(boxes, wires) {
  /** @type {Map<number, { flow: number, leaves: Map<number, number> }>} */
  const inputs = new Map();
  for (const { a, b, port, room } of wires) {
    const known = inputs.get(b) ?? { flow: Infinity, leaves: new Map() };
    inputs.set(b, known);
    if (boxes[a].role !== "leaf") known.flow = Math.min(known.flow, port);
    else if (room < LONG) known.leaves.set(a, Math.min(port, known.leaves.get(a) ?? Infinity));
  }
  /** @type {Map<number, Sides>} */
  const sides = new Map();
  for (const [consumer, { flow, leaves }] of inputs) {
    if (leaves.size === 0 || boxes[consumer].role === "exit") continue;
    if (flow === Infinity && leaves.size <= LEAVES_ABOVE) continue;
    const sorted = [...leaves].sort((x, y) => x[1] - y[1]);
    sides.set(consumer, {
      before: sorted.filter(([, port]) => port < flow && flow !== Infinity).map(([leaf]) => leaf),
      after: sorted.filter(([, port]) => port >= flow || flow === Infinity).map(([leaf]) => leaf),
    });
  }
  return sides;
}

/**
 * @param {readonly Box[]} boxes
 * @param {readonly number[]} leaves
 */
export function stackLength(boxes, leaves) {
  return leaves.reduce((sum, leaf) => sum + boxes[leaf].u + STACK_GAP, -STACK_GAP);
}

/**
 * @param {Known} known
 * @param {number} box
 * @param {readonly number[]} leaves
 */
export function sideExtent(known, box, leaves) {
  if (leaves.length === 0) return 0;
  return sideGap(known, box, leaves) + Math.max(...leaves.map((leaf) => known.boxes[leaf].v));
}

/**
 * Room between a node and the leaves beside it: for what flows between them.
 *
 * @param {Known} known
 * @param {number} box
 * @param {readonly number[]} leaves
 */
function sideGap({ wires, into }, box, leaves) {
  let gap = SIDE_GAP;
  for (const wire of listAt(into, box)) {
    const { a, label, room } = wires[wire];
    if (!leaves.includes(a)) continue;
    gap = Math.max(gap, (label?.v ?? 0) + 34, room);
  }
  return gap;
}

/**
 * @param {Known} known
 * @param {number} box
 * @param {Sides} side
 * @param {Part["at"]} at
 * @param {Part["routes"]} routes
 */
export function placeSides(known, box, side, at, routes) {
  const { boxes } = known;
  const corner = /** @type {{ u: number, v: number }} */ (at.get(box));
  const middle = corner.u + boxes[box].u / 2;
  for (const [leaves, sign] of /** @type {[number[], number][]} */ ([[side.before, -1], [side.after, 1]])) {
    const gap = sideGap(known, box, leaves);
    const near = sign < 0 ? corner.v - gap : corner.v + boxes[box].v + gap;
    let u = middle - stackLength(boxes, leaves) / 2;
    for (const leaf of leaves) {
      at.set(leaf, { u, v: sign < 0 ? near - boxes[leaf].v : near });
      sideRoutes(known, box, leaf, u + boxes[leaf].u / 2, near, near - sign * gap, corner.u, routes);
      u += boxes[leaf].u + STACK_GAP;
    }
  }
}

/**
 * Across from a leaf to the side of its consumer.
 *
 * @param {Known} known
 * @param {number} box
 * @param {number} leaf
 * @param {number} u  middle of the leaf
 * @param {number} from  v at the leaf
 * @param {number} to  v at the consumer
 * @param {number} top  of the consumer along u
 * @param {Part["routes"]} routes
 */
function sideRoutes({ boxes, wires, into }, box, leaf, u, from, to, top, routes) {
  const length = boxes[box].u;
  const own = [...listAt(into, box)].filter((wire) => wires[wire].a === leaf);
  own.forEach((wire, i) => {
    const shift = (i - (own.length - 1) / 2) * 14;
    const arrive = Math.max(top + 8, Math.min(top + length - 8, u + shift));
    const middle = (from + to) / 2;
    /** @type {Point[]} */
    const points = [[u + shift, from, false]];
    if (Math.abs(arrive - u - shift) > 1) points.push([u + shift, middle, false], [arrive, middle, false]);
    points.push([arrive, to, false]);
    routes.set(wire, { points, label: wires[wire].label && { u: u + shift, v: middle } });
  });
}
