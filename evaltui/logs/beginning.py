"""The first keys of a JSON object, from no more of its text than they need.

For files whose small keys come first and whose large ones nobody asked for. Knows JSON only.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterable, Iterator
from json import JSONDecodeError, JSONDecoder
from typing import Any

_SPACE = " \t\n\r"
_PIECE = 16 * 1024
_scan = JSONDecoder().raw_decode


def read_beginning(
    pieces: Iterable[bytes], stop: Callable[[str, dict[str, Any]], bool]
) -> dict[str, Any]:
    """The keys and values of the object before the first key for which `stop(key, so far)` holds.

    Takes pieces of UTF-8 text only as far as needed. NaN and Infinity are numbers, as Inspect
    writes them. ValueError when the text is no object or ends early.
    """
    text = _Text(pieces)
    values: dict[str, Any] = {}
    if text.next() != "{":
        raise ValueError("no JSON object")
    text.skip()
    if text.next() == "}":
        return values
    while True:
        key = text.value(":")
        if not isinstance(key, str):
            raise ValueError("a key that is no string")
        text.skip()
        if stop(key, values):
            return values
        values[key] = text.value(",}")
        if text.next() == "}":
            return values
        text.skip()


class _Text:
    """Text that grows by decoding further pieces when a value does not end in what is there."""

    def __init__(self, pieces: Iterable[bytes]) -> None:
        self._pieces = _cut(pieces)
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._text = ""
        self._at = 0

    def next(self) -> str:
        """The next character that is no space, not consumed; empty at the end."""
        while True:
            while self._at < len(self._text) and self._text[self._at] in _SPACE:
                self._at += 1
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._grow():
                return ""

    def skip(self) -> None:
        """Consume the character that `next()` showed."""
        self._at += 1

    def value(self, followed_by: str) -> Any:
        """Consume one value; one of the characters `followed_by` must come after it."""
        self.next()
        while True:
            try:
                value, end = _scan(self._text, self._at)
            except JSONDecodeError:
                # cut off, or no JSON: only the rest of the text tells
                if not self._grow():
                    raise ValueError("no JSON value") from None
                continue
            while end < len(self._text) and self._text[end] in _SPACE:
                end += 1
            if end < len(self._text) and self._text[end] in followed_by:
                self._at = end
                return value
            # a number may go on in the next piece
            if not self._grow():
                raise ValueError("no JSON value")

    def _grow(self) -> bool:
        """Have at least twice the text, so that a long value is not scanned once for each piece."""
        rest = self._text[self._at :]
        parts, length = [rest], len(rest)
        goal = 2 * len(rest) + 1
        while length < goal:
            piece = next(self._pieces, None)
            if piece is None:
                break
            parts.append(self._decoder.decode(piece))
            length += len(parts[-1])
        self._text, self._at = "".join(parts), 0
        return length > len(rest)


def _cut(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Pieces small enough that decoding one too many costs nothing."""
    for piece in pieces:
        for start in range(0, len(piece), _PIECE):
            yield piece[start : start + _PIECE]
