"""An attempt's work: the task loaded, the samples to keep handed over, `eval()` called."""

from __future__ import annotations

import contextlib
import traceback
from pathlib import Path
from typing import TYPE_CHECKING

from evaltui.logs.archive import LogError
from evaltui.logs.attempt import EndStatus, Order
from evaltui.logs.draws import write_draw
from evaltui.logs.fingerprints import write_fingerprints
from evaltui.logs.layout import AttemptPaths, Layout
from evaltui.logs.metrics import metrics_of
from evaltui.logs.reading import read_summaries
from evaltui.logs.records import SampleSummary
from evaltui.reuse import attempt_fingerprints
from evaltui.worker import bridge, session, tolerance
from evaltui.worker.buffer import kept_buffer_folder
from evaltui.worker.draining import Drain
from evaltui.worker.events import EventLog
from evaltui.worker.failures import Refused
from evaltui.worker.hooks import Heard, listen
from evaltui.worker.outcome import outcome
from evaltui.worker.prepare import Prepared, arrange, prepare, scores
from evaltui.worker.realise import RealCell, realise
from evaltui.worker.scratch import scratch_folder
from evaltui.worker.takeover import Takeover, facts, take_over

if TYPE_CHECKING:
    from inspect_ai.log import EvalLog


VERSION = 1
"""Of the orders that are understood here."""


def run(order: Order, paths: AttemptPaths, events: EventLog) -> EndStatus:
    """Carry the attempt out up to and with its `ended` event.

    Raises Blocked, Refused, Replan and HeldBack before the evaluated model is called.
    """
    if order.version > VERSION:
        raise Refused(f"{paths.order} was written by a newer evaltui; update this one.")
    layout = Layout(paths.folder.parents[2])
    session.enter(layout.log_dir / order.root)
    cell = realise(order)
    prepared = prepare(order, layout, cell.task, cell.traits)
    arrange(cell.task, prepared.decision, order.rules)
    _say_loaded(events, order, cell, prepared)
    if order.action != "rescore" and prepared.decision.action == "none":
        return _say_complete(events, layout, prepared)
    if paths.drain.exists():
        events.ended("cancelled")
        return "cancelled"
    with scratch_folder() as scratch, kept_buffer_folder(layout.log_dir):
        taken = take_over(order, layout, prepared, cell, scratch)
        drain = Drain(paths.drain, events)
        bridge.keep_unwritten_samples(events.log_unwritten)
        beginning = _Beginning(order, layout, prepared, taken, events, drain)
        heard = listen(events, beginning, order.cell.model)
        if prepared.decision.draw is not None:
            write_draw(layout, order.cell.key, prepared.decision.draw)
        log = _evaluated(order, cell, layout, prepared, taken)
    drained = order.action == "run" and drain.asked
    return _say_ended(events, heard, log, taken, prepared.total if drained else None)


def _say_loaded(events: EventLog, order: Order, cell: RealCell, prepared: Prepared) -> None:
    traits, decision = cell.traits, prepared.decision
    events.loaded(
        samples=len(decision.wanted),
        epochs=decision.epochs,
        total=prepared.total,
        scorers=traits.scorers,
        limits={**traits.limits, **order.rules.sample_limits},
        tolerates=decision.tolerates,
        task_version=traits.version,
        config=traits.config,
        solver=order.cell.solver or traits.solver,
        growing=traits.growing,
        sandbox=cell.sandbox.type if cell.sandbox is not None else None,
    )
    events.reuse(dict(decision.counts + decision.reasons), decision.remapped)


def _say_complete(events: EventLog, layout: Layout, prepared: Prepared) -> EndStatus:
    """Nothing to run and nothing to merge: the log that holds it all stands."""
    counts, log = prepared.decision.counts, prepared.decision.complete_in
    header = _header(layout.log_dir / log) if log is not None else None
    events.ended(
        "success",
        log=log,
        metrics=metrics_of(header.results if header is not None else None),
        errored=counts["tolerated"],
        completed=counts["reuse"],
    )
    return "success"


