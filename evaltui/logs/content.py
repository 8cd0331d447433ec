"""Fingerprints of what a sample asks: equal for equal questions, whatever shape they came in.

Pure, on plain JSON values: a dataset's sample dumped to JSON and the same sample read back from a
log give one fingerprint. Nothing is opened here; who has files or attachments passes their content.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from evaltui.logs.attachments import REFERENCES

MEDIA_REMOVED = "<base64-data-removed>"
"""What Inspect writes in the place of media that a log was told to leave out."""

_MEDIA = ("image", "audio", "video", "document")
_PART_FIELDS = {
    "text": ("text",),
    "reasoning": ("reasoning",),
    "tool_use": ("tool_type", "name", "arguments", "result", "error"),
    "data": ("data",),
}
_UNKNOWN = "?"


class Fingerprint(NamedTuple):
    """content: hex, and behind colons, where the input has media, digests of their bytes and of
    their names, `?` for what is not known; compare with `same_content`. media: the input has media.
    media_missing: the bytes of some are not known.
    """

    content: str
    media: bool = False
    media_missing: bool = False


class Likeness(NamedTuple):
    """same: nothing that is known of both differs. unchecked: media could not be compared."""

    same: bool
    unchecked: bool = False


def content_fingerprint(
    input: Any,
    target: Any,
    choices: Sequence[str] | None,
    attachments: Mapping[str, str] = {},
) -> Fingerprint:
    """The fingerprint of one question: a string or a list of messages, its target and choices.

    attachments: content by hash, as in a logged sample; also data URIs by the path or URL under
    which media stand in the input, where the caller has read them.
    """
    media: list[str] = []
    question = [
        _input(input, attachments, media),
        _target(target, choices),
        sorted(choices) if choices else None,
    ]
    text = _digest(question, 12)
    if not media:
        return Fingerprint(text)
    known, named = _media_digests(media, attachments)
    return Fingerprint(f"{text}:{known}:{named}", True, known == _UNKNOWN)


def strict_fingerprint(content: str, metadata: Any, files: Any, setup: Any) -> str:
    """A fingerprint that also tells apart what a log can't show: metadata, files and setup."""
    return _digest([content, metadata or None, files or None, setup or None], 8)


def same_content(one: str, other: str) -> Likeness:
    """Whether two fingerprints stand for one question, as far as is known of both."""
    if one == other:
        return Likeness(True, f":{_UNKNOWN}:" in one)
    if ":" not in one or ":" not in other:
        return Likeness(False)
    text, known, named = one.split(":")
    other_text, other_known, other_named = other.split(":")
    if text != other_text:
        return Likeness(False)
    if _UNKNOWN not in (known, other_known):
        return Likeness(known == other_known)
    if _UNKNOWN not in (named, other_named):
        return Likeness(named == other_named, True)
    return Likeness(True, True)


def text_of(content: str) -> str:
    """The part of a fingerprint that media don't enter; equal for all that may be the same."""
    return content.partition(":")[0]


def media_references(input: Any) -> Iterator[str]:
    """The paths and URLs under which media stand in an input; inline media are left out."""
    for message in input if isinstance(input, list) else ():
        content = message.get("content")
        for part in content if isinstance(content, list) else ():
            reference = part.get(part.get("type")) if part.get("type") in _MEDIA else None
            if isinstance(reference, str) and not reference.startswith(("data:", *REFERENCES)):
                yield reference


# --- canonical form -----------------------------------------------------------------------------


def _digest(value: Any, size: int) -> str:
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, default=str)
    return hashlib.blake2b(_encoded(text), digest_size=size).hexdigest()


