"""`evaltui status`: how a set stands, read from its directory; runs nothing and changes nothing."""

from __future__ import annotations

import json
import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evaltui.commands.set_options import directory_there

if TYPE_CHECKING:
    from evaltui.commands.looking import Look
    from evaltui.stats.findings import Finding

VERSION = 1


@click.command("status")
@click.argument("log_dir", required=False)
@click.option("--json", "as_json", is_flag=True, help="As JSON, for other programs.")
def command(log_dir: str | None, as_json: bool) -> None:
    """Show the cells of LOG_DIR, their metrics, errors against thresholds, and countdowns."""
    from evaltui.commands.looking import look

    seen = look(directory_there(log_dir))
    if as_json:
        click.echo(json.dumps(status_json(seen, time.time()), ensure_ascii=False))
        return
    for line in status_lines(seen, time.time()):
        click.echo(line)


def status_lines(seen: Look, now: float) -> list[str]:
    """The set as people read it."""
    from evaltui.commands.lines import set_lines, telling_args
    from evaltui.commands.looking import output_glyphs, output_width
    from evaltui.engine.rows import cell_rows, lane_rows
    from evaltui.text import visible

    state = seen.state
    who = f" by pid {state.engine[0]} on {state.engine[1]}" if state.engine else ""
    said = [f"{visible(str(seen.log_dir))}  {state.status}{who}"]
    if state.spec_error is not None:
        error = state.spec_error
        said.append(f"evalset.toml, line {error.line}: {visible(error.message)}")
    said += set_lines(
        cell_rows(state, seen.settings, now),
        lane_rows(state, now),
        telling_args([cell.cell for cell in state.cells.values()]),
        output_glyphs(),
        output_width(),
    )
    said += [
        f"! {visible(f'{each.task} × {each.model}, {each.scorer}: {each.sentence}')}"
        for each in _retry_findings(seen)
    ]
    said += [f"{visible(problem.message)}" for problem in seen.problems]
    said += [f"{visible(stray.name)}: {visible(stray.reason)}" for stray in seen.strays]
    return said


def _retry_findings(seen: Look) -> list[Finding]:
    """What the retries have done to the scores, one for each score it matters for."""
    from evaltui.stats.findings import retry_findings

    cells = seen.state.cells.values()
    return retry_findings(seen.log_dir, {Path(cell.log).name for cell in cells if cell.log})


def status_json(seen: Look, now: float) -> dict[str, Any]:
    """The form that DESIGN's command line section fixes; unknown values are null."""
    from evaltui.engine.rows import cell_rows

    state = seen.state
    rows = {row.key: row for row in cell_rows(state, seen.settings, now)}
    engine = state.engine
    return {
        "version": VERSION,
        "log_dir": str(seen.log_dir),
        "state": state.status,
        "engine": {"pid": engine[0], "host": engine[1]} if engine else None,
        "cells": [_cell_json(cell, rows[key], seen) for key, cell in state.cells.items()],
        "retries": [asdict(each) for each in _retry_findings(seen)],
        "problems": [problem.message for problem in seen.problems],
        "strays": [
            {"log": stray.name, "kind": stray.kind, "reason": stray.reason} for stray in seen.strays
        ],
    }


def _cell_json(cell: Any, row: Any, seen: Look) -> dict[str, Any]:
    from evaltui.engine.rows import cell_threshold

    limit = cell_threshold(cell, seen.settings, row.total)
    over = seen.metrics_over(cell)
    return {
        "key": row.key,
        "task": row.task,
        "task_file": cell.cell.task_file,
        "task_args": dict(cell.cell.task_args),
        "model": row.model,
        "state": row.status,
        "attempts": len(cell.attempts),
        "samples": {
            "total": row.total,
            "done": row.kept + row.done,
            "reused": row.kept,
            "errored": row.errors,
        },
        "threshold": {
            "rule": seen.settings.get("error_rule", "more-than"),
            "tolerates": limit.tolerates,
            "fails_at": limit.fails_at,
        },
        "rerun_due": cell.due,
        "message": row.message,
        "metrics": {scorer: dict(values) for scorer, values in cell.metrics.items()},
        "metrics_over": over,
        "log": Path(cell.log).name if cell.log else None,
    }
