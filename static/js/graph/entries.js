/**
 * What is drawn in its own right at a state of folding: ops, folded groups and frames.
 *
 * @typedef {import("../trace/index.js").TraceIndex} TraceIndex
 * @typedef {import("./model.js").GraphView} GraphView
 *
 * @typedef {object} Entry
 * @property {"op" | "group" | "frame"} kind
 * @property {number} id
 * @property {number} parent  entry of the frame around it; −1: none
 * @property {number[]} ops  that it stands for
 * @property {boolean} opened  an op that stands in the frame of what it opens into
 */

import { foldingOf, openTwins } from "./folding.js";
import { sideline } from "./sideline.js";

/** What is not drawn as an op, because it is bookkeeping or a gradient op of no tape. */
const HIDDEN = -1;
/** What ran in an iteration that is not shown. */
const ELSEWHERE = -2;

/**
 * @param {TraceIndex} index
 * @param {GraphView} view
 * @returns {{ entries: Entry[], entryOfOp: Int32Array }} entries in the order they ran; by op the
 *   entry that it is drawn as, −1: hidden, −2: not shown now
 */
export function entriesOf(index, view) {
  const collector = new Collector(index, view);
  collector.collect(null, -1);
  return { entries: collector.entries, entryOfOp: collector.entryOfOp };
}

/** One run of `entriesOf`. */
class Collector {
  /**
   * @param {TraceIndex} index
   * @param {GraphView} view
   */
  constructor(index, view) {
    this.index = index;
    this.view = view;
    this.folding = foldingOf(index, view);
    this.aside = sideline(index);
    openTwins(index, view);
    /** @type {Entry[]} */
    this.entries = [];
    this.entryOfOp = new Int32Array(index.trace.ops.length).fill(ELSEWHERE);
  }

  /**
   * @param {number} op
   */
  isShown(op) {
    const { bookkeeping, call, recorded_by: recorded, error } = this.index.trace.ops[op];
    if (call !== null && (recorded.length === 0 || this.index.stepOfOp(op) < 0)) return false;
    return this.view.bookkeeping || !(bookkeeping || this.aside.has(op)) || error !== null;
  }

  /**
   * Everything drawn directly in a group, in the order it ran.
   *
   * @param {number | null} group
   * @param {number} parent
   */
  collect(group, parent) {
    const children = this.index.groupChildren(group);
    const loop = group !== null && this.index.trace.groups[group].kind === "loop";
    const shown = loop ? this.index.iterations(group)[this.folding.shownIteration(group)] : undefined;
    const items = [
      ...children.ops.map((id) => ({ step: this.index.stepOfOp(id), op: true, id })),
      ...children.groups.map((id) => ({ step: this.index.groupSpan(id).from, op: false, id })),
    ].sort((a, b) => a.step - b.step || Number(a.op) - Number(b.op));
    for (const { op, id } of items) {
      if (op) this.collectOp(id, parent);
      else if (this.index.trace.groups[id].kind !== "iteration") this.collectGroup(id, parent);
      else if (shown === undefined || shown === id) this.collect(id, parent);
    }
  }

  /**
   * @param {number} op
   * @param {number} parent
   */
  collectOp(op, parent) {
    const body = this.index.bodyOf(op);
    const opened = body !== null && this.folding.isOpen(body.group);
    if (!this.isShown(op) && !opened) {
      this.entryOfOp[op] = HIDDEN;
      return;
    }
    if (opened) {
      const frame = this.entries.length;
      this.entries.push({ kind: "frame", id: body.group, parent, ops: [], opened: false });
      this.collect(body.group, frame);
      parent = frame;
    }
    this.entryOfOp[op] = this.entries.length;
    this.entries.push({ kind: "op", id: op, parent, ops: [op], opened });
  }

  /**
   * @param {number} group
   * @param {number} parent
   */
  collectGroup(group, parent) {
    const ops = this.opsWithin(group);
    const shown = ops.filter((op) => this.isShown(op));
    if (shown.length === 0) {
      for (const op of ops) this.entryOfOp[op] = HIDDEN;
      return;
    }
    const entry = this.entries.length;
    if (this.folding.isOpen(group)) {
      this.entries.push({ kind: "frame", id: group, parent, ops: [], opened: false });
      this.collect(group, entry);
      return;
    }
    this.entries.push({ kind: "group", id: group, parent, ops: shown, opened: false });
    for (const op of ops) this.entryOfOp[op] = this.index.isRead(op) ? HIDDEN : entry;
  }

  /**
   * @param {number} group
   * @returns {number[]}
   */
  opsWithin(group) {
    const { ops, groups } = this.index.groupChildren(group);
    return [...ops, ...groups.flatMap((id) => this.opsWithin(id))];
  }
}
