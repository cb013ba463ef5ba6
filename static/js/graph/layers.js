/**
 * First half of laying out one level: which layer each item stands in, and in which order.
 *
 * A level is a small graph without nesting. Layers follow each other along `u`, the direction in
 * which the snippet runs; `v` is across. Items come in the order they ran.
 *
 * @typedef {object} Item
 * @property {number} size  length along u
 * @property {number} before  extent across, from the anchor towards smaller v
 * @property {number} after  extent across, from the anchor towards larger v
 * @property {"node" | "leaf" | "entry" | "exit"} role  a leaf stands right before its consumer, an
 *   entry in the first layer, an exit in the last
 * @property {number} phase  nodes of a later phase stand in later layers
 * @property {number} width  of the node itself across, without what stands beside it
 *
 * @typedef {object} Link
 * @property {number} a  item that it comes from
 * @property {number} b  item that it goes to
 * @property {number} port  place among the inputs of b, smaller first
 * @property {number | null} out  fixed offset at a from its anchor; null: free
 * @property {number | null} in  fixed offset at b; null: free
 * @property {{ size: number, width: number } | null} label  room for a number on it
 * @property {number} room  least distance between the layers that it crosses last
 *
 * @typedef {object} Cell  an item, or the place where a long link passes a layer
 * @property {number} item  −1: a passage
 * @property {number} link  the link that passes; −1: an item
 * @property {number} layer
 * @property {number} position  in its layer
 * @property {number} before
 * @property {number} after
 *
 * @typedef {object} Joint  one link between two neighbouring layers
 * @property {number} from  cell
 * @property {number} to  cell
 * @property {number} link
 * @property {number} out
 * @property {number} in
 *
 * @typedef {object} Layered
 * @property {Cell[]} cells  the items' cells first, in their order
 * @property {number[][]} layers  cells by layer, in order across
 * @property {Joint[]} joints
 * @property {number[][]} up  joints by the cell they go to
 * @property {number[][]} down  joints by the cell they come from
 * @property {number[]} mainIn  by item: the link that carries its main chain; −1: none
 * @property {number[]} height  by item: links on the longest way down from it
 * @property {number[][]} chains  joints by link
 */

const SWEEPS = 6;
const PASSAGE = 5;
const SEVERAL = -2;

/**
 * @param {readonly Item[]} items
 * @param {readonly Link[]} links  without cycles: a stands before b
 * @returns {Layered}
 */
export function layered(items, links) {
  const layerOf = assignLayers(items, links);
  const { mainIn, height } = mainLinks(items, links);
  const graph = cellsOf(items, links, layerOf);
  setPorts(items, links, graph, mainIn);
  order(graph);
  spreadOutputs(items, links, graph, mainIn, height);
  return { ...graph, mainIn, height };
}

/**
 * The longest way from the start; what is loose as near to its consumers as it can be.
 *
 * @param {readonly Item[]} items
 * @param {readonly Link[]} links
 * @returns {Int32Array}
 */
function assignLayers(items, links) {
  const layer = new Int32Array(items.length);
  const sorted = [...links].sort((x, y) => x.a - y.a);
  /** @type {number[][]} */
  const after = items.map(() => []);
  for (const { a, b } of links) after[a].push(b);
  let [phase, base, deepest] = [0, items.some(({ role }) => role === "entry") ? 1 : 0, -1];
  items.forEach((item, i) => {
    if (item.role !== "leaf" && item.role !== "entry" && item.phase > phase) {
      phase = item.phase;
      base = Math.max(base, deepest + 1);
    }
    if (item.role !== "entry") layer[i] = Math.max(layer[i], item.role === "leaf" ? 0 : base);
    if (item.role !== "leaf") deepest = Math.max(deepest, layer[i]);
    for (const b of after[i]) layer[b] = Math.max(layer[b], layer[i] + 1);
  });
  const loose = looseItems(items, links);
  const nearest = new Int32Array(items.length).fill(1 << 30);
  for (let i = sorted.length - 1; i >= 0; i -= 1) {
    const { a, b } = sorted[i];
    nearest[a] = Math.min(nearest[a], layer[b] - 1);
    const last = i === 0 || sorted[i - 1].a !== a;
    if (last && loose[a]) layer[a] = Math.max(layer[a], nearest[a]);
  }
  let last = 0;
  items.forEach(({ role }, i) => {
    if (role !== "exit") last = Math.max(last, layer[i]);
  });
  items.forEach(({ role }, i) => {
    if (role === "exit") layer[i] = last + 1;
  });
  return layer;
}

/**
 * What depends on nothing else, or only on what is used for it alone: it can stand anywhere before
 * its consumers.
 *
 * @param {readonly Item[]} items
 * @param {readonly Link[]} links
 */
