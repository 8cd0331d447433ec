"""A loaded dataset as items: ids as the dataset gives them, fingerprints, where media lie.

Local media files are read; nothing is fetched.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evaltui.logs.attempt import Item
from evaltui.logs.content import content_fingerprint, media_references, strict_fingerprint

if TYPE_CHECKING:
    from inspect_ai.dataset import Sample
    from inspect_ai.model import ChatMessage

PREVIEW = 200


def items_of(samples: Sequence[Sample]) -> tuple[Item, ...]:
    """One item for each sample, in the dataset's order. Changes nothing."""
    return tuple(_item(sample) for sample in samples)


def _item(sample: Sample) -> Item:
    question = _plain_input(sample.input)
    content = content_fingerprint(
        question, _plain(sample.target), sample.choices, _local_media(question)
    )
    strict = strict_fingerprint(
        content.content, _plain(sample.metadata), sample.files, sample.setup
    )
    return Item(
        id=sample.id,
        content=content.content,
        strict=strict,
        preview=_preview(sample.input),
        media=content.media,
    )


def _plain_input(input: str | list[ChatMessage]) -> Any:
    if isinstance(input, str):
        return input
    return [message.model_dump(mode="json", exclude_none=True) for message in input]


def _plain(value: Any) -> Any:
    from pydantic_core import to_jsonable_python

    # what JSON has no form for is told by its type: its text would name a place in memory
    return to_jsonable_python(value, fallback=lambda each: f"<{type(each).__qualname__}>")


def _local_media(question: Any) -> Mapping[str, str]:
    """Data URIs of the media files that an input names and that are here, by their names."""
    found: dict[str, str] = {}
    for reference in media_references(question):
        path = Path(reference.removeprefix("file://"))
        try:
            data = path.read_bytes()
        except (OSError, ValueError):  # a URL, or a file that the task will miss as well
            continue
        found[reference] = f"data:;base64,{base64.b64encode(data).decode()}"
    return found


def _preview(input: str | list[ChatMessage]) -> str:
    if isinstance(input, str):
        return input[:PREVIEW]
    last = next((each for each in reversed(input) if each.role == "user"), None)
    return last.text[:PREVIEW] if last is not None else ""
