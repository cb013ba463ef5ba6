/**
 * Running the editor's snippet, and putting its trace on the page.
 *
 * @typedef {import("./state.js").Store} Store
 */

import { RequestError, runSnippet } from "./api.js";
import { buildIndex } from "./trace/index.js";
import { t } from "./words.js";

/** The outcome names no step: a finished run is shown at its end. */
const END = Number.MAX_SAFE_INTEGER;

/**
 * @param {Store} store
 * @returns {{ run: (at?: { step: number | null, selection: import("./state.js").Selection | null }) => Promise<void>, cancel: () => void }}
 */
export function createRunner(store) {
  /** @type {AbortController | null} */
  let running = null;

  /** @param {{ step: number | null, selection: import("./state.js").Selection | null }} [at] */
  async function run(at) {
    running?.abort();
    const abort = new AbortController();
    running = abort;
    const { source, mode, seed } = store.get();
    store.set({ run: { status: "running", stage: "queued" }, notice: "", playing: false });
    try {
      const trace = await runSnippet(
        { source, mode, seed },
        (progress) => {
          if (running === abort) store.set({ run: { status: "running", ...progress } });
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
 * @param {{ step: number | null, selection: import("./state.js").Selection | null }} [at]
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
    open: new Set(),
    closed: new Set(),
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
