/**
 * The gallery's examples, behind the snippet's title.
 *
 * @typedef {import("./state.js").Store} Store
 * @typedef {Record<string, string>} Localized
 * @typedef {{ id: string, title: Localized, text: Localized, source: string, mode: "auto" | "script" | "expressions", seed: number }} Example
 */

import { getJson } from "./api.js";
import { byId, el, fill } from "./dom.js";
import { inline, markdown } from "./markdown.js";
import { currentLanguage, t } from "./words.js";

/**
 * @param {Localized | string} text
 */
function localized(text) {
  return typeof text === "string" ? text : (text[currentLanguage()] ?? text.en ?? "");
}

/** @returns {Promise<Example[]>} */
export async function loadExamples() {
  const found = await getJson("/api/examples");
  return found.map((/** @type {any} */ one) => ({ mode: "auto", seed: 0, text: "", ...one }));
}

/**
 * @param {Store} store
 * @param {() => void} run
 */
export function createPicker(store, run) {
  const buttons = [byId("picker", HTMLButtonElement), byId("picker-phone", HTMLButtonElement)];
  let button = buttons[0];
  const menu = byId("examples", HTMLElement);
  /** @type {Example[]} */
  let examples = [];

  /** @param {boolean} open */
  const show = (open) => {
    menu.hidden = !open;
    for (const one of buttons) one.setAttribute("aria-expanded", String(open));
    if (open)
      /** @type {HTMLElement | null} */ (
        menu.querySelector("[aria-current='true']") ?? menu.querySelector("button")
      )?.focus();
  };
  const draw = () => {
    drawTitle(store, examples);
    fill(
      menu,
      ...examples.map((example) =>
        item(store, example, () => {
          show(false);
          button.focus();
          store.set({
            source: example.source,
            mode: example.mode,
            seed: example.seed,
            example: example.id,
          });
          run();
        }),
      ),
    );
  };
  for (const one of buttons) {
    one.addEventListener("click", () => {
      button = one;
      show(menu.hidden === true);
    });
  }
  menu.addEventListener("keydown", (event) =>
    walk(event, menu, () => {
      show(false);
      button.focus();
    }),
  );
  document.addEventListener("pointerdown", (event) => {
    if (
      !menu.hidden &&
      event.target instanceof Node &&
      !menu.contains(event.target) &&
      !button.contains(event.target)
    ) {
      show(false);
    }
  });
  store.subscribe((_, changed) => {
    if (changed.has("example") || changed.has("lang") || changed.has("source")) draw();
  });
  draw();
  return (/** @type {Example[]} */ found) => {
    examples = found;
    draw();
  };
}

/**
 * @param {Store} store
 * @param {Example} example
 * @param {() => void} choose
 */
function item(store, example, choose) {
  const current = store.get().example === example.id;
  const text = firstSentence(localized(example.text));
  return el(
    "button",
    { type: "button", role: "menuitem", "aria-current": String(current), onclick: choose },
    el("b", { text: localized(example.title) }),
    el("span", { class: "dim" }, ...inline(text)),
  );
}

/** @param {string} text */
function firstSentence(text) {
  return /^[\s\S]*?[.](?=\s|$)/.exec(text)?.[0] ?? text;
}

/**
 * @param {Store} store
 * @param {readonly Example[]} examples
 */
function drawTitle(store, examples) {
  const { example, source } = store.get();
  const found = examples.find((one) => one.id === example);
  const name = found ? localized(found.title) : t(source.trim() ? "title.own" : "title.empty");
  byId("title-name", HTMLElement).textContent = name;
  document.title = `${name} – Tapedeck`;
  byId("title-note", HTMLElement).textContent = t(found ? "title.example" : "title.examples");
  const text = found ? localized(found.text) : "";
  const about = byId("about-example", HTMLElement);
  about.hidden = text === "";
  fill(byId("about-text", HTMLElement), ...markdown(text));
}

/**
 * Arrow keys walk through a menu, Escape closes it.
 *
 * @param {KeyboardEvent} event
 * @param {HTMLElement} menu
 * @param {() => void} close
 */
function walk(event, menu, close) {
  const items = [...menu.querySelectorAll("button")];
  const at = items.indexOf(/** @type {HTMLButtonElement} */ (document.activeElement));
  const target = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 }[event.key];
  if (event.key === "Escape" || event.key === "Tab") {
    close();
    if (event.key === "Escape") event.stopPropagation();
  } else if (target !== undefined) {
    event.preventDefault();
    items[(target + items.length) % items.length]?.focus();
  }
}
