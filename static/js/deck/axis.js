/**
 * The time axis: ruler, lanes, gradient calls. It is laid out anew for each width and window; a
 * step only moves the playhead and the two clips, so that nothing jumps.
 *
 * @typedef {import("../trace/types.js").Trace} Trace
 * @typedef {import("../trace/index.js").TraceIndex} TraceIndex
 * @typedef {import("./lanes.js").Scale} Scale
 */

import { fill, svg } from "../dom.js";
import { t } from "../words.js";
import { GROUP_ROW, drawCalls, drawGroups } from "./calls.js";
import { causes } from "./cause.js";
import { drawCells } from "./cells.js";
import { BAR, LANE, drawLabels, drawLanes, edge, tapesIn, textWidth } from "./lanes.js";
import { BASE, drawTicks, round, tickKind, tickPath } from "./ticks.js";
import { viewAt } from "./view.js";

/** Below these widths the names beside the lanes have less room, and none for notes. */
const MEDIUM = 720;
const NARROW = 440;
const RIGHT = 14;
/** The least distance of two steps on the ruler. */
const LEAST_PITCH = 7;
const MOST_PITCH = 64;

/**
 * @param {{ cells: HTMLElement, ruler: HTMLElement, lanes: HTMLElement }} nodes
 * @param {{ seek: (step: number) => void, select: (kind: "tape" | "call" | "group", id: number) => void }} actions
 */
export function createAxis(nodes, actions) {
  /** @type {ReturnType<typeof layOut> | null} */
  let drawn = null;
  let key = "";

  /**
   * @param {Trace} trace
   * @param {TraceIndex} index
   * @param {number} step
   * @param {number} width
   * @param {string} variant  anything else that the drawing depends on
   */
  function draw(trace, index, step, width, variant) {
    const area = areaOf(width);
    const view = viewAt(trace, step, Math.max(8, Math.floor(area.width / LEAST_PITCH)));
    const { from, to } = view.window;
    const wanted = [variant, width, from, to, view.levels.map((level) => level.current)].join("|");
    if (wanted !== key || drawn === null || drawn.trace !== trace) {
      drawn = layOut(nodes, actions, { trace, index, view, scale: scaleOf(area, from, to, view.levels.length > 0) });
      key = wanted;
    }
    drawn.update(step);
    return drawn.scale;
  }

  return { draw, scale: () => drawn?.scale ?? null };
}

/** @param {number} width */
function areaOf(width) {
  const left = width < NARROW ? 54 : width < MEDIUM ? 88 : 136;
  return { left, width: Math.max(width - left - RIGHT, 40) };
}

/**
 * @param {{ left: number, width: number }} area
 * @param {number} from
 * @param {number} to
 * @param {boolean} opened  a cell of a longer run, which takes the whole width
 * @returns {Scale}
 */
function scaleOf(area, from, to, opened) {
  const pitch = Math.min(area.width / Math.max(to - from, 1), opened ? Infinity : MOST_PITCH);
  return {
    left: area.left,
    width: pitch * (to - from),
    pitch,
    window: { from, to },
    x: (step) => (step < from ? area.left : area.left + (step - from + 0.5) * pitch),
  };
}

/**
 * @param {{ cells: HTMLElement, ruler: HTMLElement, lanes: HTMLElement }} nodes
 * @param {Parameters<typeof createAxis>[1]} actions
 * @param {{ trace: Trace, index: TraceIndex, view: import("./view.js").View, scale: Scale }} what
 */
function layOut(nodes, actions, { trace, index, view, scale }) {
  const total = scale.left + scale.width + RIGHT;
  const area = { left: scale.left, width: Math.max(scale.width, 1) };
  const cells = drawCells(trace, view.levels, area, actions.seek);
  const ruler = drawRuler(trace, scale, total);
  const tapes = tapesIn(trace, index, scale.window);
  const lanes = drawLaneRows(trace, index, tapes, scale, total, actions);
  const below = drawBelow(trace, index, scale, total, actions);
  fill(nodes.cells, view.levels.length > 0 && cells.node);
  fill(nodes.ruler, ruler.node);
  const scroller = document.createElement("div");
  scroller.className = "lane-rows";
  scroller.append(lanes.node);
  fill(nodes.lanes, scroller, below.node);
  return {
    trace,
    scale,
    /** @param {number} step */
    update(step) {
      cells.update(step);
      ruler.update(step);
      lanes.update(step);
      below.update(step);
      keepInView(scroller, trace, tapes, step);
    },
  };
}

/**
 * @param {HTMLElement} scroller
 * @param {Trace} trace
 * @param {readonly number[]} tapes
 * @param {number} step
 */
