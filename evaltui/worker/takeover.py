"""What an attempt takes over from the cell's logs: which records, scored how, in what seed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evaltui.logs.archive import LogError
from evaltui.logs.attempt import Order, SampleId
from evaltui.logs.layout import Layout
from evaltui.logs.reading import read_summaries
from evaltui.logs.records import SampleSummary
from evaltui.reuse import Decision, SampleRef, Source
from evaltui.worker.checkpoints import found_checkpoints, offer
from evaltui.worker.failures import Refused
from evaltui.worker.hooks import LONGEST_ERROR
from evaltui.worker.prepare import Prepared
from evaltui.worker.realise import RealCell
from evaltui.worker.rescore import rescored
from evaltui.worker.seed import Place, Places, Seed, make_seed, places


@dataclass(frozen=True)
class Kept:
    """A sample taken over, with what its `sample_end` says."""

    id: SampleId
    epoch: int
    facts: Mapping[str, Any]


@dataclass(frozen=True)
class Takeover:
    """task_id: of the cell's logs so far, so that Inspect takes the new one for their successor."""

    seed: Seed | None = None
    task_id: str | None = None
    kept: tuple[Kept, ...] = ()
    rescored: frozenset[SampleRef] = field(default_factory=frozenset)


def take_over(
    order: Order, layout: Layout, prepared: Prepared, cell: RealCell, scratch: Path
) -> Takeover:
    """Everything the attempt takes over. Raises Blocked where a scorer can't score again, and
    Refused where a log can't be read any more.
    """
    names = prepared.decision.logs or tuple(log.name for log in prepared.history)
    if not names:
        return Takeover()
    try:
        return _taken(order, layout, prepared, cell, scratch, layout.log_dir / names[0])
    except LogError as error:
        raise Refused(str(error)) from error


def _taken(
    order: Order,
    layout: Layout,
    prepared: Prepared,
    cell: RealCell,
    scratch: Path,
    best: Path,
) -> Takeover:
    from inspect_ai.log import read_eval_log

    decision = prepared.decision
    stay = places(layout.log_dir, {**_grown(prepared), **decision.kept, **_tolerated(prepared)})
    again = _to_score_again(order, decision, stay)
    scored = rescored({ref: stay[ref] for ref in again}, cell.task, cell.model, cell.roles, scratch)
    stay = {**stay, **scored}
    records = {**places(layout.log_dir, decision.carried), **stay}
    setting = cell.arguments.get("checkpoint")
    checkpoints = found_checkpoints(layout.log_dir, prepared, cell.task, setting)
    seed = None
    if records or checkpoints:
        file = scratch / "seed.eval"
        seed = make_seed(records, prepared, cell.task, best, file, alone=not checkpoints)
        if checkpoints:
            offer(checkpoints, seed.file, cell.task, setting)
    return Takeover(
        seed=seed,
        task_id=read_eval_log(str(best), header_only=True).eval.task_id,
        kept=tuple(_kept(stay)),
        rescored=frozenset(scored),
    )


def _grown(prepared: Prepared) -> dict[SampleRef, Source]:
    """Finished samples that a growing task made for itself while it ran, by id and epoch.

    No load shows them; the task makes the same again and would pay for them again.
    """
    if not prepared.growing:
        return {}
    shown = {str(id) for id in prepared.decision.ids}
    by_name = {log.name: log for log in prepared.history}
    found: dict[SampleRef, Source] = {}
    for name in prepared.decision.logs:
        for sample in by_name[name].samples:
            if sample.state == "clean" and str(sample.id) not in shown:
                ref = (sample.id, sample.epoch)
                found.setdefault(ref, Source(name, sample.id, sample.epoch, sample.uuid))
    return found


def _tolerated(prepared: Prepared) -> dict[SampleRef, Source]:
    """Errored records that stay as they are: they lie under their own id in the log named."""
    return {
        (verdict.id, verdict.epoch): Source(verdict.log, verdict.id, verdict.epoch)
        for verdict in prepared.decision.verdicts
        if verdict.verdict == "tolerated" and verdict.log is not None
    }


def _to_score_again(order: Order, decision: Decision, stay: Places) -> list[SampleRef]:
    """Those that today's scorers did not score; where a person asked for it, all, errored ones
    only where errors are scored too.
    """
    if order.action != "rescore" or not order.rescore_all:
        return [ref for ref in stay if ref in decision.rescore]
    errors_too = order.settings.get("score_on_error") is True
    return [ref for ref in stay if errors_too or ref in decision.kept]


def _kept(stay: Mapping[SampleRef, Place]) -> list[Kept]:
    rows = {
        path: {row.key: row for row in read_summaries(path)}
        for path in {place.path for place in stay.values()}
    }
    found = []
    for ref, place in stay.items():
        row = rows[place.path][str(place.id), place.epoch]
        found.append(Kept(*ref, facts=facts(row)))
    return found


def facts(row: SampleSummary) -> dict[str, Any]:
    """What a `sample_end` says of a sample that lies in a log."""
    return {
        "uuid": row.uuid,
        "scores": row.scores,
        "error": row.error[:LONGEST_ERROR] if row.error is not None else None,
        "limit": row.limit,
        "retries": row.retries,
        "seconds": row.total_time,
        "tokens": row.tokens,
    }
