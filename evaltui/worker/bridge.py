"""The only file that touches modules of Inspect that are private to it.

Each function is one thing that Inspect does and offers to nobody; what is public is imported where
it is used. `tests/test_bridge.py` holds what is relied on and names what a release has moved.
"""

from __future__ import annotations

import glob
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import psutil
from inspect_ai import Task
from inspect_ai._control.cancel import drain_task
from inspect_ai._control.eval_state import get_eval_state
from inspect_ai._eval.loader import (
    _retain_untrusted_content,
    create_file_tasks,
    load_tasks,
    resolve_task_sandbox,
)
from inspect_ai._eval.registry import task_create
from inspect_ai._eval.task.resolved import ResolvedTask
from inspect_ai._eval.task.run import eval_log_sample_source
from inspect_ai._eval.task.util import task_file
from inspect_ai._util.dateutil import iso_now
from inspect_ai._util.error import PrerequisiteError, is_cancellation_message
from inspect_ai._util.file import filesystem
from inspect_ai._util.module import load_module
from inspect_ai._util.path import chdir_python
from inspect_ai._util.registry import (
    is_registry_object,
    registry_find,
    registry_info,
    registry_lookup,
    registry_params,
)
from inspect_ai.approval._policy import ApprovalPolicyConfig
from inspect_ai.log import EvalLog, EvalLogInfo
from inspect_ai.log._recorders import eval as eval_recorder
from inspect_ai.log._recorders.buffer.buffer import cleanup_sample_buffers_for_log
from inspect_ai.log._recorders.buffer.database import (
    SampleBufferDatabase,
    location_dir_and_file,
    resolve_db_dir,
    sample_buffer_dbs,
)
from inspect_ai.log._recorders.file import write_local_snapshot
from inspect_ai.log._recover import RecoveryNotAvailable
from inspect_ai.model import Model
from inspect_ai.scorer import Scorer
from inspect_ai.scorer._reducer import reducer_log_names
from inspect_ai.scorer._scorer import unique_scorer_name
from inspect_ai.util import CheckpointConfig, SandboxEnvironmentSpec
from inspect_ai.util._checkpoint._layout import eval_checkpoints_dir_from_config
from inspect_ai.util._checkpoint._layout.sample_checkpoints_dir import sample_dir_name
from inspect_ai.util._checkpoint.parse_cli import parse_checkpoint
from pydantic import TypeAdapter
from shortuuid import uuid

from evaltui.logs.writers import is_gone

__all__ = ["PrerequisiteError", "RecoveryNotAvailable", "is_cancellation_message"]

# --- tasks ---------------------------------------------------------------------------------------


def run_file(path: Path) -> None:
    """Execute a task file in its folder, so that what it decorates is registered.

    No look at its code first, as Inspect has: that misses `@inspect_ai.task` and tasks inside `if`.
    """
    whole = path.absolute()
    with chdir_python(whole.parent.as_posix()):
        load_module(whole)


def registered_task(name: str) -> Callable[..., Task] | None:
    """The function behind a task's registry name, or behind its own name."""
    found = registry_lookup("task", name)
    if found is None:
        found = next(
            (
                each
                for each in registry_find(lambda info: info.type == "task")
                if getattr(each, "__name__", None) == name
            ),
            None,
        )
    return found  # type: ignore[return-value]


def registry_name(registered: object) -> str:
    return registry_info(registered).name


def make_task(path: Path, name: str, args: Mapping[str, Any]) -> Task:
    """Call a registered task of the file at `path` (relative to the working directory)."""
    return create_file_tasks(path, [name], dict(args))[0]


def make_packaged_task(name: str, args: Mapping[str, Any]) -> Task:
    """A task by the name under which an installed package registers it, or of the `hf/` kind."""
    if registry_lookup("task", name) is not None:
        return task_create(name, **args)
    return load_tasks([name], dict(args))[0]


