/**
 * Sizes and fixed texts of what the graph consists of.
 *
 * Room is reserved for all that comes later: gradients, sums, states, the numbers on the edges.
 *
 * @typedef {import("../trace/index.js").TraceIndex} TraceIndex
 * @typedef {import("./model.js").GraphModel} GraphModel
 * @typedef {import("./model.js").GraphNode} GraphNode
 * @typedef {import("./cuts.js").CutText} CutText
 *
 * @typedef {object} Card
 * @property {number} w
 * @property {number} h
 * @property {string} title  op type, name of a variable, constant, target or group
 * @property {string} code  sub-expression, or what kind of group it is
 * @property {string} note  at the right of the first row: the line
 * @property {string} name  what the snippet calls the value
 * @property {string} shape  of the value; "" for a scalar
 * @property {string} size  of a folded group: "3 ops"; of what opens: what it is
 */

import { dataText, flatten, shapeText, shapeWord, symbolicText, valueText } from "../format.js";
import { callName, opName, tapeName, variableName } from "../names.js";
import { lineOf, textAt } from "../source.js";
import { ownInputs } from "../trace/graphs.js";
import { t } from "../words.js";
import { cutText, isAtTarget } from "./cuts.js";
import { shortFlowText } from "./flows.js";
import { stepperWidth } from "./frames.js";
import { fitted, monoWidth, sansWidth } from "./measure.js";
import { sumText } from "./sums.js";

const STATES = ["recording", "rewinding", "consumed", "stopped", "deleted"];
const NODE = { least: 188, most: 340 };
/** A node as wide as this has room for the three numbers of its value and of its gradient. */
const ROW = 440;
export const HEADER = 38;
/** Numbers sampled at most to find out how wide the widest will be. */
export const SAMPLES = 12;

/**
 * @param {TraceIndex} index
 * @param {GraphModel} model
 * @returns {Card[]}
 */
export function cardsOf(index, model) {
  return model.nodes.map((node, id) => {
    if (node.kind === "op" || node.kind === "group") return opCard(index, node);
    if (node.kind === "frame") return frameCard(index, node);
    if (node.kind === "argument") return argumentCard(index, node);
    if (node.kind === "variable") return variableCard(index, node);
    if (node.kind === "constant") return constantCard(index, node);
    return targetCard(index, model, node, id);
  });
}

/**
 * @param {TraceIndex} index
 * @param {GraphNode} node
 * @returns {Card}
 */
function opCard(index, node) {
  const { trace } = index;
  const tensor = node.tensor < 0 ? null : trace.tensors[node.tensor];
  const { title, code, note } = node.kind === "op" ? opTexts(index, node) : groupTexts(index, node.group);
  const number = 14 + monoWidth(tensor ? (node.symbolic ? symbolicText(tensor) : valueText(tensor)) : "", 16) + 26 + monoWidth(widestGradient(index, node), 14) + 10;
  const { name, shape } = namesFor(tensor, NODE.most - number);
  const size = node.kind === "group" ? t("ops", { n: node.ops.length }) : graphNote(index, node.op);
  const lead = node.kind === "group" || node.opens ? 30 : 14;
  const fixed = lead + sansWidth(title, 13, true) + 8 + 12 + sansWidth(note, 11) + 12;
  const badges = Math.max(0, ...node.tapes.map((tape) => badgeWidth(index, node, tape)));
  const wanted = Math.max(
    fixed + monoWidth(code, 11),
    number + nameWidth(name, shape),
    badges + (size === "" ? 0 : sansWidth(size, 11) + 14),
    NODE.least,
  );
  const w = Math.ceil(Math.min(Math.max(NODE.most, Math.min(number + 4, ROW)), wanted + 4));
  const fits = fitted(code, w - fixed, (text) => monoWidth(text, 11));
  const short = fitted(title, w - lead - sansWidth(note, 11) - 26, (text) => sansWidth(text, 13, true));
  const own = size !== "" && (node.tapes.length === 0 || badges + sansWidth(size, 11) + 14 > w);
  const rows = node.tapes.length + (own ? 1 : 0);
  const h = rows === 0 ? 54 : 76 + 16 * (rows - 1);
  return { w, h, title: short, code: fits, note, name, shape, size };
}

