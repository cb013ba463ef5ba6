/**
 * The deck: face, sentence, ruler, lanes. The one playful thing of the page.
 *
 * @typedef {import("../state.js").Store} Store
 * @typedef {import("../state.js").State} State
 */

import { byId, el, fill, icon, svg } from "../dom.js";
import { tapeName, tapeSuffix } from "../names.js";
import { sentenceAt, spokenStep } from "../sentence.js";
import { lastStep } from "../state.js";
import { partNodes } from "../parts.js";
import { t } from "../words.js";
import { createAxis } from "./axis.js";
import { createFace } from "./face.js";
import { tickPath } from "./ticks.js";

/** Kinds in the legend, with the word for each. */
const LEGEND = /** @type {const} */ (["tape", "read", "op", "missed", "back", "sum", "python"]);
/** Explained only where there is one. */
const WITH_TRACE = /** @type {const} */ ([...LEGEND, "trace"]);

/**
 * @param {Store} store
 * @param {import("../playback.js").Transport} transport
 */
export function createDeck(store, transport) {
  const face = createFace(byId("face", HTMLElement), store, transport);
  const slider = byId("slider", HTMLElement);
  const axisNode = byId("axis", HTMLElement);
  const nodes = {
    cells: byId("cells", HTMLElement),
    ruler: slider,
    lanes: byId("lanes", HTMLElement),
  };
  const axis = createAxis(nodes, {
    seek: transport.seek,
    select: (kind, id) => store.set({ selection: { kind, id }, side: "inspector" }),
  });
  let width = axisNode.clientWidth;

  function draw() {
    const state = store.get();
    const { trace, index, step, lang } = state;
    face.update(state);
    drawSentence(state);
    if (!trace || !index || width === 0) return;
    axis.draw(trace, index, step, width, lang);
    describeSlider(slider, state);
  }

  new ResizeObserver(() => {
    if (width === axisNode.clientWidth) return;
    width = axisNode.clientWidth;
    draw();
  }).observe(axisNode);
  seekByPointer(axisNode, axis.scale, transport.seek);
  previewUnderPointer(axisNode, axis.scale, store);
  store.subscribe((state, changed) => {
    if (changed.has("trace") || changed.has("lang")) drawTable(state);
    if (changed.has("trace") || changed.has("lang")) drawLegend(state);
    if (["trace", "step", "playing", "speed", "lang"].some((key) => changed.has(key))) draw();
  });
  drawLegend(store.get());
  draw();
}

/** @param {State} state */
function drawSentence({ trace, index, step }) {
  const node = byId("sentence", HTMLElement);
  if (!trace || !index) return fill(node, el("span", { class: "dim", text: t("step.none") }));
  const { icon: name, tone, parts } = sentenceAt(trace, index, step);
  fill(node, icon(name, tone), el("span", {}, ...partNodes(parts)));
}

/**
 * @param {HTMLElement} slider
 * @param {State} state
 */
function describeSlider(slider, state) {
  const { trace, index, step } = state;
  if (!trace || !index) return;
  slider.setAttribute("aria-valuemax", String(lastStep(state)));
  slider.setAttribute("aria-valuenow", String(step));
  slider.setAttribute("aria-valuetext", spokenStep(trace, index, step));
}

/** @param {State} state */
function drawLegend({ trace }) {
  const traces = trace?.events.some(({ kind }) => kind === "trace") ?? false;
  const items = (traces ? WITH_TRACE : LEGEND).map((kind) => {
    const mark = svg(
      "svg",
      { viewBox: "0 0 9 14" },
      svg("path", { class: `tick ${kind}`, d: legendPath(kind) }),
    );
    return el("li", {}, mark, t(`legend.${kind}`));
  });
  fill(byId("legend", HTMLElement), ...items);
}

/** @param {typeof WITH_TRACE[number]} kind */
function legendPath(kind) {
  if (kind === "tape") return tickPath(kind, 4.5, 7);
  if (kind === "trace") return tickPath(kind, 2, 15.5, 5);
  if (kind === "back" || kind === "sum") return tickPath(kind, 4.5, -1);
  return kind === "python" ? "M4.5 1V13" : tickPath(kind, 4.5, 13);
}

/**
 * The lanes as a table, for who cannot see them.
 *
 * @param {State} state
 */
