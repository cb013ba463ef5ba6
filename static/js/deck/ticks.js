/**
 * The ruler: what each step is, as a shape. Forward steps stand up, backward steps hang down.
 *
 * @typedef {import("../trace/types.js").Trace} Trace
 * @typedef {"tape" | "read" | "op" | "missed" | "back" | "sum" | "begin" | "end" | "trace" | "traced" | "python" | "error"} TickKind
 */

import { svg } from "../dom.js";

/** Height of the ruler's base line within the ruler. */
export const BASE = 36;

/** In this order they are drawn and explained. @type {readonly TickKind[]} */
export const KINDS = [
  "read",
  "op",
  "missed",
  "python",
  "back",
  "begin",
  "end",
  "sum",
  "trace",
  "traced",
  "tape",
  "error",
];

/**
 * @param {Trace} trace
 * @param {number} step
 * @returns {TickKind}
 */
export function tickKind(trace, step) {
  const event = trace.events[step];
  switch (event.kind) {
    case "tape":
      return "tape";
    case "op": {
      const op = trace.ops[event.op];
      if (op.error !== undefined && op.error !== null) return "error";
      if (op.bookkeeping) return "read";
      return (op.recorded_by ?? []).length > 0 ? "op" : "missed";
    }
    case "rewind":
      return "back";
    case "sum":
      return "sum";
    case "gradient_begin":
      return "begin";
    case "gradient_end":
      return "end";
    case "exit":
    case "print":
      return "python";
    case "error":
      return "error";
    case "trace":
      return event.phase === "begun" ? "trace" : event.phase === "ended" ? "traced" : "error";
    default:
      return "read";
  }
}

/**
 * The outline of one tick around `x`, for a base line at `y`.
 *
 * @param {TickKind} kind
 * @param {number} x
 * @param {number} y
 * @param {number} [reach]  how far a bracket reaches inwards
 */
export function tickPath(kind, x, y, reach = 6) {
  switch (kind) {
    case "tape":
      return `M${x} ${y - 6}l6 6-6 6-6-6z`;
    case "read":
      return `M${x} ${y - 8}V${y}`;
    case "op":
    case "missed":
      return `M${x} ${y - 15}V${y}`;
    case "back":
      return `M${x} ${y}V${y + 15}`;
    case "sum":
      return `M${x} ${y}V${y + 15}M${x - 5} ${y + 8}h10`;
    case "begin":
      return `M${x + reach} ${y + 15}H${x}V${y}`;
    case "end":
      return `M${x - reach} ${y + 15}H${x}V${y}`;
    case "trace":
      return `M${x + reach} ${y - 15}H${x}V${y}`;
    case "traced":
      return `M${x - reach} ${y - 15}H${x}V${y}`;
    case "python":
      return `M${x} ${y - 11}V${y + 11}`;
    default:
      return `M${x - 3} ${y - 7}h6l4 4v6l-4 4h-6l-4-4v-6z`;
  }
}

/**
 * All ticks of a window, one path a kind.
 *
 * @param {Trace} trace
 * @param {import("./view.js").Range} window
 * @param {(step: number) => number} x
 * @param {number} pitch  distance between two steps
 */
export function drawTicks(trace, window, x, pitch) {
  /** @type {Map<TickKind, string[]>} */
  const paths = new Map();
  for (let step = window.from; step < window.to; step += 1) {
    const kind = tickKind(trace, step);
    const list = paths.get(kind) ?? [];
    list.push(tickPath(kind, round(x(step)), BASE, Math.min(6, pitch * 0.6)));
    paths.set(kind, list);
  }
  return KINDS.filter((kind) => paths.has(kind)).map((kind) =>
    svg("path", { class: `tick ${kind}`, d: /** @type {string[]} */ (paths.get(kind)).join("") }),
  );
}

/** @param {number} x */
export function round(x) {
  return Math.round(x * 10) / 10;
}
