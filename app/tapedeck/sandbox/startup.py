"""Snippets that set what TensorFlow takes only before it has started."""

import re

#: Each raises "cannot be modified after initialization" once a first op has run.
_EARLY = re.compile(
    r"set_(?:intra|inter)_op_parallelism_threads"
    r"|set_(?:logical|virtual)_device_configuration"
    r"|set_visible_devices"
    r"|set_memory_growth"
    r"|operation_timeout_in_ms"
    r"|use_tfrt"
    r"|configure_virtual_cpus"
    r"|initialize_accelerator_system"
    r"|MultiWorkerMirroredStrategy"
)


def needs_fresh_start(source: str) -> bool:
    """Whether a process on which something ran already would fail it."""
    return _EARLY.search(source) is not None
