import assert from "node:assert/strict";
import { test } from "node:test";
import { cardsOf } from "../../static/js/graph/cards.js";
import { iterationMoved, shownIterations } from "../../static/js/graph/iterations.js";
import { labelledBands } from "../../static/js/graph/bands.js";
import { layout } from "../../static/js/graph/layout.js";
import { edgeLook, momentAt, nodeLook } from "../../static/js/graph/look.js";
import { graphOf, load, modelOf, number, opsOf, stepOf } from "./traces.js";

const titles = (index, model, kind) =>
  model.nodes.flatMap((node, id) => (node.kind === kind ? [cardsOf(index, model)[id].title] : []));

test("forward ops are nodes, gradient ops are not, a variable stands beside each use", () => {
  const index = load("two_paths");
  const model = modelOf(index);
  assert.deepEqual(titles(index, model, "op"), ["Mul", "Mul", "AddV2"]);
  assert.deepEqual(titles(index, model, "variable"), ["x", "x"]);
  assert.deepEqual(titles(index, model, "target"), ["y"]);
  assert.equal(model.nodes.filter(({ kind }) => kind === "constant").length, 1);
});

test("a gradient op is a node where an outer tape recorded it", () => {
  const index = load("second_order");
  const model = modelOf(index);
  const drawn = model.nodes.filter(({ kind }) => kind === "op").map(({ op }) => index.trace.ops[op]);
  assert.equal(drawn.filter(({ call }) => call === 0).length, drawn.length - 1);
  assert.ok(drawn.length > 1);
});

test("bookkeeping is bridged over until it is asked for", () => {
  const index = load("two_paths");
  const shown = modelOf(index, { bookkeeping: true });
  assert.ok(titles(index, shown, "op").includes("ReadVariableOp"));
  assert.ok(!titles(index, modelOf(index), "op").includes("ReadVariableOp"));
});

test("what stands on nodes and edges, step by step", () => {
  const index = load("two_paths");
  const model = modelOf(index);
  const [first] = opsOf(index, "Mul");
  const [add] = opsOf(index, "AddV2");
  const at = (step, op) => nodeLook(momentAt(index, step), model, model.nodeOfOp.get(op));
  assert.equal(at(index.stepOfOp(first), add).state, "future");
  assert.equal(at(index.stepOfOp(first), add).value, "not reached");
  const recorded = at(index.stepOfOp(first), first);
  assert.deepEqual([recorded.state, recorded.now, recorded.value, recorded.gradient], ["recording", true, "9.0", "∂ –"]);
  const rewound = at(index.rewindsOf(first)[0], first);
  assert.deepEqual([rewound.state, rewound.now, rewound.gradient], ["rewinding", true, "∂ 1"]);
  assert.deepEqual(rewound.badges.map(({ tape, word }) => `${tape} ${word}`), ["tape rewinding"]);

  const moment = momentAt(index, index.rewindsOf(first)[0]);
  const pills = model.edges.filter(({ to }) => to === model.nodeOfOp.get(first)).map((edge) => edgeLook(moment, model, edge));
  assert.deepEqual(pills, [{ state: "back-hot", label: "3" }, { state: "back-hot", label: "3" }]);
});

test("sums as sums on the capsules", () => {
  const index = load("two_paths");
  const model = modelOf(index);
  const capsules = model.nodes.flatMap(({ kind }, id) => (kind === "variable" ? [id] : []));
  const seconds = (step) => capsules.map((id) => nodeLook(momentAt(index, step), model, id).second);
  const [first] = opsOf(index, "Mul");
  assert.deepEqual(seconds(index.rewindsOf(first)[0]), ["3 + 3", "waits for 2 * x"]);
  const sum = stepOf(index, { kind: "sum", variable: 0 });
  assert.deepEqual(seconds(sum), ["3 + 3 + 2 = 8", "3 + 3 + 2 = 8"]);
  assert.deepEqual(seconds(index.stepOfOp(first)), ["watched", "watched"]);
  assert.deepEqual(seconds(-1), ["not reached", "not reached"]);
});

test("ops that no tape recorded say why", () => {
  const index = load("outside");
  const model = modelOf(index);
  const look = nodeLook(momentAt(index, index.length - 1), model, model.nodeOfOp.get(opsOf(index, "Pow")[0]));
  assert.equal(look.state, "ghost");
  assert.deepEqual(look.badges.map(({ icon, word }) => `${icon}: ${word}`), ["none: not recorded, ran after the block"]);
  assert.equal(look.gradient, "");
});

test("one break, on the edge into the first op after the block", () => {
  const index = load("outside");
  const cuts = modelOf(index).edges.filter(({ cut }) => cut !== null);
  assert.equal(cuts.length, 1);
  assert.equal(cuts[0].flows[0].op, opsOf(index, "Sub")[0]);
});