def resolved_task(
    task: Task,
    *,
    id: str,
    args: Mapping[str, Any],
    model: Model,
    model_roles: dict[str, Model | list[Model]] | None,
    sandbox: SandboxEnvironmentSpec | None,
    previous: EvalLog | None,
    previous_file: Path | None,
    checkpoint: Any,
) -> ResolvedTask:
    """What `eval()` makes of a task, with the samples of a previous log to take over.

    previous: the header of `previous_file`, true to the dataset (its size, not shuffled): Inspect
    refuses the whole log otherwise; its usage is what the samples taken over have used.
    """
    source = None
    if previous is not None and previous_file is not None:
        _retain_untrusted_content(task, previous)
        source = eval_log_sample_source(
            previous,
            EvalLogInfo(name=str(previous_file), type="file", size=0, mtime=0, task=task.name,
                        task_id=id, suffix=None),
            task.dataset,
            eval_checkpoints_dir_from_config(str(previous_file), task.checkpoint, checkpoint),
        )  # fmt: skip
    return ResolvedTask(
        id=id,
        task=task,
        task_args=dict(args),
        task_file=task_file(task, relative=True),
        model=task.model or model,
        model_roles={**(task.model_roles or {}), **(model_roles or {})} or None,
        sandbox=sandbox,
        checkpoint=task.checkpoint,
        sequence=0,
        sample_source=source,
        initial_model_usage=dict(previous.stats.model_usage) if previous else None,
        initial_role_usage=dict(previous.stats.role_usage) if previous else None,
        input_media_policy="trusted_pre_run",
    )


def resolved_sandbox(task: Task, sandbox: Any) -> SandboxEnvironmentSpec | None:
    """The sandbox that samples run in: what is asked for, else the task's; config file found."""
    return resolve_task_sandbox(task, sandbox)


# --- settings ------------------------------------------------------------------------------------


def checkpoint(value: Any) -> Any:
    """A checkpoint setting as `eval()` takes it: true, what the command line takes, or a table."""
    if isinstance(value, str):
        return parse_checkpoint(value)
    if isinstance(value, Mapping):
        return TypeAdapter(CheckpointConfig).validate_python(dict(value))
    return value


def approval(value: Any) -> Any:
    """An approval setting as `eval()` takes it: the path of a policy file, or a table."""
    return ApprovalPolicyConfig.model_validate(value) if isinstance(value, Mapping) else value


# --- what a task is made of -----------------------------------------------------------------------


def solver_name(task: Task) -> str | None:
    """The registry name of the task's own solver, where it has one."""
    return registry_info(task.solver).name if is_registry_object(task.solver) else None


def reducer_names(task: Task) -> list[str]:
    """How scores of epochs become one, by the names that logs have."""
    return list(reducer_log_names(task.epochs_reducer) or [])


# --- scorers -------------------------------------------------------------------------------------


def scorer_names(scorers: Sequence[Scorer]) -> list[str]:
    """The names under which a log holds the scores of `scorers`."""
    names: list[str] = []
    for scorer in scorers:
        names.append(unique_scorer_name(scorer, names))
    return names


def made_by(scorer: Scorer) -> tuple[str, object, Mapping[str, Any]] | None:
    """A scorer's registry name, the function that makes it, and what that was called with."""
    if not is_registry_object(scorer):
        return None
    name = registry_info(scorer).name
    return name, registry_lookup("scorer", name), registry_params(scorer)


# --- a running eval ------------------------------------------------------------------------------


def log_location(eval_id: str) -> str | None:
    """Where the running eval writes its log."""
    state = get_eval_state(eval_id)
    return state.log_location if state is not None else None


def drain(task_id: str) -> bool:
    """Start no further sample of a running task; called on the eval's loop. True where it took."""
    result = drain_task(task_id)
    return bool(result and result["ok"])


# --- checkpoints ---------------------------------------------------------------------------------


def checkpoints_folder(log: Path, task: Task, setting: Any) -> Path | None:
    """Where Inspect keeps the checkpoints of a log's samples; None where none are made."""
    folder = eval_checkpoints_dir_from_config(str(log), task.checkpoint, setting)
    return Path(folder.removeprefix("file://")) if folder is not None else None


