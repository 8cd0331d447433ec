"""One side of a comparison, from what people name: a log directory, some of its cells, one log, or
a promptfoo results file. Reads files; compares nothing.

`DIR::words` means the cells of DIR in whose key, task or model every word is found; words are
parted by commas.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from evaltui.cells import canonical
from evaltui.logs.archive import LogError
from evaltui.stats import promptfoo
from evaltui.stats.from_logs import CellScores, read_one, read_set
from evaltui.stats.promptfoo import PromptfooError, Run
from evaltui.stats.reconcile import Row, Source
from evaltui.stats.scores import Key, SampleScore, ScoreColumn, known_bounds

_MEANS = ("accuracy", "mean")
"""Metrics of Inspect that are means of a score; others can't be made from its values alone."""


class SideError(Exception):
    """What was named can't be compared; one sentence."""


@dataclass(frozen=True, slots=True)
class SideCell:
    """One cell, or one run of promptfoo (task: empty). identity: task, args and config as text.

    source: the same scores as rows, with the numbers printed elsewhere; run: promptfoo's.
    """

    task: str
    model: str
    identity: str
    columns: Mapping[str, ScoreColumn]
    source: Source
    run: Run | None = None

    @property
    def name(self) -> str:
        return f"{self.task} × {self.model}" if self.task else self.model


@dataclass(frozen=True, slots=True)
class Side:
    """skipped: log name -> why it is not among the cells."""

    name: str
    cells: tuple[SideCell, ...]
    skipped: Mapping[str, str]


def read_side(text: str, *, id_variable: str | None = None) -> Side:
    """The side that `text` names. Raises SideError."""
    place, _, words = text.partition("::")
    path = Path(place)
    try:
        if path.is_dir():
            return _of_directory(text, path, words)
        if words:
            raise SideError(f"{place} is not a directory: `::{words}` picks cells of one.")
        if not path.exists():
            raise SideError(f"{place} does not exist.")
        return _of_file(text, path, id_variable)
    except (LogError, PromptfooError) as error:
        raise SideError(f"{place}: {error}") from None
    except OSError as error:
        raise SideError(f"{place} can't be read: {error.strerror or error}.") from None


def renamed(side: Side, names: Mapping[str, str]) -> Side:
    """The side with scorers called otherwise: old name -> new name."""
    return replace(side, cells=tuple(_renamed(cell, names) for cell in side.cells))


# --- logs -----------------------------------------------------------------------------------------


def _of_directory(text: str, path: Path, words: str) -> Side:
    found = read_set(path, contents=True)
    cells = [_of_cell(scores) for scores in found.cells]
    if not cells:
        why = "; ".join(found.skipped.values())
        raise SideError(f"{path} holds no log that can be read{': ' + why if why else ''}.")
    picked = [cell for cell, scores in zip(cells, found.cells, strict=True) if _has(scores, words)]
    if not picked:
        names = ", ".join(sorted(cell.name for cell in cells))
        raise SideError(f"{path} has no cell with '{words}' in its key, task or model: {names}.")
    return Side(text, tuple(picked), found.skipped)


def _has(scores: CellScores, words: str) -> bool:
    text = f"{scores.cell.key}\n{scores.cell.task}\n{scores.cell.model}".casefold()
    return all(word.strip().casefold() in text for word in words.split(",") if word.strip())


def _of_cell(scores: CellScores) -> SideCell:
    cell = scores.cell
    columns: dict[str, ScoreColumn] = {}
    for column in scores.columns:
        if column.scorer:
            columns.setdefault(column.scorer, column)
    return SideCell(
        task=cell.task,
        model=cell.model,
        identity=canonical([cell.task, cell.task_args, cell.config]),
        columns=columns,
        source=Source(cell.model, _rows(list(columns.values())), _printed(scores)),
    )


def _rows(columns: Sequence[ScoreColumn]) -> tuple[Row, ...]:
    verdicts: dict[Key, dict[str, float]] = {}
    for column in columns:
        for sample in column.samples:
            verdicts.setdefault(sample.key, {})
            if sample.value is not None:
                verdicts[sample.key][column.scorer] = sample.value
    return tuple(Row(key, given) for key, given in verdicts.items())


def _printed(scores: CellScores) -> dict[str, float]:
    return {
        f"{metric} of {scorer}": value
        for (scorer, reducer), metrics in scores.inspect.items()
        for metric, value in metrics.items()
        if metric in _MEANS and reducer == "mean" and value == value
    }


# --- promptfoo ------------------------------------------------------------------------------------


def _of_file(text: str, path: Path, id_variable: str | None) -> Side:
    if path.suffix == ".json":
        document = path.read_bytes()
        if promptfoo.is_promptfoo(document):
            runs = promptfoo.read_runs(document, id_variable)
            return Side(text, tuple(_of_run(run) for run in runs), {})
    return Side(text, (_of_cell(read_one(path, contents=True)),), {})


def _of_run(run: Run) -> SideCell:
    source = promptfoo.source(run)
    cases = sorted(run.cases, key=lambda case: case.test)
    scorers = {name: None for case in cases for name in case.verdicts}
    errors = [case.error if case.errored else None for case in cases]
    columns = {scorer: _column(scorer, source.rows, errors) for scorer in scorers}
    return SideCell("", run.name, "", columns, source, run)


def _column(scorer: str, rows: Sequence[Row], errors: Sequence[str | None]) -> ScoreColumn:
    samples = tuple(
        SampleScore(
            id=row.key[0],
            epoch=row.key[1],
            value=row.verdicts.get(scorer),
            errored=error is not None,
            error=error,
        )
        for row, error in zip(rows, errors, strict=True)
    )
    values = [s.value for s in samples if s.value is not None]
    epochs = max((row.key[1] for row in rows), default=1)
    return ScoreColumn(scorer, samples, len(samples), epochs, bounds=known_bounds(values))


# --- names ----------------------------------------------------------------------------------------


def _renamed(cell: SideCell, names: Mapping[str, str]) -> SideCell:
    columns = {
        names.get(name, name): replace(column, scorer=names.get(name, name))
        for name, column in cell.columns.items()
    }
    rows = tuple(
        replace(row, verdicts={names.get(name, name): v for name, v in row.verdicts.items()})
        for row in cell.source.rows
    )
    return replace(cell, columns=columns, source=replace(cell.source, rows=rows))
