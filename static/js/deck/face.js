/**
 * The deck's left side: the window with its reels and readout, the piano keys, the speed.
 *
 * @typedef {import("../state.js").Store} Store
 * @typedef {import("../state.js").State} State
 */

import { el, fill, icon } from "../dom.js";
import { tapeName } from "../names.js";
import { aliveTapes } from "../reasons.js";
import { lastStep } from "../state.js";
import { t } from "../words.js";
import { createReels } from "./reels.js";

/** Of several tapes the deck shows the one that does most. */
const LIVELY = ["rewinding", "recording", "paused", "stopped", "created", "consumed", "deleted"];
const SPEEDS = [0.5, 1, 2, 4];

/**
 * The tape that the window is about at a step, and its state.
 *
 * @param {State} state
 * @returns {{ tape: number | null, state: string, recording: boolean, alive: number }}
 */
export function shownTape({ trace, index, step }) {
  if (!trace || !index) return { tape: null, state: "absent", recording: false, alive: 0 };
  const alive = aliveTapes(trace, index, step);
  const states = alive.map((tape) => ({ tape, state: index.tapeStateAt(tape, step) ?? "created" }));
  const recording = states.some(({ state }) => state === "recording");
  const event = trace.events[step];
  if (event?.kind === "tape" && event.state === "deleted") {
    return { tape: event.tape, state: "deleted", recording, alive: alive.length };
  }
  // Of equally lively tapes the newest one.
  states.sort((a, b) => LIVELY.indexOf(a.state) - LIVELY.indexOf(b.state) || b.tape - a.tape);
  if (states.length === 0) return { tape: null, state: "absent", recording, alive: 0 };
  return { ...states[0], recording, alive: alive.length };
}

/**
 * @param {HTMLElement} root
 * @param {Store} store
 * @param {{ first: () => void, back: () => void, toggle: () => void, forward: () => void, last: () => void }} transport
 */
export function createFace(root, store, transport) {
  const reels = createReels();
  const lamp = el("div", { class: "lamp" });
  const counter = el("div", { class: "counter" });
  const caption = el("div", { class: "caption wide" });
  const deckWindow = el(
    "div",
    { class: "window" },
    reels.node,
    el("div", { class: "readout" }, lamp, el("div", { class: "count-box" }, caption, counter)),
  );
  const keys = createKeys(transport);
  const speed = createSpeed(store);
  fill(root, deckWindow, el("div", { class: "keys" }, keys.node, speed.node));

  /** @param {State} state */
  function update(state) {
    const shown = shownTape(state);
    const last = lastStep(state);
    const turning = state.playing && (shown.state === "recording" || shown.state === "rewinding");
    deckWindow.className = `window ${shown.state}${turning ? " turning" : ""}`;
    reels.update(
      last < 0 ? 0 : (state.step + 1) / (last + 1),
      state.trace && shown.tape !== null ? tapeName(state.trace, shown.tape) : "",
    );
    drawLamp(lamp, state, shown);
    caption.textContent = t("step");
    drawCounter(counter, state.step, last);
    keys.update(state, last);
    speed.update(state);
  }
  return { update };
}

/**
 * @param {HTMLElement} lamp
 * @param {State} state
 * @param {ReturnType<typeof shownTape>} shown
 */
function drawLamp(lamp, state, shown) {
  const word = t(shown.tape === null ? "deck.noTape" : `lamp.${shown.state}`);
  const named = state.trace && shown.tape !== null && shown.alive > 1;
  const light = el("span", {
    class: shown.recording ? "led lit" : "led",
    title: t(shown.recording ? "light.on" : "light.off"),
  });
  const mark = shown.tape === null || shown.state === "recording" ? null : icon(shown.state);
  // Where the reels' label has no room, the name stands here.
  const name =
    named && state.trace
      ? el("span", { class: "lamp-name", text: tapeName(state.trace, shown.tape ?? 0) })
      : null;
  lamp.className = `lamp ${shown.state}`;
  fill(lamp, light, mark, name, el("span", { class: "lamp-word", text: word }));
}

/**
 * @param {HTMLElement} counter
 * @param {number} step
 * @param {number} last
 */
function drawCounter(counter, step, last) {
  const width = Math.max(String(last).length, 2);
  const shown = step < 0 ? "–".repeat(width) : String(step).padStart(width, "0");
  // Long runs have long numbers: the whole of them has to stand in the window.
  counter.classList.toggle("long", width > 4);
  counter.classList.toggle("longer", width > 5);
  fill(counter, shown, el("small", { text: last < 0 ? "" : ` / ${last}` }));
}

/** @param {Parameters<typeof createFace>[2]} transport */
function createKeys(transport) {
  const names = /** @type {const} */ (["first", "back", "toggle", "forward", "last"]);
  const buttons = names.map((name) =>
    el(
      "button",
      {
        type: "button",
        class: name === "toggle" ? "play" : "",
        id: `key-${name}`,
        onclick: () => transport[name](),
      },
      icon(name === "toggle" ? "play" : name),
    ),
  );
  const node = el("div", { class: "piano", role: "group" }, ...buttons);
  /** @param {State} state @param {number} last */
  function update({ playing, step, lang }, last) {
    node.setAttribute("aria-label", t("deck.transport"));
    buttons.forEach((button, i) => {
      const name = names[i];
      const label = name === "toggle" ? (playing ? "deck.pause" : "deck.play") : `deck.${name}`;
      button.setAttribute("aria-label", t(label));
      button.title = t(`${label}.title`);
    });
    const play = buttons[2];
    play.classList.toggle("down", playing);
    play.querySelector("use")?.setAttribute("href", playing ? "#i-pause" : "#i-play");
    const nothing = last < 0;
    [0, 1].forEach((i) => button(buttons[i], nothing || step < 0));
    [3, 4].forEach((i) => button(buttons[i], nothing || step >= last));
    button(play, nothing);
    node.lang = lang;
  }
  return { node, update };
}

/**
 * A key that can do nothing keeps its focus, so that stepping to the end by keyboard goes on.
 *
 * @param {HTMLButtonElement} node
 * @param {boolean} idle
 */
function button(node, idle) {
  if (idle) node.setAttribute("aria-disabled", "true");
  else node.removeAttribute("aria-disabled");
}

/** @param {Store} store */
function createSpeed(store) {
  const buttons = SPEEDS.map((speed) =>
    el("button", {
      type: "button",
      text: speed === 0.5 ? "½×" : `${speed}×`,
      onclick: () => store.set({ speed }),
    }),
  );
  const node = el("div", { class: "speed", role: "group" }, ...buttons);
  /** @param {State} state */
  function update({ speed }) {
    node.setAttribute("aria-label", t("deck.speed"));
    buttons.forEach((item, i) => item.setAttribute("aria-pressed", String(SPEEDS[i] === speed)));
  }
  return { node, update };
}
