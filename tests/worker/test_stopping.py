"""Draining, cancelling, killing; and what comes back from a killed attempt."""

import signal

import pytest

from evaltui.logs import attempt as ev
from evaltui.logs.files import is_locked
from evaltui.logs.reading import read_log
from evaltui.worker import bridge
from tests.sets import wait_until
from tests.worker.attempts import Attempts, Said, keys

pytestmark = pytest.mark.slow

LONG = {"cell": {"task_args": {"n": 30, "sleep": 0.5}}, "settings": {"max_samples": 3}}


def clean(attempts: Attempts, log: str) -> set[tuple[str, int]]:
    return {row.key for row in attempts.samples(log) if row.error is None}


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_cancelled_attempt_keeps_what_is_finished(attempts: Attempts, number: signal.Signals):
    said = attempts.begin(**LONG)
    said.wait_for_samples(4)
    said.signal(number)
    said.wait_until_gone()
    assert said.ended.status == "cancelled", said.output
    finished = set(keys(end for end in said.done() if not end.cancelled))
    assert finished == clean(attempts, said.log)
    assert said.ended.completed == len(finished) >= 4
    header = read_log(attempts.cases.logs / said.log).header
    assert header is not None
    assert header.status == "cancelled"
    assert said.ended.metrics["includes"]["accuracy"] == 1.0
    attempts.called()
    again = attempts.run(cell={"task_args": {"n": 30}})
    assert again.ended.status == "success", again.output
    assert not finished & set(attempts.called())
    assert len(clean(attempts, again.log)) == 30


def test_a_drained_attempt_finishes_what_runs_and_starts_nothing(attempts: Attempts):
    said = attempts.begin(**LONG)
    said.wait_for_samples(4)
    said.paths.drain.touch()
    said.wait_until_gone()
    assert said.ended.status == "cancelled", said.output
    started = keys(said.of(ev.SampleStart))
    assert keys(said.done()) == started
    assert len(started) < 30
    # one that was being set up when the drain came counts as cancelled, not as an error
    assert all(end.cancelled for end in said.done() if end.error)
    assert clean(attempts, said.log) == set(keys(end for end in said.done() if not end.error))


def test_a_drain_that_comes_before_the_first_sample_leaves_no_log(attempts: Attempts):
    paths = attempts.write()
    paths.drain.touch()
    said = Said(paths, attempts.start(paths.folder))
    said.wait_until_gone()
    assert said.ended.status == "cancelled", said.output
    assert attempts.cases.log_names() == []
    assert attempts.called() == []


def test_a_drain_that_comes_when_all_have_started_is_a_success(attempts: Attempts):
    said = attempts.begin(cell={"task_args": {"n": 3, "sleep": 1.5}})
    wait_until(lambda: len(said.of(ev.SampleStart)) == 3)
    said.paths.drain.touch()
    said.wait_until_gone()
    assert said.ended.status == "success", said.output


def test_a_solver_that_never_yields_is_ended_all_the_same(attempts: Attempts):
    (attempts.cases.folder / "stuck.py").write_text(
        "import time\nfrom inspect_ai import Task, task\nfrom inspect_ai.dataset import Sample\n"
        "from inspect_ai.solver import solver\n"
        "@solver\ndef spins():\n    async def solve(state, generate):\n"
        "        while True:\n            try:\n                time.sleep(0.1)\n"
        "            except KeyboardInterrupt:\n                pass\n    return solve\n"
        "@task\ndef stuck():\n    return Task(dataset=[Sample(input='x')], solver=spins())\n"
    )
    said = attempts.begin("stuck.py", "stuck")
    wait_until(lambda: said.of(ev.SampleStart), what=said.output)
    said.signal(signal.SIGTERM)
    said.wait_until_gone()
    assert not is_locked(said.paths.lock)


def test_a_killed_attempt_is_recovered_whole(attempts: Attempts):
    said = attempts.begin(**LONG)
    said.wait_for_samples(5)
    said.signal(signal.SIGKILL)
    said.wait_until_gone()
    assert said.of(ev.Ended) == []
    finished = set(keys(said.done()))
    assert not finished <= clean(attempts, said.log)  # they are in the buffer still
    buffers = attempts.cases.folder / "data" / "inspect_ai" / "samplebuffer"
    buffers.rename(attempts.cases.folder / "away")
    buffers.touch()
    assert str(buffers) in (attempts.recover(said.log).logs[0].error or "")
    buffers.unlink()
    (attempts.cases.folder / "away").rename(buffers)
    recovery = attempts.recover(said.log)
    assert recovery.logs[0].error is None
    told = len(finished)  # three run at once, and the last may be finished and not told of
    assert told <= recovery.logs[0].samples <= told + 3
    assert finished <= clean(attempts, said.log)
    header = read_log(attempts.cases.logs / said.log).header
    assert header is not None
    assert header.status == "error"
    assert not list(_buffers(attempts, said))
    attempts.called()
    again = attempts.run(cell={"task_args": {"n": 30}})
    assert again.ended.status == "success", again.output
    assert not finished & set(attempts.called())


def test_a_killed_rerun_loses_neither_what_it_took_over_nor_what_it_did(attempts: Attempts):
    first = attempts.begin(**LONG)
    first.wait_for_samples(4)
    first.signal(signal.SIGINT)
    first.wait_until_gone()
    second = attempts.begin(**LONG)
    second.wait_for_samples(4)
    second.signal(signal.SIGKILL)
    second.wait_until_gone()
    attempts.recover(second.log)
    done = set(keys([*second.done(reused=True), *second.done()]))
    assert len(done) >= 8
    assert done <= clean(attempts, second.log)


def test_a_recovery_leaves_alone_what_it_should(attempts: Attempts):
    whole = attempts.run()
    running = attempts.begin(**LONG)
    running.wait_for_samples(1)
    before = (attempts.cases.logs / whole.log).read_bytes()
    recovery = attempts.recover(whole.log, running.log, "gone.eval")
    assert [log.samples for log in recovery.logs] == [0, 0, 0]
    assert [log.error is None for log in recovery.logs] == [True, True, False]
    assert (attempts.cases.logs / whole.log).read_bytes() == before
    running.signal(signal.SIGINT)
    running.wait_until_gone()
    assert running.ended.status == "cancelled"


def _buffers(attempts: Attempts, said: Said) -> list[str]:
    folder = attempts.cases.folder / "data"
    return [path.name for path in folder.rglob(f"{said.log}.*.db")]


def test_two_workers_never_run_one_attempt(attempts: Attempts):
    said = attempts.begin(**LONG)
    said.wait_for_samples(1)
    other = Said(said.paths, attempts.start(said.paths.folder))
    wait_until(lambda: "another process" in said.output)
    assert len(said.of(ev.Started)) == 1
    said.signal(signal.SIGINT)
    said.wait_until_gone()
    assert other.pid != said.pid


def test_the_buffer_folder_is_left_as_it_was(attempts: Attempts, monkeypatch: pytest.MonkeyPatch):
    attempts.run()
    monkeypatch.setenv("XDG_DATA_HOME", str(attempts.cases.folder / "data"))
    folder = bridge.sample_buffer_folder(attempts.cases.logs)
    assert folder.parent.is_dir()
    assert not folder.exists()
