/**
 * What the graph consists of at one state of folding: nodes and edges, without positions.
 *
 * Only forward ops are nodes; a gradient op is one where an outer tape recorded it. Variables and
 * constants are redrawn beside each use. Nothing here depends on the step, so that nothing moves
 * while the trace is played.
 *
 * @typedef {import("../trace/index.js").TraceIndex} TraceIndex
 * @typedef {import("../trace/breaks.js").Break} Break
 * @typedef {import("./sources.js").Source} Source
 *
 * @typedef {object} GraphView
 * @property {ReadonlySet<number>} open
 * @property {ReadonlySet<number>} closed
 * @property {ReadonlyMap<number, number>} shown  loop → position of the iteration shown
 * @property {boolean} bookkeeping
 * @property {"down" | "right"} direction
 *
 * @typedef {"op" | "group" | "frame" | "argument" | "variable" | "constant" | "target"} NodeKind
 * @typedef {object} GraphNode
 * @property {NodeKind} kind
 * @property {number} parent  index of the frame around it; −1: none
 * @property {number} op  −1: none
 * @property {number} group  a group, or a frame's group
 * @property {number} variable
 * @property {number} tensor  what it holds: a constant's, a target's, the output of an op or group
 * @property {number[]} tensors  a variable's: what the reads for this use gave
 * @property {number[]} ops  a group's: all that is folded into it
 * @property {number[]} calls  a target's; a folded group's: those that ran in it
 * @property {number[]} losses  a folded group's: the targets of these calls
 * @property {number[]} tapes  shown as badges
 * @property {number} consumer  a leaf's: the node that uses it
 * @property {boolean} carried  a constant that another iteration made
 * @property {boolean} symbolic  it is of a traced graph: shapes, no values
 * @property {boolean} opens  an op that has a graph and does not show it
 * @property {boolean} returns  an op that stands in the frame of its graph
 * @property {number} step  at which it is reached
 *
 * @typedef {{ op: number, input: number, tensor: number }} Flow  one input of one op
 * @typedef {object} GraphEdge
 * @property {number} from
 * @property {number} to
 * @property {number} port
 * @property {"flow" | "target" | "result" | "exit"} kind  exit: a value went to Python and came back as a constant
 * @property {Flow[]} flows
 * @property {Break | null} cut
 *
 * @typedef {object} GraphModel
 * @property {GraphNode[]} nodes  in the order they ran
 * @property {GraphEdge[]} edges
 * @property {Map<number, number>} nodeOfOp  op → node that it is drawn as or folded into
 * @property {number[][]} outgoing  by node: edges from it
 */

import { carriesNumbers, ownInputs, variableOfInput } from "../trace/graphs.js";
import { differentiable } from "../trace/tapes.js";
import { entriesOf } from "./entries.js";
import { callsWithin, isWithin, lossesWithin } from "./inner.js";
import { isNotable, sourceFinder } from "./sources.js";

/**
 * @param {TraceIndex} index
 * @param {GraphView} view
 * @returns {GraphModel}
 */
export function buildModel(index, view) {
  return new Builder(index, view).build();
}

/** One run of `buildModel`. */
class Builder {
  /**
   * @param {TraceIndex} index
   * @param {GraphView} view
   */
  constructor(index, view) {
    this.index = index;
    this.view = view;
    const { entries, entryOfOp } = entriesOf(index, view);
    this.entries = entries;
    this.entryOfOp = entryOfOp;
    this.find = sourceFinder(index, (op) => entryOfOp[op]);
    /** @type {GraphNode[]} */
    this.nodes = [];
    /** @type {GraphEdge[]} */
    this.edges = [];
    /** @type {(() => void)[]} */
    this.later = [];
    /** @type {Map<number, number>} entry → node */
    this.nodeOfEntry = new Map();
    /** @type {Map<number, number>} call → target node */
    this.nodeOfCall = new Map();
    /** @type {Map<number, Map<string, number>>} argument's entry → leaves outside of the frame */
    this.outside = new Map();
    /** @type {Map<number, number[]>} tensor → calls that have it as a target */
    this.targets = targetsOf(index);
  }

