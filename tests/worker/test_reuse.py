"""Samples taken over from earlier logs: exactly those that may be, in one log, true to the data."""

import json
import shutil
import zipfile
from pathlib import Path

import pytest
from inspect_ai.log import read_eval_log, read_eval_log_sample, write_eval_log

from evaltui.logs.attempt import Rules, Verdict
from evaltui.logs.fingerprints import read_fingerprints
from evaltui.logs.reading import read_log
from tests.worker.attempts import Attempts, keys

pytestmark = pytest.mark.slow

TOLERANT = {"continue_on_fail": True}


def test_only_what_errored_runs_again_and_keeps_its_history(attempts: Attempts):
    attempts.cases.fail(2, 5)
    first = attempts.run(settings=TOLERANT)
    before = {row.id: row.uuid for row in attempts.samples()}
    attempts.called()
    attempts.cases.fail()
    second = attempts.run()
    assert attempts.called() == [("2", 1), ("5", 1)]
    assert second.ended.status == "success", second.output
    assert keys(second.done(reused=True)) == [(str(i), 1) for i in (1, 3, 4, 6)]
    assert second.counts() == {"reuse": 4, "run": 2, "errored": 2}
    rows = {row.id: row for row in attempts.samples()}
    assert {i for i in rows if rows[i].uuid == before[i]} == {1, 3, 4, 6}
    log = attempts.cases.logs / second.log
    again = read_eval_log_sample(str(log), 2, 1)
    assert [each.message for each in again.error_retries or []] == [
        "RuntimeError('planted failure of 2')"
    ]
    old, new = read_log(attempts.cases.logs / first.log).header, read_log(log).header
    assert old is not None
    assert new is not None
    assert new.task_id == old.task_id
    assert second.ended.metrics["includes"]["accuracy"] == 1.0


def test_reused_samples_are_told_with_what_they_scored(attempts: Attempts):
    attempts.run(rules=Rules(limit=2))
    second = attempts.run(rules=Rules(limit=3))
    told = {end.id: end for end in second.done(reused=True)}
    assert set(told) == {1, 2}
    assert told[1].scores == {"includes": "C"}
    assert told[1].uuid
    assert told[1].seconds is not None


def test_a_shuffled_dataset_without_ids_is_reused_question_by_question(attempts: Attempts):
    task = ("shuffled.py", "shuffled")
    attempts.cases.fail(3, 7, 9, 11)
    attempts.run(*task, settings=TOLERANT)
    attempts.called()
    attempts.cases.fail()
    second = attempts.run(*task)
    assert attempts.called() == [(question, 1) for question in ("11", "3", "7", "9")]
    rows = attempts.samples()
    assert len({row.input for row in rows}) == len({row.id for row in rows}) == len(rows) == 20
    assert second.ended.metrics["includes"]["accuracy"] == 1.0


def test_epochs_up_down_and_up_again_cost_each_sample_once(attempts: Attempts):
    calls = []
    for epochs in (1, 3, 1, 3):
        said = attempts.run(rules=Rules(epochs=epochs))
        assert said.ended.status == "success", said.output
        calls.append(len(attempts.called()))
    assert calls == [6, 12, 0, 0]


def test_slices_that_move_pay_for_what_is_new(attempts: Attempts):
    calls = []
    for rules in (
        Rules(limit=2),
        Rules(limit=(2, 4)),
        Rules(sample_id=(5, 6)),
        Rules(limit=6),
    ):
        said = attempts.run(rules=rules, action="merge" if rules.limit == 6 else "run")
        assert said.ended.status == "success", said.output
        calls.append(len(attempts.called()))
    assert calls == [2, 2, 2, 0]
    assert {row.id for row in attempts.samples()} == {1, 2, 3, 4, 5, 6}


def test_a_merge_joins_logs_without_a_call_and_leaves_members_as_they_were(attempts: Attempts):
    logs = [attempts.run(rules=rules).log for rules in (Rules(limit=3), Rules(limit=(3, 6)))]
    before = {name: data for log in logs for name, data in _members(attempts.cases.logs / log)}
    attempts.called()
    merged = attempts.run(action="merge")
    assert merged.ended.status == "success", merged.output
    assert merged.ended.metrics == {"includes": {"accuracy": 1.0, "stderr": 0.0}}
    assert attempts.called() == []
    after = dict(_members(attempts.cases.logs / merged.log))
    assert after == before
    assert read_eval_log(str(attempts.cases.logs / merged.log)).status == "success"


