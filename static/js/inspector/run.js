/**
 * The inspector on the run as a whole.
 *
 * @typedef {import("./parts.js").Context} Context
 */

import { el } from "../dom.js";
import { saysNodes } from "../findings.js";
import { valueText } from "../format.js";
import { opsHeld } from "../held.js";
import { variableName } from "../names.js";
import { aliveTapes } from "../reasons.js";
import { t } from "../words.js";
import { callRow } from "./call.js";
import {
  heading,
  moreNote,
  MOST,
  number,
  section,
  selectButton,
  table,
  tapeLine,
} from "./parts.js";

/** Of many calls no more than these are listed. */
const NEAR = 4;

/** @param {Context} context */
export function runView(context) {
  const { trace, index, step } = context;
  const alive = aliveTapes(trace, index, step).slice(-MOST);
  const lines = alive.map((tape) => {
    const state = index.tapeStateAt(tape, step) ?? "created";
    return tapeLine(context, tape, {
      icon: state,
      tone: state,
      word: t(`state.${state}`),
      why: t("inspector.held", { n: opsHeld(index, tape, step) }),
    });
  });
  const event = trace.events[step];
  const error =
    event?.kind === "error" ? el("section", {}, ...saysNodes(trace, event.error)) : null;
  const calls = callsNear(context);
  const variables = trace.variables.map((_, id) => [
    selectButton(context, { kind: "variable", id }, el("code", { text: variableName(trace, id) })),
    number(
      valueText({
        dtype: trace.variables[id].dtype,
        shape: trace.variables[id].shape,
        value: index.variableValueAt(id, step),
      }),
    ),
  ]);
  return [
    heading(
      t("inspector.run"),
      "",
      t("inspector.runNote", {
        ops: t("ops", { n: trace.ops.filter(({ host }) => host === null).length }),
        steps: t("inspector.steps", { n: trace.events.length }),
      }),
    ),
    error,
    lines.length > 0 && section(t("inspector.tapes"), [el("ul", { class: "tapes" }, ...lines)]),
    variables.length > 0 &&
      section(t("inspector.variables"), [table(variables.slice(0, MOST)), moreNote(variables)]),
    calls.length > 0 &&
      section(t("inspector.calls"), [
        table(calls.map((call) => callRow(context, call))),
        calls.length < trace.gradients.length &&
          el("p", { class: "dim", text: t("more", { n: trace.gradients.length - calls.length }) }),
      ]),
  ];
}

/**
 * The calls of a run; of many those that came last.
 *
 * @param {Context} context
 */
function callsNear({ trace, index, step }) {
  const all = trace.gradients.map((_, id) => id);
  if (all.length <= MOST) return all;
  const begun = all.filter((call) => index.callSpan(call).begin <= step);
  return begun.length > 0 ? begun.slice(-NEAR) : all.slice(0, NEAR);
}
