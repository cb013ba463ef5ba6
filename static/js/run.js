/**
 * Running the editor's snippet, and putting its trace on the page.
 *
 * @typedef {import("./state.js").Store} Store
 * @typedef {import("./fragment.js").View} View
 */

import { RequestError, runSnippet } from "./api.js";
import { foldsFrom } from "./graph/opening.js";
import { buildIndex } from "./trace/index.js";
import { t } from "./words.js";

/** The outcome names no step: a finished run is shown at its end. */
const END = Number.MAX_SAFE_INTEGER;

/**
 * @param {Store} store
 * @returns {{ run: (at?: View) => Promise<void>, cancel: () => void }}
 */
export function createRunner(store) {
  /** @type {AbortController | null} */
  let running = null;

  /** @param {View} [at]  what the address asks to be shown */
  async function run(at) {
    running?.abort();
    const abort = new AbortController();
    running = abort;
    const { source, mode, seed } = store.get();
    const since = performance.now();
    store.set({ run: { status: "running", stage: "queued", since }, notice: "", playing: false });
    try {
      const trace = await runSnippet(
        { source, mode, seed },
        (progress) => {
          if (running === abort) store.set({ run: { status: "running", since, ...progress } });
        },
        abort.signal,
      );
      if (running === abort) show(store, trace, at);
    } catch (error) {
      if (running !== abort) return;
      store.set({
        run: abort.signal.aborted
          ? { status: "failed", sentence: t("request.cancelled") }
          : failure(error),
      });
    } finally {
      if (running === abort) running = null;
    }
  }

  return { run, cancel: () => running?.abort() };
}

/**
 * @param {unknown} error
 * @returns {import("./state.js").Run}
 */
function failure(error) {
  if (!(error instanceof RequestError)) throw error;
  // The server speaks English only; where the page has a sentence of its own, that serves.
  const said = error.detail && error.key === "request.failed" ? ` ${error.detail}` : "";
  return { status: "failed", sentence: t(error.key) + said };
}

/**
 * @param {Store} store
 * @param {import("./trace/types.js").Trace} trace
 * @param {View} [at]  what the address asks to be shown
 */
function show(store, trace, at) {
  const index = buildIndex(trace);
  const last = trace.events.length - 1;
  const selection = at?.selection ?? null;
  store.set({
    trace,
    index,
    step: Math.min(Math.max(at?.step ?? END, -1), last),
    selection: selection && exists(trace, selection) ? selection : null,
    side: selection || trace.findings.length === 0 ? "inspector" : "findings",
    playing: false,
    ...(at ? { direction: at.direction, bookkeeping: at.bookkeeping } : {}),
    ...(at ? foldsFrom(index, at) : { open: new Set(), closed: new Set() }),
    search: "",
    run: { status: "idle" },
  });
}

const SECTIONS = /** @type {const} */ ({
  op: "ops",
  tensor: "tensors",
  constant: "tensors",
  variable: "variables",
  tape: "tapes",
  group: "groups",
  call: "gradients",
});

/**
 * @param {import("./trace/types.js").Trace} trace
 * @param {import("./state.js").Selection} selection
 */
function exists(trace, { kind, id }) {
  return id < trace[SECTIONS[kind]].length;
}
