"""Before anything is called: what the task holds now, which samples that leaves to run, and whether
that is what the plan said.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from evaltui.logs.archive import LogError
from evaltui.logs.attempt import LoadedTask, Order, Rules, Verdict
from evaltui.logs.draws import read_draw
from evaltui.logs.fingerprints import fingerprint_log
from evaltui.logs.history import read_logged
from evaltui.logs.layout import Layout
from evaltui.logs.logged import LoggedLog
from evaltui.logs.reading import read_log
from evaltui.reuse import Decision, decide
from evaltui.worker.failures import Blocked, HeldBack, Replan
from evaltui.worker.load import described
from evaltui.worker.traits import Traits

if TYPE_CHECKING:
    from inspect_ai import Task
    from inspect_ai.dataset import Sample


@dataclass(frozen=True)
class Prepared:
    """What the task shows now and what is decided on it.

    history: the cell's readable logs. growing: further samples may come while the task runs.
    """

    loaded: LoadedTask
    decision: Decision
    history: tuple[LoggedLog, ...]
    growing: bool = False

    @property
    def total(self) -> int:
        """Samples x epochs that are asked for."""
        return len(self.decision.wanted) * self.decision.epochs


def prepare(order: Order, layout: Layout, task: Task, traits: Traits) -> Prepared:
    """Decide on every sample, from a fresh load. Raises Blocked, HeldBack and Replan."""
    loaded = described(order.cell, task, traits)
    history = tuple(_history(layout, order.logs))
    decision = decide(
        loaded,
        order.rules,
        history,
        fail_on_error=order.fail_on_error,
        error_rule=order.error_rule,
        draw=read_draw(layout, order.cell.key),
        salt=order.eval_set_id,
        scoring=scores(order),
    )
    if decision.blocked is not None:
        raise Blocked(decision.blocked)
    if decision.held is not None:
        raise HeldBack(decision.held)
    if order.verdicts is not None:
        _compare(order.verdicts, decision.verdicts)
    return Prepared(loaded, decision, history, traits.growing)


def scores(order: Order) -> bool:
    """Whether the attempt scores its samples."""
    return order.settings.get("score") is not False


def arrange(task: Task, decision: Decision, rules: Rules) -> None:
    """Give the samples the ids that were decided, in an order from which the slice takes them.

    The slice itself stays Inspect's to make, so that the log says truly what was asked for.
    """
    from inspect_ai.dataset import MemoryDataset

    dataset = task.dataset
    samples = list(dataset)
    for sample, id in zip(samples, decision.ids, strict=True):
        sample.id = id
    task.dataset = MemoryDataset(
        _ordered(samples, decision.wanted, rules),
        name=dataset.name,
        location=dataset.location,
        shuffled=dataset.shuffled or bool(rules.sample_shuffle),
    )


def _ordered(samples: Sequence[Sample], wanted: Sequence[int], rules: Rules) -> list[Sample]:
    chosen = frozenset(wanted)
    rest = [sample for place, sample in enumerate(samples) if place not in chosen]
    before = rules.limit[0] if isinstance(rules.limit, tuple) else 0
    return [*rest[:before], *(samples[place] for place in wanted), *rest[before:]]


def _history(layout: Layout, names: Iterable[str]) -> Iterable[LoggedLog]:
    """The cell's logs with fingerprints; one that can't be read is the plan's to report."""
    for name in names:
        file = read_log(layout.log_dir / name)
        if file.header is None:
            continue
        try:
            log = read_logged(layout, file)
            if not log.fingerprinted:
                fingerprint_log(layout, file)
                log = read_logged(layout, file)
        except LogError as error:
            print(error)
            continue
        yield log


def _compare(planned: Iterable[Verdict], decided: Iterable[Verdict]) -> None:
    said, found = _outcomes(planned), _outcomes(decided)
    if said != found:
        differ = len({key[:2] for key in said ^ found})
        samples = "sample" if differ == 1 else "samples"
        raise Replan(
            f"What was loaded differs from the plan in {differ} {samples}; it is planned again."
        )


def _outcomes(verdicts: Iterable[Verdict]) -> set[tuple[str, int, str, str | None]]:
    return {(str(each.id), each.epoch, each.verdict, each.reason) for each in verdicts}
