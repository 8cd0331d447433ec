"""The plan of a set: logs with their cells, counts with their reasons, and what a resume costs."""

import json
from pathlib import Path

import pytest
from msgspec.structs import replace

from evaltui.cells import Cell, Problem, expand
from evaltui.commands.plan import plan_json
from evaltui.logs.attempt import LoadedTask, Rules
from evaltui.logs.logged import LoggedLog
from evaltui.logs.records import Dataset, LogFile, LogHeader, Results
from evaltui.plan import Asked, Known, make_plan, pair_logs, rules_for, totals
from evaltui.spec import ModelEntry, SetSpec, TaskEntry
from tests.histories import Life, failing, numbered, task


def set_of(*models: str, tasks: tuple[str, ...] = ("t",), **settings) -> tuple[SetSpec, list[Cell]]:
    spec = SetSpec(
        tasks=tuple(TaskEntry(f"{name}.py", name) for name in tasks),
        models=tuple(ModelEntry(name) for name in models or ("mockllm/m",)),
        settings=settings,
    )
    return spec, list(expand(spec, lambda file: Problem(file)).cells)


def file_of(log: LoggedLog, **header) -> LogFile:
    """The row of a log with this history."""
    completed = sum(sample.state == "clean" for sample in log.samples)
    made = LogHeader(
        task="t",
        model="mockllm/m",
        created=log.created,
        eval_id=log.name,
        task_file="t.py",
        status=log.status,
        dataset=Dataset(samples=log.size, sample_ids=log.sample_ids),
        results=Results(total_samples=len(log.samples), completed_samples=completed),
        config={"epochs": log.epochs},
    )
    return LogFile(Path(log.name), 1, 1, replace(made, **header), finished=True)


def known(cells: list[Cell], life: Life, loaded: LoadedTask | None = None, **more) -> Known:
    loads = {cell.load_key: loaded for cell in cells} if loaded else {}
    return Known(
        logs=[file_of(log) for log in life.logs],
        histories={log.name: log for log in life.logs},
        loads=loads,
        **more,
    )


def planned(life: Life, loaded: LoadedTask | None, asked: Asked | None = None, **settings):
    spec, cells = set_of(**settings)
    (plan,) = make_plan(
        cells, spec, known(cells, life, loaded, asked_of_all=asked or Asked())
    ).cells
    return plan


# --- counts --------------------------------------------------------------------------------------


def test_a_plan_counts_verdicts_and_reasons():
    life = Life()
    life.attempt(numbered(6), outcome=failing("2", "5"))
    plan = planned(life, numbered(6), epochs=2)
    assert (plan.action, plan.total, plan.reuse, plan.tolerated, plan.run) == ("run", 12, 4, 0, 8)
    assert plan.reasons == {"errored": 2, "new_epoch": 6}
    assert plan.checked
    assert (plan.log, plan.logs) == ("log1", ("log1",))
    assert len(plan.verdicts) == 12


def test_the_sets_threshold_and_its_slice_are_the_plans():
    life = Life(more={"fail_on_error": 1})
    life.attempt(numbered(6), outcome=failing("2"))
    assert planned(life, numbered(6), fail_on_error=1).tolerated == 1
    assert planned(life, numbered(6), fail_on_error=1, error_rule="at-least").run == 1
    assert planned(life, numbered(6), limit=1).action == "none"
    assert planned(life, numbered(6), sample_id=(2, 3)).reasons == {"errored": 1}


def test_asking_for_errors_runs_the_tolerated():
    life = Life(more={"fail_on_error": False})
    life.attempt(numbered(3), outcome=failing("2"))
    assert planned(life, numbered(3), fail_on_error=False).action == "none"
    asked = planned(life, numbered(3), Asked(retry_errors=True), fail_on_error=False)
    assert (asked.action, asked.run) == ("run", 1)


def test_a_slice_comes_with_the_draw_to_store():
    plan = planned(Life(), numbered(6), limit=2)
    assert [each.id for each in plan.draw.items] == [1, 2]
    assert planned(Life(), numbered(6)).draw is None


