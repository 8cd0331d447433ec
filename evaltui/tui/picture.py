"""What the screen shows, whole: an immutable picture of one set at one moment. Pure, only forms.

Widgets and selectors read pictures and nothing else; `view` makes them.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from evaltui.engine.state import SetState

if TYPE_CHECKING:
    from evaltui.cells import Cell, Problem
    from evaltui.discovery import Discovery
    from evaltui.logs.attempt import ModelRetry, Verdict
    from evaltui.logs.records import LogFile
    from evaltui.plan import CellPlan, Plan
    from evaltui.spec import SetSpec

EngineAt = Literal["none", "here", "elsewhere"]

Rests = Literal["nothing", "headers", "samples"]
"""What a plan rests on so far: no log was read, their headers, or their samples too."""

SampleFate = Literal["running", "done", "errored", "kept", "cancelled", "queued"]


class SampleLine(msgspec.Struct, frozen=True, gc=False):
    """One sample of one attempt as far as it has come. seconds: wall time. at: unix seconds.

    error: what it failed with; that it was cancelled is a fate, whatever Inspect logs of that.
    (A cell may have 100,000 of them: made quickly, and nothing for the collector.)
    """

    id: int | str
    epoch: int
    fate: SampleFate
    reason: str = ""
    error: str | None = None
    limit: str | None = None
    retries: int = 0
    seconds: float | None = None
    tokens: int = 0
    scores: Mapping[str, Any] = {}
    at: float | None = None

    @property
    def key(self) -> str:
        return f"{self.id}\x00{self.epoch}"


class AttemptLine(msgspec.Struct, frozen=True):
    """One attempt of a cell, or a log that no attempt of evaltui's wrote (name empty).

    status: `running`, the worker's last word, or `crashed`; of a log, Inspect's status.
    began, ended: unix seconds.
    """

    name: str
    number: int
    reason: str
    status: str
    began: float | None = None
    ended: float | None = None
    error: str | None = None
    log: str | None = None
    then: str = ""
    """What followed from its end, in a few words."""

    @property
    def key(self) -> str:
        return self.name or f"log:{self.log}"


class ErrorGroup(msgspec.Struct, frozen=True):
    """Errors of one kind. key: the message without its numbers and addresses. text: the first."""

    key: str
    text: str
    times: int


class CellStory(msgspec.Struct, frozen=True):
    """All that is told of one cell. `attempt` is the one whose samples and output are told.

    keys, errors, alike: of the samples, worked out where they are read, since there may be 100,000.
    alike: fields in which all of them say the same.
    """

    cell: str
    attempts: tuple[AttemptLine, ...] = ()
    attempt: str | None = None
    samples: tuple[SampleLine, ...] = ()
    keys: tuple[str, ...] = ()
    errors: tuple[ErrorGroup, ...] = ()
    alike: tuple[str, ...] = ()
    verdicts: tuple[Verdict, ...] = ()
    retries: tuple[ModelRetry, ...] = ()
    output: tuple[str, ...] = ()
    trouble: str = ""


class Picture(msgspec.Struct, frozen=True):
    """A set at one moment.

    state: with the provisional plan laid over it while nobody minds the set. spec: as written, or
    what the logs stand for (written is false then), None for an empty directory. trouble: why the
    spec can't be read. said: the last word of the engine of this process, in a sentence.
    plan: what a resume would do; None until it was made. rests: on what it was made. checking:
    tasks being loaded for it. found: tasks under root, None until they were looked for.
    """

    log_dir: Path
    root: Path
    state: SetState = msgspec.field(default_factory=SetState)
    spec: SetSpec | None = None
    written: bool = False
    ready: bool = False
    """Whether the directory was looked at yet."""
    problems: tuple[Problem, ...] = ()
    trouble: str = ""
    engine: EngineAt = "none"
    said: str = ""
    plan: Plan | None = None
    rests: Rests = "nothing"
    checking: int = 0
    logs: Mapping[str, LogFile] = msgspec.field(default_factory=dict)
    found: Discovery | None = None
    story: CellStory | None = None

    @property
    def settings(self) -> Mapping[str, Any]:
        return self.spec.settings if self.spec else {}

    @property
    def cells(self) -> tuple[Cell, ...]:
        """In spec order."""
        return tuple(each.cell for each in self.state.cells.values())

    @property
    def checked(self) -> bool:
        """Whether every cell's plan is what would run, sample for sample."""
        return self.plan is not None and all(
            cell.checked or not cell.logs for cell in self.plan.cells
        )

    def plan_of(self, key: str) -> CellPlan | None:
        """The plan of one cell."""
        if self.plan is None:
            return None
        return next((cell for cell in self.plan.cells if cell.key == key), None)


class Preview(msgspec.Struct, frozen=True):
    """What a change of the spec would lead to; nothing of it is written.

    added, removed: cells against the set as it is. trouble: why the change can't be made.
    before: the plan as it is now, for a comparison.
    """

    spec: SetSpec
    cells: tuple[Cell, ...]
    plan: Plan
    before: Plan
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()
    trouble: str = ""
