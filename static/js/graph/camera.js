/**
 * What part of the graph is in view: `screen = world * scale + offset`.
 *
 * @typedef {{ x: number, y: number, scale: number }} Camera
 * @typedef {{ x: number, y: number, w: number, h: number }} Rect
 */

export const LEAST = 0.04;
export const MOST = 3;
/** Larger than this nothing is shown by itself, however small the graph. */
const COMFORTABLE = 1.2;
const MARGIN = 22;

/**
 * The camera that shows a rectangle whole, in its middle.
 *
 * @param {Rect} world
 * @param {{ w: number, h: number }} view
 * @param {number} [most]
 * @returns {Camera}
 */
export function fitting(world, view, most = COMFORTABLE) {
  const wide = (view.w - 2 * MARGIN) / Math.max(1, world.w);
  const high = (view.h - 2 * MARGIN) / Math.max(1, world.h);
  const scale = Math.max(LEAST, Math.min(most, wide, high));
  return centred(world, view, scale);
}

/**
 * @param {Rect} world
 * @param {{ w: number, h: number }} view
 * @param {number} scale
 * @returns {Camera}
 */
export function centred(world, view, scale) {
  return {
    scale,
    x: view.w / 2 - (world.x + world.w / 2) * scale,
    y: view.h / 2 - (world.y + world.h / 2) * scale,
  };
}

/**
 * @param {Camera} camera
 * @param {number} factor
 * @param {number} x  the point of the panel that stays where it is
 * @param {number} y
 * @returns {Camera}
 */
export function zoomed(camera, factor, x, y) {
  const scale = Math.max(LEAST, Math.min(MOST, camera.scale * factor));
  const ratio = scale / camera.scale;
  return { scale, x: x - (x - camera.x) * ratio, y: y - (y - camera.y) * ratio };
}

/**
 * The part of the world in view, with a margin in px of the screen.
 *
 * @param {Camera} camera
 * @param {{ w: number, h: number }} view
 * @param {number} margin
 * @returns {Rect}
 */
export function inView(camera, view, margin) {
  return {
    x: (-camera.x - margin) / camera.scale,
    y: (-camera.y - margin) / camera.scale,
    w: (view.w + 2 * margin) / camera.scale,
    h: (view.h + 2 * margin) / camera.scale,
  };
}

/**
 * Where a part of the world stands on the panel.
 *
 * @param {Camera} camera
 * @param {Rect} world
 * @returns {Rect}
 */
export function onScreen({ scale, x, y }, world) {
  return { x: world.x * scale + x, y: world.y * scale + y, w: world.w * scale, h: world.h * scale };
}

/**
 * The camera moved as little as brings a rectangle into view.
 *
 * @param {Camera} camera
 * @param {Rect} world
 * @param {{ w: number, h: number }} view
 * @returns {Camera} the same one where it is in view already
 */
export function revealing(camera, world, view) {
  const shift = /** @param {number} low @param {number} high @param {number} room */ (low, high, room) => {
    const least = Math.min(MARGIN, room / 8);
    if (high - low > room - 2 * least) return least - low;
    if (low < least) return least - low;
    return high > room - least ? room - least - high : 0;
  };
  const x = world.x * camera.scale + camera.x;
  const y = world.y * camera.scale + camera.y;
  const dx = shift(x, x + world.w * camera.scale, view.w);
  const dy = shift(y, y + world.h * camera.scale, view.h);
  return dx === 0 && dy === 0 ? camera : { scale: camera.scale, x: camera.x + dx, y: camera.y + dy };
}

/**
 * @param {Rect} a
 * @param {Rect} b
 */
export function touches(a, b) {
  return a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
}
