"""What an engine does when an attempt is over: the journal's entries, a recovery, a new plan."""

from __future__ import annotations

from collections.abc import Mapping

from evaltui.engine.attempts import Running, past_ending
from evaltui.engine.desk import Desk
from evaltui.engine.ending import Ending, ended, follows
from evaltui.engine.holds import held_by_engine
from evaltui.engine.housekeeping import after_completion
from evaltui.engine.retry import REPEATS, Failure, RetryRules
from evaltui.logs import journal as jn
from evaltui.logs.reading import read_log

MOST_REPLANS = 3
"""So often in a row may a load differ from the plan made just before it."""


def over(desk: Desk, running: Running, end: Ending) -> None:
    """Decide what follows from an attempt that is over. Raises OSError."""
    _recover(desk, running, end)
    state = desk.book.state.cells.get(running.cell)
    if state is None:
        desk.book.say(ended(running.cell, end, desk.now))  # the spec no longer has the cell
        return
    if end.status == "crashed" and running.unwatched and running.step is None:
        # nobody knows why: the machine may have gone down, and the next try costs no wait
        desk.book.say(ended(running.cell, end, desk.now))
        return
    if end.status == "success" and running.spec != desk.spec_number:
        desk.book.say(ended(running.cell, end, desk.now))
        desk.unplanned.add(running.cell)  # it may be complete by a spec that is no more
        return
    drained = end.status == "cancelled" and running.step == "drain"
    if drained and running.left_set and not desk.stopping:
        desk.book.say(ended(running.cell, end, desk.now))
        desk.unplanned.add(running.cell)  # it is back in the set: nobody cancelled it
        return
    rules = RetryRules.of(desk.wanted.spec.settings)
    earlier = failures_before(desk, running.cell, state.failures)
    stopped = running.step is not None
    desk.book.say(*follows(state, end, earlier, rules, desk.now, stopped=stopped))
    _then(desk, running, end)


def _then(desk: Desk, running: Running, end: Ending) -> None:
    key = running.cell
    if end.status != "replan":
        desk.replans.pop(key, None)
    if end.status == "success":
        desk.wishes.pop(key, None)
        after_completion(desk, key)
    if end.status == "replan":
        desk.replans[key] += 1
        desk.loads.forget(desk.cell(key))
        desk.unplanned.add(key)
        if desk.replans[key] >= MOST_REPLANS:
            desk.replans.pop(key)
            desk.book.say(_never_the_same(desk, key))
    if end.status == "crashed" and (sandbox := _sandbox(desk, end)) is not None:
        desk.book.tell(_containers(desk, key, sandbox), "warning")


def _recover(desk: Desk, running: Running, end: Ending) -> None:
    """A log that its worker could not finish (it was killed, the disk was full) is brought back."""
    if end.status == "success" or end.log is None:
        return
    path = desk.layout.log_dir / end.log
    if path.exists() and not read_log(path).finished:
        desk.recoveries.want(running.attempt, {end.log: running.cell})


def failures_before(desk: Desk, key: str, count: int) -> list[Failure]:
    """The cell's last failures in a row, oldest first, as many as telling `stuck` needs."""
    attempts = [
        entry.attempt
        for entry in desk.book.past
        if isinstance(entry, jn.AttemptEnded)
        and entry.cell == key
        and entry.status in ("error", "crashed")
    ]
    wanted = min(count, REPEATS)
    latest = attempts[-wanted:] if wanted else []
    return [past_ending(desk.layout, attempt).failure for attempt in latest]


def _never_the_same(desk: Desk, key: str) -> jn.Held:
    task = desk.cell(key).task
    reason = (
        f"The data of {task} differ at each load, so no plan of it comes true; give its samples "
        "ids that stay, or keep finished samples by place with --reuse id, then release it."
    )
    return held_by_engine(key, reason, desk.now)


def _sandbox(desk: Desk, end: Ending) -> str | None:
    """The kind of sandboxes a crashed worker may have left behind; local ones leave nothing."""
    header = read_log(desk.layout.log_dir / end.log).header if end.log else None
    sandbox = header.sandbox if header else None
    kind = sandbox.get("type") if isinstance(sandbox, Mapping) else None
    return None if kind in (None, "local") else str(kind)


def _containers(desk: Desk, key: str, sandbox: str) -> str:
    cell = desk.cell(key)
    return (
        f"The worker of {cell.task} on {cell.model} ended while it had sandboxes; "
        f"`inspect sandbox cleanup {sandbox}` removes what it left behind."
    )
