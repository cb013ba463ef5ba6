/**
 * The page: puts its panels around one state, opens what the address asks for, else an example.
 */

import { byId } from "./dom.js";
import { createDeck } from "./deck/deck.js";
import { createEditor } from "./editor/editor.js";
import { createPicker, loadExamples } from "./examples.js";
import { decodeView } from "./fragment.js";
import { createGraphPanel } from "./graph/panel.js";
import { createGraphBar } from "./graphbar.js";
import { createHeader, currentFragment, translate } from "./header.js";
import { createSide } from "./inspector/inspector.js";
import { listenToKeys } from "./keyboard.js";
import { createNotices } from "./notices.js";
import { createTransport } from "./playback.js";
import { recall } from "./preferences.js";
import { createResults } from "./results.js";
import { createRunner } from "./run.js";
import { createShell } from "./shell.js";
import { createStore, initialState } from "./state.js";
import { browserLanguage, setLanguage, t } from "./words.js";

/** The address is written so long after the last change, in ms. */
const SETTLED = 250;

function start() {
  const saved = { lang: recall("lang"), theme: recall("theme") };
  const lang =
    saved.lang === "en" || saved.lang === "ko" ? saved.lang : browserLanguage(navigator.languages);
  const theme = saved.theme === "light" || saved.theme === "dark" ? saved.theme : "system";
  const store = createStore({ ...initialState(), lang, theme });
  setLanguage(lang);
  translate(document);
  // First of all listeners: what the others write is in the new language.
  store.subscribe((state, changed) => {
    if (!changed.has("lang")) return;
    setLanguage(state.lang);
    translate(document);
  });

  const runner = createRunner(store);
  const run = () => void runner.run();
  const shell = createShell(store);
  const transport = createTransport(store, () => endOfTape(shell));
  createHeader(store, { run, cancel: runner.cancel });
  createEditor(byId("editor", HTMLElement), store);
  createNotices(store, run);
  createResults(store);
  createGraphPanel(byId("graph", HTMLElement), store);
  createGraphBar(store);
  createSide(store);
  createDeck(store, transport);
  const setExamples = createPicker(store, run);
  listenToKeys(transport, {
    run,
    search: () => byId("search", HTMLInputElement).focus(),
    escape: () => {
      shell.closeDrawer();
      if (store.get().selection !== null) store.set({ selection: null });
    },
  });
  keepAddress(store);
  window.addEventListener("hashchange", () => void openAddress(store, runner));
  void open(store, runner, setExamples);
}

/**
 * Playing ends on the table of gradients.
 *
 * @param {{ showTab: (name: string) => void }} shell
 */
function endOfTape(shell) {
  const table = byId("gradients", HTMLElement);
  const panel = table.closest(".results");
  if (matchMedia("(max-width: 719.98px)").matches) shell.showTab("gradients");
  table.focus({ preventScroll: true });
  panel?.classList.add("arrived");
  window.setTimeout(() => panel?.classList.remove("arrived"), 1600);
  byId("announcer", HTMLElement).textContent = t("deck.ended");
}

/**
 * @param {import("./state.js").Store} store
 * @param {ReturnType<typeof createRunner>} runner
 * @param {(examples: import("./examples.js").Example[]) => void} setExamples
 */
async function open(store, runner, setExamples) {
  const opened = await openAddress(store, runner);
  try {
    const examples = await loadExamples();
    setExamples(examples);
    const [first] = examples;
    if (opened || !first || store.get().source !== "") return;
    store.set({ source: first.source, mode: first.mode, seed: first.seed, example: first.id });
    const { notice } = store.get();
    await runner.run();
    store.set({ notice });
  } catch {
    if (!opened) store.set({ run: { status: "failed", sentence: t("request.unreachable") } });
  }
}

/**
 * Opens what the address's fragment holds; false where it holds nothing of ours.
 *
 * @param {import("./state.js").Store} store
 * @param {ReturnType<typeof createRunner>} runner
 */
async function openAddress(store, runner) {
  if (location.hash.length < 2 || location.hash === written) return false;
  const view = await decodeView(location.hash);
  if (view === null) {
    store.set({ notice: "fragment.damaged" });
    return false;
  }
  store.set({ source: view.source, mode: view.mode, seed: view.seed, example: null });
  await runner.run(view);
  return true;
}

/** The fragment that the page itself wrote last. */
let written = "";

/**
 * Writes the view into the address as it changes, without filling the history.
 *
 * @param {import("./state.js").Store} store
 */
function keepAddress(store) {
  let timer = 0;
  const write = async () => {
    const state = store.get();
    if (state.playing || state.run.status === "running" || !state.trace) return;
    const fragment = await currentFragment(state);
    byId("copy", HTMLElement).classList.toggle("too-long", fragment === "");
    written = fragment === "" ? "" : `#${fragment}`;
    if (location.hash !== written) history.replaceState(null, "", written || location.pathname);
  };
  store.subscribe((_, changed) => {
    if (
      ![
        ...["source", "mode", "seed", "step", "selection", "trace", "playing"],
        ...["direction", "bookkeeping", "open", "closed"],
      ].some((key) => changed.has(key))
    )
      return;
    window.clearTimeout(timer);
    timer = window.setTimeout(write, SETTLED);
  });
}

start();
