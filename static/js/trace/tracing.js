/**
 * When TensorFlow traced a function: before which call, why, and what the snippet's Python did
 * meanwhile.
 *
 * @typedef {import("./types.js").Trace} Trace
 *
 * @typedef {object} Tracing
 * @property {"first" | "again" | "cached"} status  of a call: traced for it, or an earlier graph ran
 * @property {string} why  again: what changed, as TensorFlow's types
 * @property {number} step  at which the tracing began; −1: cached
 */

/**
 * By call of a traced function, what had to be traced for it.
 *
 * @param {Trace} trace
 * @returns {Map<number, Tracing>}
 */
export function tracingsOf(trace) {
  /** @type {Map<number, Tracing>} */
  const found = new Map();
  /** @type {Map<string, Tracing>} function → traced and not yet called */
  const waiting = new Map();
  let depth = 0;
  trace.events.forEach((event, step) => {
    if (event.kind === "trace") {
      if (event.phase !== "begun") {
        depth -= 1;
        return;
      }
      // A function that makes variables is traced twice for one call.
      if (depth === 0 && !waiting.has(event.function)) {
        waiting.set(event.function, { status: event.again ? "again" : "first", why: event.why, step });
      }
      depth += 1;
    } else if (event.kind === "op" && trace.ops[event.op].rule === "function" && trace.ops[event.op].call === null) {
      const { type } = trace.ops[event.op];
      found.set(event.op, waiting.get(type) ?? { status: "cached", why: "", step: -1 });
      waiting.delete(type);
    }
  });
  return found;
}

/**
 * By step, the function that is being traced there, the innermost; the steps at which a tracing
 * begins and ends are not within it.
 *
 * @param {Trace} trace
 * @returns {(step: number) => string | null}
 */
export function tracedAt(trace) {
  /** @type {{ from: number, to: number, name: string }[]} */
  const spans = [];
  /** @type {{ from: number, name: string }[]} */
  const open = [];
  trace.events.forEach((event, step) => {
    if (event.kind !== "trace") return;
    if (event.phase === "begun") open.push({ from: step, name: event.function });
    else {
      const begun = open.pop();
      if (begun) spans.push({ ...begun, to: step });
    }
  });
  for (const begun of open) spans.push({ ...begun, to: trace.events.length });
  // Inner ones end first, so that the first that fits is the innermost.
  return (step) => spans.find(({ from, to }) => from < step && step < to)?.name ?? null;
}

/**
 * `x: (2,) → (3,)`: the types that TensorFlow gives as the reason, with only what differs in them.
 *
 * @param {string} why
 */
export function whyText(why) {
  return why
    .split("; ")
    .map((change) => {
      const [, name, before, after] = /^(\S+): (.*) → (.*)$/.exec(change) ?? [];
      if (name === undefined) return change;
      const [one, other] = [specOf(before), specOf(after)];
      if (one === null || other === null) return `${name}: ${plainType(before)} → ${plainType(after)}`;
      if (one.dtype === other.dtype) return `${name}: ${one.shape} → ${other.shape}`;
      if (one.shape === other.shape) return `${name}: ${one.dtype} → ${other.dtype}`;
      return `${name}: ${one.dtype} ${one.shape} → ${other.dtype} ${other.shape}`;
    })
    .join("; ");
}

/** @param {string} type */
function specOf(type) {
  const spec = /^TensorSpec\(shape=(.+), dtype=tf\.(\w+)\)$/.exec(type);
  return spec && { shape: spec[1], dtype: spec[2] };
}

/**
 * A value that the graph was made for stands for itself.
 *
 * @param {string} type
 */
function plainType(type) {
  const spec = specOf(type);
  if (spec) return `${spec.dtype} ${spec.shape}`;
  return /^Literal\[(.*)\]$/.exec(type)?.[1] ?? type;
}
