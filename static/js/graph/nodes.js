/**
 * Nodes as SVG: built once, then only classes and texts change.
 *
 * @typedef {import("./model.js").GraphNode} GraphNode
 * @typedef {import("./cards.js").Card} Card
 * @typedef {import("./look.js").NodeLook} NodeLook
 * @typedef {import("./look.js").Badge} Badge
 * @typedef {import("./camera.js").Rect} Rect
 *
 * @typedef {object} Drawn
 * @property {SVGGElement} root
 * @property {(look: NodeLook, marks: Marks) => void} update
 * @typedef {{ selected: boolean, hit: boolean, label: string }} Marks
 */

import { svg } from "../dom.js";
import { t } from "../words.js";
import { nameWidth } from "./cards.js";
import { fitted, monoWidth, sansWidth } from "./measure.js";

/**
 * @param {GraphNode} node
 * @param {Card} card
 * @param {Rect} at
 * @param {"down" | "right"} direction
 * @returns {Drawn}
 */
export function drawNode(node, card, at, direction) {
  if (node.kind === "variable") return drawCapsule(card, at, node.symbolic ? "capsule symbolic" : "capsule");
  if (node.kind === "argument") return drawCapsule(card, at, "capsule argument");
  if (node.kind === "constant") return drawConstant(node, card, at);
  if (node.kind === "target") return drawTarget(card, at, direction);
  return drawCard(node, card, at);
}

/**
 * @param {string} kind
 * @param {Rect} at
 * @param {...Node} children
 */
function frameOf(kind, at, ...children) {
  return svg(
    "g",
    { class: kind, transform: `translate(${at.x} ${at.y})`, tabindex: "0", role: "button" },
    ...children,
  );
}

/**
 * @param {SVGGElement} root
 * @param {string} kind
 * @param {NodeLook} look
 * @param {Marks} marks
 */
function mark(root, kind, look, marks) {
  const classes = [kind, look.state, look.now && "now", look.bad && "bad", marks.selected && "selected", marks.hit && "hit"];
  const name = classes.filter(Boolean).join(" ");
  if (root.getAttribute("class") !== name) root.setAttribute("class", name);
  if (root.getAttribute("aria-label") !== marks.label) root.setAttribute("aria-label", marks.label);
  root.setAttribute("aria-pressed", String(marks.selected));
}

/**
 * @param {Element} node
 * @param {string} text
 */
