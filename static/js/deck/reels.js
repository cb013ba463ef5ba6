/**
 * The deck's window: two reels, the tape between them, its name on the label.
 */

import { svg } from "../dom.js";
import { shorten } from "../source.js";

const HUB = 12.5;
const FULL = 26;
const LEFT = { x: 52, y: 35 };
const RIGHT = { x: 152, y: 35 };

/**
 * Radius of a pack of tape whose area is so much of the whole.
 *
 * @param {number} share
 */
function packRadius(share) {
  const least = HUB + 3.5;
  return Math.sqrt(least ** 2 + (FULL ** 2 - least ** 2) * share);
}

/** @param {{ x: number, y: number }} at  @param {number} turn */
function drawReel(at, turn) {
  const pack = svg("circle", { class: "pack" });
  const winds = svg("g", { class: "winds" });
  const spokes = Array.from({ length: 6 }, (_, i) =>
    svg("path", { class: "spoke", d: "M0 -10.2V-5.6", transform: `rotate(${turn + i * 60})` }),
  );
  const hub = svg(
    "g",
    { class: "hub" },
    svg("circle", { class: "flange", r: HUB }),
    svg("circle", { class: "axle", r: 5 }),
    ...spokes,
  );
  const group = svg("g", { transform: `translate(${at.x} ${at.y})` }, pack, winds, hub);
  return { group, pack, winds };
}

/**
 * @param {SVGGElement} winds
 * @param {number} radius
 */
function drawWinds(winds, radius) {
  const rings = [];
  for (let r = radius - 2.4; r > HUB + 1.5; r -= 3.6)
    rings.push(svg("circle", { r: r.toFixed(1) }));
  winds.replaceChildren(...rings);
}

/**
 * Where the tape leaves a pack towards its roller.
 *
 * @param {{ x: number, y: number }} centre
 * @param {{ x: number, y: number }} roller
 * @param {number} radius
 * @param {1 | -1} side
 */
function tangent(centre, roller, radius, side) {
  const dx = roller.x - centre.x;
  const dy = roller.y - centre.y;
  const distance = Math.hypot(dx, dy);
  const angle = Math.atan2(dy, dx) + side * Math.acos(Math.min(1, radius / distance));
  return `${(centre.x + radius * Math.cos(angle)).toFixed(1)} ${(centre.y + radius * Math.sin(angle)).toFixed(1)}`;
}

/** The drawing, and `update(share, label)`, share being how much has been wound to the right. */
export function createReels() {
  const rollers = { left: { x: 30, y: 71 }, right: { x: 174, y: 71 } };
  const left = drawReel(LEFT, 14);
  const right = drawReel(RIGHT, 40);
  const tape = svg("path", { class: "tape" });
  const label = svg("text", { class: "label", x: 102, y: 39 });
  const node = svg(
    "svg",
    { class: "reels", viewBox: "0 0 204 82", "aria-hidden": "true" },
    tape,
    svg("path", { class: "head", d: "M92 66h20v7H92z" }),
    svg("path", { class: "pad", d: "M94 63h16" }),
    svg("circle", { class: "roller", cx: rollers.left.x, cy: rollers.left.y, r: 3 }),
    svg("circle", { class: "roller", cx: rollers.right.x, cy: rollers.right.y, r: 3 }),
    left.group,
    right.group,
    label,
  );
  let drawn = -1;
  return {
    node,
    /** @param {number} share @param {string} name */
    update(share, name) {
      label.textContent = shorten(name, 9);
      const rounded = Math.round(share * 200) / 200;
      if (rounded === drawn) return;
      drawn = rounded;
      const radii = [packRadius(1 - rounded), packRadius(rounded)];
      [left, right].forEach((reel, side) => {
        reel.pack.setAttribute("r", radii[side].toFixed(1));
        drawWinds(reel.winds, radii[side]);
      });
      const from = tangent(LEFT, rollers.left, radii[0], 1);
      const to = tangent(RIGHT, rollers.right, radii[1], -1);
      tape.setAttribute("d", `M${from}L${rollers.left.x} 71H${rollers.right.x}L${to}`);
    },
  };
}
