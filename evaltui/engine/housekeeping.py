"""Keeping the log directory tidy: superseded logs to the trash, Inspect's manifests kept true.

Only logs that attempts of this set wrote are ever moved, and only when every clean sample in them
is in the log that is kept.
"""

from __future__ import annotations

from collections.abc import Mapping

from evaltui.engine.desk import Desk
from evaltui.engine.trash import put_away, superseded
from evaltui.logs import journal as jn
from evaltui.logs.archive import LogError
from evaltui.logs.manifests import EvalSet, EvalSetTask, write_eval_set, write_logs_manifest
from evaltui.logs.reading import read_summaries
from evaltui.logs.records import LogFile, SampleSummary


def after_completion(desk: Desk, key: str) -> None:
    """Tidy up behind a cell that is complete. Raises OSError."""
    if desk.wanted.spec.settings.get("retry_cleanup") is not False:
        clean_up(desk, key)


def clean_up(desk: Desk, key: str) -> None:
    """Move the cell's superseded logs to the trash, each move journalled. Raises OSError."""
    kept = desk.book.state.cells[key].log
    if kept is None:
        return
    written = desk.book.logs_written(key) - {kept}
    there = {name for name in written if (desk.layout.log_dir / name).is_file()}
    if not there:
        return
    try:
        of_kept = read_summaries(desk.layout.log_dir / kept)
    except LogError:
        return
    for name in superseded(of_kept, _samples(desk, sorted(there))):
        trash = put_away(desk.layout, name)
        desk.book.say(jn.Trashed(t=desk.now, cell=key, log=name, trash=trash, kept_in=kept))


def _samples(desk: Desk, names: list[str]) -> Mapping[str, list[SampleSummary]]:
    """A log that can't be read holds nobody knows what: it stays."""
    found = {}
    for name in names:
        try:
            found[name] = read_summaries(desk.layout.log_dir / name)
        except LogError:
            continue
    return found


def write_manifests(desk: Desk) -> None:
    """`eval-set.json` and `logs.json` as Inspect would write them now. Raises OSError."""
    rows = {row.name: row for row in desk.index.refresh()}
    tasks = tuple(
        task
        for state in desk.cells()
        if state.log is not None
        and (task := _task(rows.get(state.log), state.cell.index)) is not None
    )
    write_eval_set(desk.layout.log_dir, EvalSet(desk.eval_set_id, tasks))
    write_logs_manifest(desk.layout.log_dir)


def _task(row: LogFile | None, sequence: int) -> EvalSetTask | None:
    if row is None or row.header is None:
        return None
    header = row.header
    roles = {role: _model_name(value) for role, value in (header.model_roles or {}).items()}
    return EvalSetTask(
        name=header.task,
        task_id=header.task_id,
        task_file=header.task_file,
        task_args=header.task_args_passed,
        model=header.model,
        model_args=header.model_args,
        model_roles=roles or None,
        sequence=sequence,
    )


def _model_name(role: object) -> str:
    """As Inspect has it: without the provider, several joined by commas."""
    if isinstance(role, list | tuple):
        return ",".join(_model_name(one) for one in role)
    name = role.get("model") if isinstance(role, Mapping) else role
    return str(name).split("/", 1)[-1]
