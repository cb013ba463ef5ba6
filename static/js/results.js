/**
 * Under the code: the table of gradients and the console, both as they stand at the step.
 *
 * @typedef {import("./state.js").Store} Store
 * @typedef {import("./state.js").State} State
 * @typedef {import("./trace/types.js").Trace} Trace
 * @typedef {import("./trace/gradients.js").GradientRow} Row
 */

import { byId, el, fill, icon } from "./dom.js";
import { gradientText, notFinite, tableText } from "./format.js";
import { iterationOf, refList, refName, shortRef } from "./names.js";
import { lineOf } from "./source.js";
import { t } from "./words.js";

/** With more rows than this only those of the current call are shown. */
const MOST_ROWS = 12;
/** A console longer than this shows its end; all of it is in the trace. */
const MOST_LINES = 400;

/** @param {Store} store */
export function createResults(store) {
  let all = false;
  let printed = "";
  const draw = () => {
    const state = store.get();
    drawGradients(store, state, all, () => {
      all = !all;
      draw();
    });
    // Most steps print nothing; drawing the console measures it, to show its end.
    const lines =
      state.trace && state.index ? consoleLines(state.trace, state.index, state.step) : [];
    const key = `${lines.length} ${lines.at(-1)?.text} ${state.lang}`;
    if (key !== printed) drawConsole(store, lines);
    printed = key;
  };
  store.subscribe((_, changed) => {
    if (changed.has("trace")) {
      all = false;
      printed = "";
    }
    if (["trace", "step", "lang"].some((key) => changed.has(key))) draw();
  });
  draw();
}

/**
 * @param {Store} store
 * @param {State} state
 * @param {boolean} all
 * @param {() => void} toggle
 */
function drawGradients(store, { trace, index, step }, all, toggle) {
  const body = byId("gradients", HTMLElement);
  const note = byId("gradients-note", HTMLElement);
  const of = byId("gradients-of", HTMLElement);
  fill(of);
  fill(note);
  if (!trace || !index) return fill(body, el("p", { class: "empty", text: t("gradients.none") }));
  const rows = index.gradientsTable(step);
  if (rows.length === 0)
    return fill(body, el("p", { class: "empty", text: t("gradients.noCall") }));
  const many = rows.length > MOST_ROWS;
  const shown = many && !all ? rowsOfCurrentCall(rows, index, step) : rows;
  if (many && !all) fill(of, callHeading(trace, shown[0].call));
  fill(note, noteText(rows));
  if (many)
    note.append(
      el("button", {
        type: "button",
        class: "link",
        text: all
          ? t("gradients.current")
          : t("gradients.of", { shown: shown.length, n: rows.length }),
        onclick: toggle,
      }),
    );
  fill(body, table(store, trace, shown, !many || all));
}

/**
 * @param {readonly Row[]} rows
 * @param {import("./trace/index.js").TraceIndex} index
 * @param {number} step
 */
function rowsOfCurrentCall(rows, index, step) {
  let call = 0;
  for (let id = 0; id < index.trace.gradients.length; id += 1) {
    const { begin } = index.callSpan(id);
    if (begin >= 0 && begin <= step) call = id;
  }
  return rows.filter((row) => row.call === call);
}

/**
 * @param {Trace} trace
 * @param {number} id
 */
function callHeading(trace, id) {
  const call = trace.gradients[id];
  const targets = t("gradients.ofTarget", { target: refList(trace, call.targets) });
  const iteration = iterationOf(trace, call.group);
  return iteration === null ? targets : `${targets}, ${t("iteration", { index: iteration })}`;
}

/** @param {readonly Row[]} rows */
function noteText(rows) {
  const done = rows.filter((row) => row.status === "tensor" || row.status === "none").length;
  const none = rows.filter((row) => row.status === "none").length;
  return none > 0 ? t("gradients.noneCount", { n: none, of: done }) : "";
}

/**
 * @param {Store} store
 * @param {Trace} trace
 * @param {readonly Row[]} rows
 * @param {boolean} targets  with a column for the targets
 */
function table(store, trace, rows, targets) {
  const heads = ["target", "source", "gradient", "call"]
    .slice(targets ? 0 : 1)
    .map((key) =>
      el("th", {
        scope: "col",
        class: key === "gradient" || key === "call" ? "right" : "",
        text: t(`gradients.${key}`),
      }),
    );
  const body = rows.map((row) => {
    const call = trace.gradients[row.call];
    const line = lineOf(trace, call.place);
    const go = el("button", {
      type: "button",
      class: "link",
      text: line === null ? `#${row.call}` : t("line", { line }),
    });
    go.addEventListener("click", () =>
      store.set({ selection: { kind: "call", id: row.call }, side: "inspector" }),
    );
    return el(
      "tr",
      { class: row.status },
      targets && el("td", { class: "name", text: refList(trace, call.targets) }),
      el("td", {
        class: "name source",
        text: shortRef(trace, call.sources[row.source]),
        title: refName(trace, call.sources[row.source]),
      }),
      el("td", { class: "right" }, valueCell(trace, row)),
      el("td", { class: "right" }, go),
    );
  });
  return el("table", {}, el("thead", {}, el("tr", {}, ...heads)), el("tbody", {}, ...body));
}

