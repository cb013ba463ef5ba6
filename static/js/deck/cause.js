/**
 * What made an error or a None inevitable: the step that it goes back to.
 *
 * @typedef {import("../trace/types.js").Trace} Trace
 * @typedef {import("../trace/index.js").TraceIndex} TraceIndex
 * @typedef {{ cause: number, effect: number, text: string }} Link
 */

import { lineOf } from "../source.js";
import { tapeName } from "../names.js";
import { t } from "../words.js";
import { callSpans } from "./calls.js";

/**
 * The links of a whole run, each from an effect back to its cause.
 *
 * @param {Trace} trace
 * @param {TraceIndex} index
 * @returns {Link[]}
 */
export function causes(trace, index) {
  const calls = trace.gradients.flatMap((_, call) => callCause(trace, index, call) ?? []);
  return [...calls, ...trace.findings.flatMap((finding) => opCause(trace, finding) ?? [])];
}

/**
 * A call that raised because its tape had been used up before.
 *
 * @param {Trace} trace
 * @param {TraceIndex} index
 * @param {number} id
 * @returns {Link | null}
 */
function callCause(trace, index, id) {
  const call = trace.gradients[id];
  if (call.error === undefined || call.error === null) return null;
  const { from, to } = callSpans(trace)[id];
  const used = index.tapeIntervals(call.tape).find((span) => span.from < from && span.to >= from);
  if (!used || used.state !== "consumed") return null;
  const earlier = trace.gradients.findIndex(
    (other, position) => position < id && other.tape === call.tape,
  );
  const first = earlier < 0 ? null : lineOf(trace, trace.gradients[earlier].place);
  const second = lineOf(trace, call.place);
  if (first === null || second === null) return null;
  const text =
    first === second
      ? t("cause.consumedSame", { tape: tapeName(trace, call.tape) })
      : t("cause.consumed", { first, second });
  return { cause: used.from, effect: Math.max(from, to - 1), text };
}

/**
 * A None whose finding names the op at which the path ended.
 *
 * @param {Trace} trace
 * @param {import("../trace/types.js").Finding} finding
 * @returns {Link | null}
 */
function opCause(trace, finding) {
  const { op, call } = finding;
  if (op === undefined || op === null || call === undefined || call === null) return null;
  if ((trace.ops[op].recorded_by ?? []).includes(trace.gradients[call].tape)) return null;
  const cause = trace.events.findIndex((event) => event.kind === "op" && event.op === op);
  const line = lineOf(trace, trace.ops[op].place);
  if (cause < 0 || line === null) return null;
  return {
    cause,
    effect: callSpans(trace)[call].from,
    text: t("cause.missed", { op: trace.ops[op].type, line }),
  };
}
