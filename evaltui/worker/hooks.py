"""Inspect's hooks made into the worker's events; nothing here decides anything."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from inspect_ai.hooks import (
    Hooks,
    ModelRetry,
    ModelUsageData,
    SampleAttemptEnd,
    SampleEnd,
    SampleStart,
    TaskEnd,
    TaskStart,
    hooks,
)

from evaltui.cells import is_model
from evaltui.worker import bridge
from evaltui.worker.events import EventLog

if TYPE_CHECKING:
    from inspect_ai.log import EvalSample


BETWEEN_CALLS = 1.0
"""Seconds between two events about the calls of other models."""

LONGEST_ERROR = 2000
"""Some errors quote whole web pages; the log has all of it."""


@dataclass
class Heard:
    """What the hooks have heard so far of the one eval of this process."""

    eval_id: str | None = None
    log: Path | None = None
    errored: int = 0
    first_error: str | None = None
    told: set[tuple[str, int]] = field(default_factory=set)
    """(id as a string, epoch) of the samples whose end was told."""
    retries: Counter[str] = field(default_factory=Counter)


class OtherCalls:
    """Answers of models other than the cell's own, told of once a second at most."""

    def __init__(self, events: EventLog, own: str) -> None:
        self._events = events
        self._own = own
        self._untold: Counter[str] = Counter()
        self._told_at = 0.0

    def count(self, model: str) -> None:
        if not is_model(self._own, model):
            self._untold[model] += 1
            if time.monotonic() - self._told_at >= BETWEEN_CALLS:
                self.tell()

    def tell(self) -> None:
        if self._untold:
            self._events.model_calls(dict(self._untold))
            self._untold.clear()
            self._told_at = time.monotonic()


def listen(events: EventLog, started: Callable[[str, str], None], model: str) -> Heard:
    """Register hooks that write events. Call before `eval()`; once in a process.

    started: called on the eval's loop with task id and eval id, before the first sample.
    model: the cell's own.
    """
    heard = Heard()
    others = OtherCalls(events, model)

    @hooks(name="evaltui", description="Tells evaltui how the attempt goes.")
    class Listener(Hooks):
        async def on_task_start(self, data: TaskStart) -> None:
            heard.eval_id = data.eval_id
            location = bridge.log_location(data.eval_id)
            if location is not None:
                heard.log = Path(location.removeprefix("file://"))
                events.log(heard.log.name)
            started(data.spec.task_id, data.eval_id)

        async def on_sample_start(self, data: SampleStart) -> None:
            events.sample_start(data.summary.id, data.summary.epoch)

        async def on_sample_attempt_end(self, data: SampleAttemptEnd) -> None:
            heard.retries[data.sample_id] += data.will_retry

        async def on_sample_end(self, data: SampleEnd) -> None:
            _sample_ended(events, heard, data.sample, heard.retries.pop(data.sample_id, 0))

        async def on_model_retry(self, data: ModelRetry) -> None:
            events.model_retry(
                data.model_name,
                data.wait_time,
                attempt=data.attempt,
                status=data.status_code,
                error=data.exception_type,
            )

        async def on_model_usage(self, data: ModelUsageData) -> None:
            others.count(data.model_name)

        async def on_task_end(self, data: TaskEnd) -> None:
            others.tell()

    return heard


def _sample_ended(events: EventLog, heard: Heard, sample: EvalSample, retries: int) -> None:
    error = sample.error.message if sample.error is not None else None
    cancelled = bridge.is_cancellation_message(error)
    if error is not None and not cancelled:
        heard.errored += 1
        heard.first_error = heard.first_error or error
    heard.told.add((str(sample.id), sample.epoch))
    events.sample_end(
        sample.id,
        sample.epoch,
        uuid=sample.uuid,
        scores=plain_scores(sample.scores),
        error=error[:LONGEST_ERROR] if error is not None else None,
        limit=sample.limit.type if sample.limit is not None else None,
        cancelled=cancelled,
        retries=retries,
        seconds=sample.total_time,
        tokens=sum(usage.total_tokens for usage in sample.model_usage.values()),
    )


def plain_scores(scores: Any) -> dict[str, Any]:
    """Scorer -> value, as JSON has it."""
    return {name: score.value for name, score in (scores or {}).items()}
