/**
 * What an op computes and its local derivatives, set as MathML.
 */

import { getJson } from "../api.js";
import { el } from "../dom.js";
import { gradientNumber, scalarOf } from "../format.js";
import { t } from "../words.js";
import { localDerivative } from "./gradient.js";
import { section } from "./parts.js";

/** @typedef {{ formula: string, partials: readonly (string | null)[] }} Formula */

/** @type {Record<string, Formula> | null} */
let formulas = null;
/** @type {{ render: (latex: string, element: Element, options?: object) => void } | null} */
let temml = null;
/** @type {Promise<void> | null} */
let loading = null;

/**
 * Loads the formulas and what sets them, once; `then` is told when they are there.
 *
 * @param {() => void} then
 */
export function loadFormulas(then) {
  loading ??= Promise.all([getJson("/api/formulas"), import("../../vendor/temml.js")]).then(
    ([found, library]) => {
      formulas = found;
      temml = library.default;
    },
    () => {
      loading = null; // The inspector does without; the next selection asks again.
    },
  );
  loading.then(() => formulas && then());
}

const LETTERS = "abcdefghijkl";

/**
 * @param {import("../trace/index.js").TraceIndex} index
 * @param {number} id
 * @returns {Element | null}
 */
export function formulaSection(index, id) {
  const op = index.trace.ops[id];
  const formula = formulas?.[op.type];
  if (!formula || !temml) return null;
  const rewind = index.rewindsOf(id)[0] ?? -1;
  const partials = formula.partials
    .slice(0, Math.max(op.inputs.length, 1))
    .map((partial, input) => {
      if (!partial) return null;
      const local = rewind < 0 ? null : localDerivative(index, id, input, rewind);
      const number = local ?? inputNumber(index, op.inputs, partial);
      const value =
        number === null || /^-?\d+(\.\d+)?$/.test(partial) ? "" : ` = ${gradientNumber(number)}`;
      const left = partial.includes("=")
        ? ""
        : `\\frac{\\partial z}{\\partial ${LETTERS[input]}} = `;
      return math(`${left}${partial}${value}`);
    });
  const head = math(formula.formula);
  return section(t("inspector.formula"), [
    el("div", { class: "math" }, head, el("div", { class: "partials" }, ...partials)),
  ]);
}

/**
 * The number behind a derivative that is just another input, seen by no rewind: `b` is 3.
 *
 * @param {import("../trace/index.js").TraceIndex} index
 * @param {readonly (number | null)[]} inputs
 * @param {string} partial
 */
function inputNumber(index, inputs, partial) {
  const position = partial.length === 1 ? LETTERS.indexOf(partial) : -1;
  const number = scalarOf(index.trace.tensors[inputs[position] ?? -1]);
  return typeof number === "number" ? number : null;
}

/** @param {string} latex */
function math(latex) {
  const node = el("div", { class: "formula" });
  temml?.render(latex, node, { throwOnError: false });
  return node;
}