/**
 * What a traced function had to do before it ran, or what else an op with graphs is; "" for others.
 *
 * @param {TraceIndex} index
 * @param {number} id
 */
export function graphNote(index, id) {
  const op = index.trace.ops[id];
  const tracing = index.tracingOf(id);
  if (tracing !== null) return t(`graph.tracing.${tracing.status}`);
  if (op.bodies.length === 0) return "";
  if (ownInputs(op) > 0) return t("graph.branches", { n: op.bodies.length });
  return op.bodies.length > 1 ? t("graph.loop") : t("graph.function");
}

/**
 * The name and shape to stand beside a value, as far as there is room: the name first.
 *
 * @param {import("../trace/types.js").Tensor | null} tensor
 * @param {number} room
 */
function namesFor(tensor, room) {
  if (tensor === null) return { name: "", shape: "" };
  const name = fitted(tensor.name ?? "", Math.max(0, room - 8), (text) => monoWidth(text, 11));
  // A list of numbers shows its shape by itself.
  const shape = valueText(tensor).startsWith("mean") ? shapeText(tensor.shape) : "";
  return { name, shape: nameWidth(name, shape) <= room ? shape : "" };
}

/**
 * @param {string} name
 * @param {string} shape
 */
export function nameWidth(name, shape) {
  return (name === "" ? 0 : monoWidth(name, 11) + 8) + (shape === "" ? 0 : monoWidth(shape, 11) + 8);
}

/**
 * @param {TraceIndex} index
 * @param {GraphNode} node
 */
function opTexts(index, { op, returns }) {
  const { type, place, call, rewinds } = index.trace.ops[op];
  const line = lineOf(index.trace, place);
  const note = line === null ? "" : t("line", { line });
  if (returns) return { title: opName(type), code: t("graph.gives"), note };
  if (call !== null && rewinds !== null) {
    return { title: opName(type), code: t("graph.gradientOf", { op: index.trace.ops[rewinds].type }), note };
  }
  return { title: type, code: isOwnPlace(index, op) ? textAt(index.trace, place, 40) : "", note };
}

/**
 * @param {TraceIndex} index
 * @param {number} group
 */
function groupTexts(index, group) {
  const { name, kind, place } = index.trace.groups[group];
  const line = lineOf(index.trace, place);
  if (kind === "graph") return { title: opName(name), code: "", note: graphTitle(index, group) };
  if (kind === "part") return { title: t(`graph.part.${name}`, { index: index.trace.groups[group].index ?? 0 }), code: "", note: line === null ? "" : t("line", { line }) };
  const count = kind === "loop" ? t("graph.iterations", { n: index.iterations(group).length }) : t(`group.${kind}`);
  return { title: name, code: count, note: line === null ? "" : t("line", { line }) };
}

/**
 * What the frame of a graph says beside its name.
 *
 * @param {TraceIndex} index
 * @param {number} group
 */
function graphTitle(index, group) {
  const op = index.trace.ops[index.trace.groups[group].index ?? 0];
  const line = lineOf(index.trace, op.place);
  if (op.rule === "function" || line === null) return t(op.call === null ? "graph.tracedGraph" : "graph.backwardGraph");
  return t("line", { line });
}

/**
 * @param {TraceIndex} index
 * @param {GraphNode} node
 * @param {number} tape
 */
function badgeWidth(index, node, tape) {
  const name = sansWidth(tapeName(index.trace, tape), 11);
  const recorded = node.ops.some((op) => index.trace.ops[op].recorded_by.includes(tape));
  const words = recorded ? STATES.map((state) => t(`state.${state}`)) : [missedText(index, node, tape)];
  return 29 + name + 5 + Math.max(...words.map((word) => sansWidth(word, 11, true))) + 12;
}

/**
 * @param {TraceIndex} index
 * @param {GraphNode} node
 * @param {number} tape
 */
export function missedText(index, node, tape) {
  const { reason } = index.opStatus(node.ops[0], tape, node.step);
  return t("graph.missed", { reason: t(`graph.missed.${reason ?? "nothing_watched"}`) });
}

/**
 * @param {TraceIndex} index
 * @param {GraphNode} node
 */
