/**
 * What the backward pass brings to a tensor or a variable: its contributions and their sum.
 *
 * @typedef {import("./parts.js").Context} Context
 * @typedef {import("../trace/index.js").Target} Target
 */

import { el } from "../dom.js";
import { gradientNumber, gradientText, scalarOf } from "../format.js";
import { joined } from "../graph/sums.js";
import { callName, iterationOf } from "../names.js";
import { sumText } from "../sentence.js";
import { textAt } from "../source.js";
import { t } from "../words.js";
import { section, selectButton } from "./parts.js";

const ALL = Number.MAX_SAFE_INTEGER;
/** Calls looked at, the nearest first, when none runs at the step. */
const NEAREST = 40;

/**
 * The gradient call to speak of: the one that runs, else the last one that reached the target,
 * else the next one that will.
 *
 * @param {Context} context
 * @param {Target} target
 * @returns {number | null}
 */
export function callFor({ trace, index, step }, target) {
  const reaches = (/** @type {number} */ call) =>
    index.contributionsTo(target, call, ALL).parts.length > 0;
  /** @type {number[]} */
  const begun = [];
  /** @type {number[]} */
  const later = [];
  for (let call = 0; call < trace.gradients.length; call += 1) {
    const { begin } = index.callSpan(call);
    if (begin >= 0) (begin <= step ? begun : later).push(call);
  }
  const past = begun.slice(-NEAREST).reverse().find(reaches);
  return past ?? later.slice(0, NEAREST).find(reaches) ?? null;
}

/**
 * @param {Context} context
 * @param {Target} target
 * @param {string} label
 * @returns {Element | null}
 */
export function contributionsSection(context, target, label) {
  const { trace, index, step } = context;
  const call = callFor(context, target);
  if (call === null) return null;
  const { parts } = index.contributionsTo(target, call, ALL);
  const { sum } = index.contributionsTo(target, call, step);
  const rows = parts.map((part) => contributionRow(context, call, part));
  const heads = ["from", "upstream", "local", "adds"].map((key, i) =>
    el("th", { scope: "col", class: i === 0 ? "" : "right", text: t(`contributions.${key}`) }),
  );
  const come = parts.filter((part) => part.step <= step);
  const total = totalRow(
    context,
    come.map((part) => part.tensor),
    sum,
    come.length < parts.length,
  );
  const iteration = iterationOf(trace, trace.gradients[call].group);
  const where = iteration === null ? callName(trace, call) : t("iteration", { index: iteration });
  return section(
    t("contributions.title", { name: label }),
    [
      el(
        "table",
        { class: "contributions" },
        el("thead", {}, el("tr", {}, ...heads)),
        el("tbody", {}, ...rows, total),
      ),
    ],
    selectButton(context, { kind: "call", id: call }, el("span", { class: "dim", text: where })),
  );
}

/**
 * @param {Context} context
 * @param {number} call
 * @param {import("../trace/gradients.js").Contribution} part
 */
function contributionRow(context, call, part) {
  const { trace, step, index } = context;
  const op = trace.ops[part.op];
  const waits = part.step > step;
  const upstream = waits ? null : upstreamOf(context, part.op, part.step);
  const side = op.inputs.filter((id) => id !== null).length > 1
    ? t(part.input === 0 ? "side.left" : part.input === 1 ? "side.right" : "side.other", {
        n: part.input + 1,
      })
    : "";
  const from = el(
    "td",
    {},
    selectButton(
      context,
      { kind: "op", id: part.op },
      el("code", { text: textAt(trace, op.place, 24) || op.type }),
    ),
    side && el("span", { class: "dim", text: ` ${side}` }),
  );
  const adds = waits
    ? t("contributions.waits", { step: part.step })
    : gradientText(trace.tensors[part.tensor]);
  return el(
    "tr",
    { class: waits ? "waits" : "" },
    from,
    el("td", {
      class: "right num",
      text: upstream === null ? "" : gradientText(trace.tensors[upstream]),
    }),
    el("td", { class: "right num", text: waits ? "" : localText(index, part) }),
    el("td", { class: `right num ${waits ? "" : "rewinding"}`, text: adds }),
  );
}

/**
 * The gradient that arrived at an op's first output in the rewind at a step.
 *
 * @param {Context} context
 * @param {number} op
 * @param {number} step
 */
function upstreamOf({ index }, op, step) {
  return index.rewindAt(op, step)?.upstream.find((id) => id !== null) ?? null;
}

/**
 * `× 3`: what the op multiplied by, where all are scalars.
 *
 * @param {import("../trace/index.js").TraceIndex} index
 * @param {import("../trace/gradients.js").Contribution} part
 */
function localText(index, part) {
  const local = localDerivative(index, part.op, part.input, part.step);
  return local === null ? "" : `× ${gradientNumber(local)}`;
}

/**
 * The local derivative of an op by one of its inputs, seen in a rewind: contribution over upstream.
 *
 * @param {import("../trace/index.js").TraceIndex} index
 * @param {number} op
 * @param {number} input
 * @param {number} step  at or after that rewind
 * @returns {number | null} null where they are not scalars, or nothing arrived
 */
export function localDerivative(index, op, input, step) {
  const rewind = index.rewindAt(op, step);
  if (!rewind) return null;
  const { tensors } = index.trace;
  const sent = rewind.contributions[input];
  const upstream = scalarOf(tensors[rewind.upstream[0] ?? -1]);
  const contribution = scalarOf(tensors[sent ?? -1]);
  if (typeof upstream !== "number" || typeof contribution !== "number" || upstream === 0)
    return null;
  return contribution / upstream;
}

/**
 * @param {Context} context
 * @param {readonly number[]} come
 * @param {import("../trace/gradients.js").Sum | null} sum
 * @param {boolean} waiting
 */
function totalRow({ trace }, come, sum, waiting) {
  if (come.length === 0) return null;
  const text = sum
    ? sumText(trace, sum)
    : come.length === 1
      ? gradientText(trace.tensors[come[0]])
      : joined(come.map((tensor) => gradientText(trace.tensors[tensor])));
  return el(
    "tr",
    { class: "total" },
    el("td", { colspan: 2, text: t(waiting ? "contributions.soFar" : "contributions.sum") }),
    el("td", { class: "right num", colspan: 2, text }),
  );
}
