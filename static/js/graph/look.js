/**
 * How each node and edge looks at a step: pure functions from (trace, step) to classes and texts.
 *
 * @typedef {import("../trace/index.js").TraceIndex} TraceIndex
 * @typedef {import("../trace/types.js").TapeState} TapeState
 * @typedef {import("../trace/types.js").RewindEvent} RewindEvent
 * @typedef {import("./model.js").GraphModel} GraphModel
 * @typedef {import("./model.js").GraphNode} GraphNode
 * @typedef {import("./model.js").GraphEdge} GraphEdge
 * @typedef {import("./cards.js").Card} Card
 *
 * @typedef {object} Moment  what holds for the whole graph at a step
 * @property {TraceIndex} index
 * @property {number} step
 * @property {number | null} op  that runs or is rewound now
 * @property {number | null} rewound  that is rewound now
 * @property {number | null} call  that runs now
 *
 * @typedef {{ icon: string, tape: string, word: string, state: string }} Badge
 * @typedef {object} NodeLook
 * @property {string} state  class: `future`, `ghost`, a tape state, `plain`
 * @property {boolean} now
 * @property {boolean} bad  it raised
 * @property {string} value
 * @property {string} gradient
 * @property {"none" | "wait" | "in"} flow  whether its gradient has come
 * @property {string} second  second line of a capsule
 * @property {Badge[]} badges
 *
 * @typedef {object} EdgeLook
 * @property {"future" | "forward" | "hot" | "ghost" | "back" | "back-hot" | "result"} state
 * @property {string} label
 */

import { symbolicText, valueText } from "../format.js";
import { tapeName } from "../names.js";
import { t } from "../words.js";
import { heldText, isSource, missedText, whatUses } from "./cards.js";
import { flowText, seedText, shortFlowText } from "./flows.js";
import { latest } from "./inner.js";
import { joined, sumText } from "./sums.js";

/** The most active first: it gives a node its colour. */
const RANK = ["recording", "rewinding", "paused", "stopped", "consumed", "created", "deleted"];
/** A sum longer than this stands on the capsule only. */
const SUM = 18;

/**
 * @param {TraceIndex} index
 * @param {number} step
 * @returns {Moment}
 */
export function momentAt(index, step) {
  const event = index.trace.events[step];
  const op = index.opAtStep(step);
  return { index, step, op, rewound: event?.kind === "rewind" ? op : null, call: index.callAt(step) };
}

/**
 * The rewind of an op that is shown: the last one, but none of an earlier call while another call
 * of the same tape runs. A call that raises rewinds nothing and takes nothing away.
 *
 * @param {Moment} moment
 * @param {number} op
 * @returns {RewindEvent | null}
 */
function rewindShown({ index, step, call }, op) {
  const rewind = index.rewindAt(op, step);
  if (rewind === null || call === null || rewind.call === call) return rewind;
  const { gradients } = index.trace;
  const replaced = gradients[rewind.call].tape === gradients[call].tape && gradients[call].error === null;
  return replaced ? null : rewind;
}

/**
 * @param {Moment} moment
 * @param {GraphModel} model
 * @param {number} id
 * @returns {NodeLook}
 */
export function nodeLook(moment, model, id) {
  const node = model.nodes[id];
  if (node.kind === "op" || node.kind === "group") return opLook(moment, node);
  if (node.kind === "argument") return argumentLook(moment, node);
  if (node.kind === "variable") return variableLook(moment, model, id);
  if (node.kind === "constant") return constantLook(moment, model, id);
  return plainLook(moment.step < node.step ? "future" : "plain");
}

/**
 * @param {string} state
 * @returns {NodeLook}
 */
function plainLook(state) {
  return { state, now: false, bad: false, value: "", gradient: "", flow: "none", second: "", badges: [] };
}

/**
 * @param {Moment} moment
 * @param {GraphNode} node
 * @returns {NodeLook}
 */
