"""What the reuse rules ask of a log: its samples with their fingerprints, and how they came about.

Only forms: `history.py` joins them from logs and stored fingerprints, `reuse` judges them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import msgspec

from evaltui.logs.attempt import SampleId

SampleState = Literal["clean", "errored", "cancelled", "invalidated"]


class Made(msgspec.Struct, frozen=True, omit_defaults=True):
    """Under what a sample was made: fingerprints of the task file and of each scorer, limits."""

    source: str = ""
    scorers: Mapping[str, str] = {}
    limits: Mapping[str, Any] = {}


class LoggedSample(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True, gc=False):
    """One sample of one log.

    content, strict: fingerprints of what was asked; None where not known. made: None where the log
    is not evaltui's. limit: kind of the sample limit that stopped it. scores: names of its scores.
    graded: some model other than the evaluated one was called for it. seconds: wall time.
    """

    id: SampleId
    epoch: int
    state: SampleState = "clean"
    uuid: str | None = None
    content: str | None = None
    strict: str | None = None
    made: Made | None = None
    limit: str | None = None
    scores: tuple[str, ...] = ()
    tokens: int = 0
    seconds: float | None = None
    graded: bool = False


class LoggedLog(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """One log of a cell.

    created: ISO 8601 in UTC. size: of the whole dataset then; sample_ids: those its slice asked
    for, in their order; limit, shuffle, picked (by sample id): that slice. kept_samples: false
    where samples were not logged (`log_samples = false`). limits: sample limits by option name.
    """

    name: str
    created: str
    eval_id: str = ""
    status: str = "success"
    samples: tuple[LoggedSample, ...] = ()
    size: int | None = None
    sample_ids: tuple[SampleId, ...] | None = None
    limit: int | tuple[int, int] | None = None
    shuffle: bool | int | None = None
    picked: bool = False
    epochs: int = 1
    kept_samples: bool = True
    limits: Mapping[str, Any] = {}
    fail_on_error: bool | float | None = None

    @property
    def fingerprinted(self) -> bool:
        """Whether the content of every sample in it is known."""
        return all(sample.content is not None for sample in self.samples)
