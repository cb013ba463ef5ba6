/**
 * The right panel: the inspector, and the findings beside it.
 *
 * @typedef {import("../state.js").Store} Store
 * @typedef {import("../state.js").Selection} Selection
 * @typedef {import("../trace/types.js").Trace} Trace
 */

import { byId, el, fill } from "../dom.js";
import { findingsView, loadCatalogue } from "../findings.js";
import { t } from "../words.js";
import { loadFormulas } from "./formula.js";
import { opView } from "./op.js";
import { callView } from "./call.js";
import { groupView } from "./group.js";
import { runView } from "./run.js";
import { tapeView } from "./tape.js";
import { tensorView, variableView } from "./tensor.js";

const VIEWS = {
  op: opView,
  tensor: tensorView,
  constant: tensorView,
  variable: variableView,
  tape: tapeView,
  group: groupView,
  call: callView,
};

/**
 * What a step is about: shown while nothing is selected.
 *
 * @param {Trace} trace
 * @param {number} step
 * @returns {Selection | null}
 */
export function subjectOf(trace, step) {
  const event = trace.events[step];
  if (!event) return null;
  const read = event.kind === "rewind" && trace.ops[event.op].type === "ReadVariableOp";
  if (event.kind === "read" || event.kind === "assign" || read) {
    const assigned = event.kind === "assign" ? event.variable : null;
    const variable = assigned ?? trace.ops[event.op].variable;
    return variable === null ? { kind: "op", id: event.op } : { kind: "variable", id: variable };
  }
  if (event.kind === "sum" && event.variable !== null)
    return { kind: "variable", id: event.variable };
  if (event.kind === "sum" && event.tensor !== null) return { kind: "tensor", id: event.tensor };
  if ("op" in event) return { kind: "op", id: event.op };
  if (event.kind === "variable") return { kind: "variable", id: event.variable };
  if (event.kind === "tape") return { kind: "tape", id: event.tape };
  if (event.kind === "watch")
    return event.variable !== null
      ? { kind: "variable", id: event.variable }
      : { kind: "tensor", id: event.tensor ?? 0 };
  if ("tensor" in event && event.tensor !== null) return { kind: "tensor", id: event.tensor };
  return "call" in event ? { kind: "call", id: event.call } : null;
}

/** @param {Store} store */
export function createSide(store) {
  const body = byId("side-body", HTMLElement);
  const draw = () => {
    const state = store.get();
    drawTabs(store);
    const { trace, index, step } = state;
    if (!trace || !index)
      return fill(body, el("p", { class: "empty", text: t("inspector.empty") }));
    if (state.side === "findings") return fill(body, ...findingsView(store, trace, index));
    // At the end of the tape the run as a whole.
    const subject =
      state.selection ?? (step === trace.events.length - 1 ? null : subjectOf(trace, step));
    // With the traced graphs that have been opened.
    const context = { store, trace: index.trace, index, step };
    const children = subject === null ? runView(context) : VIEWS[subject.kind](context, subject.id);
    fill(body, ...children);
  };
  for (const side of /** @type {const} */ (["inspector", "findings"])) {
    byId(`tab-${side}`, HTMLElement).addEventListener("click", () => store.set({ side }));
  }
  store.subscribe((state, changed) => {
    // Whoever selects something wants to see it.
    const hidden =
      changed.has("selection") && state.selection !== null && state.side === "findings";
    if (hidden && !changed.has("side")) return store.set({ side: "inspector" });
    if (changed.has("selection") || changed.has("side") || changed.has("trace")) body.scrollTop = 0;
    if (["trace", "step", "selection", "side", "lang", "open", "closed"].some((key) => changed.has(key))) draw();
  });
  loadFormulas(draw);
  loadCatalogue(draw);
  draw();
}

/** @param {Store} store */
function drawTabs(store) {
  const { trace, side } = store.get();
  const problems = trace?.findings.filter(({ level }) => level === "problem").length ?? 0;
  const all = trace?.findings.length ?? 0;
  for (const id of ["findings-count", "drawer-count"]) {
    const count = byId(id, HTMLElement);
    count.textContent = trace ? String(all) : "";
    count.classList.toggle("bad", problems > 0);
  }
  for (const name of ["inspector", "findings"]) {
    const tab = byId(`tab-${name}`, HTMLElement);
    tab.setAttribute("aria-selected", String(side === name));
    tab.tabIndex = side === name ? 0 : -1;
  }
  byId("side-body", HTMLElement).setAttribute("aria-labelledby", `tab-${side}`);
}
