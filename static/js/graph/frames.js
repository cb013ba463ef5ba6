/**
 * Open groups: a frame with a header. A loop shows one iteration at a time and has a stepper, and
 * the line of what it brings down.
 *
 * @typedef {import("../trace/index.js").TraceIndex} TraceIndex
 * @typedef {import("./cards.js").Card} Card
 * @typedef {import("./camera.js").Rect} Rect
 *
 * @typedef {object} DrawnFrame
 * @property {SVGGElement} root
 * @property {(position: number, selected: boolean) => void} update  position of the iteration shown
 *
 * @typedef {{ name: string, values: (number | null)[], log: boolean }} Curve
 */

import { scalarOf, shortText } from "../format.js";
import { svg } from "../dom.js";
import { t } from "../words.js";
import { sansWidth } from "./measure.js";
import { foldButton } from "./nodes.js";

const CURVE = 96;

/**
 * @param {TraceIndex} index
 * @param {number} group
 * @param {Card} card
 * @param {Rect} at
 * @returns {DrawnFrame}
 */
export function drawFrame(index, group, card, { x, y, w, h }) {
  const count = index.iterations(group).length;
  const title = sansWidth(card.title, 13, true);
  const root = svg(
    "g",
    { class: "frame", transform: `translate(${x} ${y})` },
    ...(count > 1 ? [4.5, 9].map((d) => svg("path", { class: "sheet", d: sheetEdge(w, h, d) })) : []),
    svg("rect", { class: "ring", x: -4, y: -4, width: w + 8, height: h + 8, rx: 11 }),
    svg("rect", { class: "box", width: w, height: h, rx: 8 }),
    svg("path", { class: "rule", d: `M0 38.5H${w}` }),
  );
  const button = foldButton(15, 14, "open", t("graph.fold", { name: card.title }));
  root.append(
    button,
    svg("text", { class: "type", x: 34, y: 24 }, card.title, svg("tspan", { class: "kind", dx: 9, text: card.note || card.code })),
  );
  const width = stepperWidth(count);
  const stepper = count > 1 ? drawStepper(count) : null;
  const curve = count > 1 ? drawCurve(index, group) : null;
  if (stepper) {
    const note = sansWidth(card.note, 11) + 60;
    const left = Math.max(title + note, Math.min(w / 2 - width / 2, w - width - (curve ? CURVE + 170 : 20)));
    stepper.root.setAttribute("transform", `translate(${left} 6)`);
    root.append(stepper.root);
    if (curve && w - left - width > CURVE + 130) {
      curve.root.setAttribute("transform", `translate(${w - CURVE - 62} 8)`);
      root.append(curve.root);
    }
  }
  return {
    root,
    update(position, selected) {
      root.setAttribute("class", selected ? "frame selected" : "frame");
      stepper?.update(position);
      curve?.update(position);
    },
  };
}

/**
 * What shows of a sheet that lies behind the frame, moved by `d`: its right and lower edges.
 *
 * @param {number} w
 * @param {number} h
 * @param {number} d
 */
function sheetEdge(w, h, d) {
  return `M${w - 6} ${d}h${d - 2}a8 8 0 018 8V${h + d - 8}a8 8 0 01-8 8H${d + 8}a8 8 0 01-8-8v-6`;
}

/**
 * How wide a stepper is: its arrows stand beside its longest text.
 *
 * @param {number} count
 */
export function stepperWidth(count) {
  return Math.ceil(sansWidth(t("graph.iterationOf", { index: count, n: count }), 11, true)) + 2 * 30 + 12;
}

