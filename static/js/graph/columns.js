/**
 * Second half of laying out one level: where the cells stand across and along.
 *
 * Cells joined by a straight piece form a column and move together: the main chain, and the
 * passages of a long link. Columns are packed once towards each side; the mean of the two keeps
 * every distance; then each moves towards its neighbours as far as there is room.
 *
 * @typedef {import("./layers.js").Item} Item
 * @typedef {import("./layers.js").Link} Link
 * @typedef {import("./layers.js").Layered} Layered
 *
 * @typedef {object} Placed
 * @property {Float64Array} v  by cell: its anchor across
 * @property {Float64Array} start  by layer, along
 * @property {Float64Array} end
 * @property {number[]} labelRow  by link: row of its label in the gap it stands in; −1: no label
 * @property {Int32Array} rows  by layer: rows of labels in the gap after it
 * @property {Float64Array} pitch  by layer: length along u of one such row
 */

const SPACE = 36;
const TIGHT = 12;
const RELAXATIONS = 12;
/** Least distance of two layers; of inputs from what uses them, with the border of a band between. */
const GAP = 46;
const INPUT_GAP = 60;
const ROW_GAP = 5;

/**
 * @param {readonly Item[]} items
 * @param {readonly Link[]} links
 * @param {Layered} graph
 * @returns {Placed}
 */
export function placed(items, links, graph) {
  const { column, offset, count } = columnsOf(graph);
  const v = across(graph, column, offset, count);
  const labels = labelRows(links, graph, v);
  return { v, ...along(items, links, graph, labels, v), ...labels };
}

/**
 * @param {Layered} graph
 */
function columnsOf({ cells, joints, layers, up, mainIn, height }) {
  const partnerUp = new Int32Array(cells.length).fill(-1);
  const partnerDown = new Int32Array(cells.length).fill(-1);
  for (let k = 1; k < layers.length; k += 1) {
    const wanted = layers[k].flatMap((cell) => up[cell]).filter((id) => {
      const { to, link } = joints[id];
      return cells[to].item < 0 || mainIn[cells[to].item] === link;
    });
    const weight = /** @param {number} id */ (id) => {
      const { from, to } = joints[id];
      if (cells[from].item < 0 && cells[to].item < 0) return 1e9;
      return cells[to].item < 0 ? -1 : height[cells[to].item];
    };
    wanted.sort((x, y) => weight(y) - weight(x) || x - y);
    /** @type {number[]} */
    const taken = [];
    for (const id of wanted) {
      const { from, to } = joints[id];
      if (partnerDown[from] >= 0 || partnerUp[to] >= 0) continue;
      if (taken.some((other) => crosses(cells, joints[other], joints[id]))) continue;
      taken.push(id);
      partnerDown[from] = id;
      partnerUp[to] = id;
    }
  }
  return chainCells(layers, joints, partnerUp, cells.length);
}

/**
 * @param {Layered["cells"]} cells
 * @param {Layered["joints"][number]} one
 * @param {Layered["joints"][number]} other
 */
function crosses(cells, one, other) {
  const top = cells[one.from].position - cells[other.from].position;
  const bottom = cells[one.to].position - cells[other.to].position;
  return top * bottom < 0;
}

/**
 * @param {number[][]} layers
 * @param {Layered["joints"]} joints
 * @param {Int32Array} partnerUp
 * @param {number} total
 */
function chainCells(layers, joints, partnerUp, total) {
  const column = new Int32Array(total);
  const offset = new Float64Array(total);
  let count = 0;
  for (const layer of layers) {
    for (const cell of layer) {
      const joint = partnerUp[cell] < 0 ? null : joints[partnerUp[cell]];
      if (joint === null) {
        column[cell] = count;
        count += 1;
      } else {
        column[cell] = column[joint.from];
        offset[cell] = offset[joint.from] + joint.out - joint.in;
      }
    }
  }
  return { column, offset, count };
}

