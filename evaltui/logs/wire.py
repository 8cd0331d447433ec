"""From the JSON in a log to the records: what older Inspect versions wrote is brought to one form.

Pure functions over bytes and decoded values; opening files is not done here.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from datetime import UTC, datetime
from math import nan
from typing import Any, TypeVar

import msgspec

from evaltui.logs.attachments import resolve_attachments
from evaltui.logs.records import (
    Dataset,
    LogHeader,
    Metric,
    Results,
    SampleHead,
    SampleId,
    SampleSummary,
    Scorer,
    ScoreResult,
    Stats,
    Usage,
)

T = TypeVar("T")
Raw = Mapping[str, Any]

UNDECODABLE = (ValueError, msgspec.MsgspecError, RecursionError)
"""What `decode` raises for content that is not of the form asked for."""

_PREVIEW = 500
_BASE57 = "23456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"


def decode(content: bytes, kind: type[T]) -> T:
    """Content as `kind`; one of UNDECODABLE when it isn't.

    Inspect writes NaN and Infinity, and older versions lone surrogates, which strict JSON forbids:
    such content takes the slower way.
    """
    try:
        return msgspec.json.decode(content, type=kind)
    except msgspec.DecodeError:
        return msgspec.convert(json.loads(content), type=kind)


# --- headers ------------------------------------------------------------------------------------


class _Named(msgspec.Struct):
    name: str
    params: Raw | None = None


class _Metric(msgspec.Struct):
    name: str
    value: int | float | None = None
    group: str | None = None
    params: Raw | None = None


class _ScoreResult(msgspec.Struct):
    name: str
    scorer: str | None = None
    reducer: str | None = None
    scored_samples: int | None = None
    unscored_samples: int | None = None
    params: Raw | None = None
    metrics: dict[str, _Metric] | None = None


class _Results(msgspec.Struct):
    total_samples: int | None = None
    completed_samples: int | None = None
    logged_samples: int | None = None
    scores: tuple[_ScoreResult, ...] | None = None
    headline: Raw | None = None
    metadata: Raw | None = None
    scorer: _Named | None = None  # with `metrics`: before several scorers were possible
    metrics: dict[str, _Metric] | None = None


class _Stats(msgspec.Struct):
    started_at: str | None = None
    completed_at: str | None = None
    model_usage: dict[str, Usage] | None = None


class _Message(msgspec.Struct):
    message: str = ""


class _Eval(msgspec.Struct):
    task: str
    model: str
    created: str
    eval_id: str | None = None
    run_id: str | None = None
    task_id: str | None = None
    eval_set_id: str | None = None
    task_version: int | str | None = None
    task_file: str | None = None
    task_display_name: str | None = None
    task_registry_name: str | None = None
    task_attribs: Raw | None = None
    task_args: Raw | None = None
    task_args_passed: Raw | None = None
    solver: str | None = None
    solver_args: Raw | None = None
    solver_args_passed: Raw | None = None
    model_generate_config: Raw | None = None
    model_base_url: str | None = None
    model_args: Raw | None = None
    model_roles: Raw | None = None
    config: dict[str, Any] | None = None
    dataset: Dataset | None = None
    sandbox: Any = None
    scorers: tuple[Scorer, ...] | None = None
    revision: Raw | None = None
    packages: dict[str, str] | None = None
    tags: tuple[str, ...] | None = None
    metadata: Raw | None = None


class WireHeader(msgspec.Struct):
    """`header.json`, `_journal/start.json`, or the part of a `.json` log before its samples."""

    eval: _Eval
    version: int = 2
    status: str = "started"
    plan: Raw | None = None
    results: _Results | None = None
    stats: _Stats | None = None
    error: _Message | None = None
    invalidated: bool = False
    tags: tuple[str, ...] | None = None
    metadata: Raw | None = None
    config_updates: tuple[Raw, ...] | None = None


def header(wire: WireHeader, config_updates: tuple[Raw, ...] = ()) -> LogHeader:
    """The record of a header; `config_updates` where a running log has them beside it."""
    spec = wire.eval
    created = utc(spec.created)
    run_id, task_id = spec.run_id or "", spec.task_id or ""
    # before `…_passed` was told apart, all arguments were those passed
    passed = spec.task_args if spec.task_args_passed is None else spec.task_args_passed
    solver_passed = spec.solver_args_passed
    return LogHeader(
        task=spec.task,
        model=spec.model,
        created=created,
        eval_id=spec.eval_id or _derived_eval_id(run_id + task_id + created),
        run_id=run_id,
        task_id=task_id,
        eval_set_id=spec.eval_set_id,
        task_version=0 if spec.task_version is None else spec.task_version,
        task_file=spec.task_file,
        task_display_name=spec.task_display_name,
        task_registry_name=spec.task_registry_name,
        task_attribs=spec.task_attribs or {},
        task_args=spec.task_args or {},
        task_args_passed=passed or {},
        solver=spec.solver,
        solver_args=spec.solver_args,
        solver_args_passed=(spec.solver_args if solver_passed is None else solver_passed) or {},
        model_generate_config=spec.model_generate_config or {},
        model_base_url=spec.model_base_url,
        model_args=spec.model_args or {},
        model_roles=spec.model_roles,
        config=_config(spec.config or {}),
        dataset=spec.dataset or Dataset(),
        sandbox=spec.sandbox,
        scorers=spec.scorers,
        revision=spec.revision,
        packages=spec.packages or {},
        plan=wire.plan or {},
        version=wire.version,
        status=wire.status,
        error=wire.error.message if wire.error else None,
        results=_results(wire.results) if wire.results else None,
        stats=_stats(wire.stats) if wire.stats else Stats(),
        invalidated=wire.invalidated,
        tags=tuple(sorted(set(spec.tags or ()))) if wire.tags is None else wire.tags,
        metadata=(spec.metadata or {}) if wire.metadata is None else wire.metadata,
        config_updates=config_updates or wire.config_updates or (),
    )


def utc(time: str) -> str:
    """An ISO time in UTC, so that times of different logs compare as text; others as they are."""
    if not time or time.endswith("+00:00"):
        return time
    try:
        parsed = datetime.fromisoformat(time)
    except ValueError:
        return time
    return (parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)).astimezone(UTC).isoformat()


def base57(number: int) -> str:
    """A number in the 22 characters that Inspect's ids have."""
    digits = ""
    while number:
        number, digit = divmod(number, 57)
        digits = _BASE57[digit] + digits
    return digits[-22:].rjust(22, _BASE57[0])


