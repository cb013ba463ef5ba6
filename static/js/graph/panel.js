/**
 * The graph's panel: lays out what is to be shown, follows the step, and answers to pointer and keys.
 *
 * @typedef {import("../state.js").Store} Store
 * @typedef {import("../state.js").State} State
 * @typedef {import("../state.js").Selection} Selection
 * @typedef {import("./camera.js").Camera} Camera
 * @typedef {import("./camera.js").Rect} Rect
 */

import { el, svg } from "../dom.js";
import { t } from "../words.js";
import { centred, fitting, inView, onScreen, revealing, touches, zoomed } from "./camera.js";
import { cardsOf } from "./cards.js";
import { createLayout } from "./client.js";
import { definitions } from "./defs.js";
import { listenToGestures } from "./gestures.js";
import { nodeOf, selectionOf } from "./marks.js";
import { createMinimap } from "./minimap.js";
import { buildModel } from "./model.js";
import { graphFolded, groupFolded } from "./opening.js";
import { layoutGraphOf } from "./plan.js";
import { Scene } from "./scene.js";
import { iterationMoved, shownIterations } from "./iterations.js";

/** Drawn beyond the panel's border, in px: what a small pan brings into view is there already. */
const MARGIN = 240;
/** A graph that would have to shrink below this is shown from its beginning instead. */
const READABLE = 0.55;
const MOVE_MS = 120;
const RESHAPED = ["trace", "index", "open", "closed", "bookkeeping", "direction", "lang"];

/** @type {GraphPanel | null} */
let current = null;

/**
 * @param {HTMLElement} root
 * @param {Store} store
 */
export function createGraphPanel(root, store) {
  current = new GraphPanel(root, store);
}

export function zoomIn() {
  current?.zoom(1.25);
}

export function zoomOut() {
  current?.zoom(0.8);
}

export function fit() {
  current?.fit(true);
}

/** @param {Selection} selection */
export function focusNode(selection) {
  current?.focusNode(selection);
}

class GraphPanel {
  /**
   * @param {HTMLElement} root
   * @param {Store} store
   */
  constructor(root, store) {
    this.root = root;
    this.store = store;
    this.scene = new Scene();
    this.layout = createLayout();
    this.minimap = createMinimap((x, y) => this.centreOn(x, y));
    this.empty = el("p", { class: "graph-empty", text: t("graph.empty") });
    this.surface = svg("svg", { class: "surface", role: "group", "aria-label": t("graph.label") }, definitions(), this.scene.root);
    root.classList.add("graph-view");
    root.replaceChildren(this.surface, this.minimap.root, this.empty);
    /** @type {Camera} */
    this.camera = { x: 0, y: 0, scale: 1 };
    /** Whether the person has moved the view: until then it is fitted anew with the panel. */
    this.moved = false;
    this.animation = 0;
    /** Whether the fold button that was pressed had the focus. */
    this.focused = false;
    this.iterations = "";
    /** @type {unknown} */
    this.laidOut = null;
    /** @type {ReadonlySet<number>} */
    this.opened = new Set();
    listenToGestures(this.surface, {
      camera: () => this.camera,
      move: (camera) => this.move(camera, true),
      zoom: (factor) => this.zoom(factor),
      fit: () => this.fit(true),
      press: (target) => this.press(target),
      focus: (node) => this.reveal(node),
    });
    store.subscribe((state, changed) => this.onChange(state, changed));
    new ResizeObserver(() => this.onResize()).observe(root);
    void this.reshape(store.get());
  }

  /** The panel's size in px. */
  get view() {
    return { w: this.root.clientWidth || 1, h: this.root.clientHeight || 1 };
  }

  /**
   * @param {State} state
   * @param {Set<string>} changed
   */
  onChange(state, changed) {
    const iterations = changed.has("step") ? this.iterationKey(state) : this.iterations;
    if (RESHAPED.some((key) => changed.has(key)) || iterations !== this.iterations) {
      void this.reshape(state);
      return;
    }
    if (!["step", "selection", "search"].some((key) => changed.has(key))) return;
    this.update(state);
    if (changed.has("step")) this.follow(state);
  }

