"""What an engine asks of a worker and what the worker says: the files of one attempt.

The order (`attempt.json`) is written before the worker starts; the events (`events.jsonl`) are the
worker's alone. This module holds their form; it decides nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import msgspec

SampleId = int | str

Action = Literal["run", "merge", "rescore"]


class CellOrder(msgspec.Struct, frozen=True, omit_defaults=True):
    """The identity of the cell to run, as plain data (see `evaltui.cells.Cell`)."""

    key: str
    task_file: str
    task: str
    model: str
    task_args: Mapping[str, Any] = {}
    solver: str | None = None
    solver_args: Mapping[str, Any] = {}
    model_args: Mapping[str, Any] = {}
    model_config: Mapping[str, Any] = {}
    base_url: str | None = None
    model_roles: Mapping[str, Any] = {}


class Rules(msgspec.Struct, frozen=True, omit_defaults=True):
    """What decides which samples run: the slice, the epochs, and what may be reused.

    sample_id: narrowed to the task already; () asks for none.
    rerun: true for a rerun that the engine started by itself, which never pays again for a clean
    sample whose content differs.
    since: when the run began that this attempt belongs to (ISO 8601, UTC, whole seconds): logs made
    from then on are its own. With `reuse = "none"` those alone are drawn on.
    """

    epochs: int | None = None
    limit: int | tuple[int, int] | None = None
    sample_id: tuple[SampleId, ...] | None = None
    sample_shuffle: bool | int | None = None
    reuse: Literal["content", "id", "none"] = "content"
    retry_errors: bool = False
    sample_limits: Mapping[str, Any] = {}
    rerun: bool = False
    since: str | None = None


class Verdict(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """What becomes of one sample: see the words in the design."""

    id: SampleId
    epoch: int
    verdict: Literal["reuse", "tolerated", "run"]
    reason: str | None = None
    log: str | None = None
    """Name of the log that holds the sample kept, or its last errored record."""
    note: str | None = None


class Order(msgspec.Struct, frozen=True, omit_defaults=True):
    """One attempt, whole: a worker needs this file and the log directory, nothing else.

    settings: arguments of `eval()` by name, shares of the host's and lane's limits included.
    logs: the cell's logs, best first, by name in the log directory.
    verdicts: what the plan said; None leaves it to the worker (nothing was planned before).
    rescore_all: a person asked to score again, so what today's scorers scored is scored again too.
    """

    version: int
    attempt: str
    number: int
    reason: str
    action: Action
    cell: CellOrder
    root: str
    log_dir: str
    eval_set_id: str
    settings: Mapping[str, Any] = {}
    rules: Rules = Rules()
    epochs_reducer: tuple[str, ...] | Literal[False] | None = None
    fail_on_error: bool | float | None = None
    error_rule: Literal["more-than", "at-least"] = "more-than"
    logs: tuple[str, ...] = ()
    verdicts: tuple[Verdict, ...] | None = None
    rescore_all: bool = False


class LoadOrder(msgspec.Struct, frozen=True, omit_defaults=True):
    """Load one task to see its items; no model is made and nothing is run."""

    version: int
    load: str
    root: str
    log_dir: str
    task_file: str
    task: str
    task_args: Mapping[str, Any] = {}
    solver: str | None = None
    solver_args: Mapping[str, Any] = {}
    fingerprint_logs: tuple[str, ...] = ()
    """Logs whose samples have no stored fingerprints yet: they are read and theirs are stored."""


class RecoverOrder(msgspec.Struct, frozen=True, omit_defaults=True):
    """Bring back the finished samples of crashed logs: from the log and Inspect's sample buffer.

    logs: names in the log directory; those whose writer still runs are left alone.
    """

    version: int
    recovery: str
    log_dir: str
    logs: tuple[str, ...]


class RecoveredLog(msgspec.Struct, frozen=True, omit_defaults=True):
    """samples: finished ones that came back from the buffer. error: why nothing was changed."""

    log: str
    samples: int = 0
    error: str | None = None


class Recovery(msgspec.Struct, frozen=True, omit_defaults=True):
    """What came of a `RecoverOrder`; one entry a log, in its order."""

    version: int
    logs: tuple[RecoveredLog, ...] = ()


# --- events -------------------------------------------------------------------------------------


class _Event(msgspec.Struct, frozen=True, omit_defaults=True, tag_field="event", kw_only=True):
    t: float
    """Seconds since the epoch, on the worker's clock."""


