/**
 * The address's fragment: all that restores a view, deflated and in base64url.
 *
 * `#1.<payload>`; the number is the version. The payload is JSON:
 * `{t: source, m: mode, s: seed, p: step, k: selection kind, i: selection id, d: 1 where the graph
 * goes to the right, b: 1 with bookkeeping, o: what is unfolded, c: what is folded}`.
 */

const VERSION = "1";
/** Chat programs and mail clients cut addresses; some servers refuse more than 8 KB. */
export const LONGEST = 16_000;
/** What a fragment may unfold to: a source may have 256 KB. */
const LARGEST = 400_000;

/**
 * @typedef {object} View
 * @property {string} source
 * @property {"auto" | "script" | "expressions"} mode
 * @property {number} seed
 * @property {number | null} step
 * @property {import("./state.js").Selection | null} selection
 * @property {"down" | "right"} direction
 * @property {boolean} bookkeeping
 * @property {readonly number[]} open  groups; −1 − op: the graph of an op
 * @property {readonly number[]} closed
 */

/**
 * @param {View} view
 * @returns {Promise<string>} the fragment without `#`
 */
export async function encodeView(view) {
  const { source, mode, seed, step, selection, direction, bookkeeping, open, closed } = view;
  const json = JSON.stringify({
    t: source,
    ...(mode === "auto" ? {} : { m: mode }),
    ...(seed === 0 ? {} : { s: seed }),
    ...(step === null ? {} : { p: step }),
    ...(selection === null ? {} : { k: selection.kind, i: selection.id }),
    ...(direction === "down" ? {} : { d: 1 }),
    ...(bookkeeping ? { b: 1 } : {}),
    ...(open.length === 0 ? {} : { o: open }),
    ...(closed.length === 0 ? {} : { c: closed }),
  });
  const bytes = await through(new TextEncoder().encode(json), new CompressionStream("deflate-raw"));
  return `${VERSION}.${toBase64Url(bytes)}`;
}

/**
 * @param {string} fragment  with or without `#`
 * @returns {Promise<View | null>} null where it is not one of ours or is damaged
 */
export async function decodeView(fragment) {
  const [version, payload] = fragment.replace(/^#/, "").split(".");
  if (version !== VERSION || !payload) return null;
  try {
    const bytes = await through(fromBase64Url(payload), new DecompressionStream("deflate-raw"));
    return readView(JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes)));
  } catch {
    return null;
  }
}

/** More groups than these are not folded by hand. */
const MOST = 1000;
const MODES = ["auto", "script", "expressions"];
const KINDS = ["op", "tensor", "variable", "tape", "group", "call", "constant"];

/**
 * @param {any} data
 * @returns {View | null}
 */
function readView(data) {
  if (typeof data?.t !== "string") return null;
  const selected = KINDS.includes(data.k) && Number.isSafeInteger(data.i) && data.i >= 0;
  return {
    source: data.t,
    mode: MODES.includes(data.m) ? data.m : "auto",
    seed: Number.isSafeInteger(data.s) ? data.s : 0,
    step: Number.isSafeInteger(data.p) ? data.p : null,
    selection: selected ? { kind: data.k, id: data.i } : null,
    direction: data.d === 1 ? "right" : "down",
    bookkeeping: data.b === 1,
    open: numbers(data.o),
    closed: numbers(data.c),
  };
}

/**
 * @param {unknown} list
 * @returns {number[]}
 */
function numbers(list) {
  return Array.isArray(list) ? list.filter(Number.isSafeInteger).slice(0, MOST) : [];
}

/**
 * @param {Uint8Array<ArrayBuffer>} bytes
 * @param {CompressionStream | DecompressionStream} stream
 */
async function through(bytes, stream) {
  const writer = stream.writable.getWriter();
  // A damaged fragment rejects both ends; the reading end below is the one that tells.
  writer.write(bytes).catch(() => undefined);
  writer.close().catch(() => undefined);
  const reader = stream.readable.getReader();
  /** @type {Uint8Array[]} */
  const chunks = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.length;
    if (size > LARGEST) throw new Error("The fragment unfolds to too much");
    chunks.push(value);
  }
  return joined(chunks, size);
}

/**
 * @param {Uint8Array[]} chunks
 * @param {number} size
 */
function joined(chunks, size) {
  const all = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.length;
  }
  return all;
}

/** @param {Uint8Array} bytes */
function toBase64Url(bytes) {
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** @param {string} text */
function fromBase64Url(text) {
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}
