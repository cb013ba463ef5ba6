import assert from "node:assert/strict";
import { test } from "node:test";
import { layout } from "../../static/js/graph/layout.js";
import { graphOf, load } from "./traces.js";

/** Random numbers that are the same in every run. */
function random(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** A graph as traces give them: a chain with branches and joins, leaves, frames, numbers. */
function anyGraph(seed, count, direction) {
  const next = random(seed);
  const nodes = [];
  const edges = [];
  const flow = [];
  let frame = -1;
  while (flow.length < count) {
    if (frame < 0 && next() < 0.1) {
      frame = nodes.length;
      nodes.push({ parent: -1, w: 200, h: 38, role: "frame", pad: { top: 60, right: 30, bottom: 40, left: 30 }, least: 240 });
    } else if (frame >= 0 && next() < 0.25) frame = -1;
    const leaves = Math.floor(next() * 2.4);
    const id = nodes.length + leaves;
    for (let i = 0; i < leaves; i += 1) {
      edges.push({ from: nodes.length, to: id, port: i * 2, label: { w: 30, h: 20 }, room: next() < 0.03 ? 140 : 0 });
      nodes.push({ parent: frame, w: 60 + Math.floor(next() * 90), h: 46, role: "leaf" });
    }
    nodes.push({ parent: frame, w: 188 + Math.floor(next() * 120), h: 54 + 22 * Math.floor(next() * 3), role: "node" });
    const inputs = flow.length === 0 ? 0 : Math.floor(next() * 3);
    for (let i = 0; i < inputs; i += 1) {
      const back = Math.floor(next() ** 2 * Math.min(6, flow.length));
      edges.push({ from: flow[flow.length - 1 - back], to: id, port: 1 + i * 2, label: next() < 0.5 ? { w: 90, h: 20 } : null, room: 0 });
    }
    flow.push(id);
  }
  return { direction, aspect: 1.3, nodes, edges };
}

function within(inner, outer) {
  return inner.x >= outer.x && inner.y >= outer.y && inner.x + inner.w <= outer.x + outer.w && inner.y + inner.h <= outer.y + outer.h;
}

const overlap = (a, b) => a.x < b.x + b.w - 0.01 && b.x < a.x + a.w - 0.01 && a.y < b.y + b.h - 0.01 && b.y < a.y + a.h - 0.01;

function check(graph) {
  const result = layout(graph);
  const whole = { x: -0.01, y: -0.01, w: result.w + 0.02, h: result.h + 0.02 };
  graph.nodes.forEach((node, i) => {
    assert.ok(within(result.nodes[i], whole), `node ${i} lies within`);
    if (node.parent >= 0) assert.ok(within(result.nodes[i], result.nodes[node.parent]), `node ${i} lies in its frame`);
    if (node.role !== "frame") assert.deepEqual([result.nodes[i].w, result.nodes[i].h], [node.w, node.h]);
    for (let j = 0; j < i; j += 1) {
      if (graph.nodes[j].parent !== node.parent) continue;
      assert.ok(!overlap(result.nodes[i], result.nodes[j]), `nodes ${j} and ${i} do not overlap`);
    }
  });
  graph.edges.forEach((edge, i) => checkRoute(graph, result, edge, result.edges[i]));
  return result;
}

/** A route begins at the border of its producer and ends at that of its consumer. */
function checkRoute(graph, result, edge, { points, label }) {
  const touches = ([x, y], box) =>
    x >= box.x - 0.01 && x <= box.x + box.w + 0.01 && y >= box.y - 0.01 && y <= box.y + box.h + 0.01 &&
    (Math.min(Math.abs(x - box.x), Math.abs(x - box.x - box.w)) < 0.01 || Math.min(Math.abs(y - box.y), Math.abs(y - box.y - box.h)) < 0.01);
  assert.ok(points.length >= 2);
  assert.ok(touches(points[0], result.nodes[edge.from]), `edge ${edge.from}-${edge.to} begins at ${edge.from}`);
  assert.ok(touches(points.at(-1), result.nodes[edge.to]), `edge ${edge.from}-${edge.to} ends at ${edge.to}`);
  for (const point of points) assert.ok(point.slice(0, 2).every(Number.isFinite));
  assert.equal(label !== null, edge.label !== null);
  const crossed = graph.nodes.filter((node, i) => {
    if (node.role === "frame" || i === edge.from || i === edge.to) return false;
    return points.slice(1).some(([x, y, curved], k) => {
      if (curved) return false; // curves stay between two layers, where no node is
      const [x0, y0] = points[k];
      const piece = { x: Math.min(x, x0), y: Math.min(y, y0), w: Math.abs(x - x0), h: Math.abs(y - y0) };
      return overlap({ ...piece, w: piece.w || 0.1, h: piece.h || 0.1 }, result.nodes[i]);
    });
  });
  assert.equal(crossed.length, 0, `edge ${edge.from}-${edge.to} passes through no node`);
}

for (const direction of ["down", "right"]) {
  test(`real graphs, ${direction}`, () => {
    for (const name of ["two_paths", "two_calls", "outside", "reasons", "second_order", "persistent", "loop"]) {
      for (const view of [{}, { bookkeeping: true }]) check(graphOf(load(name), direction, view));
    }
  });

  test(`any graph, ${direction}`, () => {
    for (let seed = 1; seed <= 60; seed += 1) check(anyGraph(seed, 4 + (seed % 40), direction));
  });
}

test("the same graph gives the same layout", () => {
  assert.deepEqual(layout(anyGraph(7, 60, "down")), layout(anyGraph(7, 60, "down")));
});

test("a chain stands in one straight column, in the order it ran", () => {
  const { nodes } = layout(graphOf(load("long")));
  const graph = graphOf(load("long"));
  const chain = graph.nodes.flatMap((node, i) => (node.role === "node" ? [nodes[i]] : []));
  const middles = new Set(chain.map(({ x, w }) => Math.round(x + w / 2)));
  assert.equal(middles.size, 1);
  chain.slice(1).forEach((box, i) => assert.ok(box.y > chain[i].y));
});

test("an empty graph and a single node", () => {
  assert.deepEqual(layout({ direction: "down", aspect: 1, nodes: [], edges: [] }).nodes, []);
  const single = layout({ direction: "down", aspect: 1, nodes: [{ parent: -1, w: 10, h: 20, role: "node" }], edges: [] });
  assert.deepEqual(single, { w: 10, h: 20, nodes: [{ x: 0, y: 0, w: 10, h: 20 }], edges: [] });
});

test("2,000 nodes are laid out while one looks on", () => {
  const graph = anyGraph(3, 1110, "down");
  assert.ok(graph.nodes.length > 1950);
  layout(graph);
  const times = Array.from({ length: 5 }, () => {
    const before = process.cpuUsage();
    layout(graph);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  });
  // About 80 ms of one processor once it is warm; what is checked is that nothing grows out of hand.
  assert.ok(Math.min(...times) < 300, `${Math.min(...times).toFixed(0)} ms`);
});
