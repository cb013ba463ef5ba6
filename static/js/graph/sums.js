/**
 * Sums of contributions, written as sums.
 *
 * @typedef {import("../trace/index.js").TraceIndex} TraceIndex
 * @typedef {import("../trace/index.js").Target} Target
 */

import { t } from "../words.js";
import { flowText, shortFlowText } from "./flows.js";

/** More parts than this are counted, not listed. */
const LISTED = 4;
/** In characters. */
const LONGEST = 34;

/**
 * `3 + 3 + 2 = 8`; `5 parts = 8` where there are many; "" where nothing was summed yet.
 *
 * @param {TraceIndex} index
 * @param {Target} target
 * @param {number} call
 * @param {number} step
 */
export function sumText(index, target, call, step) {
  const sum = index.sumAt(target, call, step);
  if (sum === null || sum.parts.length < 2) return "";
  return written(index, sum.parts, sum.total);
}

/**
 * @param {TraceIndex} index
 * @param {readonly number[]} parts
 * @param {number} total
 */
function written(index, parts, total) {
  const whole = shortFlowText(index, total);
  const counted = t("graph.parts", { n: parts.length, total: whole });
  if (parts.length > LISTED) return counted;
  const texts = parts.map((tensor) => flowText(index, tensor));
  const length = texts.reduce((sum, text) => sum + text.length + 3, whole.length);
  if (length > LONGEST || texts.some((text) => text.includes("l2"))) return counted;
  return `${joined(texts)} = ${whole}`;
}

/**
 * `3 + 2 − 1`: a negative part is taken off.
 *
 * @param {readonly string[]} texts
 */
export function joined(texts) {
  return texts.reduce((all, text) => {
    if (all === "") return text;
    return text.startsWith("-") ? `${all} − ${text.slice(1)}` : `${all} + ${text}`;
  }, "");
}