  /** @returns {GraphModel} */
  build() {
    this.entries.forEach((_, entry) => this.place(entry));
    // Once all are placed: a folded group may take what came of its own earlier ops.
    for (const connect of this.later) connect();
    /** @type {Map<number, number>} */
    const nodeOfOp = new Map();
    this.entryOfOp.forEach((entry, op) => {
      const node = entry >= 0 ? this.nodeOfEntry.get(entry) : undefined;
      if (node !== undefined) nodeOfOp.set(op, node);
    });
    // A read is shown on the capsule of the variable beside its use.
    this.nodes.forEach(({ kind, tensors }, node) => {
      if (kind !== "variable") return;
      for (const tensor of tensors) nodeOfOp.set(this.index.producer(tensor) ?? -1, node);
    });
    this.markBreaks(nodeOfOp);
    /** @type {number[][]} */
    const outgoing = this.nodes.map(() => []);
    this.edges.forEach(({ from }, edge) => outgoing[from].push(edge));
    return { nodes: this.nodes, edges: this.edges, nodeOfOp, outgoing };
  }

  /** @param {number} entry */
  parentNode(entry) {
    const { parent } = this.entries[entry];
    return parent < 0 ? -1 : /** @type {number} */ (this.nodeOfEntry.get(parent));
  }

  /**
   * Adds the node of an entry, its leaves before it and its targets after it.
   *
   * @param {number} entry
   */
  place(entry) {
    const { kind, id } = this.entries[entry];
    const parent = this.parentNode(entry);
    if (kind === "frame") {
      this.placeOutside(entry, parent);
      this.nodeOfEntry.set(entry, this.nodes.length);
      this.add({ kind, parent, group: id, step: this.index.groupSpan(id).from });
      return;
    }
    const inputs = this.inputsOf(entry);
    const leaves = this.outside.get(entry) ?? this.placeLeaves(entry, parent, new Map());
    const node = this.nodes.length;
    for (const leaf of leaves.values()) this.nodes[leaf].consumer = node;
    this.nodeOfEntry.set(entry, node);
    this.addMain(entry, parent);
    this.later.push(() => this.connect(entry, node, inputs, leaves));
    this.addTargets(entry, parent, node);
  }

  /**
   * Adds the leaves of an entry that are not there yet.
   *
   * @param {number} entry
   * @param {number} parent
   * @param {Map<string, number>} known  key → node
   */
  placeLeaves(entry, parent, known) {
    const sources = this.inputsOf(entry).map(({ source }) => source);
    const leaves = sources.filter((source) => source.kind !== "entry" && !this.hasTarget(source));
    for (const key of new Set(leaves.map(leafKey))) {
      if (known.has(key)) continue;
      known.set(key, this.nodes.length);
      this.addLeaf(leaves.filter((source) => leafKey(source) === key), parent, this.entries[entry].ops);
    }
    return known;
  }

  /**
   * What goes into the arguments of a traced graph stands outside of its frame, and before it.
   *
   * @param {number} frame
   * @param {number} parent
   */
  placeOutside(frame, parent) {
    const { kind, index: host } = this.index.trace.groups[this.entries[frame].id];
    if (kind !== "graph") return;
    const leaves = new Map();
    for (let entry = frame + 1; this.entries[entry]?.parent >= frame; entry += 1) {
      const { kind: inner, id } = this.entries[entry];
      const op = inner === "op" ? this.index.trace.ops[id] : null;
      if (op === null || op.argument === null || op.host !== host) continue;
      this.outside.set(entry, this.placeLeaves(entry, parent, leaves));
    }
  }

