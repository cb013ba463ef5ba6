/**
 * Laying out what stands directly in one frame: components side by side, leaves beside their
 * consumers, links as points.
 *
 * Coordinates are (u, v): u along the direction in which the snippet runs, v across.
 *
 * @typedef {import("./layers.js").Item} Item
 * @typedef {import("./layers.js").Link} Link
 * @typedef {import("./sides.js").Sides} Sides
 *
 * @typedef {object} Box  what is to be placed
 * @property {number} id  node of the graph; −1 for an entry or exit
 * @property {number} u  length along
 * @property {number} v  extent across
 * @property {number} phase
 * @property {"node" | "leaf" | "entry" | "exit"} role
 *
 * @typedef {object} Wire
 * @property {number} edge  edge of the graph
 * @property {number} a  box
 * @property {number} b  box; stands after a
 * @property {number} port
 * @property {number | null} out
 * @property {number | null} in
 * @property {{ u: number, v: number } | null} label
 * @property {number} room
 * @property {number} beside
 *
 * @typedef {[u: number, v: number, curved: boolean]} Point  the way to it: straight, or
 *   an S that leaves and arrives along u
 * @typedef {object} Route
 * @property {Point[]} points
 * @property {{ u: number, v: number } | null} label  middle of its label
 *
 * @typedef {object} Level
 * @property {number} u  size of all
 * @property {number} v
 * @property {{ u: number, v: number }[]} at  by box: its corner with the least u and v
 * @property {Route[]} routes  by wire
 */

import { addTo, listAt, listsOf } from "../trace/lists.js";
import { placed } from "./columns.js";
import { layered } from "./layers.js";
import { placeSides, sideExtent, sidesOf, stackLength } from "./sides.js";

const COMPONENT_GAP = 56;
/** A layer longer than this has a frame in it. */
const TALL = 240;

/**
 * @param {readonly Box[]} boxes  in the order they ran
 * @param {readonly Wire[]} wires
 * @param {number} aspect  wanted ratio of v to u
 * @returns {Level}
 */
export function layoutLevel(boxes, wires, aspect) {
  const into = listsOf(boxes.length, wires.map(({ b }) => b), [...wires.keys()]);
  /** @type {Known} */
  const known = { boxes, wires, into, sides: sidesOf(boxes, wires) };
  const parts = components(boxes, wires).map((members) => layoutComponent(known, members));
  const { u, v, corners } = shelves(parts, aspect);
  /** @type {Level} */
  const level = { u, v, at: new Array(boxes.length), routes: new Array(wires.length) };
  parts.forEach((part, i) => {
    const corner = corners[i];
    part.at.forEach((at, box) => {
      level.at[box] = { u: at.u + corner.u, v: at.v + corner.v };
    });
    part.routes.forEach((route, wire) => {
      level.routes[wire] = moveRoute(route, corner.u, corner.v);
    });
  });
  return level;
}

/**
 * Moves a route, in place: there are many, and each is moved several times.
 *
 * @param {Route} route
 * @param {number} u
 * @param {number} v
 * @returns {Route}
 */
export function moveRoute(route, u, v) {
  for (const point of route.points) {
    point[0] += u;
    point[1] += v;
  }
  if (route.label) {
    route.label.u += u;
    route.label.v += v;
  }
  return route;
}

/**
 * @param {readonly Box[]} boxes
 * @param {readonly Wire[]} wires
 * @returns {number[][]} boxes of each connected part, in order
 */
function components(boxes, wires) {
  const root = Int32Array.from(boxes.keys());
  /** @param {number} i */
  const find = (i) => {
    let at = i;
    while (root[at] !== at) {
      root[at] = root[root[at]];
      at = root[at];
    }
    return at;
  };
  /** @param {number} a @param {number} b */
  const join = (a, b) => {
    const [x, y] = [find(a), find(b)];
    root[Math.max(x, y)] = Math.min(x, y);
  };
  for (const { a, b } of wires) join(a, b);
  // What goes through the frame's border must reach it with nothing in its way: all is one part.
  const border = boxes.findIndex(({ role }) => role === "entry" || role === "exit");
  if (border >= 0) return [[...boxes.keys()]];
  /** @type {Map<number, number[]>} */
  const parts = new Map();
  boxes.forEach((_, i) => addTo(parts, find(i), i));
  return [...parts.values()];
}

