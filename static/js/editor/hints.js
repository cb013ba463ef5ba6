/**
 * What stands at the end of a line: the values that the line itself names or computes, up to the
 * step. What a layer or an optimizer does inside has the line's place too, and stands nowhere.
 *
 * @typedef {import("../trace/types.js").Trace} Trace
 * @typedef {import("../trace/types.js").Tensor} Tensor
 * @typedef {import("../trace/index.js").TraceIndex} TraceIndex
 * @typedef {{ step: number, place: number, text: string, op: number | null, iteration: number | null }} Found
 */

import { gradientText, listText, scalarOf, shortText } from "../format.js";
import { iterationOf } from "../names.js";
import { sourceLines } from "../source.js";
import { lastAtMost } from "../trace/lists.js";

/** No line shows more values than this. */
const MOST = 3;

/** @type {WeakMap<TraceIndex, Map<number, Found[]>>} */
const cache = new WeakMap();

/**
 * Everything that ever stands at a line's end, by line, in the order of steps.
 *
 * @param {TraceIndex} index
 */
function foundByLine(index) {
  let lines = cache.get(index);
  if (lines !== undefined) return lines;
  const { trace } = index;
  /** @type {Map<number, Found[]>} */
  const found = new Map();
  trace.events.forEach((_, step) => {
    const one = valueAt(trace, step);
    if (one === null) return;
    const line = trace.places[one.place].line;
    const list = found.get(line);
    if (list) list.push(one);
    else found.set(line, [one]);
  });
  cache.set(index, found);
  return found;
}

/**
 * The value that a step brings to its line.
 *
 * @param {Trace} trace
 * @param {number} step
 * @returns {Found | null}
 */
function valueAt(trace, step) {
  const event = trace.events[step];
  if (event.kind === "op" || event.kind === "assign") return opValue(trace, step, event);
  if (event.kind === "variable") {
    const { place, name, dtype, shape, initial } = trace.variables[event.variable];
    if (place === null || !names(trace, place, name)) return null;
    return { step, place, text: short({ dtype, shape, value: initial }), op: null, iteration: null };
  }
  if (event.kind === "constant") {
    const tensor = trace.tensors[event.tensor];
    return tensor.place === null || !names(trace, tensor.place, tensor.name)
      ? null
      : { step, place: tensor.place, text: short(tensor), op: null, iteration: null };
  }
  if (event.kind !== "gradient_end") return null;
  const { place, results, tape, group } = trace.gradients[event.call];
  // A call of Tapedeck's own stands nowhere in the snippet.
  if (place === null || results.length === 0 || trace.tapes[tape].owner === "tapedeck") return null;
  const scalars = results.every(
    ({ tensor }) => tensor === null || scalarOf(trace.tensors[tensor]) !== null,
  );
  if (results.length > 1 && !scalars) return null;
  const values = results
    .slice(0, MOST)
    .map(({ tensor }) => (tensor === null ? "None" : gradientValue(trace.tensors[tensor])));
  return {
    step,
    place,
    text: values.join(", ") + (results.length > MOST ? ", …" : ""),
    op: null,
    iteration: iterationOf(trace, group),
  };
}

/**
 * @param {Trace} trace
 * @param {number} step
 * @param {Extract<import("../trace/types.js").TraceEvent, { kind: "op" | "assign" }>} event
 * @returns {Found | null}
 */
function opValue(trace, step, event) {
  const op = trace.ops[event.op];
  const tensor = event.kind === "assign" ? event.tensor : op.outputs[0];
  if (op.place === null || op.bookkeeping || op.call !== null) return null;
  if (tensor === undefined || tensor === null) return null;
  if (/^(variant|resource)$/.test(trace.tensors[tensor].dtype)) return null; // Nothing to read.
  const { name } = event.kind === "assign" ? trace.variables[op.variable ?? 0] : trace.tensors[tensor];
  const own = event.kind === "op" && isOwn(trace, op);
  if (!own && !names(trace, op.place, name)) return null;
  const text = short(trace.tensors[tensor]);
  return { step, place: op.place, text, op: event.op, iteration: iterationOf(trace, op.group) };
}

