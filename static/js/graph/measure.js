/**
 * How wide a text will be, without a document to try it in: the layout runs before anything is
 * drawn, and reserves room for texts that come later. Estimates err on the wide side.
 */

const WIDE = /[\u1100-\u11ff\u2e80-\u9fff\uac00-\ud7ff\uf900-\ufaff\uff00-\uff60\u{1f000}-\u{1ffff}]/u;
const NARROW = new Set("iljtfrI.,:;'|!()[]{} /·");
const BROAD = new Set("mwMW@%—∂×");

/**
 * @param {string} text
 * @param {number} size  in px
 */
export function monoWidth(text, size) {
  let cells = 0;
  for (const character of text) cells += WIDE.test(character) ? 1.7 : 1;
  return cells * size * 0.605;
}

/**
 * @param {string} text
 * @param {number} size
 * @param {boolean} [bold]
 */
export function sansWidth(text, size, bold = false) {
  let ems = 0;
  for (const character of text) {
    if (WIDE.test(character)) ems += 1;
    else if (NARROW.has(character)) ems += 0.33;
    else if (BROAD.has(character)) ems += 0.86;
    else ems += character >= "A" && character <= "Z" ? 0.69 : 0.56;
  }
  return ems * size * (bold ? 1.07 : 1);
}

/**
 * The text as far as it fits, its end as `…`.
 *
 * @param {string} text
 * @param {number} room
 * @param {(text: string) => number} width
 */
export function fitted(text, room, width) {
  if (width(text) <= room) return text;
  const characters = [...text];
  while (characters.length > 0 && width(`${characters.join("")}…`) > room) characters.pop();
  return characters.length > 0 ? `${characters.join("")}…` : "";
}
