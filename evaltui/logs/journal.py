"""The journal's entries: every decision of an engine, appended before anything depends on it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import msgspec

Level = Literal["info", "warning", "error"]


class _Entry(msgspec.Struct, frozen=True, omit_defaults=True, tag_field="entry", kw_only=True):
    t: float
    """Seconds since the epoch, on the engine's clock."""


class EngineStarted(_Entry, frozen=True, tag="engine_started"):
    pid: int
    host: str
    detached: bool = False


class EngineStopped(_Entry, frozen=True, tag="engine_stopped"):
    """state: how the set stood when the engine let go of it."""

    state: Literal["complete", "incomplete", "cancelled", "handed_over"]


class SpecRead(_Entry, frozen=True, tag="spec_read"):
    """The spec the engine works by from here on: keys of its cells in spec order."""

    cells: tuple[str, ...]


class SpecBroken(_Entry, frozen=True, tag="spec_broken"):
    """An edit of the spec that can't be read; the one before it stays in force."""

    message: str
    line: int | None = None
    column: int | None = None


class Planned(_Entry, frozen=True, tag="planned"):
    """A cell's plan in numbers: samples by verdict, and by reason to run."""

    cell: str
    action: str
    total: int
    reuse: int = 0
    tolerated: int = 0
    run: int = 0
    reasons: Mapping[str, int] = {}
    notes: tuple[str, ...] = ()
    log: str | None = None
    metrics: Mapping[str, Mapping[str, float]] = {}
    blocked: str | None = None


class Launched(_Entry, frozen=True, tag="launched"):
    """counts: running cells by lane at the time of the pick, which decided it."""

    cell: str
    attempt: str
    number: int
    reason: str
    action: str = "run"
    counts: Mapping[str, int] = {}
    pid: int | None = None


class AttemptEnded(_Entry, frozen=True, tag="attempt_ended"):
    """status: the worker's, or `crashed`. errors: error message -> how many samples."""

    cell: str
    attempt: str
    status: str
    error: str | None = None
    log: str | None = None
    errors: Mapping[str, int] = {}
    gained: int = 0
    metrics: Mapping[str, Mapping[str, float]] = {}


class RerunScheduled(_Entry, frozen=True, tag="rerun_scheduled"):
    """due: unix seconds; failures: how often the cell has failed in a row."""

    cell: str
    due: float
    failures: int


class Failed(_Entry, frozen=True, tag="failed"):
    """No further rerun by itself. why: `attempts` (used up) or `stuck`."""

    cell: str
    why: Literal["attempts", "stuck"]
    message: str


class Blocked(_Entry, frozen=True, tag="blocked"):
    cell: str
    reason: str


class Completed(_Entry, frozen=True, tag="completed"):
    cell: str
    log: str | None
    metrics: Mapping[str, Mapping[str, float]] = {}
    samples: int = 0
    errored: int = 0


class Cancelled(_Entry, frozen=True, tag="cancelled"):
    cell: str


class Held(_Entry, frozen=True, tag="held"):
    """target: a cell's key, a lane's model name, or `set`.

    automatic: the engine's own, which lasts until a person starts the set again or edits its rules.
    log: a log of the cell that could not be recovered; such a hold lasts until it can be, or is
    gone, or a person lets the cell go on without it.
    """

    scope: Literal["cell", "lane", "set"]
    target: str
    reason: str = ""
    automatic: bool = False
    log: str | None = None


class Released(_Entry, frozen=True, tag="released"):
    """automatic: by the engine, since what it held for is over; else a person's word."""

    scope: Literal["cell", "lane", "set"]
    target: str
    automatic: bool = False


class Dropped(_Entry, frozen=True, tag="dropped"):
    """A waiting rerun that a person gave up."""

    cell: str


class LaneWaits(_Entry, frozen=True, tag="lane_waits"):
    """The lane breaker opened (waits true) or closed."""

    lane: str
    waits: bool
    message: str = ""


class CommandTaken(_Entry, frozen=True, tag="command"):
    """A command from the inbox and what came of it, in a sentence."""

    id: str
    command: str
    cells: tuple[str, ...] = ()
    arguments: Mapping[str, Any] = {}
    outcome: str = ""
    refused: bool = False


class Trashed(_Entry, frozen=True, tag="trashed"):
    """A superseded log that was moved to the trash under the name `trash`."""

    cell: str
    log: str
    trash: str
    kept_in: str = ""


class Restored(_Entry, frozen=True, tag="restored"):
    log: str
    trash: str


class Recovered(_Entry, frozen=True, tag="recovered"):
    """Samples of a crashed attempt that were brought back from its log and sample buffer."""

    cell: str
    attempt: str
    log: str
    samples: int


class Message(_Entry, frozen=True, tag="message"):
    """What happened, what it means, what to do; for the message line and plain output."""

    text: str
    level: Level = "info"


Entry = (
    EngineStarted
    | EngineStopped
    | SpecRead
    | SpecBroken
    | Planned
    | Launched
    | AttemptEnded
    | RerunScheduled
    | Failed
    | Blocked
    | Completed
    | Cancelled
    | Held
    | Released
    | Dropped
    | LaneWaits
    | CommandTaken
    | Trashed
    | Restored
    | Recovered
    | Message
)


# --- the inbox ----------------------------------------------------------------------------------

CommandName = Literal[
    "cancel",
    "rerun",
    "hold",
    "release",
    "drop",
    "retry_errors",
    "resume",
    "quit",
    "stop",
    "restore",
    "rescore",
    "replan",
]
"""quit: let go of the set, workers run on. stop: cancel the whole set. resume: start what the plan
says. Amendments are edits of the spec, which is watched, and not commands."""


class Command(msgspec.Struct, frozen=True, omit_defaults=True):
    """One file of the inbox. cells: keys; scope `lane` names models in `cells` instead."""

    version: int
    id: str
    command: CommandName
    cells: tuple[str, ...] = ()
    scope: Literal["cell", "lane", "set"] = "cell"
    arguments: Mapping[str, Any] = {}
