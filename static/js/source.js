/**
 * Places of a trace as text of the snippet. Columns of a place are code points, those of a
 * JavaScript string are UTF-16 units: all that cuts text goes through here.
 *
 * @typedef {import("./trace/types.js").Trace} Trace
 * @typedef {import("./trace/types.js").Place} Place
 */

/** @type {WeakMap<Trace, string[]>} */
const linesOf = new WeakMap();

/**
 * The snippet's lines.
 *
 * @param {Trace} trace
 * @returns {string[]}
 */
export function sourceLines(trace) {
  let lines = linesOf.get(trace);
  if (lines === undefined) {
    lines = trace.snippet.text.split(/\r\n|\r|\n/);
    linesOf.set(trace, lines);
  }
  return lines;
}

/**
 * The UTF-16 index of a column in code points.
 *
 * @param {string} line
 * @param {number} column
 */
export function unitsOf(line, column) {
  let units = 0;
  let left = column;
  for (const character of line) {
    if (left === 0) break;
    units += character.length;
    left -= 1;
  }
  return units;
}

/**
 * @param {Trace} trace
 * @param {number | null | undefined} id
 * @returns {Place | null}
 */
export function placeOf(trace, id) {
  return id === null || id === undefined ? null : (trace.places[id] ?? null);
}

/**
 * The line of a place, null without one.
 *
 * @param {Trace} trace
 * @param {number | null | undefined} id
 */
export function lineOf(trace, id) {
  return placeOf(trace, id)?.line ?? null;
}

/**
 * The text at a place, on one line.
 *
 * @param {Trace} trace
 * @param {number | null | undefined} id
 * @param {number} [longest]  in characters; what is more becomes `…`
 */
export function textAt(trace, id, longest = 60) {
  const place = placeOf(trace, id);
  if (!place) return "";
  const lines = sourceLines(trace).slice(place.line - 1, place.end_line);
  if (lines.length === 0) return "";
  const last = lines.length - 1;
  lines[last] = lines[last].slice(0, unitsOf(lines[last], place.end_column));
  lines[0] = lines[0].slice(unitsOf(lines[0], place.column));
  const text = lines.map((line) => line.trim()).join(" ");
  return shorten(text, longest);
}

/**
 * @param {string} text
 * @param {number} longest
 */
export function shorten(text, longest) {
  const characters = [...text];
  return characters.length <= longest ? text : `${characters.slice(0, longest - 1).join("")}…`;
}
