"""What a run runs on, as the trace tells it."""

import functools
import platform

import msgspec
import numpy as np
import tensorflow as tf

from tapedeck import __version__
from tapedeck.trace.document import Environment, Limits


def environment(limits: Limits) -> Environment:
    """Versions, platform and devices; nothing that tells whose machine it is."""
    return msgspec.structs.replace(_environment(), limits=limits)


@functools.cache
def _environment() -> Environment:
    return Environment(
        tapedeck=__version__,
        python=platform.python_version(),
        tensorflow=tf.__version__,
        keras=tf.keras.__version__,
        numpy=np.__version__,
        platform=f"{platform.system()} {platform.machine()}",
        devices=tuple(device.device_type for device in tf.config.list_physical_devices()),
    )