function write(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/**
 * @param {GraphNode} node
 * @param {Card} card
 * @param {Rect} at
 * @returns {Drawn}
 */
function drawCard(node, card, { x, y }) {
  const { w, h } = card;
  const group = node.kind === "group";
  const folded = group || node.opens;
  const kind = group ? "node group" : node.symbolic ? "node symbolic" : "node";
  const lead = folded ? 30 : 14;
  const value = svg("text", { class: "value", x: 14, y: 46 });
  const gradient = svg("text", { class: "gradient", x: w - 10, y: 46 });
  const badges = svg("g");
  const root = frameOf(
    kind,
    { x, y, w, h },
    svg("rect", { class: "ring", x: -4.5, y: -4.5, width: w + 9 + (folded ? 8 : 0), height: h + 9 + (folded ? 8 : 0), rx: 9 }),
    ...(folded ? sheets(w, h) : []),
    svg("rect", { class: "box", x: 0.5, y: 0.5, width: w - 1, height: h - 1, rx: 5 }),
    svg("path", { class: "head", d: `M5 1H${w - 5}a4 4 0 014 4V26H5z` }),
    svg("path", { class: "spine", d: `M5 0a5 5 0 00-5 5V${h - 5}a5 5 0 005 5z` }),
    ...(folded ? [foldButton(12, 8, "fold", t("graph.unfold", { name: card.title }))] : []),
    svg("text", { class: "type", x: lead, y: 18 }, card.title, svg("tspan", { class: group || node.returns ? "kind" : "code", dx: 8, text: card.code })),
    svg("text", { class: "line end", x: w - 10, y: 18, text: card.note }),
    svg("path", { class: "rule later", d: `M6 26.5H${w - 1}` }),
    value,
    gradient,
    ...(card.size !== "" && node.tapes.length === 0 ? [svg("path", { class: "rule later", d: `M6 54.5H${w - 1}` })] : []),
    badges,
    ...(card.size === "" ? [] : [noteOf(node, card)]),
  );
  let shown = "";
  return {
    root,
    update(look, marks) {
      mark(root, kind, look, marks);
      const future = look.state === "future";
      const bare = future || look.value === "–";
      const texts = sharedRow(look, w, bare ? 0 : nameWidth(card.name, card.shape));
      const key = `${texts.value}|${future}`;
      if (root.dataset.value !== key) {
        root.dataset.value = key;
        writeValue(value, texts.value, bare ? "" : card.name, bare ? "" : card.shape);
      }
      write(gradient, texts.gradient);
      gradient.setAttribute("class", `gradient ${look.flow}`);
      const now = look.badges.map(({ icon, word }) => `${icon} ${word}`).join();
      if (now !== shown) badges.replaceChildren(...look.badges.flatMap((badge, i) => badgeRow(badge, i, w)));
      shown = now;
    },
  };
}

/**
 * Value and gradient side by side, the ends of long ones left out.
 *
 * @param {NodeLook} look
 * @param {number} w  of the node
 * @param {number} beside  what the name takes
 */
function sharedRow(look, w, beside) {
  const wide = /** @param {number} size */ (size) => (/** @type {string} */ text) => monoWidth(text, size);
  const room = w - 24 - beside - (look.gradient === "" ? 0 : 12);
  const least = Math.min(monoWidth(look.value, 16), room * 0.55);
  const gradient = fitted(look.gradient, room - least, wide(14));
  return { gradient, value: fitted(look.value, room - monoWidth(gradient, 14), wide(16)) };
}

/**
 * What a group or a graph is: at the right of the first badge, or below all of them.
 *
 * @param {GraphNode} node
 * @param {Card} card
 */
function noteOf({ tapes }, { w, h, size }) {
  const below = h > 76 + 16 * (tapes.length - 1);
  if (below) return svg("text", { class: "line later", x: 14, y: 69 + 16 * tapes.length, text: size });
  return svg("text", { class: "line end later", x: w - 10, y: 69, text: size });
}

/**
 * @param {number} w
 * @param {number} h
 */
function sheets(w, h) {
  return [8, 4].map((d) => svg("rect", { class: "sheet", x: d + 0.5, y: d + 0.5, width: w - 1, height: h - 1, rx: 5 }));
}

/**
 * @param {SVGTextElement} text
 * @param {string} value
 * @param {string} name
 * @param {string} shape
 */
function writeValue(text, value, name, shape) {
  text.replaceChildren(value);
  if (name !== "") text.append(svg("tspan", { class: "name", dx: 8, text: name }));
  // `mean 0.478` and `64×16` say different things; a shape that is the value itself is not repeated.
  if (shape !== "" && shape !== value) text.append(svg("tspan", { class: "shape", dx: 8, text: shape }));
}

/**
 * @param {Badge} badge
 * @param {number} row
 * @param {number} w
 * @returns {SVGElement[]}
 */
function badgeRow({ icon, tape, word, state }, row, w) {
  const y = 69 + 16 * row;
  const rule = row === 0 ? [svg("path", { class: "rule", d: `M6 54.5H${w - 1}` })] : [];
  return [
    ...rule,
    svg(
      "g",
      { class: `badge ${state}` },
      svg("use", { href: `#i-${icon}`, x: 14, y: y - 9, width: 10, height: 10 }),
      svg("text", { x: 29, y }, tape, svg("tspan", { class: "word", dx: 5, text: word })),
    ),
  ];
}

/**
 * @param {number} x
 * @param {number} y
 * @param {"fold" | "open"} icon
 * @param {string} label
 */
export function foldButton(x, y, icon, label) {
  return svg(
    "g",
    {
      class: "fold-button",
      transform: `translate(${x} ${y})`,
      "data-act": "fold",
      tabindex: "0",
      role: "button",
      "aria-label": label,
      "aria-expanded": String(icon === "open"),
    },
    svg("rect", { class: "target", x: -6, y: -6, width: 22, height: 22, rx: 3 }),
    svg("use", { href: `#i-${icon}`, width: 10, height: 10 }),
  );
}

/**
 * @param {Card} card
 * @param {Rect} at
 * @param {string} [kind]
 * @returns {Drawn}
 */
function drawCapsule(card, { x, y }, kind = "capsule") {
  const { w, h } = card;
  const value = svg("text", { class: "value end", x: w - 20, y: 20 });
  const second = svg("text", { class: "second", x: 20, y: 36 });
  const root = frameOf(
    kind,
    { x, y, w, h },
    svg("rect", { class: "ring", x: -4.5, y: -4.5, width: w + 9, height: h + 9, rx: (h + 9) / 2 }),
    svg("rect", { class: "box", x: 0.5, y: 0.5, width: w - 1, height: h - 1, rx: h / 2 }),
    svg("text", { class: "name", x: 20, y: 20, text: card.title }),
    value,
    second,
  );
  return {
    root,
    update(look, marks) {
      mark(root, kind, look, marks);
      write(value, look.value);
      write(second, fitted(look.second, w - 32, (text) => (look.flow === "in" ? monoWidth(text, 13) : sansWidth(text, 11))));
      const middle = look.flow === "in";
      second.setAttribute("class", middle ? "second sum" : "second");
      second.setAttribute("x", String(middle ? w / 2 : 20));
    },
  };
}

/**
 * @param {GraphNode} node
 * @param {Card} card
 * @param {Rect} at
 * @returns {Drawn}
 */
function drawConstant(node, card, at) {
  if (card.h === 46 && card.code === "") return drawCapsule(card, at, "capsule constant");
  const { w, h } = card;
  const plain = h === 30;
  const value = svg("text", { class: plain ? "value middle" : "value end", x: plain ? w / 2 : w - 14, y: 20 });
  const second = svg("text", { class: "second", x: 14, y: 36 });
  const root = frameOf(
    "constant",
    at,
    svg("rect", { class: "ring", x: -4.5, y: -4.5, width: w + 9, height: h + 9, rx: 7 }),
    svg("rect", { class: "box", x: 0.5, y: 0.5, width: w - 1, height: h - 1, rx: 3 }),
    ...(plain ? [] : [svg("text", { class: "name", x: 14, y: 20, text: card.title })]),
    value,
    ...(plain ? [] : [second]),
  );
  return {
    root,
    update(look, marks) {
      mark(root, "constant", look, marks);
      write(value, look.value);
      write(second, look.second);
    },
  };
}

/**
 * @param {Card} card
 * @param {Rect} at
 * @param {"down" | "right"} direction
 * @returns {Drawn}
 */
function drawTarget(card, at, direction) {
  const { w } = card;
  const down = direction === "down";
  const middle = down ? w / 2 : 14;
  const anchor = down ? "middle" : "";
  const y = down ? 20 : at.h / 2 - 4;
  const root = frameOf(
    "target",
    at,
    svg("rect", { class: "ring", x: down ? -2 : -4, y: down ? -5 : at.h / 2 - 26, width: w + 4, height: 51, rx: 5 }),
    svg("rect", { class: "hover", x: 0, y: 0, width: w, height: 44 }),
    svg("path", { class: "bar", d: down ? `M${w / 2 - 22} 1h44` : `M1 ${at.h / 2 - 22}v44` }),
    svg("text", { class: `name ${anchor}`, x: middle, y, text: card.title }),
    svg("text", { class: `note ${anchor}`, x: middle, y: y + 18, text: card.code }),
  );
  return { root, update: (look, marks) => mark(root, "target", look, marks) };
}
