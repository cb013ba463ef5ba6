/**
 * The graph as the layout takes it: sizes, phases, room for what will be written on the edges.
 *
 * @typedef {import("../trace/index.js").TraceIndex} TraceIndex
 * @typedef {import("./model.js").GraphModel} GraphModel
 * @typedef {import("./model.js").GraphEdge} GraphEdge
 * @typedef {import("./cards.js").Card} Card
 * @typedef {import("./layout.js").LayoutGraph} LayoutGraph
 */

import { bandsByFrame } from "./bands.js";
import { HEADER, SAMPLES, cutBox } from "./cards.js";
import { cutText, isAtTarget } from "./cuts.js";
import { contributionsOfEdge, flowText, seedText, shortFlowText } from "./flows.js";
import { isWithin } from "./inner.js";
import { monoWidth } from "./measure.js";

const SHEETS = 8;

/**
 * The graph for the layout.
 *
 * @param {TraceIndex} index
 * @param {GraphModel} model
 * @param {readonly Card[]} cards
 * @param {"down" | "right"} direction
 * @param {number} aspect
 * @returns {LayoutGraph}
 */
export function layoutGraphOf(index, model, cards, direction, aspect) {
  const bands = bandsByFrame(index, model);
  const phases = phasesOf(index, model);
  return {
    direction,
    aspect,
    nodes: model.nodes.map(({ kind, parent, opens }, id) => {
      const { w, h } = cards[id];
      const phase = phases[id];
      if (kind === "frame") return { parent, phase, w, h, role: "frame", pad: padding(bands.get(id) ?? 0), least: w };
      // Two more sheets show behind a folded group.
      if (kind === "group" || opens) return { parent, phase, w: w + SHEETS, h: h + SHEETS, role: "node" };
      return { parent, phase, w, h, role: isBeside(model, id) ? "leaf" : "node" };
    }),
    edges: model.edges.map((edge) => {
      const text = widestLabel(index, edge, model);
      const label = text === "" ? null : { w: monoWidth(text, 12) + 16, h: 20 };
      return { from: edge.from, to: edge.to, port: edge.port, label, room: roomFor(index, model, edge, direction), beside: besideOf(index, edge, direction) };
    }),
  };
}

/**
 * Whether a node stands beside the one that uses it.
 *
 * @param {GraphModel} model
 * @param {number} id
 */
function isBeside(model, id) {
  const { kind, parent, consumer } = model.nodes[id];
  if (kind !== "variable" && kind !== "constant") return false;
  if (model.edges.some((edge) => edge.kind === "exit" && edge.to === id)) return false;
  return model.nodes[consumer]?.parent === parent;
}

/**
 * By node: whether it ran before anything that a tape took (0), after all of that (2), or between
 * (1). The layout keeps these apart, so that a band has in it what the tape holds.
 *
 * @param {TraceIndex} index
 * @param {GraphModel} model
 * @returns {number[]}
 */
function phasesOf(index, model) {
  const held = model.nodes.map(({ ops }) => ops.some((op) => index.trace.ops[op].recorded_by.length > 0));
  model.nodes.forEach(({ parent }, id) => {
    for (let at = parent; held[id] && at >= 0; at = model.nodes[at].parent) held[at] = true;
  });
  const first = held.indexOf(true);
  const last = held.lastIndexOf(true);
  return model.nodes.map((_, id) => {
    if (held[id]) return 1;
    return id < first ? 0 : id > last ? 2 : 1;
  });
}

/**
 * Room within a frame's border, for its header and the bands in it.
 *
 * @param {number} bands
 */
function padding(bands) {
  if (bands === 0) return { top: HEADER + 8, right: 16, bottom: 18, left: 16 };
  const side = 30 + 8 * bands;
  return { top: HEADER + 22 + 8 * bands, right: side, bottom: 34 + 22 * bands, left: side };
}

/**
 * @param {TraceIndex} index
 * @param {GraphModel} model
 * @param {GraphEdge} edge
 * @param {"down" | "right"} direction
 */
function roomFor(index, model, edge, direction) {
  if (edge.cut === null) return bandsLeft(index, model, edge) > 1 ? 40 + 24 * bandsLeft(index, model, edge) : 0;
  if (isAtTarget(edge.cut)) return 90;
  return direction === "down" ? 140 : cutBox(cutText(index, edge.cut)).w + 60;
}

/**
 * How many bands an edge leaves on its way: each has a border and a label of its own.
 *
 * @param {TraceIndex} index
 * @param {GraphModel} model
 * @param {GraphEdge} edge
 */
function bandsLeft(index, model, { from, to }) {
  const tapesOf = /** @param {number} node */ (node) => {
    const { kind, group, ops } = model.nodes[node];
    const all = new Set(ops.flatMap((op) => index.trace.ops[op].recorded_by));
    return new Set([...all].filter((tape) => kind !== "group" || !isWithin(index, index.trace.tapes[tape].group, group)));
  };
  const after = tapesOf(to);
  return [...tapesOf(from)].filter((tape) => !after.has(tape)).length;
}

/**
 * What the label of a break takes at the right of its edge.
 *
 * @param {TraceIndex} index
 * @param {GraphEdge} edge
 * @param {"down" | "right"} direction
 */
function besideOf(index, { cut }, direction) {
  return cut === null || isAtTarget(cut) || direction !== "down" ? 0 : cutBox(cutText(index, cut)).w + 44;
}

/**
 * The widest number that will stand on an edge; "" where none will.
 *
 * @param {TraceIndex} index
 * @param {GraphEdge} edge
 * @param {GraphModel} model
 */
function widestLabel(index, edge, model) {
  if (edge.kind === "result") return "";
  if (edge.kind === "target") {
    const { calls, tensor } = model.nodes[edge.to];
    return calls.map((call) => seedText(index, call, tensor)).reduce(longer, "");
  }
  const source = model.nodes[edge.from].kind === "variable";
  return contributionsOfEdge(index, edge, SAMPLES)
    .map((tensor) => (source ? shortFlowText(index, tensor) : flowText(index, tensor)))
    .reduce(longer, "");
}

/**
 * @param {string} one
 * @param {string} other
 */
function longer(one, other) {
  return other.length > one.length ? other : one;
}
