/**
 * The pages of the findings: the little Markdown that they use, as elements.
 *
 * Paragraphs, lists with `-`, fenced code, `code` and **strong**; everything else is text.
 */

import { el } from "./dom.js";

/**
 * @param {string} text
 * @returns {Node[]}
 */
export function markdown(text) {
  /** @type {Node[]} */
  const nodes = [];
  const pieces = text.split(/^```\w*\n([\s\S]*?)^```$/m);
  pieces.forEach((piece, i) => {
    if (i % 2 === 1) nodes.push(el("pre", { class: "quote", text: piece.replace(/\n$/, "") }));
    else nodes.push(...blocks(piece));
  });
  return nodes;
}

/** @param {string} text */
function blocks(text) {
  return text
    .split(/\n{2,}/)
    .map((block) => block.trim())
    .filter(Boolean)
    .map((block) => {
      if (!block.startsWith("- ")) return el("p", {}, ...inline(joined(block)));
      const items = block.split(/^- /m).filter(Boolean);
      return el(
        "ul",
        { class: "bullets" },
        ...items.map((item) => el("li", {}, ...inline(joined(item)))),
      );
    });
}

/** @param {string} block */
function joined(block) {
  return block.replace(/\s*\n\s*/g, " ").trim();
}

/**
 * @param {string} text
 * @returns {(Node | string)[]}
 */
export function inline(text) {
  return text
    .split(/(`[^`]+`|\*\*[^*]+\*\*)/)
    .filter(Boolean)
    .map((piece) => {
      if (/^`[^`]+`$/.test(piece)) return el("code", { text: piece.slice(1, -1) });
      if (/^\*\*[^*]+\*\*$/.test(piece)) return el("b", { text: piece.slice(2, -2) });
      return piece;
    });
}
