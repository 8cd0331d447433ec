"""The main job as a person does it: `evaltui run` on real tasks, in real processes."""

import json
import re
import signal
import subprocess
import time

import pytest

from tests.sets import Scratch, interrupt, wait_until

pytestmark = pytest.mark.slow

MODELS = ("--model", "mockllm/a,mockllm/b")


def test_a_set_runs_to_its_end_and_then_has_nothing_to_do(cases: Scratch):
    first = cases.evaltui("run", "logs", "counted.py", *MODELS)
    assert first.returncode == 0, first.stdout + first.stderr
    assert len(cases.calls()) == 24
    assert len(cases.log_names()) == 4
    cases.forget_calls()
    again = cases.evaltui("run", "logs", "counted.py", *MODELS)
    assert again.returncode == 0, again.stdout + again.stderr
    assert cases.calls() == []
    assert len(cases.log_names()) == 4
    theirs = cases.eval_set("counted.py", "--log-dir", "logs", *MODELS)
    assert theirs.returncode == 0, theirs.stdout + theirs.stderr
    assert cases.calls() == []


def test_results_stand_in_the_order_of_the_set_and_miss_what_it_asks_for_today(cases: Scratch):
    cases.evaltui("run", "logs", "counted.py@counted", "--model", "mockllm/b")
    spec = cases.logs / "evalset.toml"
    both = '[[model]]\nname = "mockllm/a"\n\n[[model]]\nname = "mockllm/b"'
    spec.write_text(spec.read_text().replace('[[model]]\nname = "mockllm/b"', both))
    assert cases.evaltui("run", "logs").returncode == 0
    rows = json.loads(cases.evaltui("results", "logs", "--json").stdout)["rows"]
    assert [row["model"] for row in rows] == ["mockllm/a", "mockllm/b"]

    spec.write_text(f"epochs = 2\n{spec.read_text()}")
    asked = json.loads(cases.evaltui("results", "logs", "--json").stdout)["rows"]
    for before, now in zip(rows, asked, strict=True):
        assert now["planned"] == 2 * before["planned"] == 2 * now["scored"]
        assert now["not_run"] == before["planned"]


def test_a_command_line_of_inspect_works_as_it_is(cases: Scratch):
    result = cases.evaltui(
        "run", "counted.py@counted", "--log-dir", "logs", "--model", "mockllm/a", "--limit", "2-4",
        "-T", "n=5", "--tags", "x,y", "--retry-attempts", "0", "--max-tasks", "2",
    )  # fmt: skip
    assert result.returncode == 0, result.stdout + result.stderr
    assert [call[1] for call in cases.calls()] == ["2", "3", "4"]


def test_a_failing_cell_waits_longer_each_time_and_ends_complete(cases: Scratch):
    cases.fail(2, 5)
    process = cases.start(
        "run", "logs", "counted.py@counted", "--model", "mockllm/a", "--retry-wait", "1", "--json",
        "--continue-on-fail",
    )  # fmt: skip
    wait_until(lambda: len([c for c in cases.calls() if c[1] == "2"]) >= 3, what="three attempts")
    cases.fail()
    output, _ = process.communicate(timeout=60)
    assert process.returncode == 0, output
    entries = [json.loads(line) for line in output.splitlines() if line.startswith("{")]
    waits = [
        round(entry["due"] - entry["t"])
        for entry in entries
        if entry.get("entry") == "rerun_scheduled"
    ]
    assert waits[:2] == [1, 2]
    counts = {key: sum(call[1] == str(key) for call in cases.calls()) for key in range(1, 7)}
    assert all(counts[key] == 1 for key in (1, 3, 4, 6)), counts
    assert counts[2] == len(waits) + 1
    assert counts[5] in (counts[2], counts[2] - 1)  # mended between the two, 5 is clean first


def test_ctrl_c_keeps_what_is_finished_and_never_says_success(cases: Scratch):
    process = cases.start(
        "run", "logs", "counted.py@counted", "--model", "mockllm/a", "-T", "n=40", "-T",
        "sleep=1", "--max-samples", "4",
    )  # fmt: skip
    wait_until(lambda: len(cases.calls()) >= 8, what="two rounds of samples")
    start = time.monotonic()
    interrupt(process)
    time.sleep(0.3)
    if process.poll() is None:
        interrupt(process)
    output, _ = process.communicate(timeout=30)
    assert process.returncode == 130, output
    assert time.monotonic() - start < 15
    assert "success" not in output.lower()
    assert not re.search(r"(?<!in)complete", output.lower())
    called = len(cases.calls())
    cases.forget_calls()
    plan = cases.plan()
    kept = plan["cells"][0]["samples"]["reuse"]
    assert 4 <= kept <= called
    finished = cases.evaltui("run", "logs")
    assert finished.returncode == 0, finished.stdout
    assert len(cases.calls()) == 40 - kept


