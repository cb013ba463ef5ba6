/**
 * The one sentence on a step: what happened, then why, in the snippet's names, with the line.
 *
 * @typedef {import("./trace/types.js").Trace} Trace
 * @typedef {import("./trace/types.js").TraceEvent} TraceEvent
 * @typedef {import("./trace/index.js").TraceIndex} TraceIndex
 * @typedef {import("./words.js").Part} Part
 *
 * @typedef {object} Sentence
 * @property {string} icon  name of the icon
 * @property {string} tone  state or verdict whose colour it has
 * @property {Part[]} parts
 */

import { calculation } from "./calculation.js";
import { gradientText, valueText } from "./format.js";
import { opsHeld } from "./held.js";
import { callName, tapeName, tensorName, variableName } from "./names.js";
import { lineOf, shorten, textAt } from "./source.js";
import { whyText } from "./trace/tracing.js";
import { code, dim, hasWord, plain, rich, strong, t } from "./words.js";
import { reasonText } from "./reasons.js";

/**
 * @param {Trace} trace
 * @param {TraceIndex} index
 * @param {number} step
 * @returns {Sentence}
 */
export function sentenceAt(trace, index, step) {
  const event = trace.events[step];
  if (!event) return { icon: "created", tone: "idle", parts: rich("step.before") };
  const sentence = speak(trace, index, step, event);
  const traced = index.tracedAt(step);
  const words = [whereText(trace, index, step, event), traced === null ? "" : t("step.atTraceTime", { name: traced })];
  const where = words.filter((word) => word !== "").map((word) => dim(` · ${word}`));
  return { ...sentence, parts: [...sentence.parts, ...where] };
}

/**
 * The same as plain text, for screen readers.
 *
 * @param {Trace} trace
 * @param {TraceIndex} index
 * @param {number} step
 */
export function spokenStep(trace, index, step) {
  return plain(sentenceAt(trace, index, step).parts);
}

/**
 * @param {Trace} trace
 * @param {TraceIndex} index
 * @param {number} step
 * @param {TraceEvent} event
 * @returns {Sentence}
 */
function speak(trace, index, step, event) {
  switch (event.kind) {
    case "tape":
      return tapeSentence(trace, index, step, event);
    case "watch":
      return watchSentence(trace, index, event);
    case "op":
      return opSentence(trace, index, step, event.op);
    case "rewind":
      return rewindSentence(trace, event);
    case "sum":
      return sumSentence(trace, index, event);
    case "gradient_begin":
      return say("rewinding", "rewinding", "step.begin", {
        call: strong(callName(trace, event.call)),
      });
    case "gradient_end":
      return endSentence(trace, event.call);
    case "error":
      return errorSentence(trace, event.error);
    case "trace":
      return tracingSentence(event);
    default:
      return plainSentence(trace, index, event);
  }
}

/**
 * @param {string} icon
 * @param {string} tone
 * @param {string} key
 * @param {Record<string, import("./words.js").Param>} params
 * @returns {Sentence}
 */
function say(icon, tone, key, params) {
  return { icon, tone, parts: rich(key, params) };
}

/**
 * @param {Trace} trace
 * @param {TraceIndex} index
 * @param {number} step
 * @param {Extract<TraceEvent, { kind: "tape" }>} event
 */
function tapeSentence(trace, index, step, event) {
  const n = opsHeld(index, event.tape, step - 1);
  const returned = event.cause === "returned" || event.cause === "raised";
  const key =
    returned || event.cause === "call"
      ? `step.tape.${event.cause}.${event.state}`
      : `step.tape.${event.cause}`;
  // What a tape holds of a graph is not told.
  const bare = trace.tapes[event.tape].symbolic && hasWord(`${key}.symbolic`) ? `${key}.symbolic` : key;
  return say(event.state, event.state, bare, { tape: strong(tapeName(trace, event.tape)), n });
}

/**
 * @param {Trace} trace
 * @param {TraceIndex} index
 * @param {Extract<TraceEvent, { kind: "watch" }>} event
 */
function watchSentence(trace, index, event) {
  const what =
    event.variable !== undefined && event.variable !== null
      ? variableName(trace, event.variable)
      : tensorName(trace, index, event.tensor ?? 0);
  const tape = strong(tapeName(trace, event.tape));
  return say("recording", "recording", `step.watch.${event.by}`, { tape, what: strong(what) });
}

