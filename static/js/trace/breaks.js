/**
 * Where the path from a source to a target breaks.
 *
 * @typedef {import("./index.js").TraceIndex} TraceIndex
 * @typedef {import("./tapes.js").Reason} Reason
 *
 * @typedef {Reason | "not_watched" | "gives" | "no_gradient" | "exit" | "no_path" | "raised"} BreakReason
 * @typedef {object} Break
 * @property {number} call
 * @property {number[]} sources  positions in the call's sources; all of them where it raised
 * @property {BreakReason} reason
 * @property {number | null} op  the op into which the path is cut; null: at the target itself
 * @property {number} input  which input of that op; −1 at the target
 * @property {number | null} tensor  the last thing still connected: what stands before the cut; where
 *   a value left TensorFlow the constant made from it
 * @property {number | null} target  the target tensor
 * @property {number | null} finding
 * @property {number} since  the step that made it so; −1: none did
 */

import { flatten } from "../format.js";
import { differentiable } from "./tapes.js";

/**
 * One break a finding; results without a finding share one where they are cut at the same edge.
 *
 * @param {TraceIndex} index
 * @returns {Break[]}
 */
export function breaksOf(index) {
  /** @type {Map<string, Break>} */
  const found = new Map();
  for (const one of allBreaks(index)) {
    const key = `${one.call}:${one.op ?? "target"}:${one.input}:${one.reason}`;
    const known = found.get(key);
    if (known) known.sources.push(...one.sources);
    else found.set(key, one);
  }
  return [...found.values()];
}

/**
 * @param {TraceIndex} index
 * @returns {Break[]}
 */
function allBreaks(index) {
  return index.trace.gradients.flatMap((call, id) => {
    if (call.error !== null) return [raisedBreak(index, id)];
    return call.results.filter(({ tensor }) => tensor === null).map((result) => {
      const cut = cutOf(index, id, result.source, result.finding);
      return { call: id, sources: [result.source], finding: result.finding, target: targetOf(index, id), ...cut };
    });
  });
}

/**
 * @param {TraceIndex} index
 * @param {number} call
 */
function targetOf(index, call) {
  return index.trace.gradients[call].targets[0]?.tensor ?? null;
}

/**
 * @param {TraceIndex} index
 * @param {number} call
 * @returns {Break}
 */
function raisedBreak(index, call) {
  const { sources, tape } = index.trace.gradients[call];
  const finding = index.trace.findings.findIndex((one) => one.call === call);
  const begin = index.callSpan(call).begin;
  const state = index.tapeIntervals(tape).filter(({ from }) => from < begin).at(-1);
  return {
    call,
    sources: sources.map((_, i) => i),
    reason: "raised",
    op: null,
    input: -1,
    tensor: targetOf(index, call),
    target: targetOf(index, call),
    finding: finding < 0 ? null : finding,
    since: state?.from ?? -1,
  };
}

/**
 * @typedef {{ op: number | null, input: number, tensor: number | null, reason: BreakReason, since: number }} Cut
 */

/**
 * @param {TraceIndex} index
 * @param {number} call
 * @param {number} source
 * @param {number | null} finding
 * @returns {Cut}
 */
function cutOf(index, call, source, finding) {
  const { targets, sources } = index.trace.gradients[call];
  const ancestors = ancestorsOf(index, targets.map(({ tensor }) => tensor));
  const ref = sources[source];
  const begin = ref.variable !== null ? index.tensorsOfVariable(ref.variable) : [ref.tensor ?? -1];
  const walk = walkForward(index, call, begin.filter((tensor) => tensor >= 0), ancestors);
  const named = finding === null ? null : index.trace.findings[finding].op;
  const cut = walk.cuts.find(({ op }) => op === named) ?? walk.cuts.at(-1);
  return cut ?? exitCut(index, walk.reached, ancestors) ?? noPath(index, call);
}

/**
 * @param {TraceIndex} index
 * @param {number} call
 * @returns {Cut}
 */
function noPath(index, call) {
  return { op: null, input: -1, tensor: targetOf(index, call), reason: "no_path", since: -1 };
}

/**
 * The ops that some target was computed from.
 *
 * @param {TraceIndex} index
 * @param {readonly (number | null)[]} targets
 * @returns {Set<number>}
 */
