/**
 * The ops that one tape holds, as a band behind them.
 *
 * @typedef {import("../trace/index.js").TraceIndex} TraceIndex
 * @typedef {import("./model.js").GraphModel} GraphModel
 * @typedef {import("./layout.js").LayoutResult} LayoutResult
 * @typedef {import("./camera.js").Rect} Rect
 * @typedef {Rect & { tape: number }} Band
 * @typedef {Band & { labelX: number, labelY: number }} Labelled
 */

import { tapeName } from "../names.js";
import { addTo } from "../trace/lists.js";
import { t } from "../words.js";
import { touches } from "./camera.js";
import { isWithin } from "./inner.js";
import { sansWidth } from "./measure.js";
import { occupied } from "./routes.js";

const SIDE = 22;
const TOP = 20;
const BOTTOM = 38;
/** Room for the sign of a persistent tape. */
export const PERSISTENT = 22;
/** How much wider at each side a band is made where its label would not fit. */
const WIDER = [24, 48, 72, 96, 120];
/** How much wider a band is for each band within it. */
const NESTED = { side: 8, top: 8, bottom: 22 };

/**
 * @param {TraceIndex} index
 * @param {GraphModel} model
 * @param {LayoutResult} layout
 * @returns {Band[]} the outer ones first
 */
function bandsOf(index, model, layout) {
  const boxes = [...membersOf(index, model)].map(([tape, nodes]) => ({ tape, ...around(model, layout, nodes) }));
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
 * By frame, how many tapes hold ops of it and none outside: that many bands lie within its border.
 *
 * @param {TraceIndex} index
 * @param {GraphModel} model
 * @returns {Map<number, number>} −1: the whole graph
 */
export function bandsByFrame(index, model) {
  /** @type {Map<number, number>} */
  const counts = new Map();
  for (const nodes of membersOf(index, model).values()) {
    const frame = sharedFrame(nodes.map((node) => chainOf(model, node)));
    counts.set(frame, (counts.get(frame) ?? 0) + 1);
  }
  return counts;
}

/**
 * The nodes of each tape.
 *
 * @param {TraceIndex} index
 * @param {GraphModel} model
 */
function membersOf(index, model) {
  /** @type {Map<number, number[]>} */
  const members = new Map();
  model.nodes.forEach(({ kind, group, ops }, id) => {
    for (const tape of new Set(ops.flatMap((op) => index.trace.ops[op].recorded_by))) {
      // A folded group hides its own tapes.
      if (kind === "group" && isWithin(index, index.trace.tapes[tape].group, group)) continue;
      addTo(members, tape, id);
    }
  });
  return members;
}

/**
 * The innermost frame around all; −1: none.
 *
 * @param {number[][]} chains
 */
function sharedFrame(chains) {
  const [first, ...others] = chains;
  return first.slice(1).find((frame) => others.every((chain) => chain.includes(frame, 1))) ?? -1;
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
  const inside = sharedFrame(chains);
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

/**
 * The bands with their labels' places.
 *
 * @param {TraceIndex} index
 * @param {GraphModel} model
 * @param {LayoutResult} layout
 * @returns {Labelled[]} the outer ones first
 */
export function labelledBands(index, model, layout) {
  const bands = bandsOf(index, model, layout);
  const taken = layout.edges.flatMap(occupied);
  const boxes = layout.nodes.filter((_, id) => model.nodes[id].kind !== "frame");
  const frames = layout.nodes.filter((_, id) => model.nodes[id].kind === "frame");
  /** @type {Labelled[]} */
  const done = [];
  for (const band of bands.slice().reverse()) {
    // One within it may have been made wider.
    const inner = done.filter((other) => contains({ ...band, x: -1e9, w: 2e9 }, other) && touches(band, other));
    const left = Math.min(band.x, ...inner.map((other) => other.x - NESTED.side));
    const right = Math.max(band.x + band.w, ...inner.map((other) => other.x + other.w + NESTED.side));
    const wider = { ...band, x: left, w: right - left };
    const sign = index.trace.tapes[band.tape].persistent ? PERSISTENT : 0;
    const width = sansWidth(bandWords(index, band.tape, "recording"), 11, true) + 24 + sign;
    done.push(labelled(wider, width, taken, boxes, frames.filter((frame) => contains(frame, band))));
  }
  return done.reverse();
}

/**
 * A band with room for its label: at the bottom left, else in the first other corner that no edge
 * runs through, else in a band made wider where nothing stands beside it.
 *
 * @param {Band} band
 * @param {number} width  of the label
 * @param {readonly Rect[]} taken  by edges
 * @param {readonly Rect[]} boxes  the nodes
 * @param {readonly Rect[]} frames  around the band: it stays within them
 * @returns {Labelled}
 */
function labelled(band, width, taken, boxes, frames) {
  const { x, y, w, h } = band;
  const isFree = /** @param {number} left @param {number} top */ (left, top) => {
    const box = { x: left - 4, y: top - 4, w: width + 8, h: 18 };
    return !taken.some((other) => touches(box, other));
  };
  const bottom = y + h - 22;
  const right = x + w - width - 8;
  for (const [left, top] of [[x + 14, bottom], [right, bottom], [x + 14, y + 6], [right, y + 6]]) {
    if (isFree(left, top)) return { ...band, labelX: left, labelY: top };
  }
  for (const extra of WIDER) {
    const beside = { x: x - extra - 8, y, w: extra, h };
    if (!isFree(x - extra + 14, bottom) || boxes.some((box) => touches(box, beside))) continue;
    const other = { x: x + w + 8, y, w: extra, h };
    const both = boxes.some((box) => touches(box, other)) ? 1 : 2;
    const made = { x: x - extra, y, w: w + both * extra, h };
    if (!frames.every((frame) => contains(frame, made))) continue;
    return { ...band, x: x - extra, w: w + both * extra, labelX: x - extra + 14, labelY: bottom };
  }
  // Over an edge then, but above the number on it.
  return { ...band, labelX: x + 14, labelY: bottom - 11 };
}

/**
 * @param {TraceIndex} index
 * @param {number} tape
 * @param {string} state
 */
export function bandWords(index, tape, state) {
  return t("graph.held", { tape: tapeName(index.trace, tape), state: t(`state.${state}`) });
}
