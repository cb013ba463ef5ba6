/**
 * Opening traced graphs: for one call of a function its graph is written into the trace, as ops
 * that the page can draw and inspect like all others.
 *
 * A graph is told once however often it is called, and its ids are positions in itself. What is
 * made here stands behind everything recorded: the ids of what is recorded stay what they are.
 * These ops ran when their host ran, are on no tape and have shapes instead of values.
 *
 * @typedef {import("./types.js").Trace} Trace
 * @typedef {import("./types.js").Op} Op
 * @typedef {import("./types.js").Graph} Graph
 * @typedef {import("./types.js").Group} Group
 * @typedef {import("./types.js").Tensor} Tensor
 *
 * @typedef {object} Body  what an op opens into
 * @property {number} group
 * @property {Returned[]} returns  what the graph hands to the op
 * @typedef {{ tensor: number, output: number }} Returned  output: of the op; −1: it decides
 *
 * @typedef {{ ops: Op[], tensors: Tensor[], groups: Group[] }} Growing  the arrays of a trace
 */

import { OP } from "./document.js";
import { differentiable } from "./tapes.js";

/** By op type: what each of its graphs is, and which inputs the op keeps for itself. */
const PARTS = /** @type {Record<string, { names: string[], own: number }>} */ ({
  If: { names: ["then", "else"], own: 1 },
  StatelessIf: { names: ["then", "else"], own: 1 },
  While: { names: ["condition", "body"], own: 0 },
  StatelessWhile: { names: ["condition", "body"], own: 0 },
});

/**
 * Whether a tensor of a graph is one of numbers that gradients are of, and no container of them.
 *
 * @param {string} dtype
 */
export function carriesNumbers(dtype) {
  return differentiable(dtype) && dtype !== "resource" && dtype !== "variant";
}

/**
 * How many of its first inputs an op takes itself; the others are those of its graphs.
 *
 * @param {Op} op
 */
export function ownInputs(op) {
  return PARTS[op.type]?.own ?? 0;
}

/**
 * The variable behind an input that is not a tensor of its own.
 *
 * @param {Op} op
 * @param {number} input
 * @returns {number | null}
 */
export function variableOfInput(op, input) {
  if (op.inputs[input] !== null || (op.bodies.length === 0 && op.host === null)) return null;
  return op.captures.length > 0 ? (op.captures[input] ?? null) : op.variable;
}

/**
 * Writes the graphs of an op into the arrays of a trace.
 *
 * @param {Trace} trace
 * @param {number} host
 * @returns {Body}
 */
export function openGraphs(trace, host) {
  const into = /** @type {Growing} */ (/** @type {unknown} */ (trace));
  const op = trace.ops[host];
  const group = into.groups.length;
  into.groups.push({ kind: "graph", name: op.type, parent: op.group, place: op.place, index: host });
  const names = PARTS[op.type]?.names ?? [];
  /** @type {Returned[]} */
  const returns = [];
  op.bodies.forEach((id, part) => {
    let within = group;
    if (names.length > 0 || op.bodies.length > 1) {
      within = into.groups.length;
      into.groups.push({ kind: "part", name: names[part] ?? "branch", parent: group, place: trace.graphs[id].place, index: part });
    }
    const written = write(into, trace.graphs[id], op, host, within);
    const decides = names[part] === PARTS.While.names[0];
    returns.push(...written.slice(0, op.outputs.length).map((tensor, i) => ({ tensor, output: decides ? -1 : i })));
  });
  return { group, returns };
}

/**
 * @param {Growing} into
 * @param {Graph} graph
 * @param {Op} op  that opens into it
 * @param {number} host
 * @param {number} group
 * @returns {number[]} what the graph gives
 */
