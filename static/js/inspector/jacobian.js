/**
 * What `jacobian()` and `batch_jacobian()` gave, as matrices: a row an element of the target, a
 * column an element of the source.
 *
 * @typedef {import("./parts.js").Context} Context
 * @typedef {import("../trace/types.js").Shape} Shape
 * @typedef {import("../trace/types.js").Tensor} Tensor
 * @typedef {import("./heatmap.js").Matrix} Matrix
 */

import { el } from "../dom.js";
import { flatten, shapeText } from "../format.js";
import { refName, shortRef } from "../names.js";
import { t } from "../words.js";
import { heatMap, largest } from "./heatmap.js";
import { section } from "./parts.js";
import { numberTable } from "./value.js";

/** Matrices drawn at most of one batch. */
const BATCHES = 8;

/**
 * @param {Context} context
 * @param {number} id  of the call
 * @returns {(Element | null)[]}
 */
export function jacobianSections(context, id) {
  const { trace, index, step } = context;
  const call = trace.gradients[id];
  const { end } = index.callSpan(id);
  if (call.kind === "gradient" || end < 0 || step < end) return [];
  return call.results.map(({ source, tensor }) => {
    if (tensor === null || trace.tensors[tensor].value === null) return null;
    const target = call.targets[0];
    const names = { target: refName(trace, target), source: shortRef(trace, call.sources[source]) };
    const shapes = { target: shapeOf(context, target), source: shapeOf(context, call.sources[source]) };
    const nodes = matricesOf(trace.tensors[tensor], names, shapes, call.kind === "batch_jacobian");
    const title = t("inspector.jacobian", names);
    return section(title, [meaning(names, call.kind), ...nodes], shapeText(trace.tensors[tensor].shape));
  });
}

/**
 * @param {{ target: string, source: string }} names
 * @param {string} kind
 */
function meaning(names, kind) {
  return el("p", { class: "dim", text: t(`inspector.${kind}Meaning`, names) });
}

/**
 * @param {Context} context
 * @param {import("../trace/types.js").Ref} ref
 * @returns {Shape}
 */
function shapeOf({ trace }, { tensor, variable }) {
  if (variable !== null) return trace.variables[variable].shape;
  return tensor === null ? null : trace.tensors[tensor].shape;
}

/**
 * @param {Tensor} tensor
 * @param {{ target: string, source: string }} names
 * @param {{ target: Shape, source: Shape }} shapes
 * @param {boolean} batch
 * @returns {Element[]}
 */
function matricesOf(tensor, names, shapes, batch) {
  const data = tensor.value?.data ?? null;
  const [target, source] = [whole(shapes.target), whole(shapes.source)];
  if (data === null) return cornerOf(tensor, names, shapes);
  if (target === null || source === null || (batch && (target.length === 0 || source.length === 0))) return [];
  const numbers = flatten(data);
  const [rowShape, columnShape] = batch ? [target.slice(1), source.slice(1)] : [target, source];
  const [rows, columns] = [size(rowShape), size(columnShape)];
  const matrices = batch ? target[0] : 1;
  if (rows * columns * matrices !== numbers.length || numbers.length === 0) return [];
  return Array.from({ length: Math.min(matrices, BATCHES) }, (_, k) => {
    const own = numbers.slice(k * rows * columns, (k + 1) * rows * columns);
    const grid = Array.from({ length: rows }, (_, i) => own.slice(i * columns, (i + 1) * columns));
    return named(grid, tensor.dtype, names, [rowShape, columnShape], batch ? [k] : [], largest([numbers]));
  }).concat(matrices > BATCHES ? [el("div", { class: "dim", text: t("more", { n: matrices - BATCHES }) })] : []);
}

/**
 * Of a matrix that is not there whole, its first rows and columns.
 *
 * @param {Tensor} tensor
 * @param {{ target: string, source: string }} names
 * @param {{ target: Shape, source: Shape }} shapes
 */
function cornerOf({ value, dtype, shape }, names, shapes) {
  const rows = value?.corner;
  const flat = shapes.target?.length === 1 && shapes.source?.length === 1 && shape?.length === 2;
  if (!flat || !Array.isArray(rows?.[0])) return [];
  const picture = named(rows, dtype, names, [[rows.length], [rows[0].length]], [], largest(rows));
  return [picture, el("p", { class: "dim", text: t("value.corner") })];
}

/**
 * One matrix for the eye, and its numbers.
 *
 * @param {import("../format.js").Scalar[][]} rows
 * @param {string} dtype
 * @param {{ target: string, source: string }} names
 * @param {[number[], number[]]} shapes  of what the rows and what the columns count through
 * @param {number[]} batch  index of the example, if there are several
 * @param {number} most  the size that fills a cell
 * @returns {HTMLElement}
 */
function named(rows, dtype, names, [rowShape, columnShape], batch, most) {
  const rowNames = rows.map((_, i) => indices(i, rowShape));
  const columnNames = rows[0].map((_, j) => indices(j, columnShape));
  const before = batch.length > 0 ? `${batch[0]}, ` : "";
  const element = /** @param {string} name @param {string} at */ (name, at) => {
    const inside = `${before}${at}`.replace(/, $/, "");
    return inside === "" ? name : `${name}[${inside}]`;
  };
  const axis = /** @param {string} name */ (name) => (batch.length > 0 ? `${name}[${batch[0]}]` : name);
  /** @type {Matrix} */
  const matrix = {
    rows,
    dtype,
    label: t("inspector.jacobian", { target: axis(names.target), source: axis(names.source) }),
    rowAxis: axis(names.target),
    columnAxis: axis(names.source),
    rowNames,
    columnNames,
    most,
    name: (i, j) => `∂${element(names.target, rowNames[i])} / ∂${element(names.source, columnNames[j])}`,
  };
  return el("div", {}, heatMap(matrix), numberTable(rows, dtype, rowNames, columnNames));
}

/**
 * The index of an element counted through: `1, 2`; "" in a scalar.
 *
 * @param {number} at
 * @param {readonly number[]} shape
 */
function indices(at, shape) {
  let rest = at;
  return shape
    .map((_, axis) => {
      const below = size(shape.slice(axis + 1));
      const own = Math.floor(rest / below);
      rest -= own * below;
      return own;
    })
    .join(", ");
}

/** @param {readonly number[]} shape */
function size(shape) {
  return shape.reduce((product, length) => product * length, 1);
}

/**
 * A shape with all lengths known, null otherwise.
 *
 * @param {Shape} shape
 * @returns {number[] | null}
 */
function whole(shape) {
  if (shape === null) return null;
  const known = shape.filter((length) => length !== null);
  return known.length === shape.length ? known : null;
}