  /** @param {State} state */
  iterationKey({ index, step }) {
    if (!index) return "";
    return [...shownIterations(index, step)].join(";");
  }

  /**
   * Lays out anew what is to be shown.
   *
   * @param {State} state
   */
  async reshape(state) {
    const { index, open, closed, bookkeeping, direction, step } = state;
    this.iterations = this.iterationKey(state);
    this.surface.setAttribute("aria-label", t("graph.label"));
    this.empty.textContent = t("graph.empty");
    if (!index) {
      this.clear();
      return;
    }
    const shown = shownIterations(index, step);
    const model = buildModel(index, { open, closed, shown, bookkeeping, direction });
    const cards = cardsOf(index, model);
    const { w, h } = this.view;
    this.root.setAttribute("aria-busy", "true");
    const layout = await this.layout(layoutGraphOf(index, model, cards, direction, w / h));
    if (layout === null) return;
    this.root.removeAttribute("aria-busy");
    const anchor = this.anchor();
    this.scene.show({ index, model, cards, layout, direction });
    this.minimap.show(layout, model.nodes.map(({ kind }) => kind !== "frame"));
    this.empty.hidden = model.nodes.length > 0;
    this.settleView(index, anchor);
    if (anchor?.focused) this.refocus(anchor);
    this.root.dispatchEvent(new CustomEvent("graph-drawn", { detail: { nodes: model.nodes.length } }));
  }

  clear() {
    this.scene.show(null);
    this.empty.hidden = false;
    this.laidOut = null;
  }

  /** What stands in the middle of attention now and where, so that it stays there when folding. */
  anchor() {
    const { plan } = this.scene;
    if (!plan || this.pressed === undefined) return null;
    const node = plan.model.nodes[this.pressed];
    const box = plan.layout.nodes[this.pressed];
    if (!node) return null;
    const { index } = plan;
    // An op that opens turns into a frame, and a frame that folds into its op.
    const group = node.op < 0 ? node.group : (index.bodyOf(node.op)?.group ?? -1);
    const traced = index.trace.groups[group]?.kind === "graph";
    const op = traced ? (index.trace.groups[group].index ?? -1) : -1;
    return { group, op, x: box.x, y: box.y, focused: this.focused };
  }

  /**
   * @param {import("../trace/index.js").TraceIndex} index
   * @param {{ group: number, op: number, x: number, y: number } | null} anchor
   */
  settleView(index, anchor) {
    const { plan } = this.scene;
    const fresh = this.laidOut !== index;
    this.laidOut = index;
    const to = anchor ? this.anchored(anchor) : -1;
    const added = this.newlyOpened();
    const elsewhere = this.pressed === undefined && !fresh ? added : -1;
    this.pressed = undefined;
    if (fresh) this.moved = false;
    if (!this.moved) this.fit(false);
    else if (plan && anchor && to >= 0) {
      const { x, y } = plan.layout.nodes[to];
      const { scale } = this.camera;
      this.move({ scale, x: this.camera.x + (anchor.x - x) * scale, y: this.camera.y + (anchor.y - y) * scale }, true);
    } else this.move(this.camera, this.moved);
    if (elsewhere >= 0) this.reveal(elsewhere);
    else this.follow(this.store.get());
  }

  /** The frame of what was opened last from outside of the graph; −1: nothing was. */
  newlyOpened() {
    const { open } = this.store.get();
    const added = [...open].filter((group) => !this.opened.has(group));
    this.opened = open;
    const group = added.at(-1) ?? -1;
    return group < 0 ? -1 : (this.scene.plan?.model.nodes.findIndex((node) => node.group === group) ?? -1);
  }

  /**
   * The node that what has been pressed is drawn as now; −1: none.
   *
   * @param {{ group: number, op: number }} anchor
   */
  anchored(anchor) {
    const nodes = this.scene.plan?.model.nodes ?? [];
    return nodes.findIndex(({ group, op }) => {
      return (group >= 0 && group === anchor.group) || (op >= 0 && op === anchor.op);
    });
  }

