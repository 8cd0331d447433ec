"""`evaltui plan`: what a resume would do, sample by sample; it runs nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from evaltui.commands.set_options import default_log_dir, local_directory

if TYPE_CHECKING:
    from pathlib import Path

    from evaltui.cells import Cell
    from evaltui.logs.attempt import Verdict
    from evaltui.plan import Asked, CellPlan, Plan


@click.command("plan")
@click.argument("log_dir", required=False)
@click.option("--json", "as_json", is_flag=True, help="As JSON, for other programs.")
@click.option("--samples", is_flag=True, help="With the verdict of every sample.")
@click.option("--retry-errors", is_flag=True, help="As `run --retry-errors` would do.")
@click.option("--rescore", is_flag=True, help="As `run --rescore` would do.")
def command(
    log_dir: str | None, as_json: bool, samples: bool, retry_errors: bool, rescore: bool
) -> None:
    """Say what a resume of LOG_DIR would do: what is kept, what runs, and why.

    Each task is loaded once, in a process of its own; no model is called.
    """
    from evaltui.plan import Asked

    directory = local_directory(log_dir or default_log_dir())
    asked = Asked(retry_errors=retry_errors, rescore=rescore)
    plan, cells, problems = _foreseen(directory, asked)
    if as_json:
        form = plan_json(plan, cells, directory, samples)
        click.echo(json.dumps(form | {"problems": problems}, ensure_ascii=False))
        return
    for line in plan_lines(plan, cells, samples):
        click.echo(line)
    for problem in problems:
        click.echo(problem)


def _foreseen(directory: Path, asked: Asked) -> tuple[Plan, tuple[Cell, ...], list[str]]:
    from evaltui.commands.setting_up import require_writable, spec_there
    from evaltui.engine.clock import SystemClock
    from evaltui.engine.foresee import foresee
    from evaltui.engine.launcher import Launcher
    from evaltui.engine.tail import Tail
    from evaltui.engine.wanted import Wanted, cells_of
    from evaltui.logs.layout import Layout

    layout = Layout(directory)
    spec = spec_there(layout)
    require_writable(directory)
    wanted = Wanted(spec, cells_of(spec, directory))
    state = Tail(layout, wanted.cells.cells).poll()
    with Launcher(layout) as launcher:
        plan = foresee(layout, wanted, state, launcher, SystemClock(), asked=asked)
    return plan, wanted.cells.cells, [problem.message for problem in wanted.cells.problems]


def plan_lines(plan: Plan, cells: tuple[Cell, ...], samples: bool) -> Iterator[str]:
    """The plan as people read it: a line for each cell, then what does not belong, then the sum."""
    from evaltui.commands.lines import cell_names
    from evaltui.plan import totals
    from evaltui.plan_words import noted, word_of
    from evaltui.text import count, visible

    names = cell_names(cells, "×")
    for cell, each in zip(cells, plan.cells, strict=True):
        yield visible(f"{names[cell.key]}: {_cell_says(each)}")
        if samples:
            for verdict in each.verdicts:
                said = f"  {word_of(verdict.verdict):<10} {verdict.id}, epoch {verdict.epoch}"
                why = word_of(verdict.reason) if verdict.reason else noted(verdict)
                yield visible(f"{said}  {why}".rstrip())
    for stray in plan.strays:
        yield visible(f"{stray.name}: {stray.kind}, {stray.reason}")
    sums = totals(plan)
    yield (
        f"{count(sums['total'])} samples: {count(sums['reuse'])} kept, "
        f"{count(sums['tolerated'])} tolerated, {count(sums['run'])} to run"
    )


def _cell_says(plan: CellPlan) -> str:
    from evaltui.plan_words import notes, word_of
    from evaltui.text import count, duration, errors_said, short_count

    why = plan.blocked or plan.held
    if why:
        return f"{plan.action}: {why}"
    parts = [f"keeps {count(plan.reuse)} of {count(plan.total)}"]
    if plan.tolerated:
        parts.append(f"{errors_said(plan.tolerated)} tolerated")
    if plan.run:
        reasons = ", ".join(f"{count(n)} {word_of(why)}" for why, n in plan.reasons.items())
        parts.append(f"runs {count(plan.run)}{f' ({reasons})' if reasons else ''}")
    if plan.action == "merge":
        parts.append("joins its logs")
    if plan.action == "rescore":
        parts.append(f"scores {count(plan.rescore)} again")
    if plan.run and plan.costs_tokens:
        parts.append(
            f"costs ~{short_count(plan.costs_tokens)} tokens, "
            f"~{duration(plan.costs_seconds)} of sample time"
        )
    if plan.reuse and plan.saves_tokens:
        parts.append(
            f"saves {short_count(plan.saves_tokens)} tokens, "
            f"{duration(plan.saves_seconds)} of sample time"
        )
    return "; ".join([*parts, *notes(plan)])


# --- for other programs ---------------------------------------------------------------------------


def plan_json(plan: Plan, cells: Sequence[Cell], log_dir: Path, samples: bool) -> dict[str, Any]:
    """The plan for other programs; with `samples`, a verdict for each.

    `reason` stands with a cell that is blocked or held, `strays` where there are any.
    """
    of_cell = {cell.key: cell for cell in cells}
    rows = [_cell_json(each, of_cell[each.key], samples) for each in plan.cells]
    strays = [{"log": s.name, "kind": s.kind, "reason": s.reason} for s in plan.strays]
    form: dict[str, Any] = {"version": 1, "log_dir": str(log_dir), "cells": rows}
    return {**form, "strays": strays} if strays else form


def _cell_json(plan: CellPlan, cell: Cell, samples: bool) -> dict[str, Any]:
    row: dict[str, Any] = {
        "key": plan.key,
        "task": cell.task,
        "task_file": cell.task_file,
        "task_args": dict(cell.task_args),
        "model": cell.model,
        "action": plan.action,
        "log": plan.log,
        "samples": {
            "total": plan.total,
            "reuse": plan.reuse,
            "tolerated": plan.tolerated,
            "run": plan.run,
        },
        "reasons": dict(plan.reasons),
        "remapped": plan.remapped,
        "notes": list(plan.notes),
    }
    why = {"blocked": plan.blocked, "held": plan.held}.get(plan.action)
    if why is not None:
        row["reason"] = why
    if samples:
        row["verdicts"] = [_verdict_json(verdict) for verdict in plan.verdicts]
    return row


def _verdict_json(verdict: Verdict) -> dict[str, Any]:
    row = {"id": verdict.id, "epoch": verdict.epoch, "verdict": verdict.verdict}
    return {**row, "reason": verdict.reason} if verdict.verdict == "run" else row