/**
 * The least distance of two neighbours' anchors.
 *
 * @param {Layered["cells"]} cells
 * @param {number} left
 * @param {number} right
 */
function distance(cells, left, right) {
  const passages = cells[left].item < 0 || cells[right].item < 0;
  return cells[left].after + cells[right].before + (passages ? TIGHT : SPACE);
}

/**
 * @param {Layered} graph
 * @param {Int32Array} column
 * @param {Float64Array} offset
 * @param {number} count
 */
function across(graph, column, offset, count) {
  /** @type {{ left: number, right: number, least: number }[]} */
  const rules = [];
  for (const layer of graph.layers) {
    for (let i = 1; i < layer.length; i += 1) {
      const [a, b] = [layer[i - 1], layer[i]];
      const least = distance(graph.cells, a, b) + offset[a] - offset[b];
      rules.push({ left: column[a], right: column[b], least });
    }
  }
  const x = packed(count, rules);
  relax(graph, column, offset, x, rules);
  return Float64Array.from(column, (col, cell) => x[col] + offset[cell]);
}

/**
 * @param {number} count
 * @param {readonly { left: number, right: number, least: number }[]} rules
 */
function packed(count, rules) {
  const order = topological(count, rules);
  const low = new Float64Array(count);
  /** @type {number[][]} */
  const after = Array.from({ length: count }, () => []);
  rules.forEach(({ left }, id) => after[left].push(id));
  for (const col of order) {
    for (const id of after[col]) {
      const { right, least } = rules[id];
      low[right] = Math.max(low[right], low[col] + least);
    }
  }
  const widest = low.reduce((most, value) => Math.max(most, value), 0);
  const high = new Float64Array(count).fill(widest);
  for (let i = order.length - 1; i >= 0; i -= 1) {
    for (const id of after[order[i]]) {
      const { right, least } = rules[id];
      high[order[i]] = Math.min(high[order[i]], high[right] - least);
    }
  }
  return low.map((value, i) => (value + high[i]) / 2);
}

/**
 * @param {number} count
 * @param {readonly { left: number, right: number }[]} rules
 */
function topological(count, rules) {
  const waits = new Int32Array(count);
  /** @type {number[][]} */
  const after = Array.from({ length: count }, () => []);
  for (const { left, right } of rules) {
    waits[right] += 1;
    after[left].push(right);
  }
  const order = [];
  for (let i = 0; i < count; i += 1) if (waits[i] === 0) order.push(i);
  for (let i = 0; i < order.length; i += 1) {
    for (const right of after[order[i]]) {
      waits[right] -= 1;
      if (waits[right] === 0) order.push(right);
    }
  }
  return order;
}

/**
 * The median: one link far to the side does not pull a column away from its own inputs.
 *
 * @param {number[]} values
 */
