/**
 * The drawn graph: what is in view as SVG elements, kept while they stay in view.
 *
 * @typedef {import("../trace/index.js").TraceIndex} TraceIndex
 * @typedef {import("../state.js").Selection} Selection
 * @typedef {import("./model.js").GraphModel} GraphModel
 * @typedef {import("./cards.js").Card} Card
 * @typedef {import("./layout.js").LayoutResult} LayoutResult
 * @typedef {import("./camera.js").Rect} Rect
 * @typedef {import("./nodes.js").Drawn} Drawn
 * @typedef {import("./edges.js").DrawnEdge} DrawnEdge
 * @typedef {import("./bands.js").Labelled} Labelled
 *
 * @typedef {object} Plan  all that one layout consists of
 * @property {TraceIndex} index
 * @property {GraphModel} model
 * @property {readonly Card[]} cards
 * @property {LayoutResult} layout
 * @property {"down" | "right"} direction
 *
 * @typedef {{ step: number, selection: Selection | null, search: string, shown: (loop: number) => number }} Shown
 */

import { svg } from "../dom.js";
import { labelOf } from "./aria.js";
import { bandWords, labelledBands } from "./bands.js";
import { touches } from "./camera.js";
import { cutBox } from "./cards.js";
import { cutText, isAtTarget } from "./cuts.js";
import { cutLabel, drawCut, drawEdge } from "./edges.js";
import { drawFrame } from "./frames.js";
import { edgeLook, momentAt, nodeLook } from "./look.js";
import { sansWidth } from "./measure.js";
import { isHit, isSelected } from "./marks.js";
import { drawNode } from "./nodes.js";
import { boundsOf } from "./routes.js";

/** Below this scale a node is too small to read: all are one path. */
export const FAR = 0.25;

export class Scene {
  constructor() {
    this.far = svg("g", { class: "far" });
    this.frames = svg("g");
    this.bands = svg("g");
    this.lines = svg("g");
    this.labels = svg("g");
    this.nodes = svg("g", { class: "nodes" });
    this.tops = svg("g", { class: "tops" });
    this.near = svg("g", {}, this.bands, this.lines, this.labels, this.frames, this.nodes, this.tops);
    this.root = svg("g", { class: "world" }, this.far, this.near);
    /** @type {Plan | null} */
    this.plan = null;
    /** @type {Map<number, Drawn>} */
    this.drawn = new Map();
    /** @type {Map<number, DrawnEdge>} */
    this.drawnEdges = new Map();
    /** @type {Map<number, ReturnType<typeof drawFrame>>} */
    this.drawnFrames = new Map();
    /** @type {(Labelled & { element: SVGGElement, label: SVGGElement })[]} */
    this.drawnBands = [];
    /** @type {Rect[]} */
    this.edgeBounds = [];
    this.isFar = false;
    /** @type {Rect | null} what was looked at last */
    this.covered = null;
  }

  /** @param {Plan | null} plan */
  show(plan) {
    this.plan = plan;
    this.covered = null;
    for (const layer of [this.far, this.frames, this.bands, this.lines, this.labels, this.nodes, this.tops]) layer.replaceChildren();
    for (const map of [this.drawn, this.drawnEdges, this.drawnFrames]) map.clear();
    this.drawnBands = [];
    if (!plan) return;
    this.edgeBounds = plan.layout.edges.map(({ points }) => boundsOf(points));
    this.drawBands(plan);
    this.drawFar(plan);
  }

  /** @param {Plan} plan */
  drawBands({ index, model, layout }) {
    this.drawnBands = labelledBands(index, model, layout).map((band) => {
      const { x, y, w, h, tape, labelX, labelY } = band;
      const label = svg(
        "g",
        { class: "band-label" },
        svg("use", { x: labelX, y: labelY, width: 10, height: 10 }),
        svg("text", { x: labelX + 16, y: labelY + 9 }),
        index.trace.tapes[tape].persistent && svg("use", { class: "persistent", href: "#i-persistent", y: labelY - 1, width: 16, height: 12 }),
      );
      const element = svg(
        "g",
        { class: "band" },
        svg("rect", { class: "fill", x, y, width: w, height: h, rx: 8 }),
        svg("rect", { class: "edge-line", x: x + 0.5, y: y + 0.5, width: w - 1, height: h - 1, rx: 8 }),
      );
      element.dataset.tape = String(tape);
      label.dataset.tape = String(tape);
      this.bands.append(element);
      this.labels.append(label);
      return { ...band, element, label };
    });
  }