function opLook(moment, node) {
  const { index, step, op } = moment;
  const now = op !== null && node.ops.includes(op);
  if (step < node.step) return { ...plainLook("future"), value: t("graph.notReached") };
  const bad = node.ops.some((id) => index.trace.ops[id].error !== null && index.stepOfOp(id) <= step);
  const badges = node.tapes.map((tape) => badgeOf(moment, node, tape));
  const held = node.ops.some((id) => index.trace.ops[id].recorded_by.length > 0);
  const states = badges.map(({ state }) => state).filter((state) => RANK.includes(state));
  states.sort((a, b) => RANK.indexOf(a) - RANK.indexOf(b));
  const { gradient, flow } = held ? gradientOf(moment, node) : { gradient: "", flow: /** @type {const} */ ("none") };
  return {
    state: held ? (states[0] ?? "plain") : node.tapes.length > 0 ? "ghost" : "plain",
    now,
    bad,
    value: valueOf(moment, node),
    gradient,
    flow,
    second: "",
    badges,
  };
}

/**
 * @param {Moment} moment
 * @param {GraphNode} node
 * @returns {NodeLook}
 */
function argumentLook({ index, step }, node) {
  const value = symbolicText(index.trace.tensors[node.tensor]);
  return { ...plainLook(step < node.step ? "future" : "plain"), value, second: t("graph.argument") };
}

/**
 * @param {Moment} moment
 * @param {GraphNode} node
 */
function valueOf({ index, step }, node) {
  const failed = node.ops.map((op) => index.trace.ops[op].error).find((error) => error !== null);
  if (failed !== undefined && failed !== null) return index.trace.errors[failed].type;
  if (node.tensor < 0) return "";
  const last = node.losses.length > 0 ? latest(index, node.losses, step) : node.tensor;
  if (last === undefined || index.stepOfTensor(last) > step) return "–";
  const tensor = index.trace.tensors[last];
  return node.symbolic ? symbolicText(tensor) : valueText(tensor);
}

/**
 * @param {Moment} moment
 * @param {GraphNode} node
 * @returns {{ gradient: string, flow: "none" | "wait" | "in" }}
 */
function gradientOf(moment, node) {
  const { index, step } = moment;
  const producer = node.tensor < 0 ? null : index.producer(node.tensor);
  // The gradients of a folded group's own calls stay in it.
  if (producer === null || node.losses.length > 0) return { gradient: "", flow: "none" };
  const rewind = rewindShown(moment, producer);
  const upstream = rewind?.upstream[index.trace.ops[producer].outputs.indexOf(node.tensor)] ?? null;
  if (rewind === null || upstream === null) return { gradient: "∂ –", flow: "wait" };
  const sum = sumText(index, { tensor: node.tensor }, rewind.call, step);
  if (sum !== "" && sum.length <= SUM) return { gradient: sum, flow: "in" };
  return { gradient: `∂ ${shortFlowText(index, upstream)}`, flow: "in" };
}

/**
 * @param {Moment} moment
 * @param {GraphNode} node
 * @param {number} tape
 * @returns {Badge}
 */
function badgeOf({ index, step }, node, tape) {
  const name = tapeName(index.trace, tape);
  const holder = node.ops.find((op) => index.trace.ops[op].recorded_by.includes(tape));
  if (holder === undefined) {
    return { icon: "none", tape: name, word: missedText(index, node, tape), state: "missed" };
  }
  const { state, reason } = index.opStatus(holder, tape, Math.max(step, index.stepOfOp(holder)));
  if (reason === "dropped") return { icon: "deleted", tape: name, word: t("graph.dropped"), state: "deleted" };
  const now = state ?? "recording";
  return { icon: now, tape: name, word: t(`state.${now}`), state: now };
}

/**
 * The contributions to one copy of a variable or watched tensor that are there at a step: those
 * of the last call, since those of different calls never add up.
 *
 * @param {Moment} moment
 * @param {GraphModel} model
 * @param {number} id
 */
function arrived(moment, model, id) {
  /** @type {number[]} */
  const parts = [];
  let call = -1;
  let hot = false;
  for (const edge of model.outgoing[id].map((out) => model.edges[out])) {
    for (const { op, input } of edge.flows) {
      const rewind = rewindShown(moment, op);
      const tensor = rewind?.contributions[input] ?? null;
      if (rewind === null || tensor === null) continue;
      if (rewind.call < call) continue;
      if (rewind.call > call) parts.length = 0;
      parts.push(tensor);
      call = rewind.call;
      hot ||= moment.rewound === op;
    }
  }
  return { parts, call, hot };
}

