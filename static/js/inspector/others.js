/**
 * The inspector on a tensor, a variable, a tape, a group, a gradient call, and on nothing.
 *
 * @typedef {import("./parts.js").Context} Context
 */

import { el, icon } from "../dom.js";
import { saysNodes } from "../findings.js";
import { gradientText, tableText, valueText } from "../format.js";
import { opsHeld } from "../held.js";
import { callName, iterationOf, refName, tapeName, tapeSuffix, tensorName, variableName } from "../names.js";
import { aliveTapes } from "../reasons.js";
import { t } from "../words.js";
import { contributionsSection } from "./gradient.js";
import { userRow, watchText } from "./op.js";
import { faint, heading, lineText, name, number, section, selectButton, sourceQuote, stepButton, table, tapeLine } from "./parts.js";
import { valueNodes } from "./value.js";

/** Longer lists end with "… n more". */
const MOST = 12;

/** @param {readonly any[]} all */
function moreNote(all) {
  return all.length > MOST ? el("p", { class: "dim", text: t("more", { n: all.length - MOST }) }) : null;
}

/** @param {Context} context @param {number} id */
export function tensorView(context, id) {
  const { trace, index } = context;
  const tensor = trace.tensors[id];
  const producer = index.producer(id);
  const kind = producer === null ? t("kind.constant") : t("kind.tensor");
  const users = [...new Set(index.consumers(id))].filter((op) => trace.ops[op].call === null);
  const from = producer === null ? [] : [section(t("inspector.madeBy"), [table([userRow(context, producer)])])];
  return [
    heading(tensorName(trace, index, id), kind, lineText(trace, tensor.place ?? (producer === null ? null : trace.ops[producer].place))),
    section(t("inspector.value"), valueNodes(tensor)),
    contributionsSection(context, { tensor: id }, tensorName(trace, index, id)),
    ...from,
    users.length > 0 && section(t("inspector.usedBy"), [table(users.slice(0, MOST).map((op) => userRow(context, op))), moreNote(users)]),
    section(t("inspector.tapes"), [el("p", { class: "dim", text: watchText(context, id, null) })]),
    tensor.place !== null && section(t("inspector.source"), [sourceQuote(trace, tensor.place, "missed")]),
  ];
}

/** @param {Context} context @param {number} id */
export function variableView(context, id) {
  const { trace, index, step } = context;
  const variable = trace.variables[id];
  const label = variableName(trace, id);
  const value = { dtype: variable.dtype, shape: variable.shape, value: index.variableValueAt(id, step) };
  const reads = index.tensorsOfVariable(id);
  const users = [...new Set(reads.flatMap((tensor) => [...index.consumers(tensor)]))].filter((op) => trace.ops[op].call === null);
  const shown = users.filter((op) => index.stepOfOp(op) <= step);
  return [
    heading(label, [t("kind.variable"), variable.trainable ? "" : t("inspector.notTrainable")].filter(Boolean).join(", "), lineText(trace, variable.place)),
    section(t("inspector.value"), valueNodes(value), variable.path && variable.path !== label && el("code", { text: variable.path })),
    contributionsSection(context, { variable: id }, label),
    users.length > 0 && section(t("inspector.usedBy"), usesNodes(context, shown.length > 0 ? shown : users)),
    watchers(context, id),
    variable.place !== null && section(t("inspector.source"), [sourceQuote(trace, variable.place, "missed")]),
  ];
}

/**
 * Ops of the same place as one row, the latest of them; a loop uses a variable many times.
 *
 * @param {Context} context
 * @param {readonly number[]} users
 */
function usesNodes(context, users) {
  const { ops } = context.trace;
  /** @type {Map<string, number[]>} */
  const byPlace = new Map();
  for (const op of users) {
    const key = `${ops[op].type} ${ops[op].place}`;
    byPlace.set(key, [...(byPlace.get(key) ?? []), op]);
  }
  const rows = [...byPlace.values()].map((same) => {
    const [type, text, line] = userRow(context, same[same.length - 1]);
    const times = same.length > 1 ? faint(`×${same.length}`) : "";
    return [type, text, times, line];
  });
  return [table(rows.slice(-MOST)), moreNote(rows)];
}

/** @param {Context} context @param {number} id */
function watchers(context, id) {
  const { index, step } = context;
  const watches = index.watchedBy({ variable: id }).filter((watch) => watch.step <= step).slice(-5);
  if (watches.length === 0) return section(t("inspector.tapes"), [el("p", { class: "dim", text: t("inspector.notWatchedYet") })]);
  const lines = watches.map(({ tape, step: at, by }) => {
    const state = index.tapeStateAt(tape, step) ?? "created";
    return tapeLine(context, tape, { icon: state, tone: state, word: t(`state.${state}`), why: t(`inspector.watchedBy.${by}`, { step: at }) });
  });
  return section(t("inspector.tapes"), [el("ul", { class: "tapes" }, ...lines)]);
}

