"""Which cell a log belongs to; held against what Inspect itself tells apart."""

import contextlib
import hashlib
import json
import os
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest
from msgspec.structs import replace

from evaltui.cells import Cell, Cells, Problem, closest, difference, expand
from evaltui.logs.attempt import LoadedTask
from evaltui.logs.reading import read_log
from evaltui.logs.records import LogHeader
from evaltui.spec import ModelEntry, SetSpec, TaskEntry


def cells_of(spec: SetSpec, tasks: dict[str, list[str]] | None = None) -> Cells:
    return expand(spec, lambda file: (tasks or {}).get(file, Problem(f"{file} is gone")))


def one_cell(**changes) -> Cell:
    spec = SetSpec(
        tasks=(TaskEntry("t.py", "t", **changes.pop("task", {})),),
        models=(ModelEntry("mockllm/m", **changes.pop("model", {})),),
        **changes,
    )
    (cell,) = cells_of(spec).cells
    return cell


# --- partitions: ours and Inspect's ---------------------------------------------------------------


@pytest.fixture(scope="module")
def variants(pytestconfig, tmp_path_factory) -> list[dict]:
    """How each variant was asked for, the header Inspect wrote, and the identifier it has."""
    script = Path(__file__).parent / "variants.py"
    made_by = hashlib.sha256(script.read_bytes() + version("inspect-ai").encode())
    kept = pytestconfig.cache.mkdir("variants") / made_by.hexdigest()[:16]
    if not kept.exists():
        fresh = tmp_path_factory.mktemp("variants") / "made"
        fresh.mkdir()
        home = {"XDG_DATA_HOME": str(fresh.parent), "INSPECT_DISPLAY": "none"}
        made = subprocess.run(
            [sys.executable, script, fresh],
            check=True, env={**os.environ, **home}, capture_output=True, text=True,
        )  # fmt: skip
        (fresh / "variants.json").write_text(made.stdout)
        with contextlib.suppress(OSError):  # another run was quicker
            fresh.rename(kept)
    rows = json.loads((kept / "variants.json").read_text())
    return [{**row, "header": read_log(kept / "logs" / row["log"]).header} for row in rows]


def spec_of(asked: dict) -> SetSpec:
    task = TaskEntry(
        asked["file"], asked["name"], asked.get("args", {}),
        solver=asked.get("solver"), solver_args=asked.get("solver_args", {}),
    )  # fmt: skip
    model = ModelEntry(
        asked["model"], asked.get("config", {}), asked.get("model_args", {}),
        asked.get("base_url"), asked.get("roles", {}),
    )  # fmt: skip
    return SetSpec(tasks=(task,), models=(model,), settings=asked.get("generate", {}))


def loaded(asked: dict) -> LoadedTask:
    second = {"task_version": 2, "config": {"top_p": 0.5}} if asked["name"] == "second" else {}
    return LoadedTask(1, asked["file"], asked["name"], name=asked["name"], **second)


def classes(variants: list[dict]) -> list[int]:
    """Which variants Inspect has as one; where in the spec an option stands is no difference to us.

    Inspect tells `--temperature 0.5` from a model made with that temperature, though both answer
    alike.
    """
    found = list(range(len(variants)))
    for what in (lambda row: row["id"], lambda row: settled(row["asked"])):
        first: dict[str, int] = {}
        for n, row in enumerate(variants):
            old, new = found[n], found[first.setdefault(what(row), n)]
            found = [new if each == old else each for each in found]
    return found


def settled(asked: dict) -> str:
    rest = {
        key: value for key, value in asked.items() if key not in ("generate", "config", "again")
    }
    whole = {**asked.get("generate", {}), **asked.get("config", {})}
    return json.dumps({**rest, "config": whole}, sort_keys=True)


@pytest.mark.parametrize("after_load", [False, True], ids=["before a load", "after a load"])
def test_our_partition_of_logs_is_inspects(variants, after_load):
    """Over variants with fixed sample limits, a log is a cell's exactly when Inspect says so."""
    kinds = classes(variants)
    for kind, one in zip(kinds, variants, strict=True):
        spec = spec_of(one["asked"])
        (cell,) = cells_of(spec).cells
        showed = loaded(one["asked"]) if after_load else None
        for other_kind, other in zip(kinds, variants, strict=True):
            if one["asked"]["file"] != other["asked"]["file"]:
                continue  # see the next test but one
            differs = difference(cell, other["header"], spec.settings, showed)
            told = (one["asked"], other["asked"], str(differs))
            assert (differs is None) == (kind == other_kind), told


def test_keys_of_cells_partition_as_inspects_identifiers_do(variants):
    kinds = classes(variants)
    keys = [cells_of(spec_of(row["asked"])).cells[0].key for row in variants]
    assert len(set(keys)) == len(set(kinds)) == len(set(zip(keys, kinds, strict=True)))
    assert len(set(keys)) > 20


def test_of_two_files_with_one_name_the_longer_path_wins(variants):
    plain = {"name": "first", "model": "mockllm/one"}
    headers = {
        file: next(row["header"] for row in variants if row["asked"] == {"file": file, **plain})
        for file in ("tasks.py", "other/tasks.py")
    }
    spec = SetSpec(
        tasks=(TaskEntry("tasks.py", "first"), TaskEntry("other/tasks.py", "first")),
        models=(ModelEntry("mockllm/one"),),
    )
    cells = cells_of(spec).cells
    assert closest(cells, headers["tasks.py"], {}, {}) == (cells[0], None)
    assert closest(cells, headers["other/tasks.py"], {}, {}) == (cells[1], None)


