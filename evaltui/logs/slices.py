"""A long JSON array decoded slice by slice, so that other threads of the process go on in between.

Decoding is one call that nothing else gets a turn in: 30 MB of it stop a screen for a second. No
slice is guessed: one that ends anywhere but between two elements can't be decoded, and grows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TypeVar

from evaltui.logs import wire

T = TypeVar("T")

SLICE = 128 * 1024
"""Bytes of the shortest slice: a millisecond or two."""

_BETWEEN = re.compile(rb"\}\s*,\s*(?=\{)")
_FIRST = re.compile(rb"\s*\[\s*(?=\{)")


def decoded(content: bytes, kind: type[T], size: int = SLICE) -> Iterator[T]:
    """The elements of an array of objects, each as `kind`; raises what `wire.decode` raises."""
    first = _FIRST.match(content)
    start = first.end() if first is not None else 0
    length = size
    while first is not None and (end := _BETWEEN.search(content, start + length)) is not None:
        part = b"[" + content[start : end.start() + 1] + b"]"
        try:
            elements = wire.decode(part, list[kind])  # type: ignore[valid-type]
        except wire.UNDECODABLE:
            length *= 2
            continue
        yield from elements
        start, length = end.end(), size
    rest = b"[" + content[start:] if start else content
    yield from wire.decode(rest, list[kind])  # type: ignore[valid-type]
