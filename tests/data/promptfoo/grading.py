"""Grades one reply; knows no framework."""

import re


def exact(output: str, target: str) -> bool:
    """Whether the reply's answer, without its citation, is the target."""
    found = re.match(r"Answer: (.*?)(?: \[[^\]]*\])?$", output.strip())
    return found is not None and found[1].casefold() == target.casefold()


def cites(output: str, source: str) -> bool:
    """Whether the reply names its source in brackets."""
    return f"[{source}]" in output