# --- one log and one cell ------------------------------------------------------------------------


HEADER = LogHeader(
    task="t", model="mockllm/m", created="2026", eval_id="e", task_file="t.py", plan={"config": {}}
)


@pytest.mark.parametrize(
    ("cell", "header", "said"),
    [
        ({}, {"task_file": "u.py"}, "the set has task file t.py, the log u.py"),
        ({}, {"task_file": None}, "the set has task file t.py, the log has none"),
        ({}, {"task": "u"}, "the set has task t, the log u"),
        ({}, {"model": "mockllm/n"}, "the set has model mockllm/m, the log mockllm/n"),
        ({"task": {"args": {"x": 1}}}, {}, 'the set has args {"x":1}, the log has none'),
        ({"solver": "s"}, {}, "the set has solver s, the log has none"),
        ({"solver": "s", "solver_args": {"a": 1}}, {"solver": "s"},
         'the set has solver args {"a":1}, the log has none'),
        ({"model": {"args": {"a": 1}}}, {}, 'the set has model args {"a":1}, the log has none'),
        ({"settings": {"temperature": 0.0}},
         {"model_generate_config": {"temperature": 0.7}}, "the set has temperature 0, the log 0.7"),
        ({}, {"model_generate_config": {"top_k": 5}},
         "the log has top_k 5, the set does not set it"),
        ({"model_roles": {"g": "m/x"}}, {},
         'the set has model roles {"g":{"args":{},"config":{},"model":"m/x"}}, the log has none'),
    ],
)  # fmt: skip
def test_the_first_field_that_differs_is_named(cell, header, said):
    made = one_cell(**cell)
    settings = cell.get("settings", {})
    assert str(difference(made, replace(HEADER, **header), settings, None)) == said


def test_transport_and_base_url_are_no_part_of_it():
    cell = one_cell(model={"base_url": "http://a"}, settings={"max_retries": 3})
    header = replace(
        HEADER,
        model_base_url="http://b",
        model_generate_config={"timeout": 5, "max_connections": 2},
    )
    assert difference(cell, header, {"max_retries": 3}, None) is None


def test_options_of_the_run_are_found_in_the_plan_where_the_model_was_made_before():
    """`eval(get_model(…), temperature=…)` leaves the model's own config as it was."""
    cell = one_cell(settings={"temperature": 0.5})
    header = replace(HEADER, plan={"config": {"temperature": 0.5}})
    assert closest([cell], header, {"temperature": 0.5}, {}) == (cell, None)
    assert closest([cell], HEADER, {"temperature": 0.5}, {})[1] is not None
    with_own = one_cell(model={"config": {"temperature": 0.5}})
    in_model = replace(header, model_generate_config={"temperature": 0.5})
    assert closest([one_cell(), with_own], in_model, {}, {}) == (with_own, None)


def test_what_the_spec_leaves_open_matches_anything_before_a_load():
    cell, load = one_cell(), LoadedTask(1, "t.py", "t", config={"temperature": 0.7})
    old = replace(HEADER, plan={"config": {"temperature": 0.5}})
    assert difference(cell, old, {}, None) is None
    assert str(difference(cell, old, {}, load)) == "the set has temperature 0.7, the log 0.5"
    assert (
        difference(cell, replace(HEADER, plan={"config": {"temperature": 0.7}}), {}, load) is None
    )
    newer = LoadedTask(1, "t.py", "t", task_version=2)
    assert difference(cell, HEADER, {}, None) is None
    assert str(difference(cell, HEADER, {}, newer)) == "the set has task version 2, the log 0"
    broken = LoadedTask(1, "t.py", "t", error="no", task_version=2)
    assert difference(cell, HEADER, {}, broken) is None


def test_a_log_without_a_plan_is_not_held_against_the_tasks_config():
    load = LoadedTask(1, "t.py", "t", config={"temperature": 0.7})
    assert difference(one_cell(), replace(HEADER, plan={}), {}, load) is None


@pytest.mark.parametrize(
    ("file", "same"),
    [("t.py", True), ("evals/t.py", True), ("/abs/evals/t.py", True), ("..\\evals\\t.py", True),
     ("evals/u.py", False), ("at.py", False)],
)  # fmt: skip
def test_a_path_that_ends_in_the_other_is_the_same_file(file, same):
    assert (difference(one_cell(), replace(HEADER, task_file=file), {}, None) is None) == same


def test_a_task_is_known_by_its_name_in_a_package_and_by_the_name_it_gives_itself():
    cell = one_cell()
    assert difference(cell, replace(HEADER, task="package/t"), {}, None) is None
    named = LoadedTask(1, "t.py", "t", name="own name")
    assert difference(cell, replace(HEADER, task="own name"), {}, named) is None
    assert difference(cell, replace(HEADER, task="own name"), {}, None) is not None


def test_the_nearest_cell_is_the_one_that_agrees_longest():
    spec = SetSpec(
        tasks=(TaskEntry("t.py", "t"), TaskEntry("u.py", "u")),
        models=(ModelEntry("mockllm/m"), ModelEntry("mockllm/n")),
    )
    cells = cells_of(spec).cells
    header = replace(HEADER, model="mockllm/n", model_generate_config={"temperature": 1.0})
    cell, differs = closest(cells, header, {}, {})
    assert (cell.task, cell.model) == ("t", "mockllm/n")
    assert str(differs) == "the log has temperature 1, the set does not set it"
    assert closest((), HEADER, {}, {}) == (None, None)
