"""What the worker relies on in Inspect's private modules; a release that moves it is named here."""

from __future__ import annotations

import ast
import dataclasses
import importlib
import inspect
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task, eval
from inspect_ai.dataset import Sample

import evaltui

BRIDGE = Path(evaltui.__file__).parent / "worker" / "bridge.py"
INSPECT = f"inspect_ai {version('inspect-ai')}"


def private_names() -> list[tuple[str, str]]:
    return [
        (node.module, alias.name)
        for node in ast.walk(ast.parse(BRIDGE.read_text()))
        if isinstance(node, ast.ImportFrom)
        and node.module
        and node.module.startswith("inspect_ai.")
        and any(part.startswith("_") for part in node.module.split("."))
        for alias in node.names
    ]


@pytest.mark.parametrize(("module", "name"), private_names())
def test_inspect_still_has_it(module: str, name: str):
    try:
        found = importlib.import_module(module)
    except ImportError:
        pytest.fail(f"{INSPECT} has moved the module {module}; see worker/bridge.py")
    assert hasattr(found, name), f"{INSPECT} has moved {module}.{name}; see worker/bridge.py"


TAKES = [
    ("inspect_ai._control.cancel", "drain_task", ["task_id"]),
    ("inspect_ai._control.eval_state", "get_eval_state", ["eval_id"]),
    ("inspect_ai._eval.loader", "create_file_tasks", ["file", "task_specs", "task_args"]),
    ("inspect_ai._eval.loader", "resolve_task_sandbox", ["task", "sandbox"]),
    ("inspect_ai._eval.loader", "_retain_untrusted_content", ["task", "previous_log"]),
    ("inspect_ai._util.module", "load_module", ["module_path"]),
    (
        "inspect_ai._eval.task.run",
        "eval_log_sample_source",
        ["eval_log", "eval_log_info", "dataset", "eval_checkpoints_dir"],
    ),
    ("inspect_ai.log._recorders.eval", "write_local_snapshot", ["location", "fsync", "writer"]),
    ("inspect_ai.scorer._scorer", "unique_scorer_name", ["scorer", "already_used_names"]),
    (
        "inspect_ai.util._checkpoint._layout",
        "eval_checkpoints_dir_from_config",
        ["log_location", "task", "eval_"],
    ),
]


@pytest.mark.parametrize(("module", "name", "parameters"), TAKES)
def test_what_is_called_still_takes_what_it_gets(module: str, name: str, parameters: list[str]):
    taken = list(inspect.signature(getattr(importlib.import_module(module), name)).parameters)
    assert taken[: len(parameters)] == parameters, f"{INSPECT} calls {name} otherwise"


def test_samples_leave_the_buffer_by_the_name_that_is_listened_to():
    from inspect_ai.log._recorders.buffer.database import SampleBufferDatabase

    assert list(inspect.signature(SampleBufferDatabase.remove_samples).parameters)[1] == "samples"


def test_a_resolved_task_has_the_fields_that_are_filled():
    from inspect_ai._eval.task.resolved import ResolvedTask

    fields = {field.name for field in dataclasses.fields(ResolvedTask)}
    filled = {
        "id", "task", "task_args", "task_file", "model", "model_roles", "sandbox", "checkpoint",
        "sequence", "sample_source", "initial_model_usage", "initial_role_usage",
        "input_media_policy",
    }  # fmt: skip
    assert filled <= fields, f"{INSPECT} has renamed {filled - fields} of ResolvedTask"


def test_eval_still_takes_what_the_worker_gives():
    taken = inspect.signature(eval).parameters
    given = {
        "model", "model_roles", "display", "log_dir", "log_format", "log_header_only",
        "ctl_server", "eval_set_id", "fail_on_error", "epochs", "limit", "sample_id",
        "sample_shuffle", "solver", "sandbox", "checkpoint",
    }  # fmt: skip
    assert given <= taken.keys(), f"{INSPECT} no longer takes {given - taken.keys()}"


def test_a_resolved_task_is_run_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """The ids, the order and the task id that were decided come out in the log."""
    from inspect_ai.model import get_model
    from inspect_ai.solver import solver

    from evaltui.worker import bridge

    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))

    @solver
    def quiet() -> Any:
        async def solve(state: Any, generate: Any) -> Any:
            return state

        return solve

    task = Task(dataset=[Sample(id=i, input="x") for i in (3, 1, 2)], solver=quiet())
    resolved = bridge.resolved_task(
        task,
        id="a-task-id",
        args={"n": 1},
        model=get_model("mockllm/m"),
        model_roles=None,
        sandbox=None,
        previous=None,
        previous_file=None,
        checkpoint=None,
    )
    log = eval(resolved, model="mockllm/m", display="none", log_dir=str(tmp_path), limit=2)[0]
    assert log.status == "success"
    assert log.eval.task_id == "a-task-id"
    assert log.eval.task_args_passed == {"n": 1}
    assert sorted(sample.id for sample in log.samples or []) == [1, 3]


def test_the_buffer_lies_where_the_bridge_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    from inspect_ai.log._recorders.buffer.database import SampleBufferDatabase

    from evaltui.worker import bridge

    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    log = tmp_path / "logs" / "some.eval"
    buffer = SampleBufferDatabase(str(log))
    folder = bridge.sample_buffer_folder(log.parent)
    assert [path.parent for path in folder.glob("some.eval.*.db")] == [folder]
    buffer.cleanup()
    SampleBufferDatabase(str(log)).close()
    bridge.drop_sample_buffer(log)
    assert not folder.exists() or not list(folder.glob("some.eval.*"))


def test_a_buffer_whose_pid_another_process_got_is_disowned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    import os

    from inspect_ai.log._recorders.buffer.database import SampleBufferDatabase
    from inspect_ai.log._recover import read_buffer_recovery_data

    from evaltui.logs.writers import writer_of
    from evaltui.worker import bridge

    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    log = tmp_path / "logs" / "some.eval"
    SampleBufferDatabase(str(log)).close()
    buffer = next(bridge.sample_buffer_folder(log.parent).glob("some.eval.*.db"))
    assert read_buffer_recovery_data(str(log)) is None  # this process has that pid
    bridge.disown_sample_buffer(log)
    assert read_buffer_recovery_data(str(log)) is None  # and wrote it, as far as can be told
    assert writer_of(log) == os.getpid()
    os.utime(buffer, (1, 1))
    assert writer_of(log) is None
    bridge.disown_sample_buffer(log)
    assert read_buffer_recovery_data(str(log)) is not None
