"""Whatever is killed at whatever moment, nothing finished is lost and nothing is paid twice."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter

import pytest

from evaltui.engine.workers import lives
from evaltui.logs.index import list_logs
from evaltui.logs.layout import Layout
from tests.engines import end_workers, worker_pids, write_spec
from tests.sets import Scratch, wait_until

pytestmark = pytest.mark.slow

AT_ONCE = 2
SAMPLES = 8
MODELS = "ab"
KILLS = int(os.environ.get("EVALTUI_TEST_KILLS", "4"))


class Victim:
    """A set whose engine runs in a process of its own, that can be killed and started again."""

    def __init__(self, cases: Scratch, seed: int) -> None:
        self.cases = cases
        self.layout = Layout(cases.logs)
        self.random = random.Random(seed)
        self.epochs = 1
        self.lost = 0
        self._write()

    def _write(self) -> None:
        task = f'name = "counted"\nargs = {{ n = {SAMPLES}, sleep = 0.3 }}'
        rules = (f"epochs = {self.epochs}", f"max_samples = {AT_ONCE}", "retry_wait = 0")
        write_spec(self.cases, *rules, task=task, models=MODELS)

    def start(self) -> subprocess.Popen[str]:
        return self.cases.start("run", "logs", "--json")

    def to_run(self) -> list[tuple[str, str, str]]:
        """(id, epoch, model) of each sample that a resume would run, as the plan says before it."""
        return sorted(
            (str(each["id"]), str(each["epoch"]), cell["model"])
            for cell in self.cases.plan("--samples")["cells"]
            for each in cell["verdicts"]
            if each["verdict"] == "run"
        )

    def more_work(self) -> None:
        """A set that is done asks for another epoch."""
        self.epochs += 1
        self._write()

    def kill(self, pid: int) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)

    def kill_workers(self) -> None:
        for pid in self._living():
            self.lost += AT_ONCE
            self.kill(pid)

    def _living(self) -> list[int]:
        alive = any(lives(self.layout.attempt(f.name)) for f in self.layout.attempts.glob("*"))
        return [pid for pid in worker_pids(self.layout) if _runs(pid)] if alive else []

    def killed(self, what: str, times: int) -> int:
        """Run the set and kill at random moments; how often. An engine lives on without workers."""
        process = self.start()
        done = 0
        while done < times and self._is_calling(process):
            time.sleep(self.random.uniform(0, 1.5))
            done += 1
            if what in ("engine", "both"):
                self.kill(process.pid)
            if what in ("worker", "both"):
                self.kill_workers()
            if what != "worker":
                break
        if what == "worker":
            process.wait(90)
        process.kill()
        process.communicate()
        if process.returncode == 0:
            self.more_work()
        return done

    def _is_calling(self, process: subprocess.Popen[str]) -> bool:
        """Wait for a further call; False when the run has ended without one."""
        busy = len(self.cases.calls())
        wait_until(lambda: process.poll() is not None or len(self.cases.calls()) > busy, 60)
        return process.poll() is None


def _runs(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat") as stat:
            return stat.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.skipif(sys.platform != "linux", reason="asks /proc whether a worker lives")
@pytest.mark.parametrize("what", ["engine", "worker", "both"])
def test_kills_at_random_moments(cases: Scratch, what: str) -> None:
    victim = Victim(cases, seed=KILLS)
    try:
        kills = 0
        while kills < KILLS:
            kills += victim.killed(what, KILLS - kills)
        before = len(cases.calls())
        expected = victim.to_run() if what == "both" else None
        last = victim.start()
        output, _ = last.communicate(timeout=120)
        assert last.returncode == 0, output
        if expected is not None:
            assert sorted(tuple(call[1:]) for call in cases.calls()[before:]) == expected
    finally:
        end_workers(victim.layout)
    counts = Counter(tuple(call[1:]) for call in cases.calls())
    wanted = {
        (str(id), str(epoch), f"mockllm/{model}")
        for id in range(1, SAMPLES + 1)
        for epoch in range(1, victim.epochs + 1)
        for model in MODELS
    }
    assert set(counts) == wanted
    paid_twice = sum(count - 1 for count in counts.values())
    assert paid_twice <= victim.lost, "a finished sample was paid again"
    logs = list_logs(cases.logs)
    assert {log.reason for log in logs} == {None}
    assert all(log.header is not None and log.header.status == "success" for log in logs)
    print(f"{what}: {KILLS} kills, {len(counts)} samples, {paid_twice} of {victim.lost} lost again")


def test_engines_started_together_pay_for_nothing_twice(cases: Scratch) -> None:
    rounds = min(KILLS, 10)
    for round in range(1, rounds + 1):
        write_spec(cases, f"epochs = {round}", task='name = "counted"\nargs = { n = 3 }')
        both = [cases.start("run", "logs") for _ in range(2)]
        codes = [(process.communicate(timeout=120)[0], process.returncode) for process in both]
        assert [code for _, code in codes] == [0, 0], codes
    counts = Counter(tuple(call[1:3]) for call in cases.calls())
    assert set(counts.values()) == {1}
    assert len(counts) == 3 * rounds
