/**
 * Marks, lines and hints as CodeMirror decorations of the text as it stands.
 *
 * @typedef {import("../trace/index.js").TraceIndex} TraceIndex
 * @typedef {import("../../vendor/codemirror.js").EditorState} EditorState
 */

import {
  Decoration,
  EditorView,
  GutterMarker,
  RangeSet,
  StateEffect,
  StateField,
  WidgetType,
  gutter,
  gutterLineClass,
} from "../../vendor/codemirror.js";
import { unitsOf } from "../source.js";
import { hintsAt } from "./hints.js";
import { marginAt } from "./margin.js";
import { currentLine, marksAt } from "./marks.js";

/**
 * What the editor shows of a step: the trace and the step, null where the text is another one.
 *
 * @type {import("../../vendor/codemirror.js").StateEffectType<{ index: TraceIndex, step: number } | null>}
 */
export const showStep = StateEffect.define();

class Hint extends WidgetType {
  /**
   * @param {string} text
   * @param {number} taken  columns of the line that its code takes
   */
  constructor(text, taken) {
    super();
    this.text = text;
    this.taken = taken;
  }

  /** @param {Hint} other */
  eq(other) {
    return other.text === this.text && other.taken === this.taken;
  }

  toDOM() {
    const node = document.createElement("span");
    node.className = "hint";
    node.setAttribute("aria-hidden", "true");
    // Drawn by CSS from the attribute: what is selected and copied is the code alone.
    node.dataset.text = this.text;
    node.style.setProperty("--taken", String(this.taken));
    return node;
  }
}

class TapeMarker extends GutterMarker {
  /** @param {string} state */
  constructor(state) {
    super();
    this.state = state;
    this.elementClass = `tape-margin ${state}`;
  }

  /** @param {TapeMarker} other */
  eq(other) {
    return other.state === this.state;
  }
}

/**
 * @param {EditorState} state
 * @param {TraceIndex} index
 * @param {number} step
 */
function decorate(state, index, step) {
  const { doc } = state;
  const ranges = [];
  const current = currentLine(index, step);
  const marks = marksAt(index, step);
  const bad = badLines(index, step);
  if (current !== null && current <= doc.lines && !bad.has(current))
    ranges.push(Decoration.line({ class: "line-now" }).range(doc.line(current).from));
  for (const line of bad)
    if (line <= doc.lines)
      ranges.push(Decoration.line({ class: "line-bad" }).range(doc.line(line).from));
  for (const { place, tone, head } of marks) {
    const range = rangeOf(state, index.trace.places[place], head);
    if (range) ranges.push(Decoration.mark({ class: `mark ${tone}` }).range(range.from, range.to));
  }
  for (const [line, text] of hintsAt(index, step)) {
    if (line > doc.lines) continue;
    const { text: written, to } = doc.line(line);
    ranges.push(Decoration.widget({ widget: new Hint(text, columnsOf(written)), side: 1 }).range(to));
  }
  return Decoration.set(ranges, true);
}

/**
 * About how many columns a line takes: letters of East Asia take two.
 *
 * @param {string} text
 */
function columnsOf(text) {
  let columns = 0;
  for (const character of text) columns += character === "\t" ? 4 : character < "\u1100" ? 1 : 2;
  return columns;
}

/**
 * A place as positions of the document; an empty one (a syntax error at a line's end) is widened
 * to the character before it.
 *
 * @param {EditorState} state
 * @param {import("../trace/types.js").Place} place
 * @param {boolean} head  only its first line
 */
export function rangeOf({ doc }, place, head) {
  if (place.line > doc.lines) return null;
  const first = doc.line(place.line);
  const last = doc.line(Math.min(Math.max(place.end_line, place.line), doc.lines));
  let from = first.from + unitsOf(first.text, place.column);
  const end =
    head && last.number > first.number
      ? first.to
      : last.from + unitsOf(last.text, place.end_column);
  const to = Math.max(end, from);
  if (from === to) from = Math.max(first.from, from - 1);
  return from < to ? { from, to } : null;
}

/**
 * @param {EditorState} state
 * @param {TraceIndex} index
 * @param {number} step
 */
function margins(state, index, step) {
  const ranges = [...marginAt(index, step)]
    .filter(([line]) => line <= state.doc.lines)
    .map(([line, tape]) => new TapeMarker(tape).range(state.doc.line(line).from));
  return RangeSet.of(ranges, true);
}

class LineMarker extends GutterMarker {
  /** @param {string} name */
  constructor(name) {
    super();
    this.elementClass = name;
  }
}

const nowMarker = new LineMarker("line-now");
const badMarker = new LineMarker("line-bad");

/**
 * The lines that are lit as a whole, gutters included.
 *
 * @param {EditorState} state
 * @param {TraceIndex} index
 * @param {number} step
 */
function litLines({ doc }, index, step) {
  const bad = badLines(index, step);
  const current = currentLine(index, step);
  const ranges = [...bad]
    .filter((line) => line <= doc.lines)
    .map((line) => badMarker.range(doc.line(line).from));
  if (current !== null && current <= doc.lines && !bad.has(current))
    ranges.push(nowMarker.range(doc.line(current).from));
  return RangeSet.of(ranges, true);
}

/**
 * @param {TraceIndex} index
 * @param {number} step
 */
function badLines(index, step) {
  const broken = marksAt(index, step).filter(({ tone }) => tone === "break");
  return new Set(broken.map(({ place }) => index.trace.places[place].line));
}

/**
 * @typedef {object} Shown
 * @property {import("../../vendor/codemirror.js").DecorationSet} marks
 * @property {RangeSet<GutterMarker>} tapes
 * @property {RangeSet<GutterMarker>} lines
 */

/** @type {Shown} */
const NOTHING = { marks: Decoration.none, tapes: RangeSet.empty, lines: RangeSet.empty };

/**
 * @param {EditorState} state
 * @param {TraceIndex} index
 * @param {number} step
 * @returns {Shown}
 */
function shownAt(state, index, step) {
  return {
    marks: decorate(state, index, step),
    tapes: margins(state, index, step),
    lines: litLines(state, index, step),
  };
}

/** @type {StateField<Shown>} */
const shown = StateField.define({
  create: () => NOTHING,
  update(value, transaction) {
    let next = value;
    if (transaction.docChanged) next = NOTHING;
    for (const effect of transaction.effects) {
      if (!effect.is(showStep)) continue;
      const what = effect.value;
      if (what === null) next = NOTHING;
      else next = shownAt(transaction.state, what.index, what.step);
    }
    return next;
  },
  provide: (field) => [
    EditorView.decorations.from(field, (value) => value.marks),
    gutterLineClass.from(field, (value) => value.lines),
  ],
});

/** The extensions that show a step. */
export const stepDisplay = [
  shown,
  gutter({ class: "tape-gutter", markers: (view) => view.state.field(shown).tapes }),
];