def _members(log: Path) -> list[tuple[str, dict[str, object]]]:
    with zipfile.ZipFile(log) as archive:
        names = [name for name in archive.namelist() if name.startswith("samples/")]
        return [(name, json.loads(archive.read(name))) for name in names]


def test_an_edited_question_alone_runs_again(attempts: Attempts):
    attempts.run()
    attempts.called()
    file = attempts.cases.folder / "counted.py"
    edited = 'f"question {i}" if i != 4 else "a better question 4"'
    file.write_text(file.read_text().replace('input=f"question {i}"', f"input={edited}", 1))
    said = attempts.run()
    assert attempts.called() == [("4", 1)]
    assert said.counts() == {"reuse": 5, "run": 1, "content_changed": 1}
    row = next(row for row in attempts.samples() if row.id == 4)
    assert row.input == "a better question 4"


def test_ids_of_another_type_are_written_in_the_datasets(attempts: Attempts):
    first = attempts.run(rules=Rules(limit=4))
    path = attempts.cases.logs / first.log
    log = read_eval_log(str(path))
    for sample in log.samples or []:
        sample.id = str(sample.id)
    write_eval_log(log, str(path))
    attempts.called()
    second = attempts.run()
    assert second.ended.status == "success", second.output
    assert attempts.called() == [("5", 1), ("6", 1)]
    assert {row.id for row in attempts.samples()} == {1, 2, 3, 4, 5, 6}
    with zipfile.ZipFile(attempts.cases.logs / second.log) as archive:
        for number in range(1, 7):
            assert json.loads(archive.read(f"samples/{number}_epoch_1.json"))["id"] == number


def test_a_json_log_is_taken_over_too(attempts: Attempts):
    first = attempts.run(rules=Rules(limit=4))
    path = attempts.cases.logs / first.log
    write_eval_log(read_eval_log(str(path)), str(path.with_suffix(".json")))
    path.unlink()
    attempts.called()
    second = attempts.run(logs=(path.with_suffix(".json").name,))
    assert second.ended.status == "success", second.output
    assert attempts.called() == [("5", 1), ("6", 1)]
    assert len(attempts.samples(second.log)) == 6


def test_a_short_rerun_hides_nothing_of_an_older_log(attempts: Attempts):
    attempts.cases.fail(6)
    attempts.run(settings=TOLERANT)
    fuller = attempts.logs()[0]
    attempts.run(rules=Rules(limit=2, reuse="none"), logs=())
    attempts.called()
    attempts.cases.fail()
    said = attempts.run(logs=(*attempts.logs()[:1], fuller))
    assert said.ended.status == "success", said.output
    assert attempts.called() == [("6", 1)]


def test_a_worker_whose_load_differs_from_the_plan_calls_nothing(attempts: Attempts):
    verdicts = [Verdict(i, 1, "run", "new") for i in range(1, 6)]
    said = attempts.run(verdicts=tuple(verdicts))
    assert said.ended.status == "replan"
    assert "1 sample" in (said.ended.error or "")
    assert attempts.called() == []
    assert attempts.cases.log_names() == []


def test_verdicts_that_still_hold_are_carried_out(attempts: Attempts):
    verdicts = tuple(Verdict(i, 1, "run", "new") for i in range(1, 7))
    said = attempts.run(verdicts=verdicts)
    assert said.ended.status == "success", said.output


def test_a_rerun_holds_where_the_data_differ_at_each_load(attempts: Attempts):
    (attempts.cases.folder / "drifting.py").write_text(
        "import random\nfrom inspect_ai import Task, task\nfrom inspect_ai.dataset import Sample\n"
        "from counted import counted_call\nfrom inspect_ai.scorer import includes\n"
        "@task\ndef drifting():\n"
        "    data = [Sample(input=str(random.random()), target='0') for _ in range(5)]\n"
        "    return Task(dataset=data, solver=counted_call(), scorer=includes())\n"
    )
    first = attempts.run("drifting.py", "drifting")
    assert first.ended.status == "success", first.output
    attempts.called()
    rerun = attempts.run("drifting.py", "drifting", rules=Rules(rerun=True))
    assert rerun.ended.status == "held"
    assert "--reuse id" in (rerun.ended.error or "")
    assert attempts.called() == []


