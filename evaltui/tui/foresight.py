"""What a change of the spec would do: cells and samples before and after, and what it costs. Pure.

Told from a preview, the plan made twice. Where a new cell has no log of its own, its size and its
cost are those that the cells of the same task on other models show.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

import msgspec
from msgspec.structs import replace

from evaltui.cells import Cell
from evaltui.plan import CellPlan
from evaltui.spec import SetSpec
from evaltui.tui.picture import Picture, Preview


class Figures(msgspec.Struct, frozen=True):
    """Sums over cells. samples = kept + tolerated + run; tokens, seconds: what `run` would cost.

    unknown: cells of which no log and no load tells the size. unpriced: samples to run for which
    no log tells the cost; they are in `run` and not in tokens and seconds.
    """

    cells: int = 0
    samples: int = 0
    kept: int = 0
    tolerated: int = 0
    run: int = 0
    tokens: int = 0
    seconds: float = 0.0
    unknown: int = 0
    unpriced: int = 0
    unchecked: int = 0


class Effect(msgspec.Struct, frozen=True):
    """What a change would do.

    added, gone: cells. going_by: models whose logs tell what new cells cost, where they have none
    of their own. problems: why entries of the new spec yield no cell. trouble: why the change can't
    be made at all.
    """

    before: Figures
    after: Figures
    added: int = 0
    gone: int = 0
    going_by: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    trouble: str = ""

    @property
    def more_to_run(self) -> int:
        """Samples to run beyond those that are to run anyhow; negative where they are fewer."""
        return self.after.run - self.before.run

    @property
    def tokens(self) -> int:
        """What the change costs beyond what is to be spent anyhow."""
        return self.after.tokens - self.before.tokens

    @property
    def seconds(self) -> float:
        """The same in seconds of samples one after another, which is no wall time."""
        return self.after.seconds - self.before.seconds


class Size(msgspec.Struct, frozen=True):
    """What an attempt has loaded of a task: items that the slice asks for, and its epochs."""

    samples: int
    epochs: int = 1


def sizes_of(picture: Picture, changed: SetSpec) -> dict[str, Size]:
    """Sizes by load key as attempts have loaded them; none where the change is to the slice."""
    if any(picture.settings.get(key) != changed.settings.get(key) for key in _SLICE):
        return {}
    return {
        state.cell.load_key: Size(state.progress.samples, state.progress.epochs)
        for state in picture.state.cells.values()
        if state.progress is not None and state.progress.samples
    }


_SLICE = ("limit", "sample_id", "sample_shuffle")


def effect(
    preview: Preview,
    known_problems: Iterable[str] = (),
    sizes: Mapping[str, Size] = MappingProxyType({}),
    epochs_before: int | None = None,
) -> Effect:
    """What the change of a preview would do.

    known_problems: said already, so not said again. sizes: by load key, for tasks that no log and
    no load tells of. epochs_before: of the spec as it is.
    """
    rates = _Rates(preview, sizes)
    old = [rates.sized(plan, epochs_before) for plan in preview.before.cells]
    new = [rates.sized(plan, preview.spec.epochs, alike=True) for plan in preview.plan.cells]
    added = set(preview.added)
    known = set(known_problems)
    return Effect(
        before=_figures(old),
        after=_figures(new),
        added=len(preview.added),
        gone=len(preview.removed),
        going_by=rates.going_by(cell for cell in preview.cells if cell.key in added),
        problems=tuple(p.message for p in preview.problems if p.message not in known),
        trouble=preview.trouble,
    )


def _paired(preview: Preview) -> Iterable[tuple[Cell, CellPlan]]:
    return zip(preview.cells, preview.plan.cells, strict=True)


def _figures(plans: Sequence[CellPlan]) -> Figures:
    return Figures(
        cells=len(plans),
        samples=sum(plan.total for plan in plans),
        kept=sum(plan.reuse for plan in plans),
        tolerated=sum(plan.tolerated for plan in plans),
        run=sum(plan.run for plan in plans),
        tokens=sum(plan.costs_tokens or 0 for plan in plans),
        seconds=sum(plan.costs_seconds or 0.0 for plan in plans),
        unknown=sum(not plan.total and plan.action == "run" for plan in plans),
        unpriced=sum(plan.run for plan in plans if plan.run and plan.costs_tokens is None),
        unchecked=sum(bool(plan.logs) and not plan.checked for plan in plans),
    )


class _Rate(msgspec.Struct):
    """What finished samples of one task took so far, and how many samples it has."""

    size: int = 0
    samples: int = 0
    tokens: int = 0
    seconds: float = 0.0
    models: dict[str, None] = msgspec.field(default_factory=dict)

    def take(self, cell: Cell, plan: CellPlan) -> None:
        self.size = max(self.size, plan.total)
        for count, tokens, seconds in (
            (plan.reuse, plan.saves_tokens, plan.saves_seconds),
            (plan.run, plan.costs_tokens, plan.costs_seconds),
        ):
            if count and tokens is not None:
                self.samples += count
                self.tokens += tokens
                self.seconds += seconds or 0.0
                self.models[cell.model] = None
                return


class _Rates:
    """Sizes and costs by task (file, name, args, solver), from the cells that have logs."""

    def __init__(self, preview: Preview, sizes: Mapping[str, Size]) -> None:
        self._sizes = sizes
        self._rates: dict[str, _Rate] = {}
        self._task_of: Mapping[str, str] = {cell.key: cell.load_key for cell in preview.cells}
        for cell, plan in _paired(preview):
            self._rates.setdefault(cell.load_key, _Rate()).take(cell, plan)

    def sized(self, plan: CellPlan, epochs: int | None, *, alike: bool = False) -> CellPlan:
        """The plan with a size where an attempt or, with `alike`, other cells tell it; priced."""
        load = self._task_of.get(plan.key, "")
        if not plan.total and plan.action in ("run", "running"):
            size = self._size(load, epochs, alike)
            if size:
                plan = replace(plan, total=size, run=size, costs_tokens=None, costs_seconds=None)
        return self._priced(plan, self._rates.get(load))

    def _size(self, load: str, epochs: int | None, alike: bool) -> int:
        if alike and (rate := self._rates.get(load)) is not None and rate.size:
            return rate.size
        loaded = self._sizes.get(load)
        return loaded.samples * (epochs or loaded.epochs) if loaded is not None else 0

    @staticmethod
    def _priced(plan: CellPlan, rate: _Rate | None) -> CellPlan:
        """The plan with costs where other models' logs tell them."""
        if rate is None or not rate.samples or not plan.run or plan.costs_tokens is not None:
            return plan
        return replace(
            plan,
            costs_tokens=round(rate.tokens * plan.run / rate.samples),
            costs_seconds=rate.seconds * plan.run / rate.samples,
        )

    def going_by(self, cells: Iterable[Cell]) -> tuple[str, ...]:
        """Models whose logs the costs of these cells go by."""
        models = (model for cell in cells for model in self._rates[cell.load_key].models)
        return tuple(dict.fromkeys(models))
