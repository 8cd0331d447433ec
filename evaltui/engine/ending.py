"""How an attempt ended and what follows from it: entries for the journal. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from evaltui.engine.holds import held_by_engine
from evaltui.engine.retry import Failure, GiveUp, RetryRules, after_failure
from evaltui.engine.state import CellState
from evaltui.logs import attempt as ev
from evaltui.logs import journal as jn

NEVER_STARTED = "The worker never started."
CRASHED = "The worker ended without a word; its output.log may say why."


class Ending(msgspec.Struct, frozen=True):
    """An attempt from its events. status: the worker's last word, `crashed` where there is none.

    gained: clean samples it finished. done: those and errored ones. reused: samples it kept.
    started: whether the worker said anything at all.
    """

    attempt: str
    status: str
    error: str | None = None
    log: str | None = None
    metrics: Mapping[str, Mapping[str, float]] = msgspec.field(default_factory=dict)
    failed: frozenset[tuple[str, int, str]] = frozenset()
    gained: int = 0
    done: int = 0
    reused: int = 0
    started: bool = False

    @property
    def errors(self) -> dict[str, int]:
        return dict(Counter(text for _, _, text in self.failed))

    @property
    def failure(self) -> Failure:
        return Failure(self.failed, self.error, self.gained)


def ending(attempt: str, events: Iterable[ev.Event], crash: str = CRASHED) -> Ending:
    """What the events of an attempt add up to; `crash` is its error where it has no last word."""
    failed: dict[tuple[str, int], str | None] = {}
    reused = 0
    log: str | None = None
    started = False
    last: ev.Ended | None = None
    for event in events:
        match event:
            case ev.SampleEnd(reused=True):
                reused += 1
            case ev.SampleEnd(cancelled=False):
                failed[str(event.id), event.epoch] = event.error
            case ev.LogPath():
                log = event.path
            case ev.Ended():
                last = event
            case ev.Started():
                started = True
            case _:
                pass
    errors = frozenset((id, epoch, text) for (id, epoch), text in failed.items() if text)
    return Ending(
        attempt=attempt,
        status=last.status if last else "crashed",
        error=last.error if last else crash if started else NEVER_STARTED,
        log=_name(last.log if last and last.log else log),
        metrics=last.metrics if last else {},
        failed=errors,
        gained=len(failed) - len(errors),
        done=len(failed),
        reused=reused,
        started=started,
    )


def _name(path: str | None) -> str | None:
    return path.rsplit("/", 1)[-1] if path else None


def ended(cell: str, end: Ending, now: float) -> jn.AttemptEnded:
    """The end of an attempt of the cell with this key, as the journal has it."""
    return jn.AttemptEnded(
        t=now,
        cell=cell,
        attempt=end.attempt,
        status=end.status,
        error=end.error,
        log=end.log,
        errors=end.errors,
        gained=end.gained,
        metrics=end.metrics,
    )


def follows(
    cell: CellState,
    end: Ending,
    earlier: Sequence[Failure],
    rules: RetryRules,
    now: float,
    *,
    stopped: bool = False,
) -> list[jn.Entry]:
    """The entries that an ended attempt leads to.

    earlier: the cell's failures in a row before this attempt, oldest first, as far as known.
    stopped: the engine had asked it to stop, which is no failure.
    """
    key = cell.cell.key
    over = ended(key, end, now)
    if end.status == "cancelled" or (stopped and end.status in ("crashed", "error")):
        return [over, jn.Cancelled(t=now, cell=key)]
    match end.status:
        case "success":
            return [over, _completed(cell, end, now)]
        case "blocked" | "refused":
            return [over, jn.Blocked(t=now, cell=key, reason=end.error or "A person has to act.")]
        case "held":
            return [over, held_by_engine(key, end.error or "", now)]
        case "replan":
            return [over]
        case _:
            return [over, _after_failure(cell, [*earlier, end.failure], rules, now)]


def _completed(cell: CellState, end: Ending, now: float) -> jn.Completed:
    progress = cell.progress
    errored = progress.errored if progress else len(end.failed)
    return jn.Completed(
        t=now,
        cell=cell.cell.key,
        log=end.log,
        metrics=end.metrics,
        samples=end.done + end.reused,
        errored=errored,
    )


def _after_failure(
    cell: CellState, failures: Sequence[Failure], rules: RetryRules, now: float
) -> jn.Entry:
    key = cell.cell.key
    step = after_failure(rules, failures, cell.failures + 1, now)
    if isinstance(step, GiveUp):
        return jn.Failed(t=now, cell=key, why=step.why, message=step.message)
    return jn.RerunScheduled(t=now, cell=key, due=step.due, failures=step.failures)