/**
 * Whether an op stands in the line itself: inside a layer all ops have the place of its call.
 *
 * @param {Trace} trace
 * @param {import("../trace/types.js").Op} op
 */
function isOwn(trace, { place, group }) {
  for (let id = group; id !== null; id = trace.groups[id].parent)
    if (trace.groups[id].place === place) return false;
  return true;
}

/** @type {WeakMap<Trace, Map<string, boolean>>} */
const named = new WeakMap();

/**
 * Whether the lines of a place have a name in them.
 *
 * @param {Trace} trace
 * @param {number} placeId
 * @param {string | null} name
 */
function names(trace, placeId, name) {
  if (!name) return false;
  const known = named.get(trace) ?? new Map();
  named.set(trace, known);
  const key = `${placeId} ${name}`;
  if (!known.has(key)) known.set(key, standsIn(trace, placeId, name));
  return known.get(key) ?? false;
}

/**
 * @param {Trace} trace
 * @param {number} placeId
 * @param {string} name
 */
function standsIn(trace, placeId, name) {
  const { line, end_line: end } = trace.places[placeId];
  const text = sourceLines(trace).slice(line - 1, end).join("\n");
  const escaped = name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return new RegExp(`(?<![\\p{L}\\p{N}_])${escaped}(?![\\p{L}\\p{N}_])`, "u").test(text);
}

/** @param {import("../format.js").Held} tensor */
function short(tensor) {
  const scalar = scalarOf(tensor);
  return scalar === null ? listText(tensor) : shortText(scalar, tensor.dtype);
}

/** @param {Tensor} tensor */
function gradientValue(tensor) {
  const scalar = scalarOf(tensor);
  return scalar === null ? gradientText(tensor) : shortText(scalar, tensor.dtype);
}

/**
 * The hints of all lines at a step: of each place the latest value, without those of an earlier
 * iteration and those that another op of the same line has taken further.
 *
 * @param {TraceIndex} index
 * @param {number} step
 * @returns {Map<number, string>} by line, from 1
 */
export function hintsAt(index, step) {
  /** @type {Map<number, string>} */
  const hints = new Map();
  for (const [line, list] of foundByLine(index)) {
    const steps = list.map((found) => found.step);
    const text = lineHint(
      index,
      list.slice(Math.max(0, lastAtMost(steps, step) - 7), lastAtMost(steps, step) + 1),
    );
    if (text) hints.set(line, text);
  }
  for (const loop of index.loops()) {
    const { place } = index.trace.groups[loop];
    const iteration = index.iterationAt(loop, step);
    if (place !== null && iteration >= 0)
      hints.set(index.trace.places[place].line, `${iteration + 1}/${index.iterations(loop).length}`);
  }
  return hints;
}

/**
 * @param {TraceIndex} index
 * @param {readonly Found[]} recent  oldest first
 */
function lineHint(index, recent) {
  const places = new Set();
  const now = recent.at(-1)?.iteration;
  const latest = [...recent]
    .reverse()
    .filter(({ place, iteration }) => iteration === now && !places.has(place) && places.add(place));
  const ops = new Set(latest.map(({ op }) => op));
  const open = latest.filter(
    ({ op }) =>
      op === null || !index.trace.ops[op].outputs.some((tensor) => takenBy(index, tensor, ops)),
  );
  return open
    .slice(0, MOST)
    .reverse()
    .map(({ text }) => text)
    .filter(Boolean)
    .join(", ");
}

/**
 * @param {TraceIndex} index
 * @param {number} tensor
 * @param {Set<number | null>} ops
 */
function takenBy(index, tensor, ops) {
  for (const op of index.consumers(tensor)) if (ops.has(op)) return true;
  return false;
}
