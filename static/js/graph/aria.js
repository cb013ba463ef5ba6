/**
 * What a node is called aloud: "Mul, 2 * x, line 6, value 6.0, gradient 1, tape recording".
 *
 * @typedef {import("./model.js").GraphNode} GraphNode
 * @typedef {import("./cards.js").Card} Card
 * @typedef {import("./look.js").NodeLook} NodeLook
 */

import { t } from "../words.js";

/**
 * @param {GraphNode} node
 * @param {Card} card
 * @param {NodeLook} look
 * @returns {string}
 */
export function labelOf(node, card, look) {
  const future = look.state === "future";
  const value = future || look.value === "" ? "" : t("graph.aria.value", { value: look.value });
  if (node.kind === "variable") return list(t("graph.aria.variable", { name: card.title }), value, look.second);
  if (node.kind === "argument") return list(t("graph.aria.argument", { name: card.title }), value);
  if (node.kind === "constant") {
    return list(t("graph.aria.constant", { name: card.title || look.value }), card.title === "" ? "" : value, look.second);
  }
  if (node.kind === "target") return list(t("graph.aria.target", { name: card.title }), card.code);
  const head = node.kind === "group"
    ? t("graph.aria.group", { name: card.title, kind: card.code, ops: card.size })
    : list(card.title, card.code, card.size);
  const gradient = look.flow === "in" ? t("graph.aria.gradient", { value: look.gradient.replace(/^∂ /, "") }) : "";
  const badges = look.badges.map(({ tape, word }) => `${tape} ${word}`);
  return list(head, card.note, future ? look.value : value, gradient, ...badges);
}

/** @param {...string} parts */
function list(...parts) {
  return parts.filter((part) => part !== "").join(", ");
}