function looseItems(items, links) {
  const loose = Uint8Array.from(items, ({ role }) => (role === "entry" ? 0 : 1));
  const consumer = new Int32Array(items.length).fill(-1);
  const sorted = [...links].sort((x, y) => x.a - y.a);
  for (const { a, b } of sorted) {
    if (consumer[a] >= 0 && consumer[a] !== b) consumer[a] = SEVERAL;
    else if (consumer[a] === -1) consumer[a] = b;
  }
  for (const { a, b } of sorted) if (!loose[a] || consumer[a] === SEVERAL) loose[b] = 0;
  return loose;
}

/**
 * The link by which each item continues the chain above it: its only one, or the one that comes
 * from deepest. Two that come from equally deep meet in the middle, and none is the main one.
 *
 * @param {readonly Item[]} items
 * @param {readonly Link[]} links
 */
function mainLinks(items, links) {
  const depth = new Int32Array(items.length);
  const best = new Int32Array(items.length).fill(-1);
  const tied = new Uint8Array(items.length);
  const byStart = links.map((_, i) => i).sort((x, y) => links[x].a - links[y].a);
  for (const id of byStart) {
    const { a, b } = links[id];
    const reach = items[a].role === "leaf" ? 0 : depth[a] + 1;
    if (best[b] < 0 || reach > depth[b]) {
      best[b] = id;
      tied[b] = 0;
      depth[b] = reach;
    } else if (reach === depth[b]) tied[b] = links[best[b]].a === a ? tied[b] : 1;
  }
  const height = new Array(items.length).fill(0);
  for (let i = byStart.length - 1; i >= 0; i -= 1) {
    const { a, b } = links[byStart[i]];
    height[a] = Math.max(height[a], height[b] + 1);
  }
  const mainIn = items.map((_, i) => (tied[i] ? -1 : best[i]));
  return { mainIn, height };
}

/**
 * @param {readonly Item[]} items
 * @param {readonly Link[]} links
 * @param {Int32Array} layerOf
 */
function cellsOf(items, links, layerOf) {
  /** @type {Cell[]} */
  const cells = items.map(({ before, after }, item) => {
    return { item, link: -1, layer: layerOf[item], position: 0, before, after };
  });
  /** @type {Joint[]} */
  const joints = [];
  /** @type {Map<string, number>} shared joint, by where it comes from and its layer */
  const shared = new Map();
  const chains = links.map(({ a, b, out }, link) => {
    const chain = [];
    let from = a;
    for (let layer = layerOf[a] + 1; layer <= layerOf[b]; layer += 1) {
      const last = layer === layerOf[b];
      // Links of one producer run together until each turns off to its consumer.
      const key = `${a} ${out ?? ""} ${layer}`;
      const known = last ? undefined : shared.get(key);
      if (known !== undefined) {
        chain.push(known);
        from = joints[known].to;
        continue;
      }
      const to = last ? b : cells.length;
      if (!last) {
        cells.push({ item: -1, link, layer, position: 0, before: PASSAGE, after: PASSAGE });
        shared.set(key, joints.length);
      }
      chain.push(joints.length);
      joints.push({ from, to, link, out: 0, in: 0 });
      from = to;
    }
    return chain;
  });
  const count = cells.reduce((most, { layer }) => Math.max(most, layer + 1), 0);
  /** @type {number[][]} */
  const layers = Array.from({ length: count }, () => []);
  /** @type {number[][]} */
  const up = cells.map(() => []);
  /** @type {number[][]} */
  const down = cells.map(() => []);
  cells.forEach((cell, id) => {
    cell.position = layers[cell.layer].length;
    layers[cell.layer].push(id);
  });
  joints.forEach(({ from, to }, joint) => {
    down[from].push(joint);
    up[to].push(joint);
  });
  return { cells, layers, joints, up, down, chains };
}

/**
 * Where links end at their consumers: in the order of its inputs, the main one in the middle.
 *
 * @param {readonly Item[]} items
 * @param {readonly Link[]} links
 * @param {ReturnType<typeof cellsOf>} graph
 * @param {readonly number[]} mainIn
 */
function setPorts(items, links, { up, joints }, mainIn) {
  items.forEach((item, id) => {
    const ports = up[id].slice().sort((x, y) => links[joints[x].link].port - links[joints[y].link].port);
    const from = mainIn[id] < 0 ? -1 : links[mainIn[id]].a;
    const main = ports.flatMap((joint, i) => (links[joints[joint].link].a === from ? [i] : []));
    placeAround(ports.length, main, item.width, 68).forEach((offset, i) => {
      const joint = joints[ports[i]];
      joint.in = links[joint.link].in ?? offset;
    });
  });
}

/**
 * Offsets of so many links at a node, evenly spread, the chosen ones around its middle.
 *
 * @param {number} count
 * @param {readonly number[]} main  positions of the chosen ones; empty: all
 * @param {number} width
 * @param {number} widest  distance of two neighbours at most
 * @returns {number[]}
 */
