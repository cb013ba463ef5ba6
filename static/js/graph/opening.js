/**
 * Opening and folding by hand: groups, and the traced graphs of ops.
 *
 * @typedef {import("../trace/index.js").TraceIndex} TraceIndex
 * @typedef {import("../state.js").State} State
 */

import { foldingOf, signatures } from "./folding.js";
import { shownIterations } from "./iterations.js";

/**
 * @param {State} state
 * @param {number} group
 * @param {boolean} wanted  to be open
 * @returns {Partial<State>}
 */
export function groupFolded({ index, open, closed }, group, wanted) {
  if (!index) return {};
  const sign = signatures(index);
  const signature = sign(group);
  // The same group of another iteration is folded along.
  const without = /** @param {ReadonlySet<number>} groups */ (groups) => {
    return new Set([...groups].filter((id) => sign(id) !== signature));
  };
  const [nextOpen, nextClosed] = [without(open), without(closed)];
  (wanted ? nextOpen : nextClosed).add(group);
  return { open: nextOpen, closed: nextClosed };
}

/**
 * @param {State} state
 * @param {number} op
 * @param {boolean} wanted  to be open
 * @returns {Partial<State>}
 */
export function graphFolded(state, op, wanted) {
  const body = state.index?.open(op) ?? null;
  return body === null ? {} : groupFolded(state, body.group, wanted);
}

/**
 * Whether the graph of an op is open.
 *
 * @param {State} state
 * @param {number} op
 */
export function isGraphOpen({ index, open, closed, bookkeeping, step }, op) {
  const body = index?.bodyOf(op) ?? null;
  if (!index || body === null) return false;
  const shown = shownIterations(index, step);
  return foldingOf(index, { open, closed, bookkeeping, shown }).isOpen(body.group);
}