/** @param {Context} context @param {number} id */
export function tapeView(context, id) {
  const { trace, index, step } = context;
  const tape = trace.tapes[id];
  const state = index.tapeStateAt(id, step);
  const word = state === null ? t("inspector.notMade") : t(`state.${state}`);
  const note = el("span", { class: "dim", text: [t("kind.tape"), tapeSuffix(trace, id)].filter(Boolean).join(" ") });
  const held = opsHeld(index, id, step);
  const calls = trace.gradients.flatMap((call, call_id) => (call.tape === id ? [call_id] : []));
  const life = index.tapeIntervals(id).map(({ state: one, cause, from }) => [
    el("span", { class: `verdict ${one}${from > step ? " waits" : ""}` }, icon(one), t(`state.${one}`)),
    faint(t(`cause.${cause}`)),
    { class: "right", child: stepButton(context, from) },
  ]);
  return [
    heading(tapeName(trace, id), note, lineText(trace, tape.place)),
    section(t("inspector.state"), [el("p", { class: `verdict ${state ?? "idle"}` }, icon(state ?? "created"), word, tape.persistent && icon("persistent"), tape.persistent && t("persistent"))], t("inspector.held", { n: held })),
    watched(context, id),
    section(t("inspector.life"), [table(life)]),
    calls.length > 0 && section(t("inspector.calls"), [table(calls.slice(0, MOST).map((call) => callRow(context, call))), moreNote(calls)]),
    owner(tape.owner),
    tape.place !== null && section(t("inspector.source"), [sourceQuote(trace, tape.place, state ?? "missed")]),
  ];
}

/** @param {"snippet" | "library" | "tapedeck"} who */
function owner(who) {
  return who === "snippet" ? null : section(t("inspector.owner"), [el("p", { class: "dim", text: t(`owner.${who}`) })]);
}

/** @param {Context} context @param {number} id */
function watched(context, id) {
  const { trace, index, step } = context;
  const rows = trace.events.flatMap((event, at) => {
    if (event.kind !== "watch" || event.tape !== id || at > step) return [];
    const selection = event.variable !== null ? { kind: /** @type {const} */ ("variable"), id: event.variable } : { kind: /** @type {const} */ ("tensor"), id: event.tensor ?? 0 };
    const label = event.variable !== null ? variableName(trace, event.variable) : tensorName(trace, index, event.tensor ?? 0);
    return [[selectButton(context, selection, el("code", { text: label })), faint(t(`inspector.by.${event.by}`)), { class: "right", child: stepButton(context, at) }]];
  });
  const none = el("p", { class: "dim", text: t("inspector.watchesNothing") });
  return section(t("inspector.watches"), rows.length === 0 ? [none] : [table(rows.slice(0, MOST)), moreNote(rows)]);
}

/** @param {Context} context @param {number} id */
function callRow(context, id) {
  const { trace } = context;
  const call = trace.gradients[id];
  const bad = call.error !== null;
  return [selectButton(context, { kind: "call", id }, el("code", { text: callName(trace, id) })), { class: "right dim", child: bad ? t("raised") : lineText(trace, call.place) }];
}

/** @param {Context} context @param {number} id */
export function callView(context, id) {
  const { trace, index, step } = context;
  const call = trace.gradients[id];
  const { begin, end } = index.callSpan(id);
  const iteration = iterationOf(trace, call.group);
  const where = [lineText(trace, call.place), iteration === null ? "" : t("iteration", { index: iteration })].filter(Boolean).join(" · ");
  const rows = call.sources.slice(0, 40).map((source, position) => [name(refName(trace, source)), resultCell(context, id, position)]);
  const error = call.error === null || step < end ? null : trace.errors[call.error];
  const steps = el("p", {}, stepButton(context, begin), end >= 0 ? " – " : "", end >= 0 && stepButton(context, end));
  return [
    heading(callName(trace, id), "", where),
    error && section(t("says"), [el("pre", { class: "says", text: `${error.type}: ${error.message}` })]),
    section(t("inspector.results"), [table(rows), call.sources.length > 40 && el("p", { class: "dim", text: t("more", { n: call.sources.length - 40 }) })], t("inspector.ofTarget", { target: call.targets.map((target) => refName(trace, target)).join(", ") })),
    section(t("inspector.rewinds"), [begin < 0 ? el("p", { class: "dim", text: t("gradients.never") }) : steps]),
    section(t("inspector.tapes"), [el("ul", { class: "tapes" }, callTape(context, call.tape))]),
    options(trace, id),
    call.place !== null && section(t("inspector.source"), [sourceQuote(trace, call.place, error ? "break" : "rewinding")]),
  ];
}

/** @param {Context} context @param {number} tape */
function callTape(context, tape) {
  const state = context.index.tapeStateAt(tape, context.step) ?? "created";
  const why = t("inspector.held", { n: opsHeld(context.index, tape, context.step) });
  return tapeLine(context, tape, { icon: state, tone: state, word: t(`state.${state}`), why });
}

