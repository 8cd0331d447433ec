"""Disks that fill up, close or go away under a running set, and what stands between two writes."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from evaltui.engine.trash import bring_back, put_away
from evaltui.logs import journal as jn
from evaltui.logs.files import append_lines
from evaltui.logs.layout import Layout
from tests.engines import end_workers
from tests.sets import Scratch, wait_until

pytestmark = pytest.mark.slow

BULKY = """
import anyio, os
from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput
from inspect_ai.scorer import includes
from inspect_ai.solver import solver
from counted import STATE


@solver
def bulk():
    async def solve(state, generate):
        with open(STATE / "calls", "a") as calls:
            calls.write(f"{os.getpid()} {state.sample_id} {state.epoch} {state.model}\\n")
        await anyio.sleep(0.3)
        state.output = ModelOutput.from_content("m", os.urandom(60_000).hex())
        with open(STATE / "done", "a") as done:
            done.write(f"{state.sample_id}\\n")
        return state

    return solve


@task
def bulky(n: int = 24):
    data = [Sample(id=i, input="q", target="x") for i in range(1, n + 1)]
    return Task(dataset=data, solver=bulk(), scorer=includes())
"""
COUNT = 24
AT_ONCE = 4
WORDS = (
    "run", "logs", "bulky.py", "--model", "mockllm/a", "--max-samples", str(AT_ONCE),
    "--retry-wait", "0", "--retry-attempts", "1",
)  # fmt: skip


@pytest.fixture
def bulky(cases: Scratch) -> Iterator[Scratch]:
    (cases.folder / "bulky.py").write_text(BULKY)
    yield cases
    end_workers(Layout(cases.logs))


@contextlib.contextmanager
def small_disk(cases: Scratch, megabytes: int) -> Iterator[None]:
    """A disk of this size at the log directory, for as long as the block runs."""
    cases.logs.mkdir()
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "none", str(cases.logs)],
        capture_output=True,
    )
    if made.returncode:
        pytest.skip("may not mount a disk here")
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", str(cases.logs)], check=True)


def remount(cases: Scratch, how: str) -> int:
    words = ["mount", "-o", f"remount,{how}", str(cases.logs)]
    return subprocess.run(words, capture_output=True).returncode


def said_in_a_sentence(output: str) -> None:
    assert "Traceback" not in output, output
    assert output.strip()


def completes(cases: Scratch, most: int) -> None:
    """The next run ends complete; no sample that a log held is called again."""
    result = cases.evaltui("run", "logs")
    assert result.returncode == 0, result.stdout + result.stderr
    counts = Counter(call[1] for call in cases.calls())
    assert counts.keys() == {str(id) for id in range(1, COUNT + 1)}
    print(f"{counts.total() - COUNT} samples lost, at most {most}")
    assert counts.total() - COUNT <= most, counts
    readable(cases)
    again = len(cases.calls())
    assert cases.evaltui("run", "logs").returncode == 0
    assert len(cases.calls()) == again


def completes_with_all_finished(cases: Scratch) -> None:
    """As `completes`, and what had finished by now is not called again.

    A drain may cancel a sample that starts in the same moment: Inspect takes it for a queued one.
    """
    finished = (cases.state / "done").read_text().split()
    completes(cases, AT_ONCE)
    called = [call[1] for call in cases.calls()]
    assert {called.count(id) for id in finished} == {1}, "a finished sample was paid again"


def readable(cases: Scratch) -> None:
    """Inspect reads every log, and one of them holds the whole set."""
    from inspect_ai.log import read_eval_log

    logs = [read_eval_log(str(cases.logs / name)) for name in cases.log_names()]
    whole = [log for log in logs if log.status == "success"]
    assert [len(log.samples or []) for log in whole] == [COUNT]


def test_a_file_that_may_not_grow_costs_what_was_not_flushed(bulky: Scratch) -> None:
    command = ["bash", "-c", 'ulimit -f 900; exec "$@"', "-", sys.executable, "-m", "evaltui"]
    limited = subprocess.run(
        [*command, *WORDS],
        cwd=bulky.folder,
        env=bulky.environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert limited.returncode == 3, limited.stdout + limited.stderr
    said_in_a_sentence(limited.stdout + limited.stderr)
    attempts = len(list(Layout(bulky.logs).attempts.iterdir()))
    completes(bulky, attempts * AT_ONCE)


def test_a_full_disk_ends_in_a_sentence_and_the_set_goes_on_when_there_is_room(
    bulky: Scratch,
) -> None:
    with small_disk(bulky, 2):
        result = bulky.evaltui(*WORDS)
        assert result.returncode in (1, 3), result.stdout + result.stderr
        said_in_a_sentence(result.stdout + result.stderr)
        assert bulky.evaltui("status", "logs").returncode == 0
        assert remount(bulky, "size=64m") == 0
        attempts = len(list(Layout(bulky.logs).attempts.iterdir()))
        completes(bulky, attempts * AT_ONCE)


def test_a_directory_that_may_not_be_changed_any_more(bulky: Scratch) -> None:
    process = bulky.start(*WORDS)
    wait_until(lambda: len(bulky.calls()) >= 8, what="samples")
    try:
        if subprocess.run(["chattr", "-R", "+i", "logs"], cwd=bulky.folder).returncode:
            pytest.skip("may not make files unchangeable here")
        output, _ = process.communicate(timeout=60)
        assert process.returncode in (1, 3), output
        said_in_a_sentence(output)
        refused = bulky.evaltui("run", "logs")
        assert refused.returncode == 2, refused.stdout + refused.stderr
        said_in_a_sentence(refused.stderr)
        assert bulky.evaltui("status", "logs").returncode == 0
        wait_until(lambda: not worker_lives(bulky), what="the worker's end")
    finally:
        subprocess.run(["chattr", "-R", "-i", "logs"], cwd=bulky.folder, check=True)
    completes_with_all_finished(bulky)


def worker_lives(cases: Scratch) -> bool:
    pids = {int(call[0]) for call in cases.calls()}
    return any(Path(f"/proc/{pid}").exists() and not zombie(pid) for pid in pids)


def zombie(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z"
    except OSError:
        return True


def test_a_directory_that_is_moved_away_and_back(bulky: Scratch) -> None:
    process = bulky.start(*WORDS)
    wait_until(lambda: len(bulky.calls()) >= 8, what="samples")
    away = bulky.folder / "elsewhere"
    os.rename(bulky.logs, away)
    output, _ = process.communicate(timeout=60)
    assert process.returncode in (1, 3), output
    said_in_a_sentence(output)
    wait_until(lambda: not worker_lives(bulky), what="the worker's end")
    assert not (bulky.logs / "evalset.toml").exists()
    for log in bulky.logs.glob("*.eval"):  # Inspect writes on where the directory was
        os.replace(log, away / log.name)
    shutil.rmtree(bulky.logs, ignore_errors=True)
    os.rename(away, bulky.logs)
    completes_with_all_finished(bulky)


# --- between two writes -------------------------------------------------------------------------

CELL = ("run", "logs", "counted.py@counted", "--model", "mockllm/a", "--retry-attempts", "0")


def half_done(cases: Scratch) -> tuple[Layout, str]:
    """A set of six samples of which two failed, and the key of its cell."""
    cases.fail(2, 5)
    result = cases.evaltui(*CELL)
    assert result.returncode == 3, result.stdout + result.stderr
    cases.fail()
    cases.forget_calls()
    return Layout(cases.logs), cases.status()["cells"][0]["key"]


def test_a_launch_that_was_decided_and_never_made_costs_nothing(cases: Scratch) -> None:
    layout, key = half_done(cases)
    for attempt in (f"{key}-002", f"{key}-003"):
        append_lines(
            layout.journal, [jn.Launched(t=2.0, cell=key, attempt=attempt, number=2, reason="new")]
        )
    folder = layout.attempt(f"{key}-003").folder
    folder.mkdir()
    (folder / "attempt.json").write_text('{"torn": ')
    with open(layout.journal, "ab") as journal:
        journal.write(b'{"entry":"launched","cell":"' + key.encode())
    assert cases.evaltui("status", "logs").returncode == 0
    result = cases.evaltui("run", "logs")
    assert result.returncode == 0, result.stdout + result.stderr
    assert sorted(call[1] for call in cases.calls()) == ["2", "5"]


def test_a_log_moved_to_the_trash_that_no_entry_tells_of_can_come_back(cases: Scratch) -> None:
    layout, _ = half_done(cases)
    (first,) = cases.log_names()
    assert cases.evaltui("run", "logs", "--no-retry-cleanup").returncode == 0
    put_away(layout, first)
    again = cases.evaltui("run", "logs")
    assert again.returncode == 0, again.stdout
    assert sorted(call[1] for call in cases.calls()) == ["2", "5"]
    back = cases.evaltui("trash", "logs", "--restore", first)
    assert back.returncode == 0, back.stdout + back.stderr
    assert first in cases.log_names()


def test_a_log_brought_back_that_no_entry_tells_of_stays(cases: Scratch) -> None:
    layout, _ = half_done(cases)
    (first,) = cases.log_names()
    assert cases.evaltui("run", "logs").returncode == 0
    assert first not in cases.log_names()
    bring_back(layout, f"{first}.trash", first)
    again = cases.evaltui("run", "logs")
    assert again.returncode == 0, again.stdout
    assert first in cases.log_names()


def test_workers_whose_launch_the_journal_lost_are_waited_for(bulky: Scratch) -> None:
    process = bulky.start(*WORDS)
    wait_until(lambda: len(bulky.calls()) >= 4, what="samples")
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    layout = Layout(bulky.logs)
    lines = layout.journal.read_bytes().splitlines(keepends=True)
    kept = [line for line in lines if msgspec.json.decode(line)["entry"] != "launched"]
    assert len(kept) < len(lines)
    layout.journal.write_bytes(b"".join(kept))
    completes(bulky, 0)
