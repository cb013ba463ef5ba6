"""Runs each snippet in a process of its own, forked from one that has TensorFlow loaded."""