class _Beginning:
    """What is done when Inspect has begun the log and before it runs the first sample."""

    def __init__(
        self,
        order: Order,
        layout: Layout,
        prepared: Prepared,
        taken: Takeover,
        events: EventLog,
        drain: Drain,
    ) -> None:
        self._order = order
        self._layout = layout
        self._prepared = prepared
        self._taken = taken
        self._events = events
        self._drain = drain

    def __call__(self, task_id: str, eval_id: str) -> None:
        if self._order.action == "run":
            self._drain.watch(task_id)
        else:
            self._drain.now(task_id)  # nothing may run: a merge takes over what there is
        self._store_fingerprints(eval_id)
        for kept in self._taken.kept:
            self._events.sample_end(kept.id, kept.epoch, **kept.facts, reused=True)

    def _store_fingerprints(self, eval_id: str) -> None:
        fingerprints = attempt_fingerprints(
            eval_id,
            self._prepared.loaded,
            self._prepared.decision,
            self._prepared.history,
            rescored=bool(self._taken.rescored),
            scoring=scores(self._order),
        )
        write_fingerprints(self._layout, fingerprints)


def _evaluated(
    order: Order, cell: RealCell, layout: Layout, prepared: Prepared, taken: Takeover
) -> EvalLog | None:
    """The header of the log that Inspect wrote; None where it was torn down."""
    from inspect_ai import eval

    task = bridge.resolved_task(
        cell.task,
        id=taken.task_id or bridge.new_id(),
        args=order.cell.task_args,
        model=cell.model,
        model_roles=cell.roles,
        sandbox=cell.sandbox,
        previous=taken.seed.header if taken.seed else None,
        previous_file=taken.seed.file if taken.seed else None,
        checkpoint=cell.arguments.get("checkpoint"),
    )
    threshold = cell.traits.fail_on_error if order.fail_on_error is None else order.fail_on_error
    logs = eval(
        task,
        model=cell.model,
        model_roles=cell.roles,
        display="none",
        log_dir=str(layout.log_dir),
        log_format="eval",
        log_header_only=True,
        ctl_server=False,  # it takes the signals, and a solver that never yields would ignore them
        eval_set_id=order.eval_set_id,
        fail_on_error=tolerance.for_inspect(
            threshold, order.error_rule, prepared.total, cell.traits.growing
        ),
        **cell.arguments,
    )
    return logs[0] if logs else None


def _say_ended(
    events: EventLog, heard: Heard, log: EvalLog | None, taken: Takeover, asked: int | None
) -> EndStatus:
    """asked: samples asked for, where a drain may have left some out."""
    rows = _rows(heard.log)
    told = heard.told | {(str(kept.id), kept.epoch) for kept in taken.kept}
    for row in rows:
        # a cancellation can fall between a sample's record and the hook that tells of it
        if row.key not in told:
            events.sample_end(row.id, row.epoch, cancelled=row.cancelled, **facts(row))
    completed = sum(row.error is None for row in rows)
    errored = sum(row.error is not None and not row.cancelled for row in rows)
    missing = asked - completed - errored if asked is not None else 0
    header = log if log is not None else _header(heard.log)
    ended = outcome(header, heard, missing, events.trouble)
    events.ended(
        ended.status,
        error=ended.error,
        log=heard.log.name if heard.log is not None else None,
        metrics=ended.metrics,
        errored=errored,
        completed=completed,
    )
    return ended.status


def _rows(log: Path | None) -> list[SampleSummary]:
    try:
        return read_summaries(log) if log is not None else []
    except LogError:
        traceback.print_exc()
        return []


def _header(log: Path | None) -> EvalLog | None:
    """The header of a log whose eval was torn down; a cancelled one is whole."""
    from inspect_ai.log import read_eval_log

    with contextlib.suppress(Exception):
        return read_eval_log(str(log), header_only=True) if log is not None else None
    return None