/**
 * @param {Moment} moment
 * @param {GraphModel} model
 * @param {number} id
 * @returns {NodeLook}
 */
function variableLook(moment, model, id) {
  const { index, step } = moment;
  const node = model.nodes[id];
  if (step < index.stepOfVariable(node.variable)) return { ...plainLook("future"), second: t("graph.notReached") };
  const { shape, trainable } = index.trace.variables[node.variable];
  if (node.symbolic) {
    const value = symbolicText(index.trace.variables[node.variable]);
    return { ...plainLook("plain"), value, second: t("graph.captured") };
  }
  // A folded loop reads its variable anew in each iteration.
  const read = latest(index, node.tensors, step);
  const { dtype } = index.trace.variables[node.variable];
  const value = read === undefined ? index.variableValueAt(node.variable, step) : index.trace.tensors[read].value;
  const text = heldText(shape, dtype, value);
  const look = sourceLook(moment, model, id, { variable: node.variable });
  const words = look.second || (trainable ? t("graph.notWatched") : t("graph.notTrainable"));
  return { ...look, value: text, second: words };
}

/**
 * What a capsule says in its second line; "" where nothing watches it.
 *
 * @param {Moment} moment
 * @param {GraphModel} model
 * @param {number} id
 * @param {import("../trace/index.js").Target} target
 * @returns {NodeLook}
 */
function sourceLook(moment, model, id, target) {
  const { index, step } = moment;
  const { parts, call, hot } = arrived(moment, model, id);
  if (parts.length > 0) {
    const sum = sumText(index, target, call, step);
    const texts = parts.map((tensor) => shortFlowText(index, tensor));
    const second = sum !== "" ? sum : texts.length > 1 ? joined(texts) : `∂ ${texts[0]}`;
    const event = index.trace.events[step];
    const summed = event?.kind === "sum" && isSumFor(event, target);
    const passed = moment.rewound !== null && index.trace.ops[moment.rewound].outputs.some((out) => model.nodes[id].tensors.includes(out));
    return { ...plainLook("rewinding"), second, flow: "in", now: hot || summed || passed };
  }
  const waits = waitsFor(moment, model, id);
  if (waits !== null) return { ...plainLook("plain"), flow: "wait", second: waits };
  const watches = index.watchedBy(target);
  if (watches.length === 0) return plainLook("plain");
  const watched = watches.some((watch) => watch.step <= step);
  return { ...plainLook("plain"), second: watched ? t("graph.watched") : t("graph.notWatched") };
}

/**
 * @param {import("../trace/types.js").SumEvent} event
 * @param {import("../trace/index.js").Target} target
 */
function isSumFor(event, target) {
  if (target.variable !== undefined) return event.variable === target.variable;
  return event.tensor !== null && event.tensor === target.tensor;
}

/**
 * "waits for 2 * x" while a call runs that has yet to rewind the op that uses this copy.
 *
 * @param {Moment} moment
 * @param {GraphModel} model
 * @param {number} id
 */
function waitsFor({ index, step, call }, model, id) {
  if (call === null) return null;
  for (const edge of model.outgoing[id].map((out) => model.edges[out])) {
    for (const { op, input } of edge.flows) {
      const later = index.rewindsOf(op).find((at) => at > step);
      const event = later === undefined ? null : index.trace.events[later];
      if (event?.kind !== "rewind" || event.call !== call || event.contributions[input] === null) continue;
      const folded = model.nodes[edge.to].kind === "group";
      if (folded) return t("graph.waitsShort");
      return t("graph.waits", { what: whatUses(index, op) });
    }
  }
  return null;
}

/**
 * @param {Moment} moment
 * @param {GraphModel} model
 * @param {number} id
 * @returns {NodeLook}
 */
