"""Key to paint, bytes and CPU of the screen while workers report, at rest and at 2,000 events/s.

    python benchmarks/busy_screen.py [--events 2000] [--keys 60]

Writes a directory whose twelve cells run (this process holds their locks, and appends to their
events what workers would), opens `evaltui` on it in a terminal of 120x35 and walks the cursor. A
key is painted when the cursor's mark stands in another line. Prints milliseconds, bytes a second
from the terminal and CPU percent of the app for each rate, and the ratio of the two p95.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from evaltui.engine.lock import EngineLock
from evaltui.engine.tail import Tail
from evaltui.logs import attempt as ev
from evaltui.logs import journal as jn
from evaltui.logs.files import append_lines, try_lock
from evaltui.logs.layout import Layout
from tests.tui.terminals import Terminal

SAMPLES = 100_000
BEATS = 20
"""In how many portions a second events are appended."""


def make_set(layout: Layout) -> list[str]:
    """Twelve cells, all running; the names of their attempts."""
    tasks = "".join(f'[[task]]\nfile = "t.py"\nname = "task_{n}"\n' for n in range(4))
    models = "".join(f'[[model]]\nname = "sim/model-{n}"\n' for n in range(3))
    layout.private.mkdir(parents=True)
    layout.spec.write_text(f'version = 1\nroot = "."\n{tasks}{models}')
    now = time.time()
    entries: list[jn.Entry] = [jn.EngineStarted(t=now, pid=os.getpid(), host="here")]
    attempts = []
    for number, key in enumerate(Tail(layout).poll().cells):
        attempt = f"a{number}"
        attempts.append(attempt)
        entries += [
            jn.Planned(t=now, cell=key, action="run", total=SAMPLES, run=SAMPLES),
            jn.Launched(t=now, cell=key, attempt=attempt, number=1, reason="new"),
        ]
        layout.attempt(attempt).folder.mkdir(parents=True)
        append_lines(
            layout.attempt(attempt).events,
            [
                ev.Started(t=now, attempt=attempt, pid=os.getpid(), host="here"),
                ev.Loaded(t=now, samples=SAMPLES, epochs=1, total=SAMPLES, scorers=("match",)),
            ],
        )
    append_lines(layout.journal, entries)
    return attempts


def report(log_dir: Path, attempts: list[str], rate: int) -> None:
    """What workers do: append sample starts and ends, `rate` a second in all. Never returns."""
    layout = Layout(log_dir)
    each = max(1, round(rate / BEATS / 2 / len(attempts)))
    number, due = 0, time.monotonic()
    while True:
        for attempt in attempts:
            events: list[ev.Event] = []
            for sample in range(number, number + each):
                now = time.time()
                events += [
                    ev.SampleStart(t=now, id=sample, epoch=1),
                    ev.SampleEnd(
                        t=now, id=sample, epoch=1, uuid=f"{attempt}-{sample}",
                        scores={"match": 1.0}, seconds=1.0, tokens=100,
                    ),
                ]  # fmt: skip
            append_lines(layout.attempt(attempt).events, events)
        number += each
        due += 1 / BEATS
        time.sleep(max(0.0, due - time.monotonic()))


@contextmanager
def running_set(rate: int) -> Iterator[Path]:
    """A directory in which `rate` events a second are reported, minded by this process."""
    with tempfile.TemporaryDirectory() as folder:
        layout = Layout(Path(folder) / "logs")
        attempts = make_set(layout)
        held = EngineLock.take(layout, now=time.time())
        locks = [try_lock(layout.attempt(name).lock) for name in attempts]
        writer = multiprocessing.Process(target=report, args=(layout.log_dir, attempts, rate))
        if rate:
            writer.start()
        try:
            yield layout.log_dir
        finally:
            if rate:
                writer.kill()
                writer.join()
            for lock in locks:
                assert lock is not None
                os.close(lock)
            held.release()


def measured(rate: int, keys: int) -> float:
    """Prints the figures at this rate; p95 in ms."""
    with running_set(rate) as log_dir:
        terminal = Terminal(sys.executable, "-m", "evaltui", str(log_dir), size=(120, 35))
        try:
            terminal.wait_for("sim/model-2")
            terminal.wait_for("? help")
            terminal.read(3)
            before, began = cpu_seconds(terminal.pid), time.monotonic()
            sent = len(terminal.read(5))
            took = time.monotonic() - began
            cpu = (cpu_seconds(terminal.pid) - before) / took
            times = [step(terminal, b"j" if n % 20 < 10 else b"k") for n in range(keys)]
        finally:
            terminal.close()
    p95 = statistics.quantiles(times, n=20)[-1]
    print(
        f"{rate:>5} events/s: key to paint p50 {statistics.median(times):.0f} ms, p95 {p95:.0f} ms,"
        f" max {max(times):.0f} ms; {sent / took:,.0f} bytes/s; CPU {cpu:.0%}"
    )
    return p95


def step(terminal: Terminal, key: bytes) -> float:
    """Milliseconds until the cursor stands elsewhere; a pause first, so that steps are apart."""
    terminal.read(0.13)
    was = cursor_line(terminal)
    began = time.perf_counter()
    terminal.type(key)
    while cursor_line(terminal) == was:
        terminal.read(0.002)
    return (time.perf_counter() - began) * 1000


def cursor_line(terminal: Terminal) -> int:
    return next((n for n, line in enumerate(terminal.screen.display) if "┃›" in line), -1)


def cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--events", type=int, default=2000)
    parser.add_argument("--keys", type=int, default=60)
    asked = parser.parse_args()
    quiet = measured(0, asked.keys)
    busy = measured(asked.events, asked.keys)
    print(f"p95 busy / quiet: {busy / quiet:.2f}")
