/**
 * The inspector on a group of ops.
 *
 * @typedef {import("./parts.js").Context} Context
 */

import { el } from "../dom.js";
import { valueText } from "../format.js";
import { t } from "../words.js";
import { userRow } from "./op.js";
import {
  heading,
  lineText,
  moreNote,
  MOST,
  number,
  section,
  selectButton,
  stepButton,
  table,
} from "./parts.js";
import { valueNodes } from "./value.js";

/** @param {Context} context @param {number} id */
export function groupView(context, id) {
  const { trace, index } = context;
  const group = trace.groups[id];
  const { groups, ops } = index.groupChildren(id);
  const { from, to } = index.groupSpan(id);
  const last = ops.filter((op) => !trace.ops[op].bookkeeping).at(-1);
  const output = last === undefined ? undefined : trace.ops[last].outputs[0];
  const inner = groups.map((child) => [
    selectButton(context, { kind: "group", id: child }, el("b", { text: groupName(trace, child) })),
    { class: "right dim", child: t("ops", { n: index.groupSize(child) }) },
  ]);
  const visible = ops.filter((op) => !trace.ops[op].bookkeeping);
  return [
    heading(groupName(trace, id), t(`group.${group.kind}`), lineText(trace, group.place)),
    output !== undefined && section(t("inspector.output"), valueNodes(trace.tensors[output])),
    inner.length > 0 &&
      section(t("inspector.groups"), [table(inner.slice(0, MOST)), moreNote(inner)]),
    visible.length > 0 &&
      section(
        t("inspector.ops"),
        [table(visible.slice(0, MOST).map((op) => opRow(context, op))), moreNote(visible)],
        t("ops", { n: index.groupSize(id) }),
      ),
    from >= 0 &&
      section(t("inspector.ran"), [
        el("p", {}, stepButton(context, from), " – ", stepButton(context, to)),
      ]),
  ];
}

/** @param {import("../trace/types.js").Trace} trace @param {number} id */
export function groupName(trace, id) {
  const { kind, name: label, index } = trace.groups[id];
  if (kind === "part") return t(`graph.part.${label}`, { index: index ?? 0 });
  return kind === "iteration" ? t("iteration", { index: (index ?? 0) + 1 }) : label;
}

/** @param {Context} context @param {number} id */
function opRow(context, id) {
  const { trace } = context;
  const op = trace.ops[id];
  return [
    ...userRow(context, id).slice(0, 2),
    number(op.outputs.length > 0 ? valueText(trace.tensors[op.outputs[0]]) : ""),
  ];
}
