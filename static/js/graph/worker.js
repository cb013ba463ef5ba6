/** The layout in a thread of its own: a graph in, positions and routes out. */

import { layout } from "./layout.js";

self.onmessage = ({ data: { id, graph } }) => {
  self.postMessage({ id, result: layout(graph) });
};