  /** @param {Plan} plan */
  drawFar({ model, layout }) {
    const boxes = layout.nodes.map(({ x, y, w, h }, id) => {
      return model.nodes[id].kind === "frame" ? "" : `M${x} ${y}h${w}v${h}h${-w}z`;
    });
    const lines = layout.edges.map(({ points }) => {
      const [first, last] = [points[0], points[points.length - 1]];
      return `M${first[0]} ${first[1]}L${last[0]} ${last[1]}`;
    });
    this.farNow = svg("rect", { class: "now" });
    this.far.append(
      svg("path", { class: "lines", d: lines.join("") }),
      svg("path", { class: "boxes", d: boxes.join("") }),
      this.farNow,
    );
  }

  /**
   * Whether a part of the graph is not drawn yet.
   *
   * @param {Rect} view
   * @param {number} scale
   */
  needsLook(view, scale) {
    if (this.covered === null || this.isFar !== scale < FAR) return true;
    if (this.isFar) return false;
    const { x, y, w, h } = this.covered;
    const inside = view.x >= x && view.y >= y && view.x + view.w <= x + w && view.y + view.h <= y + h;
    // Zoomed in far, most of what was drawn is out of view by now.
    return !inside || view.w * 4 < w;
  }

  /**
   * Draws what touches a part of the graph, and forgets the rest.
   *
   * @param {Rect} view
   * @param {number} scale
   */
  look(view, scale) {
    if (!this.plan) return;
    this.isFar = scale < FAR;
    this.covered = view;
    this.far.classList.toggle("empty", !this.isFar);
    this.near.classList.toggle("empty", this.isFar);
    if (this.isFar) return;
    this.lookAtNodes(this.plan, view);
    this.lookAtEdges(this.plan, view);
  }

  /**
   * @param {Plan} plan
   * @param {Rect} view
   */
  lookAtNodes({ index, model, cards, layout, direction }, view) {
    const seen = layout.nodes.map((box) => touches(box, view));
    for (const [id, { root }] of [...this.drawn, ...this.drawnFrames]) {
      if (seen[id]) continue;
      if (root.contains(document.activeElement)) continue;
      root.remove();
      this.drawn.delete(id);
      this.drawnFrames.delete(id);
    }
    // In the order that they ran, so that the Tab key follows it.
    let next = this.nodes.firstElementChild;
    let nextFrame = this.frames.firstElementChild;
    model.nodes.forEach((node, id) => {
      const known = this.drawn.get(id)?.root ?? this.drawnFrames.get(id)?.root;
      if (known) {
        if (known === next) next = known.nextElementSibling;
        if (known === nextFrame) nextFrame = known.nextElementSibling;
        return;
      }
      if (!seen[id]) return;
      if (node.kind === "frame") {
        const frame = drawFrame(index, node.group, cards[id], layout.nodes[id]);
        frame.root.dataset.node = String(id);
        this.drawnFrames.set(id, frame);
        this.frames.insertBefore(frame.root, nextFrame);
        return;
      }
      const drawn = drawNode(node, cards[id], layout.nodes[id], direction);
      drawn.root.dataset.node = String(id);
      this.drawn.set(id, drawn);
      this.nodes.insertBefore(drawn.root, next);
    });
  }