  /** @param {Source} source */
  hasTarget(source) {
    return source.kind === "result" && this.nodeOfCall.has(source.call);
  }

  /**
   * @param {number} entry
   * @param {number} parent
   */
  addMain(entry, parent) {
    const { kind, id, ops, opened } = this.entries[entry];
    const { trace } = this.index;
    const op = kind === "op" ? trace.ops[id] : null;
    const calls = op ? [] : callsWithin(this.index, id);
    const losses = op ? [] : lossesWithin(this.index, id, calls);
    const output = op ? this.outputOfOp(op) : (losses.at(-1) ?? this.outputOf(ops));
    for (const call of calls) this.nodeOfCall.set(call, this.nodes.length);
    this.add({
      kind: op && op.argument !== null ? "argument" : kind,
      symbolic: ops.every((inner) => trace.ops[inner].host !== null),
      opens: op !== null && op.bodies.length > 0 && !opened,
      returns: opened,
      parent,
      op: kind === "op" ? id : -1,
      group: kind === "group" ? id : -1,
      tensor: output,
      ops,
      calls,
      losses,
      tapes: op ? this.tapesOf(ops) : this.tapesOutside(id, this.tapesOf(ops)),
      step: Math.min(...ops.map((op) => this.index.stepOfOp(op))),
    });
  }

  /**
   * What an op is shown with; in a graph a loop gives its counters first.
   *
   * @param {import("../trace/types.js").Op} op
   */
  outputOfOp({ host, outputs }) {
    const floats = host === null ? [] : outputs.filter((tensor) => carriesNumbers(this.index.trace.tensors[tensor].dtype));
    return floats[0] ?? outputs[0] ?? -1;
  }

  /**
   * What a folded group hands on: the last output that something outside takes, else the last.
   *
   * @param {readonly number[]} ops
   */
  outputOf(ops) {
    const inside = new Set(ops);
    const outputs = ops.flatMap((op) => this.index.trace.ops[op].outputs);
    const taken = outputs.filter((tensor) => {
      return this.targets.has(tensor) || this.index.consumers(tensor).some((op) => !inside.has(op));
    });
    return taken.at(-1) ?? outputs.at(-1) ?? -1;
  }

  /**
   * @param {readonly number[]} ops
   * @returns {number[]}
   */
  tapesOf(ops) {
    if (ops.length === 1) return this.index.tapesOfOp(ops[0]);
    const recorded = new Set(ops.flatMap((op) => this.index.trace.ops[op].recorded_by));
    if (recorded.size > 0) return [...recorded].sort((a, b) => a - b).slice(0, 4);
    return this.index.tapesOfOp(ops[0]);
  }

  /**
   * The tapes that a folded group does not hide with all that they hold.
   *
   * @param {number} group
   * @param {readonly number[]} tapes
   */
  tapesOutside(group, tapes) {
    return tapes.filter((tape) => !isWithin(this.index, this.index.trace.tapes[tape].group, group));
  }

  /**
   * What flows into an entry from outside of it.
   *
   * @param {number} entry
   * @returns {{ source: Source, flow: Flow }[]}
   */
  inputsOf(entry) {
    const { kind, id, ops, opened } = this.entries[entry];
    const all = ops.flatMap((op) => (opened ? this.inputsOfOpened(op) : this.inputsOfOp(op)));
    return all.filter(({ source, flow }) => {
      if (source.kind === "entry") return source.entry !== entry;
      if (kind === "group" && this.isMadeIn(id, source)) return false;
      if (source.kind !== "constant" || this.view.bookkeeping) return true;
      if (kind === "group") return this.index.trace.tensors[source.tensor].name !== null || this.isWatched(source.tensor);
      return isNotable(this.index, source.tensor) || !this.hasFloats(flow.op);
    });
  }

