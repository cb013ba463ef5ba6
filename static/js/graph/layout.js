/**
 * Positions and routes for a graph with nested frames.
 *
 * Each frame's children are a small graph of their own, laid out from the inside out; the frame
 * then is one sized node of its parent. An edge that crosses frames is cut at their borders: in
 * every frame it enters or leaves it has a place of its own on the border.
 *
 * @typedef {object} LayoutNode
 * @property {number} parent  index of the frame around it; −1: none
 * @property {number} w
 * @property {number} h
 * @property {number} [phase]  nodes of a later phase stand in later layers; never less than that of
 *   the node before
 * @property {"node" | "leaf" | "frame"} role  a leaf has no inputs and exactly one consumer,
 *   which stands in the same frame; a frame's size is worked out
 * @property {{ top: number, right: number, bottom: number, left: number }} [pad]  of a frame
 * @property {number} [least]  of a frame: its least width
 *
 * @typedef {object} LayoutEdge
 * @property {number} from
 * @property {number} to
 * @property {number} port  place among the inputs of `to`
 * @property {{ w: number, h: number } | null} label
 * @property {number} [beside]  extent across, at its right, of what stands beside it
 * @property {number} room  least length of its last stretch, 0 where it does not matter
 *
 * @typedef {object} LayoutGraph
 * @property {"down" | "right"} direction
 * @property {number} aspect  width of the panel by its height
 * @property {readonly LayoutNode[]} nodes  in the order they ran
 * @property {readonly LayoutEdge[]} edges
 *
 * @typedef {readonly [x: number, y: number, curved: boolean]} RoutePoint
 * @typedef {object} LayoutResult
 * @property {number} w
 * @property {number} h
 * @property {{ x: number, y: number, w: number, h: number }[]} nodes
 * @property {{ points: RoutePoint[], label: { x: number, y: number } | null }[]} edges
 *
 * @typedef {import("./level.js").Box} Box
 * @typedef {import("./level.js").Wire} Wire
 * @typedef {import("./level.js").Route} Route
 * @typedef {import("./level.js").Level} Level
 */

import { layoutLevel, moveRoute } from "./level.js";

const NO_PAD = { top: 0, right: 0, bottom: 0, left: 0 };

/**
 * @param {LayoutGraph} graph
 * @returns {LayoutResult}
 */
export function layout(graph) {
  return new Layout(graph).result();
}

/** One run of `layout`: what is known of each frame while going from the inside out. */
class Layout {
  /** @param {LayoutGraph} graph */
  constructor(graph) {
    this.graph = graph;
    this.down = graph.direction === "down";
    /** @type {Map<number, number[]>} children by frame, −1 the whole */
    this.children = new Map([[-1, []]]);
    graph.nodes.forEach(({ role }, id) => role === "frame" && this.children.set(id, []));
    graph.nodes.forEach(({ parent }, id) => this.children.get(parent)?.push(id));
    /** @type {Map<number, { edge: number, a: number, b: number }[]>} edges by the frame they run in */
    this.inside = new Map([...this.children.keys()].map((frame) => [frame, []]));
    /** @type {Map<number, Level & { boxes: Box[], wires: Wire[] }>} */
    this.levels = new Map();
    /** @type {Map<string, number>} `frame:producer:in` or `:out` → offset of the place on the border */
    this.ports = new Map();
    graph.edges.forEach((_, edge) => this.cut(edge));
  }

  /**
   * Cuts an edge into one piece a frame. A piece's end is a node, or −1: the border.
   *
   * @param {number} edge
   */
  cut(edge) {
    const { from, to } = this.graph.edges[edge];
    const above = this.chain(from);
    const below = this.chain(to);
    while (above.at(-1) === below.at(-1)) {
      above.pop();
      below.pop();
    }
    const common = this.graph.nodes[above[above.length - 1]].parent;
    this.inside.get(common)?.push({ edge, a: above[above.length - 1], b: below[below.length - 1] });
    above.slice(0, -1).forEach((node) => {
      this.inside.get(this.graph.nodes[node].parent)?.push({ edge, a: node, b: -1 });
    });
    below.slice(0, -1).forEach((node) => {
      this.inside.get(this.graph.nodes[node].parent)?.push({ edge, a: -1, b: node });
    });
  }

