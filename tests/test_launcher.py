"""The launcher: workers from a forkserver or plainly, which outlive whoever started them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from evaltui.engine.launcher import Launcher
from evaltui.logs import attempt as ev
from evaltui.logs.files import is_locked
from tests.sets import Scratch, wait_until
from tests.worker.attempts import Attempts, Said

pytestmark = pytest.mark.slow

SLOW = {"cell": {"task_args": {"n": 6, "sleep": 1.0}}, "settings": {"max_samples": 2}}


@pytest.fixture
def orders(cases: Scratch) -> Attempts:
    """Orders that the test starts itself."""

    def start(folder: Path) -> int:
        raise AssertionError(f"{folder} is started by the test")

    return Attempts(cases, start)


@pytest.mark.parametrize("preload", [True, False])
def test_a_worker_runs_in_its_own_session_and_its_exit_is_told(orders: Attempts, preload: bool):
    good, bad = orders.write(), orders.write(task="missing")
    with Launcher(orders.layout, preload=preload) as launcher:
        pids = {launcher.attempt(paths.name): paths for paths in (good, bad)}
        exits: dict[int, int] = {}

        def both_ended() -> bool:
            exits.update(launcher.poll())
            return set(exits) == set(pids)

        for paths in (good, bad):
            wait_until(lambda paths=paths: Said(paths).of(ev.Started), what="its first word")
        wait_until(both_ended, what="both exits")
    assert {pids[pid].name: code for pid, code in exits.items()} == {good.name: 0, bad.name: 1}
    assert Said(good).ended.status == "success"
    assert Said(bad).ended.status == "blocked"
    assert Said(good).of(ev.Started)[0].pid in pids


def test_the_server_is_ready_soon_and_forks_from_what_it_has_loaded(orders: Attempts):
    paths = orders.write(**SLOW)
    with Launcher(orders.layout) as launcher:
        wait_until(lambda: launcher.ready, what="the preloading")
        pid = launcher.attempt(paths.name)
        wait_until(lambda: Said(paths).of(ev.SampleStart), what="the first sample")
        worker = psutil.Process(pid)
        server = worker.parent()
        assert server is not None
        assert "evaltui.worker.forkserver" in server.cmdline()
        assert os.getsid(pid) == pid
        worker.terminate()
        wait_until(lambda: not is_locked(paths.lock))


def test_workers_outlive_the_launcher_and_its_server(orders: Attempts):
    paths = orders.write(**SLOW)
    with Launcher(orders.layout) as launcher:
        pid = launcher.attempt(paths.name)
        wait_until(lambda: Said(paths).of(ev.SampleStart), what="the first sample")
        server = psutil.Process(pid).parent()
    assert server is not None
    wait_until(lambda: not server.is_running() or server.status() == psutil.STATUS_ZOMBIE)
    wait_until(lambda: Said(paths).of(ev.Ended), what="the end")
    assert Said(paths).ended.status == "success"


def test_a_launcher_whose_server_was_killed_starts_plain_processes(orders: Attempts):
    first, second = orders.write(**SLOW), orders.write()
    with Launcher(orders.layout) as launcher:
        server = psutil.Process(launcher.attempt(first.name)).parent()
        assert server is not None
        server.kill()
        pid = launcher.attempt(second.name)
        wait_until(lambda: pid in launcher.poll(), what="the plain worker's exit")
        assert Said(second).ended.status == "success"
        wait_until(lambda: Said(first).of(ev.Ended), what="the orphan's end")
        assert Said(first).ended.status == "success"


def _in_a_thread(call: Callable[[], object]) -> None:
    thread = threading.Thread(target=call)
    thread.start()
    thread.join()


def test_it_works_from_a_thread(orders: Attempts):
    paths = orders.write()
    pids: list[int] = []
    with Launcher(orders.layout) as launcher:
        _in_a_thread(lambda: pids.append(launcher.attempt(paths.name)))
        wait_until(lambda: Said(paths).of(ev.Ended), what="the end")
    assert Said(paths).of(ev.Started)[0].pid == pids[0]


@pytest.mark.parametrize("how", ["script", "-c"])
def test_the_main_module_of_the_starter_is_not_run_again(
    orders: Attempts, cases: Scratch, how: str
):
    paths = orders.write()
    code = (
        "import sys, time\nfrom pathlib import Path\n"
        "open('runs', 'a').write('x')\n"
        "from evaltui.engine.launcher import Launcher\nfrom evaltui.logs.layout import Layout\n"
        "launcher = Launcher(Layout(Path('logs').absolute()))\n"
        f"pid = launcher.attempt({paths.name!r})\n"
        "while pid not in launcher.poll():\n    time.sleep(0.05)\n"
        "launcher.close()\n"
    )
    (cases.folder / "starter.py").write_text(code)
    command = ["starter.py"] if how == "script" else ["-c", code]
    subprocess.run(
        [sys.executable, *command], cwd=cases.folder, env=cases.environment(), check=True
    )
    assert (cases.folder / "runs").read_text() == "x"
    assert Said(paths).ended.status == "success"


def test_a_worker_heeds_an_interrupt_that_its_starter_ignores(orders: Attempts):
    paths = orders.write(**SLOW)
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with Launcher(orders.layout) as launcher:
            pid = launcher.attempt(paths.name)
            wait_until(lambda: Said(paths).of(ev.SampleEnd), what="the first sample")
            os.kill(pid, signal.SIGINT)
            wait_until(lambda: Said(paths).of(ev.Ended), what="the end")
    finally:
        signal.signal(signal.SIGINT, before)
    assert Said(paths).ended.status == "cancelled"


def test_forked_workers_shuffle_each_in_its_own_way(orders: Attempts):
    attempts = [orders.write("shuffled.py", "shuffled", logs=()) for _ in range(2)]
    with Launcher(orders.layout) as launcher:
        for paths in attempts:
            launcher.attempt(paths.name)
        for paths in attempts:
            wait_until(lambda paths=paths: Said(paths).of(ev.Ended), what="the end")
    calls: dict[str, list[str]] = {}
    for pid, question, _, _ in orders.cases.calls():
        calls.setdefault(pid, []).append(question)
    one, other = calls.values()
    assert sorted(one) == sorted(other)
    assert one != other


def test_a_folder_in_the_way_of_a_standard_module_does_no_harm(orders: Attempts, cases: Scratch):
    (cases.folder / "json.py").write_text("raise RuntimeError('shadowed')\n")
    paths = orders.write()
    with Launcher(orders.layout, preload=False) as launcher:
        launcher.attempt(paths.name)
        wait_until(lambda: Said(paths).of(ev.Ended), what=Said(paths).output)
    assert Said(paths).ended.status == "success"
