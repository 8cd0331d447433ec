"""evaltui: runs and minds sets of language model evaluations in a terminal, on Inspect AI."""

__version__ = "0.1.0"
