/**
 * What stands where in a trace, gathered in one pass each.
 *
 * @typedef {import("./types.js").Trace} Trace
 * @typedef {import("./index.js").Watch} Watch
 */

import { addTo, listsOf } from "./lists.js";

/**
 * The op that made each tensor, −1 for a constant.
 *
 * @param {Trace} trace
 */
export function producersOf(trace) {
  const producers = new Int32Array(trace.tensors.length).fill(-1);
  trace.ops.forEach(({ outputs }, op) => {
    for (const tensor of outputs) if (producers[tensor] < 0) producers[tensor] = op;
  });
  return producers;
}

/**
 * The ops that take each tensor.
 *
 * @param {Trace} trace
 */
export function consumersOf(trace) {
  /** @type {number[]} */
  const keys = [];
  /** @type {number[]} */
  const values = [];
  trace.ops.forEach(({ inputs, argument }, op) => {
    // The op that a graph belongs to takes what stands for its arguments.
    if (argument !== null) return;
    for (const tensor of inputs) {
      if (tensor === null) continue;
      keys.push(tensor);
      values.push(op);
    }
  });
  return listsOf(trace.tensors.length, keys, values);
}

/**
 * By op: 1 where it reads a variable.
 *
 * @param {Trace} trace
 */
export function readsOf(trace) {
  const reads = new Uint8Array(trace.ops.length);
  trace.ops.forEach((op, id) => {
    if (op.variable !== null && op.type.startsWith("ReadVariable")) reads[id] = 1;
  });
  for (const event of trace.events) if (event.kind === "read") reads[event.op] = 1;
  return reads;
}

/**
 * Steps by op, constant and variable, and those of prints and of the tapes' lives.
 *
 * @param {Trace} trace
 */
export function stepsOf(trace) {
  const opSteps = new Int32Array(trace.ops.length).fill(-1);
  const constantSteps = new Int32Array(trace.tensors.length).fill(-1);
  const variableSteps = new Int32Array(trace.variables.length).fill(-1);
  /** @type {number[]} */
  const prints = [];
  /** @type {number[]} */
  const tapeSteps = [];
  trace.events.forEach((event, step) => {
    if (event.kind === "op" || event.kind === "read" || event.kind === "assign") {
      if (opSteps[event.op] < 0) opSteps[event.op] = step;
    } else if (event.kind === "constant") constantSteps[event.tensor] = step;
    else if (event.kind === "variable") variableSteps[event.variable] = step;
    else if (event.kind === "print") prints.push(step);
    else if (event.kind === "tape") tapeSteps.push(step);
  });
  trace.ops.forEach(({ host }, op) => {
    if (host === null) return;
    if (opSteps[host] < 0) opSteps[host] = stepOfRewind(trace, host);
    opSteps[op] = opSteps[host];
  });
  return { opSteps, constantSteps, variableSteps, prints, tapeSteps };
}

/**
 * The step of the rewind that a backward op belongs to; of one that went back through several ops
 * at once, of its call. −1: none.
 *
 * @param {Trace} trace
 * @param {number} id
 */
function stepOfRewind(trace, id) {
  const { call, rewinds } = trace.ops[id];
  return trace.events.findIndex((event) => {
    if (rewinds === null) return event.kind === "gradient_begin" && event.call === call;
    return event.kind === "rewind" && event.call === call && event.op === rewinds;
  });
}

/**
 * Who watches each tensor and variable.
 *
 * @param {Trace} trace
 */
export function watchesOf(trace) {
  /** @type {Map<number, Watch[]>} */
  const tensors = new Map();
  /** @type {Map<number, Watch[]>} */
  const variables = new Map();
  trace.events.forEach((event, step) => {
    if (event.kind !== "watch") return;
    const watch = { tape: event.tape, step, by: event.by };
    if (event.tensor !== null) addTo(tensors, event.tensor, watch);
    if (event.variable !== null) addTo(variables, event.variable, watch);
  });
  return { tensors, variables };
}

/**
 * By variable: the steps at which it is given a value, and the tensors that its reads gave.
 *
 * @param {Trace} trace
 */
export function assignsOf(trace) {
  /** @type {Map<number, number[]>} */
  const steps = new Map();
  /** @type {Map<number, number[]>} */
  const reads = new Map();
  trace.events.forEach((event, step) => {
    if (event.kind !== "assign" && event.kind !== "read") return;
    const { outputs } = trace.ops[event.op];
    const variable = (event.kind === "assign" ? event.variable : null) ?? trace.ops[event.op].variable;
    if (variable === null) return;
    if (event.kind === "assign") addTo(steps, variable, step);
    else for (const output of outputs) addTo(reads, variable, output);
  });
  return { steps, reads };
}
