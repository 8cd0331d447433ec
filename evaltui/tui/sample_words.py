"""One sample in lines: what was asked, answered and scored, and what went wrong. Pure."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from evaltui.text import count, duration
from evaltui.tui.picture import SampleLine
from evaltui.tui.runs import Cell, cell
from evaltui.tui.telling import score_text

LONGEST = 20_000
"""Characters of one part that are shown; a whole record can be megabytes."""

_LABEL = 10


def known_lines(line: SampleLine) -> list[Cell]:
    """What events told of it."""
    facts = [f"{line.fate}"]
    if line.seconds is not None:
        facts.append(duration(line.seconds))
    if line.tokens:
        facts.append(f"{count(line.tokens)} tokens")
    if line.retries:
        facts.append(f"{line.retries} tries before")
    lines = [_fact("state", ", ".join(facts))]
    if line.scores:
        lines.append(_fact("score", score_text(line.scores), "strong"))
    if line.limit:
        lines.append(_fact("limit", f"stopped by its {line.limit} limit", "changed"))
    if line.error:
        lines += [(), cell("ERROR", "header"), *_text(line.error, "fail")]
    return lines


def record_lines(record: Mapping[str, Any], line: SampleLine) -> list[Cell]:
    """The sample as the log holds it. record: as in `samples/….json`."""
    lines = [each for each in known_lines(line) if not line.error or each[:1] != ()]
    lines = lines[: next((n for n, each in enumerate(lines) if not each), len(lines))]
    lines += _part("ASKED", _content(record.get("input")))
    choices = record.get("choices")
    if isinstance(choices, Sequence) and not isinstance(choices, str) and choices:
        named = [f"{chr(65 + n)}) {choice}" for n, choice in enumerate(choices)]
        lines += _part("CHOICES", "\n".join(named))
    lines += _part("TARGET", _content(record.get("target")))
    lines += _part("ANSWER", _answer(record))
    for name, score in (record.get("scores") or {}).items():
        if isinstance(score, Mapping):
            said = [f"{_short(score.get('value'))}"]
            if score.get("explanation"):
                said.append(str(score["explanation"]))
            lines += _part(f"SCORE {name}", "\n".join(said))
    error = record.get("error")
    if isinstance(error, Mapping) and line.fate != "cancelled":
        text = error.get("traceback") or error.get("message") or ""
        lines += _part("ERROR", str(text), "fail")
    for n, retry in enumerate(record.get("error_retries") or (), 1):
        if isinstance(retry, Mapping):
            lines += _part(f"TRY {n} ENDED WITH", str(retry.get("message") or ""), "wait")
    messages = record.get("messages")
    if isinstance(messages, Sequence):
        lines += _part(f"{len(messages)} MESSAGES", _messages(messages))
    metadata = record.get("metadata")
    if metadata:
        lines += _part("METADATA", _short(metadata))
    return lines


def wrapped(lines: Sequence[Cell], width: int) -> list[Cell]:
    """The lines, long ones of a single piece of text broken at `width`."""
    return [part for line in lines for part in _wrapped(line, width)]


def _wrapped(line: Cell, width: int) -> Iterator[Cell]:
    if len(line) != 1 or len(line[0][0]) <= width:
        yield line
        return
    text, token = line[0]
    parts = textwrap.wrap(
        text, width, replace_whitespace=False, drop_whitespace=True, break_on_hyphens=False
    )
    for part in parts:
        yield ((part, token),)


def _fact(label: str, text: str, token: str = "text") -> Cell:
    return ((f"{label:<{_LABEL}}", "muted"), (text, token))


def _part(title: str, text: str, token: str = "text") -> list[Cell]:
    if not text:
        return []
    return [(), cell(title, "header"), *_text(text, token)]


def _text(text: str, token: str) -> list[Cell]:
    lines = [cell(part, token) for part in text[:LONGEST].splitlines()]
    if len(text) > LONGEST:
        lines.append(cell(f"and {count(len(text) - LONGEST)} characters more", "muted"))
    return lines


def _answer(record: Mapping[str, Any]) -> str:
    output = record.get("output")
    choices = output.get("choices") if isinstance(output, Mapping) else None
    if not isinstance(choices, Sequence) or not choices or not isinstance(choices[0], Mapping):
        return ""
    message = choices[0].get("message")
    return _content(message.get("content")) if isinstance(message, Mapping) else ""


def _messages(messages: Sequence[Any]) -> str:
    said = []
    for message in messages:
        if isinstance(message, Mapping):
            said.append(f"[{message.get('role')}] {_content(message.get('content'))}")
    return "\n".join(said)


def _content(value: Any) -> str:
    """Text of an input or a message; of parts that are no text, their kind."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        if "role" in value:
            return f"[{value['role']}] {_content(value.get('content'))}"
        if "text" in value:
            return str(value["text"])
        return f"({value.get('type', 'part')})"
    if isinstance(value, Sequence):
        return "\n".join(_content(part) for part in value)
    return str(value)


def _short(value: Any) -> str:
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, default=str)
