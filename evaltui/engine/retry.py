"""When a failed cell runs again, and when it is given up. Pure: the time comes as an argument."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import msgspec

RETRY_WAIT = 30.0
RETRY_ATTEMPTS = 10
LONGEST_WAIT = 3600.0
REPEATS = 3
"""So many reruns in a row that bring nothing but the failure before them make a cell stuck.

The first such rerun may only show that its wait was short, so the waits have doubled twice by then.
"""

FailedSample = tuple[str, int, str]
"""(id as a string, epoch, error message)."""


class RetryRules(msgspec.Struct, frozen=True):
    """wait: seconds before the first rerun. attempts: reruns of a cell, the first run left out."""

    wait: float = RETRY_WAIT
    attempts: int = RETRY_ATTEMPTS
    immediate: bool = False

    @classmethod
    def of(cls, settings: Mapping[str, Any]) -> RetryRules:
        """The rules that a spec's settings say."""
        return cls(
            wait=float(settings.get("retry_wait", RETRY_WAIT)),
            attempts=int(settings.get("retry_attempts", RETRY_ATTEMPTS)),
            immediate=bool(settings.get("retry_immediate", False)),
        )

    def seconds(self, failures: int) -> float:
        """How long a cell waits after its `failures`-th failure in a row, counted from 1."""
        if self.immediate:
            return 0.0
        doublings = min(failures - 1, 32)
        return min(self.wait * 2.0**doublings, LONGEST_WAIT)


class Failure(msgspec.Struct, frozen=True):
    """What an attempt failed with. gained: clean samples it added to those there were."""

    samples: frozenset[FailedSample] = frozenset()
    error: str | None = None
    gained: int = 0


class Rerun(msgspec.Struct, frozen=True):
    """due: unix seconds; failures: how many in a row led here."""

    due: float
    failures: int


class GiveUp(msgspec.Struct, frozen=True):
    """No rerun by itself; `message` says why and the way out."""

    why: Literal["attempts", "stuck"]
    message: str


def after_failure(
    rules: RetryRules, failures: Sequence[Failure], count: int, now: float
) -> Rerun | GiveUp:
    """What follows a cell's `count`-th failure in a row.

    failures: the latest of them, oldest first, at least the last one.
    """
    if repeats(failures) >= REPEATS:
        return GiveUp("stuck", _stuck(failures[-1]))
    if count > rules.attempts:
        return GiveUp("attempts", _used_up(rules.attempts, failures[-1]))
    return Rerun(now + rules.seconds(count), count)


def repeats(failures: Sequence[Failure]) -> int:
    """How many of the last failures repeat the one before: same samples and errors, none gained."""
    count = 0
    for before, after in zip(failures[-2::-1], failures[:0:-1], strict=False):
        if after.gained or _signature(before) != _signature(after):
            break
        count += 1
    return count


def _signature(failure: Failure) -> tuple[frozenset[FailedSample], str]:
    samples = frozenset((id, epoch, plain_error(text)) for id, epoch, text in failure.samples)
    return samples, plain_error(failure.error or "")


def plain_error(text: str) -> str:
    """An error without what differs each time: addresses, counts, times; numbers read `#`."""
    return re.sub(r"0x[0-9a-fA-F]+|\d+(\.\d+)?", "#", text)


def _stuck(failure: Failure) -> str:
    what = _what(failure)
    return (
        f"Stuck: {REPEATS} reruns in a row failed with the same {what} and brought nothing; "
        "mend the cause, then run it again."
    )


def _used_up(attempts: int, failure: Failure) -> str:
    after = f"after {attempts} rerun{'' if attempts == 1 else 's'}" if attempts else "at once"
    return f"Failed {after} with {_what(failure)}; run it again once the cause is mended."


def _what(failure: Failure) -> str:
    samples = len(failure.samples)
    texts = sorted({text for _, _, text in failure.samples}) or [failure.error or "no error named"]
    shown = texts[0] if len(texts) == 1 else f"{texts[0]}, and {len(texts) - 1} more"
    where = f" on {samples} sample{'' if samples == 1 else 's'}" if samples else ""
    return f"error{where} ({shown})"
