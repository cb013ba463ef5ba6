/**
 * The pieces that every view of the inspector is made of.
 *
 * @typedef {import("../state.js").Store} Store
 * @typedef {import("../state.js").Selection} Selection
 * @typedef {import("../trace/types.js").Trace} Trace
 * @typedef {import("../trace/index.js").TraceIndex} TraceIndex
 *
 * @typedef {object} Context
 * @property {Store} store
 * @property {Trace} trace
 * @property {TraceIndex} index
 * @property {number} step
 */

import { el, icon } from "../dom.js";
import { tapeName, tapeSuffix } from "../names.js";
import { lineOf, placeOf, sourceLines, unitsOf } from "../source.js";
import { t } from "../words.js";

/**
 * @param {string} title
 * @param {import("../dom.js").Child[]} children
 * @param {import("../dom.js").Child} [note]
 */
export function section(title, children, note) {
  return el("section", {}, el("h3", {}, title, el("span", { class: "fill" }), note), ...children);
}

/**
 * The heading of a view: what it is, how the snippet writes it, where.
 *
 * @param {string} name
 * @param {import("../dom.js").Child} note
 * @param {string} where
 */
export function heading(name, note, where) {
  return el(
    "section",
    { class: "heading" },
    el(
      "div",
      { class: "head" },
      el("b", { text: name }),
      note,
      el("span", { class: "where", text: where }),
    ),
  );
}

/**
 * A button that selects something.
 *
 * @param {Context} context
 * @param {Selection} selection
 * @param {import("../dom.js").Child} child
 */
export function selectButton({ store }, selection, child) {
  return el(
    "button",
    { type: "button", class: "pick", onclick: () => store.set({ selection }) },
    child,
  );
}

/**
 * A button that goes to a step.
 *
 * @param {Context} context
 * @param {number} step
 * @param {string} [text]
 */
export function stepButton({ store }, step, text) {
  const label = text ?? t("step.number", { step });
  return el("button", {
    type: "button",
    class: "link",
    text: label,
    onclick: () => store.set({ step, playing: false }),
  });
}

/**
 * @param {(import("../dom.js").Child | { class: string, child: import("../dom.js").Child })[][]} rows
 * @param {string[]} [heads]
 */
export function table(rows, heads) {
  const body = rows.map((cells) =>
    el(
      "tr",
      {},
      ...cells.map((cell) =>
        cell !== null && typeof cell === "object" && "class" in cell
          ? el("td", { class: cell.class }, cell.child)
          : el("td", {}, /** @type {any} */ (cell)),
      ),
    ),
  );
  const head =
    heads &&
    el(
      "thead",
      {},
      el(
        "tr",
        {},
        ...heads.map((text, i) => el("th", { scope: "col", class: i === 0 ? "" : "right", text })),
      ),
    );
  return el("table", {}, head, el("tbody", {}, ...body));
}

/** @param {import("../dom.js").Child} child */
export const right = (child) => ({ class: "right", child });
/** @param {import("../dom.js").Child} child */
export const number = (child) => ({ class: "right num", child });
/** @param {import("../dom.js").Child} child */
export const name = (child) => ({ class: "name", child });
/** @param {import("../dom.js").Child} child */
export const faint = (child) => ({ class: "dim", child });

/**
 * One tape and its state, with the reason beside it.
 *
 * @param {Context} context
 * @param {number} tape
 * @param {{ icon: string, tone: string, word: string, why: string }} what
 */
export function tapeLine(context, tape, what) {
  const { trace } = context;
  const label = [tapeName(trace, tape), tapeSuffix(trace, tape)].filter(Boolean).join(" ");
  return el(
    "li",
    {},
    icon(what.icon, what.tone),
    selectButton(context, { kind: "tape", id: tape }, el("b", { text: label })),
    el("span", { class: `word ${what.tone}`, text: what.word }),
    trace.tapes[tape].persistent && icon("persistent"),
    el("span", { class: "why", text: what.why }),
  );
}

/**
 * The line of a place with the place lit in it.
 *
 * @param {Trace} trace
 * @param {number} placeId
 * @param {string} tone
 */
export function sourceQuote(trace, placeId, tone) {
  const place = placeOf(trace, placeId);
  const line = place && sourceLines(trace)[place.line - 1];
  if (!place || line === null || line === undefined) return null;
  const from = unitsOf(line, place.column);
  const to = place.end_line > place.line ? line.length : unitsOf(line, place.end_column);
  const indent = line.length - line.trimStart().length;
  const start = Math.min(indent, from);
  return el(
    "pre",
    { class: "quote" },
    line.slice(start, from),
    el("mark", { class: `mark ${tone}`, text: line.slice(from, to) }),
    line.slice(to),
  );
}

/**
 * `line 6`; "" without a place.
 *
 * @param {Trace} trace
 * @param {number | null} place
 */
export function lineText(trace, place) {
  const line = lineOf(trace, place);
  return line === null ? "" : t("line", { line });
}

/** Longer lists end with "… n more". */
export const MOST = 12;

/** @param {readonly any[]} all */
export function moreNote(all) {
  return all.length > MOST
    ? el("p", { class: "dim", text: t("more", { n: all.length - MOST }) })
    : null;
}