function widestGradient(index, node) {
  let widest = "∂ –";
  const producer = node.tensor < 0 ? null : index.producer(node.tensor);
  if (producer === null) return widest;
  const output = index.trace.ops[producer].outputs.indexOf(node.tensor);
  for (const step of index.rewindsOf(producer).slice(0, SAMPLES)) {
    const upstream = index.upstreamAt(producer, output, step);
    if (upstream === null) continue;
    const text = `∂ ${shortFlowText(index, upstream)}`;
    if (text.length > widest.length) widest = text;
    const event = index.trace.events[step];
    const sum = event.kind === "rewind" ? sumText(index, { tensor: node.tensor }, event.call, step) : "";
    if (sum.length > widest.length && sum.length <= 18) widest = sum;
  }
  return widest;
}

/**
 * @param {TraceIndex} index
 * @param {GraphNode} node
 * @returns {Card}
 */
function frameCard(index, node) {
  const { title, code, note } = groupTexts(index, node.group);
  const count = index.iterations(node.group).length;
  const stepper = count > 1 ? stepperWidth(count) + 165 : 0;
  const w = 60 + sansWidth(title, 13, true) + sansWidth(note, 11) + stepper;
  return { w, h: HEADER, title, code: stepper > 0 ? "" : code, note, name: "", shape: "", size: "" };
}

/**
 * An argument of a traced graph, in the form of a capsule.
 *
 * @param {TraceIndex} index
 * @param {GraphNode} node
 * @returns {Card}
 */
function argumentCard(index, node) {
  const title = index.trace.ops[node.op].type;
  const tensor = index.trace.tensors[node.tensor];
  const top = monoWidth(title, 14) + (title === "" ? 0 : 18) + monoWidth(symbolicText(tensor), 13);
  const w = Math.round(Math.max(104, 40 + Math.max(top, sansWidth(t("graph.argument"), 11))));
  return { w, h: 46, title, code: "", note: "", name: "", shape: "", size: "" };
}

/**
 * @param {TraceIndex} index
 * @param {GraphNode} node
 * @returns {Card}
 */
function variableCard(index, node) {
  const { shape } = index.trace.variables[node.variable];
  const title = variableName(index.trace, node.variable);
  const { dtype } = index.trace.variables[node.variable];
  const held = node.tensor < 0 ? index.trace.variables[node.variable].initial : index.trace.tensors[node.tensor].value;
  const text = node.symbolic ? symbolicText({ dtype, shape }) : heldText(shape, dtype, held);
  return { ...capsule(index, node, title, text, { variable: node.variable }), title, shape: shapeText(shape) };
}

/**
 * @param {TraceIndex} index
 * @param {GraphNode} node
 * @param {string} title
 * @param {string} text
 * @param {import("../trace/index.js").Target} target
 * @returns {Card}
 */
function capsule(index, node, title, text, target) {
  let widest = monoWidth("∂ 0.000", 13);
  for (let call = 0; call < Math.min(index.trace.gradients.length, SAMPLES); call += 1) {
    const sum = sumText(index, target, call, index.length);
    widest = Math.max(widest, monoWidth(sum, 13) * 1.05);
  }
  for (const tensor of node.tensors) {
    for (const sent of sentTo(index, tensor)) widest = Math.max(widest, monoWidth(`∂ ${shortFlowText(index, sent)}`, 13) * 1.05);
    for (const op of index.consumers(tensor)) {
      const text = t("graph.waits", { what: whatUses(index, op) });
      widest = Math.max(widest, Math.min(120, sansWidth(text, 11)));
    }
  }
  const top = monoWidth(title, 14) + 18 + monoWidth(text, 13);
  const w = Math.round(Math.max(132, 40 + Math.max(widest, top)));
  return { w, h: 46, title, code: "", note: "", name: "", shape: "", size: "" };
}

/**
 * Some of what is ever sent to a tensor.
 *
 * @param {TraceIndex} index
 * @param {number} tensor
 */
function sentTo(index, tensor) {
  return [...new Set(index.consumers(tensor))].slice(0, SAMPLES).flatMap((op) => {
    const inputs = index.trace.ops[op].inputs.flatMap((id, input) => (id === tensor ? [input] : []));
    return index.rewindsOf(op).slice(0, SAMPLES).flatMap((step) => {
      return inputs.flatMap((input) => index.contributionAt(op, input, step) ?? []);
    });
  });
}

