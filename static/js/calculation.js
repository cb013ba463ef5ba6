/**
 * What an op computed, as one would write it: `2 * 3 = 6`, `Square(3) = 9`.
 *
 * @typedef {import("./trace/types.js").Trace} Trace
 * @typedef {import("./trace/types.js").Op} Op
 */

import { gradientNumber, scalarOf, shapeText, valueText } from "./format.js";

/** Ops that Python writes between their inputs. */
const INFIX = /** @type {Record<string, string>} */ ({
  Add: "+",
  AddV2: "+",
  Sub: "-",
  Mul: "*",
  Div: "/",
  RealDiv: "/",
  DivNoNan: "/",
  FloorDiv: "//",
  FloorMod: "%",
  Pow: "**",
  MatMul: "@",
  BatchMatMulV2: "@",
});

/**
 * @param {Trace} trace
 * @param {Op} op
 */
export function calculation(trace, op) {
  const inputs = (op.inputs ?? []).filter((id) => id !== null).map((id) => trace.tensors[id]);
  const output = trace.tensors[(op.outputs ?? [])[0]];
  const values = inputs.map(scalarOf);
  if (!output) return "";
  if (scalarOf(output) === null || values.some((value) => value === null)) return larger(output);
  const result = gradientNumber(/** @type {any} */ (scalarOf(output)));
  const terms = values.map((value) => gradientNumber(/** @type {any} */ (value)));
  const sign = INFIX[op.type];
  if (sign && terms.length === 2) return `${terms[0]} ${sign} ${bracketed(terms[1])} = ${result}`;
  return terms.length === 0 ? result : `${terms.join(", ")} → ${result}`;
}

/** @param {string} term */
function bracketed(term) {
  return term.startsWith("-") ? `(${term})` : term;
}

/** @param {import("./trace/types.js").Tensor} output */
function larger(output) {
  const shape = shapeText(output.shape);
  const value = valueText(output);
  return shape === "" || shape === value ? value : `${shape}, ${value}`;
}
