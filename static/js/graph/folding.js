/**
 * Which groups are open, and which iteration of a loop is shown.
 *
 * @typedef {import("../trace/index.js").TraceIndex} TraceIndex
 *
 * @typedef {object} FoldView
 * @property {ReadonlySet<number>} open  unfolded by hand
 * @property {ReadonlySet<number>} closed  folded by hand
 * @property {ReadonlyMap<number, number>} shown  loop → position of the iteration shown
 * @property {boolean} bookkeeping
 *
 * @typedef {object} Folding
 * @property {(group: number) => boolean} isOpen
 * @property {(loop: number) => number} shownIteration  position among its iterations
 */

/** More nodes than this are folded away at first. */
const BUDGET = 200;
/** Layers and losses open by themselves only in a graph as small as this. */
const SMALL = 10;

/**
 * @param {TraceIndex} index
 * @param {FoldView} view
 * @returns {Folding}
 */
export function foldingOf(index, view) {
  const sign = signatures(index);
  const open = new Set([...view.open].map(sign));
  const closed = new Set([...view.closed].map(sign));
  const shownIteration = /** @param {number} loop */ (loop) => {
    const last = index.iterations(loop).length - 1;
    return Math.max(0, Math.min(last, view.shown.get(loop) ?? last));
  };
  const byDefault = openByDefault(index, view, shownIteration);
  return {
    shownIteration,
    isOpen: (group) => {
      const { kind } = index.trace.groups[group];
      if (kind === "iteration") return true;
      const signature = sign(group);
      if (kind === "part") return !closed.has(signature);
      return open.has(signature) || (!closed.has(signature) && byDefault.has(group));
    },
  };
}

/**
 * A text that is the same for the same group in every iteration of a loop, so that what was
 * folded in one is folded in all.
 *
 * @param {TraceIndex} index
 * @returns {(group: number) => string}
 */
export function signatures(index) {
  /** @type {Map<number, string>} */
  const known = new Map();
  /** @param {number} group @returns {string} */
  const sign = (group) => {
    const found = known.get(group);
    if (found !== undefined) return found;
    const { kind, name, parent, index: op } = index.trace.groups[group];
    const outer = parent === null ? "" : sign(parent);
    if (kind === "graph") return remember(group, `${outer}/graph ${name} ${twinsOf(index, op ?? 0).indexOf(op ?? 0)}`);
    const twins = index.groupChildren(parent).groups.filter((id) => {
      return index.trace.groups[id].name === name && index.trace.groups[id].kind === kind;
    });
    const own = kind === "iteration" ? "iteration" : `${kind} ${name} ${twins.indexOf(group)}`;
    return remember(group, `${outer}/${own}`);
  };
  const remember = /** @param {number} group @param {string} signature */ (group, signature) => {
    known.set(group, signature);
    return signature;
  };
  return sign;
}

/**
 * The ops of the same type that stand beside one and open, in the order they ran.
 *
 * @param {TraceIndex} index
 * @param {number} op
 */
function twinsOf(index, op) {
  const { type, group } = index.trace.ops[op];
  return index.groupChildren(group).ops.filter((id) => {
    const other = index.trace.ops[id];
    return other.type === type && other.bodies.length > 0;
  });
}

/**
 * Opens, in the iterations that are shown, what has been opened in others: the same call.
 *
 * @param {TraceIndex} index
 * @param {FoldView} view
 */
export function openTwins(index, { open, shown }) {
  for (const group of [...open]) {
    const { kind, index: op } = index.trace.groups[group] ?? {};
    if (kind !== "graph" || op === undefined || op === null) continue;
    const twin = counterpart(index, index.trace.ops[op].group, shown);
    if (twin === null) continue;
    const same = twinsOf(index, op).indexOf(op);
    const { type } = index.trace.ops[op];
    const others = index.groupChildren(twin).ops.filter((id) => {
      return index.trace.ops[id].type === type && index.trace.ops[id].bodies.length > 0;
    });
    if (others[same] !== undefined) index.open(others[same]);
  }
}

