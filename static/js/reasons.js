/**
 * Why a tape does not hold an op, in words.
 *
 * @typedef {import("./trace/types.js").Trace} Trace
 * @typedef {import("./trace/index.js").TraceIndex} TraceIndex
 */

import { tapeName } from "./names.js";
import { hasWord, t } from "./words.js";

/** The reason that tells most first: a tape that was near explains more than one long gone. */
const RANK = [
  "failed",
  "paused",
  "stop_gradient",
  "suspended",
  "thread",
  "dtype",
  "nothing_watched",
  "after_call",
  "outside_block",
];

/**
 * The sentence for one tape: "the tape had stopped at step 7"; "" where it holds the op.
 *
 * @param {Trace} trace
 * @param {TraceIndex} index
 * @param {number} op
 * @param {number} tape
 * @param {number} step
 */
export function reasonFor(trace, index, op, tape, step) {
  const status = index.opStatus(op, tape, step);
  if (status.recorded || status.reason === null) return "";
  return sentence(trace, tape, status);
}

/**
 * @param {Trace} trace
 * @param {number} tape
 * @param {{ reason: string | null, since: number | null }} status
 */
function sentence(trace, tape, { reason, since }) {
  const at = since === null || since === undefined ? "" : "At";
  const key = hasWord(`reason.${reason}${at}`) ? `reason.${reason}${at}` : `reason.${reason}`;
  return t(key, { tape: tapeName(trace, tape), step: since ?? 0 });
}

/**
 * The reason that matters most among the tapes alive at a step; "" where none was.
 *
 * @param {Trace} trace
 * @param {TraceIndex} index
 * @param {number} op
 * @param {number} step
 */
export function reasonText(trace, index, op, step) {
  let best = "";
  let bestRank = Infinity;
  for (const tape of aliveTapes(trace, index, step)) {
    // It records the ops of a graph only.
    if (trace.tapes[tape].symbolic) continue;
    const status = index.opStatus(op, tape, step);
    if (status.recorded || status.reason === null) continue;
    const found = RANK.indexOf(status.reason);
    const near = trace.ops[op].inputs.some((tensor) => tensor !== null && index.onTape(tensor, tape, step));
    // A tape that has the inputs on it says more than one that never saw them.
    const rank = (found < 0 ? RANK.length : found) + (near ? 0 : RANK.length + 1);
    // Of equal reasons the newest tape's.
    if (rank > bestRank) continue;
    bestRank = rank;
    best = sentence(trace, tape, status);
  }
  return best;
}

/**
 * Tapes that exist at a step and are not deleted, oldest first.
 *
 * @param {Trace} trace
 * @param {TraceIndex} index
 * @param {number} step
 * @returns {number[]}
 */
export function aliveTapes(trace, index, step) {
  const alive = [];
  for (let tape = 0; tape < trace.tapes.length; tape += 1) {
    const state = index.tapeStateAt(tape, step);
    if (state !== null && state !== "deleted") alive.push(tape);
  }
  return alive;
}
