/**
 * The one state of the page, and who is told when it changes.
 *
 * @typedef {import("./trace/types.js").Trace} Trace
 * @typedef {import("./trace/index.js").TraceIndex} TraceIndex
 *
 * @typedef {"op" | "tensor" | "variable" | "tape" | "group" | "call" | "constant"} SelectionKind
 * @typedef {{ kind: SelectionKind, id: number }} Selection
 *
 * @typedef {object} Run
 * @property {"idle" | "running" | "failed"} status
 * @property {string} [stage]  where a running one is: `queued` or `running`
 * @property {number} [position]  how many wait before it
 * @property {number} [since]  when it began, in ms of the page's clock
 * @property {number} [ops]  ops recorded so far
 * @property {number} [line]  the line that it is at
 * @property {string} [sentence]  why the request failed
 *
 * @typedef {object} State
 * @property {Trace | null} trace
 * @property {TraceIndex | null} index
 * @property {number} step  −1: before the first event
 * @property {boolean} playing
 * @property {number} speed
 * @property {Selection | null} selection
 * @property {"down" | "right"} direction
 * @property {boolean} bookkeeping  whether shape arithmetic, reads and the like are shown
 * @property {ReadonlySet<number>} open  groups unfolded by hand
 * @property {ReadonlySet<number>} closed  groups folded by hand
 * @property {string} search  what the graph is searched for
 * @property {"en" | "ko"} lang
 * @property {"system" | "light" | "dark"} theme
 * @property {Run} run
 * @property {string} notice  key of something to say about how the page was opened; "" for nothing
 * @property {string} source  the editor's text, maybe not yet run
 * @property {"auto" | "script" | "expressions"} mode
 * @property {number} seed
 * @property {string | null} example  id of the example that the editor holds unchanged
 * @property {"inspector" | "findings"} side  the tab of the right panel
 *
 * @typedef {object} Store
 * @property {() => State} get
 * @property {(patch: Partial<State>) => void} set
 * @property {(fn: (state: State, changed: Set<string>) => void) => () => void} subscribe
 */

/**
 * @param {State} initial
 * @returns {Store}
 */
export function createStore(initial) {
  let state = initial;
  /** @type {Set<(state: State, changed: Set<string>) => void>} */
  const listeners = new Set();
  return {
    get: () => state,
    set(patch) {
      const keys = /** @type {(keyof State)[]} */ (Object.keys(patch));
      const changed = new Set(keys.filter((key) => !Object.is(state[key], patch[key])));
      if (changed.size === 0) return;
      state = { ...state, ...patch };
      for (const listener of [...listeners]) listener(state, /** @type {Set<string>} */ (changed));
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** @returns {State} */
export function initialState() {
  return {
    trace: null,
    index: null,
    step: -1,
    playing: false,
    speed: 1,
    selection: null,
    direction: "down",
    bookkeeping: false,
    open: new Set(),
    closed: new Set(),
    search: "",
    lang: "en",
    theme: "system",
    run: { status: "idle" },
    notice: "",
    source: "",
    mode: "auto",
    seed: 0,
    example: null,
    side: "inspector",
  };
}

/**
 * The last step of a trace; −1 where it has no events.
 *
 * @param {State} state
 */
export function lastStep(state) {
  return state.trace ? state.trace.events.length - 1 : -1;
}
