"""From logs to score columns: reads summaries, and heads or whole samples where they are needed.

The one place of `stats` that opens logs; it computes nothing.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from evaltui.logs.archive import LogError
from evaltui.logs.content import content_fingerprint
from evaltui.logs.index import list_logs
from evaltui.logs.layout import Layout
from evaltui.logs.reading import read_heads, read_log, read_sample, read_summaries
from evaltui.logs.records import LogFile, LogHeader, SampleSummary, ScoreResult
from evaltui.stats.cell_logs import CellLogs, cell_logs
from evaltui.stats.past import past_of, superseded
from evaltui.stats.scores import (
    Key,
    SampleScore,
    ScoreColumn,
    flat_values,
    known_bounds,
    read_value,
)

_MOST_ERRORS = 200
"""Whole samples are read for the errors they were retried after, at most this many."""


@dataclass(frozen=True, slots=True)
class CellScores:
    """One cell as its best log has it: a column for each scorer, value and reducer.

    Without any score there is one column, named None, for the counts. inspect: by (scorer, reducer)
    the metrics that Inspect wrote.
    """

    cell: CellLogs
    columns: tuple[ScoreColumn, ...]
    inspect: Mapping[tuple[str, str | None], Mapping[str, float]]


@dataclass(frozen=True, slots=True)
class SetScores:
    """All cells of a directory; skipped: log name -> why it could not be read, in a sentence."""

    cells: tuple[CellScores, ...]
    skipped: Mapping[str, str]


def read_set(
    log_dir: Path,
    *,
    contents: bool = False,
    chosen: Collection[str] = (),
    planned: Mapping[str, int] = MappingProxyType({}),
) -> SetScores:
    """The scores of every cell in a log directory.

    contents: also take fingerprints of what was asked, for comparisons. chosen: names of the logs
    that a plan has taken for their cells'. planned: log name -> samples x epochs that the set asks
    of its cell today; what a log lacks of them is missing, whatever the log itself was to hold.
    OSError where the directory can't be listed.
    """
    reader = _Reader(Layout(log_dir))
    files = list_logs(log_dir)
    skipped = {file.name: file.reason for file in files if file.reason is not None}
    cells = []
    readable = [file for file in files if reader.readable(file, skipped)]
    for cell in cell_logs(readable, reader.clean, chosen):
        try:
            scores = reader.scores(cell, contents)
            cells.append(_asked_for(scores, planned.get(cell.best.name, 0)))
        except LogError as error:
            skipped[cell.best.name] = str(error)
    return SetScores(tuple(cells), skipped)


def _asked_for(scores: CellScores, planned: int) -> CellScores:
    columns = tuple(replace(c, planned=max(c.planned, planned)) for c in scores.columns)
    return replace(scores, columns=columns)


def read_one(path: Path, *, contents: bool = False) -> CellScores:
    """The scores of one log, taken for a cell of its own. Raises LogError."""
    file = read_log(path)
    if file.header is None:
        raise LogError(file.reason or f"{path.name} can't be read.")
    reader = _Reader(Layout(path.parent))
    return reader.scores(cell_logs([file], reader.clean)[0], contents)


class _Reader:
    """Reads the logs of one directory, each log's summaries once."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._trash = superseded(layout)
        self._summaries: dict[Path, list[SampleSummary]] = {}

    def summaries(self, file: LogFile) -> list[SampleSummary]:
        if file.path not in self._summaries:
            self._summaries[file.path] = read_summaries(file.path)
        return self._summaries[file.path]

    def readable(self, file: LogFile, skipped: dict[str, str]) -> bool:
        if file.header is None:
            return False
        try:
            self.summaries(file)
        except LogError as error:
            skipped[file.name] = str(error)
            return False
        return True

    def clean(self, file: LogFile) -> int:
        return sum(sample.error is None for sample in self.summaries(file))

    def scores(self, cell: CellLogs, contents: bool) -> CellScores:
        best = self.summaries(cell.best)
        past = past_of(self._layout, cell, self._trash, self.summaries)
        rerolled = [s for s in best if s.retries > 0 or s.key in past.errors]
        lengths, fingerprints = _heads(cell.best, contents, bool(rerolled))
        errors = {**_retried_errors(cell.best, best), **past.errors}
        common = {
            sample.key: _unscored(
                sample,
                reused=sample.uuid is not None and sample.uuid in past.uuids,
                rerun=sample.key in past.errors and sample.error is None,
                error=sample.error or errors.get(sample.key),
                length=lengths.get(sample.key),
                content=fingerprints.get(sample.key),
            )
            for sample in best
        }
        return CellScores(cell, _columns(cell.header, best, common), _metrics(cell.header))


# --- samples --------------------------------------------------------------------------------------