function write(into, graph, op, host, group) {
  const first = into.tensors.length;
  into.tensors.push(...graph.tensors);
  const moved = /** @param {number} tensor */ (tensor) => tensor + first;
  const deciding = decidingOf(graph, into.groups[group].name === PARTS.While.names[0]);
  const used = usesOf(graph, deciding);
  /** @type {Map<number, number>} handle → variable */
  const handles = new Map();
  graph.inputs.forEach((tensor, i) => {
    const input = i + ownInputs(op);
    const variable = variableOfInput(op, input);
    if (variable !== null) handles.set(tensor, variable);
    into.ops.push({
      ...OP,
      type: nameOf(into, graph.tensors[tensor], op, input),
      inputs: [op.inputs[input] ?? null],
      outputs: [moved(tensor)],
      place: graph.place,
      group,
      bookkeeping: variable !== null || !isShown(graph, tensor, used),
      host,
      argument: input,
    });
  });
  for (const inner of graph.ops) {
    // What it gives is a constant like those of the snippet.
    if (inner.type === "Const") continue;
    const decides = inner.outputs.some((tensor) => deciding.has(tensor));
    const bookkeeping = (inner.bookkeeping && !decides) || isCarrier(graph, inner);
    into.ops.push({ ...bound(inner, handles, moved), bookkeeping, group, host });
  }
  return graph.outputs.map(moved);
}

/**
 * The name of an argument: its own, else that of what is given for it. The first one of a graph
 * that rewinds is the gradient that arrives.
 *
 * @param {Growing} into
 * @param {Tensor} tensor
 * @param {Op} op
 * @param {number} input
 */
function nameOf({ ops, tensors }, { name }, op, input) {
  const given = op.inputs[input] ?? null;
  if (name !== null || given === null) return name ?? "";
  if (op.rewinds !== null && input === 0) return `∂${tensors[ops[op.rewinds].outputs[0]]?.name ?? ""}`;
  const outer = ops.findLast(({ argument, outputs }) => argument !== null && outputs[0] === given);
  return outer?.type ?? tensors[given].name ?? "";
}

/**
 * What a branch or another round hangs on: drawn although it is only a truth value.
 *
 * @param {Graph} graph
 * @param {boolean} condition  of a loop
 * @returns {Set<number>}
 */
function decidingOf(graph, condition) {
  const wanted = graph.ops.flatMap((op) => (ownInputs(op) > 0 ? op.inputs.slice(0, 1) : []));
  if (condition) wanted.push(...graph.outputs);
  const passing = new Map(graph.ops.flatMap(({ type, inputs, outputs }) => (type === "Identity" ? [[outputs[0], inputs[0]]] : [])));
  return new Set(wanted.flatMap((tensor) => passing.get(tensor ?? -1) ?? tensor ?? []));
}

/**
 * Whether an op only packs values for the rewind, or lists them.
 *
 * @param {Graph} graph
 * @param {Op} op
 */
function isCarrier({ tensors }, { outputs, bodies }) {
  return bodies.length === 0 && outputs.length > 0 && outputs.every((tensor) => tensors[tensor].dtype === "variant");
}

/**
 * An op of a graph with the ids of the trace, and the variables behind the handles it takes.
 *
 * @param {Op} op
 * @param {Map<number, number>} handles
 * @param {(tensor: number) => number} moved
 * @returns {Op}
 */
function bound(op, handles, moved) {
  const behind = op.inputs.map((tensor, i) => {
    return tensor === null ? (op.captures[i] ?? op.variable) : (handles.get(tensor) ?? null);
  });
  const variables = behind.filter((variable) => variable !== null);
  const inputs = op.inputs.map((tensor) => (tensor === null || handles.has(tensor) ? null : moved(tensor)));
  return {
    ...op,
    inputs,
    outputs: op.outputs.map(moved),
    variable: variables[0] ?? null,
    captures: variables.length > 1 ? behind : [],
  };
}

/**
 * By tensor of a graph: 1 where something takes it or the graph gives it, 2 where that is more
 * than bookkeeping.
 *
 * @param {Graph} graph
 * @param {Set<number>} deciding
 */
function usesOf(graph, deciding) {
  const used = new Uint8Array(graph.tensors.length);
  for (const tensor of graph.outputs) used[tensor] = 1;
  for (const { inputs, outputs, bookkeeping } of graph.ops) {
    const hidden = bookkeeping && !outputs.some((tensor) => deciding.has(tensor));
    for (const tensor of inputs) if (tensor !== null && used[tensor] < 2) used[tensor] = hidden ? 1 : 2;
  }
  return used;
}

/**
 * Whether an argument is worth drawing: a float that is used, or what more than bookkeeping takes.
 *
 * @param {Graph} graph
 * @param {number} tensor
 * @param {Uint8Array} used
 */
function isShown(graph, tensor, used) {
  const { dtype } = graph.tensors[tensor];
  if (dtype === "resource" || dtype === "variant") return false;
  return carriesNumbers(dtype) ? used[tensor] > 0 : used[tensor] > 1;
}
