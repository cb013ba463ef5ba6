/**
 * The top bar and the panels' headers: run, language, theme, mode, seed, the graph's buttons.
 *
 * @typedef {import("./state.js").Store} Store
 * @typedef {import("./state.js").State} State
 */

import { byId, fill, icon } from "./dom.js";
import { durationText } from "./format.js";
import { encodeView, LONGEST } from "./fragment.js";
import { foldsOf } from "./graph/opening.js";
import { remember } from "./preferences.js";
import { t } from "./words.js";

const THEMES = /** @type {const} */ (["system", "light", "dark"]);

/**
 * @param {Store} store
 * @param {{ run: () => void, cancel: () => void }} runner
 */
export function createHeader(store, runner) {
  const run = byId("run", HTMLButtonElement);
  run.addEventListener("click", () =>
    store.get().run.status === "running" ? runner.cancel() : runner.run(),
  );
  byId("theme", HTMLElement).addEventListener("click", () => {
    const theme = THEMES[(THEMES.indexOf(store.get().theme) + 1) % THEMES.length];
    store.set({ theme });
    remember("theme", theme);
  });
  chooser("languages", "lang", (value) => {
    store.set({ lang: value === "ko" ? "ko" : "en" });
    remember("lang", value);
  });
  chooser("modes", "mode", (value) => store.set({ mode: /** @type {State["mode"]} */ (value) }));
  const seed = byId("seed", HTMLInputElement);
  seed.addEventListener("change", () => {
    const wanted = Number(seed.value.trim() || 0);
    store.set({
      seed:
        Number.isSafeInteger(wanted) && wanted >= 0 && wanted < 2 ** 32 ? wanted : store.get().seed,
    });
    seed.value = String(store.get().seed);
  });
  for (const id of ["copy", "copy-phone"]) {
    const button = byId(id, HTMLElement);
    button.addEventListener("click", () => copyLink(store, button));
  }
  store.subscribe((state, changed) => {
    if (["trace", "run", "lang", "theme", "mode", "seed"].some((key) => changed.has(key)))
      draw(state);
  });
  // A run that tells nothing new still takes time.
  window.setInterval(() => {
    if (store.get().run.status === "running") drawMeta(store.get());
  }, 1000);
  draw(store.get());
}

/**
 * @param {string} id
 * @param {string} name
 * @param {(value: string) => void} choose
 */
function chooser(id, name, choose) {
  for (const button of byId(id, HTMLElement).querySelectorAll("button")) {
    button.addEventListener("click", () => choose(button.dataset[name] ?? ""));
  }
}

/** @param {State} state */
function draw(state) {
  document.documentElement.lang = state.lang;
  document.documentElement.dataset.theme = state.theme;
  drawRun(state);
  drawMeta(state);
  drawStale(state);
  pressed("languages", "lang", state.lang);
  pressed("modes", "mode", state.mode);
  const theme = byId("theme", HTMLElement);
  const label = t(`theme.${state.theme}`);
  if (theme.getAttribute("aria-label") !== label) {
    theme.setAttribute("aria-label", label);
    theme.title = label;
    fill(theme, icon(`theme-${state.theme}`));
  }
  const seed = byId("seed", HTMLInputElement);
  if (document.activeElement !== seed) seed.value = String(state.seed);
  seed.size = Math.max(seed.value.length, 1);
}

/** @param {State} state */
function drawRun({ run }) {
  const running = run.status === "running";
  byId("run-word", HTMLElement).textContent = t(running ? "cancel" : "run");
  byId("run", HTMLElement).classList.toggle("running", running);
  const mac = /Mac|iPhone|iPad/.test(navigator.platform);
  byId("run-keys", HTMLElement).textContent = running ? "" : mac ? "⌘ ↵" : "Ctrl ↵";
}

/**
 * While a run is under way, and after one that gave no recording, all that is shown is of the run
 * before it: it is dimmed, and says so.
 *
 * @param {State} state
 */