  /**
   * Keyboards stay on the chevron that they have pressed: it stands on another node now.
   *
   * @param {{ group: number, op: number }} anchor
   */
  refocus(anchor) {
    const button = this.root.querySelector(`[data-node="${this.anchored(anchor)}"] .fold-button`);
    if (button instanceof SVGElement) button.focus({ preventScroll: true });
  }

  onResize() {
    if (!this.scene.plan) return;
    if (this.moved) this.move(this.camera, true);
    else this.fit(false);
  }

  /** @returns {Rect} */
  get world() {
    const layout = this.scene.plan?.layout;
    const bands = this.scene.drawnBands;
    const right = Math.max(layout?.w ?? 0, ...bands.map(({ x, w }) => x + w));
    const bottom = Math.max(layout?.h ?? 0, ...bands.map(({ y, h }) => y + h));
    const left = Math.min(0, ...bands.map(({ x }) => x));
    const top = Math.min(0, ...bands.map(({ y }) => y));
    return { x: left, y: top, w: right - left, h: bottom - top };
  }

  /**
   * Shows everything; where that would be too small to read and nobody asked for it, the beginning.
   *
   * @param {boolean} asked
   */
  fit(asked) {
    if (!this.scene.plan) return;
    const whole = fitting(this.world, this.view);
    if (asked || whole.scale >= READABLE) {
      this.move(whole, asked && this.moved);
      this.moved = false;
      return;
    }
    const { w, h } = this.view;
    const { x, y, w: wide, h: high } = this.world;
    const part = { x, y, w: Math.min(wide, 1200), h: Math.min(high, 700) };
    const scale = Math.max(READABLE, Math.min(0.8, fitting(part, this.view).scale));
    const middle = centred(this.world, this.view, scale);
    const first = centred(this.scene.plan.layout.nodes[0] ?? this.world, this.view, scale);
    const down = this.scene.plan.direction === "down";
    this.move({
      scale,
      x: wide * scale < w ? middle.x : Math.min(30 - x * scale, down ? first.x : Infinity),
      y: high * scale < h ? middle.y : Math.min(30 - y * scale, down ? Infinity : first.y),
    }, false);
    this.follow(this.store.get());
  }

  /** @param {number} factor */
  zoom(factor) {
    const { w, h } = this.view;
    this.move(zoomed(this.camera, factor, w / 2, h / 2), true);
  }

  /**
   * @param {Camera} camera
   * @param {boolean} byHand
   */
  move(camera, byHand) {
    cancelAnimationFrame(this.animation);
    this.moved ||= byHand;
    this.camera = camera;
    const { x, y, scale } = camera;
    this.scene.root.setAttribute("transform", `translate(${x} ${y}) scale(${scale})`);
    if (this.scene.needsLook(inView(camera, this.view, 0), scale)) {
      this.scene.look(inView(camera, this.view, MARGIN), scale);
      this.update(this.store.get());
    } else this.updateMinimap(this.store.get());
    this.root.dispatchEvent(new CustomEvent("graph-zoom", { detail: { scale } }));
  }

  /** @param {State} state */
  update(state) {
    const { plan } = this.scene;
    if (!plan || state.index !== plan.index) return;
    const { step, selection, search, index } = state;
    const shown = shownIterations(index, step);
    this.scene.update({ step, selection, search, shown: (loop) => shown.get(loop) ?? 0 });
    this.updateMinimap(state);
  }

  /** @param {State} state */
  updateMinimap(state) {
    const { plan } = this.scene;
    if (!plan || state.index !== plan.index) return;
    const node = this.nodeAt(state);
    const view = inView(this.camera, this.view, 0);
    const { x, y, w, h } = this.world;
    const whole = view.x <= x + 4 && view.y <= y + 4 && view.x + view.w >= x + w - 4 && view.y + view.h >= y + h - 4;
    this.minimap.update(view, node < 0 ? null : plan.layout.nodes[node], whole);
  }

