/**
 * The inspector on a tensor and on a variable.
 *
 * @typedef {import("./parts.js").Context} Context
 */

import { el } from "../dom.js";
import { tensorName, variableName } from "../names.js";
import { t } from "../words.js";
import { contributionsSection } from "./gradient.js";
import { userRow, watchText } from "./op.js";
import {
  faint,
  heading,
  lineText,
  moreNote,
  MOST,
  section,
  sourceQuote,
  table,
  tapeLine,
} from "./parts.js";
import { valueNodes } from "./value.js";

/** @param {Context} context @param {number} id */
export function tensorView(context, id) {
  const { trace, index } = context;
  const tensor = trace.tensors[id];
  const producer = index.producer(id);
  const kind = producer === null ? t("kind.constant") : t("kind.tensor");
  const users = [...new Set(index.consumers(id))].filter((op) => trace.ops[op].call === null);
  const from =
    producer === null
      ? []
      : [section(t("inspector.madeBy"), [table([userRow(context, producer)])])];
  return [
    heading(
      tensorName(trace, index, id),
      kind,
      lineText(trace, tensor.place ?? (producer === null ? null : trace.ops[producer].place)),
    ),
    section(t("inspector.value"), valueNodes(tensor)),
    contributionsSection(context, { tensor: id }, tensorName(trace, index, id)),
    ...from,
    users.length > 0 &&
      section(t("inspector.usedBy"), [
        table(users.slice(0, MOST).map((op) => userRow(context, op))),
        moreNote(users),
      ]),
    section(t("inspector.tapes"), [el("p", { class: "dim", text: watchText(context, id, null) })]),
    tensor.place !== null &&
      section(t("inspector.source"), [sourceQuote(trace, tensor.place, "missed")]),
  ];
}

/** @param {Context} context @param {number} id */
export function variableView(context, id) {
  const { trace, index, step } = context;
  const variable = trace.variables[id];
  const label = variableName(trace, id);
  const value = {
    dtype: variable.dtype,
    shape: variable.shape,
    value: index.variableValueAt(id, step),
  };
  const reads = index.tensorsOfVariable(id);
  const users = [...new Set(reads.flatMap((tensor) => [...index.consumers(tensor)]))].filter(
    (op) => trace.ops[op].call === null,
  );
  const shown = users.filter((op) => index.stepOfOp(op) <= step);
  return [
    heading(
      label,
      [t("kind.variable"), variable.trainable ? "" : t("inspector.notTrainable")]
        .filter(Boolean)
        .join(", "),
      lineText(trace, variable.place),
    ),
    section(
      t("inspector.value"),
      valueNodes(value),
      variable.path && variable.path !== label && el("code", { text: variable.path }),
    ),
    contributionsSection(context, { variable: id }, label),
    users.length > 0 &&
      section(t("inspector.usedBy"), usesNodes(context, shown.length > 0 ? shown : users)),
    watchers(context, id),
    variable.place !== null &&
      section(t("inspector.source"), [sourceQuote(trace, variable.place, "missed")]),
  ];
}

/**
 * Ops of the same place as one row, the latest of them; a loop uses a variable many times.
 *
 * @param {Context} context
 * @param {readonly number[]} users
 */
function usesNodes(context, users) {
  const { ops } = context.trace;
  /** @type {Map<string, number[]>} */
  const byPlace = new Map();
  for (const op of users) {
    const key = `${ops[op].type} ${ops[op].place}`;
    byPlace.set(key, [...(byPlace.get(key) ?? []), op]);
  }
  const rows = [...byPlace.values()].map((same) => {
    const [type, text, line] = userRow(context, same[same.length - 1]);
    const times = same.length > 1 ? faint(`×${same.length}`) : "";
    return [type, text, times, line];
  });
  return [table(rows.slice(-MOST)), moreNote(rows)];
}

/** @param {Context} context @param {number} id */
function watchers(context, id) {
  const { index, step } = context;
  const watches = index
    .watchedBy({ variable: id })
    .filter((watch) => watch.step <= step)
    .slice(-5)
    .reverse();
  if (watches.length === 0)
    return section(t("inspector.tapes"), [
      el("p", { class: "dim", text: t("inspector.notWatchedYet") }),
    ]);
  const lines = watches.map(({ tape, step: at, by }) => {
    const state = index.tapeStateAt(tape, step) ?? "created";
    return tapeLine(context, tape, {
      icon: state,
      tone: state,
      word: t(`state.${state}`),
      why: t(`inspector.watchedBy.${by}`, { step: at }),
    });
  });
  return section(t("inspector.tapes"), [el("ul", { class: "tapes" }, ...lines)]);
}