def _unscored(
    sample: SampleSummary,
    *,
    reused: bool,
    rerun: bool,
    error: str | None,
    length: int | None,
    content: str | None,
) -> SampleScore:
    return SampleScore(
        id=sample.id,
        epoch=sample.epoch,
        value=None,
        errored=sample.error is not None and not sample.cancelled,
        cancelled=sample.cancelled,
        limited=sample.limit is not None,
        retries=sample.retries,
        reused=reused,
        rerun=rerun,
        error=error,
        metadata=sample.metadata,
        input_length=length,
        content=content,
    )


def _heads(file: LogFile, contents: bool, lengths: bool) -> tuple[dict[Key, int], dict[Key, str]]:
    """Length of the input, and fingerprint of what was asked, by sample; as far as wanted."""
    sizes: dict[Key, int] = {}
    prints: dict[Key, str] = {}
    if not contents and not lengths:
        return sizes, prints
    with contextlib.suppress(LogError):
        for head in read_heads(file.path):
            sizes[head.key] = _length(head.input)
            if contents:
                prints[head.key] = content_fingerprint(
                    head.input, head.target, head.choices
                ).content
    return sizes, prints


def _length(content: Any) -> int:
    """Characters of text in an input: a string, or messages with texts or parts."""
    if isinstance(content, str):
        return len(content)
    if isinstance(content, list):
        return sum(_length(part) for part in content)
    if isinstance(content, Mapping):
        return _length(content.get("content", content.get("text", "")))
    return 0


def _retried_errors(file: LogFile, samples: Sequence[SampleSummary]) -> dict[Key, str]:
    """The last error that each retried sample was retried after."""
    errors: dict[Key, str] = {}
    for sample in [s for s in samples if s.retries > 0 and s.error is None][:_MOST_ERRORS]:
        with contextlib.suppress(LogError):
            history = read_sample(file.path, sample.id, sample.epoch).get("error_retries") or []
            if history and isinstance(history[-1], Mapping):
                errors[sample.key] = str(history[-1].get("message", ""))
    return errors


# --- columns --------------------------------------------------------------------------------------


def _columns(
    header: LogHeader, samples: Sequence[SampleSummary], common: Mapping[Key, SampleScore]
) -> tuple[ScoreColumn, ...]:
    epochs = int(header.config.get("epochs") or 1)
    planned = _planned(header, epochs)
    values = {sample.key: _flat(sample.scores) for sample in samples}
    names = _names(samples)
    if not names:
        return (ScoreColumn("", tuple(common.values()), planned, epochs),)
    return tuple(
        _column(name, reducer, [values[s.key].get(name) for s in samples], common, planned, epochs)
        for name in names
        for reducer in _reducers(header)
    )


def _column(
    name: str,
    reducer: str | None,
    values: Iterable[Any],
    common: Mapping[Key, SampleScore],
    planned: int,
    epochs: int,
) -> ScoreColumn:
    scored = []
    for sample, value in zip(common.values(), values, strict=True):
        number, readable = read_value(value)
        raw = value if isinstance(value, str) else None
        scored.append(replace(sample, value=number, raw=raw, readable=readable))
    numbers = [s.value for s in scored if s.value is not None]
    bounds = known_bounds(numbers) if numbers else None
    return ScoreColumn(name, tuple(scored), planned, epochs, reducer, bounds)


def _flat(scores: Mapping[str, Any]) -> dict[str, Any]:
    return {name: v for scorer, value in scores.items() for name, v in flat_values(scorer, value)}


def _names(samples: Sequence[SampleSummary]) -> list[str]:
    """Column names in order of appearance; a scorer that gives several values has one for each."""
    parts: dict[str, dict[str, None]] = {}
    for sample in samples:
        for scorer, value in sample.scores.items():
            known = parts.setdefault(scorer, {})
            if not _is_nothing(value):
                known.update((name, None) for name, _ in flat_values(scorer, value))
    return [name for scorer, found in parts.items() for name in (found or {scorer: None})]


def _is_nothing(value: Any) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))


def _planned(header: LogHeader, epochs: int) -> int:
    if header.results is not None and header.results.total_samples:
        return header.results.total_samples
    ids = header.dataset.sample_ids
    return len(ids) * epochs if ids is not None else (header.dataset.samples or 0) * epochs


def _reducers(header: LogHeader) -> tuple[str | None, ...]:
    names = header.config.get("epochs_reducer")
    if names is None:
        return ("mean",)
    return tuple(names) or (None,)


def _metrics(header: LogHeader) -> dict[tuple[str, str | None], dict[str, float]]:
    results = header.results.scores if header.results else ()
    named = header.config.get("epochs_reducer") is not None
    return {
        (_column_name(score), score.reducer if named else "mean"): {
            key: float(metric.value) for key, metric in score.metrics.items()
        }
        for score in results
    }


def _column_name(score: ScoreResult) -> str:
    return score.name if score.name == score.scorer else f"{score.scorer}.{score.name}"