function constantLook(moment, model, id) {
  const { index, step } = moment;
  const node = model.nodes[id];
  const tensor = index.trace.tensors[node.tensor];
  const value = heldText(tensor.shape, tensor.dtype, tensor.value);
  const state = step < node.step ? "future" : "plain";
  if (!isSource(index, node)) {
    return { ...plainLook(state), value, second: t(node.carried ? "graph.carried" : "graph.constant") };
  }
  const look = sourceLook(moment, model, id, { tensor: node.tensor });
  return { ...look, state: state === "future" ? state : look.state, value };
}

/**
 * @param {Moment} moment
 * @param {GraphModel} model
 * @param {GraphEdge} edge
 * @returns {EdgeLook}
 */
export function edgeLook(moment, model, edge) {
  if (edge.kind === "target") return targetEdgeLook(moment, model, edge);
  const { index, step } = moment;
  const to = model.nodes[edge.to];
  if (step < to.step) return { state: "future", label: "" };
  if (edge.kind === "result") return { state: "result", label: "" };
  const back = backFlow(moment, model, edge);
  if (back !== null) return back;
  const held = edge.flows.some(({ op }) => index.trace.ops[op].recorded_by.length > 0);
  const running = moment.rewound === null && edge.flows.some(({ op }) => op === moment.op);
  if (!held) return { state: to.tapes.length > 0 ? "ghost" : running ? "hot" : "forward", label: "" };
  return { state: running ? "hot" : "forward", label: "" };
}

/**
 * What flows back along an edge. What TensorFlow works out for a tensor that the tape does not follow
 * goes nowhere, and is not shown.
 *
 * @param {Moment} moment
 * @param {GraphModel} model
 * @param {GraphEdge} edge
 * @returns {EdgeLook | null}
 */
function backFlow(moment, model, edge) {
  const { index } = moment;
  /** @type {number[]} */
  const parts = [];
  let call = -1;
  let hot = false;
  for (const { op, input } of edge.flows) {
    const rewind = rewindShown(moment, op);
    const sent = rewind?.contributions[input] ?? null;
    const given = index.trace.ops[op].inputs[input];
    if (rewind === null || sent === null) continue;
    const { tape } = index.trace.gradients[rewind.call];
    const followed = given === null
      ? index.trace.ops[op].recorded_by.includes(tape)
      : index.onTape(given, tape, index.stepOfOp(op));
    if (!followed || rewind.call < call) continue;
    if (rewind.call > call) parts.length = 0;
    parts.push(sent);
    call = rewind.call;
    hot ||= moment.rewound === op;
  }
  if (parts.length === 0) return null;
  // The capsule that it goes to has the shape on it.
  const short = model.nodes[edge.from].kind === "variable";
  const texts = parts.map((tensor) => (short ? shortFlowText(index, tensor) : flowText(index, tensor)));
  const label = edgeText(texts);
  return { state: hot ? "back-hot" : "back", label };
}

/**
 * All that flows back along one edge: into a folded group several contributions may.
 *
 * @param {readonly string[]} texts
 */
function edgeText(texts) {
  const all = joined(texts);
  return texts.length === 1 || all.length <= SUM ? all : t("graph.partsOnly", { n: texts.length });
}

/**
 * @param {Moment} moment
 * @param {GraphModel} model
 * @param {GraphEdge} edge
 * @returns {EdgeLook}
 */
function targetEdgeLook(moment, model, edge) {
  const { index, step } = moment;
  const { calls, tensor } = model.nodes[edge.to];
  if (step < index.stepOfTensor(tensor)) return { state: "future", label: "" };
  const producer = index.producer(tensor);
  const rewind = producer === null ? null : rewindShown(moment, producer);
  const begun = moment.call !== null && calls.includes(moment.call) ? moment.call : (rewind?.call ?? -1);
  const held = producer !== null && index.trace.ops[producer].recorded_by.length > 0;
  const works = begun >= 0 && calls.includes(begun) && index.trace.gradients[begun].error === null && held;
  if (!works) return { state: held || model.nodes[edge.from].tapes.length === 0 ? "forward" : "ghost", label: "" };
  const now = index.callSpan(begun).begin === step || (producer !== null && moment.rewound === producer);
  return { state: now ? "back-hot" : "back", label: seedText(index, begun, tensor) };
}