function drawTable({ trace, index }) {
  const root = byId("lanes-table", HTMLElement);
  if (!trace || !index) return fill(root);
  const rows = trace.tapes.slice(0, 300).flatMap((tape, id) =>
    index.tapeIntervals(id).map(({ state, from, to }) => {
      const name = [
        tapeName(trace, id),
        tapeSuffix(trace, id),
        tape.persistent ? t("persistent") : "",
        tape.symbolic ? t("symbolic") : "",
      ];
      const cells = [
        name.filter(Boolean).join(" "),
        t(`state.${state}`),
        String(from),
        String(to - 1),
      ];
      return el(
        "tr",
        {},
        ...cells.map((text, i) =>
          el(i === 0 ? "th" : "td", i === 0 ? { scope: "row", text } : { text }),
        ),
      );
    }),
  );
  const heads = ["table.tape", "table.state", "table.from", "table.to"].map((key) =>
    el("th", { scope: "col", text: t(key) }),
  );
  fill(
    root,
    el(
      "table",
      {},
      el("caption", { text: t("table.lanes") }),
      el("thead", {}, el("tr", {}, ...heads)),
      el("tbody", {}, ...rows),
    ),
  );
}

/**
 * The step under a pointer.
 *
 * @param {PointerEvent} event
 * @param {HTMLElement} root
 * @param {import("./lanes.js").Scale} scale
 */
function stepUnder(event, root, scale) {
  const x = event.clientX - root.getBoundingClientRect().left - scale.left;
  const step = scale.window.from + Math.floor(x / scale.pitch);
  return Math.min(
    Math.max(step, scale.window.from - (scale.window.from === 0 ? 1 : 0)),
    scale.window.to - 1,
  );
}

/**
 * The cells of a long run are not on the ruler's scale.
 *
 * @param {Event} event
 */
function onCells({ target }) {
  return target instanceof Element && target.closest("#cells") !== null;
}

/**
 * @param {HTMLElement} root
 * @param {() => import("./lanes.js").Scale | null} scaleOf
 * @param {(step: number) => void} seek
 */
function seekByPointer(root, scaleOf, seek) {
  let dragging = false;
  root.addEventListener("pointerdown", (event) => {
    const scale = scaleOf();
    const inside =
      scale !== null && event.clientX - root.getBoundingClientRect().left > scale.left - 8;
    if (event.button !== 0 || !inside || scale === null || onCells(event)) return;
    dragging = true;
    root.setPointerCapture(event.pointerId);
    seek(stepUnder(event, root, scale));
  });
  root.addEventListener("pointermove", (event) => {
    const scale = scaleOf();
    if (dragging && scale) seek(stepUnder(event, root, scale));
  });
  const stop = () => {
    dragging = false;
  };
  root.addEventListener("pointerup", stop);
  root.addEventListener("pointercancel", stop);
}

/**
 * The step under a resting mouse: its number and its sentence, without going there.
 *
 * @param {HTMLElement} root
 * @param {() => import("./lanes.js").Scale | null} scaleOf
 * @param {Store} store
 */
function previewUnderPointer(root, scaleOf, store) {
  const preview = byId("preview", HTMLElement);
  const hide = () => {
    preview.hidden = true;
  };
  root.addEventListener("pointerleave", hide);
  root.addEventListener("pointerdown", hide);
  root.addEventListener("pointermove", (event) => {
    const scale = scaleOf();
    const { trace, index, step } = store.get();
    const left = event.clientX - root.getBoundingClientRect().left;
    if (
      !scale ||
      !trace ||
      !index ||
      event.buttons !== 0 ||
      event.pointerType === "touch" ||
      left < scale.left ||
      onCells(event)
    )
      return hide();
    const under = stepUnder(event, root, scale);
    if (under === step || under < 0 || left > scale.left + scale.width) return hide();
    const { parts } = sentenceAt(trace, index, under);
    fill(preview, el("b", { text: String(under) }), el("span", {}, ...partNodes(parts)));
    preview.hidden = false;
    const x = scale.x(under);
    const flip = x > root.clientWidth - Math.min(preview.offsetWidth, 420);
    preview.style.left = flip ? "auto" : `${x}px`;
    preview.style.right = flip ? `${root.clientWidth - x}px` : "auto";
    preview.classList.toggle("flip", flip);
  });
}
