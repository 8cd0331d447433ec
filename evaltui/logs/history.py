"""A cell's logs as the reuse rules need them: summaries joined with stored fingerprints.

Reads one log at a time; what may be reused is decided elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from evaltui.logs.archive import LogError
from evaltui.logs.buffered import recoverable_summaries
from evaltui.logs.fingerprints import EVERY_EPOCH, Fingerprints, read_fingerprints
from evaltui.logs.layout import Layout
from evaltui.logs.logged import LoggedLog, LoggedSample, SampleState
from evaltui.logs.reading import each_summary
from evaltui.logs.records import LogFile, LogHeader, SampleSummary

SAMPLE_LIMITS = (
    "message_limit", "token_limit", "turn_limit", "time_limit", "working_limit", "cost_limit",
)  # fmt: skip


def read_logged(layout: Layout, file: LogFile, *, buffered: bool = False) -> LoggedLog:
    """One log with its samples. Raises LogError.

    buffered: with those that a recovery would bring back, where its writer was killed.
    """
    if file.header is None:
        raise LogError(file.reason or f"{file.name} can't be read.")
    stored = read_fingerprints(layout, file.header.eval_id)
    rows = recoverable_summaries(file) if buffered else each_summary(file.path)
    return logged(file.name, file.header, rows, stored)


def logged(
    name: str,
    header: LogHeader,
    summaries: Iterable[SampleSummary],
    stored: Fingerprints | None,
) -> LoggedLog:
    config = header.config
    limit = config.get("limit")
    return LoggedLog(
        name=name,
        created=header.created,
        eval_id=header.eval_id,
        status=header.status,
        samples=_samples(header, summaries, stored),
        size=header.dataset.samples,
        sample_ids=header.dataset.sample_ids,
        limit=tuple(limit) if isinstance(limit, list) else limit,
        shuffle=config.get("sample_shuffle"),
        picked=config.get("sample_id") is not None,
        epochs=config.get("epochs") or 1,
        kept_samples=config.get("log_samples") is not False,
        limits=sample_limits(config),
        fail_on_error=config.get("fail_on_error"),
    )


def sample_limits(config: Mapping[str, Any]) -> dict[str, Any]:
    """Those in a log's config; a token limit that does not meter all tokens as `type:count`."""
    limits = {key: config[key] for key in SAMPLE_LIMITS if config.get(key) is not None}
    metered = config.get("token_limit_type")
    if metered not in (None, "all") and "token_limit" in limits:
        limits["token_limit"] = f"{metered}:{limits['token_limit']}"
    return limits


def _samples(
    header: LogHeader, summaries: Iterable[SampleSummary], stored: Fingerprints | None
) -> tuple[LoggedSample, ...]:
    contents = stored.contents() if stored else {}
    samples: dict[tuple[str, int], LoggedSample] = {}
    for row in summaries:
        name, epoch = row.key
        printed = contents.get((name, epoch)) or contents.get((name, EVERY_EPOCH))
        samples[name, epoch] = LoggedSample(
            id=row.id,
            epoch=epoch,
            state=_state(row),
            uuid=row.uuid,
            content=printed.content if printed else None,
            strict=printed.strict if printed else None,
            made=stored.made(row.id, epoch) if stored else None,
            limit=row.limit,
            scores=tuple(row.scores),
            tokens=row.tokens,
            seconds=row.total_time,
            graded=bool(row.role_usage) or any(m != header.model for m in row.model_usage),
        )
    return tuple(samples.values())


def _state(row: SampleSummary) -> SampleState:
    if row.invalidated:
        return "invalidated"
    if row.error is None:
        return "clean"
    return "cancelled" if row.cancelled else "errored"
