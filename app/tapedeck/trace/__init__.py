"""The trace document, its JSON, and the questions one can ask it."""
