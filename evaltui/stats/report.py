"""All scores of a log directory with what they stand on, as one JSON document.

Run as a short-lived process, since the app loads no statistics libraries:
`python -m evaltui.stats.report LOG_DIR [--log [N:]NAME]... [--rollup RULE]...`. `--log`: a log that
the plan has taken for its cell's (without one the fullest is), and of N samples x epochs that the
set asks of the cell. `--rollup`: see `rolled.parse_rule`. Exit
code 0 with the document on stdout; 1 with one sentence on stderr when the directory can't be read,
2 when the words can't. The document is that of `document.py`.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import msgspec

from evaltui.stats.denominators import denominators, mean, score_bounds
from evaltui.stats.document import Report, Row, Skipped
from evaltui.stats.from_logs import CellScores, SetScores, read_set
from evaltui.stats.intervals import Method, inspect_stderr, interval_of
from evaltui.stats.reducers import score_groups, score_values
from evaltui.stats.retry_shift import retry_shift
from evaltui.stats.rolled import RuleError, parse_rule, rolled_column
from evaltui.stats.rollups import Rule
from evaltui.stats.scores import Bounds, ScoreColumn
from evaltui.stats.wording import retry_sentence


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
        **msgspec.structs.asdict(counts),
        bounds=score_bounds(column),
        flags=found.flags,
        sentence=retry_sentence(found),
        without_retries=found.without,
        without_retries_interval=found.without_interval,
        shifts=(*found.levels, *overall),
        traits=found.traits,
    )


def _log_and_planned(text: str) -> tuple[str, int]:
    number, _, name = text.partition(":")
    return (name, int(number)) if number.isdigit() and name else (text, 0)


def main(arguments: Sequence[str]) -> int:
    """`LOG_DIR [--log [N:]NAME]... [--rollup RULE]...` -> exit code."""
    pairs = list(zip(arguments[1::2], arguments[2::2], strict=False))
    if len(arguments) % 2 == 0 or any(word not in ("--log", "--rollup") for word, _ in pairs):
        print(f"usage: python -m evaltui.stats.report {main.__doc__}", file=sys.stderr)
        return 2
    log_dir = Path(arguments[0])
    planned = dict(_log_and_planned(text) for word, text in pairs if word == "--log")
    try:
        rules = [parse_rule(text) for word, text in pairs if word == "--rollup"]
        document = report(
            read_set(log_dir, chosen=planned, planned=planned), str(log_dir), rules=rules
        )
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
