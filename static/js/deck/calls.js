/**
 * Beneath the lanes: the gradient calls, the groups that ran, and what ties an error to its cause.
 *
 * @typedef {import("../trace/types.js").Trace} Trace
 * @typedef {import("../trace/index.js").TraceIndex} TraceIndex
 * @typedef {import("./lanes.js").Scale} Scale
 */

import { svg } from "../dom.js";
import { gradientText } from "../format.js";
import { refList } from "../names.js";
import { lineOf } from "../source.js";
import { t } from "../words.js";
import { BAR, edge, textWidth } from "./lanes.js";
import { round } from "./ticks.js";
import { stepGroups } from "./view.js";

/** Height of a row of groups. */
export const GROUP_ROW = 22;

/** @typedef {{ call: number, from: number, to: number }} CallSpan */

/** @type {WeakMap<Trace, CallSpan[]>} */
const spansOf = new WeakMap();

/**
 * First and last step of every gradient call.
 *
 * @param {Trace} trace
 * @returns {CallSpan[]}
 */
export function callSpans(trace) {
  const known = spansOf.get(trace);
  if (known) return known;
  const end = trace.events.length;
  const spans = trace.gradients.map((_, call) => ({ call, from: end, to: end }));
  trace.events.forEach((event, step) => {
    if (event.kind === "gradient_begin") spans[event.call].from = step;
    if (event.kind === "gradient_end") spans[event.call].to = step + 1;
  });
  spansOf.set(trace, spans);
  return spans;
}

/**
 * What a call gave, short; "" while it runs.
 *
 * @param {Trace} trace
 * @param {number} id
 */
export function callResult(trace, id) {
  const call = trace.gradients[id];
  if (call.error !== undefined && call.error !== null) return t("raised");
  const results = call.results ?? [];
  if (results.length === 0) return "";
  const tensors = results.map((result) => result.tensor ?? null);
  if (tensors.length > 2) return t("results", { n: tensors.length });
  return tensors.map((id) => (id === null ? "None" : gradientText(trace.tensors[id]))).join(", ");
}

/**
 * Whether a call raised or gave None somewhere.
 *
 * @param {Trace} trace
 * @param {number} id
 */
export function isBadCall(trace, id) {
  const call = trace.gradients[id];
  if (call.error !== undefined && call.error !== null) return true;
  return (call.results ?? []).some(
    (result) => result.tensor === undefined || result.tensor === null,
  );
}

/**
 * The bars of the gradient calls; `update(step)` fills in their results once they are known.
 *
 * @param {Trace} trace
 * @param {Scale} scale
 * @param {(call: number) => void} onSelect
 */
export function drawCalls(trace, scale, onSelect) {
  const layer = svg("g", { class: "calls" });
  /** @type {((step: number) => void)[]} */
  const updates = [];
  let room = scale.left;
  const starts = callSpans(trace).map(({ from }) => from).sort((a, b) => a - b);
  for (const { call, from, to } of callSpans(trace)) {
    if (to <= scale.window.from || from >= scale.window.to) continue;
    const x = edge(scale, from) + 1;
    const width = Math.max(edge(scale, to) - x - 1, 3);
    const bar = svg("rect", {
      class: "bar",
      x: round(x),
      y: 0.5,
      width: round(width),
      height: BAR,
      rx: 2,
    });
    const text = svg("text", { class: "word", y: 15.5 });
    const group = svg("g", { class: "call" }, bar, text);
    group.addEventListener("pointerdown", (event) => {
      event.stopPropagation();
      onSelect(call);
    });
    layer.append(group);
    const free = x - room;
    room = x + width;
    // Calls of several threads overlap: the words of one end where the next begins.
    const next = starts.find((start) => start > from) ?? Infinity;
    const words = Math.min(width, edge(scale, next) - x);
    updates.push((step) =>
      placeCall(trace, group, text, { call, from, to }, { x, width: words, free }, step),
    );
  }
  return {
    layer,
    update: (/** @type {number} */ step) => updates.forEach((update) => update(step)),
  };
}

