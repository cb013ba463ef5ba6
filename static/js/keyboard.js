/**
 * The keys of the page. While one types, only Ctrl+Enter and Escape are ours.
 *
 * @typedef {import("./playback.js").Transport} Transport
 */

/**
 * @param {Transport} transport
 * @param {{ run: () => void, search: () => void, escape: () => void }} actions
 */
export function listenToKeys(transport, actions) {
  const keys = /** @type {Record<string, () => void>} */ ({
    ArrowLeft: transport.back,
    ArrowRight: transport.forward,
    Home: transport.first,
    End: transport.last,
    PageUp: () => transport.leap(-1),
    PageDown: () => transport.leap(1),
    "[": () => transport.tapeEvent(-1),
    "]": () => transport.tapeEvent(1),
    "/": actions.search,
  });
  document.addEventListener("keydown", (event) => {
    if ((event.ctrlKey || event.metaKey) && event.key === "Enter") return act(event, actions.run);
    if (event.key === "Escape") return actions.escape();
    if (
      event.defaultPrevented ||
      event.ctrlKey ||
      event.metaKey ||
      event.altKey ||
      typing(event.target)
    )
      return;
    if (event.key === " " && !pressable(event.target)) return act(event, transport.toggle);
    const action = keys[event.key];
    if (action) act(event, action);
  });
}

/**
 * @param {KeyboardEvent} event
 * @param {() => void} action
 */
function act(event, action) {
  event.preventDefault();
  action();
}

/** @param {EventTarget | null} target */
function typing(target) {
  if (!(target instanceof Element)) return false;
  return (
    target.closest("input, textarea, select, [contenteditable='true'], [role='menu']") !== null
  );
}

/**
 * Space presses a focused button; it plays everywhere else.
 *
 * @param {EventTarget | null} target
 */
function pressable(target) {
  return (
    target instanceof Element &&
    target.closest("button, a, summary, [role='button'], [role='tab']") !== null
  );
}
