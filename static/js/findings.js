/**
 * The findings of a run: what is wrong, where, why, and the steps that show it.
 *
 * @typedef {import("./state.js").Store} Store
 * @typedef {import("./trace/types.js").Trace} Trace
 * @typedef {import("./trace/types.js").Finding} Finding
 * @typedef {import("./trace/index.js").TraceIndex} TraceIndex
 *
 * @typedef {Record<string, string>} Localized  a text by language
 * @typedef {{ code: string, title: Localized, explanation: Localized, page: Localized }} Entry
 */

import { getJson } from "./api.js";
import { el, icon } from "./dom.js";
import { notFinite } from "./format.js";
import { inline, markdown } from "./markdown.js";
import { partNodes } from "./parts.js";
import { sentenceAt } from "./sentence.js";
import { lineOf } from "./source.js";
import { currentLanguage, t } from "./words.js";

/** @type {Record<string, Entry>} */
let catalogue = {};
/** @type {Promise<void> | null} */
let loading = null;

/**
 * Loads the catalogue of findings, once; `then` is told when it is there.
 *
 * @param {() => void} then
 */
export function loadCatalogue(then) {
  loading ??= getJson("/api/findings").then(
    (/** @type {Entry[]} */ found) => {
      catalogue = Object.fromEntries(found.map((entry) => [entry.code, entry]));
    },
    () => {
      loading = null; // Codes and evidence stand without it.
    },
  );
  loading.then(then);
}

/**
 * @param {Store} store
 * @param {Trace} trace
 * @param {TraceIndex} index
 * @returns {Node[]}
 */
export function findingsView(store, trace, index) {
  if (trace.findings.length === 0)
    return [el("p", { class: "empty", text: emptyText(trace) }), ...ownErrors(trace)];
  return trace.findings.map((finding) => findingNode(store, trace, index, finding));
}

/**
 * That there are no findings, and no more than is known: what was looked for, and whether there was
 * anything to look at.
 *
 * @param {Trace} trace
 */
function emptyText(trace) {
  if (trace.events.length === 0) return t("findings.nothing");
  const { kind, error } = trace.outcome;
  const first = t(kind === "completed" ? "findings.zero" : error === null ? "findings.none" : "findings.unexplained");
  if (trace.gradients.length === 0) return `${first} ${t("gradients.noCall")}`;
  const rules = Object.keys(catalogue).length;
  const looked = rules === 0 ? "" : t("findings.looked", { n: rules });
  return [first, looked, holdsText(trace)].filter(Boolean).join(" ");
}

/**
 * That gradients hold nan or inf, which no rule speaks of; "" where none does.
 *
 * @param {Trace} trace
 */
function holdsText(trace) {
  const bad = trace.gradients.flatMap(({ results }) => results).filter(({ tensor }) => {
    return tensor !== null && notFinite(trace.tensors[tensor]) !== "";
  });
  return bad.length === 0 ? "" : t("findings.notFinite", { n: bad.length });
}

/**
 * The error that ended the run, where no finding explains it.
 *
 * @param {Trace} trace
 */
function ownErrors(trace) {
  const id = trace.outcome.error;
  if (id === null) return [];
  return [el("section", {}, ...saysNodes(trace, id))];
}

/**
 * An error to the letter, with a plain explanation where there is one.
 *
 * @param {Trace} trace
 * @param {number} id
 */
export function saysNodes(trace, id) {
  const { type, message, hint, text } = trace.errors[id];
  const library = /tensorflow|keras/.test(trace.errors[id].frames.at(-1)?.module ?? "");
  return [
    el("h3", { text: t(library ? "says" : "says.python") }),
    el("pre", { class: "says", text: message ? `${type}: ${message}` : type }),
    hint !== null && el("p", { class: "hint-text", text: t(`hint.${hint}`) }),
    text !== "" &&
      el(
        "details",
        {},
        el("summary", { text: t("traceback") }),
        el("pre", { class: "traceback", text }),
      ),
  ].filter((node) => node instanceof Node);
}

/**
 * @param {Store} store
 * @param {Trace} trace
 * @param {TraceIndex} index
 * @param {Finding} finding
 */
function findingNode(store, trace, index, finding) {
  const entry = catalogue[finding.code];
  const lang = currentLanguage();
  const title = entry ? filled(entry.title[lang] ?? entry.title.en, finding.facts) : [finding.code];
  const text = entry ? filled(entry.explanation[lang] ?? entry.explanation.en, finding.facts) : [];
  const head = el(
    "section",
    { class: `finding ${finding.level}` },
    el("span", { class: "code-id", text: finding.code }),
    el("h2", {}, ...title),
    text.length > 0 && el("p", {}, ...text),
  );
  const about = entry ? aboutNode(entry, lang) : null;
  const says =
    finding.error === null ? null : el("section", {}, ...saysNodes(trace, finding.error));
  const evidence = evidenceNodes(store, trace, index, finding);
  const shown =
    evidence.length > 0 &&
    el(
      "section",
      {},
      el("h3", { text: t("findings.evidence") }),
      el("ul", { class: "steps" }, ...evidence),
    );
  return el("article", {}, head, says, shown, about);
}

/**
 * The page of the catalogue on this kind of finding, folded.
 *
 * @param {Entry} entry
 * @param {string} lang
 */
function aboutNode({ code, page }, lang) {
  const text = page[lang] ?? page.en ?? "";
  if (text === "") return null;
  return el(
    "section",
    { class: "about" },
    el(
      "details",
      {},
      el("summary", { text: t("findings.about", { code }) }),
      el("div", { class: "page" }, ...markdown(text)),
    ),
  );
}

/**
 * A text of the catalogue with the finding's facts in it; what stands in backticks is code.
 *
 * @param {string} template
 * @param {Record<string, string | number>} facts
 * @returns {(Node | string)[]}
 */
export function filled(template, facts) {
  const text = template.replace(/\{(\w+)\}/g, (whole, name) =>
    name in facts ? String(facts[name]) : whole,
  );
  return inline(text);
}

/**
 * @param {Store} store
 * @param {Trace} trace
 * @param {TraceIndex} index
 * @param {Finding} finding
 */
function evidenceNodes(store, trace, index, finding) {
  const steps = finding.steps.slice(0, 8).map((step) => {
    const { icon: name, tone, parts } = sentenceAt(trace, index, step);
    const go = el(
      "button",
      { type: "button", class: "pick", onclick: () => store.set({ step, playing: false }) },
      el("span", { class: "dim", text: `${t("step.number", { step })}: ` }),
      ...partNodes(parts),
    );
    return el("li", {}, icon(name, tone), go);
  });
  if (steps.length > 0) return steps;
  return finding.places
    .slice(0, 4)
    .map((place) =>
      el(
        "li",
        {},
        icon("none", "idle"),
        el("span", { text: t("line", { line: lineOf(trace, place) ?? 0 }) }),
      ),
    );
}
