/**
 * The inspector on what an op opens into: the graph of a traced function, and the graph that
 * rewinds it; the branches of an `If`, the condition and the body of a `While`.
 *
 * @typedef {import("./parts.js").Context} Context
 */

import { el } from "../dom.js";
import { graphFolded, isGraphOpen } from "../graph/opening.js";
import { callName } from "../names.js";
import { whyText } from "../trace/tracing.js";
import { t } from "../words.js";
import { section, selectButton, stepButton } from "./parts.js";

/** Backward graphs listed at most: a call in a loop may be rewound many times. */
const MOST = 4;

/**
 * @param {Context} context
 * @param {number} id
 * @returns {(Element | null)[]}
 */
export function functionSections(context, id) {
  const { trace, index } = context;
  const op = trace.ops[id];
  const tracing = index.tracingOf(id);
  const backward = rewinders(context, id);
  if (op.bodies.length === 0 && backward.length === 0) return [];
  return [
    tracing &&
      section(t("inspector.tracing"), [
        el("p", {}, t(`inspector.tracing.${tracing.status}`)),
        tracing.why !== "" && el("p", { class: "num", text: whyText(tracing.why) }),
        tracing.step >= 0 && el("p", {}, stepButton(context, tracing.step)),
      ]),
    op.bodies.length > 0 ? section(t("inspector.graph"), graphNodes(context, id)) : null,
    backward.length > 0
      ? section(
          t("inspector.backwardGraph"),
          backward.slice(0, MOST).flatMap((one) => backwardNodes(context, one)),
        )
      : null,
  ];
}

/**
 * The graphs that a Jacobian's call ran in one go for all rows.
 *
 * @param {Context} context
 * @param {number} call
 */
export function vectorizedSection(context, call) {
  const { trace } = context;
  const ops = trace.ops.flatMap((op, id) => {
    return op.call === call && op.rewinds === null && op.bodies.length > 0 ? [id] : [];
  });
  if (ops.length === 0) return null;
  const nodes = ops.slice(0, MOST).flatMap((id) => graphNodes(context, id));
  return section(t("inspector.vectorized"), [
    el("p", { class: "dim", text: t("inspector.vectorizedWhy") }),
    ...nodes,
  ]);
}

/**
 * The ops that rewound an op and have a graph.
 *
 * @param {Context} context
 * @param {number} id
 */
function rewinders({ trace, index, step }, id) {
  if (index.rewindsOf(id).length === 0) return [];
  return trace.ops.flatMap((op, one) => {
    const rewinds = op.rewinds === id && op.call !== null && op.bodies.length > 0;
    return rewinds && index.callSpan(op.call ?? 0).begin <= step ? [one] : [];
  });
}

/**
 * @param {Context} context
 * @param {number} id
 */
function backwardNodes(context, id) {
  const { trace } = context;
  const call = trace.ops[id].call ?? 0;
  const of = selectButton(context, { kind: "call", id: call }, el("code", { text: callName(trace, call) }));
  return [el("p", {}, of), ...graphNodes(context, id)];
}

/**
 * How much there is to see, and the button that opens it.
 *
 * @param {Context} context
 * @param {number} id
 */
function graphNodes({ trace, store }, id) {
  const bodies = trace.ops[id].bodies.map((body) => trace.graphs[body]);
  const shown = bodies.reduce((sum, { ops }) => sum + ops.filter((op) => !op.bookkeeping).length, 0);
  const all = bodies.reduce((sum, { ops, left_out: more }) => sum + ops.length + more, 0);
  const left = bodies.reduce((sum, { left_out: more }) => sum + more, 0);
  const open = isGraphOpen(store.get(), id);
  return [
    el("p", { class: "dim" }, t("inspector.graphOps", { n: shown, all })),
    left > 0 && el("p", { class: "dim", text: t("inspector.graphLeft", { n: left }) }),
    el("button", {
      type: "button",
      class: "btn small",
      "aria-pressed": String(open),
      text: t(open ? "inspector.foldGraph" : "inspector.openGraph"),
      onclick: () => store.set(graphFolded(store.get(), id, !open)),
    }),
  ];
}

/**
 * What is special about an op of a traced graph: it has no value, and an op that it belongs to.
 *
 * @param {Context} context
 * @param {number} id
 */
export function symbolicSection(context, id) {
  const { trace } = context;
  const { host } = trace.ops[id];
  if (host === null) return null;
  return section(t("inspector.symbolic"), [
    el("p", { class: "dim", text: t("inspector.symbolicWhy") }),
    el("p", {}, selectButton(context, { kind: "op", id: host }, el("b", { text: trace.ops[host].type }))),
  ]);
}
