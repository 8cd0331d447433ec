"""`evaltui check`: a gate for CI over the scores of a set. Changes nothing."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from evaltui.commands.set_options import Usage, directory_there

if TYPE_CHECKING:
    from pathlib import Path

    from evaltui.stats.document import Report
    from evaltui.stats.gate import Minimum

BELOW = 3


@click.command("check")
@click.argument("log_dir", required=False)
@click.option(
    "--min",
    "minima",
    multiple=True,
    metavar="NAME=VALUE",
    help="The least score, in every cell. NAME: a scorer, a metric, scorer/metric; accuracy or mean"
    " for every score; a --rollup by its name.",
)
@click.option(
    "--max-errors", type=click.IntRange(0), help="The most samples that may have errored."
)
@click.option(
    "--max-reroll",
    type=click.FloatRange(0, 1),
    help="The largest share of a cell's scored samples that may have been tried again.",
)
@click.option("--rollup", "rollups", multiple=True, metavar="RULE", help="As of `evaltui results`.")
@click.option("--incomplete", is_flag=True, help="Pass though planned samples have not run.")
def command(
    log_dir: str | None,
    minima: tuple[str, ...],
    max_errors: int | None,
    max_reroll: float | None,
    rollups: tuple[str, ...],
    incomplete: bool,
) -> None:
    """Hold the scores of LOG_DIR against bars, for CI.

    Exit code 0: all passed. 2: an option is malformed or names no score. 3: not passed, with the
    reasons on stderr, a line each.
    """
    from evaltui.commands.results import read_report
    from evaltui.stats.gate import Bars, GateError, failures
    from evaltui.text import visible

    bars = Bars(tuple(_minimum(text) for text in minima), max_errors, max_reroll, incomplete)
    directory = directory_there(log_dir)
    report = read_report(str(directory), rollups)
    try:
        found = failures(report, bars)
    except GateError as error:
        raise Usage(str(error)) from None
    if not incomplete:
        found += _without_logs(directory, report)
    for reason in found:
        click.echo(f"evaltui: {visible(reason)}", err=True)
    if found:
        sys.exit(BELOW)
    cells = len({row.key for row in report.rows})
    click.echo(f"{cells} cell{'' if cells == 1 else 's'} passed.")


def _minimum(text: str) -> Minimum:
    from evaltui.stats.gate import Minimum

    name, _, value = text.rpartition("=")
    try:
        if name:
            return Minimum(name, float(value))
    except ValueError:
        pass
    raise Usage(f"--min {text} is not NAME=VALUE, as in accuracy=0.8")


def _without_logs(directory: Path, report: Report) -> list[str]:
    """The cells that the spec asks for and no log is of."""
    from evaltui.engine.wanted import read_wanted
    from evaltui.logs.index import list_logs
    from evaltui.logs.layout import Layout
    from evaltui.plan import Known, pair_logs
    from evaltui.spec import SpecError

    layout = Layout(directory)
    if not layout.spec.exists():
        return []
    try:
        wanted = read_wanted(layout)
    except (SpecError, OSError) as error:
        return [f"evalset.toml can't be read: {error}"]
    cells = wanted.cells.cells
    logs = pair_logs(cells, wanted.spec, Known(logs=list_logs(directory))).logs
    return [f"{cell.task} × {cell.model} has no log." for cell in cells if cell.key not in logs]
