"""References from a logged sample to its attachments, where large or repeated content stands.

Pure functions over decoded JSON.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

REFERENCES = ("attachment://", "tc://")  # the second in old logs


def refers_to_attachments(value: Any) -> bool:
    if isinstance(value, str):
        return value.startswith(REFERENCES)
    if isinstance(value, dict):
        return any(map(refers_to_attachments, value.values()))
    return isinstance(value, list) and any(map(refers_to_attachments, value))


def resolve_attachments(value: Any, attachments: Mapping[str, str]) -> Any:
    """A copy of `value` with its references replaced by the attachments' content.

    A reference to an attachment that the log lacks stays.
    """
    if isinstance(value, str):
        if not value.startswith(REFERENCES):
            return value
        return attachments.get(value.partition("://")[2], value)
    if isinstance(value, dict):
        return {key: resolve_attachments(item, attachments) for key, item in value.items()}
    if isinstance(value, list):
        return [resolve_attachments(item, attachments) for item in value]
    return value
