/**
 * Which iteration of each loop is shown, and moving from one to the next.
 *
 * @typedef {import("../trace/index.js").TraceIndex} TraceIndex
 * @typedef {import("../trace/types.js").TraceEvent} TraceEvent
 * @typedef {import("../state.js").State} State
 */

import { whereOf } from "../sentence.js";

/**
 * The iteration that the playhead is in; before the loop the first, after it the last.
 *
 * @param {TraceIndex} index
 * @param {number} step
 * @returns {Map<number, number>} loop → position
 */
export function shownIterations(index, step) {
  return new Map(index.loops().map((loop) => [loop, Math.max(0, index.iterationAt(loop, step))]));
}

/**
 * The state with the next or the previous iteration of a loop in view. The playhead goes along, to
 * the same point of that iteration, so that all panels show the same.
 *
 * @param {Pick<State, "index" | "step">} state
 * @param {number} loop
 * @param {1 | -1} way
 * @returns {Partial<State>}
 */
export function iterationMoved({ index, step }, loop, way) {
  if (!index) return {};
  const iterations = index.iterations(loop);
  const now = shownIterations(index, step).get(loop) ?? 0;
  const next = Math.max(0, Math.min(iterations.length - 1, now + way));
  if (next === now) return {};
  const span = index.groupSpan(loop);
  const { from } = index.groupSpan(iterations[next]);
  const to = next + 1 < iterations.length ? index.groupSpan(iterations[next + 1]).from - 1 : span.to;
  if (step < span.from) return { step: from };
  if (step > span.to) return { step: to };
  return { step: counterpart(index, step, index.groupSpan(iterations[now]).from, from, to) };
}

/**
 * The step of another iteration that is the same point as this one: the same thing at the same
 * place for the same time. One iteration may have other events than the next: something watched
 * for the first time, something printed.
 *
 * @param {TraceIndex} index
 * @param {number} step
 * @param {number} begin  of the iteration that it lies in
 * @param {number} from  first step of the other one
 * @param {number} to  its last step
 */
function counterpart(index, step, begin, from, to) {
  const key = keyOf(index, step);
  let count = 0;
  for (let at = begin; at <= step; at += 1) if (keyOf(index, at) === key) count += 1;
  for (let at = from; at <= to; at += 1) {
    if (keyOf(index, at) === key) count -= 1;
    if (count === 0) return at;
  }
  return Math.max(from, Math.min(to, from + step - begin));
}

/**
 * What an event is, whichever iteration it is of.
 *
 * @param {TraceIndex} index
 * @param {number} step
 */
function keyOf({ trace }, step) {
  const event = trace.events[step];
  const state = event.kind === "tape" ? event.state : "";
  const type = "op" in event ? trace.ops[event.op].type : "";
  const variable = "variable" in event ? event.variable : "";
  return [event.kind, whereOf(trace, event).place, state, type, variable].join(" ");
}
