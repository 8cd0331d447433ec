"""Logs of tasks that were made in Python: rows that say so, and no set that could be run."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.sets import Scratch

MADE = """
from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.solver import solver

@solver
def nothing():
    async def solve(state, generate):
        return state
    return solve

task = Task(dataset=[Sample(input="q", target="a")], solver=nothing(), name="made")
eval(task, model="mockllm/m", log_dir="logs", display="none")
"""


@pytest.fixture
def made(cases: Scratch) -> Scratch:
    environ = cases.environment()
    subprocess.run([sys.executable, "-c", MADE], cwd=cases.folder, env=environ, check=True)
    return cases


def test_they_are_rows_with_the_reason_and_scores_and_nothing_runs(made: Scratch) -> None:
    plan = made.evaltui("plan", "logs")
    assert plan.returncode == 0, plan.stderr
    assert "foreign, its task has no file: it was made in Python" in plan.stdout
    status = json.loads(made.evaltui("status", "logs", "--json").stdout)
    assert status["cells"] == []
    assert [stray["kind"] for stray in status["strays"]] == ["foreign"]
    run = made.evaltui("run", "logs")
    assert run.returncode == 2
    assert run.stderr.count("\n") == 1
    assert "the logs in logs were made in Python" in run.stderr
    assert "name tasks and models" in run.stderr
    for words in (["run", "logs", "--model", "mockllm/m"], ["logs", "--epochs", "2"]):
        again = made.evaltui(*words)
        assert (again.returncode, again.stderr) == (2, run.stderr)
    assert not (made.logs / "evalset.toml").exists()