  /**
   * Whether a group made this itself: the result of one of its calls, or a constant.
   *
   * @param {number} group
   * @param {Source} source
   */
  isMadeIn(group, source) {
    if (source.kind === "result") return isWithin(this.index, this.index.trace.gradients[source.call].group, group);
    if (source.kind !== "constant") return false;
    return this.index.stepOfTensor(source.tensor) >= this.index.groupSpan(group).from;
  }

  /**
   * @param {number} op
   * @returns {{ source: Source, flow: Flow }[]}
   */
  inputsOfOp(op) {
    const record = this.index.trace.ops[op];
    return record.inputs.flatMap((tensor, input) => {
      const variable = variableOfInput(record, input);
      if (variable !== null) {
        const source = { kind: /** @type {const} */ ("variable"), variable, tensor: -1 };
        return [{ source, flow: { op, input, tensor: -1 } }];
      }
      if (tensor === null) return [];
      // What flows into an argument flows into the op whose graph it is of.
      const into = record.argument === null ? { op, input } : { op: record.host ?? op, input: record.argument };
      return this.find(tensor).map((source) => ({ source, flow: { ...into, tensor } }));
    });
  }

  /**
   * What flows into an op from the graph that it opened into.
   *
   * @param {number} op
   * @returns {{ source: Source, flow: Flow }[]}
   */
  inputsOfOpened(op) {
    const own = ownInputs(this.index.trace.ops[op]);
    const returns = this.index.bodyOf(op)?.returns ?? [];
    return [
      ...this.inputsOfOp(op).filter(({ flow }) => flow.input < own),
      ...returns.flatMap(({ tensor }, i) => {
        return this.find(tensor).map((source) => ({ source, flow: { op, input: -1 - i, tensor } }));
      }),
    ];
  }

  /** @param {number} tensor */
  isWatched(tensor) {
    return this.index.watchedBy({ tensor }).length > 0;
  }

  /**
   * Whether an op computes with floats, so that its integers are axes and shapes.
   *
   * @param {number} op
   */
  hasFloats(op) {
    const { inputs, outputs } = this.index.trace.ops[op];
    return [...inputs, ...outputs].some((tensor) => {
      return tensor !== null && differentiable(this.index.trace.tensors[tensor].dtype);
    });
  }

  /**
   * @param {readonly Source[]} sources  of one key
   * @param {number} parent
   * @param {readonly number[]} ops  of the consumer
   */
  addLeaf(sources, parent, ops) {
    const [source] = sources;
    const tensors = [...new Set(sources.map(({ tensor }) => tensor))].filter((tensor) => tensor >= 0);
    const used = Math.min(...ops.map((op) => this.index.stepOfOp(op)));
    const symbolic = ops.every((op) => this.index.trace.ops[op].host !== null);
    if (source.kind === "variable") {
      const [tensor = -1] = tensors;
      this.add({ kind: "variable", parent, variable: source.variable, tensor, tensors, symbolic });
      return;
    }
    const made = this.index.stepOfTensor(source.tensor);
    this.add({
      kind: "constant",
      parent,
      tensor: source.tensor,
      tensors,
      carried: source.kind === "carried",
      step: made < 0 ? Math.min(used, Infinity) : made,
    });
  }

  /**
   * @param {number} entry
   * @param {number} node
   * @param {readonly { source: Source, flow: Flow }[]} inputs
   * @param {Map<string, number>} leaves
   */
  connect(entry, node, inputs, leaves) {
    const merged = this.entries[entry].kind === "group";
    /** @type {Map<string, GraphEdge>} */
    const known = new Map();
    inputs.forEach(({ source, flow }, port) => {
      const from = this.nodeOf(source, leaves);
      const key = merged ? `${from}` : `${from}:${flow.input}`;
      const edge = known.get(key);
      if (edge) {
        edge.flows.push(flow);
        return;
      }
      const kind = source.kind === "result" && this.nodes[from].kind === "target" ? "result" : "flow";
      /** @type {GraphEdge} */
      const made = { from, to: node, port, kind, flows: [flow], cut: null };
      known.set(key, made);
      this.edges.push(made);
    });
  }

