/**
 * A matrix for the eye: in each cell a square as large as the number, filled where it is positive
 * and hollow where it is negative, so that no colour has to say it. A cell that is pointed at or
 * has the focus is read out in full.
 *
 * @typedef {import("../format.js").Scalar} Scalar
 *
 * @typedef {object} Matrix
 * @property {readonly (readonly Scalar[])[]} rows
 * @property {string} dtype
 * @property {string} label  what it is, for who cannot see it
 * @property {string} rowAxis  what the rows are elements of: `y`
 * @property {string} columnAxis
 * @property {readonly string[]} rowNames  short: `0`, `0, 1`
 * @property {readonly string[]} columnNames
 * @property {number} [most]  the size that fills a cell; left out: of the largest of these numbers
 * @property {(row: number, column: number) => string} name  of a cell: `∂y[0] / ∂x[2]`
 */

import { el, svg } from "../dom.js";
import { gradientNumber, scalarText } from "../format.js";
import { t } from "../words.js";

const ROOM = 300;
const CELL = { least: 14, most: 36 };
/** What is shown of a cell's square where the number is tiny: enough to see its sign. */
const TINY = 0.16;
const DIGIT = 6.7;

/**
 * @param {Matrix} matrix
 * @returns {HTMLElement}
 */
export function heatMap(matrix) {
  const { rows, label, rowNames, columnNames } = matrix;
  const top = matrix.columnAxis === "" ? 18 : 34;
  const columns = rows[0]?.length ?? 0;
  const left = Math.ceil(Math.max(matrix.rowAxis.length + 2, ...rowNames.map((name) => name.length)) * DIGIT) + 10;
  const cell = Math.max(CELL.least, Math.min(CELL.most, Math.floor((ROOM - left) / Math.max(columns, 1))));
  const most = matrix.most ?? largest(rows);
  const readout = el("p", { class: "told num", "aria-hidden": "true", text: legendText(most) });
  const body = rows.map((row, i) =>
    svg(
      "g",
      { role: "row" },
      axisName(rowNames[i], left - 8, top + (i + 0.5) * cell + 4, "end", i, rows.length, cell, 12),
      ...row.map((value, j) => drawCell(matrix, value, i, j, left + j * cell, top + i * cell, cell, most)),
    ),
  );
  const width = left + columns * cell + 1;
  const height = top + rows.length * cell + 1;
  const widest = Math.max(...columnNames.map((name) => name.length)) * DIGIT + 4;
  const picture = svg(
    "svg",
    { width, height, viewBox: `0 0 ${width} ${height}`, role: "grid", "aria-label": label },
    matrix.columnAxis !== "" && svg("text", { class: "axis-name", x: left, y: 11, text: `${matrix.columnAxis} →` }),
    matrix.rowAxis !== "" && svg("text", { class: "axis-name end", x: left - 8, y: 25, text: `${matrix.rowAxis} ↓` }),
    ...columnNames.map((name, j) => axisName(name, left + (j + 0.5) * cell, top - 8, "middle", j, columns, cell, widest)),
    svg("path", { class: "grid", d: gridPath(left, top, cell, rows.length, columns) }),
    ...body,
  );
  follow(picture, readout, () => legendText(most));
  return el("div", { class: "heat" }, el("div", { class: "scroll" }, picture), readout);
}

/** @param {readonly (readonly Scalar[])[]} rows */
export function largest(rows) {
  return Math.max(0, ...rows.flat().map((x) => (typeof x === "number" ? Math.abs(x) : 0)));
}

/** @param {number} most */
function legendText(most) {
  return t("heat.legend", { most: gradientNumber(most) });
}

/**
 * The name of a row or a column; where there is no room for all, of the first and the last.
 *
 * @param {string} name
 * @param {number} x
 * @param {number} y
 * @param {"end" | "middle"} anchor
 * @param {number} i
 * @param {number} n
 * @param {number} cell
 * @param {number} needed
 */
function axisName(name, x, y, anchor, i, n, cell, needed) {
  const fits = cell >= needed || i === 0 || i === n - 1;
  return fits && svg("text", { class: anchor, x, y, "aria-hidden": "true", text: name });
}