  /**
   * The node of this step's op; −1: it has none.
   *
   * @param {State} state
   */
  nodeAt({ index, step }) {
    const op = index?.opAtStep(step) ?? null;
    return op === null ? -1 : (this.scene.plan?.model.nodeOfOp.get(op) ?? -1);
  }

  /** @param {State} state */
  follow(state) {
    const node = this.nodeAt(state);
    if (node >= 0) this.reveal(node);
  }

  /** @param {number} node */
  reveal(node) {
    const box = this.scene.plan?.layout.nodes[node];
    if (!box) return;
    const { x, y, w, h } = box;
    const around = { x: x - 8, y: y - 8, w: w + 16, h: h + 16 };
    let target = revealing(this.camera, around, this.view);
    // What the overview would cover is brought above it.
    if (touches(onScreen(target, around), this.corner)) {
      target = revealing(target, around, { w: this.view.w, h: this.corner.y });
    }
    if (target !== this.camera) this.glide(target);
  }

  /** Where the overview lies on the panel; of no size while it is hidden. */
  get corner() {
    const { offsetWidth: w, offsetHeight: h } = this.minimap.root.parentElement ?? this.root;
    const [width, height] = this.minimap.size;
    return width === 0 ? { x: w, y: h, w: 0, h: 0 } : { x: w - width - 12, y: h - height - 12, w: width, h: height };
  }

  /** @param {Camera} target */
  glide(target) {
    cancelAnimationFrame(this.animation);
    const from = this.camera;
    const moved = this.moved;
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches || document.hidden;
    if (still) {
      this.move(target, moved);
      return;
    }
    const begin = performance.now();
    const frame = /** @param {number} now */ (now) => {
      const part = Math.min(1, Math.max(0, now - begin) / MOVE_MS);
      const eased = 1 - (1 - part) ** 3;
      const mix = /** @param {"x" | "y" | "scale"} key */ (key) => from[key] + (target[key] - from[key]) * eased;
      this.move({ x: mix("x"), y: mix("y"), scale: mix("scale") }, moved);
      if (part < 1) this.animation = requestAnimationFrame(frame);
    };
    this.animation = requestAnimationFrame(frame);
  }

  /**
   * @param {number} x
   * @param {number} y
   */
  centreOn(x, y) {
    this.move(centred({ x, y, w: 0, h: 0 }, this.view, this.camera.scale), true);
  }

  /** @param {Selection} selection */
  focusNode(selection) {
    const { plan } = this.scene;
    if (!plan) return;
    const node = nodeOf(plan.index, plan.model, selection);
    if (node >= 0) this.reveal(node);
  }

  /**
   * A click, or Enter or Space on what has the focus.
   *
   * @param {Element | null} target  null: empty space
   */
  press(target) {
    const { plan } = this.scene;
    if (!plan) return;
    const state = this.store.get();
    const element = target?.closest("[data-node]");
    const band = target?.closest("[data-tape]");
    if (!(element instanceof SVGElement)) {
      if (band instanceof SVGElement) this.store.set({ selection: { kind: "tape", id: Number(band.dataset.tape) } });
      else if (state.selection !== null) this.store.set({ selection: null });
      return;
    }
    const id = Number(element.dataset.node);
    const act = target?.closest("[data-act]")?.getAttribute("data-act");
    const node = plan.model.nodes[id];
    if (act === "fold") this.toggle(id);
    else if (act === "previous" || act === "next") {
      this.store.set(iterationMoved(state, node.group, act === "next" ? 1 : -1));
    } else this.store.set({ selection: selectionOf(plan.index, node, state.step) });
  }

  /** @param {number} id */
  toggle(id) {
    const { plan } = this.scene;
    if (!plan) return;
    const { group, kind, op } = plan.model.nodes[id];
    const state = this.store.get();
    this.pressed = id;
    this.focused = document.activeElement?.closest(".fold-button") !== null;
    this.store.set(kind === "op" ? graphFolded(state, op, true) : groupFolded(state, group, kind === "group"));
  }
}
