"""How an eval ended, as the attempt's `ended` event says it, judged by the log's header."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from evaltui.logs.attempt import EndStatus
from evaltui.logs.metrics import metrics_of
from evaltui.worker.failures import one_line
from evaltui.worker.hooks import Heard

if TYPE_CHECKING:
    from inspect_ai.log import EvalLog


@dataclass(frozen=True)
class Outcome:
    """metrics: scorer -> metric -> value, as far as the log has them."""

    status: EndStatus
    error: str | None
    metrics: Mapping[str, Mapping[str, float]]


def outcome(log: EvalLog | None, heard: Heard, missing: int, trouble: str | None = None) -> Outcome:
    """The outcome of an eval whose log's header is `log`; None where it was torn down.

    missing: samples that were asked for and neither finished nor errored: a drained task's log
    says success none the less. trouble: why the worker had to drain by itself, if it had to.
    """
    metrics = metrics_of(log.results if log is not None else None)
    if log is None or log.status == "cancelled":
        return Outcome("cancelled", None, metrics)
    if log.status == "success" and missing > 0 and trouble is not None:
        return Outcome("error", f"{trouble}, so nothing new was started", metrics)
    if log.status == "success":
        return Outcome("cancelled" if missing > 0 else "success", None, metrics)
    return Outcome("error", _why(log, heard), metrics)


def _why(log: EvalLog, heard: Heard) -> str:
    if log.error is not None:
        return one_line(log.error.message)
    if heard.errored:
        samples = "sample" if heard.errored == 1 else "samples"
        first = one_line(heard.first_error or "")
        return f"{heard.errored} {samples} errored, more than tolerated; the first with: {first}"
    return f"Inspect ended the log with status {log.status}"
