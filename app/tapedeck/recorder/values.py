"""Summaries of arrays: what a trace keeps of a tensor's contents."""

from typing import Any

import msgspec
import numpy as np
import orjson

from tapedeck.trace.document import Number, Value

WHOLE = 64
"""Arrays of up to this many elements are kept whole."""
BRIEF = 8
"""The same for a brief summary."""
CORNER = 4
BINS = 16
EXACT = 1 << 18
"""Above this many elements mean, zeros and histogram come from a sample."""
SAMPLE = 1 << 16
HISTOGRAM = 1 << 14
"""So many elements, evenly taken, make a histogram; its counts are scaled to all of them."""
TEXT = 200
"""Characters kept of one string element."""
EXACT_INTEGER = 1 << 53


def summarize(array: "np.ndarray[Any, Any]", brief: bool = False) -> Value:
    """The Value for an array of numbers, booleans, or strings. Keeps no reference to it.

    `brief` keeps fewer elements whole, and neither corner nor histogram of the others.
    """
    if array.size <= (BRIEF if brief else WHOLE):
        return Value(data=nested(array))
    if array.dtype.kind in "OSU":
        return Value(corner=nested(corner_of(array)))
    return statistics(array, brief)


def nested(array: "np.ndarray[Any, Any]") -> Any:
    """The array as nested lists of Number, or as the JSON of them; a Number for a scalar."""
    if array.ndim == 0:
        return number(array[()])
    if _is_plain(array):
        return msgspec.Raw(orjson.dumps(array, option=orjson.OPT_SERIALIZE_NUMPY))
    return [nested(row) if array.ndim > 1 else number(row) for row in array]


def _is_plain(array: "np.ndarray[Any, Any]") -> bool:
    """Whether orjson writes it as `number` would: floats of any precision in their own digits."""
    kind = array.dtype.kind
    if not array.flags.c_contiguous or array.size == 0:
        return False
    if kind in "iu" and array.dtype.itemsize == 8:
        return bool(array.max() <= EXACT_INTEGER and array.min() >= -EXACT_INTEGER)
    if kind == "f":
        return bool(np.isfinite(array).all())
    return kind in "iub"


def number(element: Any) -> Number:
    """One element as JSON carries it, with the digits that its own precision has."""
    if isinstance(element, bytes):
        return element.decode("utf-8", "replace")[:TEXT]
    if isinstance(element, str):
        return element[:TEXT]
    if isinstance(element, bool | np.bool_):
        return bool(element)
    if isinstance(element, int | np.integer):
        whole = int(element)
        return whole if abs(whole) <= EXACT_INTEGER else str(whole)
    if isinstance(element, complex | np.complexfloating):
        return str(complex(element) if isinstance(element, np.complex128) else element)
    # str() of a NumPy float is the shortest text that reads back as the same float of that
    # precision: 0.1 for float32, not 0.10000000149011612.
    shortest = float(str(element)) if isinstance(element, np.floating) else float(element)
    return shortest if np.isfinite(shortest) else _non_finite(shortest)


def _non_finite(value: float) -> str:
    if np.isnan(value):
        return "nan"
    return "inf" if value > 0 else "-inf"


def corner_of(array: "np.ndarray[Any, Any]") -> "np.ndarray[Any, Any]":
    """At most the first 4 along each of the last two axes, index 0 along the others."""
    lead = (0,) * max(array.ndim - 2, 0)
    return np.ascontiguousarray(array[lead + (slice(CORNER),) * min(array.ndim, 2)])


def statistics(array: "np.ndarray[Any, Any]", brief: bool = False) -> Value:
    """Statistics, and unless brief histogram and corner, of a large array of numbers.

    A single nan in a million must be found, so that least, greatest, norm and what is not finite
    come from all elements; of very large arrays mean, zeros and histogram come from a sample.
    """
    flat = _countable(array.reshape(-1))
    nan = inf = 0
    square = _square(flat)
    if not np.isfinite(square):
        # Either something is not finite, or only the square overflowed.
        finite = np.isfinite(flat)
        nan = int(np.isnan(flat).sum())
        inf = int(flat.size - finite.sum()) - nan
        flat = flat[finite]
        square = float(np.square(flat, dtype=np.float64).sum())
    corner = None if brief else nested(corner_of(array))
    if flat.size == 0:
        return Value(corner=corner, nan=nan, inf=inf)
    low, high = flat.min(), flat.max()
    step = -(-flat.size // SAMPLE) if flat.size > EXACT else 1
    part = flat[::step]
    return Value(
        corner=corner,
        min=number(low),
        max=number(high),
        mean=_six(part.mean(dtype=np.float64)),
        l2=_six(np.sqrt(square)),
        nan=nan,
        inf=inf,
        zero=int(np.count_nonzero(part == 0)) * step,
        histogram=() if brief else _histogram(flat, float(low), float(high)),
        sampled=step > 1,
    )


def _countable(flat: "np.ndarray[Any, Any]") -> "np.ndarray[Any, Any]":
    """The elements as numbers that NumPy counts with quickly."""
    if flat.dtype.kind == "c":
        magnitude: np.ndarray[Any, Any] = np.abs(flat)
        return magnitude
    if flat.dtype.kind == "b":
        return flat.astype(np.int8)
    if flat.dtype.kind in "iu" or flat.dtype in (np.float32, np.float64):
        return flat
    return flat.astype(np.float32)


def _square(flat: "np.ndarray[Any, Any]") -> float:
    """The sum of squares; not finite where an element is not."""
    if flat.dtype.kind == "f":
        return float(np.dot(flat, flat))
    return float(np.square(flat, dtype=np.float64).sum())


def _six(value: float) -> Number:
    return number(float(f"{float(value):.6g}"))


def _histogram(flat: "np.ndarray[Any, Any]", low: float, high: float) -> tuple[int, ...]:
    if not low < high or not np.isfinite(high - low):
        return ()
    step = -(-flat.size // HISTOGRAM)
    # A shade less than the whole range, so that the greatest element is in the last bin.
    scale = BINS * (1 - 1e-5) / (high - low)
    counts = np.bincount(((flat[::step] - low) * scale).astype(np.intp), minlength=BINS)
    return tuple((counts[:BINS] * step).tolist())