def sample_checkpoints(id: int | str, epoch: int) -> str:
    """The name of a sample's folder in there."""
    return str(sample_dir_name(id, epoch))


# --- logs ----------------------------------------------------------------------------------------


def new_id() -> str:
    """An id as Inspect gives to tasks and logs."""
    return str(uuid())


def now() -> str:
    """The time as logs write it."""
    return str(iso_now())


def sample_buffer_folder(log_dir: Path) -> Path:
    """Where Inspect keeps finished samples of this log directory's logs until it flushes them."""
    folder, _ = location_dir_and_file(_as_uri(log_dir / "any.eval"))
    return Path(resolve_db_dir()) / folder


def keep_unwritten_samples(tell: Callable[[OSError], None]) -> None:
    """Have Inspect keep in its sample buffer what it can't write to a log. Once in a process.

    It takes a write that is not permitted for a file that is in use, and drops from the buffer what
    the log never got; any other failure tears down the samples that run. After this the eval goes
    on, `tell` hears of each failed write, and samples leave the buffer when a later one succeeds.
    The first write of a log and its last still raise: the buffer is kept then.
    """
    remove = SampleBufferDatabase.remove_samples
    kept: list[tuple[str | int, int]] = []
    failed = False

    async def write_or_tell(location: str, fsync: bool, writer: Callable[[], None]) -> bool:
        nonlocal failed
        try:
            await write_local_snapshot(location, True, writer)
        except OSError as error:
            if fsync or not Path(location.removeprefix("file://")).exists():
                raise
            failed = True
            tell(error)
            return False
        failed = False
        return True

    def remove_written(buffer: SampleBufferDatabase, samples: list[tuple[str | int, int]]) -> None:
        kept.extend(samples)
        if not failed:
            remove(buffer, list(kept))
            kept.clear()

    eval_recorder.write_local_snapshot = write_or_tell  # type: ignore[attr-defined]
    SampleBufferDatabase.remove_samples = remove_written  # type: ignore[method-assign, assignment]


def fetch_sample_buffer(log: Path) -> None:
    """Copy what Inspect buffered for a log to where it looks for it, if it lies elsewhere.

    It goes by the path of the log directory, which may have been moved since or have several names;
    the name of a log is its own. The buffer of a living writer is left alone.
    """
    if sample_buffer_dbs(_as_uri(log)):
        return
    folder = sample_buffer_folder(log.parent)
    # listed before the first copy, which lies in one of the folders
    for buffer in list(folder.parent.glob(f"*/{glob.escape(log.name)}.*.db")):
        pid = buffer.name.rsplit(".", 2)[1]
        if pid.isdigit() and psutil.pid_exists(int(pid)) and not is_gone(int(pid), buffer):
            continue
        for ending in ("-wal", ""):
            part = buffer.with_name(buffer.name + ending)
            if part.exists():
                shutil.copy2(part, folder / part.name)


def drop_sample_buffer(log: Path) -> None:
    """Remove what Inspect buffered for a log whose samples are all in a file."""
    cleanup_sample_buffers_for_log(_as_uri(log))


def disown_sample_buffer(log: Path) -> None:
    """Have Inspect see that the writer of a buffer is gone, where its pid seems to live on.

    Inspect goes by the pid in the file's name, which a zombie keeps (nobody reaps it in many a
    container) and which another process may have got since.
    """
    for buffer in sample_buffer_dbs(_as_uri(log)):
        stem, pid, _ = buffer.name.rsplit(".", 2)
        if pid.isdigit() and psutil.pid_exists(int(pid)) and is_gone(int(pid), buffer):
            for ending in ("-wal", "-shm", ""):
                part = buffer.with_name(buffer.name + ending)
                if part.exists():
                    part.rename(buffer.with_name(f"{stem}.{_NO_PID}.db{ending}"))


_NO_PID = 2**31 - 1  # above what Linux and macOS give out


def _as_uri(path: Path) -> str:
    return str(filesystem(str(path)).path_as_uri(str(path)))