function ancestorsOf(index, targets) {
  /** @type {Set<number>} */
  const seen = new Set();
  const waiting = [...targets];
  while (waiting.length > 0) {
    const tensor = waiting.pop() ?? null;
    const op = tensor === null ? null : index.producer(tensor);
    if (op === null || seen.has(op)) continue;
    seen.add(op);
    for (const input of index.trace.ops[op].inputs) waiting.push(input);
  }
  return seen;
}

/**
 * Follows what depends on the source as far as the tape held it, towards the targets.
 *
 * @param {TraceIndex} index
 * @param {number} call
 * @param {readonly number[]} start
 * @param {Set<number>} ancestors
 * @returns {{ cuts: Cut[], reached: Set<number> }} cuts in the order that their ops ran
 */
function walkForward(index, call, start, ancestors) {
  const { ops } = index.trace;
  const reached = new Set(start);
  /** @type {Cut[]} */
  const cuts = [];
  const waiting = [...start];
  while (waiting.length > 0) {
    const tensor = /** @type {number} */ (waiting.pop());
    for (const op of new Set(index.consumers(tensor))) {
      const cut = cutAt(index, call, op, ops[op].inputs.indexOf(tensor), tensor);
      if (cut !== null && ancestors.has(op)) cuts.push(cut);
      if (cut !== null) continue;
      for (const output of ops[op].outputs) {
        if (reached.has(output)) continue;
        reached.add(output);
        waiting.push(output);
      }
    }
  }
  cuts.sort((a, b) => index.stepOfOp(a.op ?? 0) - index.stepOfOp(b.op ?? 0));
  return { cuts, reached };
}

/**
 * @param {TraceIndex} index
 * @param {number} call
 * @param {number} op
 * @param {number} input
 * @param {number} tensor
 * @returns {Cut | null} null: the tape goes on through this op
 */
function cutAt(index, call, op, input, tensor) {
  const { tape } = index.trace.gradients[call];
  const at = index.callSpan(call).begin;
  const status = index.opStatus(op, tape, at);
  if (!status.recorded || status.reason !== null) {
    const unwatched = status.reason === "nothing_watched" ? "not_watched" : status.reason;
    return { op, input, tensor, reason: unwatched ?? "nothing_watched", since: status.since };
  }
  if (!index.onTape(tensor, tape, index.stepOfOp(op))) {
    return { op, input, tensor, reason: "not_watched", since: -1 };
  }
  const { outputs } = index.trace.ops[op];
  const follows = outputs.some((id) => differentiable(index.trace.tensors[id].dtype));
  if (!follows && outputs.length > 0) return { op, input, tensor, reason: "gives", since: index.stepOfOp(op) };
  const rewind = index.rewindsOf(op).map((step) => index.trace.events[step])
    .find((event) => event.kind === "rewind" && event.call === call);
  if (rewind?.kind !== "rewind" || rewind.upstream.every((id) => id === null)) return null;
  if (rewind.contributions.length === 0 || rewind.contributions[input] !== null) return null;
  return { op, input, tensor, reason: "no_gradient", since: index.stepOfOp(op) };
}

/**
 * The path leaves TensorFlow: a value that depends on the source went to Python, and a constant
 * made afterwards leads to the target.
 *
 * @param {TraceIndex} index
 * @param {Set<number>} reached
 * @param {Set<number>} ancestors
 * @returns {Cut | null}
 */
function exitCut(index, reached, ancestors) {
  const { events, ops, tensors } = index.trace;
  const exit = events.findLastIndex((event) => event.kind === "exit" && reached.has(event.tensor));
  const left = events[exit];
  if (left?.kind !== "exit") return null;
  /** @type {Cut[]} */
  const cuts = [];
  for (const op of [...ancestors].sort((a, b) => a - b)) {
    if (index.stepOfOp(op) <= exit) continue;
    ops[op].inputs.forEach((tensor, input) => {
      if (tensor === null || index.producer(tensor) !== null) return;
      const made = index.stepOfTensor(tensor);
      if (made < 0 || made > exit) cuts.push({ op, input, tensor, reason: "exit", since: exit });
    });
  }
  const held = /** @param {number | null} id */ (id) => JSON.stringify(flatten(tensors[id ?? 0].value?.data));
  // Rather the constant that holds the value that left.
  return cuts.find(({ tensor }) => held(tensor) === held(left.tensor)) ?? cuts[0] ?? null;
}