class Started(_Event, frozen=True, tag="started"):
    attempt: str
    pid: int
    host: str


class Loaded(_Event, frozen=True, tag="loaded"):
    """samples: wanted dataset items; total: samples x epochs wanted; the rest as resolved.

    sandbox: the kind that its samples run in, if they do.
    """

    samples: int
    epochs: int
    total: int
    scorers: tuple[str, ...] = ()
    limits: Mapping[str, Any] = {}
    tolerates: float | None = None
    task_version: int | str = 0
    config: Mapping[str, Any] = {}
    solver: str | None = None
    growing: bool = False
    sandbox: str | None = None


class Reuse(_Event, frozen=True, tag="reuse"):
    """Counts of samples by verdict (`reuse`, `tolerated`) and by reason to run."""

    counts: Mapping[str, int]
    remapped: int = 0


class SampleStart(_Event, frozen=True, tag="sample_start"):
    id: SampleId
    epoch: int


class SampleEnd(_Event, frozen=True, tag="sample_end"):
    """retries: sample retries inside this attempt; limit: the sample limit that stopped it."""

    id: SampleId
    epoch: int
    uuid: str | None = None
    scores: Mapping[str, Any] = {}
    error: str | None = None
    limit: str | None = None
    cancelled: bool = False
    retries: int = 0
    seconds: float | None = None
    tokens: int = 0
    reused: bool = False


class ModelRetry(_Event, frozen=True, tag="model_retry"):
    """model: as Inspect names it there, which is without its provider."""

    model: str
    wait: float
    attempt: int = 0
    status: int | None = None
    error: str | None = None


class ModelCalls(_Event, frozen=True, tag="model_calls"):
    """calls: model -> answers since the last such event, of models other than the cell's own."""

    calls: Mapping[str, int]


class LogPath(_Event, frozen=True, tag="log"):
    path: str


EndStatus = Literal["success", "error", "cancelled", "replan", "held", "blocked", "refused"]
"""replan: the load differed from the plan, nothing was called. held: the data differ at each load.
blocked: a person has to act first (a missing key, a task that does not load). refused: the order
itself can't be carried out."""


class Ended(_Event, frozen=True, tag="ended"):
    """metrics: scorer -> metric -> value, of the log that was written."""

    status: EndStatus
    error: str | None = None
    log: str | None = None
    metrics: Mapping[str, Mapping[str, float]] = {}
    errored: int = 0
    completed: int = 0


Event = (
    Started | Loaded | Reuse | SampleStart | SampleEnd | ModelRetry | ModelCalls | LogPath | Ended
)


# --- what a load shows --------------------------------------------------------------------------


class Item(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """One dataset item in its place: its id as the dataset gives it, and its fingerprints.

    content: of input, target, choices; strict: of metadata, files and setup too.
    preview: the beginning of the input, at most 200 characters, for people to recognise it.
    """

    id: SampleId | None
    content: str
    strict: str | None = None
    preview: str = ""
    media: bool = False


class LoadedTask(msgspec.Struct, frozen=True, omit_defaults=True):
    """What loading a task showed. `error` set: it did not load, and why in one sentence."""

    version: int
    task_file: str
    task: str
    task_args: Mapping[str, Any] = {}
    solver: str | None = None
    solver_args: Mapping[str, Any] = {}
    error: str | None = None
    items: tuple[Item, ...] = ()
    shuffled: bool = False
    epochs: int = 1
    epochs_reducer: tuple[str, ...] = ()
    scorers: tuple[str, ...] = ()
    scorer_sources: Mapping[str, str] = {}
    """Scorer name -> fingerprint of its source and parameters."""
    source: str = ""
    """Fingerprint of the task file."""
    limits: Mapping[str, Any] = {}
    fail_on_error: bool | float | None = None
    task_version: int | str = 0
    config: Mapping[str, Any] = {}
    sandbox: str | None = None
    name: str = ""
    """The registry name under which Inspect logs the task."""
