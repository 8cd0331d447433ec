"""A worker's events added up into the `Progress` of its attempt. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from types import MappingProxyType

from msgspec.structs import replace

from evaltui.cells import Cell, is_model
from evaltui.engine.state import MOST_ERRORS, CellState, OtherModel, Progress
from evaltui.logs import attempt as ev


def with_events(cell: CellState, events: Iterable[ev.Event]) -> CellState:
    """`cell` after events of its latest attempt. It stays `running` until the engine judges."""
    if cell.progress is None:
        return cell
    tally = _Tally(cell.progress, cell.cell)
    metrics = cell.metrics
    for event in events:
        match event:
            case ev.SampleStart():
                tally.busy += 1
            case ev.SampleEnd():
                tally.sample(event)
            case ev.Ended():
                metrics = event.metrics or metrics
                tally.ended(event)
            case _:
                tally.other(event)
    return replace(cell, progress=tally.progress(), metrics=metrics)


class _Tally:
    """The counts of an attempt while its events are added up."""

    def __init__(self, progress: Progress, cell: Cell) -> None:
        self.base = progress
        self.cell = cell
        self.others = dict(progress.others)
        self.done = progress.done
        self.errored = progress.errored
        self.errored_kept = progress.errored_kept
        self.limited = progress.limited
        self.retried = progress.retried
        self.busy = progress.busy
        self.tokens = progress.tokens
        self.first_done = progress.first_done
        self.last_done = progress.last_done
        self.errors = dict(progress.errors)

    def progress(self) -> Progress:
        return replace(
            self.base,
            done=self.done,
            errored=self.errored,
            errored_kept=self.errored_kept,
            limited=self.limited,
            retried=self.retried,
            busy=self.busy,
            tokens=self.tokens,
            first_done=self.first_done,
            last_done=self.last_done,
            errors=MappingProxyType(self.errors),
            others=MappingProxyType(self.others),
        )

    def sample(self, event: ev.SampleEnd) -> None:
        if event.error is not None and not event.cancelled:
            self.errored += 1
            self.errored_kept += event.reused
            if event.error in self.errors or len(self.errors) < MOST_ERRORS:
                self.errors[event.error] = self.errors.get(event.error, 0) + 1
        if event.reused:
            return
        self.busy = max(0, self.busy - 1)
        self.tokens += event.tokens
        self.retried += bool(event.retries)
        if event.cancelled:
            return
        self.done += 1
        self.limited += event.limit is not None
        self.first_done = event.t if self.first_done is None else self.first_done
        self.last_done = event.t

    def other(self, event: ev.Event) -> None:
        match event:
            case ev.Started():
                self.base = replace(self.base, pid=event.pid)
            case ev.Loaded():
                self.base = replace(
                    self.base,
                    samples=event.samples,
                    epochs=event.epochs,
                    total=event.total,
                    tolerates=event.tolerates,
                    growing=event.growing,
                    sandbox=event.sandbox,
                    loaded_at=event.t,
                )
            case ev.Reuse():
                self.base = replace(self.base, reused=event.counts.get("reuse", 0))
            case ev.ModelCalls():
                for model, calls in event.calls.items():
                    name, other = self.other_model(model)
                    self.others[name] = replace(other, calls=other.calls + calls)
            case ev.ModelRetry() if not is_model(self.cell.model, event.model):
                name, other = self.other_model(event.model)
                self.others[name] = replace(
                    other,
                    retries=other.retries + 1,
                    retry_at=event.t + event.wait,
                    retry_status=event.status,
                )
            case ev.ModelRetry():
                self.base = replace(
                    self.base,
                    retries=self.base.retries + 1,
                    retry_at=event.t + event.wait,
                    retried_at=event.t,
                    retry_status=event.status,
                    retry_error=event.error,
                )
            case ev.LogPath():
                self.base = replace(self.base, log=event.path)
            case _:
                pass

    def other_model(self, said: str) -> tuple[str, OtherModel]:
        """Its name, whole where the roles or an earlier event have it, and what is known of it."""
        known = (*self.cell.roles_by_model, *self.others)
        name = next((each for each in known if is_model(each, said)), said)
        bare = next((each for each in self.others if each != name and is_model(name, each)), name)
        return name, self.others.pop(bare, None) or OtherModel()

    def ended(self, event: ev.Ended) -> None:
        self.busy = 0
        self.base = replace(self.base, ended=event.status, log=event.log or self.base.log)
