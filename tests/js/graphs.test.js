import assert from "node:assert/strict";
import { test } from "node:test";
import { cardsOf } from "../../static/js/graph/cards.js";
import { layout } from "../../static/js/graph/layout.js";
import { nodeLook, momentAt } from "../../static/js/graph/look.js";
import { groupFolded } from "../../static/js/graph/opening.js";
import { spokenStep } from "../../static/js/sentence.js";
import { buildIndex } from "../../static/js/trace/index.js";
import { whyText } from "../../static/js/trace/tracing.js";
import { graphOf, load, modelOf } from "./traces.js";

const callsOf = (index) => index.trace.ops.flatMap(({ rule, call }, id) => (rule === "function" && call === null ? [id] : []));

/** Each node as "kind title"; a node within frames stands after their titles. */
function drawn(index, model) {
  const cards = cardsOf(index, model);
  const path = (id) => {
    const { kind, parent } = model.nodes[id];
    const own = `${kind} ${cards[id].title || cards[id].code}`.trim();
    return parent < 0 ? own : `${path(parent)} > ${own}`;
  };
  return model.nodes.map((_, id) => path(id));
}

/** The graphs of the first call, and of what is in it of these types, opened. */
function opened(index, ...types) {
  const [call] = callsOf(index);
  const open = new Set([index.open(call).group]);
  for (const type of types) {
    const op = index.trace.ops.findIndex((one) => one.type.endsWith(type) && one.host === call);
    open.add(index.open(op).group);
  }
  return open;
}

const inputsOf = (index, model, title) => {
  const cards = cardsOf(index, model);
  const to = model.nodes.findIndex((_, id) => cards[id].title === title && model.nodes[id].kind === "op");
  return model.edges.filter((edge) => edge.to === to).map(({ from }) => cards[from].title);
};

test("a function is one node with its value, its gradient and its variable until it is opened", () => {
  const index = load("traced");
  const model = modelOf(index);
  assert.deepEqual(drawn(index, model), [
    "constant x", "variable w", "op dense", "op Mul", "op Sum", "target loss",
  ]);
  assert.ok(model.nodes[2].opens);
  const look = nodeLook(momentAt(index, index.length - 1), model, 2);
  assert.deepEqual([look.value, look.gradient, look.state], ["[6.0]", "[6] + [6] = [12]", "consumed"]);
  const variable = nodeLook(momentAt(index, index.length - 1), model, 1);
  assert.equal(variable.second, "∂ 72");
});

test("opened it shows the ops of its graph, arguments from outside, variables captured", () => {
  const index = load("traced");
  const recorded = index.trace.ops.length;
  const model = modelOf(index, { open: opened(index) });
  assert.deepEqual(drawn(index, model), [
    "constant x",
    "frame dense",
    "frame dense > argument x",
    "frame dense > variable w",
    "frame dense > op Mul",
    "frame dense > constant 2.0",
    "frame dense > op Mul",
    "frame dense > op dense",
    "op Mul",
    "op Sum",
    "target loss",
  ]);
  const looks = model.nodes.map((_, id) => nodeLook(momentAt(index, index.length - 1), model, id));
  assert.deepEqual(looks.slice(2, 7).map(({ value }) => value), ["(1,)", "()", "(1,)", "2.0", "(1,)"]);
  assert.deepEqual(looks.slice(2, 7).map(({ gradient }) => gradient), ["", "", "", "", ""]);
  assert.deepEqual([looks[3].second, looks[7].value, looks[7].gradient], ["captured", "[6.0]", "[6] + [6] = [12]"]);
  assert.deepEqual(inputsOf(index, model, "dense"), ["Mul"]);
  // What was recorded keeps its ids, and is not taken for more than it is.
  assert.ok(index.trace.ops.slice(0, recorded).every(({ host }) => host === null));
  assert.equal(index.trace.gradients.length, 1);
  assert.deepEqual([...index.consumers(index.trace.ops[callsOf(index)[0]].inputs[0])], callsOf(index));
});

test("bookkeeping of a graph is hidden until it is asked for", () => {
  const index = load("traced");
  const open = opened(index);
  const types = (bookkeeping) => drawn(index, modelOf(index, { open, bookkeeping })).filter((one) => one.startsWith("frame"));
  assert.ok(!types(false).some((one) => one.endsWith("op Identity")));
  assert.ok(types(true).some((one) => one.endsWith("op Identity")));
  assert.ok(types(true).some((one) => one.endsWith("op ReadVariableOp")));
});

