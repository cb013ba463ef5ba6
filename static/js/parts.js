/**
 * Phrases with parts as elements: names strong, code in mono, where in a fainter ink.
 *
 * @typedef {import("./words.js").Part} Part
 */

import { el } from "./dom.js";

/**
 * @param {readonly Part[]} parts
 * @returns {Node[]}
 */
export function partNodes(parts) {
  return parts.map(({ text, kind }) => {
    if (kind === "strong") return el("b", { text });
    if (kind === "code") return el("code", { text });
    if (kind === "dim") return el("span", { class: "dim", text });
    return document.createTextNode(text);
  });
}