def test_a_sliced_shuffle_draws_the_same_items_again(attempts: Attempts):
    task = ("shuffled.py", "shuffled")
    questions = set()
    for _ in range(3):
        said = attempts.run(*task, rules=Rules(limit=5))
        assert said.ended.status == "success", said.output
        questions |= {question for question, _ in attempts.called()}
    assert len(questions) == 5
    assert (attempts.layout.draws / "cell.json").exists()


def test_fingerprints_are_stored_as_soon_as_the_log_has_its_id(attempts: Attempts):
    said = attempts.begin(cell={"task_args": {"n": 8, "sleep": 0.3}}, settings={"max_samples": 1})
    said.wait_for_samples(1)
    header = read_log(attempts.cases.logs / said.log).header
    assert header is not None
    stored = read_fingerprints(attempts.layout, header.eval_id)
    assert stored is not None
    assert {each.id for each in stored.samples} == set(range(1, 9))
    assert stored.makes[0] is not None
    assert stored.makes[0].source
    assert set(stored.makes[0].scorers) == {"includes"}
    said.wait_until_gone()


def test_a_complete_cell_needs_no_new_log(attempts: Attempts):
    first = attempts.run()
    attempts.called()
    second = attempts.run()
    assert second.ended.status == "success"
    assert second.ended.log == first.log
    assert second.ended.metrics == first.ended.metrics
    assert attempts.called() == []
    assert attempts.cases.log_names() == [first.log]


def test_usage_in_the_header_is_that_of_the_samples_in_the_log(attempts: Attempts):
    shutil.copy(Path(__file__).parents[1] / "cases" / "counted.py", attempts.cases.folder)
    (attempts.cases.folder / "paid.py").write_text(
        "from inspect_ai import Task, task\nfrom inspect_ai.dataset import Sample\n"
        "from inspect_ai.scorer import includes\nfrom inspect_ai.solver import generate\n"
        "@task\ndef paid():\n"
        "    asked = [(i, f'What is {i} + 1?', str(i + 1)) for i in range(4)]\n"
        "    data = [Sample(id=i, input=q, target=t) for i, q, t in asked]\n"
        "    return Task(dataset=data, solver=generate(), scorer=includes())\n"
    )
    model = {"model": "sim/steady"}
    for limit in (2, 4):
        said = attempts.run("paid.py", "paid", cell=model, rules=Rules(limit=limit))
        assert said.ended.status == "success", said.output
    header = read_eval_log(str(attempts.cases.logs / said.log), header_only=True)
    rows = attempts.samples()
    assert len(rows) == 4
    total = sum(row.tokens for row in rows)
    assert total > 0
    assert sum(usage.total_tokens for usage in header.stats.model_usage.values()) == total


def test_inspects_own_eval_set_finds_our_logs_complete(attempts: Attempts):
    attempts.cases.fail(2)
    attempts.run(settings=TOLERANT)
    attempts.cases.fail()
    assert attempts.run().ended.status == "success"
    attempts.called()
    for old in attempts.logs()[1:]:
        (attempts.cases.logs / old).unlink()
    theirs = attempts.cases.eval_set(
        "counted.py@counted", "--log-dir", "logs", "--model", "mockllm/a"
    )
    assert theirs.returncode == 0, theirs.stdout + theirs.stderr
    assert attempts.called() == []


def test_a_log_of_inspects_eval_set_is_taken_over(attempts: Attempts):
    attempts.cases.fail(1)
    attempts.cases.eval_set(
        "shuffled.py", "--log-dir", "logs", "--model", "mockllm/a", "--continue-on-fail",
        "--retry-attempts", "0",
    )  # fmt: skip
    attempts.called()
    attempts.cases.fail()
    said = attempts.run("shuffled.py", "shuffled")
    assert said.ended.status == "success", said.output
    assert attempts.called() == [("1", 1)]
