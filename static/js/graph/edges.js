/**
 * Edges as SVG, with the numbers that flow back along them, and breaks.
 *
 * @typedef {import("./layout.js").RoutePoint} RoutePoint
 * @typedef {import("./look.js").EdgeLook} EdgeLook
 * @typedef {import("./camera.js").Rect} Rect
 * @typedef {import("./cuts.js").CutText} CutText
 *
 * @typedef {object} DrawnEdge
 * @property {SVGGElement} root  the line
 * @property {SVGGElement} top  what lies over the nodes: its number, its torn ends
 * @property {(look: EdgeLook) => void} update
 */

import { svg } from "../dom.js";
import { monoWidth } from "./measure.js";
import { pathOf, tornPath } from "./routes.js";

/** Marker ids by state: at the end forwards, at the start backwards. */
const ENDS = /** @type {Record<EdgeLook["state"], string>} */ ({
  future: "arrow-faint",
  forward: "arrow",
  hot: "arrow-recording",
  ghost: "arrow",
  back: "",
  "back-hot": "",
  result: "arrow",
});

/**
 * @param {readonly RoutePoint[]} points
 * @param {{ x: number, y: number } | null} label
 * @param {boolean} down
 * @param {boolean} bar  it ends at a target's bar, which needs no arrow
 * @returns {DrawnEdge}
 */
export function drawEdge(points, label, down, bar) {
  const line = svg("path", { class: "line", d: pathOf(points, down) });
  const root = svg("g", { class: "edge" }, line);
  const box = svg("rect", { height: 20, rx: 10 });
  const text = svg("text", { class: "middle" });
  const pill = svg("g", { class: "pill" }, box, text);
  const top = svg("g", {}, pill);
  return {
    root,
    top,
    update({ state, label: words }) {
      root.setAttribute("class", `edge ${state}`);
      const end = bar ? "" : ENDS[state];
      setMarker(line, "marker-end", end);
      setMarker(line, "marker-start", state.startsWith("back") ? "arrow-rewinding" : "");
      const shown = words !== "" && label !== null;
      pill.setAttribute("class", shown ? `pill ${state}` : "pill empty");
      if (!shown || text.textContent === words) return;
      text.textContent = words;
      const w = Math.max(23, monoWidth(words, 12) + 16);
      box.setAttribute("width", String(w));
      box.setAttribute("x", String(label.x - w / 2));
      box.setAttribute("y", String(label.y - 10));
      text.setAttribute("x", String(label.x));
      text.setAttribute("y", String(label.y + 4.3));
    },
  };
}

/**
 * @param {SVGPathElement} line
 * @param {string} name
 * @param {string} id
 */
function setMarker(line, name, id) {
  if (id === "") line.removeAttribute(name);
  else line.setAttribute(name, `url(#g-${id})`);
}

/**
 * A broken edge: two torn ends, the label beside the gap.
 *
 * @param {readonly RoutePoint[]} points
 * @param {boolean} down
 * @param {CutText | null} text  null: the label stands under the target
 * @param {{ w: number, h: number }} size  of the label
 * @returns {DrawnEdge}
 */
export function drawCut(points, down, text, size) {
  const torn = tornPath(points, down, text === null);
  const root = svg(
    "g",
    { class: "edge cut" },
    svg("path", { class: "line", d: torn.before }),
    svg("path", { class: "line after", d: torn.after, "marker-end": text === null ? null : "url(#g-arrow-break)" }),
  );
  const top = svg("g", {}, svg("path", { class: "torn", d: torn.ends }));
  if (text) {
    const x = down ? torn.x + 38 : torn.x - size.w / 2;
    const y = down ? torn.y - size.h / 2 : torn.y + 32;
    top.append(cutLabel(x, y, size, text, down ? "left" : "top"));
  }
  return { root, top, update: () => {} };
}

/**
 * @param {number} x
 * @param {number} y
 * @param {{ w: number, h: number }} size
 * @param {CutText} text
 * @param {"left" | "top"} side  where its tip points
 */
export function cutLabel(x, y, { w, h }, { title, detail }, side) {
  const tip = side === "left" ? `M1 ${h / 2 - 6}l-7 6 7 6z` : `M${w / 2 - 6} 1l6-7 6 7z`;
  return svg(
    "g",
    { class: "cut-label", transform: `translate(${x} ${y})`, role: "note" },
    svg("rect", { width: w, height: h, rx: 3 }),
    svg("path", { d: tip }),
    svg("text", { class: "title", x: side === "top" ? w / 2 : 14, y: 18, text: title }),
    svg("text", { x: side === "top" ? w / 2 : 14, y: 35, text: detail }),
  );
}
