/**
 * Routes as SVG paths.
 *
 * @typedef {import("./layout.js").RoutePoint} RoutePoint
 * @typedef {import("./camera.js").Rect} Rect
 */

/** Half the distance between two torn ends. */
const TORN = 24;
const TORN_SHORT = 13;

/** @param {number} x */
const px = (x) => Math.round(x * 10) / 10;

/**
 * @param {readonly RoutePoint[]} points
 * @param {boolean} down
 */
export function pathOf(points, down) {
  let path = "";
  points.forEach(([x, y, curved], i) => {
    if (i === 0) {
      path = `M${px(x)} ${px(y)}`;
      return;
    }
    // Compared as they are written: a piece without length would turn the arrow head.
    const [x0, y0, x1, y1] = [px(points[i - 1][0]), px(points[i - 1][1]), px(x), px(y)];
    if (curved && (down ? x1 !== x0 : y1 !== y0)) {
      const middle = px(down ? (y0 + y1) / 2 : (x0 + x1) / 2);
      path += down
        ? `C${x0} ${middle} ${x1} ${middle} ${x1} ${y1}`
        : `C${middle} ${y0} ${middle} ${y1} ${x1} ${y1}`;
    } else if (x1 !== x0 || y1 !== y0) path += `L${x1} ${y1}`;
  });
  return path;
}

/**
 * @typedef {object} Torn
 * @property {string} before  path up to the gap
 * @property {string} after  path from the gap on
 * @property {string} ends  the two torn ends
 * @property {number} x  middle of the gap
 * @property {number} y
 */

/**
 * A route with a gap in its last stretch.
 *
 * @param {readonly RoutePoint[]} points
 * @param {boolean} down
 * @param {boolean} short  the gap has no label in it
 * @returns {Torn}
 */
export function tornPath(points, down, short) {
  let last = points.length - 1;
  while (last > 1 && !points[last][2]) last -= 1;
  const [from, to] = [points[last - 1], points[last]];
  const half = short ? TORN_SHORT : TORN;
  const middle = down ? (from[1] + to[1]) / 2 : (from[0] + to[0]) / 2;
  // Where the two ends are not opposite, what comes bends over to the other before the gap.
  /** @type {RoutePoint} */
  const end = down ? [to[0], middle - half, true] : [middle - half, to[1], true];
  /** @type {RoutePoint} */
  const start = down ? [to[0], middle + half, false] : [middle + half, to[1], false];
  /** @type {RoutePoint[]} */
  const rest = points.slice(last).map(([x, y]) => [x, y, false]);
  return {
    before: pathOf([...points.slice(0, last), end], down),
    after: pathOf([start, ...rest], down),
    ends: tear(end[0], end[1], down) + tear(start[0], start[1], down),
    x: (end[0] + start[0]) / 2,
    y: (end[1] + start[1]) / 2,
  };
}

/**
 * @param {number} x
 * @param {number} y
 * @param {boolean} down
 */
function tear(x, y, down) {
  const along = [3.5, -3.5, 3.5, -3.5, 3.5];
  const points = along.map((a, i) => {
    const across = (i - 2) * 7.5;
    return down ? `${px(x + across)} ${px(y + a)}` : `${px(x + a)} ${px(y + across)}`;
  });
  return `M${points.join("L")}`;
}

/**
 * The rectangle around a route.
 *
 * @param {readonly RoutePoint[]} points
 * @returns {Rect}
 */
export function boundsOf(points) {
  let [x0, y0, x1, y1] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const [x, y] of points) {
    x0 = Math.min(x0, x);
    y0 = Math.min(y0, y);
    x1 = Math.max(x1, x);
    y1 = Math.max(y1, y);
  }
  return { x: x0 - 1, y: y0 - 1, w: x1 - x0 + 2, h: y1 - y0 + 2 };
}

/**
 * What an edge and its number take up, as rectangles.
 *
 * @param {{ points: readonly RoutePoint[], label: { x: number, y: number } | null }} edge
 * @returns {Rect[]}
 */
export function occupied({ points, label }) {
  const pieces = points.slice(1).map((point, i) => boundsOf([points[i], point]));
  if (label) pieces.push({ x: label.x - 32, y: label.y - 12, w: 64, h: 24 });
  return pieces;
}
