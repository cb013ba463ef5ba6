/**
 * Numbers and shapes as the page writes them.
 *
 * Values keep their point (`6.0`), so that a float and an int differ; gradients have four digits,
 * trimmed (`3`, `0.364`); tables and the console have TensorFlow's own digits.
 *
 * @typedef {import("./trace/types.js").Tensor} Tensor
 * @typedef {Pick<Tensor, "dtype" | "shape" | "value">} Held  a tensor, or what a variable holds
 * @typedef {number | boolean | string} Scalar
 */

/** Bits of the significand of the floats that are narrower than a JavaScript number. */
const SIGNIFICAND = /** @type {Record<string, number>} */ ({
  float32: 24,
  float16: 11,
  half: 11,
  bfloat16: 8,
});

/** Of a tensor with more elements than this only its figures are told. */
const SMALL = 4;

/** @param {string} dtype */
export function isFloat(dtype) {
  return dtype.startsWith("float") || dtype === "bfloat16" || dtype === "half";
}

/**
 * `x` rounded to a significand of so many bits.
 *
 * @param {number} x
 * @param {number} bits
 */
function roundTo(x, bits) {
  if (x === 0 || !Number.isFinite(x)) return x;
  if (bits === 24) return Math.fround(x);
  const scale = 2 ** (Math.floor(Math.log2(Math.abs(x))) + 1 - bits);
  return Math.round(x / scale) * scale;
}

/**
 * The shortest decimal that is this number in its dtype, as Python and NumPy print it.
 *
 * @param {number} x
 * @param {string} dtype
 */
function shortest(x, dtype) {
  const bits = SIGNIFICAND[dtype];
  if (bits === undefined || x === 0) return x; // −0 stays −0.
  const wanted = roundTo(x, bits);
  for (let digits = 1; digits <= 9; digits += 1) {
    const candidate = Number(x.toPrecision(digits));
    if (roundTo(candidate, bits) === wanted) return candidate;
  }
  return x;
}

/**
 * A float as Python writes it: always with a point or an exponent.
 *
 * @param {number} x
 */
function pythonFloat(x) {
  if (Object.is(x, -0)) return "-0.0";
  const size = Math.abs(x);
  if (size !== 0 && (size < 1e-4 || size >= 1e16)) {
    return x.toExponential().replace(/e([+-])(\d)$/, "e$10$2");
  }
  const text = String(x);
  return /[.e]/.test(text) ? text : `${text}.0`;
}

/**
 * One element with all of its digits.
 *
 * @param {Scalar} x
 * @param {string} dtype
 */
export function scalarText(x, dtype) {
  if (typeof x === "boolean") return x ? "True" : "False";
  if (typeof x === "string") return x;
  return isFloat(dtype) ? pythonFloat(shortest(x, dtype)) : String(x);
}

/**
 * One element with at most four digits that matter, its point kept.
 *
 * @param {Scalar} x
 * @param {string} dtype
 */
export function shortText(x, dtype) {
  if (typeof x !== "number" || !isFloat(dtype)) return scalarText(x, dtype);
  return pythonFloat(fourDigits(x));
}

/** @param {number} x */
function fourDigits(x) {
  const size = Math.abs(x);
  if (size === 0) return x;
  if (size >= 1e6 || size < 1000) return Number(x.toPrecision(4));
  return Number(x.toFixed(1));
}

/**
 * A gradient: four digits, trimmed.
 *
 * @param {Scalar} x
 */
export function gradientNumber(x) {
  if (typeof x !== "number") return scalarText(x, "");
  if (Object.is(x, -0)) return "0";
  const short = fourDigits(x);
  const size = Math.abs(short);
  if (size !== 0 && (size < 1e-4 || size >= 1e7)) {
    return short.toExponential().replace(/e([+-])(\d)$/, "e$10$2");
  }
  return String(short);
}

/**
 * `64×16`; "" for a scalar; `?` where nothing is known.
 *
 * @param {readonly (number | null)[] | null | undefined} shape
 */
export function shapeText(shape) {
  if (shape === null || shape === undefined) return "?";
  return shape.map((length) => length ?? "?").join("×");
}

/**
 * What is known of a tensor in a graph that has no value yet: `(2, ?)`, `() bool`. TensorFlow's own
 * form: a bare `2` would look like a value.
 *
 * @param {{ dtype: string, shape: Held["shape"] }} tensor
 */
export function symbolicText({ dtype, shape }) {
  const type = dtype === "float32" ? "" : ` ${dtype}`;
  if (shape === null || shape === undefined) return `?${type}`;
  const lengths = shape.map((length) => length ?? "?");
  return `(${lengths.join(", ")}${lengths.length === 1 ? "," : ""})${type}`;
}

/** @param {Held} tensor */
export function isScalar(tensor) {
  return tensor.shape?.length === 0;
}

/**
 * The only element of a scalar, null otherwise.
 *
 * @param {Held | null | undefined} tensor
 * @returns {Scalar | null}
 */
export function scalarOf(tensor) {
  if (!tensor || !isScalar(tensor)) return null;
  const data = tensor.value?.data;
  return data === undefined || data === null || Array.isArray(data) ? null : data;
}

/**
 * Nested data the way NumPy would show it on one line.
 *
 * @param {any} data
 * @param {string} dtype
 * @param {(x: Scalar, dtype: string) => string} [one]
 * @returns {string}
 */
export function dataText(data, dtype, one = shortText) {
  if (!Array.isArray(data)) return one(data, dtype);
  return `[${data.map((item) => dataText(item, dtype, one)).join(", ")}]`;
}

