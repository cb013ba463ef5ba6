"""Tapedeck shows what `tf.GradientTape` did."""

__version__ = "0.1.0"
