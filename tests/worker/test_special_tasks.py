"""Tasks with a sandbox, checkpoints, media, samples that grow, a solver from elsewhere."""

import base64
from pathlib import Path

import anyio
import msgspec
import pytest
from inspect_ai._util.asyncfiles import with_async_fs
from inspect_ai.log import read_eval_log
from inspect_ai.util._checkpoint._resume_copy import copy_resume_payloads

from evaltui.logs import attempt as ev
from evaltui.logs.attempt import Order, Rules
from evaltui.logs.reading import read_log
from evaltui.worker import bridge
from evaltui.worker.checkpoints import found_checkpoints, offer
from evaltui.worker.prepare import prepare
from evaltui.worker.task import load_task
from evaltui.worker.traits import traits_of
from tests.worker.attempts import Attempts

pytestmark = pytest.mark.slow

SANDBOXED = """
from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import includes
from inspect_ai.solver import solver
from inspect_ai.util import sandbox
from counted import STATE, failing

@solver
def says():
    async def solve(state, generate):
        with open(STATE / "calls", "a") as calls:
            calls.write(f"0 {state.sample_id} {state.epoch} x\\n")
        if str(state.sample_id) in failing():
            raise RuntimeError("planted failure")
        done = await sandbox().exec(["cat", "given.txt"])
        state.output.completion = done.stdout
        return state
    return solve

@task
def sandboxed():
    data = [
        Sample(id=i, input="say", target=f"word {i}", files={"given.txt": f"word {i}"})
        for i in range(1, 4)
    ]
    return Task(dataset=data, solver=says(), scorer=includes()SANDBOX)
"""


def write_sandboxed(attempts: Attempts, sandbox: str) -> None:
    text = SANDBOXED.replace("SANDBOX)", f"{sandbox})")
    (attempts.cases.folder / "sandboxed.py").write_text(text)


def test_a_task_with_a_local_sandbox_runs_fails_and_resumes(attempts: Attempts):
    write_sandboxed(attempts, ', sandbox="local"')
    attempts.cases.fail(2)
    first = attempts.run("sandboxed.py", "sandboxed", settings={"continue_on_fail": True})
    assert first.ended.status == "error", first.output
    assert attempts.called() == [("1", 1), ("2", 1), ("3", 1)]
    attempts.cases.fail()
    second = attempts.run("sandboxed.py", "sandboxed")
    assert second.ended.status == "success", second.output
    assert attempts.called() == [("2", 1)]
    assert second.ended.metrics["includes"]["accuracy"] == 1.0
    assert attempts.load("sandboxed.py", "sandboxed").sandbox == "local"


def test_the_sets_sandbox_holds_for_a_resume_too(attempts: Attempts):
    write_sandboxed(attempts, "")
    attempts.cases.fail(1)
    settings = {"sandbox": "local", "continue_on_fail": True}
    attempts.run("sandboxed.py", "sandboxed", settings=settings)
    attempts.called()
    attempts.cases.fail()
    second = attempts.run("sandboxed.py", "sandboxed", settings=settings)
    assert second.ended.status == "success", second.output
    assert attempts.called() == [("1", 1)]


