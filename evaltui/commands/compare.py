"""`evaltui compare`: two cells, sets, logs or promptfoo results, sample by sample."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from evaltui.commands.set_options import Usage

if TYPE_CHECKING:
    from evaltui.stats.comparing import CellPair, Compared
    from evaltui.stats.sides import Side

VERSION = 1


@click.command("compare")
@click.argument("a")
@click.argument("b")
@click.option("--json", "as_json", is_flag=True, help="As JSON, for other programs.")
@click.option(
    "--id-variable",
    metavar="NAME",
    help="The promptfoo variable that names the sample; id, sample_id, case_id, test_id and _id "
    "are tried without it.",
)
@click.option(
    "--scorer",
    "scorers",
    multiple=True,
    metavar="B_NAME=A_NAME",
    help="A scorer of B that is the same as one of A under another name.",
)
def command(
    a: str, b: str, as_json: bool, id_variable: str | None, scorers: tuple[str, ...]
) -> None:
    """Compare A with B: each a log directory, a log, or a promptfoo results file.

    DIR::WORDS takes the cells of DIR that have all the words, parted by commas, in their key, task
    or model. Cells of one task and model belong together, or else those of one task.

    Exit code 0: compared. 1: nothing in A has a partner in B. 2: A or B can't be read.
    """
    from evaltui.stats.comparing import compare_sides
    from evaltui.stats.sides import SideError, read_side, renamed

    names = dict(_renaming(text) for text in scorers)
    try:
        first = read_side(a, id_variable=id_variable)
        second = renamed(read_side(b, id_variable=id_variable), names)
    except SideError as error:
        raise Usage(str(error)) from None
    found = compare_sides(first, second)
    if as_json:
        _print_json(found, first, second)
    else:
        for line in _lines(found, first, second):
            _say(line)
    sys.exit(0 if found.pairs else 1)


def _renaming(text: str) -> tuple[str, str]:
    old, found, new = text.partition("=")
    if not (old and found and new):
        raise Usage(f"--scorer {text} is not B_NAME=A_NAME, as in match=exact")
    return old, new


def _print_json(found: Compared, a: Side, b: Side) -> None:
    import msgspec

    skipped = [
        {"log": log, "reason": why} for side in (a, b) for log, why in sorted(side.skipped.items())
    ]
    document = {"version": VERSION, **msgspec.to_builtins(found), "skipped": skipped}
    click.echo(msgspec.json.encode(document))


def _lines(found: Compared, a: Side, b: Side) -> list[str]:
    lines = [line for pair in found.pairs for line in _pair_lines(pair)]
    if not found.pairs:
        lines.append(
            f"Nothing in {a.name} has a partner in {b.name}; name single cells with DIR::WORDS."
        )
    for side, names in ((a, found.unmatched_a), (b, found.unmatched_b)):
        lines += [f"no partner: {name} of {side.name}" for name in names]
        lines += [f"{log}: {why}" for log, why in sorted(side.skipped.items())]
    return lines


def _pair_lines(pair: CellPair) -> list[str]:
    from evaltui.stats.comparison_wording import (
        comparison_lines,
        reconciliation_lines,
        run_lines,
    )

    lines = [f"{pair.a}  against  {pair.b}"]
    lines += [f"  {line}" for run in pair.runs for line in run_lines(run)]
    if pair.reconciliation is not None:
        lines += [f"  {line}" for line in reconciliation_lines(pair.reconciliation)]
    for comparison in pair.comparisons:
        first, *rest = comparison_lines(comparison)
        lines += [f"  {first}", *(f"    {line}" for line in rest)]
    for scorers, who in ((pair.only_a, "first"), (pair.only_b, "second")):
        if scorers:
            lines.append(f"  only the {who} is scored by {', '.join(scorers)}")
    return lines


def _say(text: str) -> None:
    from evaltui.text import visible

    click.echo(visible(text))
