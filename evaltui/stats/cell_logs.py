"""Which logs belong to one cell, and which of them its score is taken from. Pure.

Logs are told apart as cells are, by what makes their answers. Which log is a cell's is the plan's
to say where there is one (`chosen`); `ranked` decides for a directory without a plan.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evaltui.cells import cell_key, identity_config
from evaltui.logs.records import LogFile, LogHeader


@dataclass(frozen=True, slots=True)
class CellLogs:
    """The logs of one cell, best first. key: equal for equal cells, in any directory.

    config: the generate options that are part of the identity.
    """

    key: str
    task: str
    task_file: str | None
    task_args: Mapping[str, Any]
    model: str
    config: Mapping[str, Any]
    logs: tuple[LogFile, ...]

    @property
    def best(self) -> LogFile:
        return self.logs[0]

    @property
    def header(self) -> LogHeader:
        header = self.best.header
        assert header is not None
        return header


def cell_logs(
    files: Sequence[LogFile], clean: Callable[[LogFile], int], chosen: Collection[str] = ()
) -> list[CellLogs]:
    """Group readable logs by cell, cells in the order of their first log.

    clean: how many samples of a log ended without an error. chosen: names of logs that a plan has
    taken for their cells'; they come before all others of theirs.
    """
    groups: dict[str, list[LogFile]] = {}
    for file in files:
        if file.header is not None:
            groups.setdefault(_key(file.header), []).append(file)
    return [_cell(key, ranked(logs, clean, chosen)) for key, logs in groups.items()]


def ranked(
    logs: Sequence[LogFile], clean: Callable[[LogFile], int], chosen: Collection[str] = ()
) -> list[LogFile]:
    """A cell's logs, best first: most clean samples, the newest on a tie. Never by file times."""
    if len(logs) == 1:
        return list(logs)
    places = {f.name: (f.name in chosen, clean(f), _created(f)) for f in logs}
    return sorted(logs, key=lambda file: places[file.name], reverse=True)


def _created(file: LogFile) -> str:
    return file.header.created if file.header else ""


def _key(header: LogHeader) -> str:
    return cell_key(
        header.task_file,
        header.task,
        header.task_args_passed,
        header.solver,
        header.solver_args_passed or {},
        header.model,
        header.model_args,
        header.model_generate_config,
        header.model_roles or {},
    )


def _cell(key: str, logs: Sequence[LogFile]) -> CellLogs:
    header = logs[0].header
    assert header is not None
    return CellLogs(
        key=key,
        task=header.task_display_name or header.task,
        task_file=header.task_file,
        task_args=header.task_args_passed,
        model=header.model,
        config=identity_config(header.model_generate_config),
        logs=tuple(logs),
    )