/** @param {number} count */
function drawStepper(count) {
  const width = stepperWidth(count);
  const text = svg("text", { class: "middle", x: width / 2, y: 18 });
  const root = svg(
    "g",
    { class: "stepper" },
    svg("rect", { class: "box", x: 0.5, y: 0.5, width: width - 1, height: 26, rx: 4 }),
    stepButton(0, "M18 8v11l-7-5.500z", "previous", t("graph.iterationPrevious")),
    stepButton(width - 30, "M12 8v11l7-5.500z", "next", t("graph.iterationNext")),
    text,
  );
  return {
    root,
    /** @param {number} position */
    update(position) {
      text.textContent = t("graph.iterationOf", { index: position + 1, n: count });
      root.querySelector("[data-act=previous]")?.setAttribute("aria-disabled", String(position <= 0));
      root.querySelector("[data-act=next]")?.setAttribute("aria-disabled", String(position >= count - 1));
    },
  };
}

/**
 * @param {number} x
 * @param {string} arrow
 * @param {string} act
 * @param {string} label
 */
function stepButton(x, arrow, act, label) {
  return svg(
    "g",
    { class: "step-button", transform: `translate(${x} 0)`, role: "button", tabindex: "0", "data-act": act, "aria-label": label },
    svg("rect", { class: "target", x: 1, y: 1, width: 28, height: 25, rx: 4 }),
    svg("path", { d: arrow }),
  );
}

/**
 * What the loop brings down: in every iteration the scalar that a gradient call differentiates.
 *
 * @param {TraceIndex} index
 * @param {number} loop
 * @returns {Curve | null}
 */
export function curveOf(index, loop) {
  const iterations = index.iterations(loop);
  const position = new Map(iterations.map((group, i) => [group, i]));
  /** @type {(number | null)[]} */
  const values = iterations.map(() => null);
  let name = "";
  for (const call of index.trace.gradients) {
    let group = call.group;
    while (group !== null && !position.has(group)) group = index.trace.groups[group].parent;
    const target = call.targets[0]?.tensor ?? null;
    if (group === null || target === null) continue;
    const scalar = scalarOf(index.trace.tensors[target]);
    if (typeof scalar !== "number") continue;
    values[/** @type {number} */ (position.get(group))] = scalar;
    name ||= index.trace.tensors[target].name ?? call.targets[0].text;
  }
  const known = values.filter((value) => value !== null);
  if (known.length < 2) return null;
  return { name, values, log: known.every((value) => value > 0) };
}

/**
 * @param {TraceIndex} index
 * @param {number} loop
 */
function drawCurve(index, loop) {
  const curve = curveOf(index, loop);
  if (curve === null) return null;
  const scaled = curve.values.map((value) => (value === null ? null : curve.log ? Math.log(value) : value));
  const known = /** @type {number[]} */ (scaled.filter((value) => value !== null));
  const [low, high] = [Math.min(...known), Math.max(...known)];
  const point = /** @param {number} i */ (i) => {
    const value = scaled[i];
    if (value === null) return null;
    const x = (i / Math.max(1, scaled.length - 1)) * CURVE;
    return { x, y: 19 - ((value - low) / (high - low || 1)) * 15 };
  };
  const path = scaled.map((_, i) => point(i)).filter((at) => at !== null)
    .map(({ x, y }, i) => `${i === 0 ? "M" : "L"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");
  const dot = svg("circle", { r: 3 });
  const number = svg("text", { class: "value", x: CURVE + 8, y: 15 });
  const root = svg(
    "g",
    { class: "curve", "aria-hidden": "true" },
    svg("text", { class: "kind end", x: -8, y: 15, text: t(curve.log ? "graph.curveLog" : "graph.curve", { name: curve.name }) }),
    svg("path", { d: path }),
    dot,
    number,
  );
  return {
    root,
    /** @param {number} position */
    update(position) {
      const at = point(position);
      const value = curve.values[position] ?? null;
      dot.setAttribute("visibility", at === null ? "hidden" : "visible");
      if (at === null || value === null) return;
      dot.setAttribute("cx", String(at.x));
      dot.setAttribute("cy", String(at.y));
      number.textContent = shortText(value, "float32");
    },
  };
}
