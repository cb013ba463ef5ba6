/**
 * The inspector on a tape.
 *
 * @typedef {import("./parts.js").Context} Context
 */

import { el, icon } from "../dom.js";
import { opsHeld } from "../held.js";
import { tapeName, tapeSuffix, tensorName, variableName } from "../names.js";
import { t } from "../words.js";
import { callRow } from "./call.js";
import {
  faint,
  heading,
  lineText,
  moreNote,
  MOST,
  section,
  selectButton,
  sourceQuote,
  stepButton,
  table,
} from "./parts.js";

/** @param {Context} context @param {number} id */
export function tapeView(context, id) {
  const { trace, index, step } = context;
  const tape = trace.tapes[id];
  const state = index.tapeStateAt(id, step);
  const word = state === null ? t("inspector.notMade") : t(`state.${state}`);
  const note = el("span", {
    class: "dim",
    text: [t("kind.tape"), tapeSuffix(trace, id), tape.symbolic ? t("symbolic") : ""].filter(Boolean).join(" "),
  });
  const held = opsHeld(index, id, step);
  const calls = trace.gradients.flatMap((call, call_id) => (call.tape === id ? [call_id] : []));
  const life = index
    .tapeIntervals(id)
    .map(({ state: one, cause, from }) => [
      el(
        "span",
        { class: `verdict ${one}${from > step ? " waits" : ""}` },
        icon(one),
        t(`state.${one}`),
      ),
      faint(t(`cause.${cause}`)),
      { class: "right", child: stepButton(context, from) },
    ]);
  return [
    heading(tapeName(trace, id), note, lineText(trace, tape.place)),
    section(
      t("inspector.state"),
      [
        el(
          "p",
          { class: `verdict ${state ?? "idle"}` },
          icon(state ?? "created"),
          word,
          tape.persistent && icon("persistent"),
          tape.persistent && t("persistent"),
        ),
      ],
      tape.symbolic ? "" : t("inspector.held", { n: held }),
    ),
    tape.symbolic &&
      section(t("inspector.symbolic"), [el("p", { class: "dim", text: t("inspector.symbolicTape") })]),
    watched(context, id),
    section(t("inspector.life"), [table(life)]),
    calls.length > 0 &&
      section(t("inspector.calls"), [
        table(calls.slice(0, MOST).map((call) => callRow(context, call))),
        moreNote(calls),
      ]),
    owner(tape.owner),
    tape.place !== null &&
      section(t("inspector.source"), [sourceQuote(trace, tape.place, state ?? "missed")]),
  ];
}

/** @param {"snippet" | "library" | "tapedeck"} who */
function owner(who) {
  return who === "snippet"
    ? null
    : section(t("inspector.owner"), [el("p", { class: "dim", text: t(`owner.${who}`) })]);
}

/** @param {Context} context @param {number} id */
function watched(context, id) {
  const { trace, index, step } = context;
  const rows = trace.events.flatMap((event, at) => {
    if (event.kind !== "watch" || event.tape !== id || at > step) return [];
    const selection =
      event.variable !== null
        ? { kind: /** @type {const} */ ("variable"), id: event.variable }
        : { kind: /** @type {const} */ ("tensor"), id: event.tensor ?? 0 };
    const label =
      event.variable !== null
        ? variableName(trace, event.variable)
        : tensorName(trace, index, event.tensor ?? 0);
    return [
      [
        selectButton(context, selection, el("code", { text: label })),
        faint(t(`inspector.by.${event.by}`)),
        { class: "right", child: stepButton(context, at) },
      ],
    ];
  });
  const none = el("p", { class: "dim", text: t("inspector.watchesNothing") });
  return section(
    t("inspector.watches"),
    rows.length === 0 ? [none] : [table(rows.slice(0, MOST)), moreNote(rows)],
  );
}