def _derived_eval_id(identity: str) -> str:
    """The id that Inspect itself gives to a log from before `eval_id` was written."""
    digest = hashlib.blake2s(identity.encode(), digest_size=16).digest()
    return base57(int.from_bytes(digest, "big"))


def _config(config: dict[str, Any]) -> dict[str, Any]:
    if config.get("max_messages"):  # the old name
        config["message_limit"] = config.pop("max_messages")
    return config


def _results(wire: _Results) -> Results:
    scores = wire.scores or ()
    if wire.scorer is not None and not scores:
        name = wire.scorer.name
        scores = (_ScoreResult(name, name, params=wire.scorer.params, metrics=wire.metrics),)
    return Results(
        total_samples=wire.total_samples or 0,
        completed_samples=wire.completed_samples or 0,
        logged_samples=wire.logged_samples,
        scores=tuple(map(_score_result, scores)),
        headline=wire.headline,
        metadata=wire.metadata,
    )


def _score_result(wire: _ScoreResult) -> ScoreResult:
    return ScoreResult(
        name=wire.name,
        scorer=wire.scorer or wire.name,
        reducer=wire.reducer,
        scored_samples=wire.scored_samples,
        unscored_samples=wire.unscored_samples,
        params=wire.params,
        metrics={
            key: Metric(m.name, nan if m.value is None else m.value, m.group, m.params)
            for key, m in (wire.metrics or {}).items()
        },
    )


def _stats(wire: _Stats) -> Stats:
    return Stats(utc(wire.started_at or ""), utc(wire.completed_at or ""), wire.model_usage or {})


