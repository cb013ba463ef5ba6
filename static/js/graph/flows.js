/**
 * What flows back along the edges.
 *
 * @typedef {import("../trace/index.js").TraceIndex} TraceIndex
 * @typedef {import("./model.js").GraphEdge} GraphEdge
 */

import { gradientText, scalarOf, shapeText } from "../format.js";
import { t } from "../words.js";

/**
 * Some of the tensors that are ever sent back along an edge.
 *
 * @param {TraceIndex} index
 * @param {GraphEdge} edge
 * @param {number} most  rewinds looked at for each input
 * @returns {number[]}
 */
export function contributionsOfEdge(index, edge, most) {
  return edge.flows.flatMap(({ op, input }) =>
    index.rewindsOf(op).slice(0, most).flatMap((step) => index.contributionAt(op, input, step) ?? []),
  );
}

/**
 * A gradient as it stands on an edge: `3`, `[2, 4, 6]`, `64×16, l2 0.364`.
 *
 * @param {TraceIndex} index
 * @param {number} tensor
 */
export function flowText(index, tensor) {
  return gradientText(index.trace.tensors[tensor]);
}

/**
 * The same without the shape, where that stands beside it anyway.
 *
 * @param {TraceIndex} index
 * @param {number} tensor
 */
export function shortFlowText(index, tensor) {
  return flowText(index, tensor).replace(/^.*, (l2 )/, "$1");
}

/**
 * What a call starts from at a target: `seed 1`, or the output gradient that it was given.
 *
 * @param {TraceIndex} index
 * @param {number} call
 * @param {number} target  a tensor
 */
export function seedText(index, call, target) {
  const { targets, output_gradients: given } = index.trace.gradients[call];
  const tensor = index.trace.tensors[target];
  const own = given[targets.findIndex((ref) => ref.tensor === target)] ?? null;
  if (own !== null) return t("graph.seed", { value: flowText(index, own) });
  if (scalarOf(tensor) !== null) return t("graph.seed", { value: "1" });
  return t("graph.seedOnes", { shape: shapeText(tensor.shape) });
}
