/**
 * What the page says about the run as a whole, above the code: how it was read, what was put
 * right, how it ended, why a request failed. Nothing of it covers anything or goes away by itself.
 *
 * @typedef {import("./state.js").Store} Store
 * @typedef {import("./state.js").State} State
 * @typedef {import("./trace/types.js").Trace} Trace
 */

import { byId, el, fill, icon } from "./dom.js";
import { sameText } from "./editor/editor.js";
import { lineOf } from "./source.js";
import { t } from "./words.js";

/**
 * @param {Store} store
 * @param {() => void} run
 */
export function createNotices(store, run) {
  const root = byId("notices", HTMLElement);
  let drawn = "";
  const draw = () => {
    const state = store.get();
    const notes = [openNote(state), runNote(state, run), ...traceNotes(store, state, run)].filter(
      (note) => note !== null,
    );
    const key = notes.map((note) => note.textContent).join("\n") + state.lang;
    if (key === drawn) return; // An opened detail stays open while nothing changes.
    drawn = key;
    fill(root, ...notes);
  };
  store.subscribe((_, changed) => {
    if (["trace", "run", "notice", "lang", "source"].some((key) => changed.has(key))) draw();
  });
  draw();
}

/**
 * @param {string} name
 * @param {string} tone
 * @param {...import("./dom.js").Child} children
 */
function note(name, tone, ...children) {
  return el(
    "div",
    { class: `note ${tone}` },
    icon(name, tone),
    el("div", { class: "said" }, ...children),
  );
}

/** @param {State} state */
function openNote({ notice }) {
  return notice === "" ? null : note("error", "break", t(notice));
}

/**
 * @param {State} state
 * @param {() => void} again
 */
function runNote({ run, trace }, again) {
  if (run.status !== "failed") return null;
  const retry = el("button", {
    type: "button",
    class: "link",
    text: t("run.again"),
    onclick: again,
  });
  return note("error", "break", el("span", { text: run.sentence ?? "" }), trace ? ` ${t("run.before")} ` : " ", retry);
}

/**
 * @param {Store} store
 * @param {State} state
 * @param {() => void} run
 */
function traceNotes(store, { trace, source, run: { status } }, run) {
  if (!trace) return [];
  const { snippet } = trace;
  return [
    !sameText(snippet.text, source) && status === "idle"
      ? note("none", "idle", el("span", { text: t("edited") }))
      : null,
    outcomeNote(trace),
    snippet.mode === "expressions" ? expressionsNote(store, trace, run) : null,
    snippet.repairs.length > 0 ? repairsNote(trace) : null,
  ];
}

/** @param {Trace} trace */
function outcomeNote(trace) {
  const { kind, detail, exit_code: exit, error } = trace.outcome;
  if (kind === "completed" && trace.snippet.text.trim() === "") return note("none", "idle", t("outcome.empty"));
  if (kind === "completed" && exit === null)
    return trace.events.length > 0 ? null : note("none", "idle", t("outcome.nothing"));
  if (kind === "raised") return error === null ? null : raisedNote(trace, error);
  const title =
    kind === "completed" ? t("outcome.exited", { code: exit ?? 0 }) : t(`outcome.${kind}`);
  const kept = kind === "completed" ? "" : t("outcome.kept", { n: trace.events.length });
  const said = detail && kind !== "completed" ? detail : "";
  return note(
    kind === "completed" ? "stopped" : "error",
    kind === "completed" ? "idle" : "break",
    el("b", { text: title }),
    " ",
    [said, kept].filter(Boolean).join(" "),
  );
}

/**
 * @param {Trace} trace
 * @param {number} id
 */
function raisedNote(trace, id) {
  const { type, message, place, hint } = trace.errors[id];
  const line = lineOf(trace, place);
  const where = line === null ? "" : ` · ${t("line", { line })}`;
  const said = hint === null ? message.split("\n")[0] : t(`hint.${hint}`);
  return note(
    "error",
    "break",
    el("b", { text: type }),
    said ? `: ${said}` : "",
    el("span", { class: "dim", text: where }),
  );
}

/**
 * @param {Store} store
 * @param {Trace} trace
 * @param {() => void} run
 */
function expressionsNote(store, trace, run) {
  const { watched, target, script } = trace.snippet;
  const said =
    watched.length === 0
      ? t("expressions.nothing")
      : t("expressions.watched", { names: watched.join(", "), n: watched.length });
  const of = target === null ? "" : ` ${t("expressions.target", { target })}`;
  if (script === null) return note("recording", "recording", said, of);
  const open = el("button", { type: "button", class: "btn small", text: t("expressions.open") });
  open.addEventListener("click", () => {
    store.set({ source: script, mode: "script", example: null });
    run();
  });
  const more = el(
    "details",
    {},
    el("summary", { text: t("expressions.script") }),
    el("pre", { class: "script", text: script }),
    open,
  );
  return note("recording", "recording", said, of, more);
}

/** @param {Trace} trace */
function repairsNote({ snippet: { repairs } }) {
  const items = repairs.map(({ code, lines, text }) => {
    const where =
      lines.length === 0
        ? ""
        : lines.length > 4
          ? t("repair.lines", { n: lines.length })
          : t("repair.at", { lines: lines.join(", "), n: lines.length });
    return el(
      "li",
      {},
      t(`repair.${code}`),
      text && el("code", { text: ` ${text}` }),
      where && el("span", { class: "dim", text: ` · ${where}` }),
    );
  });
  return note(
    "ok",
    "ok",
    el(
      "details",
      {},
      el("summary", { text: t("repairs", { n: repairs.length }) }),
      el("ul", {}, ...items),
    ),
  );
}
