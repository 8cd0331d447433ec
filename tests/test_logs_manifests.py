"""Inspect's own files in a log directory, read and written as Inspect does."""

import json
import shutil

import pytest
from inspect_ai._eval.evalset import eval_set_id_for_log_dir, read_eval_set_info
from inspect_ai._util.json import to_json_safe
from inspect_ai.log import EvalLog, write_log_dir_manifest

from evaltui.logs.archive import LogError
from evaltui.logs.manifests import (
    EvalSet,
    EvalSetTask,
    ensure_eval_set_id,
    read_eval_set,
    read_eval_set_id,
    write_eval_set,
    write_logs_manifest,
)


def test_an_id_is_made_once_and_inspect_takes_it(tmp_path):
    assert read_eval_set_id(tmp_path) is None
    made = ensure_eval_set_id(tmp_path)
    assert len(made) == 22
    assert made.isalnum()
    assert (tmp_path / ".eval-set-id").read_text() == made
    assert ensure_eval_set_id(tmp_path) == read_eval_set_id(tmp_path) == made
    assert eval_set_id_for_log_dir(str(tmp_path)) == made


def test_an_id_of_inspect_is_taken(tmp_path):
    theirs = eval_set_id_for_log_dir(str(tmp_path))
    assert ensure_eval_set_id(tmp_path) == theirs


def test_ids_differ(tmp_path):
    folders = [tmp_path / str(number) for number in range(5)]
    assert len({ensure_eval_set_id(folder) for folder in folders}) == 5


def test_an_unreadable_id_is_a_sentence(tmp_path):
    (tmp_path / ".eval-set-id").write_bytes(b"\xff\xfe")
    with pytest.raises(LogError, match=r"\.eval-set-id is no id of a set; delete it"):
        read_eval_set_id(tmp_path)


TASKS = EvalSet(
    "the-id",
    (
        EvalSetTask(
            task_id="t1", task_args={}, model="mockllm/m", model_args={}, sequence=0, name="one"
        ),
        EvalSetTask(
            task_id="t2",
            task_args={"n": 1, "deep": {"a": [1, 2.5]}},
            model="mockllm/m",
            model_args={"x": "ü"},
            sequence=1,
            name="two",
            task_file="two.py",
            model_roles={"grader": "mockllm/a,mockllm/b"},
        ),
    ),
)


def test_what_we_write_of_a_set_inspect_reads(tmp_path):
    write_eval_set(tmp_path, TASKS)
    theirs = read_eval_set_info(str(tmp_path))
    assert theirs.eval_set_id == "the-id"
    assert (tmp_path / "eval-set.json").read_bytes() == to_json_safe(theirs)
    assert read_eval_set(tmp_path) == TASKS


@pytest.mark.slow
def test_what_inspect_writes_of_a_set_we_read(cases):
    result = cases.eval_set("counted.py@counted", "--model", "mockllm/m", "--log-dir", "logs")
    assert result.returncode == 0, result.stdout + result.stderr
    content = read_eval_set(cases.logs)
    theirs = read_eval_set_info(str(cases.logs))
    assert content.eval_set_id == theirs.eval_set_id == read_eval_set_id(cases.logs)
    [task], [other] = content.tasks, theirs.tasks
    for field in ("name", "task_id", "task_file", "task_args", "model", "model_args", "sequence"):
        assert getattr(task, field) == getattr(other, field), field
    written = (cases.logs / "eval-set.json").read_bytes()
    write_eval_set(cases.logs, content)
    assert (cases.logs / "eval-set.json").read_bytes() == written


def test_a_missing_set_is_none_and_a_broken_one_a_sentence(tmp_path):
    assert read_eval_set(tmp_path) is None
    for content in (b"", b"[]", b'{"eval_set_id": 1}', b"\xff"):
        (tmp_path / "eval-set.json").write_bytes(content)
        with pytest.raises(LogError, match=r"eval-set\.json has an unknown form"):
            read_eval_set(tmp_path)


def test_unknown_keys_of_a_newer_inspect_are_passed_over(tmp_path):
    text = '{"eval_set_id": "i", "new": 1, "tasks": [{"task_id": "t", "task_args": {}, '
    text += '"model": "m", "model_args": {}, "sequence": 0, "newer": {}}]}'
    (tmp_path / "eval-set.json").write_text(text)
    assert read_eval_set(tmp_path).tasks[0].task_id == "t"


def test_the_manifest_of_logs_says_what_inspects_says(log_kinds, tmp_path):
    logs = tmp_path / "logs"
    shutil.copytree(log_kinds, logs)
    (logs / "sub").mkdir()
    shutil.copy(log_kinds / "2020-01-01T00-00-00_error.eval", logs / "sub" / "ü deep.eval")
    write_log_dir_manifest(str(logs))
    theirs = json.loads((logs / "logs.json").read_text())
    write_logs_manifest(logs)
    ours = json.loads((logs / "logs.json").read_text())
    # Inspect names what lies in subfolders by their encoded address
    assert {name.replace("%C3%BC%20", "ü ") for name in theirs} == ours.keys()
    for name, header in theirs.items():
        header.pop("reductions", None)
        mine = ours[name.replace("%C3%BC%20", "ü ")]
        assert repr(EvalLog.model_validate(mine)) == repr(EvalLog.model_validate(header)), name


def test_the_manifest_leaves_out_logs_that_cannot_be_read(log_kinds, tmp_path):
    shutil.copy(log_kinds / "2020-01-01T00-00-00_success.eval", tmp_path / "good.eval")
    (tmp_path / "broken.eval").write_bytes(b"x")
    (tmp_path / "gone.eval").symlink_to("nowhere")
    private = tmp_path / ".evaltui" / "trash"
    private.mkdir(parents=True)
    shutil.copy(tmp_path / "good.eval", private / "old.eval")
    write_logs_manifest(tmp_path)
    assert json.loads((tmp_path / "logs.json").read_text()).keys() == {"good.eval"}