function keepInView(scroller, trace, tapes, step) {
  const event = trace.events[step];
  if (tapes.length <= 5 || !event || !("tape" in event)) return;
  const top = tapes.indexOf(event.tape) * LANE;
  if (top < scroller.scrollTop) scroller.scrollTop = top;
  else if (top + LANE > scroller.scrollTop + scroller.clientHeight)
    scroller.scrollTop = top + LANE - scroller.clientHeight;
}

let clips = 0;

/**
 * Two layers of the same drawing, one for what has happened and one for what is to come, and the
 * function that moves the border between them.
 *
 * @param {number} total
 * @param {number} height
 * @param {SVGElement[]} past
 * @param {SVGElement[]} future
 */
function twoLayers(total, height, past, future) {
  clips += 1;
  const left = svg("rect", { x: -20, y: -20, height: height + 40, width: 0 });
  const right = svg("rect", { x: 0, y: -20, height: height + 40, width: total + 20 });
  const names = [`clip-past-${clips}`, `clip-future-${clips}`];
  const group = svg(
    "g",
    {},
    svg("clipPath", { id: names[0] }, left),
    svg("clipPath", { id: names[1] }, right),
    svg("g", { class: "later", "clip-path": `url(#${names[1]})` }, ...future),
    svg("g", { class: "past", "clip-path": `url(#${names[0]})` }, ...past),
  );
  return {
    group,
    /** @param {number} x */
    move(x) {
      left.setAttribute("width", String(round(Math.max(x + 20, 0))));
      right.setAttribute("x", String(round(x)));
    },
  };
}

/**
 * @param {number} from
 * @param {number} height
 */
function headLine(from, height) {
  return svg("path", { class: "head-line", d: `M0 ${from}V${height}` });
}

/**
 * @param {Trace} trace
 * @param {Scale} scale
 * @param {number} total
 */
function drawRuler(trace, scale, total) {
  const height = 58;
  const end = scale.left + scale.width;
  const layers = twoLayers(
    total,
    height,
    drawTicks(trace, scale.window, scale.x, scale.pitch),
    drawTicks(trace, scale.window, scale.x, scale.pitch),
  );
  const done = svg("path", { class: "base done" });
  const here = svg("path", { class: "tick" });
  const flag = svg("g", { class: "flag" });
  const line = headLine(14, height);
  const node = svg("svg", { class: "axis-part", width: total, height });
  if (scale.left > 80) {
    node.append(
      svg("text", { class: "direction", x: scale.left - 14, y: 30, text: t("axis.forwards") }),
      svg("text", { class: "direction", x: scale.left - 14, y: 50, text: t("axis.backwards") }),
    );
  }
  node.append(
    svg("path", { class: "base", d: `M${scale.left} ${BASE}H${end}` }),
    done,
    layers.group,
    here,
    line,
    flag,
  );
  return {
    node,
    /** @param {number} step */
    update(step) {
      const x = round(scale.x(step));
      layers.move(x + 0.1);
      done.setAttribute("d", `M${scale.left} ${BASE}H${x}`);
      line.setAttribute("transform", `translate(${x} 0)`);
      drawFlag(flag, step, x);
      if (step < 0) return here.removeAttribute("d");
      const kind = tickKind(trace, step);
      here.setAttribute("class", `tick here ${kind}`);
      here.setAttribute("d", tickPath(kind, x, BASE, Math.min(6, scale.pitch * 0.6)));
    },
  };
}

/**
 * @param {SVGGElement} flag
 * @param {number} step
 * @param {number} x
 */
function drawFlag(flag, step, x) {
  const text = step < 0 ? "–" : String(step);
  const half = Math.max(11, text.length * 3.5 + 6);
  flag.setAttribute("transform", `translate(${x} 0)`);
  const d = `M${-half} 2a2 2 0 012-2h${2 * half - 4}a2 2 0 012 2v11h${5 - half}l-5 5-5-5h${5 - half}z`;
  if (flag.textContent === text) return;
  const ring = svg("rect", {
    class: "focus",
    x: -half - 4,
    y: -4,
    width: 2 * half + 8,
    height: 21,
    rx: 4,
  });
  flag.replaceChildren(
    ring,
    svg("path", { class: "knob", d }),
    svg("text", { class: "knob-text", y: 11, text }),
  );
}

/**
 * @param {Trace} trace
 * @param {TraceIndex} index
 * @param {readonly number[]} tapes
 * @param {Scale} scale
 * @param {number} total
 * @param {Parameters<typeof createAxis>[1]} actions
 */
