/**
 * Building elements without markup strings: text is always text, so that nothing from a snippet
 * can become an element of the page.
 */

const SVG = "http://www.w3.org/2000/svg";

/**
 * @typedef {Node | string | null | undefined | false} Child
 * @typedef {Record<string, string | number | boolean | null | undefined | ((event: any) => void)>} Props
 */

/**
 * Sets attributes; `on…` functions become listeners, `text` the text, true an empty attribute.
 *
 * @param {Element} node
 * @param {Props} props
 */
function assign(node, props) {
  for (const [name, value] of Object.entries(props)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") node.addEventListener(name.slice(2), value);
    else if (name === "text") node.textContent = String(value);
    else node.setAttribute(name, value === true ? "" : String(value));
  }
}

/**
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Props} [props]
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function el(tag, props = {}, ...children) {
  const node = document.createElement(tag);
  assign(node, props);
  append(node, children);
  return node;
}

/**
 * @template {keyof SVGElementTagNameMap} K
 * @param {K} tag
 * @param {Props} [props]
 * @param {...Child} children
 * @returns {SVGElementTagNameMap[K]}
 */
export function svg(tag, props = {}, ...children) {
  const node = /** @type {SVGElementTagNameMap[K]} */ (document.createElementNS(SVG, tag));
  assign(node, props);
  append(node, children);
  return node;
}

/**
 * @param {Element} node
 * @param {Child[]} children
 */
function append(node, children) {
  for (const child of children) {
    if (child !== null && child !== undefined && child !== false) node.append(child);
  }
}

/**
 * Replaces what an element holds.
 *
 * @param {Element} node
 * @param {...Child} children
 */
export function fill(node, ...children) {
  node.replaceChildren();
  append(node, children);
}

/**
 * One of the icons of the page's sprite (`#i-name`).
 *
 * @param {string} name
 * @param {string} [className]
 */
export function icon(name, className = "") {
  return svg(
    "svg",
    { class: `icon ${className}`.trim(), "aria-hidden": "true" },
    svg("use", { href: `#i-${name}` }),
  );
}

/**
 * The element with this id, which the page's template holds.
 *
 * @template {Element} T
 * @param {string} id
 * @param {{ new (): T }} type
 * @returns {T}
 */
export function byId(id, type) {
  const node = document.getElementById(id);
  if (!(node instanceof type)) throw new Error(`The page has no #${id}`);
  return node;
}