/**
 * @param {Trace} trace
 * @param {SVGGElement} group
 * @param {SVGTextElement} text
 * @param {CallSpan} span
 * @param {{ x: number, width: number, free: number }} place  width: of the words; free: the room to the left of the bar
 * @param {number} step
 */
function placeCall(trace, group, text, span, place, step) {
  const done = step >= span.to - 1;
  const bad = done && isBadCall(trace, span.call);
  const state = step < span.from ? "future" : done ? "done" : "active";
  group.setAttribute("class", `call ${state}${bad ? " bad" : ""}`);
  const { targets, sources, place: at } = trace.gradients[span.call];
  const names = t("call.short", {
    targets: refList(trace, targets),
    sources: refList(trace, sources),
  });
  const line = lineOf(trace, at);
  const where = line === null ? names : `${names}, ${t("line", { line })}`;
  const result = done ? callResult(trace, span.call) : "";
  const wanted = [
    result && `${where}: ${result}`,
    result && `${names}: ${result}`,
    where,
    names,
    result,
  ];
  const fitting = wanted.find((words) => words && textWidth(words) + 14 < place.width);
  const label = line === null ? result : `${t("line", { line })}: ${result}`;
  const beside = fitting === undefined && bad && textWidth(label) + 14 < place.free;
  text.textContent = fitting ?? (beside ? label : "");
  text.classList.toggle("outside", beside);
  text.setAttribute("x", String(round(beside ? place.x - 6 : place.x + 8)));
}

/**
 * Rows of the groups that ran in the window, outermost first, at most two.
 *
 * @param {Trace} trace
 * @param {Scale} scale
 * @param {(group: number) => void} onSelect
 */
export function drawGroups(trace, scale, onSelect) {
  return [0, 1]
    .map((depth) => groupSegments(trace, scale, depth))
    .filter((row) => row.length > 0)
    .map((row, position) => {
      const layer = svg("g", {
        class: "groups",
        transform: `translate(0 ${position * GROUP_ROW})`,
      });
      for (const { group, from, to, back } of row) {
        const x = edge(scale, from) + 1;
        const width = Math.max(edge(scale, to) - x - 1, 3);
        const name = trace.groups[group].name;
        const item = svg("g", { class: back ? "group back" : "group" });
        item.append(
          svg("rect", {
            class: "bar",
            x: round(x),
            y: 0.5,
            width: round(width),
            height: BAR - 4,
            rx: 2,
          }),
        );
        if (textWidth(name) + 14 < width)
          item.append(svg("text", { x: round(x + 7), y: 13.5, text: name }));
        else item.append(svg("title", { text: name }));
        item.addEventListener("pointerdown", (event) => {
          event.stopPropagation();
          onSelect(group);
        });
        layer.append(item);
      }
      return layer;
    });
}

/**
 * @param {Trace} trace
 * @param {Scale} scale
 * @param {number} depth
 */
function groupSegments(trace, scale, depth) {
  const groups = stepGroups(trace);
  /** @type {{ group: number, from: number, to: number, back: boolean }[]} */
  const row = [];
  for (let step = scale.window.from; step < scale.window.to; step += 1) {
    const group = chainOf(trace, groups[step])[depth];
    if (group === undefined) continue;
    const back = trace.events[step].kind === "rewind";
    const last = row[row.length - 1];
    if (last && last.group === group && last.back === back && step - last.to < 3)
      last.to = step + 1;
    else row.push({ group, from: step, to: step + 1, back });
  }
  return row;
}

/**
 * The groups around one, outermost first, without loops, iterations and plain scopes.
 *
 * @param {Trace} trace
 * @param {number} group
 */
function chainOf(trace, group) {
  const chain = [];
  for (let id = group; id >= 0; id = trace.groups[id].parent ?? -1) {
    const { kind } = trace.groups[id];
    if (kind !== "loop" && kind !== "iteration" && kind !== "scope") chain.unshift(id);
  }
  return chain;
}
