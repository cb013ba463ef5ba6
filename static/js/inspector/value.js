/**
 * A value in full: a scalar large, a small tensor as a matrix, a larger one as histogram, corner
 * and figures.
 *
 * @typedef {import("../trace/types.js").Tensor} Tensor
 * @typedef {import("../trace/types.js").Value} Value
 */

import { el, svg } from "../dom.js";
import {
  count,
  dataText,
  flatten,
  gradientNumber,
  isNumeric,
  scalarText,
  shapeWord,
  shortText,
  statistics,
  symbolicText,
} from "../format.js";
import { t } from "../words.js";
import { heatMap } from "./heatmap.js";

/** Bins of a histogram made here, of a tensor that is there whole. */
const BINS = 16;
/** A tensor of so few elements stands on one line. */
const FEW = 3;

/**
 * `float32, scalar`; `float32, 64×16`.
 *
 * @param {{ dtype: string, shape: Tensor["shape"] }} tensor
 */
export function typeText({ dtype, shape }) {
  return `${dtype}, ${shapeWord(shape) || t("scalar")}`;
}

/**
 * @param {{ dtype: string, shape: Tensor["shape"], value: Value | null }} tensor
 * @param {string} [tone]
 * @returns {Element[]}
 */
export function valueNodes(tensor, tone = "") {
  const { value, dtype, shape } = tensor;
  const type = el("small", { text: typeText(tensor) });
  if (value === null && isNumeric(dtype)) return [el("div", { class: `big ${tone}` }, symbolicText(tensor), type)];
  if (value === null) return [el("p", { class: "dim" }, t("value.none"), " ", type)];
  if (shape?.length === 0 && value.data !== undefined) {
    return [el("div", { class: `big ${tone}` }, scalarText(value.data, dtype), type)];
  }
  const figures = figuresOf(value);
  const whole = value.data !== undefined && value.data !== null;
  if (whole && count(value.data) <= FEW)
    return [el("div", { class: `big ${tone}` }, dataText(value.data, dtype, scalarText), type)];
  const head = el(
    "div",
    { class: "big" },
    whole || figures === null ? shapeWord(shape) : `mean ${shortText(figures.mean, "float64")}`,
    type,
  );
  const grid = matrix(whole ? value.data : value.corner, dtype, whole ? null : shape);
  const numeric = isNumeric(dtype) && figures !== null;
  const picture = whole && numeric && shape?.length === 2 ? pictureOf(value.data, dtype) : null;
  return /** @type {Element[]} */ (
    [
      head,
      picture ?? (numeric && histogram(value, figures)),
      grid,
      numeric && figureTable(figures, value.sampled),
    ].filter(Boolean)
  );
}

/**
 * A small matrix for the eye.
 *
 * @param {import("../format.js").Scalar[][]} rows
 * @param {string} dtype
 */
function pictureOf(rows, dtype) {
  if (rows.length === 0 || rows[0].length === 0) return null;
  return heatMap({
    rows,
    dtype,
    label: t("heat.matrix", { rows: rows.length, columns: rows[0].length }),
    rowAxis: "",
    columnAxis: "",
    rowNames: rows.map((_, i) => String(i)),
    columnNames: rows[0].map((_, j) => String(j)),
    name: (i, j) => `[${i}, ${j}]`,
  });
}

/**
 * The numbers of a matrix with what its rows and columns are.
 *
 * @param {readonly (readonly import("../format.js").Scalar[])[]} rows
 * @param {string} dtype
 * @param {readonly string[]} rowNames
 * @param {readonly string[]} columnNames
 */
export function numberTable(rows, dtype, rowNames, columnNames) {
  const heads = columnNames.map((text) => el("th", { scope: "col", text }));
  const body = rows.map((row, i) =>
    el(
      "tr",
      {},
      el("th", { scope: "row", text: rowNames[i] }),
      ...row.map((x) => el("td", { text: shortText(x, dtype) })),
    ),
  );
  return el(
    "div",
    { class: "matrix named" },
    el("table", {}, el("thead", {}, el("tr", {}, el("td"), ...heads)), el("tbody", {}, ...body)),
  );
}

/**
 * @param {Value} value
 */
function figuresOf(value) {
  if (value.mean === undefined || value.mean === null) {
    const data = value.data;
    if (
      data === undefined ||
      data === null ||
      !flatten(data).every((x) => typeof x === "number" || /^-?inf$|^nan$/.test(String(x)))
    )
      return null;
    return statistics(data);
  }
  return {
    min: Number(value.min),
    max: Number(value.max),
    mean: value.mean,
    l2: value.l2 ?? NaN,
    zero: value.zero ?? 0,
    nan: value.nan ?? 0,
    inf: value.inf ?? 0,
  };
}