function middleOf(values) {
  values.sort((a, b) => a - b);
  const half = values.length >> 1;
  return values.length % 2 === 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

/**
 * Moves each column to the middle of what it is linked to, within its neighbours.
 *
 * @param {Layered} graph
 * @param {Int32Array} column
 * @param {Float64Array} offset
 * @param {Float64Array} x  changed in place
 * @param {readonly { left: number, right: number, least: number }[]} rules
 */
function relax(graph, column, offset, x, rules) {
  const count = x.length;
  /** @type {{ other: number, shift: number }[][]} */
  const pulls = Array.from({ length: count }, () => []);
  for (const { from, to, out, in: into } of graph.joints) {
    const [a, b] = [column[from], column[to]];
    if (a === b) continue;
    const shift = offset[to] + into - offset[from] - out;
    pulls[a].push({ other: b, shift });
    pulls[b].push({ other: a, shift: -shift });
  }
  /** @type {number[][]} */
  const lefts = Array.from({ length: count }, () => []);
  /** @type {number[][]} */
  const rights = Array.from({ length: count }, () => []);
  rules.forEach(({ left, right }, id) => {
    rights[left].push(id);
    lefts[right].push(id);
  });
  const order = Array.from(x.keys()).sort((a, b) => x[a] - x[b]);
  for (let pass = 0; pass < RELAXATIONS; pass += 1) {
    order.reverse();
    for (const col of order) {
      if (pulls[col].length === 0) continue;
      const wanted = middleOf(pulls[col].map(({ other, shift }) => x[other] + shift));
      let low = -Infinity;
      let high = Infinity;
      for (const id of lefts[col]) low = Math.max(low, x[rules[id].left] + rules[id].least);
      for (const id of rights[col]) high = Math.min(high, x[rules[id].right] - rules[id].least);
      x[col] = Math.max(low, Math.min(high, wanted));
    }
  }
}

/**
 * Labels that would lie over each other in one gap are put in rows.
 *
 * @param {readonly Link[]} links
 * @param {Layered} graph
 * @param {Float64Array} v
 */
function labelRows(links, { cells, joints, chains, layers }, v) {
  const rows = new Int32Array(layers.length);
  const pitch = new Float64Array(layers.length);
  const labelRow = links.map(() => -1);
  /** @type {{ link: number, low: number, high: number }[][]} */
  const inGap = layers.map(() => []);
  links.forEach(({ label }, link) => {
    if (label === null) return;
    const { from, to, out, in: into } = joints[chains[link][chains[link].length - 1]];
    const middle = (v[from] + out + v[to] + into) / 2;
    const gap = cells[from].layer;
    pitch[gap] = Math.max(pitch[gap], label.size + ROW_GAP);
    inGap[gap].push({ link, low: middle - label.width / 2, high: middle + label.width / 2 });
  });
  inGap.forEach((labels, gap) => {
    labels.sort((x, y) => x.low - y.low || x.link - y.link);
    /** @type {number[]} */
    const ends = [];
    for (const { link, low, high } of labels) {
      const free = ends.findIndex((end) => end + 6 <= low);
      const row = free < 0 ? ends.length : free;
      ends[row] = high;
      labelRow[link] = row;
    }
    rows[gap] = ends.length;
  });
  return { rows, pitch, labelRow };
}

/**
 * @param {readonly Item[]} items
 * @param {readonly Link[]} links
 * @param {Layered} graph
 * @param {{ rows: Int32Array, pitch: Float64Array }} labels
 * @param {Float64Array} v
 */
function along(items, links, { cells, layers, joints }, { rows, pitch }, v) {
  const start = new Float64Array(layers.length);
  const end = new Float64Array(layers.length);
  const gap = new Float64Array(layers.length).fill(GAP);
  rows.forEach((count, k) => {
    if (count > 0) gap[k] = Math.max(gap[k], 34 + count * pitch[k]);
  });
  joints.forEach(({ from, to, link, out, in: into }) => {
    const k = cells[from].layer;
    const bend = Math.abs(v[from] + out - v[to] - into);
    gap[k] = Math.max(gap[k], Math.min(120, 40 + bend / 6));
    if (cells[from].item >= 0 && items[cells[from].item].role === "leaf") gap[k] = Math.max(gap[k], INPUT_GAP);
    if (cells[to].item >= 0) gap[k] = Math.max(gap[k], links[link].room);
  });
  let at = 0;
  layers.forEach((layer, k) => {
    start[k] = at;
    end[k] = at + layer.reduce((most, id) => Math.max(most, cells[id].item < 0 ? 0 : items[cells[id].item].size), 0);
    at = end[k] + gap[k];
    const onBorder = /** @param {string} role */ (role) => (/** @type {number} */ id) => {
      return cells[id].item >= 0 && items[cells[id].item].role === role;
    };
    if (layer.every(onBorder("entry"))) at = end[k] + Math.max(20, gap[k] - 20);
    if (layers[k + 1]?.every(onBorder("exit"))) at = end[k] + Math.max(16, gap[k] - 30);
  });
  return { start, end };
}