/**
 * @param {Trace} trace
 * @param {TraceIndex} index
 * @param {number} step
 * @param {number} id
 */
function opSentence(trace, index, step, id) {
  const op = trace.ops[id];
  const holders = op.recorded_by ?? [];
  const result = code(calculation(trace, op));
  if (op.error !== undefined && op.error !== null) {
    return say("error", "break", "step.op.raised", {
      op: strong(op.type),
      error: trace.errors[op.error].type,
    });
  }
  if (holders.length > 0) {
    const tapes = holders.map((tape) => tapeName(trace, tape)).join(", ");
    const key = trace.tapes.length > 1 ? "step.op.recordedBy" : "step.op.recorded";
    return say("recording", "recording", key, { op: strong(op.type), result, tapes });
  }
  const reason = reasonText(trace, index, id, step);
  if (reason === "") return say("none", "idle", "step.op.ran", { op: strong(op.type), result });
  return say("none", "idle", "step.op.missed", { op: strong(op.type), reason });
}

/**
 * @param {Trace} trace
 * @param {Extract<TraceEvent, { kind: "rewind" }>} event
 */
function rewindSentence(trace, event) {
  const op = trace.ops[event.op];
  const arrives = (event.upstream ?? []).filter((id) => id !== null);
  const sent = (event.contributions ?? []).filter((id) => id !== null);
  const upstream =
    arrives.map((id) => gradientText(trace.tensors[id])).join(", ") || t("step.rewind.nothing");
  const sends = sent.map((id) => gradientText(trace.tensors[id]));
  if (op.variable !== null && op.rule === null) {
    const name = strong(variableName(trace, op.variable));
    return say("rewinding", "rewinding", "step.rewind.variable", {
      name,
      upstream: code(upstream),
    });
  }
  const key = sends.length === 0 ? "step.rewind.sendsNothing" : "step.rewind";
  return say("rewinding", "rewinding", key, {
    op: strong(op.type),
    upstream: code(upstream),
    sends: sends.flatMap((text, i) =>
      i === 0
        ? [code(text)]
        : [{ text: t("and"), kind: /** @type {const} */ ("text") }, code(text)],
    ),
  });
}

/**
 * @param {Trace} trace
 * @param {TraceIndex} index
 * @param {Extract<TraceEvent, { kind: "sum" }>} event
 */
function sumSentence(trace, index, event) {
  const what =
    event.variable !== undefined && event.variable !== null
      ? variableName(trace, event.variable)
      : tensorName(trace, index, event.tensor ?? event.total);
  return say("rewinding", "rewinding", "step.sum", {
    what: strong(what),
    sum: code(sumText(trace, event)),
  });
}

/**
 * `3 + 3 = 6`, `[6, 0] + [0, 2] = [6, 2]`; of larger tensors their norms.
 *
 * @param {Trace} trace
 * @param {{ parts?: readonly number[], total: number }} sum
 */
export function sumText(trace, sum) {
  const parts = (sum.parts ?? []).map((id) => trace.tensors[id]);
  const total = trace.tensors[sum.total];
  const terms = parts.map(gradientText);
  if (terms.every((term) => !term.includes("l2"))) {
    return `${terms.join(" + ").replaceAll("+ -", "− ")} = ${gradientText(total)}`;
  }
  return t("sum.of", { n: parts.length, total: gradientText(total) });
}

/**
 * @param {Trace} trace
 * @param {number} id
 */
function endSentence(trace, id) {
  const call = trace.gradients[id];
  const name = strong(callName(trace, id));
  if (call.error !== undefined && call.error !== null) {
    return say("error", "break", "step.end.raised", {
      call: name,
      error: trace.errors[call.error].type,
    });
  }
  const results = call.results ?? [];
  const none = results.some((result) => result.tensor === undefined || result.tensor === null);
  const values = results.map((result) =>
    result.tensor === undefined || result.tensor === null
      ? "None"
      : gradientText(trace.tensors[result.tensor]),
  );
  const shown = values.length > 4 ? t("step.end.many", { n: values.length }) : values.join(", ");
  const tone = none ? "break" : "rewinding";
  return say(none ? "break" : "rewinding", tone, "step.end", { call: name, values: code(shown) });
}

/**
 * @param {Trace} trace
 * @param {number} id
 */
