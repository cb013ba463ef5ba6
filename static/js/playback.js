/**
 * Moving the playhead: by key, by hand, and by itself.
 *
 * @typedef {import("./state.js").Store} Store
 *
 * @typedef {object} Transport
 * @property {() => void} first
 * @property {() => void} back
 * @property {() => void} toggle
 * @property {() => void} forward
 * @property {() => void} last
 * @property {(step: number) => void} seek
 * @property {(direction: 1 | -1) => void} tapeEvent
 * @property {(direction: 1 | -1) => void} leap  an iteration, outside of loops a tenth of the run
 */

import { iterationMoved } from "./graph/iterations.js";
import { lastStep } from "./state.js";

/** A step at speed 1, in ms; in a long run shorter, so that all of it takes about a minute. */
const STEP = 560;
const WHOLE = 60_000;

/**
 * @param {Store} store
 * @param {() => void} onEnd  told when playing has come to the end
 * @returns {Transport}
 */
export function createTransport(store, onEnd) {
  let previous = 0;
  let owed = 0;

  /** @param {number} step */
  const seek = (step) => {
    const state = store.get();
    if (!state.trace) return;
    store.set({ step: Math.min(Math.max(step, -1), lastStep(state)), playing: false });
  };

  /** @param {number} now */
  const tick = (now) => {
    const state = store.get();
    if (!state.playing) return;
    const last = lastStep(state);
    owed += ((now - previous) * state.speed) / Math.min(STEP, WHOLE / Math.max(last, 1));
    previous = now;
    const steps = Math.floor(owed);
    owed -= steps;
    const step = Math.min(state.step + steps, last);
    if (step < last) {
      if (steps > 0) store.set({ step });
      requestAnimationFrame(tick);
    } else {
      store.set({ step, playing: false });
      onEnd();
    }
  };

  const toggle = () => {
    const state = store.get();
    const last = lastStep(state);
    if (last < 0) return;
    if (state.playing) return store.set({ playing: false });
    owed = 0;
    previous = performance.now();
    store.set({ playing: true, step: state.step >= last ? -1 : state.step });
    requestAnimationFrame(tick);
  };

  /** @param {1 | -1} direction */
  const tapeEvent = (direction) => {
    const { index, step } = store.get();
    if (!index) return;
    const steps = [...index.tapeSteps()];
    const found =
      direction > 0 ? steps.find((at) => at > step) : steps.reverse().find((at) => at < step);
    if (found !== undefined) seek(found);
  };

  /** @param {1 | -1} direction */
  const leap = (direction) => {
    const state = store.get();
    if (!state.index) return;
    const loop = state.index.loopAt(state.step);
    const moved = loop === null ? {} : iterationMoved(state, loop, direction);
    seek(moved.step ?? state.step + direction * Math.max(1, Math.round(state.index.length / 10)));
  };

  return {
    first: () => seek(-1),
    back: () => seek(store.get().step - 1),
    toggle,
    forward: () => seek(store.get().step + 1),
    last: () => seek(lastStep(store.get())),
    seek,
    tapeEvent,
    leap,
  };
}