/**
 * @param {number} left
 * @param {number} top
 * @param {number} cell
 * @param {number} rows
 * @param {number} columns
 */
function gridPath(left, top, cell, rows, columns) {
  const [w, h] = [columns * cell, rows * cell];
  const across = Array.from({ length: rows + 1 }, (_, i) => `M${left} ${top + i * cell + 0.5}h${w}`);
  const down = Array.from({ length: columns + 1 }, (_, j) => `M${left + j * cell + 0.5} ${top}v${h}`);
  return [...across, ...down].join("");
}

/**
 * @param {Matrix} matrix
 * @param {Scalar} value
 * @param {number} i
 * @param {number} j
 * @param {number} x
 * @param {number} y
 * @param {number} cell
 * @param {number} most
 */
function drawCell({ dtype, name }, value, i, j, x, y, cell, most) {
  const text = `${name(i, j)} = ${scalarText(value, dtype)}`;
  return svg(
    "g",
    {
      class: "cell",
      role: "gridcell",
      tabindex: i === 0 && j === 0 ? "0" : "-1",
      "aria-label": text,
      "data-row": i,
      "data-column": j,
    },
    svg("rect", { class: "field", x: x + 1, y: y + 1, width: cell - 1, height: cell - 1 }),
    mark(value, x + cell / 2 + 0.5, y + cell / 2 + 0.5, cell - 5, most),
  );
}

/**
 * @param {Scalar} value
 * @param {number} x  middle
 * @param {number} y
 * @param {number} room
 * @param {number} most
 */
function mark(value, x, y, room, most) {
  if (value === true) return square("positive", x, y, room);
  if (value === 0 || value === false) return svg("circle", { class: "zero", cx: x, cy: y, r: 1.25 });
  if (typeof value !== "number") return svg("text", { class: "odd middle", x, y: y + 4, text: oddText(value) });
  // By area: a number half as large has half the ink.
  const side = room * Math.max(TINY, Math.sqrt(Math.abs(value) / most));
  return square(value > 0 ? "positive" : "negative", x, y, side);
}

/** @param {string} value */
function oddText(value) {
  return value === "inf" ? "∞" : value === "-inf" ? "−∞" : value === "nan" ? "×" : "·";
}

/**
 * @param {"positive" | "negative"} sign
 * @param {number} x
 * @param {number} y
 * @param {number} side
 */
function square(sign, x, y, side) {
  // The line of a hollow one lies within its size.
  const inner = sign === "negative" ? Math.max(side - 1.5, 1) : side;
  return svg("rect", { class: sign, x: x - inner / 2, y: y - inner / 2, width: inner, height: inner });
}

const WAYS = /** @type {Record<string, [number, number]>} */ ({
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
});

/**
 * Reads out the cell that is pointed at or has the focus; arrows move the focus.
 *
 * @param {SVGSVGElement} picture
 * @param {HTMLElement} readout
 * @param {() => string} idle
 */
function follow(picture, readout, idle) {
  const show = /** @param {EventTarget | null} target */ (target) => {
    const cell = target instanceof Element ? target.closest(".cell") : null;
    readout.textContent = cell?.getAttribute("aria-label") ?? idle();
  };
  const focused = () => (picture.contains(document.activeElement) ? document.activeElement : null);
  picture.addEventListener("pointerover", (event) => show(event.target));
  picture.addEventListener("pointerleave", () => show(focused()));
  picture.addEventListener("focusin", (event) => show(event.target));
  picture.addEventListener("focusout", (event) => show(event.relatedTarget));
  picture.addEventListener("keydown", (event) => {
    const way = WAYS[event.key];
    const cell = event.target instanceof SVGElement ? event.target.closest(".cell") : null;
    if (!way || !(cell instanceof SVGElement)) return;
    event.preventDefault();
    const [row, column] = [Number(cell.dataset.row) + way[0], Number(cell.dataset.column) + way[1]];
    const next = picture.querySelector(`[data-row="${row}"][data-column="${column}"]`);
    if (!(next instanceof SVGElement)) return;
    cell.setAttribute("tabindex", "-1");
    next.setAttribute("tabindex", "0");
    next.focus();
  });
}