def test_checkpoints_of_samples_that_run_again_are_handed_over(
    attempts: Attempts, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    attempts.cases.fail(2)
    first = attempts.run(settings={"continue_on_fail": True})
    left = attempts.cases.logs / first.log.replace(".eval", ".checkpoints")
    for sample in ("1__1", "2__1"):
        (left / sample).mkdir(parents=True)
        (left / sample / "ckpt-00001.json").write_text("{}")
    order = msgspec.json.decode(attempts.write().order.read_bytes(), type=Order)
    monkeypatch.chdir(attempts.cases.folder)
    task = load_task("counted.py", "counted", {})
    prepared = prepare(order, attempts.layout, task, traits_of(task))
    setting = bridge.checkpoint("manual")
    found = found_checkpoints(attempts.cases.logs, prepared, task, setting)
    assert found == {(2, 1): left / "2__1"}
    offer(found, tmp_path / "seed.eval", task, setting)
    copied = tmp_path / "new.checkpoints"
    source = bridge.checkpoints_folder(tmp_path / "seed.eval", task, setting)
    anyio.run(
        with_async_fs(
            lambda: copy_resume_payloads(
                source_eval_dir=str(source), destination_eval_dir=str(copied)
            )
        )
    )
    assert [path.relative_to(copied).as_posix() for path in copied.rglob("*.json")] == [
        "2__1/ckpt-00001.json"
    ]
    assert found_checkpoints(attempts.cases.logs, prepared, task, None) == {}


def test_images_are_compared_by_their_bytes(attempts: Attempts):
    folder = attempts.cases.folder
    (folder / "seen.py").write_text(
        "from inspect_ai import Task, task\nfrom inspect_ai.dataset import Sample\n"
        "from inspect_ai.model import ChatMessageUser, ContentImage, ContentText\n"
        "from pathlib import Path\nfrom counted import counted_call\n"
        "HERE = Path(__file__).parent\n"
        "@task\ndef seen():\n"
        "    data = [Sample(id=i, target='x', input=[ChatMessageUser(content=[\n"
        "        ContentText(text='What is this?'),\n"
        "        ContentImage(image=str(HERE / f'{i}.png'))])]) for i in (1, 2)]\n"
        "    return Task(dataset=data, solver=counted_call())\n"
    )
    pixel = base64.b64decode(
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5E"
        "rkJggg=="
    )
    for i in (1, 2):
        (folder / f"{i}.png").write_bytes(pixel)
    first = attempts.run("seen.py", "seen")
    assert first.ended.status == "success", first.output
    attempts.called()
    assert attempts.load("seen.py", "seen").items[0].media
    (folder / "2.png").write_bytes(pixel + b"\0")
    second = attempts.run("seen.py", "seen")
    assert second.ended.status == "success", second.output
    assert attempts.called() == [("2", 1)]


def test_a_solver_named_in_the_spec_replaces_the_tasks(attempts: Attempts):
    (attempts.cases.folder / "other.py").write_text(
        "from inspect_ai.model import ModelOutput\nfrom inspect_ai.solver import solver\n"
        "@solver\ndef other(word: str = 'x'):\n    async def solve(state, generate):\n"
        "        state.output = ModelOutput.from_content('m', word)\n        return state\n"
        "    return solve\n"
    )
    said = attempts.run(cell={"solver": "other.py@other", "solver_args": {"word": "question"}})
    assert said.ended.status == "success", said.output
    assert attempts.called() == []
    assert said.of(ev.Loaded)[0].solver == "other.py@other"
    header = read_log(attempts.cases.logs / said.log).header
    assert header is not None
    assert (header.solver, header.solver_args_passed) == ("other.py@other", {"word": "question"})


def test_model_roles_reach_the_task(attempts: Attempts):
    roles = {
        "grader": {"model": "mockllm/g", "config": {"temperature": 0.3}},
        "judges": ["mockllm/h", "mockllm/i"],
    }
    said = attempts.run(cell={"model_roles": roles})
    assert said.ended.status == "success", said.output
    log = read_eval_log(str(attempts.cases.logs / said.log), header_only=True)
    assert log.eval.model_roles is not None
    assert set(log.eval.model_roles) == {"grader", "judges"}


def test_samples_that_come_while_the_task_runs(attempts: Attempts):
    (attempts.cases.folder / "growing.py").write_text(
        "from inspect_ai import SampleSource, Task, task\nfrom inspect_ai.dataset import Sample\n"
        "from inspect_ai.scorer import includes\nfrom counted import counted_call\n"
        "@task\ndef growing():\n"
        "    left = [Sample(id=i, input=str(i), target='echo') for i in (3, 4)]\n"
        "    async def more():\n        return [left.pop(0)] if left else None\n"
        "    first = [Sample(id=i, input=str(i), target='echo') for i in (1, 2)]\n"
        "    source = SampleSource.from_samples(first, next_samples=more)\n"
        "    return Task(dataset=source, solver=counted_call(), scorer=includes())\n"
    )
    said = attempts.run("growing.py", "growing", fail_on_error=0.5)
    assert said.ended.status == "success", said.output
    assert attempts.called() == [(str(i), 1) for i in (1, 2, 3, 4)]
    assert said.of(ev.Loaded)[0].growing
    assert said.ended.completed == 4
    again = attempts.run("growing.py", "growing", rules=Rules(epochs=2))
    assert again.ended.status == "success", again.output
    assert attempts.called() == [(str(i), 2) for i in (1, 2, 3, 4)]


def test_a_task_of_an_installed_package_goes_by_its_name(attempts: Attempts):
    said = attempts.run("no_such_package/task", "task")
    assert said.ended.status == "blocked"
    assert "no_such_package/task" in (said.ended.error or "")


def test_ids_of_a_slice_are_kept_as_asked(attempts: Attempts):
    said = attempts.run(
        "counted.py", "counted_heavy", rules=Rules(sample_id=("h2", "h5*", "absent"))
    )
    assert said.ended.status == "success", said.output
    assert attempts.called() == [("h2", 1), ("h5", 1)]