/**
 * @typedef {object} Known
 * @property {readonly Box[]} boxes
 * @property {readonly Wire[]} wires
 * @property {import("../trace/lists.js").Lists} into  wires by the box that they go to
 * @property {Map<number, Sides>} sides
 *
 * @typedef {{ u: number, v: number, at: Map<number, { u: number, v: number }>, routes: Map<number, Route> }} Part
 *
 * @param {Known} known
 * @param {readonly number[]} members
 * @returns {Part}
 */
function layoutComponent(known, members) {
  const { wires, into, sides } = known;
  const beside = new Set(members.flatMap((box) => {
    const side = sides.get(box);
    return side ? [...side.before, ...side.after] : [];
  }));
  const main = members.filter((box) => !beside.has(box));
  const itemOf = new Map(main.map((box, item) => [box, item]));
  const items = main.map((box) => itemFor(known, box));
  /** @type {number[]} */
  const wireOf = [];
  /** @type {Link[]} */
  const links = [];
  for (const box of main) {
    for (const wire of listAt(into, box)) {
      const { a, b, port, out, in: inwards, label, room } = wires[wire];
      const [from, to] = [itemOf.get(a), itemOf.get(b)];
      if (from === undefined || to === undefined) continue;
      wireOf.push(wire);
      const size = label && { size: label.u, width: label.v };
      links.push({ a: from, b: to, port, out, in: inwards, label: size, room });
    }
  }
  return assemble(known, main, items, links, wireOf);
}

/**
 * @param {Known} known
 * @param {number} box
 * @returns {Item}
 */
function itemFor(known, box) {
  const { boxes } = known;
  const side = known.sides.get(box);
  const { u, v, role, phase } = boxes[box];
  const before = sideExtent(known, box, side?.before ?? []);
  const after = sideExtent(known, box, side?.after ?? []);
  const size = Math.max(u, stackLength(boxes, side?.before ?? []), stackLength(boxes, side?.after ?? []));
  return { size, before: v / 2 + before, after: v / 2 + after, role, phase, width: v };
}

/**
 * @param {Known} known
 * @param {readonly number[]} main  boxes by item
 * @param {readonly Item[]} items
 * @param {readonly Link[]} links
 * @param {readonly number[]} wireOf  wires by link
 * @returns {Part}
 */
function assemble(known, main, items, links, wireOf) {
  const { boxes, wires, sides } = known;
  const graph = layered(items, links);
  const place = placed(items, links, graph);
  /** @type {Part["at"]} */
  const at = new Map();
  /** @type {Part["routes"]} */
  const routes = new Map();
  main.forEach((box, item) => {
    const { layer } = graph.cells[item];
    const u = alongIn(place.start[layer], place.end[layer], items[item]) + (items[item].size - boxes[box].u) / 2;
    at.set(box, { u, v: place.v[item] - boxes[box].v / 2 });
    const side = sides.get(box);
    if (side) placeSides(known, box, side, at, routes);
  });
  wireOf.forEach((wire, link) => {
    const { a, b } = wires[wire];
    const from = /** @type {{ u: number, v: number }} */ (at.get(a));
    const to = /** @type {{ u: number, v: number }} */ (at.get(b));
    routes.set(wire, routeOf(graph, place, link, from.u + boxes[a].u, to.u, links[link].label !== null));
  });
  return normalised(boxes, wires, at, routes);
}

/**
 * Where an item begins in its layer: in the middle; beside a frame, which is long, at its start,
 * and a leaf at its end, near its consumer.
 *
 * @param {number} start
 * @param {number} end
 * @param {Item} item
 */
function alongIn(start, end, { size, role }) {
  const spare = end - start - size;
  if (end - start <= TALL || spare < size) return start + spare / 2;
  return role === "leaf" ? start + spare : start;
}

/**
 * @param {import("./layers.js").Layered} graph
 * @param {import("./columns.js").Placed} place
 * @param {number} link
 * @param {number} begin  end of the producer along u
 * @param {number} finish  start of the consumer
 * @param {boolean} labelled
 * @returns {Route}
 */