  /**
   * @param {Plan} plan
   * @param {Rect} view
   */
  lookAtEdges(plan, view) {
    const { layout, model } = plan;
    for (const [id, { root, top }] of this.drawnEdges) {
      if (touches(this.edgeBounds[id], view)) continue;
      root.remove();
      top.remove();
      this.drawnEdges.delete(id);
    }
    layout.edges.forEach((_, id) => {
      if (this.drawnEdges.has(id) || !touches(this.edgeBounds[id], view)) return;
      const drawn = this.drawEdge(plan, id);
      drawn.root.dataset.edge = `${model.edges[id].from}-${model.edges[id].to}`;
      this.drawnEdges.set(id, drawn);
      this.lines.append(drawn.root);
      this.tops.append(drawn.top);
    });
  }

  /**
   * @param {Plan} plan
   * @param {number} id
   * @returns {DrawnEdge}
   */
  drawEdge({ index, model, layout, direction }, id) {
    const edge = model.edges[id];
    const { points, label } = layout.edges[id];
    const down = direction === "down";
    const { cut } = edge;
    if (cut === null) return drawEdge(points, label, down, edge.kind === "target");
    const text = cutText(index, cut);
    const size = cutBox(text);
    if (!isAtTarget(cut)) return drawCut(points, down, text, size);
    const box = layout.nodes[edge.to];
    const whole = cut.reason === "no_path" || model.nodes[edge.to].calls.some((call) => index.trace.gradients[call].results.some(({ tensor }) => tensor !== null));
    const drawn = whole ? drawEdge(points, label, down, true) : drawCut(points, down, null, size);
    const x = down ? box.x + box.w / 2 - size.w / 2 : box.x + 14;
    drawn.top.append(cutLabel(x, down ? box.y + 56 : box.y + box.h / 2 + 22, size, text, "top"));
    return drawn;
  }

  /**
   * Gives everything drawn its look at a step.
   *
   * @param {Shown} shown
   */
  update({ step, selection, search, shown }) {
    if (!this.plan) return;
    const { index, model, cards, layout } = this.plan;
    const moment = momentAt(index, step);
    const query = search.trim().toLowerCase();
    this.updateFar(moment.op === null ? -1 : (model.nodeOfOp.get(moment.op) ?? -1), layout);
    if (this.isFar) return;
    for (const [id, { update }] of this.drawn) {
      const look = nodeLook(moment, model, id);
      update(look, {
        selected: isSelected(index, model.nodes[id], selection),
        hit: isHit(cards[id], query),
        label: labelOf(model.nodes[id], cards[id], look),
      });
    }
    for (const [id, { update }] of this.drawnEdges) update(edgeLook(moment, model, model.edges[id]));
    for (const [id, { update }] of this.drawnFrames) {
      const { group } = model.nodes[id];
      const loop = index.trace.groups[group].kind === "loop";
      update(loop ? shown(group) : 0, isSelected(index, model.nodes[id], selection));
    }
    this.updateBands(index, step, selection);
  }

  /**
   * @param {number} node
   * @param {LayoutResult} layout
   */
  updateFar(node, layout) {
    this.farNow?.classList.toggle("empty", node < 0);
    if (node < 0 || !this.farNow) return;
    const { x, y, w, h } = layout.nodes[node];
    for (const [name, value] of Object.entries({ x, y, width: w, height: h })) this.farNow.setAttribute(name, String(value));
  }

  /**
   * @param {TraceIndex} index
   * @param {number} step
   * @param {Selection | null} selection
   */
  updateBands(index, step, selection) {
    for (const { tape, element, label, labelX } of this.drawnBands) {
      const state = index.tapeStateAt(tape, step) ?? "none";
      const selected = selection?.kind === "tape" && selection.id === tape;
      const name = `${state}${selected ? " selected" : ""}`;
      element.setAttribute("class", `band ${name}`);
      label.setAttribute("class", `band-label ${name}`);
      if (state === "none") continue;
      const [icon, text] = [label.querySelector("use"), label.querySelector("text")];
      icon?.setAttribute("href", `#i-${state}`);
      const words = bandWords(index, tape, state);
      if (text && text.textContent !== words) text.textContent = words;
      const sign = label.querySelector(".persistent");
      sign?.setAttribute("x", String(labelX + 22 + sansWidth(words, 11, true)));
    }
  }
}