test("the first call's flow stays while the second raises", () => {
  const index = load("two_calls");
  const model = modelOf(index);
  const [square] = opsOf(index, "Pow");
  const look = nodeLook(momentAt(index, index.length - 1), model, model.nodeOfOp.get(square));
  assert.deepEqual([look.gradient, look.badges[0].word], ["∂ 1", "consumed"]);
});

test("while a call runs, the flow of an earlier call of the same tape is gone", () => {
  const index = load("persistent");
  const model = modelOf(index);
  const [d, e] = opsOf(index, "Mul");
  const begin = index.callSpan(1).begin;
  const at = (step, op) => nodeLook(momentAt(index, step), model, model.nodeOfOp.get(op)).gradient;
  assert.equal(at(begin - 1, d), "∂ 1");
  assert.equal(at(begin, d), "∂ –");
  assert.equal(at(index.length - 1, d), "∂ 2");
  assert.equal(at(index.length - 1, e), "∂ 1");
});

test("a loop shows one iteration; its stepper takes the playhead along", () => {
  const index = load("loop");
  const [loop] = index.loops();
  const iterations = index.iterations(loop);
  const inSecond = index.groupSpan(iterations[1]).from + 4;
  const shown = shownIterations(index, inSecond);
  assert.equal(shown.get(loop), 1);
  const model = modelOf(index, {}, inSecond);
  const inside = (op) => {
    let { group } = index.trace.ops[op];
    while (group !== null && !iterations.includes(group)) group = index.trace.groups[group].parent;
    return group;
  };
  const groups = new Set(model.nodes.filter(({ kind }) => kind === "op").map(({ op }) => inside(op)));
  assert.deepEqual([...groups].filter((group) => group !== null), [iterations[1]]);

  const squares = opsOf(index, "Square").map((op) => index.stepOfOp(op));
  const moved = iterationMoved({ index, step: squares[1] }, loop, 1);
  assert.equal(moved.step, squares[2]);
  assert.equal(iterationMoved({ index, step: squares[1] }, loop, -1).step, squares[0]);
  assert.deepEqual(iterationMoved({ index, step: -1 }, loop, -1), {});
  // From outside the playhead goes into the loop, so that every panel speaks of the same iteration.
  const end = iterationMoved({ index, step: index.length - 1 }, loop, -1).step;
  assert.equal(shownIterations(index, end).get(loop), 3);
});

test("what is folded in one iteration is folded in all", () => {
  const index = load("loop");
  const [loop] = index.loops();
  const call = index.trace.groups.findIndex(({ kind }) => kind === "function");
  const folded = modelOf(index, { closed: new Set([call]), shown: new Map([[loop, 3]]) });
  const groups = folded.nodes.filter(({ kind }) => kind === "group");
  assert.equal(groups.length, 1);
  assert.notEqual(groups[0].group, call);
  assert.equal(index.trace.groups[groups[0].group].name, index.trace.groups[call].name);
});

test("a folded group takes the edges of all that is in it", () => {
  const index = load("loop");
  const [loop] = index.loops();
  const model = modelOf(index, { closed: new Set([loop]) });
  assert.deepEqual(model.nodes.filter(({ kind }) => kind === "group" || kind === "op").map(({ group }) => group), [loop]);
  const ids = new Set(model.edges.map(({ from, to }) => `${from}-${to}`));
  assert.equal(ids.size, model.edges.length);
});

test("a folded loop is one node with a capsule a variable, and hides its tapes and targets", () => {
  const index = load("loop");
  const loop = index.loops()[0];
  const model = modelOf(index, { closed: new Set([loop]) });
  const kinds = model.nodes.map(({ kind }) => kind);
  assert.deepEqual(kinds, ["variable", "constant", "variable", "group"]);
  const fold = model.nodes.findIndex(({ kind }) => kind === "group");
  assert.deepEqual(model.nodes[fold].tapes, []);
  assert.equal(model.nodes[fold].losses.length, 5);
  const card = cardsOf(index, model)[fold];
  assert.deepEqual([card.title, card.code], ["for i in range(5)", "5 iterations"]);
  const drawn = layout(graphOf(index, "down", { closed: new Set([loop]) }));
  assert.deepEqual(labelledBands(index, model, drawn), []);
  // The loss of the third iteration, and what its call alone sent to w.
  const end = index.callSpan(2).end;
  const moment = momentAt(index, end);
  const loss = number(index, index.trace.gradients[2].targets[0].tensor);
  assert.equal(nodeLook(moment, model, fold).value, String(Number(loss.toPrecision(4))));
  const sent = number(index, index.trace.gradients[2].results[0].tensor);
  assert.equal(nodeLook(moment, model, 0).second, `∂ ${Number(sent.toPrecision(4))}`);
});

test("what runs after a folded loop stands close below it, however many tapes it hides", () => {
  const index = load("loop_then");
  const view = { closed: new Set([index.loops()[0]]) };
  const graph = graphOf(index, "down", view);
  assert.deepEqual(graph.edges.map(({ room }) => room).filter((room) => room > 0), []);
  assert.ok(layout(graph).h < 500);
});