/**
 * The group that is, in the iterations shown, what a group is in its own; null: the same.
 *
 * @param {TraceIndex} index
 * @param {number | null} group
 * @param {ReadonlyMap<number, number>} shown
 * @returns {number | null}
 */
function counterpart(index, group, shown) {
  if (group === null) return null;
  const { kind, parent, name } = index.trace.groups[group];
  if (parent === null || kind === "graph" || kind === "part") return null;
  const outer = counterpart(index, parent, shown) ?? parent;
  if (kind === "iteration") return index.iterations(outer)[shown.get(outer) ?? 0] ?? null;
  if (outer === parent) return null;
  const alike = /** @param {number} around */ (around) => {
    return index.groupChildren(around).groups.filter((id) => index.trace.groups[id].name === name && index.trace.groups[id].kind === kind);
  };
  return alike(outer)[alike(parent).indexOf(group)] ?? null;
}

/**
 * Opens from the outside in as long as the graph stays readable.
 *
 * @param {TraceIndex} index
 * @param {FoldView} view
 * @param {(loop: number) => number} shownIteration
 * @returns {Set<number>}
 */
function openByDefault(index, view, shownIteration) {
  const groups = index.trace.groups;
  const weigh = /** @param {number | null} group */ (group) => contentOf(index, view, shownIteration, group);
  let { nodes, inner } = weigh(null);
  const waiting = [...inner];
  /** @type {Set<number>} */
  const open = new Set();
  /** @type {number[]} */
  const details = [];
  for (let i = 0; i < waiting.length; i += 1) {
    const group = waiting[i];
    const { kind } = groups[group];
    if (kind === "optimizer" || kind === "metric") continue;
    if (kind === "layer" || kind === "loss") {
      details.push(group);
      continue;
    }
    const content = weigh(group);
    if (nodes - 1 + content.nodes > BUDGET) continue;
    nodes += content.nodes - 1;
    open.add(group);
    waiting.push(...content.inner);
  }
  openDetails(details, nodes, weigh, open);
  return open;
}

/**
 * @param {readonly number[]} details
 * @param {number} nodes
 * @param {(group: number) => { nodes: number, inner: number[] }} weigh
 * @param {Set<number>} open
 */
function openDetails(details, nodes, weigh, open) {
  let total = nodes;
  /** @type {number[]} */
  const all = [...details];
  for (let i = 0; i < all.length; i += 1) {
    const content = weigh(all[i]);
    total += content.nodes - 1;
    all.push(...content.inner);
  }
  if (total <= SMALL) for (const group of all) open.add(group);
  // A container of layers says nothing that its layers do not: open it where only it is folded.
  else for (const group of all) if (details.includes(group) && weigh(group).inner.length > 0) open.add(group);
}

/**
 * What a group shows when open: its nodes, a folded group counting as one.
 *
 * @param {TraceIndex} index
 * @param {FoldView} view
 * @param {(loop: number) => number} shownIteration
 * @param {number | null} group
 * @returns {{ nodes: number, inner: number[] }}
 */
function contentOf(index, view, shownIteration, group) {
  const kind = group === null ? null : index.trace.groups[group].kind;
  const children = index.groupChildren(group);
  const iterations = group !== null && kind === "loop" ? index.iterations(group) : [];
  const shown = group !== null && iterations.length > 0 ? iterations[shownIteration(group)] : -1;
  let nodes = children.ops.filter((op) => view.bookkeeping || !index.trace.ops[op].bookkeeping).length;
  /** @type {number[]} */
  const inner = [];
  for (const child of children.groups) {
    if (index.trace.groups[child].kind !== "iteration") {
      nodes += 1;
      inner.push(child);
    } else if (child === shown || iterations.length === 0) {
      const content = contentOf(index, view, shownIteration, child);
      nodes += content.nodes;
      inner.push(...content.inner);
    }
  }
  return { nodes, inner };
}