def _encoded(text: str) -> bytes:
    """Lone surrogates as JSON of the escapes that Inspect's writer has in their place."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        return re.sub("[\ud800-\udfff]", lambda c: f"\\\\u{ord(c[0]):04x}", text).encode()


def _input(input: Any, attachments: Mapping[str, str], media: list[str]) -> Any:
    """A lone user message and its bare text ask the same."""
    if isinstance(input, str):
        return [["user", _text(input, attachments)]]
    calls: dict[str, int] = {}
    return [_message(message, attachments, media, calls) for message in input or ()]


def _message(
    message: Mapping[str, Any],
    attachments: Mapping[str, str],
    media: list[str],
    calls: dict[str, int],
) -> list[Any]:
    """Role and content, with tool calls and results; ids of calls become their order."""
    form = [message.get("role"), _content(message.get("content"), attachments, media)]
    for call in message.get("tool_calls") or ():
        number = calls.setdefault(str(call.get("id")), len(calls))
        arguments = _resolved(call.get("arguments"), attachments)
        form.append(["call", number, call.get("function"), arguments])
    if message.get("role") == "tool":
        answered = message.get("tool_call_id")
        number = calls.setdefault(str(answered), len(calls)) if answered is not None else -1
        error = message.get("error") or {}
        form.append(["answers", number, message.get("function"), error.get("message")])
    return form


def _content(content: Any, attachments: Mapping[str, str], media: list[str]) -> Any:
    if not isinstance(content, list):
        return _text(content, attachments)
    parts = [_part(part, attachments, media) for part in content]
    return parts[0][1] if len(parts) == 1 and parts[0][0] == "text" else parts


def _part(part: Any, attachments: Mapping[str, str], media: list[str]) -> list[Any]:
    if isinstance(part, str):
        return ["text", _text(part, attachments)]
    kind = part.get("type")
    if kind in _MEDIA:
        media.append(str(part.get(kind)))
        detail = part.get("detail")
        return [kind] if detail in (None, "auto") else [kind, detail]
    fields = _PART_FIELDS.get(kind) or sorted(set(part) - {"type", "internal"})
    return [
        kind,
        *(_resolved(part[key], attachments) for key in fields if part.get(key) is not None),
    ]


def _text(text: Any, attachments: Mapping[str, str]) -> Any:
    if isinstance(text, str) and text.startswith(REFERENCES):
        return attachments.get(text.partition("://")[2], text)
    return text


def _resolved(value: Any, attachments: Mapping[str, str]) -> Any:
    if isinstance(value, Mapping):
        return {
            key: _resolved(part, attachments) for key, part in value.items() if part is not None
        }
    if isinstance(value, list | tuple):
        return [_resolved(part, attachments) for part in value]
    return _text(value, attachments)


def _target(target: Any, choices: Sequence[str] | None) -> Any:
    """A letter stands for the choice it points to, so shuffled choices keep their target."""
    if isinstance(target, list | tuple):
        named = [_named_choice(each, choices or ()) for each in target]
        return named[0] if len(named) == 1 else named
    return _named_choice(target, choices or ())


def _named_choice(target: Any, choices: Sequence[str]) -> Any:
    position = _choice_position(target) if choices and isinstance(target, str) else -1
    return {"choice": choices[position]} if 0 <= position < len(choices) else target


def _choice_position(target: str) -> int:
    """Inspect's reading of a target: letters first, numbers from 1 after the 26th."""
    if len(target) == 1 and target.isascii() and target.isalpha():
        return ord(target.upper()) - ord("A")
    return 25 + int(target) if target.isascii() and target.isdigit() and int(target) else -1


# --- media --------------------------------------------------------------------------------------


def _media_digests(media: Sequence[str], attachments: Mapping[str, str]) -> tuple[str, str]:
    """Digests of all bytes and of all names, in order; `?` where one of them is not known."""
    found = [_media_bytes(reference, attachments) for reference in media]
    known = _UNKNOWN if None in found else _digest(found, 8)
    inline = ("data:", MEDIA_REMOVED, *REFERENCES)
    named = _UNKNOWN if any(m.startswith(inline) for m in media) else _digest(list(media), 8)
    return known, named


def _media_bytes(reference: str, attachments: Mapping[str, str]) -> str | None:
    """Digest of the bytes behind a reference, None where they are not here."""
    if reference.startswith(REFERENCES):
        reference = attachments.get(reference.partition("://")[2], "")
    if not reference.startswith("data:"):
        reference = attachments.get(reference, "")
    header, comma, data = reference.partition(",")
    if not comma:
        return None
    if header.endswith(";base64"):
        try:
            return hashlib.blake2b(base64.b64decode(data), digest_size=16).hexdigest()
        except (binascii.Error, ValueError):
            pass
    return hashlib.blake2b(data.encode("utf-8", "backslashreplace"), digest_size=16).hexdigest()