  /**
   * @param {Source} source
   * @param {Map<string, number>} leaves
   * @returns {number}
   */
  nodeOf(source, leaves) {
    const node = source.kind === "entry" ? this.nodeOfEntry.get(source.entry) : leaves.get(leafKey(source));
    if (node !== undefined) return node;
    return /** @type {number} */ (source.kind === "result" ? this.nodeOfCall.get(source.call) : -1);
  }

  /**
   * @param {number} entry
   * @param {number} parent
   * @param {number} node
   */
  addTargets(entry, parent, node) {
    const { kind, id, ops } = this.entries[entry];
    for (const tensor of ops.flatMap((op) => this.index.trace.ops[op].outputs)) {
      const calls = (this.targets.get(tensor) ?? []).filter((call) => {
        return kind !== "group" || !isWithin(this.index, this.index.trace.gradients[call].group, id);
      });
      if (calls.length === 0) continue;
      const target = this.nodes.length;
      const step = this.index.stepOfTensor(tensor);
      this.add({ kind: "target", parent, tensor, calls, step });
      for (const call of calls) this.nodeOfCall.set(call, target);
      this.edges.push({ from: node, to: target, port: 0, kind: "target", flows: [], cut: null });
    }
  }

  /** @param {Partial<GraphNode> & { kind: NodeKind, parent: number }} fields */
  add(fields) {
    this.nodes.push({
      op: -1,
      group: -1,
      variable: -1,
      tensor: -1,
      tensors: [],
      ops: [],
      calls: [],
      losses: [],
      tapes: [],
      consumer: -1,
      carried: false,
      symbolic: false,
      opens: false,
      returns: false,
      step: -1,
      ...fields,
    });
  }

  /**
   * A torn edge from what a value left to the constant that was made from it: for TensorFlow there
   * is none.
   *
   * @param {Break} cut
   * @param {Map<number, number>} nodeOfOp
   */
  addExit(cut, nodeOfOp) {
    const event = this.index.trace.events[cut.since];
    const made = event.kind === "exit" ? this.index.producer(event.tensor) : null;
    const from = made === null ? undefined : nodeOfOp.get(made);
    const to = this.nodes.findIndex(({ kind, tensor }) => kind === "constant" && tensor === cut.tensor);
    if (from === undefined || to < 0 || from === to) return;
    this.edges.push({ from, to, port: 0, kind: "exit", flows: [], cut });
  }

  /**
   * Puts each break on the edge that it cuts.
   *
   * @param {Map<number, number>} nodeOfOp
   */
  markBreaks(nodeOfOp) {
    for (const cut of this.index.breaks()) {
      if (cut.reason === "exit") {
        this.addExit(cut, nodeOfOp);
        continue;
      }
      const edge = this.edges.find((one) => {
        if (cut.op === null) return one.kind === "target" && this.nodes[one.to].tensor === cut.target;
        return one.flows.some(({ op, input }) => op === cut.op && input === cut.input);
      });
      if (edge && edge.cut === null) edge.cut = cut;
    }
  }
}

/**
 * Copies beside one use are one: by the variable, or by the tensor.
 *
 * @param {Source} source
 */
function leafKey(source) {
  if (source.kind === "variable") return `variable ${source.variable}`;
  return `${source.kind} ${source.tensor}`;
}

/**
 * @param {TraceIndex} index
 * @returns {Map<number, number[]>}
 */
function targetsOf(index) {
  /** @type {Map<number, number[]>} */
  const targets = new Map();
  index.trace.gradients.forEach((call, id) => {
    for (const { tensor } of call.targets) {
      if (tensor === null) continue;
      const calls = targets.get(tensor) ?? [];
      if (!calls.includes(id)) targets.set(tensor, [...calls, id]);
    }
  });
  return targets;
}
