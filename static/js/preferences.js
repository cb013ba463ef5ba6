/**
 * What the browser keeps for the next visit: language and theme. Nothing else is stored.
 */

/** @param {"lang" | "theme"} name */
export function recall(name) {
  try {
    return localStorage.getItem(`tapedeck.${name}`);
  } catch {
    return null; // Storage is switched off: the defaults serve.
  }
}

/**
 * @param {"lang" | "theme"} name
 * @param {string} value
 */
export function remember(name, value) {
  try {
    localStorage.setItem(`tapedeck.${name}`, value);
  } catch {
    // Storage is switched off: the choice lasts until the page is left.
  }
}