def test_remapped_samples_are_counted():
    life = Life()
    life.attempt(task("abcd"))
    assert planned(life, task("bacd")).remapped == 2


def test_totals_are_over_all_cells():
    spec, cells = set_of("mockllm/m", "mockllm/n")
    life = Life()
    life.attempt(numbered(3))
    counts = totals(make_plan(cells, spec, known(cells, life, numbered(3))))
    assert (counts["total"], counts["reuse"], counts["run"]) == (6, 3, 3)
    assert (counts["cells_run"], counts["cells_none"]) == (1, 1)


# --- what it saves and costs ---------------------------------------------------------------------


def test_what_is_saved_is_summed_over_samples_once_each():
    life = Life()
    life.attempt(numbered(4), outcome=failing("3", "4"))
    life.attempt(numbered(4), outcome=failing("4"))
    plan = planned(life, numbered(4))
    assert (plan.saves_tokens, plan.saves_seconds) == (30, 6.0)
    assert (plan.costs_tokens, plan.costs_seconds) == (10, 2.0)


def test_what_it_costs_is_not_known_before_anything_was_done():
    plan = planned(Life(), numbered(4))
    assert (plan.saves_tokens, plan.costs_tokens, plan.costs_seconds) == (0, None, None)


def test_a_merge_costs_nothing():
    life = Life()
    life.attempt(numbered(4), Rules(limit=2))
    life.attempt(numbered(4), Rules(limit=(2, 4)))
    plan = planned(life, numbered(4))
    assert (plan.action, plan.run, plan.costs_tokens, plan.saves_tokens) == ("merge", 0, 0, 40)


# --- scorers -------------------------------------------------------------------------------------


def scored(version: str, name: str = "includes", count: int = 3) -> LoadedTask:
    return numbered(count, source="v", scorers=(name,), scorer_sources={name: version})


def test_rescoring_is_named_and_its_graders_are_counted():
    life = Life()
    log = life.attempt(scored("s1"))
    plan = planned(life, scored("s2"))
    assert (plan.action, plan.rescore, plan.grader_calls) == ("none", 3, 0)
    life.change(log, 0, graded=True)
    assert planned(life, scored("s2")).grader_calls == 1
    life = Life()
    life.attempt(scored("s1", "model_graded_qa"))
    assert planned(life, scored("s2", "model_graded_qa")).grader_calls == 3


def test_asked_to_rescore_every_kept_sample_is_scored_again():
    life = Life()
    life.attempt(scored("s1"), outcome=failing("2"))
    plan = planned(life, scored("s1"), Asked(rescore=True))
    assert (plan.action, plan.rescore) == ("rescore", 2)
    assert planned(Life(), scored("s1"), Asked(rescore=True)).action == "run"


def test_where_nothing_is_scored_nothing_is_scored_again():
    life = Life()
    life.attempt(scored("s1"))
    assert planned(life, scored("s2"), score=False).rescore == 0


# --- before the tasks are loaded ------------------------------------------------------------------


def test_before_a_load_the_plan_goes_by_ids_and_says_so():
    life = Life()
    life.attempt(numbered(6), outcome=failing("2"))
    plan = planned(life, None)
    assert (plan.action, plan.total, plan.reuse, plan.run) == ("run", 6, 5, 1)
    assert not plan.checked
    assert "unchecked" in plan.notes
    assert plan.verdicts == ()
    assert plan.draw is None


def test_before_a_load_slices_and_epochs_count():
    life = Life()
    life.attempt(numbered(6), Rules(limit=(2, 4)))
    assert planned(life, None, limit=4).reasons == {"new": 2}
    assert planned(life, None, limit=(2, 4)).action == "none"
    assert planned(life, None, epochs=3, limit=(2, 4)).reasons == {"new_epoch": 4}
    assert planned(life, None).total == 6


