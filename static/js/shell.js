/**
 * The page's frame where it is narrow: tabs on a phone, the inspector as a drawer on a tablet.
 *
 * @typedef {import("./state.js").Store} Store
 */

import { byId } from "./dom.js";

const DRAWER = "(min-width: 720px) and (max-width: 1199.98px)";

/** @param {Store} store */
export function createShell(store) {
  const tabs = createTabs();
  const drawer = createDrawer();
  const seen = { selection: store.get().selection };
  store.subscribe((state, changed) => {
    if (!changed.has("selection") || state.selection === null) return;
    if (state.selection !== seen.selection && matchMedia(DRAWER).matches) drawer.open(false);
    seen.selection = state.selection;
  });
  return { showTab: tabs.show, closeDrawer: drawer.close };
}

function createTabs() {
  const bar = byId("phone-tabs", HTMLElement);
  const buttons = [...bar.querySelectorAll("button")];
  /** @param {string} name */
  const show = (name) => {
    document.body.dataset.tab = name;
    for (const button of buttons) {
      const on = button.dataset.tab === name;
      button.setAttribute("aria-selected", String(on));
      button.tabIndex = on ? 0 : -1;
    }
  };
  bar.addEventListener("click", (event) => {
    const button = event.target instanceof Element ? event.target.closest("button") : null;
    if (button) show(button.dataset.tab ?? "graph");
  });
  arrowsWalk(bar, buttons);
  for (const tabs of document.querySelectorAll(".side .tabs")) {
    if (tabs instanceof HTMLElement) arrowsWalk(tabs, [...tabs.querySelectorAll("button")]);
  }
  show("graph");
  return { show };
}

/**
 * In a row of tabs the arrow keys go from tab to tab; the deck's arrows keep out of it.
 *
 * @param {HTMLElement} bar
 * @param {HTMLButtonElement[]} buttons
 */
function arrowsWalk(bar, buttons) {
  bar.addEventListener("keydown", (event) => {
    const way = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (way === 0) return;
    event.preventDefault();
    event.stopPropagation();
    const at = buttons.indexOf(/** @type {HTMLButtonElement} */ (document.activeElement));
    const next = buttons[(at + way + buttons.length) % buttons.length];
    next.click();
    next.focus();
  });
}

function createDrawer() {
  const opener = byId("drawer-open", HTMLElement);
  const side = byId("side", HTMLElement);
  /** @param {boolean} focus */
  const open = (focus) => {
    document.body.classList.add("drawer");
    opener.setAttribute("aria-expanded", "true");
    if (focus) byId("drawer-close", HTMLElement).focus();
  };
  const close = () => {
    if (!document.body.classList.contains("drawer")) return;
    document.body.classList.remove("drawer");
    opener.setAttribute("aria-expanded", "false");
    if (side.contains(document.activeElement)) opener.focus();
  };
  opener.addEventListener("click", () =>
    document.body.classList.contains("drawer") ? close() : open(true),
  );
  byId("drawer-close", HTMLElement).addEventListener("click", close);
  return { open, close };
}
