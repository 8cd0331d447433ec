"""What the dataset gave for a sample that is in no log yet: from the beginning of its transcript.

Forms and one pure function.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from evaltui.logs.attachments import resolve_attachments
from evaltui.logs.records import SampleHead
from evaltui.logs.wire import WireSample


class Given(msgspec.Struct):
    input: str | list[Any] = ""
    target: str | list[str] = ""
    choices: list[str] | None = None


class BufferedEvent(msgspec.Struct):
    """As much of an event as tells what was given; one of the first of a transcript does."""

    sample: Given | None = None


def given_head(
    row: WireSample, events: Iterable[BufferedEvent], attachments: Mapping[str, str]
) -> SampleHead | None:
    """The head of a sample; None where none of `events` says what was given."""
    given = next((event.sample for event in events if event.sample), None)
    if given is None:
        return None
    content = resolve_attachments(given.input, attachments)
    return SampleHead(
        id=row.id, epoch=row.epoch, input=content, target=given.target, choices=given.choices
    )
