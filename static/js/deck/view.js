/**
 * Which part of the recording the time axis shows. Where all steps do not fit, the run is cut into
 * cells (the iterations of a loop, else pages of equal length) and the cell with the current
 * step is opened beneath; cells that are still too long are cut again.
 *
 * @typedef {import("../trace/types.js").Trace} Trace
 *
 * @typedef {object} Range
 * @property {number} from  first step
 * @property {number} to  one after the last step
 *
 * @typedef {Range & { iteration: number | null }} Cell
 *
 * @typedef {object} Level
 * @property {number | null} loop  the group of the loop; null: pages of the run
 * @property {Cell[]} cells
 * @property {number} current  position of the opened cell
 *
 * @typedef {object} View
 * @property {Level[]} levels
 * @property {Range} window  the steps that the ruler shows
 */

import { whereOf } from "../sentence.js";

/** More levels than this make the deck too high; the last one is paged instead. */
const DEEPEST = 2;

/**
 * @param {Trace} trace
 * @param {number} step
 * @param {number} capacity  how many steps fit on the ruler
 * @returns {View}
 */
export function viewAt(trace, step, capacity) {
  /** @type {Level[]} */
  const levels = [];
  let window = { from: 0, to: trace.events.length };
  while (window.to - window.from > capacity) {
    const cut = levels.length < DEEPEST ? cutByLoop(trace, window) : null;
    const { loop, cells } = cut ?? { loop: null, cells: pages(window, capacity) };
    const current = cells.findIndex((cell) => Math.max(step, 0) < cell.to);
    const chosen = cells[Math.max(current, 0)];
    levels.push({ loop, cells, current: Math.max(current, 0) });
    window = { from: chosen.from, to: chosen.to };
    if (cut === null) break;
  }
  return { levels, window };
}

/**
 * @param {Range} range
 * @param {number} capacity
 * @returns {Cell[]}
 */
function pages({ from, to }, capacity) {
  const count = Math.ceil((to - from) / capacity);
  const length = Math.ceil((to - from) / count);
  return Array.from({ length: count }, (_, page) => ({
    from: from + page * length,
    to: Math.min(from + (page + 1) * length, to),
    iteration: null,
  }));
}

/** @type {WeakMap<Trace, Int32Array>} */
const groupsOf = new WeakMap();

/**
 * The group of every step; −1 without one. Steps between two of a group belong to it too.
 *
 * @param {Trace} trace
 */
export function stepGroups(trace) {
  let groups = groupsOf.get(trace);
  if (groups === undefined) {
    groups = Int32Array.from(trace.events, (event) => whereOf(trace, event).group ?? -1);
    groupsOf.set(trace, groups);
  }
  return groups;
}

/**
 * The outermost loop that lies within a range, cut into its iterations and what stands around.
 *
 * @param {Trace} trace
 * @param {Range} range
 * @returns {{ loop: number, cells: Cell[] } | null}
 */
function cutByLoop(trace, range) {
  const spans = iterationSpans(trace, range);
  let best = null;
  for (const [loop, cells] of spans) {
    const covered = cells[cells.length - 1].to - cells[0].from;
    const longest = Math.max(...cells.map((cell) => cell.to - cell.from));
    if (cells.length < 2 || longest >= range.to - range.from) continue;
    if (best === null || covered > best.covered) best = { loop, cells, covered };
  }
  return best === null ? null : { loop: best.loop, cells: withRest(best.cells, range) };
}

/**
 * First and last step of each iteration, by loop.
 *
 * @param {Trace} trace
 * @param {Range} range
 * @returns {Map<number, Cell[]>}
 */
function iterationSpans(trace, range) {
  const groups = stepGroups(trace);
  /** @type {Map<number, Cell>} */
  const byIteration = new Map();
  for (let step = range.from; step < range.to; step += 1) {
    for (let id = groups[step]; id >= 0; id = trace.groups[id].parent ?? -1) {
      if (trace.groups[id].kind !== "iteration") continue;
      const cell = byIteration.get(id);
      if (cell) cell.to = step + 1;
      else byIteration.set(id, { from: step, to: step + 1, iteration: id });
    }
  }
  /** @type {Map<number, Cell[]>} */
  const loops = new Map();
  for (const [id, cell] of byIteration) {
    const loop = trace.groups[id].parent;
    if (loop === null || loop === undefined) continue;
    loops.set(loop, [...(loops.get(loop) ?? []), cell]);
  }
  return loops;
}

/**
 * Iterations back to back, with the steps before the first and after the last as cells.
 *
 * @param {Cell[]} cells  in order
 * @param {Range} range
 * @returns {Cell[]}
 */
function withRest(cells, range) {
  /** @type {Cell[]} */
  const all = [];
  const first = cells[0];
  if (first.from > range.from) all.push({ from: range.from, to: first.from, iteration: null });
  cells.forEach((cell, position) => {
    const next = cells[position + 1];
    all.push({ ...cell, to: next ? next.from : cell.to });
  });
  const end = all[all.length - 1].to;
  if (end < range.to) all.push({ from: end, to: range.to, iteration: null });
  return all;
}
