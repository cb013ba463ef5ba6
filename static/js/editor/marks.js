/**
 * What is lit in the code at a step: the current sub-expression in the state's colour, the
 * gradient call that runs, errors, places of findings.
 *
 * @typedef {import("../trace/types.js").Trace} Trace
 * @typedef {import("../trace/index.js").TraceIndex} TraceIndex
 * @typedef {import("../trace/types.js").TraceEvent} TraceEvent
 * @typedef {{ place: number, tone: string, head: boolean }} Mark  head: only its first line
 */

import { whereOf } from "../sentence.js";

/**
 * @param {TraceIndex} index
 * @param {number} step
 * @returns {Mark[]} at most one a place, the more telling one
 */
export function marksAt(index, step) {
  const { trace } = index;
  /** @type {Map<number, string>} */
  const marks = new Map();
  let head = -1;
  for (const place of brokenPlaces(trace, step)) marks.set(place, "break");
  const event = trace.events[step];
  if (event) {
    const call = "call" in event ? trace.gradients[event.call].place : null;
    if (call !== null && !marks.has(call)) marks.set(call, "rewinding");
    const { place } = whereOf(trace, event);
    if (place !== null && place !== undefined && !marks.has(place))
      marks.set(place, toneOf(trace, event));
    // The place of a tape's block is the whole statement; what is meant is its first line.
    if (event.kind === "tape" && place !== null && place !== undefined) head = place;
  }
  return [...marks].map(([place, tone]) => ({ place, tone, head: place === head }));
}

/**
 * @param {Trace} trace
 * @param {TraceEvent} event
 */
export function toneOf(trace, event) {
  if (event.kind === "rewind" || event.kind === "sum" || event.kind.startsWith("gradient_"))
    return "rewinding";
  if (event.kind === "tape") return event.state;
  if (event.kind === "watch") return "recording";
  if (event.kind === "op")
    return trace.ops[event.op].recorded_by.length > 0 ? "recording" : "missed";
  return "missed";
}

/**
 * Places of errors that have come by a step, and those of problems, which stand for the whole run.
 *
 * @param {Trace} trace
 * @param {number} step
 */
function brokenPlaces(trace, step) {
  const places = trace.findings
    .filter(({ level }) => level === "problem")
    .map((finding) => finding.places[0]);
  trace.events.forEach((event, at) => {
    if (event.kind !== "error" || at > step) return;
    const { place, handled } = trace.errors[event.error];
    if (place !== null && (!handled || trace.findings.length === 0)) places.push(place);
  });
  const last = trace.outcome.error;
  const never =
    last !== null && !trace.events.some((event) => event.kind === "error" && event.error === last);
  if (never && trace.errors[last].place !== null)
    places.push(/** @type {number} */ (trace.errors[last].place));
  return new Set(places.filter((place) => place !== undefined));
}

/**
 * The line of the current step; null without one.
 *
 * @param {TraceIndex} index
 * @param {number} step
 */
export function currentLine(index, step) {
  const { trace } = index;
  const event = trace.events[step];
  const place = event ? whereOf(trace, event).place : null;
  return place === null || place === undefined ? null : trace.places[place].line;
}
