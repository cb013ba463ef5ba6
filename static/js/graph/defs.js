/** What the drawing refers to by name: arrow heads and the hatch of a consumed tape's band. */

import { svg } from "../dom.js";

const HEADS = /** @type {const} */ ([
  ["arrow", 8, "ink"],
  ["arrow-faint", 8, "faint"],
  ["arrow-recording", 9, "recording"],
  ["arrow-rewinding", 11, "rewinding"],
  ["arrow-break", 11, "break"],
]);

export function definitions() {
  return svg(
    "defs",
    {},
    ...HEADS.map(([id, size, color]) =>
      svg(
        "marker",
        {
          id: `g-${id}`,
          viewBox: "0 0 8 8",
          refX: 7,
          refY: 4,
          markerWidth: size,
          markerHeight: size,
          markerUnits: "userSpaceOnUse",
          orient: "auto-start-reverse",
        },
        svg("path", { class: `head-${color}`, d: size === 11 ? "M0 0L8 4 0 8z" : "M0 .5L8 4 0 7.5z" }),
      ),
    ),
    hatch("g-hatch-band", 9, 1),
    hatch("g-hatch-spine", 5, 2.5),
  );
}

/**
 * @param {string} id
 * @param {number} size
 * @param {number} width
 */
function hatch(id, size, width) {
  return svg(
    "pattern",
    { id, width: size, height: size, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
    svg("path", { class: id, d: `M0 0v${size}`, "stroke-width": width }),
  );
}
