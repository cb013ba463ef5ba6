/**
 * The page's wording, one catalogue a language.
 *
 * A phrase holds `{name}` where a parameter goes. A phrase "one thing|{n} things" is chosen by
 * the parameter `n`. `rich` keeps the parameters apart, so that code can be set as code.
 */

import { en as pageEn } from "./words/en.js";
import { graphEn } from "./words/graph-en.js";
import { graphKo } from "./words/graph-ko.js";
import { ko as pageKo } from "./words/ko.js";
import { stepsEn } from "./words/steps-en.js";
import { stepsKo } from "./words/steps-ko.js";

/**
 * @typedef {"text" | "strong" | "code" | "dim"} PartKind
 * @typedef {{ text: string, kind: PartKind }} Part
 * @typedef {string | number | Part | readonly Part[]} Param
 */

const en = { ...pageEn, ...stepsEn, ...graphEn };

/** @type {Record<string, Record<string, string>>} */
const catalogues = { en, ko: { ...pageKo, ...stepsKo, ...graphKo } };

let language = "en";

/** @param {string} lang */
export function setLanguage(lang) {
  language = lang in catalogues ? lang : "en";
}

/** @returns {string} */
export function currentLanguage() {
  return language;
}

/**
 * The language that the browser asks for, as far as there is a catalogue.
 *
 * @param {readonly string[]} wanted
 * @returns {"en" | "ko"}
 */
export function browserLanguage(wanted) {
  for (const tag of wanted) {
    const base = tag.toLowerCase().split("-")[0];
    if (base === "ko" || base === "en") return base;
  }
  return "en";
}

/**
 * @param {string} key
 * @param {Record<string, Param>} params
 */
function phrase(key, params) {
  const text = catalogues[language][key] ?? en[key] ?? key;
  const bar = text.indexOf("|");
  if (bar < 0 || !("n" in params)) return text;
  return Number(params.n) === 1 ? text.slice(0, bar) : text.slice(bar + 1);
}

/**
 * Whether the catalogue has this phrase.
 *
 * @param {string} key
 */
export function hasWord(key) {
  return key in en;
}

/**
 * @param {string} key
 * @param {Record<string, Param>} [params]
 * @returns {string}
 */
export function t(key, params = {}) {
  return plain(rich(key, params));
}

/**
 * A phrase as parts.
 *
 * @param {string} key
 * @param {Record<string, Param>} [params]
 * @returns {Part[]}
 */
export function rich(key, params = {}) {
  /** @type {Part[]} */
  const parts = [];
  for (const piece of phrase(key, params).split(/(\{\w+\})/)) {
    if (piece === "") continue;
    const name = /^\{(\w+)\}$/.exec(piece)?.[1];
    const value = name === undefined ? piece : (params[name] ?? piece);
    if (typeof value === "object") parts.push(...[value].flat());
    else parts.push({ text: String(value), kind: "text" });
  }
  return parts;
}

/**
 * @param {readonly Part[]} parts
 * @returns {string}
 */
export function plain(parts) {
  return parts.map((part) => part.text).join("");
}

/** @param {string | number} text @returns {Part} */
export const strong = (text) => ({ text: String(text), kind: "strong" });

/** @param {string | number} text @returns {Part} */
export const code = (text) => ({ text: String(text), kind: "code" });

/** @param {string | number} text @returns {Part} */
export const dim = (text) => ({ text: String(text), kind: "dim" });
