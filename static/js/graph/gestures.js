/**
 * Pointer, wheel and keys on the drawing surface: pan, zoom, press.
 *
 * @typedef {import("./camera.js").Camera} Camera
 *
 * @typedef {object} Actions
 * @property {() => Camera} camera
 * @property {(camera: Camera) => void} move
 * @property {(factor: number) => void} zoom
 * @property {() => void} fit
 * @property {(target: Element | null) => void} press
 * @property {(node: number) => void} focus  a node got the focus by the keyboard
 */

import { zoomed } from "./camera.js";

/** A press that moves less than this is a click. */
const CLICK = 4;
const PAN = 60;

/**
 * @param {SVGSVGElement} surface
 * @param {Actions} actions
 */
export function listenToGestures(surface, actions) {
  surface.addEventListener("wheel", (event) => onWheel(surface, actions, event), { passive: false });
  listenToPointers(surface, actions);
  surface.addEventListener("keydown", (event) => onKey(actions, event));
  surface.addEventListener("focusin", (event) => {
    const node = event.target instanceof Element ? event.target.closest("[data-node]") : null;
    if (node instanceof SVGElement && node.matches(":focus-visible")) actions.focus(Number(node.dataset.node));
  });
}

/**
 * @param {SVGSVGElement} surface
 * @param {{ clientX: number, clientY: number }} event
 */
function within(surface, event) {
  const box = surface.getBoundingClientRect();
  return { x: event.clientX - box.left, y: event.clientY - box.top };
}

/**
 * The wheel pans; with Ctrl (which a pinch on a touch pad gives) it zooms where the pointer is.
 *
 * @param {SVGSVGElement} surface
 * @param {Actions} actions
 * @param {WheelEvent} event
 */
function onWheel(surface, actions, event) {
  event.preventDefault();
  const unit = event.deltaMode === 1 ? 18 : 1;
  const camera = actions.camera();
  if (event.ctrlKey || event.metaKey) {
    const { x, y } = within(surface, event);
    actions.move(zoomed(camera, Math.exp(-event.deltaY * unit * 0.004), x, y));
    return;
  }
  const [dx, dy] = event.shiftKey ? [event.deltaY, event.deltaX] : [event.deltaX, event.deltaY];
  actions.move({ ...camera, x: camera.x - dx * unit, y: camera.y - dy * unit });
}

/**
 * One pointer pans, two pinch.
 *
 * @param {SVGSVGElement} surface
 * @param {Actions} actions
 */
function listenToPointers(surface, actions) {
  /** @type {Map<number, { x: number, y: number }>} */
  const down = new Map();
  let travelled = 0;
  /** @type {Element | null} */
  let pressed = null;

  surface.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 && event.button !== 1) return;
    if (down.size === 0) {
      travelled = 0;
      pressed = event.target instanceof Element ? event.target : null;
    }
    down.set(event.pointerId, within(surface, event));
  });
  surface.addEventListener("pointermove", (event) => {
    const before = down.get(event.pointerId);
    if (!before) return;
    const now = within(surface, event);
    const others = [...down].filter(([id]) => id !== event.pointerId).map(([, at]) => at);
    down.set(event.pointerId, now);
    travelled += Math.hypot(now.x - before.x, now.y - before.y);
    if (travelled < CLICK) return;
    if (!surface.hasPointerCapture(event.pointerId)) surface.setPointerCapture(event.pointerId);
    const camera = actions.camera();
    const [other] = others;
    if (other) {
      const factor = distance(now, other) / Math.max(1, distance(before, other));
      actions.move(zoomed(camera, factor, (now.x + other.x) / 2, (now.y + other.y) / 2));
    } else actions.move({ ...camera, x: camera.x + now.x - before.x, y: camera.y + now.y - before.y });
  });
  /** @param {PointerEvent} event */
  const up = (event) => {
    if (!down.delete(event.pointerId) || event.type === "pointercancel") return;
    if (down.size === 0 && travelled < CLICK && event.button === 0) actions.press(pressed);
  };
  surface.addEventListener("pointerup", up);
  surface.addEventListener("pointercancel", up);
}

/**
 * @param {{ x: number, y: number }} a
 * @param {{ x: number, y: number }} b
 */
function distance(a, b) {
  return Math.hypot(a.x - b.x, a.y - b.y);
}

/**
 * @param {Actions} actions
 * @param {KeyboardEvent} event
 */
function onKey(actions, event) {
  if (event.ctrlKey || event.metaKey) return;
  const act = keyAction(actions, event);
  if (!act) return;
  event.preventDefault();
  event.stopPropagation();
  act();
}

/**
 * @param {Actions} actions
 * @param {KeyboardEvent} event
 * @returns {(() => void) | null}
 */
function keyAction(actions, { key, altKey, target }) {
  const { camera, move, zoom, fit, press } = actions;
  if (altKey) {
    const way = /** @type {Record<string, [number, number]>} */ ({
      ArrowLeft: [PAN, 0],
      ArrowRight: [-PAN, 0],
      ArrowUp: [0, PAN],
      ArrowDown: [0, -PAN],
    })[key];
    if (!way) return null;
    return () => move({ ...camera(), x: camera().x + way[0], y: camera().y + way[1] });
  }
  if (key === "+" || key === "=") return () => zoom(1.25);
  if (key === "-") return () => zoom(0.8);
  if (key === "0") return fit;
  if (key !== "Enter" && key !== " ") return null;
  return target instanceof Element && target.closest("[data-node]") ? () => press(target) : null;
}