/**
 * What a variable or constant holds, as short as can be: up to three numbers, else the shape.
 *
 * @param {import("../trace/types.js").Shape} shape
 * @param {string} dtype
 * @param {import("../trace/types.js").Value | null} value
 */
export function heldText(shape, dtype, value) {
  const data = value?.data ?? null;
  if (data === null || flatten(data).length > 3) return shapeWord(shape) || dtype;
  return dataText(data, dtype);
}

/**
 * What an op is called where there is little room: its sub-expression, if that is its own.
 *
 * @param {TraceIndex} index
 * @param {number} op
 */
export function whatUses(index, op) {
  return (isOwnPlace(index, op) && textAt(index.trace, index.trace.ops[op].place, 14)) || index.trace.ops[op].type;
}

/**
 * Inside a layer every op has the place of the call, which says nothing about the op itself.
 *
 * @param {TraceIndex} index
 * @param {number} op
 */
function isOwnPlace(index, op) {
  const { place, group } = index.trace.ops[op];
  return place !== null && (group === null || index.trace.groups[group].place !== place);
}

/**
 * @param {TraceIndex} index
 * @param {GraphNode} node
 * @returns {Card}
 */
function constantCard(index, node) {
  const tensor = index.trace.tensors[node.tensor];
  const title = tensor.name ?? "";
  const text = heldText(tensor.shape, tensor.dtype, tensor.value);
  if (isSource(index, node)) {
    return { ...capsule(index, node, title, text, { tensor: node.tensor }), title, shape: shapeText(tensor.shape) };
  }
  if (title === "" && !node.carried) {
    const w = Math.round(Math.max(52, monoWidth(text, 13) + 26));
    return { w, h: 30, title, code: text, note: "", name: "", shape: "", size: "" };
  }
  const below = sansWidth(t(node.carried ? "graph.carried" : "graph.constant"), 11);
  const w = Math.round(Math.max(112, 28 + Math.max(monoWidth(title, 13) + 18 + monoWidth(text, 13), below)));
  return { w, h: 46, title, code: text, note: "", name: "", shape: "", size: "" };
}

/**
 * Whether a constant is drawn as a capsule: something watches it, or asks for its gradient.
 *
 * @param {TraceIndex} index
 * @param {GraphNode} node
 */
export function isSource(index, node) {
  return !node.carried && index.watchedBy({ tensor: node.tensor }).length > 0;
}

/**
 * @param {TraceIndex} index
 * @param {GraphModel} model
 * @param {GraphNode} node
 * @param {number} id
 * @returns {Card}
 */
function targetCard(index, model, node, id) {
  const title = targetName(index, node);
  const code = targetNote(index, node);
  const cut = model.edges.find((edge) => edge.to === id)?.cut ?? null;
  const box = cut && isAtTarget(cut) ? cutText(index, cut) : null;
  const texts = Math.max(monoWidth(title, 14), sansWidth(code, 11), 44);
  const w = Math.round(Math.max(texts, box === null ? 0 : cutBox(box).w) + 12);
  return { w, h: 44 + (box === null ? 0 : 14 + cutBox(box).h), title, code, note: "", name: "", shape: "", size: "" };
}

/**
 * @param {CutText} text
 */
export function cutBox({ title, detail }) {
  return { w: Math.round(Math.max(sansWidth(title, 12, true), sansWidth(detail, 12)) + 30), h: 44 };
}

/**
 * @param {TraceIndex} index
 * @param {GraphNode} node
 */
function targetName(index, node) {
  const ref = index.trace.gradients[node.calls[0]].targets.find(({ tensor }) => tensor === node.tensor);
  return index.trace.tensors[node.tensor].name ?? ref?.text ?? "";
}

/**
 * @param {TraceIndex} index
 * @param {GraphNode} node
 */
function targetNote(index, node) {
  const { trace } = index;
  if (node.calls.length > 1) {
    const lines = [...new Set(node.calls.map((call) => lineOf(trace, trace.gradients[call].place)))];
    const shown = lines.slice(0, 4).join(", ") + (lines.length > 4 ? ", …" : "");
    return t("graph.targets", { n: node.calls.length, lines: shown });
  }
  const line = lineOf(trace, trace.gradients[node.calls[0]].place);
  const call = callName(trace, node.calls[0]);
  return line === null ? t("graph.targetBare", { call }) : t("graph.target", { call, line });
}