function errorSentence(trace, id) {
  const error = trace.errors[id];
  const first = shorten(error.message.split("\n")[0], 90);
  return say("error", "break", error.handled ? "step.error.handled" : "step.error", {
    type: strong(error.type),
    message: code(first),
  });
}

/**
 * @param {Extract<TraceEvent, { kind: "trace" }>} event
 * @returns {Sentence}
 */
function tracingSentence({ function: called, phase, again, why }) {
  const name = strong(called);
  if (phase === "raised") return say("error", "break", "step.trace.raised", { name });
  if (phase === "ended") return say("trace", "idle", "step.trace.ended", { name });
  if (!again) return say("trace", "idle", "step.trace.first", { name });
  if (why === "") return say("trace", "idle", "step.trace.anew", { name });
  return say("trace", "idle", "step.trace.again", { name, why: code(whyText(why)) });
}

/**
 * @param {Trace} trace
 * @param {TraceIndex} index
 * @param {TraceEvent} event
 * @returns {Sentence}
 */
function plainSentence(trace, index, event) {
  switch (event.kind) {
    case "variable": {
      const value = variableText(trace, event.variable);
      const name = strong(variableName(trace, event.variable));
      return say("variable", "idle", "step.variable", { name, value: code(value) });
    }
    case "constant": {
      const value = valueText(trace.tensors[event.tensor]);
      const name = strong(tensorName(trace, index, event.tensor));
      return say("constant", "idle", "step.constant", { name, value: code(value) });
    }
    case "read":
    case "assign": {
      const op = trace.ops[event.op];
      const made = event.kind === "read" ? op.outputs?.[0] : event.tensor;
      const value = made === undefined || made === null ? "–" : valueText(trace.tensors[made]);
      const assigned = event.kind === "assign" ? event.variable : null;
      const name = strong(variableName(trace, assigned ?? op.variable ?? 0));
      return say("variable", "idle", `step.${event.kind}`, { name, value: code(value) });
    }
    case "exit": {
      const name = strong(tensorName(trace, index, event.tensor));
      return say("exit", "idle", "step.exit", {
        name,
        how: code(event.how),
        value: code(valueText(trace.tensors[event.tensor])),
      });
    }
    case "print":
      return say("exit", "idle", `step.print.${event.stream}`, {
        text: code(shorten(event.text.trim().split("\n")[0], 80)),
      });
    default:
      // A newer recorder tells more than this page knows.
      return say("created", "idle", "step.unknown", { kind: code(String(event.kind)) });
  }
}

/**
 * What a variable held when it was made.
 *
 * @param {Trace} trace
 * @param {number} id
 */
function variableText(trace, id) {
  const { dtype, shape, initial } = trace.variables[id];
  return valueText({ dtype, shape, value: initial });
}

/**
 * Line and iteration of what a step is about.
 *
 * @param {Trace} trace
 * @param {TraceIndex} index
 * @param {number} step
 * @param {TraceEvent} event
 */
function whereText(trace, index, step, event) {
  const line = lineOf(trace, whereOf(trace, event).place);
  const iteration = index.iterationOfStep(step);
  const words = [];
  if (line !== null) words.push(t("line", { line }));
  if (iteration !== null) words.push(t("iteration", { index: iteration }));
  return words.join(", ");
}

/**
 * The place and the group that a step is about.
 *
 * @param {Trace} trace
 * @param {TraceEvent} event
 * @returns {{ place: number | null | undefined, group: number | null | undefined }}
 */
export function whereOf(trace, event) {
  switch (event.kind) {
    case "op":
    case "read":
    case "assign":
    case "rewind":
      return trace.ops[event.op];
    case "gradient_begin":
    case "gradient_end":
      return trace.gradients[event.call];
    case "sum":
      return { place: null, group: trace.gradients[event.call].group };
    case "tape":
      return {
        place: event.place ?? trace.tapes[event.tape].place,
        group: trace.tapes[event.tape].group,
      };
    case "variable":
      return { place: trace.variables[event.variable].place, group: null };
    case "constant":
      return { place: trace.tensors[event.tensor].place, group: null };
    case "error":
      return { place: trace.errors[event.error].place, group: null };
    default:
      return { place: event.place ?? null, group: null };
  }
}

/**
 * The expression that a step is about, for headings.
 *
 * @param {Trace} trace
 * @param {TraceEvent} event
 */
export function expressionAt(trace, event) {
  return textAt(trace, whereOf(trace, event).place, 40);
}
