"""How long it takes to decide what becomes of 100,000 samples, in CPU seconds.

    python benchmarks/deciding.py [ITEMS]

With ids and without, without a log and with one whose questions stand in another order.
"""

from __future__ import annotations

import hashlib
import random
import sys
import time

from evaltui.logs.attempt import Item, LoadedTask, Rules
from evaltui.logs.logged import LoggedLog, LoggedSample
from evaltui.reuse import decide


def fingerprint(number: int) -> str:
    return hashlib.blake2b(str(number).encode(), digest_size=12).hexdigest()


def task(count: int, with_ids: bool) -> LoadedTask:
    items = (Item(n + 1 if with_ids else None, fingerprint(n)) for n in range(count))
    return LoadedTask(1, "t.py", "t", items=tuple(items))


def log(count: int, with_ids: bool) -> LoggedLog:
    """Every tenth sample errored."""
    order = list(range(count))
    if not with_ids:
        random.Random(1).shuffle(order)
    samples = (
        LoggedSample(
            id=place + 1,
            epoch=1,
            content=fingerprint(number),
            uuid=f"u{number}",
            state="clean" if number % 10 else "errored",
        )
        for place, number in enumerate(order)
    )
    return LoggedLog(name="log", created="2026", samples=tuple(samples), size=count)


def measured(loaded: LoadedTask, logs: list[LoggedLog]) -> str:
    began = time.process_time()
    decision = decide(loaded, Rules(), logs)
    took = time.process_time() - began
    return f"{took:6.2f} s  {dict(decision.counts)}"


if __name__ == "__main__":
    items = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    for with_ids in (True, False):
        said = "with ids" if with_ids else "without ids"
        loaded = task(items, with_ids)
        print(f"{items:,} items {said}, no log:  {measured(loaded, [])}")
        print(f"{items:,} items {said}, one log: {measured(loaded, [log(items, with_ids)])}")