def test_before_a_load_ids_stand_where_the_youngest_log_has_them():
    life = Life()
    life.attempt(task("abc", ["x", "y", "z"]), Rules(limit=2))
    life.draw, life.logs[0] = None, replace(life.logs[0], created="2020")
    life.logs.append(replace(life.logs[0], name="young", created="2021", sample_ids=("z", "x")))
    plan = planned(life, None)
    assert (plan.total, plan.reuse, plan.blocked) == (3, 2, None)
    assert planned(life, None, sample_id=("z", "x")).total == 2


def test_without_a_log_and_without_a_load_nothing_is_known():
    plan = planned(Life(), None)
    assert (plan.action, plan.total, plan.notes) == ("run", 0, ("unchecked",))


def test_before_samples_are_read_the_headers_count():
    life = Life()
    life.attempt(numbered(6), outcome=failing("2"))
    spec, cells = set_of()
    rows = [file_of(log) for log in life.logs]
    (plan,) = make_plan(cells, spec, Known(logs=rows)).cells
    assert (plan.action, plan.total, plan.reuse, plan.run) == ("run", 6, 5, 1)
    assert (plan.log, plan.notes) == ("log1", ("unchecked",))


def test_a_log_whose_contents_are_not_known_leaves_the_plan_unchecked():
    life = Life()
    log = life.attempt(numbered(3))
    life.change(log, 1, content=None)
    plan = planned(life, numbered(3))
    assert (plan.checked, plan.reuse) == (False, 3)
    assert planned(life, numbered(3), reuse="id").checked


# --- circumstances -------------------------------------------------------------------------------


def test_what_stands_above_the_verdicts():
    life = Life()
    life.attempt(numbered(3), outcome=failing("2"))
    spec, cells = set_of()
    key = cells[0].key

    def action(**more):
        return make_plan(cells, spec, known(cells, life, numbered(3), **more)).cells[0]

    assert action(running=[key]).action == "running"
    held = action(holds={key: "held by hand"})
    assert (held.action, held.held, held.run) == ("held", "held by hand", 1)
    blocked = action(blocked={key: "OPENAI_API_KEY is not set"})
    assert (blocked.action, blocked.blocked) == ("blocked", "OPENAI_API_KEY is not set")
    life.attempt(numbered(3))
    assert action(holds={key: "held by hand"}).action == "none"


def test_a_task_that_does_not_load_blocks_its_cell_alone():
    spec, cells = set_of(tasks=("t", "u"))
    loads = {
        cells[0].load_key: LoadedTask(1, "t.py", "t", error="t.py does not load: no."),
        cells[1].load_key: numbered(2),
    }
    first, second = make_plan(cells, spec, Known(loads=loads)).cells
    assert (first.action, first.blocked) == ("blocked", "t.py does not load: no.")
    assert (second.action, second.run) == ("run", 2)


def test_an_automatic_rerun_on_other_data_is_held():
    life = Life()
    life.attempt(task("abc"), outcome=failing("c"))
    plan = planned(life, task("xyz"), Asked(rerun=True))
    assert plan.action == "held"
    assert "--reuse id" in plan.held


def test_samples_that_are_not_logged_are_said_to_be_lost_for_later():
    assert planned(Life(), numbered(2), log_samples=False).notes == ("samples_not_logged",)


def test_a_selector_for_one_task_leaves_the_others_without_samples():
    spec, cells = set_of(tasks=("t", "u"), sample_id=("t:2", "u:1"))
    loads = {cell.load_key: numbered(3) for cell in cells}
    first, second = make_plan(cells, spec, Known(loads=loads)).cells
    assert [verdict.id for verdict in first.verdicts] == [2]
    assert [verdict.id for verdict in second.verdicts] == [1]
    spec, cells = set_of(tasks=("t", "u"), sample_id=("t:2",))
    plans = make_plan(cells, spec, Known(loads=loads)).cells
    assert [plan.action for plan in plans] == ["run", "none"]


def test_rules_are_made_of_the_spec_and_of_what_was_asked():
    spec, (cell,) = set_of(epochs=3, limit=5, token_limit=100, reuse="id", sample_shuffle=7)
    asked = Asked(retry_errors=True, rerun=True, since="2026-01-01T00:00:00+00:00")
    assert rules_for(cell, spec, ["t"], asked) == Rules(
        epochs=3, limit=5, sample_shuffle=7, reuse="id", retry_errors=True,
        sample_limits={"token_limit": 100}, rerun=True, since="2026-01-01T00:00:00+00:00",
    )  # fmt: skip


