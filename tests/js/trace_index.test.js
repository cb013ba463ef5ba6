import assert from "node:assert/strict";
import { test } from "node:test";
import { complete } from "../../static/js/trace/document.js";
import { load, number, opsOf, stepOf } from "./traces.js";

test("defaults that the JSON leaves out are put in, once", () => {
  const document = { snippet: { text: "" }, ops: [{ type: "Mul" }], events: [{ kind: "op", op: 0 }] };
  const trace = complete(document);
  assert.deepEqual(trace.ops[0].inputs, []);
  assert.equal(trace.ops[0].place, null);
  assert.equal(trace.outcome.kind, "completed");
  assert.deepEqual(trace.tensors, []);
  assert.equal(complete(trace), trace);
});

test("producers, consumers and steps", () => {
  const index = load("two_paths");
  const [first, second] = opsOf(index, "Mul");
  const [add] = opsOf(index, "AddV2");
  const [product] = index.trace.ops[first].outputs;
  assert.equal(index.producer(product), first);
  assert.deepEqual([...index.consumers(product)].filter((op) => index.trace.ops[op].call === null), [add]);
  assert.equal(index.opAtStep(index.stepOfOp(second)), second);
  assert.ok(index.stepOfOp(first) < index.stepOfOp(second));
  const constant = index.trace.ops[second].inputs.find((id) => index.producer(id) === null);
  assert.equal(number(index, constant), 2);
});

test("a tape's states over time", () => {
  const index = load("two_paths");
  const states = index.tapeIntervals(0).map(({ state }) => state);
  assert.deepEqual(states.slice(0, 5), ["created", "recording", "stopped", "rewinding", "consumed"]);
  assert.equal(index.tapeStateAt(0, -1), null);
  assert.equal(index.tapeStateAt(0, index.stepOfOp(opsOf(index, "AddV2")[0])), "recording");
});

test("a persistent tape goes back to stopped after each call", () => {
  const index = load("persistent");
  for (const call of [0, 1]) {
    const { begin, end } = index.callSpan(call);
    assert.equal(index.tapeStateAt(0, end - 1), "rewinding");
    assert.equal(index.tapeStateAt(0, end + 1), "stopped");
    assert.ok(begin < end);
  }
});

test("why a tape does not hold an op", () => {
  const index = load("reasons");
  const last = index.length - 1;
  const reasonOf = (name) => {
    const tensor = index.trace.tensors.findIndex((one) => one.name === name);
    return index.opStatus(index.producer(tensor), 0, last).reason;
  };
  assert.equal(reasonOf("early"), "before_block");
  assert.equal(reasonOf("alone"), "nothing_watched");
  assert.equal(reasonOf("paused"), "paused");
  assert.equal(reasonOf("whole"), "dtype");
  assert.equal(reasonOf("late"), "outside_block");
  assert.equal(reasonOf("h"), null);
});

test("a reason says since when", () => {
  const index = load("outside");
  const [sub] = opsOf(index, "Sub");
  const status = index.opStatus(sub, 0, index.length - 1);
  assert.equal(status.recorded, false);
  assert.equal(status.since, stepOf(index, { kind: "tape", state: "stopped" }));
});

test("contributions and their sum as they come", () => {
  const index = load("two_paths");
  const sum = stepOf(index, { kind: "sum", variable: 0 });
  const all = index.contributionsTo({ variable: 0 }, 0, sum);
  assert.deepEqual(all.parts.map(({ tensor }) => number(index, tensor)).sort(), [2, 3, 3]);
  assert.equal(number(index, all.sum.total), 8);
  assert.equal(index.contributionsTo({ variable: 0 }, 0, sum - 1).sum, null);
  const [first] = opsOf(index, "Mul");
  const [rewound] = index.rewindsOf(first);
  assert.equal(number(index, index.upstreamAt(first, 0, rewound)), 1);
  assert.equal(index.upstreamAt(first, 0, rewound - 1), null);
  assert.equal(number(index, index.contributionAt(first, 1, rewound)), 3);
});

test("the table of gradients at every stage of a call", () => {
  const index = load("two_calls");
  const last = index.gradientsTable(index.length - 1);
  assert.deepEqual(last.map(({ status }) => status), ["tensor", "raised"]);
  assert.equal(number(index, last[0].tensor), 6);
  const { begin, end } = index.callSpan(0);
  assert.equal(index.gradientsTable(begin - 1)[0].status, "later");
  assert.equal(index.gradientsTable(end - 1)[0].status, "running");
});

test("the console up to a step", () => {
  const index = load("two_paths");
  assert.equal(index.console(0).length, 0);
  const lines = index.console(index.length - 1);
  assert.match(lines[0].text, /8\.0/);
  assert.equal(lines[0].stream, "stdout");
});

test("the path breaks at the first op that ran after the block", () => {
  const index = load("outside");
  const [cut] = index.breaks();
  assert.equal(index.breaks().length, 1);
  assert.equal(cut.reason, "outside_block");
  assert.equal(cut.op, opsOf(index, "Sub")[0]);
  assert.equal(index.trace.tensors[cut.tensor].name, "y");
});

test("a call that raised breaks at its target; a source that is not watched at its first use", () => {
  const [raised] = load("two_calls").breaks();
  assert.equal(raised.reason, "raised");
  assert.equal(raised.call, 1);
  const index = load("reasons");
  const cut = index.breaks().find(({ sources }) => sources.includes(1));
  assert.ok(["not_watched", "nothing_watched"].includes(cut.reason), cut.reason);
});

test("a run without a None has no break", () => {
  for (const name of ["two_paths", "persistent", "second_order", "loop"]) {
    assert.deepEqual(load(name).breaks(), [], name);
  }
});

test("a loop and its iterations", () => {
  const index = load("loop");
  const [loop] = index.loops();
  const iterations = index.iterations(loop);
  assert.equal(iterations.length, 5);
  const { from } = index.groupSpan(iterations[3]);
  assert.equal(index.iterationAt(loop, from), 3);
  assert.equal(index.iterationAt(loop, from - 1), 2);
  assert.equal(index.iterationAt(loop, index.length - 1), 4);
});
