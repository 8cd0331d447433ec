"""`evaltui results`: the scores of a set with what each of them stands on. Changes nothing."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from evaltui.commands.set_options import Usage, directory_there

if TYPE_CHECKING:
    from evaltui.stats.document import Report
    from evaltui.stats.scores import Bounds


@click.command("results")
@click.argument("log_dir", required=False)
@click.option("--json", "as_json", is_flag=True, help="As JSON, all of it.")
@click.option("--csv", "as_csv", is_flag=True, help="As CSV, a line for each score.")
@click.option("--markdown", "as_markdown", is_flag=True, help="As a Markdown table.")
@click.option(
    "--rollup",
    "rollups",
    multiple=True,
    metavar="RULE",
    help="Also one score over a cell's scorers: all, all(A,B), A=2,B=1 (a weighted mean) or "
    "A=2,B=1>=0.7 (its share that reaches 0.7).",
)
@click.option(
    "--range",
    "ranges",
    multiple=True,
    metavar="SCORER=LOW:HIGH",
    help="The range of a score that is not within 0 and 1, so that no interval leaves it.",
)
@click.option("--bootstrap", is_flag=True, help="Intervals by bootstrap instead.")
def command(
    log_dir: str | None,
    as_json: bool,
    as_csv: bool,
    as_markdown: bool,
    rollups: tuple[str, ...],
    ranges: tuple[str, ...],
    bootstrap: bool,
) -> None:
    """Show every score of LOG_DIR with its interval, its denominators, and what retries did to it.

    Exit code 0: shown. 1: there is no log that can be read. 2: an option is malformed.
    """
    from evaltui.commands import score_tables
    from evaltui.commands.looking import output_glyphs, output_width

    if as_json + as_csv + as_markdown > 1:
        raise Usage("--json, --csv and --markdown exclude each other")
    found = read_report(log_dir, rollups, ranges, bootstrap=bootstrap)
    if as_json:
        import msgspec

        click.echo(msgspec.json.encode(found))
    elif as_csv:
        click.echo(score_tables.csv(found), nl=False)
    elif as_markdown:
        click.echo("\n".join(score_tables.markdown(found)))
    else:
        for line in score_tables.lines(found, output_glyphs(), output_width()):
            click.echo(line)
    if not found.rows:
        click.echo(f"evaltui: {found.log_dir} holds no log that can be read.", err=True)
        sys.exit(1)


def read_report(
    log_dir: str | None,
    rollups: tuple[str, ...] = (),
    ranges: tuple[str, ...] = (),
    *,
    bootstrap: bool = False,
) -> Report:
    """The report on a log directory as it was named. Raises Usage."""
    import msgspec

    from evaltui.stats.from_logs import read_set
    from evaltui.stats.report import report
    from evaltui.stats.rolled import RuleError, parse_rule

    directory = directory_there(log_dir)
    try:
        rules = [parse_rule(text) for text in rollups]
    except RuleError as error:
        raise Usage(str(error)) from None
    known = dict(_range(text) for text in ranges)
    try:
        planned = planned_by_log(directory)
        scores = read_set(directory, chosen=planned, planned=planned)
    except OSError as error:
        raise Usage(f"{directory} can't be read: {error.strerror or error}") from None
    found = report(
        scores,
        str(directory),
        rules=rules,
        ranges=known,
        method="bootstrap" if bootstrap else None,
    )
    places = {log: place for place, log in enumerate(planned)}
    return msgspec.structs.replace(
        found, rows=tuple(sorted(found.rows, key=lambda row: places.get(row.log, len(places))))
    )


def planned_by_log(directory: Path) -> dict[str, int]:
    """The logs that the set's plan takes its cells' results from, in the order of the set.

    Log name -> samples x epochs that the set asks of the cell today, 0 where it is not known.
    """
    from evaltui.commands.looking import look
    from evaltui.engine.rows import cell_rows

    try:
        seen = look(directory)
    except Usage:
        return {}  # logs that belong to no set have scores too
    rows = cell_rows(seen.state, seen.settings, 0.0)
    logs = zip(seen.state.cells.values(), rows, strict=True)
    return {Path(cell.log).name: row.total or 0 for cell, row in logs if cell.log}


def _range(text: str) -> tuple[str, Bounds]:
    scorer, _, limits = text.rpartition("=")
    low, _, high = limits.partition(":")
    try:
        bounds = float(low), float(high)
    except ValueError:
        bounds = (0.0, 0.0)
    if not scorer or not bounds[0] < bounds[1]:
        raise Usage(f"--range {text} is not SCORER=LOW:HIGH, as in judge=1:10")
    return scorer, bounds
