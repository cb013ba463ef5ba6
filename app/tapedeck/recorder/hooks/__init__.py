"""The hooks: the only place that touches TensorFlow's private API.

`Hooks(listener)` tells a listener what TensorFlow does: ops, recordings, tapes, gradient calls,
rewinds, constants, variables and exits to Python. What is used of TensorFlow, and what breaks
when it goes, stands at each hook. `tapedeck.recorder.check()` tries each of them.

Written from TensorFlow 2.18 to 2.21.
"""

from tapedeck.recorder.hooks.facts import (
    DISGUISE,
    GENERATED,
    array_of,
    asked_for,
    disguised,
    dtype_name,
    executing_eagerly,
    handle_of,
    is_differentiable,
    is_eager,
    original_line,
    recording_suspended,
    should_record,
    status_error,
    tape_state,
    tensor_id,
    watches_accessed_variables,
)
from tapedeck.recorder.hooks.install import Hooks

__all__ = [
    "DISGUISE",
    "GENERATED",
    "Hooks",
    "array_of",
    "asked_for",
    "disguised",
    "dtype_name",
    "executing_eagerly",
    "handle_of",
    "is_differentiable",
    "is_eager",
    "original_line",
    "recording_suspended",
    "should_record",
    "status_error",
    "tape_state",
    "tensor_id",
    "watches_accessed_variables",
]
