/**
 * What the page calls things: the snippet's own names first, then the text that made them.
 *
 * @typedef {import("./trace/types.js").Trace} Trace
 * @typedef {import("./trace/types.js").Ref} Ref
 */

import { lineOf, shorten, textAt } from "./source.js";
import { scalarOf, shapeText, shortText } from "./format.js";
import { t } from "./words.js";

/** @type {WeakMap<Trace, Map<string, number>>} */
const tapeCounts = new WeakMap();

/**
 * How many tapes of the trace have this name.
 *
 * @param {Trace} trace
 * @param {string | null | undefined} name
 */
function sameName(trace, name) {
  let counts = tapeCounts.get(trace);
  if (counts === undefined) {
    counts = new Map();
    for (const tape of trace.tapes)
      counts.set(tape.name ?? "", (counts.get(tape.name ?? "") ?? 0) + 1);
    tapeCounts.set(trace, counts);
  }
  return counts.get(name ?? "") ?? 0;
}

/**
 * @param {Trace} trace
 * @param {number} id
 */
export function tapeName(trace, id) {
  const tape = trace.tapes[id];
  if (tape?.name) return tape.name;
  if (tape?.owner === "tapedeck") return "tapedeck";
  return t("tape.unnamed");
}

/**
 * The position of a tape among those of its name made on the same line, and how many these are.
 *
 * @param {Trace} trace
 * @param {number} id
 */
function twins(trace, id) {
  const { name, place } = trace.tapes[id];
  const line = lineOf(trace, place);
  const all = trace.tapes.flatMap((tape, other) => {
    return tape.name === name && lineOf(trace, tape.place) === line ? [other] : [];
  });
  return { position: all.indexOf(id) + 1, count: all.length };
}

/**
 * What tells tapes of the same name apart: the iteration they belong to, else the line, else which
 * of that line's it is.
 *
 * @param {Trace} trace
 * @param {number} id
 */
export function tapeSuffix(trace, id) {
  const tape = trace.tapes[id];
  if (!tape || sameName(trace, tape.name) < 2) return "";
  const index = iterationOf(trace, tape.group);
  if (index !== null) return String(index);
  const line = lineOf(trace, tape.place);
  const { position, count } = twins(trace, id);
  if (line === null || count > 1) return `#${position}`;
  return t("line", { line });
}

/**
 * The number of the innermost iteration around a group, from 1: "iteration 500 of 500" is the last.
 *
 * @param {Trace} trace
 * @param {number | null | undefined} group
 * @returns {number | null}
 */
export function iterationOf(trace, group) {
  for (let id = group; id !== null && id !== undefined; id = trace.groups[id].parent) {
    const { kind, index } = trace.groups[id];
    if (kind === "iteration") return (index ?? 0) + 1;
  }
  return null;
}

/**
 * The type of an op as one would say it: a function's gradient has TensorFlow's name for it.
 *
 * @param {string} type
 */
export function opName(type) {
  return /^__(?:inference|forward|backward)_(.+)_\d+$/.exec(type)?.[1] ?? type;
}

/**
 * @param {Trace} trace
 * @param {number} id
 */
export function variableName(trace, id) {
  const variable = trace.variables[id];
  return variable?.name || variable?.path || `variable ${id}`;
}

/**
 * @param {Trace} trace
 * @param {import("./trace/index.js").TraceIndex} index
 * @param {number} id
 */
export function tensorName(trace, index, id) {
  const tensor = trace.tensors[id];
  if (tensor?.name) return tensor.name;
  const op = index.producer(id);
  if (op !== null) {
    const { variable, place, type } = trace.ops[op];
    if (variable !== undefined && variable !== null) return variableName(trace, variable);
    return textAt(trace, place, 28) || type;
  }
  const scalar = scalarOf(tensor);
  if (scalar !== null) return shortText(scalar, tensor.dtype);
  return textAt(trace, tensor?.place, 28) || shapeText(tensor?.shape) || t("kind.constant");
}

/**
 * @param {Trace} trace
 * @param {Ref} ref
 */
export function refName(trace, ref) {
  if (ref.text) return ref.text;
  if (ref.variable !== undefined && ref.variable !== null) return variableName(trace, ref.variable);
  if (ref.tensor !== undefined && ref.tensor !== null) return trace.tensors[ref.tensor]?.name ?? "";
  return "?";
}

/**
 * `gradient(y, x)`, as the snippet writes it.
 *
 * @param {Trace} trace
 * @param {number} id
 */
export function callName(trace, id) {
  const call = trace.gradients[id];
  const written = /\.((?:batch_)?jacobian|gradient)(\([\s\S]*\))$/.exec(
    textAt(trace, call.place, 300),
  );
  if (written) return shorten(written[1] + written[2], 52);
  return `${call.kind}(${refList(trace, call.targets)}, ${refList(trace, call.sources)})`;
}

/**
 * The name of a source short enough for a table: of a long one, what Keras calls the variable.
 *
 * @param {Trace} trace
 * @param {Ref} ref
 */
export function shortRef(trace, ref) {
  const name = refName(trace, ref);
  if (name.length <= 20 || ref.variable === null) return name;
  const path = trace.variables[ref.variable].path.replace(/:\d+$/, "").split("/");
  return path.length > 1 ? path.slice(-2).join("/") : name;
}

/**
 * @param {Trace} trace
 * @param {readonly Ref[] | undefined} refs
 */
export function refList(trace, refs) {
  const names = (refs ?? []).map((ref) => refName(trace, ref));
  if (names.length === 1) return names[0];
  const all = `[${names.join(", ")}]`;
  return all.length > 32 ? t("sources", { n: names.length }) : all;
}