# --- logs that belong to no cell ------------------------------------------------------------------


def test_a_foreign_log_is_named_with_the_field_that_differs():
    spec, cells = set_of("mockllm/m", "mockllm/n")
    life = Life()
    log = life.attempt(numbered(2))
    rows = [
        file_of(log),
        file_of(replace(log, name="warm"), model_generate_config={"temperature": 0.7}),
        file_of(replace(log, name="other"), task_file="u.py"),
        LogFile(Path("cut.eval"), 1, 1, reason="cut.eval is cut off."),
    ]
    pairing = pair_logs(cells, spec, Known(logs=rows, unreadable={"log1": "log1 is damaged."}))
    assert pairing.logs == {}
    found = {stray.name: (stray.kind, stray.reason, stray.nearest) for stray in pairing.strays}
    assert found == {
        "log1": ("broken", "log1 is damaged.", None),
        "warm": ("foreign", "the log has temperature 0.7, the set does not set it", cells[0].key),
        "other": ("foreign", "the set has task file t.py, the log u.py", cells[0].key),
        "cut.eval": ("broken", "cut.eval is cut off.", None),
    }
    assert list(pair_logs(cells, spec, Known(logs=rows)).logs) == [cells[0].key]
    assert pair_logs([], spec, Known(logs=rows[:1])).strays[0].reason == "the set has no cells"


def test_strays_never_stop_the_others():
    spec, cells = set_of()
    life = Life()
    life.attempt(numbered(2))
    rows = [file_of(life.logs[0]), LogFile(Path("cut.eval"), 1, 1, reason="cut.eval is cut off.")]
    more = known(cells, life, numbered(2))
    plan = make_plan(cells, spec, Known(logs=rows, histories=more.histories, loads=more.loads))
    assert plan.cells[0].action == "none"
    assert [stray.name for stray in plan.strays] == ["cut.eval"]


# --- for machines --------------------------------------------------------------------------------


def test_the_json_form():
    life = Life()
    life.attempt(task("abc"), outcome=failing("c"))
    spec, cells = set_of()
    plan = make_plan(cells, spec, known(cells, life, task("bac")))
    form = plan_json(plan, cells, Path("logs"), samples=True)
    assert json.loads(json.dumps(form)) == {
        "version": 1,
        "log_dir": "logs",
        "cells": [
            {
                "key": cells[0].key,
                "task": "t",
                "task_file": "t.py",
                "task_args": {},
                "model": "mockllm/m",
                "action": "run",
                "log": "log1",
                "samples": {"total": 3, "reuse": 2, "tolerated": 0, "run": 1},
                "reasons": {"errored": 1},
                "remapped": 2,
                "notes": [],
                "verdicts": [
                    {"id": 2, "epoch": 1, "verdict": "reuse"},
                    {"id": 1, "epoch": 1, "verdict": "reuse"},
                    {"id": 3, "epoch": 1, "verdict": "run", "reason": "errored"},
                ],
            }
        ],
    }
    without = plan_json(plan, cells, Path("logs"), samples=False)
    assert "verdicts" not in without["cells"][0]


@pytest.mark.parametrize(("how", "reason"), [("blocked", "no key"), ("holds", "by hand")])
def test_the_json_form_says_why_nothing_starts(how, reason):
    spec, cells = set_of()
    rows = [LogFile(Path("cut.eval"), 1, 1, reason="cut.eval is cut off.")]
    seen = Known(logs=rows, loads={cells[0].load_key: numbered(1)}, **{how: {cells[0].key: reason}})
    form = plan_json(make_plan(cells, spec, seen), cells, Path("logs"), samples=False)
    assert form["cells"][0]["reason"] == reason
    assert form["strays"] == [
        {"log": "cut.eval", "kind": "broken", "reason": "cut.eval is cut off."}
    ]