  /**
   * A node and the frames around it, from the inside out.
   *
   * @param {number} node
   */
  chain(node) {
    const chain = [];
    for (let at = node; at >= 0; at = this.graph.nodes[at].parent) chain.push(at);
    return chain;
  }

  /** @returns {LayoutResult} */
  result() {
    this.level(-1);
    const root = /** @type {Level} */ (this.levels.get(-1));
    /** @type {LayoutResult} */
    const result = {
      w: this.down ? root.v : root.u,
      h: this.down ? root.u : root.v,
      nodes: new Array(this.graph.nodes.length),
      edges: new Array(this.graph.edges.length),
    };
    /** @type {Map<number, Route[]>} */
    const pieces = new Map(this.graph.edges.map((_, edge) => [edge, []]));
    this.settle(-1, 0, 0, result, pieces);
    pieces.forEach((routes, edge) => {
      result.edges[edge] = this.joined(edge, routes);
    });
    return result;
  }

  /**
   * Lays out a frame and everything in it; returns its size with the room around its content.
   *
   * @param {number} frame
   * @returns {{ u: number, v: number }}
   */
  level(frame) {
    const children = this.children.get(frame) ?? [];
    const boxes = this.boxes(frame, children);
    const wires = this.wires(frame, children, boxes);
    const aspect = this.down ? this.graph.aspect : 1 / this.graph.aspect;
    const level = layoutLevel(boxes, wires, aspect);
    this.levels.set(frame, { ...level, boxes, wires });
    const pad = this.pad(frame);
    const least = frame < 0 ? 0 : (this.graph.nodes[frame].least ?? 0);
    const size = { u: level.u + pad.u0 + pad.u1, v: level.v + pad.v0 + pad.v1 };
    if (this.down) size.v = Math.max(size.v, least);
    else size.u = Math.max(size.u, least);
    this.notePorts(frame, level, boxes, wires, size.v);
    return size;
  }

  /** @param {number} frame */
  pad(frame) {
    const { top, right, bottom, left } = (frame < 0 ? null : this.graph.nodes[frame].pad) ?? NO_PAD;
    return this.down
      ? { u0: top, u1: bottom, v0: left, v1: right }
      : { u0: left, u1: right, v0: top, v1: bottom };
  }

  /**
   * The producers whose edges enter a frame and leave it; those of one share a place on its border.
   *
   * @param {number} frame
   */
  borders(frame) {
    const entries = new Set();
    const exits = new Set();
    for (const { edge, a, b } of this.inside.get(frame) ?? []) {
      if (a < 0) entries.add(this.graph.edges[edge].from);
      if (b < 0) exits.add(this.graph.edges[edge].from);
    }
    return { entries: [...entries], exits: [...exits] };
  }

  /**
   * @param {number} frame
   * @param {readonly number[]} children
   * @returns {Box[]} entries, then the children, then exits
   */
  boxes(frame, children) {
    const { entries: into, exits: outOf } = this.borders(frame);
    const border = /** @param {"entry" | "exit"} role */ (role) => ({ id: -1, u: 0, v: 12, role, phase: 0 });
    const entries = into.map(() => border("entry"));
    const exits = outOf.map(() => border("exit"));
    const nodes = children.map((id) => {
      const { w, h, role, phase = 0 } = this.graph.nodes[id];
      if (role === "frame") return { id, phase, ...this.level(id), role: /** @type {const} */ ("node") };
      return { id, phase, u: this.down ? h : w, v: this.down ? w : h, role };
    });
    return [...entries, ...nodes, ...exits];
  }

