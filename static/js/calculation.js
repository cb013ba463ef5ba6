/**
 * What an op computed, as one would write it: `2.0 * 3.0 = 6.0`, `3.0 → 9.0`, `[1.0, 2.0] * 3.0 = [3.0, 6.0]`.
 *
 * @typedef {import("./trace/types.js").Trace} Trace
 * @typedef {import("./trace/types.js").Op} Op
 */

import { count, dataText, isFloat, shapeWord, valueText } from "./format.js";

/** Larger tensors are not written into a calculation. */
const SMALL = 3;

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
  if (!output) return "";
  // Beside floats, whole numbers are axes and shapes.
  const floats = inputs.filter(({ dtype }) => isFloat(dtype));
  const terms = (floats.length > 0 && isFloat(output.dtype) ? floats : inputs).map(writtenOut);
  const result = writtenOut(output);
  if (result === null || !terms.every((term) => term !== null)) return larger(output);
  const sign = INFIX[op.type];
  if (sign && terms.length === 2) return `${terms[0]} ${sign} ${bracketed(terms[1])} = ${result}`;
  return terms.length === 0 ? result : `${terms.join(", ")} → ${result}`;
}

/**
 * All numbers of a small tensor, with their point; null of a larger one.
 *
 * @param {import("./trace/types.js").Tensor} tensor
 */
function writtenOut({ dtype, value }) {
  const data = value?.data ?? null;
  return data === null || count(data) > SMALL ? null : dataText(data, dtype);
}

/** @param {string} term */
function bracketed(term) {
  return term.startsWith("-") ? `(${term})` : term;
}

/** @param {import("./trace/types.js").Tensor} output */
function larger(output) {
  const shape = shapeWord(output.shape);
  const value = valueText(output);
  return shape === "" || !value.startsWith("mean") ? value : `${shape}, ${value}`;
}
