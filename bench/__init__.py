"""Measures what the project promises; `make bench` prints it."""
