/**
 * The server's API: runs, examples, formulas and the catalogue of findings.
 *
 * @typedef {import("./trace/types.js").Trace} Trace
 *
 * @typedef {object} Progress
 * @property {string} [stage]
 * @property {number} [position]
 * @property {number} [ops]
 * @property {number} [line]
 */

/** No server of ours takes a request of so many characters. */
const LARGE = 2_000_000;

/** A request that failed; `key` names the sentence for it in the catalogue of words. */
export class RequestError extends Error {
  /**
   * @param {string} key
   * @param {string} [detail]  the server's own sentence
   */
  constructor(key, detail = "") {
    super(detail || key);
    this.key = key;
    this.detail = detail;
  }
}

/**
 * Runs a snippet and gives its trace.
 *
 * @param {{ source: string, mode: string, seed: number }} request
 * @param {(progress: Progress) => void} onProgress
 * @param {AbortSignal} signal
 * @returns {Promise<Trace>}
 */
export async function runSnippet(request, onProgress, signal) {
  const response = await send("/api/traces", {
    method: "POST",
    headers: { "Content-Type": "application/json", Accept: "text/event-stream" },
    body: JSON.stringify(request),
    signal,
  });
  if (!response.headers.get("Content-Type")?.startsWith("text/event-stream")) {
    return /** @type {Promise<Trace>} */ (response.json());
  }
  for await (const { event, data } of serverEvents(response)) {
    if (event === "progress") onProgress(data);
    else if (event === "trace") return data;
    else if (event === "error") throw new RequestError("request.failed", detailOf(data));
  }
  throw new RequestError("request.cut");
}

/**
 * @param {string} path
 * @returns {Promise<any>}
 */
export async function getJson(path) {
  return (await send(path, { headers: { Accept: "application/json" } })).json();
}

/**
 * @param {string} path
 * @param {RequestInit} init
 */
async function send(path, init) {
  let response;
  try {
    response = await fetch(path, init);
  } catch (error) {
    if (init.signal?.aborted) throw error;
    // A server may close the connection on a body that it does not want to read to its end.
    const large = typeof init.body === "string" && init.body.length > LARGE;
    throw new RequestError(large ? "request.tooLarge" : "request.unreachable");
  }
  if (response.ok) return response;
  throw new RequestError(sentenceKey(response.status), await detail(response));
}

/** @param {number} status */
function sentenceKey(status) {
  if (status === 413) return "request.tooLarge";
  if (status === 429) return "request.tooMany";
  if (status === 503) return "request.busy";
  return status >= 500 ? "request.server" : "request.failed";
}

/** @param {Response} response */
async function detail(response) {
  try {
    return detailOf(await response.json());
  } catch {
    return "";
  }
}

/** @param {{ error?: { message?: string, hint?: string } }} body */
function detailOf(body) {
  const { message = "", hint = "" } = body?.error ?? {};
  return [message, hint].filter(Boolean).join(" ");
}

/**
 * The events of a server-sent stream, their data parsed as JSON.
 *
 * @param {Response} response
 * @returns {AsyncGenerator<{ event: string, data: any }>}
 */
async function* serverEvents(response) {
  if (!response.body) return;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let buffer = "";
  for (;;) {
    const { done, value } = await read(reader);
    if (done) return;
    buffer += value;
    const blocks = buffer.split(/\r?\n\r?\n/);
    buffer = /** @type {string} */ (blocks.pop());
    for (const block of blocks) {
      const parsed = parseBlock(block);
      if (parsed) yield parsed;
    }
  }
}

/** @param {ReadableStreamDefaultReader<string>} reader */
async function read(reader) {
  try {
    return await reader.read();
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new RequestError("request.cut");
  }
}

/** @param {string} block */
function parseBlock(block) {
  let event = "message";
  /** @type {string[]} */
  const data = [];
  for (const line of block.split(/\r?\n/)) {
    if (line.startsWith("event:")) event = line.slice(6).trim();
    else if (line.startsWith("data:")) data.push(line.slice(5).replace(/^ /, ""));
  }
  return data.length === 0 ? null : { event, data: JSON.parse(data.join("\n")) };
}
