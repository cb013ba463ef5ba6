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

/**
 * What has been folded by hand, for the address. The group of an opened graph gets its number as it
 * is opened: there the op stands for it, as −1 − op.
 *
 * @param {TraceIndex} index
 * @param {Pick<State, "open" | "closed">} state
 */
export function foldsOf({ trace }, { open, closed }) {
  const listed = /** @param {ReadonlySet<number>} groups */ (groups) => {
    return [...groups].map((id) => (trace.groups[id].kind === "graph" ? -1 - (trace.groups[id].index ?? 0) : id));
  };
  return { open: listed(open), closed: listed(closed) };
}

/**
 * The same, back from the address.
 *
 * @param {TraceIndex} index
 * @param {{ open: readonly number[], closed: readonly number[] }} folds
 * @returns {Pick<State, "open" | "closed">}
 */
export function foldsFrom(index, { open, closed }) {
  const groups = /** @param {readonly number[]} ids */ (ids) => {
    const found = ids.map((id) => {
      if (id >= 0) return id;
      return -1 - id < index.trace.ops.length ? (index.open(-1 - id)?.group ?? -1) : -1;
    });
    return new Set(found.filter((id) => id >= 0 && id < index.trace.groups.length));
  };
  return { open: groups(open), closed: groups(closed) };
}