function drawLaneRows(trace, index, tapes, scale, total, actions) {
  const height = tapes.length * LANE;
  const layers = twoLayers(
    total,
    height,
    drawLanes(trace, index, tapes, scale, false),
    drawLanes(trace, index, tapes, scale, true),
  );
  const line = headLine(0, height);
  const names = drawLabels(trace, tapes, scale.left < 80 ? 0 : 16, scale.left - 8, (tape) =>
    actions.select("tape", tape),
  );
  const node = svg(
    "svg",
    { class: "axis-part", width: total, height },
    grid(scale, height),
    layers.group,
    ...names,
    line,
  );
  return { node, update: mover(scale, layers, line) };
}

/**
 * @param {Scale} scale
 * @param {{ move: (x: number) => void }} layers
 * @param {SVGPathElement} line
 */
function mover(scale, layers, line) {
  return (/** @type {number} */ step) => {
    const x = round(scale.x(step));
    layers.move(x);
    line.setAttribute("transform", `translate(${x} 0)`);
  };
}

/**
 * @param {Scale} scale
 * @param {number} height
 */
function grid(scale, height) {
  if (scale.pitch < 14) return svg("path", { class: "grid" });
  let d = "";
  for (let step = scale.window.from; step < scale.window.to; step += 1)
    d += `M${round(scale.x(step))} -4V${height}`;
  return svg("path", { class: "grid", d });
}

/**
 * Gradient calls, groups and the links from effects to causes.
 *
 * @param {Trace} trace
 * @param {TraceIndex} index
 * @param {Scale} scale
 * @param {number} total
 * @param {Parameters<typeof createAxis>[1]} actions
 */
function drawBelow(trace, index, scale, total, actions) {
  const wide = scale.left > 80;
  const calls = drawCalls(trace, scale, (call) => actions.select("call", call));
  const hasCalls = calls.layer.childNodes.length > 0;
  const groups = wide ? drawGroups(trace, scale, (group) => actions.select("group", group)) : [];
  const rows = (hasCalls ? LANE : 0) + groups.length * GROUP_ROW;
  const links = wide ? drawLinks(trace, index, scale, Math.max(rows, LANE)) : null;
  const height = links ? Math.max(rows, LANE) + 18 : rows;
  const line = headLine(0, height);
  const node = svg(
    "svg",
    { class: "axis-part", width: total, height },
    grid(scale, rows),
    calls.layer,
  );
  if (hasCalls && scale.left > 120)
    node.append(svg("text", { class: "lane-name", x: 16, y: 15.5, text: t("axis.calls") }));
  groups.forEach((group, row) => {
    const y = (hasCalls ? LANE : 0) + row * GROUP_ROW;
    group.setAttribute("transform", `translate(0 ${y})`);
    node.append(
      group,
      svg("text", {
        class: "direction",
        x: scale.left - 14,
        y: y + 13.5,
        text: t(row === 0 ? "axis.groups" : "axis.within"),
      }),
    );
  });
  if (links) node.append(links.layer);
  node.append(line);
  return {
    node,
    /** @param {number} step */
    update(step) {
      calls.update(step);
      links?.update(step);
      line.setAttribute("transform", `translate(${round(scale.x(step))} 0)`);
    },
  };
}

/**
 * Each link stands under the lanes and the groups: an elbow from the effect back to its cause, and
 * the sentence.
 *
 * @param {Trace} trace
 * @param {TraceIndex} index
 * @param {Scale} scale
 * @param {number} below  where the rows above it end
 */
function drawLinks(trace, index, scale, below) {
  const { from, to } = scale.window;
  const links = causes(trace, index).filter((link) => link.effect >= from && link.effect < to);
  if (links.length === 0) return null;
  const layer = svg("g", { class: "links" });
  const link = links[links.length - 1];
  const x0 = round(edge(scale, link.cause) + (link.cause >= from ? 8 : 0));
  const x1 = round(scale.x(link.effect));
  const y = below + 8;
  const arrow = link.cause >= from ? `M${x0} ${y}V2M${x0 - 3} 7l3-5 3 5` : "";
  layer.append(svg("path", { class: "why", d: `M${x1} ${BAR + 2}V${y}H${x0}${arrow}` }));
  const before = x0 - 8 - textWidth(link.text) > scale.left;
  layer.append(
    svg("text", {
      class: before ? "why-text before" : "why-text",
      x: before ? x0 - 6 : x0 + 8,
      y: before ? y + 4 : y + 12,
      text: link.text,
    }),
  );
  return {
    layer,
    /** @param {number} step */
    update: (step) => layer.classList.toggle("hidden", step < link.effect),
  };
}
