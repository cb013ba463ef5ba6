/**
 * The tape margin: beside the lines of a tape's block, the state that the tape is in.
 *
 * @typedef {import("../trace/types.js").Trace} Trace
 * @typedef {import("../trace/index.js").TraceIndex} TraceIndex
 */

import { sourceLines } from "../source.js";

const LIVELY = ["rewinding", "recording", "paused", "stopped", "consumed"];

/** @type {WeakMap<TraceIndex, Map<string, number[]>>} */
const cache = new WeakMap();

/**
 * The lines of each tape's block, tapes of the same block together.
 *
 * @param {TraceIndex} index
 * @returns {Map<string, number[]>} `first-last` → tapes
 */
function blocks(index) {
  let found = cache.get(index);
  if (found !== undefined) return found;
  found = new Map();
  const { trace } = index;
  for (let tape = 0; tape < trace.tapes.length; tape += 1) {
    const key = blockOf(trace, tape);
    if (key !== null) found.set(key, [...(found.get(key) ?? []), tape]);
  }
  cache.set(index, found);
  return found;
}

/**
 * @param {Trace} trace
 * @param {number} tape
 */
function blockOf(trace, tape) {
  const lines = sourceLines(trace);
  const { place, owner } = trace.tapes[tape];
  if (owner === "tapedeck") return `1-${lines.length}`;
  if (place === null) return null;
  const first = trace.places[place].line;
  return `${first}-${blockEnd(lines, first)}`;
}

/**
 * The last line that is indented deeper than the statement on line `first`.
 *
 * @param {readonly string[]} lines
 * @param {number} first
 */
export function blockEnd(lines, first) {
  const indent = indentOf(lines[first - 1] ?? "");
  let last = first;
  for (let line = first + 1; line <= lines.length; line += 1) {
    const text = lines[line - 1];
    if (text.trim() === "") continue;
    if (indentOf(text) <= indent) break;
    last = line;
  }
  return last;
}

/** @param {string} line */
function indentOf(line) {
  return line.length - line.trimStart().length;
}

/**
 * The state beside each line at a step.
 *
 * @param {TraceIndex} index
 * @param {number} step
 * @returns {Map<number, string>} by line, from 1
 */
export function marginAt(index, step) {
  /** @type {Map<number, string>} */
  const margin = new Map();
  for (const [key, tapes] of blocks(index)) {
    const state = liveliest(index, tapes, step);
    if (state === null) continue;
    const [first, last] = key.split("-").map(Number);
    for (let line = first; line <= last; line += 1) {
      const before = margin.get(line);
      if (before === undefined || LIVELY.indexOf(state) <= LIVELY.indexOf(before))
        margin.set(line, state);
    }
  }
  return margin;
}

/**
 * @param {TraceIndex} index
 * @param {readonly number[]} tapes
 * @param {number} step
 */
function liveliest(index, tapes, step) {
  let best = null;
  for (const tape of tapes) {
    const state = index.tapeStateAt(tape, step);
    if (state === null || !LIVELY.includes(state)) continue;
    if (best === null || LIVELY.indexOf(state) <= LIVELY.indexOf(best)) best = state;
  }
  return best;
}
