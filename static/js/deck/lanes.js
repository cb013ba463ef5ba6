/**
 * A lane a tape: its states over time. Every lane is drawn twice, filled for what has happened and
 * in outline for what is to come; the playhead clips the two.
 *
 * @typedef {import("../trace/types.js").Trace} Trace
 * @typedef {import("../trace/index.js").TraceIndex} TraceIndex
 * @typedef {import("./view.js").Range} Range
 * @typedef {{ left: number, width: number, pitch: number, window: Range, x: (step: number) => number }} Scale
 */

import { svg } from "../dom.js";
import { tapeName, tapeSuffix } from "../names.js";
import { shorten } from "../source.js";
import { t } from "../words.js";
import { round } from "./ticks.js";

export const LANE = 28;
export const BAR = 22;

/**
 * The tapes that do something in a window, oldest first.
 *
 * @param {Trace} trace
 * @param {TraceIndex} index
 * @param {Range} window
 * @returns {number[]}
 */
export function tapesIn(trace, index, window) {
  const tapes = [];
  const whole = window.from === 0 && window.to === trace.events.length;
  for (let tape = 0; tape < trace.tapes.length; tape += 1) {
    const lives = index
      .tapeIntervals(tape)
      .some(
        ({ state, from, to }) =>
          from < window.to &&
          to > window.from &&
          (whole || (state !== "consumed" && state !== "deleted")),
      );
    if (lives) tapes.push(tape);
  }
  return tapes;
}

/**
 * The left edge of a step's column.
 *
 * @param {Scale} scale
 * @param {number} step
 */
export function edge(scale, step) {
  const inside = Math.min(Math.max(step, scale.window.from), scale.window.to);
  return scale.left + (inside - scale.window.from) * scale.pitch;
}

/**
 * @param {Trace} trace
 * @param {TraceIndex} index
 * @param {readonly number[]} tapes
 * @param {Scale} scale
 * @param {boolean} future
 */
export function drawLanes(trace, index, tapes, scale, future) {
  return tapes.map((tape, row) => {
    const lane = svg("g", { class: "lane", transform: `translate(0 ${row * LANE})` });
    for (const { state, from, to } of index.tapeIntervals(tape)) {
      if (to <= scale.window.from || from >= scale.window.to) continue;
      lane.append(drawState(state, edge(scale, from), edge(scale, to), future));
    }
    return lane;
  });
}

/**
 * @param {string} state
 * @param {number} from
 * @param {number} to
 * @param {boolean} future
 */
function drawState(state, from, to, future) {
  const width = Math.max(to - from - 2, 1);
  const group = svg("g", { class: `state ${state}${future ? " future" : ""}` });
  const word = t(`state.${state}`);
  if (state === "deleted") {
    group.append(symbol(state, from + 6));
    if (width > 26 + textWidth(word)) group.append(label(word, from + 21));
    return group;
  }
  group.append(
    svg("rect", {
      class: "bar",
      x: round(from + 1),
      y: 0.5,
      width: round(width),
      height: BAR,
      rx: 2,
    }),
  );
  const full = width > 26 + textWidth(word);
  if (state === "consumed" && width >= 18) {
    const knock = full ? textWidth(word) + 26 : 18;
    group.append(
      svg("rect", {
        class: "knock",
        x: round(full ? from + 5 : from + width / 2 - 8),
        y: 3.5,
        width: knock,
        height: 16,
      }),
    );
  }
  if (full) group.append(symbol(state, from + 8), label(word, from + 23));
  else if (width >= 14) group.append(symbol(state, from + 1 + width / 2 - 5));
  return group;
}

/**
 * @param {string} state
 * @param {number} x
 */
function symbol(state, x) {
  return svg("use", { href: `#i-${state}`, x: round(x), y: 6.5, width: 10, height: 10 });
}

/**
 * @param {string} text
 * @param {number} x
 */
function label(text, x) {
  return svg("text", { class: "word", x: round(x), y: 15.5, text });
}

/**
 * About how wide a word is at 11 px.
 *
 * @param {string} text
 */
export function textWidth(text) {
  let width = 0;
  for (const character of text) width += character.charCodeAt(0) > 0x1100 ? 11 : 6.5;
  return width;
}

/**
 * The lanes' names, each a button that selects its tape.
 *
 * @param {Trace} trace
 * @param {readonly number[]} tapes
 * @param {number} left  where they begin; 0 on a narrow axis, which has no room for notes
 * @param {number} end  where the lanes begin
 * @param {(tape: number) => void} onSelect
 */
export function drawLabels(trace, tapes, left, end, onSelect) {
  return tapes.map((tape, row) => {
    const { persistent, symbolic } = trace.tapes[tape];
    const label = shorten(tapeName(trace, tape), left > 0 ? 14 : 7);
    const name = svg("text", { class: "lane-name", x: left, y: row * LANE + 15.5, text: label });
    // The sign says by itself that a tape is persistent; the suffix tells it from the others.
    const [suffix, kind] = [tapeSuffix(trace, tape), persistent ? t("persistent") : symbolic ? t("symbolic") : ""];
    const room = end - left - textWidth(label) - 7 - (persistent ? 22 : 0);
    const notes = [[suffix, kind].filter(Boolean).join(" "), suffix || kind, ""];
    const note = notes.find((text) => textWidth(text) <= room) ?? "";
    if (note && left > 0) name.append(svg("tspan", { class: "lane-note", dx: 7, text: note }));
    const loop =
      persistent &&
      left > 0 &&
      svg("use", {
        href: "#i-persistent",
        x: left + textWidth(`${label} ${note}`) + 22,
        y: row * LANE + 5.5,
        width: 14,
        height: 12,
      });
    const group = svg("g", { class: "lane-label" }, name, loop);
    group.addEventListener("click", () => onSelect(tape));
    return group;
  });
}