function placeAround(count, main, width, widest) {
  const half = Math.max(0, width / 2 - 16);
  const centre = main.length === 0 ? (count - 1) / 2 : (main[0] + main[main.length - 1]) / 2;
  const reach = Math.max(centre, count - 1 - centre);
  const gap = reach === 0 ? 0 : Math.min(widest, half / reach);
  return Array.from({ length: count }, (_, i) => (i - centre) * gap);
}

/**
 * Where links start at their producers, once it is known in which order they leave. Several to
 * one consumer run side by side.
 *
 * @param {readonly Item[]} items
 * @param {readonly Link[]} links
 * @param {ReturnType<typeof cellsOf>} graph
 * @param {readonly number[]} mainIn
 * @param {readonly number[]} height
 */
function spreadOutputs(items, links, { cells, joints, down }, mainIn, height) {
  items.forEach((item, id) => {
    const outs = down[id].slice().sort((x, y) => {
      return cells[joints[x].to].position - cells[joints[y].to].position || joints[x].in - joints[y].in;
    });
    let target = -1;
    for (const joint of outs) {
      const { b } = links[joints[joint].link];
      if (mainIn[b] < 0 || links[mainIn[b]].a !== id) continue;
      if (target < 0 || height[b] > height[target]) target = b;
    }
    const main = outs.flatMap((joint, i) => (links[joints[joint].link].b === target ? [i] : []));
    placeAround(outs.length, main, item.width, 30).forEach((offset, i) => {
      const joint = joints[outs[i]];
      const beside = main.length > 1 && main.includes(i) && Math.abs(joint.in) < item.width / 2 - 12;
      joint.out = links[joint.link].out ?? (beside ? joint.in : offset);
    });
  });
}

/**
 * Sweeps down and up, each layer sorted by where its neighbours stand; the best order is kept.
 *
 * @param {ReturnType<typeof cellsOf>} graph
 */
function order(graph) {
  let best = graph.layers.map((layer) => layer.slice());
  let fewest = crossings(graph);
  for (let sweep = 0; sweep < SWEEPS && fewest > 0; sweep += 1) {
    const downwards = sweep % 2 === 0;
    const count = graph.layers.length;
    for (let k = 1; k < count; k += 1) sortLayer(graph, downwards ? k : count - 1 - k, downwards);
    const now = crossings(graph);
    if (now >= fewest) continue;
    fewest = now;
    best = graph.layers.map((layer) => layer.slice());
  }
  best.forEach((layer, k) => setLayer(graph, k, layer));
}

/**
 * @param {ReturnType<typeof cellsOf>} graph
 * @param {number} k
 * @param {number[]} layer
 */
function setLayer(graph, k, layer) {
  graph.layers[k] = layer;
  layer.forEach((cell, position) => {
    graph.cells[cell].position = position;
  });
}

/**
 * @param {ReturnType<typeof cellsOf>} graph
 * @param {number} k
 * @param {boolean} downwards
 */
function sortLayer(graph, k, downwards) {
  const { cells, joints } = graph;
  const wanted = new Map();
  for (const cell of graph.layers[k]) {
    const near = downwards ? graph.up[cell] : graph.down[cell];
    let sum = 0;
    for (const id of near) {
      const joint = joints[id];
      // Ports count a little, so that two inputs of one node stand in the order of its inputs.
      sum += downwards ? cells[joint.from].position + joint.out / 1000 : cells[joint.to].position + joint.in / 1000;
    }
    wanted.set(cell, near.length > 0 ? sum / near.length : cells[cell].position);
  }
  const sorted = graph.layers[k].slice().sort((x, y) => {
    return wanted.get(x) - wanted.get(y) || cells[x].position - cells[y].position;
  });
  setLayer(graph, k, sorted);
}

/** @param {ReturnType<typeof cellsOf>} graph */
function crossings(graph) {
  let total = 0;
  for (let k = 1; k < graph.layers.length; k += 1) total += crossingsInto(graph, k);
  return total;
}

/**
 * Inversions among the links into a layer, counted by insertion into a tree of sums.
 *
 * @param {ReturnType<typeof cellsOf>} graph
 * @param {number} k
 */
function crossingsInto(graph, k) {
  const { cells, joints, layers } = graph;
  const width = layers[k].length;
  const tree = new Int32Array(width + 1);
  let seen = 0;
  let total = 0;
  for (const from of layers[k - 1]) {
    const targets = graph.down[from].map((joint) => cells[joints[joint].to].position).sort((x, y) => x - y);
    for (const target of targets) total += seen - countUpTo(tree, target + 1);
    for (const target of targets) {
      for (let i = target + 1; i <= width; i += i & -i) tree[i] += 1;
      seen += 1;
    }
  }
  return total;
}

/**
 * @param {Int32Array} tree
 * @param {number} end
 */
function countUpTo(tree, end) {
  let sum = 0;
  for (let i = end; i > 0; i -= i & -i) sum += tree[i];
  return sum;
}
