"""Which finished samples may be kept, by what they asked. Pure: no files, no clock.

`decide` is the one function that decides; the rest is what callers need to ask it and to carry out
what it says.
"""

from evaltui.logs.content import (
    Fingerprint,
    content_fingerprint,
    media_references,
    same_content,
    strict_fingerprint,
)
from evaltui.reuse.deciding import decide
from evaltui.reuse.decision import Decision, SampleRef, Source
from evaltui.reuse.recording import attempt_fingerprints
from evaltui.reuse.slices import narrow_sample_ids, slice_items
from evaltui.reuse.tolerance import tolerated_errors

__all__ = [
    "Decision",
    "Fingerprint",
    "SampleRef",
    "Source",
    "attempt_fingerprints",
    "content_fingerprint",
    "decide",
    "media_references",
    "narrow_sample_ids",
    "same_content",
    "slice_items",
    "strict_fingerprint",
    "tolerated_errors",
]