test("the branches of an If side by side, the condition and the body of a loop", () => {
  const index = load("branches");
  const open = opened(index, "If", "While");
  const model = modelOf(index, { open });
  const inside = drawn(index, model).filter((one) => one.startsWith("frame f > frame")).map((one) => one.slice(10));
  assert.deepEqual(inside, [
    "frame If",
    "frame If > frame then",
    "frame If > frame then > argument x",
    "frame If > frame then > variable w",
    "frame If > frame then > op Mul",
    "frame If > frame else",
    "frame If > frame else > argument x",
    "frame If > frame else > op Neg",
    "frame If > op If",
    "frame StatelessWhile",
    "frame StatelessWhile > frame condition",
    "frame StatelessWhile > frame condition > argument",
    "frame StatelessWhile > frame condition > argument",
    "frame StatelessWhile > frame condition > op Less",
    "frame StatelessWhile > frame body",
    "frame StatelessWhile > frame body > argument",
    "frame StatelessWhile > frame body > op Sin",
    "frame StatelessWhile > frame body > op AddV2",
    "frame StatelessWhile > op StatelessWhile",
  ]);
  assert.deepEqual(inputsOf(index, model, "If"), ["Greater", "Mul", "Neg"]);
  assert.deepEqual(inputsOf(index, model, "StatelessWhile"), ["Less", "AddV2"]);

  const { nodes } = layout(graphOf(index, "down", { open }));
  const frame = (title) => nodes[drawn(index, model).findIndex((one) => one.endsWith(`frame ${title}`))];
  const [then, other] = [frame("then"), frame("else")];
  assert.ok(then.x + then.w < other.x || other.x + other.w < then.x);
  assert.ok(then.y < other.y + other.h && other.y < then.y + then.h);
});

test("a branch can be folded by itself", () => {
  const index = load("branches");
  const open = opened(index, "If");
  const then = index.trace.groups.findIndex(({ kind, name }) => kind === "part" && name === "then");
  const titles = drawn(index, modelOf(index, { open, closed: new Set([then]) }));
  assert.ok(titles.includes("frame f > frame If > group then"));
  assert.ok(titles.includes("frame f > frame If > frame else > op Neg"));
});

test("the graph that rewinds a function opens beside it", () => {
  const index = load("traced");
  const backward = index.trace.ops.findIndex(({ call, bodies }) => call !== null && bodies.length > 0);
  const model = modelOf(index, { open: new Set([index.open(backward).group]) });
  const inside = drawn(index, model).filter((one) => one.startsWith("frame dense > "));
  assert.ok(inside.includes("frame dense > argument ∂y"));
  assert.ok(inside.filter((one) => one.endsWith("op Mul")).length >= 2);
  assert.equal(inside.at(-1), "frame dense > op dense");
});

test("what is opened in one iteration is open in the next, and folded with it", () => {
  const index = load("traced_loop");
  const calls = callsOf(index);
  assert.equal(calls.length, 3);
  const open = new Set([index.open(calls[2]).group]);
  const [loop] = index.loops();
  const within = (position, view) => drawn(index, modelOf(index, { shown: new Map([[loop, position]]), ...view }));
  assert.ok(within(0, { open }).some((one) => one.endsWith("frame step > argument x")));
  const first = index.bodyOf(calls[0]).group;
  const folded = groupFolded({ index, open, closed: new Set() }, first, false);
  assert.ok(!within(2, folded).some((one) => one.includes("frame step")));
});

test("first trace, traced again and cached call", () => {
  const index = load("traced_loop");
  assert.deepEqual(callsOf(index).map((op) => index.tracingOf(op).status), ["first", "cached", "cached"]);
  const branches = load("branches");
  const all = callsOf(branches).map((op) => branches.tracingOf(op));
  assert.deepEqual(all.map(({ status }) => status), ["first", "cached", "again"]);
  assert.equal(whyText(all[2].why), "x: (2,) → (1,)");
});

test("why a function is traced again, with only what differs", () => {
  const spec = (shape, dtype) => `TensorSpec(shape=${shape}, dtype=tf.${dtype})`;
  assert.equal(whyText(`x: ${spec("(2,)", "float32")} → ${spec("(3,)", "float32")}`), "x: (2,) → (3,)");
  assert.equal(whyText(`x: ${spec("()", "float32")} → ${spec("()", "int32")}`), "x: float32 → int32");
  assert.equal(whyText("n: Literal[2] → Literal[3]"), "n: 2 → 3");
  assert.equal(
    whyText(`x: ${spec("(2,)", "float32")} → ${spec("(1,)", "int32")}; n: Literal[2] → ${spec("()", "int32")}`),
    "x: float32 (2,) → int32 (1,); n: 2 → int32 ()",
  );
  assert.equal(whyText("something else"), "something else");
});

test("the sentences on a trace, and on what happens meanwhile", () => {
  const index = load("branches");
  const spoken = index.trace.events.map((_, step) => spokenStep(index.trace, index, step));
  assert.deepEqual(spoken.filter((one) => /trace/i.test(one)), [
    "f is traced for the first time · line 19",
    "Printed: tracing 2 · line 8 · while f is traced",
    "Trace of f finished · line 19",
    "f is traced again: x: (2,) → (1,) · line 21",
    "Printed: tracing 2 · line 8 · while f is traced",
    "Trace of f finished · line 21",
  ]);
});

test("an event of a kind that is not known yet is told as such", () => {
  const { trace } = load("two_paths");
  const index = buildIndex({ ...trace, events: [...trace.events, { kind: "hologram", layer: 3 }] });
  const model = modelOf(index);
  assert.equal(model.nodes.filter(({ kind }) => kind === "op").length, 3);
  assert.equal(
    spokenStep(index.trace, index, index.length - 1),
    "Something of the kind hologram, which this page cannot show yet",
  );
});
