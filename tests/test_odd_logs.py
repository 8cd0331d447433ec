"""Files in a log directory that nobody foresaw: each is a row, none stands in the way."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.sets import Scratch

pytestmark = pytest.mark.slow

SECRET = "sk-do-not-tell-4711"


def test_odd_files_are_rows_and_stop_nothing(cases: Scratch) -> None:
    cases.fail(2, 5)
    words = ("counted.py@counted", "--model", "mockllm/a")
    first = cases.evaltui("run", "logs", *words, "--retry-attempts", "0", "--continue-on-fail")
    assert first.returncode == 3, first.stdout + first.stderr
    cases.fail()
    cases.eval_set("counted.py@counted_heavy", "--model", "mockllm/b", "--log-dir", "x")
    cases.forget_calls()
    (ours,) = cases.log_names()
    (other,) = [path.name for path in (cases.folder / "x").glob("*.eval")]
    logs = cases.logs
    whole = (logs / ours).read_bytes()
    shutil.copy(cases.folder / "x" / other, logs / other)
    (logs / "torn.eval").write_bytes(whole[: len(whole) // 2])
    (logs / "empty.eval").touch()
    (logs / "empty.json").touch()
    (logs / "text.json").write_text('{"a": 1}')
    (logs / "nothing.eval").write_bytes(b"PK\x05\x06" + bytes(18))
    (logs / "folder.eval").mkdir()
    (logs / "loop.eval").symlink_to("loop.eval")
    (logs / "gone.eval").symlink_to("nowhere")
    os.mkfifo(logs / "pipe.eval")
    shutil.copy(logs / ours, os.fsencode(logs) + b"/caf\xe9.eval")
    (logs / "bad\x1b]0;title\x07.eval").write_bytes(b"x")
    status = cases.evaltui("status", "logs")
    assert status.returncode == 0, status.stderr
    assert "\x1b" not in status.stdout
    strays = {stray["log"]: stray["kind"] for stray in cases.status()["strays"]}
    broken = ("torn", "empty", "nothing", "loop", "gone", "pipe", "bad\x1b]0;title\x07")
    assert {strays.get(f"{name}.eval") for name in broken} == {"broken"}, strays
    assert strays[other] == "foreign"
    assert "caf<U+DCE9>.eval" in status.stdout
    plan = cases.plan()
    assert plan["cells"][0]["samples"]["run"] == 2
    before = set(os.listdir(os.fsencode(logs)))
    result = cases.evaltui("run", "logs")
    assert result.returncode == 0, result.stdout + result.stderr
    assert "Traceback" not in result.stdout + result.stderr
    assert sorted(call[1] for call in cases.calls()) == ["2", "5"]
    after = set(os.listdir(os.fsencode(logs)))
    assert before - after <= {os.fsencode(ours)}, "another's file was moved"
    again = cases.evaltui("run", "logs")
    assert again.returncode == 0, again.stdout + again.stderr
    assert len(cases.calls()) == 2


def test_a_json_log_and_one_of_an_older_inspect_are_taken_over(cases: Scratch) -> None:
    from inspect_ai.log import read_eval_log, write_eval_log

    made = cases.eval_set(
        "counted.py@counted", "--model", "mockllm/a,mockllm/b", "--log-dir", "logs", "--limit", "3"
    )
    assert made.returncode == 0, made.stderr
    for name in cases.log_names():
        path = cases.logs / name
        log = read_eval_log(str(path))
        path.unlink()
        target = path.with_suffix(".json")
        write_eval_log(log, str(target))
        if log.eval.model == "mockllm/b":
            age(target)
    cases.forget_calls()
    words = ("counted.py@counted", "--model", "mockllm/a,mockllm/b")
    result = cases.evaltui("run", "logs", *words)
    assert result.returncode == 0, result.stdout + result.stderr
    ran = sorted((call[3], call[1]) for call in cases.calls())
    assert ran == [(f"mockllm/{model}", id) for model in "ab" for id in "456"]
    for cell in cases.status()["cells"]:
        log = read_eval_log(str(cases.logs / cell["log"]))
        assert sorted(each.id for each in log.samples or []) == [1, 2, 3, 4, 5, 6]


def age(path: Path) -> None:
    """The log as an Inspect of early days wrote it: without the keys that came since."""
    log: dict[str, Any] = json.loads(path.read_text())
    newer_of_eval = {
        "eval_id", "task_args_passed", "task_registry_name", "task_display_name", "eval_set_id",
        "model_generate_config", "model_roles", "scorers", "metrics", "solver_args_passed",
        "viewer", "task_attribs",
    }  # fmt: skip
    newer_of_sample = {
        "uuid", "started_at", "completed_at", "total_time", "working_time", "role_usage",
        "error_retries", "timelines", "invalidation", "events_data",
    }  # fmt: skip
    log["eval"]["task_args"] = log["eval"]["task_args_passed"]
    log["eval"] = {key: value for key, value in log["eval"].items() if key not in newer_of_eval}
    log["samples"] = [
        {key: value for key, value in sample.items() if key not in newer_of_sample}
        for sample in log["samples"]
    ]
    for key in ("invalidated", "log_updates", "tags", "metadata"):
        log.pop(key, None)
    path.write_text(json.dumps(log))
    from inspect_ai.log import read_eval_log

    assert len(read_eval_log(str(path)).samples or []) == 3


HOSTILE = """
import os
from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import includes
from inspect_ai.solver import solver


@solver
def hostile():
    async def solve(state, generate):
        raise RuntimeError("\\x1b]0;owned\\x07\\x1b[2J[red]bad[/red] \\u202e " + state.sample_id)

    return solve


@task
def hostiles():
    data = [Sample(id=f"\\x1b[31mid{i}\\r\\n", input="q", target="t") for i in (1, 2)]
    return Task(dataset=data, solver=hostile(), scorer=includes())
"""


def test_hostile_text_is_shown_and_never_obeyed(cases: Scratch) -> None:
    (cases.folder / "hostile.py").write_text(HOSTILE)
    words = ("run", "logs", "hostile.py", "--model", "mockllm/a", "--retry-attempts", "0")
    shown = [cases.evaltui(*words, "--continue-on-fail"), cases.evaltui("status", "logs")]
    shown.append(cases.evaltui("plan", "logs", "--samples"))
    assert [each.returncode for each in shown] == [3, 0, 0], [each.stderr for each in shown]
    for each in shown:
        unseen = {c for c in each.stdout + each.stderr if (ord(c) < 32 and c != "\n")}
        assert unseen <= set(), each.stdout
        assert "\u202e" not in each.stdout
    assert "[red]bad[/red]" in shown[0].stdout


def test_keys_stay_out_of_what_is_written(cases: Scratch) -> None:
    named = {"OPENAI_API_KEY": SECRET, "MY_TOKEN": SECRET}
    words = ("run", "logs", "counted.py@counted", "--model", "mockllm/a")
    cases.fail(2)
    result = cases.evaltui(
        *words, "--retry-attempts", "0", "--env", f"HIDDEN_API_KEY={SECRET}", env=named
    )
    assert result.returncode == 3, result.stdout + result.stderr
    assert SECRET not in result.stdout + result.stderr
    found = [
        path.relative_to(cases.logs)
        for path in cases.logs.rglob("*")
        if path.is_file() and SECRET.encode() in path.read_bytes()
    ]
    assert found == []
