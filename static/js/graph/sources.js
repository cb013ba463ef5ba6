/**
 * Where the graph takes a tensor from, once what is folded or hidden is left out.
 *
 * @typedef {import("../trace/index.js").TraceIndex} TraceIndex
 *
 * @typedef {{ kind: "entry", entry: number, tensor: number }
 *   | { kind: "variable", variable: number, tensor: number }
 *   | { kind: "constant", tensor: number }
 *   | { kind: "carried", tensor: number }
 *   | { kind: "result", call: number, tensor: number }} Source
 *   entry: made by something that is drawn; carried: by an iteration that is not shown; result: a
 *   gradient call gave it
 */

import { differentiable } from "../trace/tapes.js";

/**
 * @param {TraceIndex} index
 * @param {(op: number) => number} entryOf  what an op is drawn as; −1: hidden, −2: not shown now
 * @returns {(tensor: number) => readonly Source[]}
 */
export function sourceFinder(index, entryOf) {
  const results = resultsOf(index);
  /** @type {Map<number, readonly Source[]>} */
  const known = new Map();
  /** @param {number} tensor @returns {readonly Source[]} */
  const find = (tensor) => {
    const found = known.get(tensor);
    if (found) return found;
    known.set(tensor, []);
    const sources = lookUp(tensor);
    known.set(tensor, sources);
    return sources;
  };
  /** @param {number} tensor @returns {readonly Source[]} */
  const lookUp = (tensor) => {
    const op = index.producer(tensor);
    const entry = op === null ? -1 : entryOf(op);
    if (entry >= 0) return [{ kind: "entry", entry, tensor }];
    const call = results.get(tensor);
    if (call !== undefined) return [{ kind: "result", call, tensor }];
    if (op === null) return [{ kind: "constant", tensor }];
    const { variable, inputs, call: within } = index.trace.ops[op];
    if (variable !== null && index.isRead(op)) return [{ kind: "variable", variable, tensor }];
    if (entry === -2) return [{ kind: "carried", tensor }];
    if (within !== null) return [];
    // Hidden bookkeeping: what it was made from stands in for it, shape arithmetic for nothing.
    return unique(inputs.flatMap((input) => (input === null ? [] : find(input))).filter((source) => {
      return source.kind !== "constant" || isNotable(index, source.tensor);
    }));
  };
  return find;
}

/**
 * Whether a constant is worth showing: named, watched, or of a dtype that carries gradients.
 *
 * @param {TraceIndex} index
 * @param {number} tensor
 */
export function isNotable(index, tensor) {
  const { name, dtype } = index.trace.tensors[tensor];
  return name !== null || differentiable(dtype) || index.watchedBy({ tensor }).length > 0;
}

/**
 * The call that gave each tensor as a result.
 *
 * @param {TraceIndex} index
 * @returns {Map<number, number>}
 */
function resultsOf(index) {
  /** @type {Map<number, number>} */
  const results = new Map();
  index.trace.gradients.forEach((call, id) => {
    for (const { tensor } of call.results) if (tensor !== null) results.set(tensor, id);
  });
  return results;
}

/**
 * @param {readonly Source[]} sources
 * @returns {Source[]}
 */
function unique(sources) {
  const seen = new Set();
  return sources.filter((source) => {
    const key = source.kind === "entry" ? `e${source.entry}` : `${source.kind}${source.tensor}`;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}
