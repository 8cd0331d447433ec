"""Which finished samples may be kept, by what they asked. Pure: no files, no clock.

`decide` is the one function that decides; the rest is what callers need to ask it and to carry out
what it says.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evaltui.logs.content import (
        Fingerprint,
        content_fingerprint,
        media_references,
        same_content,
        strict_fingerprint,
    )
    from evaltui.reuse.deciding import decide, drawn_on
    from evaltui.reuse.decision import Decision, SampleRef, Source
    from evaltui.reuse.recording import attempt_fingerprints
    from evaltui.reuse.slices import narrow_sample_ids, slice_items
    from evaltui.reuse.tolerance import tolerated_errors

_FROM = {
    "Decision": "evaltui.reuse.decision",
    "Fingerprint": "evaltui.logs.content",
    "SampleRef": "evaltui.reuse.decision",
    "Source": "evaltui.reuse.decision",
    "attempt_fingerprints": "evaltui.reuse.recording",
    "content_fingerprint": "evaltui.logs.content",
    "decide": "evaltui.reuse.deciding",
    "drawn_on": "evaltui.reuse.deciding",
    "media_references": "evaltui.logs.content",
    "narrow_sample_ids": "evaltui.reuse.slices",
    "same_content": "evaltui.logs.content",
    "slice_items": "evaltui.reuse.slices",
    "strict_fingerprint": "evaltui.logs.content",
    "tolerated_errors": "evaltui.reuse.tolerance",
}


def __getattr__(name: str) -> Any:
    """Imported where it is used: the tolerance rule alone is no reason to load all the others."""
    if name not in _FROM:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_FROM[name]), name)


__all__ = [
    "Decision",
    "Fingerprint",
    "SampleRef",
    "Source",
    "attempt_fingerprints",
    "content_fingerprint",
    "decide",
    "drawn_on",
    "media_references",
    "narrow_sample_ids",
    "same_content",
    "slice_items",
    "strict_fingerprint",
    "tolerated_errors",
]
