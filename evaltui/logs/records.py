"""What is read from Inspect's logs, as plain immutable records. Only forms, no reading.

Fields have the names of Inspect's JSON; a field that a log lacks has its default. Mappings typed
`Mapping[str, Any]` are as the log has them, keys with null left out. Times are ISO 8601 in UTC.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import msgspec

SampleId = int | str
SampleKey = tuple[str, int]
"""(id as a string, epoch): what Inspect tells the samples of one log apart by."""


class Usage(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """Tokens; total_cost in dollars where Inspect knew the prices."""

    input_tokens: int = 0
    output_tokens: int = 0
    total_tokens: int = 0
    input_tokens_cache_write: int | None = None
    input_tokens_cache_read: int | None = None
    reasoning_tokens: int | None = None
    total_cost: float | None = None


class Dataset(msgspec.Struct, frozen=True, omit_defaults=True):
    """samples: size of the whole dataset. sample_ids: those the slice asked for."""

    name: str | None = None
    location: str | None = None
    samples: int | None = None
    sample_ids: tuple[SampleId, ...] | None = None
    shuffled: bool | None = None


class Scorer(msgspec.Struct, frozen=True, omit_defaults=True):
    name: str
    options: Mapping[str, Any] | None = None
    metrics: Any = None
    metadata: Mapping[str, Any] | None = None


class Metric(msgspec.Struct, frozen=True, omit_defaults=True):
    name: str
    value: int | float
    group: str | None = None
    params: Mapping[str, Any] | None = None


class ScoreResult(msgspec.Struct, frozen=True, omit_defaults=True):
    """One score's metrics; a scorer that returns several values has one of these for each."""

    name: str
    scorer: str
    reducer: str | None = None
    scored_samples: int | None = None
    unscored_samples: int | None = None
    params: Mapping[str, Any] | None = None
    metrics: Mapping[str, Metric] = {}


class Results(msgspec.Struct, frozen=True, omit_defaults=True):
    """total_samples: samples x epochs planned; completed_samples: those without an error.

    logged_samples: those the log really holds, where a drain left some out.
    """

    total_samples: int = 0
    completed_samples: int = 0
    logged_samples: int | None = None
    scores: tuple[ScoreResult, ...] = ()
    headline: Mapping[str, Any] | None = None
    metadata: Mapping[str, Any] | None = None


class Stats(msgspec.Struct, frozen=True, omit_defaults=True):
    """started_at, completed_at: empty before. model_usage adds up over reruns in one log."""

    started_at: str = ""
    completed_at: str = ""
    model_usage: Mapping[str, Usage] = {}


class LogHeader(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """One log without its samples.

    status: `started` (running, or killed), `success`, `error` or `cancelled`.
    error: the message of what ended the run. config: Inspect's `EvalConfig`. results: None until
    the run ends. tags and metadata: as later edits left them. invalidated: some samples are.
    config_updates: changes made while it ran.
    """

    task: str
    model: str
    created: str
    eval_id: str
    run_id: str = ""
    task_id: str = ""
    eval_set_id: str | None = None
    task_version: int | str = 0
    task_file: str | None = None
    task_display_name: str | None = None
    task_registry_name: str | None = None
    task_attribs: Mapping[str, Any] = {}
    task_args: Mapping[str, Any] = {}
    task_args_passed: Mapping[str, Any] = {}
    solver: str | None = None
    solver_args: Mapping[str, Any] | None = None
    solver_args_passed: Mapping[str, Any] = {}
    model_generate_config: Mapping[str, Any] = {}
    model_base_url: str | None = None
    model_args: Mapping[str, Any] = {}
    model_roles: Mapping[str, Any] | None = None
    config: Mapping[str, Any] = {}
    dataset: Dataset = Dataset()
    sandbox: Any = None
    scorers: tuple[Scorer, ...] | None = None
    revision: Mapping[str, Any] | None = None
    packages: Mapping[str, str] = {}
    plan: Mapping[str, Any] = {}

    version: int = 2
    status: str = "started"
    error: str | None = None
    results: Results | None = None
    stats: Stats = Stats()
    invalidated: bool = False
    tags: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = {}
    config_updates: tuple[Mapping[str, Any], ...] = ()


class SampleSummary(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True, gc=False):
    """One finished sample in a line. (A set has 100,000s of them: the collector need not look.)

    input: the beginning of its text, media as `(Image)` and the like. scores: score -> value.
    error: the message that ended it. limit: kind of the sample limit that stopped it.
    retries: sample retries before this outcome. times in seconds.
    """

    id: SampleId
    epoch: int
    uuid: str | None = None
    error: str | None = None
    limit: str | None = None
    retries: int = 0
    completed: bool = True
    invalidated: bool = False
    scores: Mapping[str, Any] = {}
    model_usage: Mapping[str, Usage] = {}
    role_usage: Mapping[str, Usage] = {}
    total_time: float | None = None
    working_time: float | None = None
    started_at: str | None = None
    completed_at: str | None = None
    message_count: int | None = None
    turn_count: int | None = None
    input: str = ""
    target: str | tuple[str, ...] = ""
    choices: tuple[str, ...] | None = None
    metadata: Mapping[str, Any] = {}

    @property
    def key(self) -> SampleKey:
        return str(self.id), self.epoch

    @property
    def clean(self) -> bool:
        """Finished without an error, and nobody has invalidated it."""
        return self.error is None and not self.invalidated

    @property
    def cancelled(self) -> bool:
        """Stopped from outside while it ran; Inspect logs that as an error."""
        return self.error is not None and self.error.startswith("CancelledError")

    @property
    def tokens(self) -> int:
        return sum(usage.total_tokens for usage in self.model_usage.values())


class SampleHead(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """What the dataset gave for one sample, as logged: text, or messages as mappings.

    Attachments are resolved; media that the log was told to leave out are still left out.
    """

    id: SampleId
    epoch: int
    input: str | list[Any]
    target: str | list[str] = ""
    choices: list[str] | None = None

    @property
    def key(self) -> SampleKey:
        return str(self.id), self.epoch


class LogFile(msgspec.Struct, frozen=True):
    """One file of a log directory. `header` is None exactly when `reason` says why in a sentence.

    size in bytes. finished: its run ended and wrote the header it ends with; else it is running or
    was killed.
    """

    path: Path
    size: int
    mtime_ns: int
    header: LogHeader | None = None
    reason: str | None = None
    finished: bool = False

    @property
    def name(self) -> str:
        return self.path.name

    @property
    def format(self) -> Literal["eval", "json"]:
        return "json" if self.path.suffix == ".json" else "eval"