/**
 * How many elements nested data holds.
 *
 * @param {any} data
 * @returns {number}
 */
export function count(data) {
  return Array.isArray(data) ? data.reduce((sum, item) => sum + count(item), 0) : 1;
}

/**
 * A vector or a small matrix with its numbers, the end of a long one left out; of a larger one the
 * shape: `[0.1, 0.2, 0.3]`, `[1.0, 2.0, 3.0, …]`, `64×16`.
 *
 * @param {Held} tensor
 */
export function listText(tensor) {
  const data = tensor.value?.data ?? null;
  if (data === null) return shapeOrDtype(tensor);
  if (count(data) <= SMALL) return dataText(data, tensor.dtype);
  if (tensor.shape?.length !== 1) return shapeOrDtype(tensor);
  const first = data.slice(0, SMALL - 1).map((/** @type {Scalar} */ one) => shortText(one, tensor.dtype));
  return `[${first.join(", ")}, …]`;
}

/**
 * What a tensor holds, short: `6.0`, `[1.0, 2.0]`, `mean 0.478`.
 *
 * @param {Held | null | undefined} tensor
 */
export function valueText(tensor) {
  if (!tensor?.value) return tensor ? withoutValue(tensor) : "–";
  const { data, mean } = tensor.value;
  if (data !== undefined && data !== null && count(data) <= 3) return dataText(data, tensor.dtype);
  if (mean !== undefined && mean !== null) return `mean ${shortText(mean, "float64")}`;
  if (data !== undefined && data !== null && isNumeric(tensor.dtype)) {
    return `mean ${shortText(statistics(data).mean, "float64")}`;
  }
  return shapeOrDtype(tensor);
}

/**
 * A bare `2` would look like a value.
 *
 * @param {Held} tensor
 */
function withoutValue(tensor) {
  return isNumeric(tensor.dtype) ? symbolicText(tensor) : shapeOrDtype(tensor);
}

/** @param {Held} tensor */
function shapeOrDtype(tensor) {
  return shapeWord(tensor.shape) || tensor.dtype;
}

/**
 * A shape that stands where a value could: `64×16`, `(4,)`. A bare `4` would look like a value.
 *
 * @param {Held["shape"]} shape
 */
export function shapeWord(shape) {
  return shape?.length === 1 ? `(${shape[0] ?? "?"},)` : shapeText(shape);
}

/** @param {string} dtype */
export function isNumeric(dtype) {
  return isFloat(dtype) || /^u?int/.test(dtype);
}

/**
 * A gradient, short: `3`, `[6, 0]`, `64×16, l2 0.364`.
 *
 * @param {Held | null | undefined} tensor
 */
export function gradientText(tensor) {
  if (!tensor) return "–";
  const scalar = scalarOf(tensor);
  if (scalar !== null) return gradientNumber(scalar);
  if (!tensor.value) return withoutValue(tensor);
  const { data } = tensor.value;
  if (Array.isArray(data) && count(data) <= SMALL) return dataText(data, tensor.dtype, gradientNumber);
  const norm = gradientNorm(tensor);
  const shape = shapeWord(tensor.shape);
  return norm === null ? shape : `${shape}, ${norm}`;
}

/**
 * `l2 0.364`, null where the tensor has no value.
 *
 * @param {Held} tensor
 */
export function gradientNorm(tensor) {
  const value = tensor.value;
  if (!value) return null;
  const l2 = value.l2 ?? (value.data === undefined ? null : statistics(value.data).l2);
  return l2 === null ? null : `l2 ${gradientNumber(l2)}`;
}

/**
 * Every element of nested data, in order.
 *
 * @param {any} data
 * @returns {Scalar[]}
 */
export function flatten(data) {
  return Array.isArray(data) ? data.flatMap(flatten) : [data];
}

/**
 * The figures of small data, of its finite elements.
 *
 * @param {any} data
 */
export function statistics(data) {
  const all = flatten(data);
  const finite = /** @type {number[]} */ (all.filter((x) => typeof x === "number"));
  const sum = finite.reduce((total, x) => total + x, 0);
  return {
    min: finite.length ? Math.min(...finite) : NaN,
    max: finite.length ? Math.max(...finite) : NaN,
    mean: finite.length ? sum / finite.length : NaN,
    l2: Math.hypot(...finite),
    zero: finite.filter((x) => x === 0).length,
    nan: all.filter((x) => x === "nan").length,
    inf: all.filter((x) => x === "inf" || x === "-inf").length,
  };
}

/**
 * `nan`, `inf`, `nan, inf`: what a tensor holds of these; "" where all is finite.
 *
 * @param {Held} tensor
 */
export function notFinite({ value }) {
  if (!value) return "";
  const figures = value.data === undefined || value.data === null ? value : statistics(value.data);
  return [(figures.nan ?? 0) > 0 && "nan", (figures.inf ?? 0) > 0 && "inf"].filter(Boolean).join(", ");
}

/**
 * A whole tensor in TensorFlow's digits, for tables: `27.0`, `[[-8.5], [2.0]]`, else its norm.
 *
 * @param {Held} tensor
 */
export function tableText(tensor) {
  const data = tensor.value?.data;
  if (data !== undefined && data !== null && count(data) <= SMALL) {
    return dataText(data, tensor.dtype, scalarText);
  }
  return gradientText(tensor);
}

/**
 * `38 ms`, `2.1 s`.
 *
 * @param {number} ms
 */
export function durationText(ms) {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}
