/**
 * Many short lists of integers in two typed arrays: list `k` is `items[starts[k] … starts[k + 1]]`.
 *
 * @typedef {{ starts: Int32Array, items: Int32Array }} Lists
 */

/**
 * Builds the lists from pairs (list, item); items keep the order of the pairs.
 *
 * @param {number} lists  how many there are
 * @param {readonly number[]} keys
 * @param {readonly number[]} values
 * @returns {Lists}
 */
export function listsOf(lists, keys, values) {
  const starts = new Int32Array(lists + 1);
  for (const key of keys) starts[key + 1] += 1;
  for (let i = 0; i < lists; i += 1) starts[i + 1] += starts[i];
  const next = starts.slice();
  const items = new Int32Array(keys.length);
  keys.forEach((key, i) => {
    items[next[key]] = values[i];
    next[key] += 1;
  });
  return { starts, items };
}

/**
 * @param {Lists} lists
 * @param {number} k
 */
export function listAt(lists, k) {
  return lists.items.subarray(lists.starts[k], lists.starts[k + 1]);
}

/**
 * Position of the last element that is at most `wanted`; −1 where none is.
 *
 * @param {ArrayLike<number>} sorted
 * @param {number} wanted
 */
export function lastAtMost(sorted, wanted) {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] <= wanted) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/**
 * Adds to the list under a key.
 *
 * @template T
 * @param {Map<number, T[]>} map
 * @param {number} key
 * @param {T} value
 */
export function addTo(map, key, value) {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}
