/** Traces of real runs, recorded by test_graph_js.py, and what the tests look up in them. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { buildIndex } from "../../static/js/trace/index.js";
import { buildModel } from "../../static/js/graph/model.js";
import { cardsOf } from "../../static/js/graph/cards.js";
import { layoutGraphOf } from "../../static/js/graph/plan.js";
import { shownIterations } from "../../static/js/graph/iterations.js";

export function load(name) {
  return buildIndex(JSON.parse(readFileSync(join(process.env.TRACES, `${name}.json`), "utf8")));
}

export function modelOf(index, view = {}, step = index.length - 1) {
  return buildModel(index, {
    open: new Set(),
    closed: new Set(),
    shown: shownIterations(index, step),
    bookkeeping: false,
    direction: "down",
    ...view,
  });
}

export function graphOf(index, direction = "down", view = {}) {
  const model = modelOf(index, view);
  return layoutGraphOf(index, model, cardsOf(index, model), direction, 1.3);
}

/** Ids of the forward ops of a type, in order. */
export function opsOf(index, type) {
  return index.trace.ops.flatMap((op, id) => (op.type === type && op.call === null ? [id] : []));
}

/** The first step whose event is as wanted. */
export function stepOf(index, wanted) {
  return index.trace.events.findIndex((event) =>
    Object.entries(wanted).every(([key, value]) => event[key] === value),
  );
}

export function number(index, tensor) {
  return tensor === null ? null : index.trace.tensors[tensor].value.data;
}
