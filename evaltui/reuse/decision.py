"""What the reuse rules decide for one cell: only forms."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Literal, NamedTuple

import msgspec

from evaltui.logs.attempt import SampleId, Verdict
from evaltui.logs.draws import Draw

SampleRef = tuple[SampleId, int]
"""(id in the dataset's type, epoch)."""


class Source(NamedTuple):
    """Where a record lies: log by name, and the id and epoch it has there.

    The id may differ from the one it is kept under: in its type, and, where the dataset gives no
    ids, in its number too.
    """

    log: str
    id: SampleId
    epoch: int
    uuid: str | None = None


class Decision(msgspec.Struct, frozen=True):
    """Verdicts for every sample asked for, and what an attempt needs to carry them out.

    ids: one for every item of the dataset, in the dataset's order. wanted: places of the items the
    slice asks for, in the order they run. verdicts: item by item, epochs within.
    kept: where each sample with verdict `reuse` lies. carried: the last errored record of samples
    that run again on unchanged content. rescore: kept samples that today's scorers did not score;
    mixed: the kept samples were scored by different scorers.
    logs: all of the cell, best first. complete_in: the finished log that holds every kept and
    tolerated sample; None where there is none. remapped: kept samples whose place changed.
    draw: to be stored before the attempt starts; None where nothing is new.
    held, blocked: why nothing may run by itself, or at all; the verdicts stand all the same.
    """

    ids: tuple[SampleId, ...] = ()
    wanted: tuple[int, ...] = ()
    epochs: int = 1
    verdicts: tuple[Verdict, ...] = ()
    kept: Mapping[SampleRef, Source] = msgspec.field(default_factory=dict)
    carried: Mapping[SampleRef, Source] = msgspec.field(default_factory=dict)
    rescore: frozenset[SampleRef] = frozenset()
    mixed: bool = False
    logs: tuple[str, ...] = ()
    complete_in: str | None = None
    remapped: int = 0
    notes: tuple[str, ...] = ()
    draw: Draw | None = None
    tolerates: int | None = 0
    held: str | None = None
    blocked: str | None = None

    @property
    def counts(self) -> Counter[str]:
        """Samples by verdict: `reuse`, `tolerated`, `run`."""
        return Counter(verdict.verdict for verdict in self.verdicts)

    @property
    def reasons(self) -> Counter[str]:
        """Samples to run by reason."""
        return Counter(verdict.reason for verdict in self.verdicts if verdict.reason is not None)

    @property
    def action(self) -> Literal["run", "merge", "rescore", "none", "held", "blocked"]:
        """What an attempt would do now. `rescore`: complete, but scored by different scorers."""
        if self.blocked is not None:
            return "blocked"
        if self.held is not None:
            return "held"
        if self.reasons:
            return "run"
        if self.kept and self.complete_in is None:
            return "merge"
        return "rescore" if self.mixed else "none"