function routeOf({ cells, joints, chains }, { v, start, end, rows, labelRow }, link, begin, finish, labelled) {
  /** @type {Point[]} */
  const points = [];
  let label = null;
  const chain = chains[link];
  chain.forEach((id, k) => {
    const { from, to, out, in: into } = joints[id];
    const leave = v[from] + out;
    const arrive = v[to] + into;
    const [low, high] = [end[cells[from].layer], start[cells[to].layer]];
    if (k === 0) points.push([begin, leave, false]);
    points.push([low, leave, false], [high, arrive, true]);
    if (k < chain.length - 1) points.push([end[cells[to].layer], arrive, false]);
    else if (labelled) label = labelPoint(low, leave, high, arrive, labelRow[link], rows[cells[from].layer]);
  });
  points.push([finish, points[points.length - 1][1], false]);
  return { points, label };
}

/**
 * @param {number} low
 * @param {number} leave
 * @param {number} high
 * @param {number} arrive
 * @param {number} row
 * @param {number} rows
 */
function labelPoint(low, leave, high, arrive, row, rows) {
  const u = low + ((high - low) * (row + 1)) / (rows + 1);
  return { u, v: acrossAt(low, leave, high, arrive, u) };
}

/**
 * Where an S-curve from (low, leave) to (high, arrive) stands across at u: both of its handles
 * lie half way along.
 *
 * @param {number} low
 * @param {number} leave
 * @param {number} high
 * @param {number} arrive
 * @param {number} u
 */
function acrossAt(low, leave, high, arrive, u) {
  const wanted = (u - low) / (high - low);
  let [from, to] = [0, 1];
  for (let i = 0; i < 20; i += 1) {
    const t = (from + to) / 2;
    const reached = 1.5 * t * (1 - t) * (1 - t) + 1.5 * t * t * (1 - t) + t * t * t;
    if (reached < wanted) from = t;
    else to = t;
  }
  const t = (from + to) / 2;
  return leave + (arrive - leave) * (3 * t * t - 2 * t * t * t);
}

/**
 * Moves all so that the least u and v are 0.
 *
 * @param {readonly Box[]} boxes
 * @param {readonly Wire[]} wires
 * @param {Part["at"]} at
 * @param {Part["routes"]} routes
 * @returns {Part}
 */
function normalised(boxes, wires, at, routes) {
  let [u0, v0, u1, v1] = [Infinity, Infinity, -Infinity, -Infinity];
  at.forEach((corner, box) => {
    u0 = Math.min(u0, corner.u);
    v0 = Math.min(v0, corner.v);
    u1 = Math.max(u1, corner.u + boxes[box].u);
    v1 = Math.max(v1, corner.v + boxes[box].v);
  });
  routes.forEach(({ points }, wire) => {
    for (const [, v] of points) {
      v0 = Math.min(v0, v - 6);
      v1 = Math.max(v1, v + Math.max(6, wires[wire].beside));
    }
  });
  at.forEach((corner) => {
    corner.u -= u0;
    corner.v -= v0;
  });
  routes.forEach((route) => moveRoute(route, -u0, -v0));
  return { u: u1 - u0, v: v1 - v0, at, routes };
}

/**
 * Parts in rows, read like text in the order they ran.
 *
 * @param {readonly Part[]} parts
 * @param {number} aspect
 */
function shelves(parts, aspect) {
  const area = parts.reduce((sum, { u, v }) => sum + (u + COMPONENT_GAP) * (v + COMPONENT_GAP), 0);
  const widest = parts.reduce((most, { v }) => Math.max(most, v), 0);
  const limit = Math.max(widest, Math.sqrt(area * aspect) * 1.1);
  let [u, v, row, most] = [0, 0, 0, 0];
  const corners = parts.map((part) => {
    if (v > 0 && v + part.v > limit) {
      u += row + COMPONENT_GAP;
      v = 0;
      row = 0;
    }
    const corner = { u, v };
    v += part.v + COMPONENT_GAP;
    row = Math.max(row, part.u);
    most = Math.max(most, v - COMPONENT_GAP);
    return corner;
  });
  return { u: u + row, v: most, corners };
}
