"""A set looked at once: state, spec and a provisional plan, from its directory alone."""

from __future__ import annotations

import locale
import os
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from evaltui.cells import Problem
from evaltui.commands.setting_up import spec_there
from evaltui.engine.directory import Directory
from evaltui.engine.idle import at_rest
from evaltui.engine.state import CellState, SetState
from evaltui.engine.tail import Tail
from evaltui.engine.wanted import cells_of
from evaltui.logs.layout import Layout
from evaltui.logs.metrics import metrics_of
from evaltui.logs.records import LogFile
from evaltui.plan import StrayLog, make_plan
from evaltui.text import Glyphs, choose_glyphs


class Look(msgspec.Struct, frozen=True):
    """What there was to see; strays are logs that belong to no cell or can't be read."""

    log_dir: Path
    state: SetState
    settings: Mapping[str, Any]
    problems: tuple[Problem, ...]
    strays: tuple[StrayLog, ...]
    logs: Mapping[str, LogFile]

    def metrics_over(self, cell: CellState) -> dict[str, int] | None:
        """The samples and epochs that a cell's metrics stand on, from its log."""
        log = self.logs.get(Path(cell.log).name) if cell.log else None
        if log is None or log.header is None or log.header.results is None:
            return None
        results = log.header.results
        epochs = int(log.header.config.get("epochs") or 1)
        return {"samples": results.completed_samples // max(epochs, 1), "epochs": epochs}


def look(log_dir: Path) -> Look:
    """The set in `log_dir` as it stands now. Raises Usage where there is none."""
    layout = Layout(log_dir)
    spec = spec_there(layout)
    wanted = cells_of(spec, log_dir)
    state = Tail(layout, wanted.cells).poll()
    directory = Directory(layout, unrecovered=True)
    directory.refresh()
    logs = directory.rows
    directory.read_paired(wanted.cells, spec)
    elsewhere = directory.written_elsewhere(wanted.cells, spec)
    known = directory.known(wanted.cells, spec, state=state, elsewhere=elsewhere)
    plan = make_plan(wanted.cells, spec, known)
    metrics = {log.name: metrics_of(log.header.results) for log in logs if log.header is not None}
    return Look(
        log_dir=log_dir,
        state=at_rest(state, plan, metrics),
        settings=spec.settings,
        problems=wanted.problems,
        strays=plan.strays,
        logs={log.name: log for log in logs},
    )


def output_glyphs() -> Glyphs:
    """The glyphs that standard output can take."""
    return choose_glyphs(
        encoding=getattr(sys.stdout, "encoding", None),
        term=os.environ.get("TERM"),
        locale=locale.setlocale(locale.LC_CTYPE),
    )


def output_width() -> int:
    """Columns of the terminal; files and pipes are never clipped."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else 10_000