  /**
   * @param {number} frame
   * @param {readonly number[]} children
   * @param {readonly Box[]} boxes
   * @returns {Wire[]}
   */
  wires(frame, children, boxes) {
    const pieces = this.inside.get(frame) ?? [];
    const boxOf = new Map(boxes.map(({ id }, box) => [id, box]));
    const { entries, exits } = this.borders(frame);
    const entryOf = new Map(entries.map((producer, i) => [producer, i]));
    const exitOf = new Map(exits.map((producer, i) => [producer, boxes.length - exits.length + i]));
    return pieces.map(({ edge, a, b }) => {
      const { port, label, room, beside = 0, from: producer } = this.graph.edges[edge];
      const from = /** @type {number} */ (a < 0 ? entryOf.get(producer) : boxOf.get(a));
      const to = /** @type {number} */ (b < 0 ? exitOf.get(producer) : boxOf.get(b));
      const whole = a >= 0 && b >= 0;
      const size = label && (this.down ? { u: label.h, v: label.w } : { u: label.w, v: label.h });
      const out = this.ports.get(`${a}:${producer}:out`) ?? null;
      const into = this.ports.get(`${b}:${producer}:in`) ?? null;
      const wire = { edge, port, out, in: into, label: whole ? size : null, room: whole ? room : 0, beside: whole ? beside : 0 };
      // A folded group may take what came of its own earlier ops: that edge is laid out reversed.
      if (from <= to) return { ...wire, a: from, b: to };
      return { ...wire, a: to, b: from, out: into, in: out };
    });
  }

  /**
   * @param {number} frame
   * @param {Level} level
   * @param {readonly Box[]} boxes
   * @param {readonly Wire[]} wires
   * @param {number} across  extent of the whole frame
   */
  notePorts(frame, level, boxes, wires, across) {
    const { v0, v1 } = this.pad(frame);
    const shift = v0 + (across - v0 - v1 - level.v) / 2 - across / 2;
    for (const { edge, a, b } of wires) {
      const { from } = this.graph.edges[edge];
      if (boxes[a].role === "entry") this.ports.set(`${frame}:${from}:in`, level.at[a].v + 6 + shift);
      if (boxes[b].role === "exit") this.ports.set(`${frame}:${from}:out`, level.at[b].v + 6 + shift);
    }
  }

  /**
   * Turns positions within a frame into positions in the whole, from the outside in.
   *
   * @param {number} frame
   * @param {number} u  where the frame's content begins
   * @param {number} v
   * @param {LayoutResult} result
   * @param {Map<number, Route[]>} pieces
   */
  settle(frame, u, v, result, pieces) {
    const { at, boxes, wires, routes } = /** @type {NonNullable<ReturnType<typeof this.levels.get>>} */ (
      this.levels.get(frame)
    );
    wires.forEach(({ edge }, wire) => pieces.get(edge)?.push(moveRoute(routes[wire], u, v)));
    boxes.forEach(({ id, u: length, v: extent }, box) => {
      if (id < 0) return;
      const [bu, bv] = [at[box].u + u, at[box].v + v];
      result.nodes[id] = this.down
        ? { x: bv, y: bu, w: extent, h: length }
        : { x: bu, y: bv, w: length, h: extent };
      if (this.graph.nodes[id].role !== "frame") return;
      const inner = /** @type {Level} */ (this.levels.get(id));
      const { u0, u1, v0, v1 } = this.pad(id);
      const spareU = (length - u0 - u1 - inner.u) / 2;
      const spareV = (extent - v0 - v1 - inner.v) / 2;
      this.settle(id, bu + u0 + spareU, bv + v0 + spareV, result, pieces);
    });
  }

  /**
   * One way for an edge from its pieces, in the order it runs.
   *
   * @param {number} edge
   * @param {Route[]} routes
   */
  joined(edge, routes) {
    const runs = routes.slice().sort((x, y) => x.points[0][0] - y.points[0][0]);
    const { from, to } = this.graph.edges[edge];
    const points = runs.flatMap(({ points: some }) => some);
    const label = runs.find((route) => route.label !== null)?.label ?? null;
    const backwards = from > to && !this.isLeaf(from);
    /** @type {RoutePoint[]} */
    const flat = points.map(([u, v, curved]) => (this.down ? [v, u, curved] : [u, v, curved]));
    return {
      points: backwards ? reversed(flat) : flat,
      label: label && (this.down ? { x: label.v, y: label.u } : { x: label.u, y: label.v }),
    };
  }

  /** @param {number} node */
  isLeaf(node) {
    return this.graph.nodes[node].role === "leaf";
  }
}

/**
 * The same way from its other end.
 *
 * @param {readonly RoutePoint[]} points
 * @returns {RoutePoint[]}
 */
function reversed(points) {
  return points
    .map(([x, y], i) => /** @type {RoutePoint} */ ([x, y, points[i + 1]?.[2] ?? false]))
    .reverse();
}
