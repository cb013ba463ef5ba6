/**
 * The header of the graph: search, what is shown, direction, zoom.
 *
 * @typedef {import("./state.js").Store} Store
 * @typedef {import("./state.js").Selection} Selection
 * @typedef {import("./trace/index.js").TraceIndex} TraceIndex
 */

import { byId } from "./dom.js";
import { lineWanted } from "./graph/marks.js";
import { fit, focusNode, zoomIn, zoomOut } from "./graph/panel.js";
import { variableName } from "./names.js";
import { textAt } from "./source.js";
import { t } from "./words.js";

/** @param {Store} store */
export function createGraphBar(store) {
  const bookkeeping = byId("bookkeeping", HTMLElement);
  const direction = byId("direction", HTMLElement);
  bookkeeping.addEventListener("click", () => store.set({ bookkeeping: !store.get().bookkeeping }));
  direction.addEventListener("click", () =>
    store.set({ direction: store.get().direction === "down" ? "right" : "down" }),
  );
  byId("zoom-in", HTMLElement).addEventListener("click", zoomIn);
  byId("zoom-out", HTMLElement).addEventListener("click", zoomOut);
  byId("zoom-fit", HTMLElement).addEventListener("click", fit);
  byId("graph", HTMLElement).addEventListener("graph-zoom", (event) => {
    const scale = /** @type {CustomEvent<{ scale: number }>} */ (event).detail.scale;
    byId("zoom-level", HTMLElement).textContent = `${Math.round(scale * 100)}%`;
  });
  const draw = () => {
    const state = store.get();
    bookkeeping.setAttribute("aria-pressed", String(state.bookkeeping));
    bookkeeping.textContent = t(
      state.bookkeeping ? "graph.bookkeeping.hide" : "graph.bookkeeping.show",
    );
    direction.textContent = t(`graph.direction.${state.direction}`);
  };
  store.subscribe((_, changed) => {
    if (["bookkeeping", "direction", "lang"].some((key) => changed.has(key))) draw();
  });
  draw();
  createMore();
  createSearch(store);
}

/** Where the header is narrow, what it has no room for opens beneath a button. */
function createMore() {
  const more = byId("more", HTMLElement);
  const items = byId("more-items", HTMLElement);
  /** @param {boolean} open */
  const show = (open) => {
    more.setAttribute("aria-expanded", String(open));
    items.classList.toggle("open", open);
  };
  const isOpen = () => items.classList.contains("open");
  more.addEventListener("click", () => show(!isOpen()));
  items.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !isOpen()) return;
    event.stopPropagation();
    show(false);
    more.focus();
  });
  document.addEventListener("pointerdown", ({ target }) => {
    if (!(target instanceof Element && target.closest("#more, #more-items"))) show(false);
  });
}

/** @param {Store} store */
function createSearch(store) {
  const input = byId("search", HTMLInputElement);
  const note = byId("search-note", HTMLElement);
  let at = -1;
  /** @type {Element | null} what had the focus before */
  let before = null;
  input.addEventListener("focus", ({ relatedTarget }) => {
    before = relatedTarget instanceof Element ? relatedTarget : null;
  });

  const draw = () => {
    const { index, search } = store.get();
    if (input.value !== search) input.value = search;
    note.textContent =
      !index || search.trim() === ""
        ? ""
        : countText(index, searchTrace(index, search, store.get().step));
  };
  /** @param {1 | -1} way */
  const go = (way) => {
    const { index, search, step } = store.get();
    const hits = index ? searchTrace(index, search, step) : [];
    if (hits.length === 0) return;
    at = (at + way + hits.length) % hits.length;
    store.set({ selection: hits[at], side: "inspector" });
    focusNode(hits[at]);
  };
  input.addEventListener("input", () => {
    at = -1;
    store.set({ search: input.value });
  });
  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      go(event.shiftKey ? -1 : 1);
    }
    if (event.key === "Escape") {
      event.stopPropagation();
      store.set({ search: "" });
      const back = before?.isConnected ? before : byId("slider", HTMLElement);
      if (back instanceof HTMLElement || back instanceof SVGElement) back.focus();
    }
  });
  store.subscribe((_, changed) => {
    if (["search", "trace", "step", "lang"].some((key) => changed.has(key))) draw();
  });
}

/**
 * @param {TraceIndex} index
 * @param {Selection[]} hits
 */
function countText({ trace }, hits) {
  const variables = hits.filter(({ kind }) => kind === "variable").length;
  const groups = hits.filter(({ kind }) => kind === "group").length;
  const ops = hits.length - groups - variables;
  const words = [
    groups > 0 && t("search.groups", { n: groups }),
    ops > 0 && t("ops", { n: ops }),
    variables > 0 && t("search.variables", { n: variables }),
  ].filter(Boolean);
  return words.length > 0
    ? words.join(", ")
    : t(trace.ops.length > 0 ? "search.none" : "search.empty");
}

/**
 * Which groups are in the iterations at a step, all loops considered.
 *
 * @param {TraceIndex} index
 * @param {number} step
 * @returns {boolean[]}
 */
function shownGroups(index, step) {
  const { groups } = index.trace;
  const current = new Map(
    index
      .loops()
      .map((loop) => [loop, index.iterations(loop)[Math.max(index.iterationAt(loop, step), 0)]]),
  );
  /** @type {boolean[]} */
  const shown = [];
  groups.forEach(({ kind, parent }, id) => {
    const here = kind !== "iteration" || parent === null || (current.get(parent) ?? id) === id;
    shown.push(here && (parent === null || shown[parent]));
  });
  return shown;
}

/**
 * Groups, ops and variables whose type, name, expression or line is what is looked for; of a loop
 * those of the iteration at the step.
 *
 * @param {TraceIndex} index
 * @param {string} query
 * @param {number} step
 * @returns {Selection[]}
 */
export function searchTrace(index, query, step) {
  const { trace } = index;
  const wanted = query.trim().toLowerCase();
  if (wanted === "") return [];
  const line = lineWanted(wanted);
  /** @type {Selection[]} */
  const hits = [];
  const shown = shownGroups(index, step);
  trace.groups.forEach(({ name, kind }, id) => {
    if (shown[id] && kind !== "iteration" && name.toLowerCase().includes(wanted))
      hits.push({ kind: "group", id });
  });
  trace.ops.forEach((op, id) => {
    // A gradient op is there to be found where a tape recorded it, which is where it is drawn.
    if (op.bookkeeping || (op.call !== null && op.recorded_by.length === 0)) return;
    if (op.host !== null || (op.group !== null && !shown[op.group])) return;
    const names = op.outputs.map((tensor) => trace.tensors[tensor].name ?? "");
    const words = [op.type, textAt(trace, op.place, 200), ...names].join("\n").toLowerCase();
    const here = line !== null && op.place !== null && trace.places[op.place].line === line;
    if (here || words.includes(wanted)) hits.push({ kind: "op", id });
  });
  trace.variables.forEach((_, id) => {
    if (variableName(trace, id).toLowerCase().includes(wanted)) hits.push({ kind: "variable", id });
  });
  return hits;
}