/**
 * @param {Trace} trace
 * @param {Row} row
 */
function valueCell(trace, row) {
  const tensor = row.tensor === null ? null : trace.tensors[row.tensor];
  switch (row.status) {
    case "later":
      return el("span", {
        class: "dim",
        text: row.step < 0 ? t("gradients.never") : t("gradients.later", { step: row.step }),
      });
    case "running":
      return tensor
        ? el("span", {
            class: "num rewinding",
            text: t("gradients.soFar", { value: gradientText(tensor) }),
          })
        : el("span", { class: "dim", text: t("gradients.running") });
    case "raised":
      return el("span", { class: "verdict break" }, icon("error"), t("raised"));
    case "none":
      return el("span", { class: "verdict break" }, icon("break"), "None");
    default:
      return tensor ? resultCell(tensor) : el("span");
  }
}

/**
 * A result; one with nan or inf in it says so in the colour of what is broken.
 *
 * @param {import("./trace/types.js").Tensor} tensor
 */
function resultCell(tensor) {
  const text = tableText(tensor);
  const bad = notFinite(tensor);
  if (bad === "") return el("span", { class: "num", text });
  const told = bad.split(", ").every((word) => text.includes(word));
  return el(
    "span",
    { class: "num" },
    told ? "" : `${text} `,
    el("span", { class: "verdict break" }, icon("error"), told ? text : bad),
  );
}

/**
 * @param {Store} store
 * @param {readonly ConsoleLine[]} lines
 */
function drawConsole(store, lines) {
  const body = byId("console", HTMLElement);
  const note = byId("console-note", HTMLElement);
  fill(note);
  if (lines.length === 0) return fill(body, el("p", { class: "empty", text: t("console.empty") }));
  const left = lines.length - MOST_LINES;
  const shown = lines.slice(Math.max(left, 0));
  if (lines.some((line) => line.tone === "break")) fill(note, t("console.letter"));
  const more = left > 0 && el("p", { class: "empty", text: t("console.more", { n: left }) });
  fill(body, more, ...shown.map((line) => lineNode(store, line)));
  body.scrollTop = body.scrollHeight;
}

/**
 * @typedef {{ step: number, line: number | null, text: string, tone: string, traced: string | null }} ConsoleLine
 *   traced: the function that was being traced
 */

/**
 * What was printed, and the error that ended the run, as a terminal would show it.
 *
 * @param {Trace} trace
 * @param {import("./trace/index.js").TraceIndex} index
 * @param {number} step
 * @returns {ConsoleLine[]}
 */
function consoleLines(trace, index, step) {
  const lines = joinPrints(index.console(step), index.tracedAt);
  const id = trace.outcome.error;
  const at = trace.events.findLastIndex((event) => event.kind === "error" && event.error === id);
  if (id === null || at > step) return lines;
  const { type, message, place } = trace.errors[id];
  return [
    ...lines,
    {
      step: at,
      line: lineOf(trace, place),
      text: message ? `${type}: ${message}` : type,
      tone: "break",
      traced: null,
    },
  ];
}

/**
 * `print(a, b, end="")` writes in pieces: pieces of one place on one line are one line here.
 *
 * @param {readonly import("./trace/index.js").Line[]} prints
 * @param {(step: number) => string | null} tracedAt
 * @returns {ConsoleLine[]}
 */
function joinPrints(prints, tracedAt) {
  /** @type {ConsoleLine[]} */
  const lines = [];
  let open = false;
  for (const { step, stream, text, line } of prints) {
    const tone = stream === "stdout" ? "" : stream;
    for (const piece of text.split(/(?<=\n)/)) {
      const last = lines[lines.length - 1];
      if (open && last && last.tone === tone) last.text += piece.replace(/\n$/, "");
      else lines.push({ step, line, text: piece.replace(/\n$/, ""), tone, traced: tracedAt(step) });
      open = !piece.endsWith("\n");
    }
  }
  return lines;
}

/**
 * @param {Store} store
 * @param {ConsoleLine} line
 */
function lineNode(store, { step, line, text, tone, traced }) {
  const at = el("button", {
    type: "button",
    class: "at",
    tabindex: -1,
    text: line ?? "",
    title: t("step.number", { step }),
  });
  at.addEventListener("click", () => store.set({ step, playing: false }));
  const mark =
    traced !== null &&
    el("small", {
      class: "traced",
      title: t("console.tracedBy", { name: traced }),
      text: t("console.traced"),
    });
  return el("div", { class: `out ${tone}` }, at, el("span", { text }), mark);
}
