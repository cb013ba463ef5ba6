/**
 * The snippet: CodeMirror with Python in ink only, and the step shown in it.
 *
 * @typedef {import("../state.js").Store} Store
 */

import {
  Compartment,
  EditorState,
  EditorView,
  HighlightStyle,
  bracketMatching,
  defaultKeymap,
  drawSelection,
  highlightSpecialChars,
  history,
  historyKeymap,
  indentOnInput,
  indentUnit,
  keymap,
  lineNumbers,
  pythonLanguage,
  syntaxHighlighting,
  tags,
} from "../../vendor/codemirror.js";
import { t } from "../words.js";
import { showStep, stepDisplay } from "./decorations.js";
import { currentLine } from "./marks.js";

const ink = HighlightStyle.define([
  {
    tag: [
      tags.keyword,
      tags.operatorKeyword,
      tags.controlKeyword,
      tags.definitionKeyword,
      tags.moduleKeyword,
    ],
    class: "tok-keyword",
  },
  { tag: tags.comment, class: "tok-comment" },
  // The format of an f-string counts as a keyword otherwise.
  { tag: tags.modifier, class: "tok-plain" },
]);

/**
 * @param {HTMLElement} parent
 * @param {Store} store
 */
export function createEditor(parent, store) {
  const label = new Compartment();
  const nonce = document.querySelector("meta[name='csp-nonce']");
  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc: store.get().source,
      extensions: [
        nonce instanceof HTMLElement ? EditorView.cspNonce.of(nonce.nonce ?? "") : [],
        pythonLanguage,
        syntaxHighlighting(ink),
        indentUnit.of("    "),
        EditorState.tabSize.of(4),
        history(),
        indentOnInput(),
        bracketMatching(),
        drawSelection(),
        highlightSpecialChars(),
        lineNumbers(),
        stepDisplay,
        // Ctrl+Enter runs the snippet; CodeMirror's own meaning of it (a new line) must not.
        keymap.of([{ key: "Mod-Enter", run: () => true }, ...defaultKeymap, ...historyKeymap]),
        label.of(labelled()),
        EditorView.domEventHandlers({ beforeinput: insertPlainly }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) store.set({ source: update.state.doc.toString(), example: null });
        }),
      ],
    }),
  });

  store.subscribe((state, changed) => {
    if (changed.has("lang")) view.dispatch({ effects: label.reconfigure(labelled()) });
    if (changed.has("source") && state.source !== view.state.doc.toString()) replace(view, store);
    if (["trace", "step", "source"].some((key) => changed.has(key)))
      show(view, store, changed.has("step") || changed.has("trace"));
  });
  return { focus: () => view.focus() };
}

/**
 * Typing where a bold keyword was makes Chromium write an inline style into the text, which the
 * page's policy forbids: what is typed is put in by CodeMirror instead.
 *
 * @param {InputEvent} event
 * @param {EditorView} view
 */
function insertPlainly(event, view) {
  if (
    event.inputType !== "insertText" ||
    event.data === null ||
    view.composing ||
    event.isComposing
  )
    return false;
  view.dispatch(view.state.replaceSelection(event.data), {
    userEvent: "input.type",
    scrollIntoView: true,
  });
  event.preventDefault();
  return true;
}

function labelled() {
  return EditorView.contentAttributes.of({
    "aria-label": t("code.title"),
    spellcheck: "false",
    autocapitalize: "off",
  });
}

/**
 * Puts another source into the editor; its example, set together with it, stays.
 *
 * @param {EditorView} view
 * @param {Store} store
 */
function replace(view, store) {
  const { source, example } = store.get();
  view.dispatch({
    changes: { from: 0, to: view.state.doc.length, insert: source },
    selection: { anchor: 0 },
    scrollIntoView: true,
  });
  store.set({ example, source: view.state.doc.toString() });
}

/**
 * @param {EditorView} view
 * @param {Store} store
 * @param {boolean} follow  bring the step's line into view
 */
function show(view, store, follow) {
  const { trace, index, step } = store.get();
  const same =
    trace !== null && index !== null && sameText(trace.snippet.text, view.state.doc.toString());
  const effects = [showStep.of(same ? /** @type {any} */ ({ index, step }) : null)];
  const line = same && follow && !view.hasFocus ? currentLine(index, step) : null;
  if (line !== null && line <= view.state.doc.lines) {
    effects.push(
      /** @type {any} */ (
        EditorView.scrollIntoView(view.state.doc.line(line).from, { y: "nearest", yMargin: 44 })
      ),
    );
  }
  view.dispatch({ effects });
}

/**
 * The editor writes every line end as `\n`.
 *
 * @param {string} a
 * @param {string} b
 */
export function sameText(a, b) {
  return a === b || a.replace(/\r\n?/g, "\n") === b;
}
