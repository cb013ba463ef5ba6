/**
 * The inspector on a gradient call.
 *
 * @typedef {import("./parts.js").Context} Context
 */

import { el, icon } from "../dom.js";
import { gradientText, tableText } from "../format.js";
import { opsHeld } from "../held.js";
import { callName, iterationOf, refName } from "../names.js";
import { t } from "../words.js";
import { vectorizedSection } from "./function.js";
import { jacobianSections } from "./jacobian.js";
import {
  heading,
  lineText,
  name,
  number,
  section,
  selectButton,
  sourceQuote,
  stepButton,
  table,
  tapeLine,
} from "./parts.js";

/** @param {Context} context @param {number} id */
export function callView(context, id) {
  const { trace, index, step } = context;
  const call = trace.gradients[id];
  const { begin, end } = index.callSpan(id);
  const iteration = iterationOf(trace, call.group);
  const where = [
    lineText(trace, call.place),
    iteration === null ? "" : t("iteration", { index: iteration }),
  ]
    .filter(Boolean)
    .join(" · ");
  const rows = call.sources
    .slice(0, 40)
    .map((source, position) => [name(refName(trace, source)), resultCell(context, id, position)]);
  const error = call.error === null || step < end ? null : trace.errors[call.error];
  const steps = el(
    "p",
    {},
    stepButton(context, begin),
    end >= 0 ? " – " : "",
    end >= 0 && stepButton(context, end),
  );
  return [
    heading(callName(trace, id), "", where),
    error &&
      section(t("says"), [el("pre", { class: "says", text: `${error.type}: ${error.message}` })]),
    section(
      t("inspector.results"),
      [
        table(rows),
        call.sources.length > 40 &&
          el("p", { class: "dim", text: t("more", { n: call.sources.length - 40 }) }),
      ],
      t("inspector.ofTarget", {
        target: call.targets.map((target) => refName(trace, target)).join(", "),
      }),
    ),
    ...jacobianSections(context, id),
    section(t("inspector.rewinds"), [
      begin < 0 ? el("p", { class: "dim", text: t("gradients.never") }) : steps,
    ]),
    section(t("inspector.tapes"), [el("ul", { class: "tapes" }, callTape(context, call.tape))]),
    vectorizedSection(context, id),
    options(trace, id),
    call.place !== null &&
      section(t("inspector.source"), [
        sourceQuote(trace, call.place, error ? "break" : "rewinding"),
      ]),
  ];
}

/** @param {Context} context @param {number} tape */
function callTape(context, tape) {
  const state = context.index.tapeStateAt(tape, context.step) ?? "created";
  const why = t("inspector.held", { n: opsHeld(context.index, tape, context.step) });
  return tapeLine(context, tape, { icon: state, tone: state, word: t(`state.${state}`), why });
}

/** @param {Context} context @param {number} id @param {number} source */
function resultCell({ trace, index, step }, id, source) {
  const call = trace.gradients[id];
  const { begin, end } = index.callSpan(id);
  const result = call.results.find((one) => one.source === source);
  if (step < begin || begin < 0)
    return {
      class: "right dim",
      child: end < 0 ? t("gradients.never") : t("gradients.later", { step: end }),
    };
  if (call.error !== null)
    return {
      class: "right",
      child: el("span", { class: "verdict break" }, icon("error"), t("raised")),
    };
  if (step < end || !result) return { class: "right dim", child: t("gradients.running") };
  if (result.tensor === null)
    return { class: "right", child: el("span", { class: "verdict break" }, icon("break"), "None") };
  return number(tableText(trace.tensors[result.tensor]));
}

/** @param {import("../trace/types.js").Trace} trace @param {number} id */
function options(trace, id) {
  const { output_gradients: seeds, unconnected, vectorized } = trace.gradients[id];
  const rows = [];
  if (seeds.length > 0)
    rows.push([
      name("output_gradients"),
      number(
        seeds
          .map((seed) => (seed === null ? "None" : gradientText(trace.tensors[seed])))
          .join(", "),
      ),
    ]);
  if (unconnected === "zero") rows.push([name("unconnected_gradients"), number("zero")]);
  if (vectorized !== null)
    rows.push([name("experimental_use_pfor"), number(vectorized ? "True" : "False")]);
  return rows.length === 0 ? null : section(t("inspector.options"), [table(rows)]);
}

/** @param {Context} context @param {number} id */
export function callRow(context, id) {
  const { trace } = context;
  const call = trace.gradients[id];
  const bad = call.error !== null;
  const iteration = iterationOf(trace, call.group);
  const where = iteration === null ? lineText(trace, call.place) : t("iteration", { index: iteration });
  return [
    selectButton(context, { kind: "call", id }, el("code", { text: callName(trace, id) })),
    { class: "right dim", child: bad ? t("raised") : where },
  ];
}
