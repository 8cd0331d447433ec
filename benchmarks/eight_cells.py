"""Eight cells by `evaltui run` and by `inspect eval-set`, in turn, in one run: the ratio of times.

    python benchmarks/eight_cells.py [--rounds 3] [--samples 60]

Four tasks on two offline models; the solver calls no model, so what is measured is what a runner
costs. Prints each time in seconds and the ratio evaltui / inspect of each round.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TASKS = """
from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput
from inspect_ai.scorer import includes
from inspect_ai.solver import solver


@solver
def echo():
    async def solve(state, generate):
        state.output = ModelOutput.from_content(str(state.model), state.input_text)
        return state

    return solve


def made(name):
    data = [Sample(id=i, input=f"{name} {i}", target=f"{name} {i}") for i in range(SAMPLES)]
    return Task(dataset=data, solver=echo(), scorer=includes())


@task
def one():
    return made("one")


@task
def two():
    return made("two")


@task
def three():
    return made("three")


@task
def four():
    return made("four")
"""
INSPECT = [sys.executable, "-c", "from inspect_ai._cli.main import main; main()", "eval-set"]
EVALTUI = [sys.executable, "-m", "evaltui", "run"]
WORDS = ["tasks.py", "--model", "mockllm/a,mockllm/b", "--log-dir", "logs"]


def seconds(command: list[str], samples: int) -> float:
    """Of one whole run, in a folder of its own, from start to exit."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "tasks.py").write_text(f"SAMPLES = {samples}\n{TASKS}")
        env = os.environ | {"INSPECT_DISPLAY": "none", "XDG_CACHE_HOME": folder}
        start = time.perf_counter()
        subprocess.run(
            [*command, *WORDS], cwd=folder, env=env, check=True, capture_output=True, text=True
        )
        elapsed = time.perf_counter() - start
        logs = list((Path(folder) / "logs").glob("*.eval"))
        assert len(logs) == 8, logs
        return elapsed


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--samples", type=int, default=60)
    asked = parser.parse_args()
    ratios = []
    for number in range(asked.rounds):
        ours, theirs = seconds(EVALTUI, asked.samples), seconds(INSPECT, asked.samples)
        ratios.append(ours / theirs)
        print(f"{number + 1}: evaltui {ours:.1f} s, inspect {theirs:.1f} s, {ratios[-1]:.2f}")
    print(f"median ratio {statistics.median(ratios):.2f} (evaltui / inspect)")


if __name__ == "__main__":
    main()
