/**
 * Which iteration of each loop is shown, and moving from one to the next.
 *
 * @typedef {import("../trace/index.js").TraceIndex} TraceIndex
 * @typedef {import("../state.js").State} State
 */

/**
 * The iteration that the playhead is in; before and after the loop the one chosen by hand, else
 * the first or the last.
 *
 * @param {TraceIndex} index
 * @param {number} step
 * @param {ReadonlyMap<number, number>} chosen
 * @returns {Map<number, number>} loop → position
 */
export function shownIterations(index, step, chosen) {
  /** @type {Map<number, number>} */
  const shown = new Map();
  for (const loop of index.loops()) {
    const { from, to } = index.groupSpan(loop);
    const last = index.iterations(loop).length - 1;
    const inside = step >= from && step <= to;
    const position = inside ? index.iterationAt(loop, step) : (chosen.get(loop) ?? (step < from ? 0 : last));
    shown.set(loop, Math.max(0, Math.min(last, position)));
  }
  return shown;
}

/**
 * The state with the next or the previous iteration of a loop in view. A playhead within the loop
 * goes along, to the same point of that iteration, so that all panels show the same.
 *
 * @param {State} state
 * @param {number} loop
 * @param {1 | -1} way
 * @returns {Partial<State>}
 */
export function iterationMoved({ index, step, iteration }, loop, way) {
  if (!index) return {};
  const iterations = index.iterations(loop);
  const now = shownIterations(index, step, iteration).get(loop) ?? 0;
  const next = Math.max(0, Math.min(iterations.length - 1, now + way));
  if (next === now) return {};
  const chosen = new Map(iteration).set(loop, next);
  const span = index.groupSpan(loop);
  if (step < span.from || step > span.to) return { iteration: chosen };
  const end = next + 1 < iterations.length ? index.groupSpan(iterations[next + 1]).from - 1 : span.to;
  return { iteration: chosen, step: counterpart(index, step, index.groupSpan(iterations[now]).from, index.groupSpan(iterations[next]).from, end) };
}

/**
 * The step of another iteration that is the same point as this one: the event of the same kind
 * with the same number. One iteration may have other events than the next: something watched for
 * the first time, something printed.
 *
 * @param {TraceIndex} index
 * @param {number} step
 * @param {number} begin  of the iteration that it lies in
 * @param {number} from  first step of the other one
 * @param {number} to  its last step
 */
function counterpart(index, step, begin, from, to) {
  const { events } = index.trace;
  const { kind } = events[step];
  let count = 0;
  for (let at = begin; at <= step; at += 1) if (events[at].kind === kind) count += 1;
  for (let at = from; at <= to; at += 1) {
    if (events[at].kind === kind) count -= 1;
    if (count === 0) return at;
  }
  return Math.max(from, Math.min(to, from + step - begin));
}
