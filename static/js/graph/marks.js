/**
 * Which nodes a selection and a search mean.
 *
 * @typedef {import("../trace/index.js").TraceIndex} TraceIndex
 * @typedef {import("../state.js").Selection} Selection
 * @typedef {import("./model.js").GraphModel} GraphModel
 * @typedef {import("./model.js").GraphNode} GraphNode
 * @typedef {import("./cards.js").Card} Card
 */

import { t } from "../words.js";

/**
 * @param {TraceIndex} index
 * @param {GraphNode} node
 * @param {Selection | null} selection
 */
export function isSelected(index, node, selection) {
  if (selection === null) return false;
  const { kind, id } = selection;
  // A read is drawn as the capsule of its variable.
  if (kind === "op") return node.ops.includes(id) || (node.kind === "variable" && node.tensors.some((tensor) => index.producer(tensor) === id));
  if (kind === "group") return node.group === id;
  if (kind === "variable") return node.variable === id;
  if (kind === "call") return node.calls.includes(id);
  if (kind === "constant") return node.kind === "constant" && node.tensor === id;
  if (kind !== "tensor") return false;
  if (node.kind === "op" || node.kind === "group") return node.tensor === id;
  return node.tensors.includes(id) && index.producer(id) === null;
}

/**
 * The node that shows what is selected best: itself, else what it is folded into.
 *
 * @param {TraceIndex} index
 * @param {GraphModel} model
 * @param {Selection} selection
 * @returns {number} −1: nothing that is drawn
 */
export function nodeOf(index, model, selection) {
  const own = model.nodes.findIndex((node) => isSelected(index, node, selection));
  if (own >= 0 || selection.kind !== "group") return own;
  let { parent } = index.trace.groups[selection.id];
  while (parent !== null) {
    const outer = parent;
    const around = model.nodes.findIndex((node) => node.group === outer);
    if (around >= 0) return around;
    parent = index.trace.groups[parent].parent;
  }
  return -1;
}

/**
 * What a click on a node selects.
 *
 * @param {TraceIndex} index
 * @param {GraphNode} node
 * @param {number} step
 * @returns {Selection}
 */
export function selectionOf(index, node, step) {
  if (node.kind === "op" || node.kind === "argument") return { kind: "op", id: node.op };
  if (node.kind === "variable") return { kind: "variable", id: node.variable };
  if (node.kind === "constant") return { kind: "constant", id: node.tensor };
  const { kind, index: op } = index.trace.groups[node.group] ?? {};
  // The frame of a traced graph is its op, opened.
  if (kind === "graph") return { kind: "op", id: op ?? 0 };
  if (node.kind === "group" || node.kind === "frame") return { kind: "group", id: node.group };
  const begun = node.calls.filter((call) => index.callSpan(call).begin <= step);
  return { kind: "call", id: begun[begun.length - 1] ?? node.calls[0] };
}

/**
 * The line that a search asks for: `line 6`, `line:6`, `6`.
 *
 * @param {string} query  in lower case
 */
export function lineWanted(query) {
  const found = /^(?:line[ :]*|l)?(\d+)$/.exec(query)?.[1];
  return found === undefined ? null : Number(found);
}

/**
 * @param {Card} card
 * @param {string} query  in lower case
 */
export function isHit({ title, code, name, note }, query) {
  const line = lineWanted(query);
  if (line !== null && note === t("line", { line })) return true;
  return query !== "" && [title, code, name].some((text) => text.toLowerCase().includes(query));
}
