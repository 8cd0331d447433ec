"""Runs tasks in many variants, without a sample, as Inspect would for an eval set:
`python variants.py DIR`. Prints one JSON list: how each was asked for, and what Inspect calls it.

Run as a program, so that what Inspect imports and sets stays out of the tests' process.
"""

import json
import os
import sys
from pathlib import Path

from inspect_ai import eval
from inspect_ai._eval.evalset import task_identifier
from inspect_ai.model import GenerateConfig, get_model
from inspect_ai.solver import SolverSpec

TASKS = """
from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.model import GenerateConfig
from inspect_ai.solver import generate, solver

@solver
def idle(x: int = 0):
    async def solve(state, generate):
        return state
    return solve

@task
def first(x: int = 0, y: str = "a", z: list | None = None):
    return Task(dataset=[Sample(id=1, input="q")], solver=generate())

@task
def second():
    return Task(dataset=[Sample(id=1, input="q")], solver=generate(), version=2,
                config=GenerateConfig(top_p=0.5))
"""

PLAIN = {"file": "tasks.py", "name": "first", "model": "mockllm/one"}
VARIANTS = [
    {},
    {"again": True},
    {"options": {"epochs": 2, "limit": 1, "tags": ["t"], "fail_on_error": 0.5}},
    {"generate": {"max_retries": 3, "timeout": 9, "max_connections": 2}},
    {"base_url": "http://localhost:1"},
    {"name": "second"},
    {"file": "other/tasks.py"},
    {"model": "mockllm/two"},
    {"args": {"x": 0}},
    {"args": {"x": 1}},
    {"args": {"x": 1, "y": "b"}},
    {"args": {"y": "b", "x": 1}},
    {"args": {"z": [1, 2.5, "three"]}},
    {"args": {"x": True}},
    {"generate": {"temperature": 0.0}},
    {"generate": {"temperature": 0.5}},
    {"generate": {"temperature": 0.5, "max_retries": 1}},
    {"config": {"temperature": 0.5}},
    {"config": {"temperature": 0.5}, "generate": {"temperature": 0.1}},
    {"config": {"max_tokens": 5}, "generate": {"temperature": 0.5}},
    {"generate": {"system_message": "be brief", "seed": 7}},
    {"generate": {"stop_seqs": ["a", "b"]}},
    {"model_args": {"flavour": "odd"}},
    {"solver": "idle"},
    {"solver": "idle", "solver_args": {"x": 3}},
    {"roles": {"grader": "mockllm/g"}},
    {"roles": {"grader": {"model": "mockllm/g"}}},
    {"roles": {"grader": {"model": "mockllm/g", "config": {"temperature": 0.5}}}},
    {"roles": {"grader": {"model": "mockllm/g", "base_url": "http://localhost:1"}}},
    {"roles": {"critic": "mockllm/g"}},
    {"name": "second", "generate": {"top_p": 0.5}},
    {"name": "second", "generate": {"top_p": 0.9}},
]


def made_role(value):
    if isinstance(value, str):
        return value
    config = GenerateConfig(**value.get("config", {}))
    return get_model(value["model"], config=config, base_url=value.get("base_url"), memoize=False)


def run(folder: Path, asked: dict) -> dict:
    generate, config = asked.get("generate", {}), asked.get("config", {})
    model = get_model(
        asked["model"],
        config=GenerateConfig(**{**generate, **config}),
        base_url=asked.get("base_url"),
        memoize=False,
        **asked.get("model_args", {}),
    )
    solver_args = asked.get("solver_args", {})
    (log,) = eval(
        f"{asked['file']}@{asked['name']}",
        task_args=asked.get("args", {}),
        model=model,
        solver=SolverSpec(asked["solver"], solver_args, solver_args) if "solver" in asked else None,
        model_roles={role: made_role(value) for role, value in asked.get("roles", {}).items()},
        log_dir=str(folder),
        display="none",
        run_samples=False,
        message_limit=20,
        **{key: value for key, value in generate.items() if key not in config},
        **asked.get("options", {}),
    )
    return {"asked": asked, "log": Path(log.location).name, "id": task_identifier(log, None)}


if __name__ == "__main__":
    place = Path(sys.argv[1]).absolute()
    for file in (place / "tasks.py", place / "other" / "tasks.py"):
        file.parent.mkdir(exist_ok=True)
        file.write_text(TASKS)
    os.chdir(place)
    print(json.dumps([run(place / "logs", {**PLAIN, **each}) for each in VARIANTS]))
