/**
 * The overview in the corner, while not everything is in view: a click or a drag moves the view.
 *
 * @typedef {import("./layout.js").LayoutResult} LayoutResult
 * @typedef {import("./camera.js").Rect} Rect
 */

import { svg } from "../dom.js";
import { t } from "../words.js";

const WIDEST = 168;
const HIGHEST = 132;
const MARGIN = 6;

/**
 * @param {(x: number, y: number) => void} move  to show this point of the graph in the middle
 */
export function createMinimap(move) {
  const nodes = svg("path", { class: "nodes" });
  const now = svg("rect", { class: "now", rx: 1 });
  const frame = svg("rect", { class: "view", rx: 1 });
  const root = svg("svg", { class: "minimap", role: "img", "aria-label": t("graph.minimap") }, nodes, now, frame);
  let scale = 1;

  /** @param {PointerEvent} event */
  const point = (event) => {
    const box = root.getBoundingClientRect();
    move((event.clientX - box.left - MARGIN) / scale, (event.clientY - box.top - MARGIN) / scale);
  };
  root.addEventListener("pointerdown", (event) => {
    event.stopPropagation();
    root.setPointerCapture(event.pointerId);
    point(event);
  });
  root.addEventListener("pointermove", (event) => {
    if (root.hasPointerCapture(event.pointerId)) point(event);
  });

  return {
    root,
    /** Width and height in px; 0 while everything is in view. */
    get size() {
      const shown = !root.classList.contains("empty");
      return shown ? [Number(root.getAttribute("width")), Number(root.getAttribute("height"))] : [0, 0];
    },
    /** @param {LayoutResult} layout @param {readonly boolean[]} solid  which nodes are drawn */
    show(layout, solid) {
      scale = Math.min(WIDEST / Math.max(1, layout.w), HIGHEST / Math.max(1, layout.h), 0.25);
      root.setAttribute("width", String(layout.w * scale + 2 * MARGIN));
      root.setAttribute("height", String(layout.h * scale + 2 * MARGIN));
      nodes.setAttribute("d", layout.nodes.map((box, id) => (solid[id] ? rectangle(box, scale) : "")).join(""));
    },
    /** @param {Rect} view @param {Rect | null} current @param {boolean} whole  everything is in view */
    update(view, current, whole) {
      root.classList.toggle("empty", whole);
      place(frame, view, scale);
      now.classList.toggle("empty", current === null);
      if (current) place(now, current, scale);
    },
  };
}

/**
 * @param {Rect} box
 * @param {number} scale
 */
function rectangle({ x, y, w, h }, scale) {
  const [wide, high] = [Math.max(1.5, w * scale), Math.max(1, h * scale)];
  return `M${(x * scale + MARGIN).toFixed(1)} ${(y * scale + MARGIN).toFixed(1)}h${wide.toFixed(1)}v${high.toFixed(1)}h${(-wide).toFixed(1)}z`;
}

/**
 * @param {SVGRectElement} rect
 * @param {Rect} box
 * @param {number} scale
 */
function place(rect, box, scale) {
  rect.setAttribute("x", String(box.x * scale + MARGIN));
  rect.setAttribute("y", String(box.y * scale + MARGIN));
  rect.setAttribute("width", String(Math.max(3, box.w * scale)));
  rect.setAttribute("height", String(Math.max(2, box.h * scale)));
}