function drawStale({ trace, run }) {
  const stale = trace !== null && run.status !== "idle";
  document.body.classList.toggle("stale", stale);
  document.body.classList.toggle("failed", run.status === "failed");
  byId("graph", HTMLElement).dataset.before = t("run.before");
}

/**
 * How far a run is.
 *
 * @param {import("./state.js").Run} run
 */
function progressText({ stage, position, since, ops, line }) {
  if (stage === "queued")
    return position ? t("progress.queued", { n: position }) : t("progress.starting");
  const words = [t(stage === "finishing" ? "progress.finishing" : "progress.running")];
  if (since !== undefined) words.push(`${Math.floor((performance.now() - since) / 1000)} s`);
  if (ops) words.push(t("progress.ops", { n: ops }));
  if (line) words.push(t("progress.line", { line }));
  return words.join(" · ");
}

/** @param {State} state */
function drawMeta({ trace, run }) {
  const meta = byId("meta", HTMLElement);
  const running = run.status === "running";
  meta.classList.toggle("running", running);
  if (running) return fill(meta, icon("recording", "recording"), progressText(run));
  if (!trace) return void (meta.textContent = "");
  const { environment, stats } = trace;
  const words = [];
  if (environment.tensorflow) words.push(`TensorFlow ${environment.tensorflow}`);
  if (environment.devices.length > 0) words.push(deviceText(environment.devices));
  if (stats.wall_ms > 0) words.push(t("ran", { time: durationText(stats.wall_ms) }));
  meta.textContent = words.join(" · ");
}

/**
 * `/physical_device:CPU:0` → `CPU`.
 *
 * @param {readonly string[]} devices
 */
function deviceText(devices) {
  return [
    ...new Set(devices.map((device) => /(CPU|GPU|TPU)/i.exec(device)?.[1].toUpperCase() ?? device)),
  ].join(", ");
}

/**
 * @param {string} id
 * @param {string} name
 * @param {string} value
 */
function pressed(id, name, value) {
  for (const button of byId(id, HTMLElement).querySelectorAll("button")) {
    button.setAttribute("aria-pressed", String(button.dataset[name] === value));
  }
}

/**
 * The fragment for what is on the page; "" where it would be too long for an address.
 *
 * @param {State} state
 */
export async function currentFragment({ trace, index, ...state }) {
  const step = trace ? state.step : null;
  const folds = index ? foldsOf(index, state) : { open: [], closed: [] };
  const fragment = await encodeView({ ...state, ...folds, step });
  return fragment.length > LONGEST ? "" : fragment;
}

/**
 * @param {Store} store
 * @param {HTMLElement} button
 */
async function copyLink(store, button) {
  const fragment = await currentFragment(store.get());
  if (fragment === "") return say(button, "copy.tooLong");
  history.replaceState(null, "", `#${fragment}`);
  try {
    await navigator.clipboard.writeText(location.href);
    say(button, "copy.done");
  } catch {
    say(button, "copy.byHand"); // No access to the clipboard: the address bar holds the link.
  }
}

/**
 * Says on the button itself what came of pressing it, for a while.
 *
 * @param {HTMLElement} button
 * @param {string} key
 */
function say(button, key) {
  button.textContent = t(key);
  byId("announcer", HTMLElement).textContent = t(key);
  window.setTimeout(() => {
    button.textContent = t("copy.link");
  }, 2400);
}

/**
 * Puts the language's words into the parts of the page that stand in the template.
 *
 * @param {ParentNode} root
 */
export function translate(root) {
  for (const node of root.querySelectorAll("[data-t]"))
    node.textContent = t(node.getAttribute("data-t") ?? "");
  for (const node of root.querySelectorAll("[data-t-label]"))
    node.setAttribute("aria-label", t(node.getAttribute("data-t-label") ?? ""));
  for (const node of root.querySelectorAll("[data-t-placeholder]"))
    node.setAttribute("placeholder", t(node.getAttribute("data-t-placeholder") ?? ""));
}
