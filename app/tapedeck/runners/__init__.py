"""Runs a job and gives its trace: one interface, one module for each place where runs happen."""
