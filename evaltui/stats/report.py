"""All scores of a log directory with what they stand on, as one JSON document.

Run as a short-lived process, since the app loads no statistics libraries:
`python -m evaltui.stats.report LOG_DIR [--log NAME]... [--rollup RULE]...`. `--log`: a log that the
plan has taken for its cell's; without one the fullest is. `--rollup`: see `rolled.parse_rule`. Exit
code 0 with the document on stdout; 1 with one sentence on stderr when the directory can't be read,
2 when the words can't.

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

import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from evaltui.stats.denominators import denominators, mean, score_bounds
from evaltui.stats.from_logs import CellScores, SetScores, read_set
from evaltui.stats.intervals import Interval, Method, inspect_stderr, interval_of
from evaltui.stats.reducers import score_groups, score_values
from evaltui.stats.retry_shift import Shift, retry_shift
from evaltui.stats.rolled import RuleError, parse_rule, rolled_column
from evaltui.stats.rollups import Rule
from evaltui.stats.scores import Bounds, ScoreColumn
from evaltui.stats.traits import Trait
from evaltui.stats.wording import retry_sentence


class Row(msgspec.Struct, frozen=True, kw_only=True):
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


def report(
    scores: SetScores,
    log_dir: str,
    *,
    rules: Sequence[Rule] = (),
    ranges: Mapping[str, Bounds] = {},
    method: Method | None = None,
) -> Report:
    """The document for the scores of a directory.

    rules: roll-ups to add to each cell whose scorers they name. ranges: scorer -> its range, where
    that is not [0, 1]. method: of all intervals, instead of the one that fits.
    """
    rows = [
        _row(cell, column, method)
        for cell in scores.cells
        for column in _columns(cell, rules, ranges)
    ]
    skipped = tuple(Skipped(log, reason) for log, reason in sorted(scores.skipped.items()))
    return Report(1, log_dir, tuple(rows), skipped)


def _columns(
    cell: CellScores, rules: Sequence[Rule], ranges: Mapping[str, Bounds]
) -> Iterator[ScoreColumn]:
    for column in cell.columns:
        given = ranges.get(column.scorer)
        yield replace(column, bounds=given) if given else column
    for rule in rules:
        rolled = rolled_column(cell.columns, rule)
        if rolled is not None:
            yield rolled


def _row(cell: CellScores, column: ScoreColumn, method: Method | None) -> Row:
    counts, found = denominators(column), retry_shift(column)
    overall = (found.overall,) if found.overall and len(found.levels) > 1 else ()
    logged = cell.inspect.get((column.scorer, column.reducer), {})
    return Row(
        key=cell.cell.key,
        task=cell.cell.task,
        task_file=cell.cell.task_file,
        task_args=cell.cell.task_args,
        model=cell.cell.model,
        config=cell.cell.config,
        log=cell.cell.best.name,
        logs=len(cell.cell.logs),
        status=cell.cell.header.status,
        scorer=column.scorer or None,
        reducer=column.reducer,
        value=mean(column),
        interval=interval_of(score_groups(column), bounds=column.bounds, method=method),
        stderr=inspect_stderr(score_values(column)) if counts.scored else None,
        inspect={name: v if math.isfinite(v) else None for name, v in logged.items()},
        planned=counts.planned,
        scored=counts.scored,
        errored=counts.errored,
        errored_scored=counts.errored_scored,
        limited=counts.limited,
        unscored=counts.unscored,
        not_run=counts.not_run,
        reused=counts.reused,
        rerolled=counts.rerolled,
        unreadable=counts.unreadable,
        samples=counts.samples,
        epochs=counts.epochs,
        bounds=score_bounds(column),
        flags=found.flags,
        sentence=retry_sentence(found),
        without_retries=found.without,
        without_retries_interval=found.without_interval,
        shifts=(*found.levels, *overall),
        traits=found.traits,
    )


def main(arguments: Sequence[str]) -> int:
    """`LOG_DIR [--log NAME]... [--rollup RULE]...` -> exit code."""
    pairs = list(zip(arguments[1::2], arguments[2::2], strict=False))
    if len(arguments) % 2 == 0 or any(word not in ("--log", "--rollup") for word, _ in pairs):
        print(f"usage: python -m evaltui.stats.report {main.__doc__}", file=sys.stderr)
        return 2
    log_dir = Path(arguments[0])
    chosen = {name for word, name in pairs if word == "--log"}
    try:
        rules = [parse_rule(text) for word, text in pairs if word == "--rollup"]
        document = report(read_set(log_dir, chosen=chosen), str(log_dir), rules=rules)
    except RuleError as error:
        print(error, file=sys.stderr)
        return 2
    except OSError as error:
        print(f"{log_dir} can't be read: {error.strerror or error}.", file=sys.stderr)
        return 1
    sys.stdout.buffer.write(msgspec.json.encode(document) + b"\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
