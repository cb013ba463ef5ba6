/**
 * Reading a trace document: the JSON leaves out every field that has its default.
 *
 * @typedef {import("./types.js").Trace} Trace
 */

const TENSOR = {
  dtype: "float32",
  shape: null,
  value: null,
  name: null,
  place: null,
  form: "dense",
  parts: [],
  source: null,
};
export const OP = Object.freeze({
  inputs: [],
  outputs: [],
  place: null,
  group: null,
  attrs: {},
  variable: null,
  captures: [],
  recorded_by: [],
  suspended: null,
  bookkeeping: false,
  thread: 0,
  call: null,
  rewinds: null,
  rule: null,
  error: null,
  bodies: [],
  host: null,
  argument: null,
});

/** Defaults of the records, by section of the document. */
const DEFAULTS = {
  places: { function: null },
  tensors: TENSOR,
  variables: { shape: null, name: null, path: "", place: null, trainable: true, initial: null, keras: false },
  groups: { parent: null, place: null, index: null },
  ops: OP,
  graphs: { tensors: [], ops: [], inputs: [], outputs: [], place: null, left_out: 0 },
  tapes: {
    name: null,
    place: null,
    persistent: false,
    watch_accessed_variables: true,
    owner: "snippet",
    group: null,
    thread: 0,
    symbolic: false,
  },
  gradients: {
    place: null,
    targets: [],
    sources: [],
    output_gradients: [],
    unconnected: "none",
    vectorized: null,
    results: [],
    error: null,
    group: null,
  },
  errors: { place: null, frames: [], handled: false, cause: null, hint: null, text: "" },
  findings: { level: "problem", places: [], facts: {}, steps: [], call: null, tape: null, op: null, error: null },
  events: {},
};

const EVENT_DEFAULTS = /** @type {Record<string, object>} */ ({
  tape: { place: null },
  watch: { tensor: null, variable: null, place: null },
  assign: { tensor: null, variable: null },
  exit: { place: null },
  rewind: { upstream: [], contributions: [] },
  sum: { parts: [], tensor: null, variable: null },
  trace: { phase: "begun", again: false, why: "", place: null },
  print: { place: null },
});

const REF = { tensor: null, variable: null, text: "" };
const RESULT = { tensor: null, finding: null };
const FRAME = { function: "", place: null, module: "", line: null };
const REPAIR = { lines: [], text: "" };

const SINGLE = {
  snippet: { text: "", asked: "auto", mode: "script", seed: 0, repairs: [], watched: [], target: null, script: null },
  environment: {
    tapedeck: "",
    python: "",
    tensorflow: "",
    keras: "",
    numpy: "",
    platform: "",
    devices: [],
    limits: {},
  },
  outcome: { kind: "completed", detail: "", error: null, exit_code: null, signal: null },
  stats: { wall_ms: 0, cpu_ms: 0, peak_bytes: 0 },
};

/** @type {WeakSet<object>} */
const done = new WeakSet();

/**
 * Puts the defaults into a document as it came, in place.
 *
 * @param {any} document  parsed JSON of a trace
 * @returns {Trace} the same object
 */
export function complete(document) {
  if (done.has(document)) return document;
  document.schema_version ??= 1;
  for (const [name, defaults] of Object.entries(SINGLE)) {
    document[name] ??= {};
    fill(document[name], defaults);
  }
  for (const [name, defaults] of Object.entries(DEFAULTS)) {
    document[name] ??= [];
    for (const record of document[name]) fill(record, defaults);
  }
  for (const event of document.events) fill(event, EVENT_DEFAULTS[event.kind] ?? {});
  for (const repair of document.snippet.repairs) fill(repair, REPAIR);
  for (const call of document.gradients) completeCall(call);
  for (const graph of document.graphs) completeGraph(graph);
  for (const error of document.errors) for (const frame of error.frames) fill(frame, FRAME);
  done.add(document);
  return document;
}

/** @param {any} graph */
function completeGraph(graph) {
  for (const tensor of graph.tensors) fill(tensor, TENSOR);
  for (const op of graph.ops) fill(op, OP);
}

/** @param {any} call */
function completeCall(call) {
  for (const ref of [...call.targets, ...call.sources]) fill(ref, REF);
  for (const result of call.results) fill(result, RESULT);
}

/**
 * @param {any} record
 * @param {Record<string, any>} defaults
 */
function fill(record, defaults) {
  for (const key in defaults) if (record[key] === undefined) record[key] = defaults[key];
}
