/**
 * The inspector on one op.
 *
 * @typedef {import("./parts.js").Context} Context
 */

import { el } from "../dom.js";
import { gradientText, shapeText, valueText } from "../format.js";
import { opName, tensorName, variableName } from "../names.js";
import { reasonFor } from "../reasons.js";
import { textAt } from "../source.js";
import { variableOfInput } from "../trace/graphs.js";
import { t } from "../words.js";
import { formulaSection } from "./formula.js";
import { functionSections, symbolicSection } from "./function.js";
import { callFor, contributionsSection } from "./gradient.js";
import {
  faint,
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
import { typeText, valueNodes } from "./value.js";

const LETTERS = "abcdefghijklmnopqrstuvwxyz";

/**
 * @param {Context} context
 * @param {number} id
 */
export function opView(context, id) {
  const { trace, index, step } = context;
  const op = trace.ops[id];
  const number = op.host === null ? t("inspector.op", { id }) : t("inspector.inGraph");
  const where = [number, lineText(trace, op.place)].filter(Boolean).join(" · ");
  const code = el("code", { text: textAt(trace, op.place, 26) });
  if (index.stepOfOp(id) > step) {
    const later = el(
      "p",
      { class: "dim" },
      t("inspector.notReached"),
      " ",
      stepButton(context, index.stepOfOp(id)),
    );
    return [
      heading(op.type, code, where),
      section(t("inspector.value"), [later]),
      formulaSection(index, id),
      inputs(context, id),
      source(context, id),
    ];
  }
  if (op.host !== null) {
    const what = op.argument === null ? op.type : op.type || t("graph.argument");
    return [
      heading(opName(what), op.argument === null ? code : t("graph.argument"), where),
      values(context, id),
      symbolicSection(context, id),
      ...functionSections(context, id),
      op.argument === null ? formulaSection(index, id) : null,
      inputs(context, id),
      usedBy(context, id),
      source(context, id),
    ];
  }
  return [
    heading(opName(op.type), code, where),
    values(context, id),
    ...functionSections(context, id),
    formulaSection(index, id),
    inputs(context, id),
    upstream(context, id),
    sent(context, id),
    usedBy(context, id),
    tapes(context, id),
    attributes(context, id),
    source(context, id),
  ];
}

/** @param {Context} context @param {number} id */
function values({ trace, index }, id) {
  const op = trace.ops[id];
  if (op.error !== null) {
    const { type, message } = trace.errors[op.error];
    return section(t("says"), [el("pre", { class: "says", text: `${type}: ${message}` })]);
  }
  if (op.outputs.length === 0)
    return section(t("inspector.value"), [
      el("p", { class: "dim", text: t("inspector.noOutput") }),
    ]);
  const given = op.outputs.filter((_, output) => index.given(id)(output));
  const nodes = given.slice(0, 6).flatMap((tensor) => valueNodes(trace.tensors[tensor]));
  const title = trace.tensors[op.outputs[0]].name;
  return section(t("inspector.value"), nodes, title && el("code", { text: title }));
}

/** @param {Context} context @param {number} id */
function inputs(context, id) {
  const { trace, index, step } = context;
  const rows = trace.ops[id].inputs.slice(0, 12).map((tensor, i) => {
    if (tensor === null) return handleRow(context, id, i);
    const variable = index.variableOfTensor(tensor);
    const producer = index.producer(tensor);
    const label =
      variable !== null
        ? t("inspector.variableNamed", { name: tensorName(trace, index, tensor) })
        : producer === null && !trace.tensors[tensor].name
          ? t("kind.constant")
          : tensorName(trace, index, tensor);
    const selection =
      variable !== null
        ? { kind: /** @type {const} */ ("variable"), id: variable }
        : producer !== null
          ? { kind: /** @type {const} */ ("op"), id: producer }
          : { kind: /** @type {const} */ ("constant"), id: tensor };
    return [
      name(LETTERS[i]),
      selectButton(context, selection, label),
      faint(trace.ops[id].host === null ? watchText(context, tensor, variable) : ""),
      number(valueText(trace.tensors[tensor])),
    ];
  });
  if (rows.length === 0 || step < -1) return null;
  return section(t("inspector.inputs"), [table(rows)]);
}

/**
 * An input that is no tensor: the variable behind it, where it is known.
 *
 * @param {Context} context
 * @param {number} id
 * @param {number} input
 */
function handleRow(context, id, input) {
  const { trace } = context;
  const variable = variableOfInput(trace.ops[id], input);
  if (variable === null) return [name(LETTERS[input]), faint(t("inspector.resource")), "", ""];
  const label = t("inspector.variableNamed", { name: variableName(trace, variable) });
  return [
    name(LETTERS[input]),
    selectButton(context, { kind: "variable", id: variable }, label),
    faint(t("graph.captured")),
    "",
  ];
}

/**
 * @param {Context} context
 * @param {number} tensor
 * @param {number | null} variable
 */
export function watchText({ index, step }, tensor, variable) {
  const watches = index
    .watchedBy(variable === null ? { tensor } : { variable })
    .filter((watch) => watch.step <= step);
  if (watches.length > 0) return t("inspector.watched", { step: watches[watches.length - 1].step });
  const producer = index.producer(tensor);
  if (producer !== null && index.trace.ops[producer].recorded_by.length > 0)
    return t("inspector.onTape");
  return t("inspector.notWatched");
}

/** @param {Context} context @param {number} id */
function upstream(context, id) {
  const { trace, index, step } = context;
  const op = trace.ops[id];
  const rewinds = index.rewindsOf(id);
  const title = t("inspector.upstream");
  if (rewinds.length === 0) {
    const never =
      op.recorded_by.length > 0 ? t("inspector.neverRewound") : t("inspector.notRecorded");
    return section(title, [el("p", { class: "dim", text: never })]);
  }
  const come = op.outputs.flatMap((_, output) => index.upstreamAt(id, output, step) ?? []);
  if (come.length === 0) {
    return section(title, [
      stepButton(context, rewinds[0], t("inspector.notYet", { step: rewinds[0] })),
    ]);
  }
  const first = trace.tensors[come[0]];
  const several = contributionsTo(context, op.outputs[0]);
  const big = el(
    "div",
    { class: "big rewinding" },
    gradientText(first),
    el("small", { text: typeText(first) }),
  );
  return several
    ? el("div", { class: "pair" }, section(title, [big]), several)
    : section(title, [big]);
}

/**
 * The sum behind an upstream gradient, where more than one contribution came.
 *
 * @param {Context} context
 * @param {number} tensor
 */
function contributionsTo(context, tensor) {
  const { trace, index } = context;
  const call = callFor(context, { tensor });
  if (
    call === null ||
    index.contributionsTo({ tensor }, call, Number.MAX_SAFE_INTEGER).parts.length < 2
  )
    return null;
  return contributionsSection(context, { tensor }, tensorName(trace, index, tensor));
}

/** @param {Context} context @param {number} id */
function sent(context, id) {
  const { trace, index, step } = context;
  const rewind = index.rewindAt(id, step);
  if (!rewind) return null;
  const rows = trace.ops[id].inputs.map((tensor, input) => {
    const contribution = rewind.contributions[input] ?? null;
    const variable = variableOfInput(trace.ops[id], input);
    const label =
      variable !== null
        ? variableName(trace, variable)
        : tensor === null
          ? t("inspector.resource")
          : tensorName(trace, index, tensor);
    const value =
      contribution === null ? t("inspector.nothing") : gradientText(trace.tensors[contribution]);
    return [
      name(LETTERS[input]),
      label,
      contribution === null
        ? { class: "right dim", child: value }
        : { class: "right num rewinding", child: value },
    ];
  });
  return section(t("inspector.sends"), [table(rows)]);
}

/** @param {Context} context @param {number} id */
function usedBy(context, id) {
  const { trace, index } = context;
  const users = [
    ...new Set(trace.ops[id].outputs.flatMap((tensor) => [...index.consumers(tensor)])),
  ];
  const forward = users.filter((user) => trace.ops[user].call === null);
  if (forward.length === 0) return null;
  const rows = forward.slice(0, 8).map((user) => userRow(context, user));
  const more =
    forward.length > 8
      ? el("p", { class: "dim", text: t("more", { n: forward.length - 8 }) })
      : null;
  return section(t("inspector.usedBy"), [table(rows), more]);
}

/** @param {Context} context @param {number} user */
export function userRow(context, user) {
  const { trace } = context;
  const op = trace.ops[user];
  return [
    selectButton(context, { kind: "op", id: user }, el("b", { text: op.type })),
    name(textAt(trace, op.place, 22)),
    { class: "right dim", child: lineText(trace, op.place) },
  ];
}

/** @param {Context} context @param {number} id */
function tapes(context, id) {
  const { trace, index, step } = context;
  // Every tape that was alive, each with its reason.
  const alive = index.tapesAlive(id).filter((tape) => !trace.tapes[tape].symbolic);
  const shown = [...new Set([...index.tapesOfOp(id), ...alive])].sort((a, b) => a - b);
  if (shown.length === 0) return null;
  const lines = shown.map((tape) => {
    const status = index.opStatus(id, tape, step);
    const state = status.state ?? "created";
    if (!status.recorded) {
      return tapeLine(context, tape, {
        icon: "none",
        tone: "idle",
        word: t("state.missed"),
        why: reasonFor(trace, index, id, tape, step),
      });
    }
    return tapeLine(context, tape, {
      icon: state,
      tone: state,
      word: t(`state.${state}`),
      why: becauseText(context, id, tape),
    });
  });
  return section(t("inspector.tapes"), [el("ul", { class: "tapes" }, ...lines)]);
}

/**
 * Which of its inputs put an op on a tape.
 *
 * @param {Context} context
 * @param {number} id
 * @param {number} tape
 */
function becauseText({ trace, index }, id, tape) {
  const at = index.stepOfOp(id);
  const letters = trace.ops[id].inputs.flatMap((tensor, i) =>
    tensor !== null && index.onTape(tensor, tape, at) ? [LETTERS[i]] : [],
  );
  if (letters.length === 0) return "";
  const names = letters.length > 3 ? `${letters.slice(0, 3).join(", ")}, …` : letters.join(", ");
  return t("inspector.because", { names, n: letters.length });
}

/** @param {Context} context @param {number} id */
function attributes({ trace }, id) {
  const skip = new Set(["T", "Tidx", "dtype", "Index", "SrcT", "DstT"]);
  const rows = Object.entries(trace.ops[id].attrs)
    .filter(([key]) => !skip.has(key))
    .slice(0, 10);
  if (rows.length === 0) return null;
  return section(t("inspector.attributes"), [
    table(rows.map(([key, value]) => [name(key), number(attributeText(value))])),
  ]);
}

/** @param {any} value @returns {string} */
function attributeText(value) {
  if (typeof value === "string") return value;
  return Array.isArray(value) ? `[${value.map(attributeText).join(", ")}]` : shapeOrJson(value);
}

/** @param {any} value */
function shapeOrJson(value) {
  if (value === true || value === false) return value ? "True" : "False";
  return value !== null && typeof value === "object" && "shape" in value
    ? shapeText(value.shape)
    : JSON.stringify(value);
}

/** @param {Context} context @param {number} id */
function source({ trace, index, step }, id) {
  const { place, recorded_by: recorded } = trace.ops[id];
  if (place === null) return null;
  const tone = index.rewindAt(id, step)
    ? "rewinding"
    : recorded.length > 0
      ? "recording"
      : "missed";
  return section(t("inspector.source"), [sourceQuote(trace, place, tone)]);
}