def test_a_cell_that_cannot_be_mended_ends_the_set_incomplete(cases: Scratch):
    cases.fail(3)
    result = cases.evaltui(
        "run", "logs", "counted.py", *MODELS, "--retry-wait", "0", "--retry-attempts", "1"
    )
    assert result.returncode == 3, result.stdout + result.stderr
    assert "planted failure of 3" in result.stdout
    status = cases.status()
    assert status["state"] == "incomplete"
    assert sum(cell["state"] == "complete" for cell in status["cells"]) == 2


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["run", "logs"], "holds no set"),
        (["run", "logs", "counted.py"], "--model"),
        (["run", "logs", "nowhere.py", *MODELS], "nowhere.py"),
        (["run", "logs", "counted.py@conted", *MODELS], "counted"),
        (["run", "logs", "counted.py", *MODELS, "-T", "slep=1"], "sleep"),
        (["run", "counted.py", "--log-dir", "counted.py", *MODELS], "is a file"),
        (["run", "s3://bucket/logs", "counted.py", *MODELS], "remote"),
        (["run", "logs", "broken.py", *MODELS], "broken.py:3"),
        (["run", "logs", "taskless.py", *MODELS], "task"),
        (["run", "logs", "needs.py", *MODELS], "-T what"),
        (["run", "logs", "counted.py", *MODELS, "--limit", "0"], "--limit"),
        (["run", "logs", "counted.py", *MODELS, "--fail-on-error", "0.0"], "--fail-on-error"),
        (["run", "logs", "counted.py", *MODELS, "--epocs", "2"], "--epochs"),
        (["plan", "logs"], "holds no set"),
        (["status", "nowhere"], "nowhere"),
        (["send", "logs", "cancel"], "logs"),
    ],
    ids=lambda value: " ".join(value[:3]) if isinstance(value, list) else value,
)
def test_bad_input_is_one_sentence_and_changes_nothing(cases: Scratch, words, says):
    (cases.folder / "broken.py").write_text("from inspect_ai import task\n@task\ndef x(:\n  pass\n")
    (cases.folder / "taskless.py").write_text("x = 1\n")
    (cases.folder / "needs.py").write_text(
        "from inspect_ai import task, Task\n@task\ndef needs(what: str):\n    return Task()\n"
    )
    result = cases.evaltui(*words)
    assert result.returncode == 2, result.stdout + result.stderr
    said = [line for line in result.stderr.splitlines() if line.strip()]
    assert says in said[-1], result.stderr
    assert "Traceback" not in result.stderr
    assert not cases.logs.exists()


def test_a_hang_up_leaves_the_set_to_a_detached_engine(cases: Scratch):
    process = cases.start(
        "run", "logs", "counted.py@counted", "--model", "mockllm/a,mockllm/b", "-T", "n=8", "-T",
        "sleep=0.5", "--max-samples", "2", "--max-tasks", "1",
    )  # fmt: skip
    wait_until(lambda: len(cases.calls()) >= 2, what="the first samples")
    interrupt(process, signal.SIGHUP)
    process.communicate(timeout=30)
    wait_until(lambda: cases.status()["state"] == "complete", 90, "the detached engine's end")
    assert len(cases.calls()) == 16


def test_sigterm_cancels(cases: Scratch):
    process = cases.start(
        "run", "logs", "counted.py@counted", "--model", "mockllm/a", "-T", "sleep=30"
    )
    wait_until(lambda: len(cases.calls()) >= 1, what="a sample")
    interrupt(process, signal.SIGTERM)
    output, _ = process.communicate(timeout=30)
    assert process.returncode == 143, output


def test_a_pipe_that_closes_does_not_show_a_traceback(cases: Scratch):
    cases.evaltui("run", "logs", "counted.py", *MODELS)
    shown = subprocess.run(
        "python -m evaltui status logs | head -1",
        shell=True, cwd=cases.folder, env=cases.environment(), capture_output=True, text=True,
    )  # fmt: skip
    assert "Traceback" not in shown.stderr


def test_a_task_file_in_another_folder_runs_there_and_finds_its_neighbours(cases: Scratch):
    folder = cases.folder / "suite" / "deep"
    folder.mkdir(parents=True)
    (folder / "neighbour.py").write_text('QUESTION = "a question"\n')
    (folder / "__init__.py").write_text("")
    (folder / "there.py").write_text(
        "from inspect_ai import Task, task\nfrom inspect_ai.dataset import Sample\n"
        "from neighbour import QUESTION\n\n\n@task\ndef there():\n"
        "    return Task(dataset=[Sample(input=QUESTION)])\n"
    )
    files = [str(path.relative_to(cases.folder)) for path in sorted(folder.glob("*.py"))]
    result = cases.evaltui("run", "logs", *files, "--model", "sim/steady")
    assert result.returncode == 0, result.stdout + result.stderr
    assert len(cases.log_names()) == 1
    theirs = cases.eval_set("suite/deep/there.py", "--log-dir", "logs", "--model", "sim/steady")
    assert theirs.returncode == 0, theirs.stdout + theirs.stderr
    assert len(cases.log_names()) == 1