/** @param {Context} context @param {number} id @param {number} source */
function resultCell({ trace, index, step }, id, source) {
  const call = trace.gradients[id];
  const { begin, end } = index.callSpan(id);
  const result = call.results.find((one) => one.source === source);
  if (step < begin || begin < 0) return { class: "right dim", child: end < 0 ? t("gradients.never") : t("gradients.later", { step: end }) };
  if (call.error !== null) return { class: "right", child: el("span", { class: "verdict break" }, icon("error"), t("raised")) };
  if (step < end || !result) return { class: "right dim", child: t("gradients.running") };
  if (result.tensor === null) return { class: "right", child: el("span", { class: "verdict break" }, icon("break"), "None") };
  return number(tableText(trace.tensors[result.tensor]));
}

/** @param {import("../trace/types.js").Trace} trace @param {number} id */
function options(trace, id) {
  const { output_gradients: seeds, unconnected, vectorized } = trace.gradients[id];
  const rows = [];
  if (seeds.length > 0) rows.push([name("output_gradients"), number(seeds.map((seed) => (seed === null ? "None" : gradientText(trace.tensors[seed]))).join(", "))]);
  if (unconnected === "zero") rows.push([name("unconnected_gradients"), number("zero")]);
  if (vectorized !== null) rows.push([name("experimental_use_pfor"), number(vectorized ? "True" : "False")]);
  return rows.length === 0 ? null : section(t("inspector.options"), [table(rows)]);
}

/** @param {Context} context @param {number} id */
export function groupView(context, id) {
  const { trace, index } = context;
  const group = trace.groups[id];
  const { groups, ops } = index.groupChildren(id);
  const { from, to } = index.groupSpan(id);
  const last = ops.filter((op) => !trace.ops[op].bookkeeping).at(-1);
  const output = last === undefined ? undefined : trace.ops[last].outputs[0];
  const inner = groups.map((child) => [selectButton(context, { kind: "group", id: child }, el("b", { text: groupName(trace, child) })), { class: "right dim", child: t("ops", { n: index.groupSize(child) }) }]);
  const visible = ops.filter((op) => !trace.ops[op].bookkeeping);
  return [
    heading(groupName(trace, id), t(`group.${group.kind}`), lineText(trace, group.place)),
    output !== undefined && section(t("inspector.output"), valueNodes(trace.tensors[output])),
    inner.length > 0 && section(t("inspector.groups"), [table(inner.slice(0, MOST)), moreNote(inner)]),
    visible.length > 0 && section(t("inspector.ops"), [table(visible.slice(0, MOST).map((op) => opRow(context, op))), moreNote(visible)], t("ops", { n: index.groupSize(id) })),
    from >= 0 && section(t("inspector.ran"), [el("p", {}, stepButton(context, from), " – ", stepButton(context, to))]),
  ];
}

/** @param {import("../trace/types.js").Trace} trace @param {number} id */
export function groupName(trace, id) {
  const { kind, name: label, index } = trace.groups[id];
  return kind === "iteration" ? t("iteration", { index: index ?? 0 }) : label;
}

/** @param {Context} context @param {number} id */
function opRow(context, id) {
  const { trace } = context;
  const op = trace.ops[id];
  return [...userRow(context, id).slice(0, 2), number(op.outputs.length > 0 ? valueText(trace.tensors[op.outputs[0]]) : "")];
}

/** @param {Context} context */
export function runView(context) {
  const { trace, index, step } = context;
  const alive = aliveTapes(trace, index, step).slice(-MOST);
  const lines = alive.map((tape) => {
    const state = index.tapeStateAt(tape, step) ?? "created";
    return tapeLine(context, tape, { icon: state, tone: state, word: t(`state.${state}`), why: t("inspector.held", { n: opsHeld(index, tape, step) }) });
  });
  const event = trace.events[step];
  const error = event?.kind === "error" ? el("section", {}, ...saysNodes(trace, event.error)) : null;
  const calls = trace.gradients.map((_, id) => id);
  const variables = trace.variables.map((_, id) => [selectButton(context, { kind: "variable", id }, el("code", { text: variableName(trace, id) })), number(valueText({ dtype: trace.variables[id].dtype, shape: trace.variables[id].shape, value: index.variableValueAt(id, step) }))]);
  return [
    heading(t("inspector.run"), "", t("inspector.runNote", { ops: t("ops", { n: trace.ops.length }), steps: t("inspector.steps", { n: trace.events.length }) })),
    error,
    lines.length > 0 && section(t("inspector.tapes"), [el("ul", { class: "tapes" }, ...lines)]),
    variables.length > 0 && section(t("inspector.variables"), [table(variables.slice(0, MOST)), moreNote(variables)]),
    calls.length > 0 && section(t("inspector.calls"), [table(calls.slice(0, MOST).map((call) => callRow(context, call))), moreNote(calls)]),
  ];
}
