/**
 * The cells of a long run: one row a level, the opened cell spread out beneath.
 *
 * @typedef {import("../trace/types.js").Trace} Trace
 * @typedef {import("./view.js").Level} Level
 * @typedef {import("./view.js").Cell} Cell
 */

import { svg } from "../dom.js";
import { t } from "../words.js";
import { round } from "./ticks.js";

const ROW = 34;
const CELL = 14;

/**
 * @param {Trace} trace
 * @param {readonly Level[]} levels
 * @param {{ left: number, width: number }} area
 * @param {(step: number) => void} onSeek
 */
export function drawCells(trace, levels, area, onSeek) {
  const total = area.left + area.width;
  const node = svg("svg", { class: "axis-part", width: total + 14, height: levels.length * ROW });
  /** @type {((step: number) => void)[]} */
  const updates = [];
  levels.forEach((level, row) => {
    const group = svg("g", { transform: `translate(0 ${row * ROW})` });
    const pitch = area.width / level.cells.length;
    const inset = Math.min(0.75, pitch * 0.1);
    const nodes = level.cells.map((cell, position) => {
      const rect = svg("rect", {
        x: round(area.left + position * pitch + inset),
        y: 3,
        width: Math.max(round(pitch - 2 * inset), 0.5),
        height: CELL,
      });
      rect.addEventListener("pointerdown", (event) => {
        event.stopPropagation();
        onSeek(cell.from);
      });
      rect.append(svg("title", { text: cellName(trace, cell) }));
      return rect;
    });
    group.append(...levelName(trace, level, area.left), ...nodes, ...funnel(level, area, pitch));
    node.append(group);
    updates.push((step) =>
      level.cells.forEach((cell, at) =>
        nodes[at].setAttribute("class", cellClass(trace, cell, level.current === at, step)),
      ),
    );
  });
  return {
    node,
    update: (/** @type {number} */ step) => updates.forEach((update) => update(step)),
  };
}

/**
 * @param {Trace} trace
 * @param {Cell} cell
 * @param {boolean} current
 * @param {number} step
 */
function cellClass(trace, cell, current, step) {
  const time = current ? "current" : cell.to <= step ? "past" : "next";
  const rest = cell.iteration === null ? " rest" : "";
  const kind = current ? trace.events[Math.max(step, 0)]?.kind : undefined;
  const back = kind === "rewind" || kind === "sum" ? " rewinding" : "";
  return `cell ${time}${rest}${back}`;
}

/**
 * @param {Trace} trace
 * @param {Cell} cell
 */
function cellName(trace, cell) {
  if (cell.iteration !== null)
    return t("iteration", { index: (trace.groups[cell.iteration].index ?? 0) + 1 });
  return t("steps", { from: cell.from, to: cell.to - 1 });
}

/**
 * @param {Trace} trace
 * @param {Level} level
 * @param {number} left
 */
function levelName(trace, level, left) {
  const iterations = level.cells.filter((cell) => cell.iteration !== null).length;
  const name = level.loop === null ? t("axis.run") : loopName(trace.groups[level.loop].name);
  const text = svg("text", { class: "lane-name", x: left < 80 ? 0 : 16, y: 14, text: name });
  if (left > 120)
    text.append(
      svg("tspan", { class: "lane-note", dx: 7, text: `×${iterations || level.cells.length}` }),
    );
  return [text];
}

/**
 * `for step` of `for step in range(100)`.
 *
 * @param {string} name
 */
function loopName(name) {
  return /^(?:for|while)\b/.test(name) ? name.split(" in ")[0].slice(0, 12) : name.slice(0, 12);
}

/**
 * @param {Level} level
 * @param {{ left: number, width: number }} area
 * @param {number} pitch
 */
function funnel(level, area, pitch) {
  const from = round(area.left + level.current * pitch);
  const to = round(from + pitch);
  const end = area.left + area.width;
  return [
    svg("path", { class: "funnel", d: `M${from} 18L${area.left} 32H${end}L${to} 18z` }),
    svg("path", { class: "funnel-edge", d: `M${from} 19L${area.left} 32M${to} 19L${end} 32` }),
  ];
}
