/**
 * The layout behind one function: `layout(graph)`, worked out in a worker that is ended when a
 * newer graph comes before it is done.
 *
 * @typedef {import("./layout.js").LayoutGraph} LayoutGraph
 * @typedef {import("./layout.js").LayoutResult} LayoutResult
 */

/**
 * @returns {(graph: LayoutGraph) => Promise<LayoutResult | null>} null: a newer one took its place
 */
export function createLayout() {
  /** @type {Worker | null} */
  let worker = null;
  /** @type {((result: LayoutResult | null) => void) | null} */
  let waiting = null;
  let last = 0;

  const start = () => {
    const made = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
    made.onmessage = ({ data }) => {
      if (data.id !== last) return;
      const settle = waiting;
      waiting = null;
      settle?.(data.result);
    };
    return made;
  };

  return (graph) =>
    new Promise((resolve) => {
      if (waiting) {
        waiting(null);
        worker?.terminate();
        worker = null;
      }
      worker ??= start();
      waiting = resolve;
      last += 1;
      worker.postMessage({ id: last, graph });
    });
}
