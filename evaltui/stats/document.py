"""The forms of what is found about scores, and of the document that reports them. Nothing is
computed here and no library is loaded, so that the app may read what a process of its own found.

    {"version": 1, "log_dir": str,
     "rows": [                         one for each cell, scorer and epochs reducer
      {"key": str,                     equal for equal cells; join other documents by "log"
       "task": str, "task_file": str|null, "task_args": {}, "model": str, "config": {},
       "log": str,                     name of the log the row is taken from
       "logs": int,                    how many logs the cell has
       "status": "success"|"error"|"cancelled"|"started",
       "scorer": str|null,             null: the cell has no score yet, the counts hold all the same
       "reducer": str|null,            "mean" unless the epochs are reduced otherwise
       "value": float|null,            the mean score
       "interval": {"low", "high", "level", "method", "n", "groups", "effective_n"}|null,
       "stderr": float|null,           as Inspect's stderr() would give it
       "inspect": {metric: float},     what Inspect wrote in the log
       "planned", "scored", "errored", "errored_scored", "limited", "unscored", "not_run",
       "reused", "rerolled", "unreadable", "samples", "epochs": int,     see Denominators
       "bounds": [low, high]|null,     the value if all missing samples had failed, had passed
       "flags": ["shift", "share"],    either, both or none; see RetryShift
       "sentence": str|null,           the finding in one line when a flag is up
       "without_retries": float|null,  the value that would stand without retries
       "without_retries_interval": {as above}|null,
       "shifts": [{"level": "retry"|"rerun"|"any", "rerolled", "clean", "mean_rerolled",
                   "mean_clean", "difference", "low", "high", "p", "adjusted", "test",
                   "detectable"}],     "any" last
       "traits": [{"kind", "name", "value", "rerolled", "of_rerolled", "rest", "of_rest", "p"}]}],
     "skipped": [{"log": str, "reason": str}]}
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import msgspec

Level = Literal["retry", "rerun", "any"]
Flag = Literal["shift", "share"]


@dataclass(frozen=True, slots=True)
class Interval:
    """low..high covers the true mean in `level` of all repetitions.

    method: `wilson`, `t` or `bootstrap`; with epochs `clustered wilson` and so on.
    n: values it stands on; groups: distinct samples; effective_n: what n is worth when epochs of
    one sample say partly the same (equals n without epochs, None where it is not estimated).
    """

    low: float
    high: float
    level: float
    method: str
    n: int
    groups: int
    effective_n: float | None = None


@dataclass(frozen=True, slots=True)
class Shift:
    """Re-rolled samples of one level against those that ended at the first try.

    difference: mean of the re-rolled minus mean of the clean. low, high: its 95 % interval; None
    where there are too few ids for one and the score's range is not known.
    p: Fisher's exact test for 0/1 scores without epochs, else a permutation test that keeps the
    epochs of a sample together; adjusted: after Holm over the levels.
    detectable: the smallest true shift that this test finds with 80 % power; None: none.
    """

    level: Level
    rerolled: int
    clean: int
    mean_rerolled: float
    mean_clean: float
    difference: float
    low: float | None
    high: float | None
    p: float
    adjusted: float
    test: Literal["fisher", "permutation"]
    detectable: float | None


@dataclass(frozen=True, slots=True)
class Trait:
    """`rerolled` of `of_rerolled` re-rolled samples have it, and `rest` of `of_rest` others.

    kind: `error` (class of the error; rest is 0 of 0), `metadata` (name = value), or
    `input length` (value: the quartile, `1st` the shortest). p: Fisher's, after Holm; None for
    `error`, which only re-rolled samples have.
    """

    kind: Literal["error", "metadata", "input length"]
    name: str
    value: str
    rerolled: int
    of_rerolled: int
    rest: int
    of_rest: int
    p: float | None = None


class Denominators(msgspec.Struct, frozen=True, kw_only=True):
    """Counts of samples (an id in an epoch each). scored + missing = planned.

    errored: ended in an error; `errored_scored` of them are scored all the same.
    limited: stopped by a sample limit (mostly scored).
    unscored: ended without an error, but the scorer gave no value.
    reused: taken over from an earlier log. rerolled: had another try after an error.
    unreadable: scored with a text that stands for no number, counted as 0.
    not_run: planned, and neither scored, errored nor unscored (cancelled ones are here).
    samples: distinct ids among the scored; epochs: the highest epoch among them.
    """

    planned: int
    scored: int
    errored: int
    errored_scored: int
    limited: int
    unscored: int
    not_run: int
    reused: int
    rerolled: int
    unreadable: int
    samples: int
    epochs: int

    @property
    def missing(self) -> int:
        return self.planned - self.scored


class Row(Denominators, frozen=True, kw_only=True):
    """One score of one cell; the fields are those of the document."""

    key: str
    task: str
    task_file: str | None
    task_args: Mapping[str, Any]
    model: str
    config: Mapping[str, Any]
    log: str
    logs: int
    status: str
    scorer: str | None
    reducer: str | None
    value: float | None
    interval: Interval | None
    stderr: float | None
    inspect: Mapping[str, float | None]
    bounds: tuple[float, float] | None
    flags: tuple[str, ...]
    sentence: str | None
    without_retries: float | None
    without_retries_interval: Interval | None
    shifts: tuple[Shift, ...]
    traits: tuple[Trait, ...]


class Skipped(msgspec.Struct, frozen=True):
    log: str
    reason: str


class Report(msgspec.Struct, frozen=True):
    version: int
    log_dir: str
    rows: tuple[Row, ...]
    skipped: tuple[Skipped, ...] = ()
