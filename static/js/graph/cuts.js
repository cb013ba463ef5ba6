/**
 * What is written at a break.
 *
 * @typedef {import("../trace/index.js").TraceIndex} TraceIndex
 * @typedef {import("../trace/breaks.js").Break} Break
 * @typedef {{ title: string, detail: string }} CutText
 */

import { callName, refName, tapeName, tensorName } from "../names.js";
import { lineOf } from "../source.js";
import { t } from "../words.js";

/**
 * Whether the label of a break stands under its target instead of beside an edge.
 *
 * @param {Break} cut
 */
export function isAtTarget(cut) {
  return cut.op === null;
}

/**
 * @param {TraceIndex} index
 * @param {Break} cut
 * @returns {CutText}
 */
export function cutText(index, cut) {
  if (cut.reason === "raised") return raisedText(index, cut);
  const { trace } = index;
  const call = trace.gradients[cut.call];
  const names = cut.sources.map((source) => refName(trace, call.sources[source]));
  const sources = names.length > 3 ? `${names.slice(0, 2).join(", ")}, … ${names.length}` : names.join(", ");
  const line = lineOf(trace, cut.op === null ? call.place : trace.ops[cut.op].place);
  const detail = t(`graph.cut.${cut.reason}`, {
    last: cut.tensor === null ? "" : tensorName(trace, index, cut.tensor),
    dtype: dtypeAt(index, cut),
    line: line === null ? "" : t("line", { line }),
    tape: tapeName(trace, call.tape),
    op: cut.op === null ? "" : trace.ops[cut.op].type,
    target: call.targets[0] ? refName(trace, call.targets[0]) : "",
    how: howItLeft(index, cut),
    sources,
  });
  const title = isAtTarget(cut) ? t("graph.none", { sources }) : t("graph.cut.title");
  return { title, detail };
}

/**
 * The dtype that ends the path: what the op gives, or what it is given.
 *
 * @param {TraceIndex} index
 * @param {Break} cut
 */
function dtypeAt(index, cut) {
  const given = cut.reason === "gives" && cut.op !== null ? index.trace.ops[cut.op].outputs[0] : cut.tensor;
  return given === null ? "" : index.trace.tensors[given].dtype;
}

/**
 * @param {TraceIndex} index
 * @param {Break} cut
 */
function howItLeft(index, cut) {
  const event = index.trace.events[cut.since];
  return event?.kind === "exit" ? event.how : "";
}

/**
 * @param {TraceIndex} index
 * @param {Break} cut
 * @returns {CutText}
 */
function raisedText(index, cut) {
  const { trace } = index;
  const call = trace.gradients[cut.call];
  const error = call.error === null ? "" : trace.errors[call.error].type;
  const title = t("graph.raised", {
    call: callName(trace, cut.call),
    line: lineOf(trace, call.place) ?? "?",
    error,
  });
  const state = cut.since < 0 ? null : index.tapeStateAt(call.tape, cut.since);
  const known = state === "consumed" || state === "created";
  return { title, detail: t(`graph.raised.${known ? state : "other"}`) };
}