# --- samples ------------------------------------------------------------------------------------


class _Nothing(msgspec.Struct):
    """Something that is only counted."""


class _Value(msgspec.Struct):
    value: Any = None


class _Kind(msgspec.Struct):
    type: str = ""


class WireSample(msgspec.Struct):
    """A row of `summaries.json`, or as much of a whole sample as makes such a row."""

    id: SampleId
    epoch: int
    input: Any = ""
    choices: tuple[str, ...] | None = None
    target: Any = ""
    metadata: Raw | None = None
    scores: dict[str, _Value] | None = None
    score: _Value | None = None  # before several scorers were possible
    model_usage: dict[str, Usage] | None = None
    role_usage: dict[str, Usage] | None = None
    uuid: str | None = None
    error: str | _Message | None = None
    limit: str | _Kind | None = None
    retries: int | None = None
    error_retries: list[_Nothing] | None = None
    invalidation: _Nothing | None = None
    messages: list[_Nothing] | None = None
    message_count: int | None = None
    turn_count: int | None = None
    total_time: float | None = None
    working_time: float | None = None
    started_at: str | None = None
    completed_at: str | None = None


class WireHead(msgspec.Struct):
    """As much of a sample as its head takes."""

    id: SampleId
    epoch: int
    input: str | list[Any] = ""
    choices: list[str] | None = None
    target: str | list[str] = ""
    attachments: dict[str, str] | None = None


class WireOutcome(msgspec.Struct):
    """What of a sample's outcome its row may not say."""

    invalidation: _Nothing | None = None
    error: str | _Message | None = None


def summary(wire: WireSample, invalidated: bool, scorer: str) -> SampleSummary:
    """The record of a sample; `scorer` names a score that was logged without a name.

    A row is only written for a sample that has finished, whether or not it says `completed`, which
    older versions did not.
    """
    scores = {name: score.value for name, score in (wire.scores or {}).items()}
    if wire.score is not None:
        scores[scorer] = wire.score.value
    error, limit, target = wire.error, wire.limit, wire.target
    retries = len(wire.error_retries or ()) if wire.retries is None else wire.retries
    counted = len(wire.messages) if wire.messages is not None else None
    return SampleSummary(
        id=wire.id,
        epoch=wire.epoch,
        uuid=wire.uuid,
        error=error.message if isinstance(error, _Message) else error,
        limit=limit.type if isinstance(limit, _Kind) else limit,
        retries=retries,
        invalidated=invalidated or wire.invalidation is not None,
        scores=scores,
        model_usage=wire.model_usage or {},
        role_usage=wire.role_usage or {},
        total_time=wire.total_time,
        working_time=wire.working_time,
        started_at=utc(wire.started_at) if wire.started_at else None,
        completed_at=utc(wire.completed_at) if wire.completed_at else None,
        message_count=counted if wire.message_count is None else wire.message_count,
        turn_count=wire.turn_count,
        input=preview(wire.input),
        target=tuple(map(str, target)) if isinstance(target, list) else str(target),
        choices=wire.choices,
        metadata=wire.metadata or {},
    )


def head(wire: WireHead) -> SampleHead:
    content = resolve_attachments(wire.input, wire.attachments or {})
    return SampleHead(
        id=wire.id, epoch=wire.epoch, input=content, target=wire.target, choices=wire.choices
    )


def preview(content: Any) -> str:
    """The beginning of an input's text: of the user's messages where there are any."""
    if isinstance(content, str):
        return content[:_PREVIEW]
    messages = [message for message in content or () if isinstance(message, dict)]
    asked = [message for message in messages if message.get("role") == "user"]
    return "\n".join(_message_text(message) for message in asked or messages)[:_PREVIEW]


def _message_text(message: dict[str, Any]) -> str:
    content = message.get("content")
    if isinstance(content, str):
        return content[:_PREVIEW]
    parts = [part for part in content or () if isinstance(part, dict)]
    return "\n".join(
        str(part.get("text", ""))[:_PREVIEW]
        if part.get("type") == "text"
        else f"({str(part.get('type')).capitalize()})"
        for part in parts
    )
