"""How long listing tasks takes: `evaltui tasks` and `inspect list tasks`, in turn, as processes.

    python benchmarks/discovery.py            1,000 files made for it, every tenth with two tasks
    python benchmarks/discovery.py FOLDER     a folder of yours (Inspect must get through it)

Prints every run and the medians. The lines of both are compared too.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROUNDS = 3
FILES = 1000
HELPER = '''"""Part {n}: makes the samples of a task and scores them."""

import re
from dataclasses import dataclass


@dataclass
class Sample{n}:
    task: str
    answer: str = "{n}"

    def score(self, output: str) -> float:
        found = re.search(r"answer: (\\w+)", output)
        return float(found is not None and found.group(1) == self.answer)
'''
TASKS = """

from inspect_ai import Task, task


@task(light={light}, level={level})
def first_{n}(limit: int = 10) -> Task:
    return Task()


@task(name="other_{n}")
def second_{n}(subject: str, shots: int = 0) -> Task:
    return Task()
"""


def make(folder: Path) -> None:
    for n in range(FILES):
        source = HELPER.format(n=n) * 12
        if n % 10 == 0:
            source += TASKS.format(n=n, light=n % 20 == 0, level=n % 7)
        path = folder / f"area{n % 25}" / f"part{n}.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text(source)


def timed(command: list[str], folder: Path) -> tuple[float, list[str]]:
    start = time.perf_counter()
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    return time.perf_counter() - start, done.stdout.splitlines()


def compare(folder: Path) -> None:
    scripts = Path(sys.executable).parent
    commands = {
        "evaltui tasks": [str(scripts / "evaltui"), "tasks"],
        "inspect list tasks": [str(scripts / "inspect"), "list", "tasks"],
    }
    seconds: dict[str, list[float]] = {name: [] for name in commands}
    lines: dict[str, list[str]] = {}
    for _ in range(ROUNDS):
        for name, command in commands.items():
            took, lines[name] = timed(command, folder)
            seconds[name].append(took)
    for name, runs in seconds.items():
        each = "  ".join(f"{run:.2f}" for run in runs)
        print(f"{name:20} {statistics.median(runs):6.2f} s   ({each})   {len(lines[name])} tasks")
    ours, theirs = (statistics.median(runs) for runs in seconds.values())
    same = (
        "the same lines" if len({tuple(found) for found in lines.values()}) == 1 else "other lines"
    )
    print(f"{theirs / ours:.1f} times as fast, {same}")


def main() -> None:
    if len(sys.argv) > 1:
        compare(Path(sys.argv[1]))
        return
    with tempfile.TemporaryDirectory() as scratch:
        make(Path(scratch))
        compare(Path(scratch))


if __name__ == "__main__":
    main()