/**
 * @param {Value} value
 * @param {NonNullable<ReturnType<typeof figuresOf>>} figures
 */
function histogram(value, figures) {
  const counts = value.histogram?.length ? value.histogram : countsOf(value.data, figures);
  const most = Math.max(...counts);
  if (counts.length < 2 || most === 0) return null;
  const pitch = 300 / counts.length;
  const bars = counts.map((n, i) => {
    const height = n === 0 ? 0 : Math.max((n / most) * 48, 1);
    return svg("rect", {
      x: (i * pitch).toFixed(1),
      y: (50 - height).toFixed(1),
      width: Math.max(pitch - 1, 0.5).toFixed(1),
      height: height.toFixed(1),
    });
  });
  const label = t("histogram", {
    from: gradientNumber(figures.min),
    to: gradientNumber(figures.max),
  });
  const ends = el(
    "div",
    { class: "ends num" },
    el("span", { text: gradientNumber(figures.min) }),
    el("span", { text: gradientNumber(figures.max) }),
  );
  return el(
    "div",
    { class: "histogram" },
    svg(
      "svg",
      { viewBox: "0 0 300 51", preserveAspectRatio: "none", role: "img", "aria-label": label },
      ...bars,
      svg("path", { class: "floor", d: "M0 50.5H300" }),
    ),
    ends,
  );
}

/**
 * @param {any} data
 * @param {{ min: number, max: number }} range
 */
function countsOf(data, { min, max }) {
  const numbers = /** @type {number[]} */ (flatten(data).filter((x) => typeof x === "number"));
  if (numbers.length < 8 || !(max > min)) return [];
  const counts = Array.from({ length: BINS }, () => 0);
  for (const x of numbers)
    counts[Math.min(BINS - 1, Math.floor(((x - min) / (max - min)) * BINS))] += 1;
  return counts;
}

/**
 * The last two axes as rows and columns, the first index along the others.
 *
 * @param {any} data
 * @param {string} dtype
 * @param {Tensor["shape"]} cornerOf  the whole shape, where this is only its corner
 */
function matrix(data, dtype, cornerOf) {
  if (data === undefined || data === null) return null;
  if (!Array.isArray(data))
    return el("p", { class: "num", text: dataText(data, dtype, scalarText) });
  let plane = data;
  let deep = 0;
  while (Array.isArray(plane[0]) && Array.isArray(plane[0][0])) {
    plane = plane[0];
    deep += 1;
  }
  const rows = Array.isArray(plane[0]) ? plane : [plane];
  const cut =
    cornerOf !== null &&
    cornerOf.some((length, axis) => (length ?? 0) > (axis >= cornerOf.length - 2 ? 4 : 1));
  const body = rows
    .slice(0, 16)
    .map((/** @type {any[]} */ row) =>
      el(
        "tr",
        {},
        ...row.slice(0, 16).map((x) => el("td", { text: shortText(x, dtype) })),
        cut && el("td", { class: "dim", text: "…" }),
      ),
    );
  const note = cut || deep > 0 ? t(cut ? "value.corner" : "value.plane") : "";
  return el(
    "div",
    { class: "matrix" },
    el("table", {}, el("tbody", {}, ...body)),
    note && el("p", { class: "dim", text: note }),
  );
}

/**
 * @param {NonNullable<ReturnType<typeof figuresOf>>} figures
 * @param {boolean | undefined} sampled
 */
function figureTable(figures, sampled) {
  const items = /** @type {[string, string][]} */ ([
    ["min", gradientNumber(figures.min)],
    ["max", gradientNumber(figures.max)],
    ["mean", gradientNumber(figures.mean)],
    ["l2", gradientNumber(figures.l2)],
  ]);
  for (const key of /** @type {const} */ (["zero", "nan", "inf"])) {
    if (figures[key] > 0) items.push([t(`figure.${key}`), String(figures[key])]);
  }
  const list = items.map(([name, text]) =>
    el(
      "div",
      { class: /nan|inf/.test(name) ? "alarm" : "" },
      el("dt", { text: name }),
      el("dd", { class: "num", text }),
    ),
  );
  return el(
    "div",
    {},
    el("dl", { class: "figures" }, ...list),
    sampled && el("p", { class: "dim", text: t("value.sampled") }),
  );
}
