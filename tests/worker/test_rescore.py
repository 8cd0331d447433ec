"""Scorers that changed: kept samples are scored again, no metric mixes two, or nothing runs."""

import os
import py_compile
import time
from pathlib import Path

import pytest
from inspect_ai.log import read_eval_log_sample

from evaltui.logs.attempt import Rules
from evaltui.logs.fingerprints import read_fingerprints
from evaltui.logs.reading import read_log
from tests.worker.attempts import Attempts

pytestmark = pytest.mark.slow

TASK = """
from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import Score, accuracy, model_graded_qa, scorer
from inspect_ai.util import sandbox
from counted import STATE, counted_call

VALUE = 1

def worth(state):
    return VALUE

@scorer(metrics=[accuracy()])
def mine(least: int = 0):
    async def score(state, target):
        {body}
        return Score(value=worth(state))
    return score

@task
def scored(n: int = 4):
    data = [Sample(id=i, input=f"question {{i}}", target="x") for i in range(1, n + 1)]
    return Task(dataset=data, solver=counted_call(), scorer={scorers})
"""


def write(attempts: Attempts, value: int = 1, body: str = "pass", scorers: str = "mine()") -> None:
    text = TASK.format(body=body, scorers=scorers).replace("VALUE = 1", f"VALUE = {value}")
    (attempts.cases.folder / "scored.py").write_text(text)


def run(attempts: Attempts, **fields: object):
    return attempts.run("scored.py", "scored", **fields)


def scores(attempts: Attempts) -> dict[object, object]:
    return {row.id: row.scores["mine"] for row in attempts.samples()}


def test_kept_samples_are_scored_by_todays_scorer_before_the_metrics(attempts: Attempts):
    write(attempts, value=0)
    first = run(attempts, rules=Rules(limit=2))
    assert first.ended.metrics["mine"]["accuracy"] == 0.0
    attempts.called()
    write(attempts, value=1)
    second = run(attempts)
    assert second.ended.status == "success", second.output
    assert attempts.called() == [("3", 1), ("4", 1)]
    assert scores(attempts) == {1: 1, 2: 1, 3: 1, 4: 1}
    assert second.ended.metrics["mine"]["accuracy"] == 1.0
    assert {end.id: end.scores for end in second.done(reused=True)} == {
        1: {"mine": 1},
        2: {"mine": 1},
    }
    third = run(attempts, rules=Rules(epochs=2))
    assert third.counts()["reuse"] == 4
    assert third.ended.metrics["mine"]["accuracy"] == 1.0


def test_a_scorer_is_the_same_while_its_code_and_parameters_are(attempts: Attempts):
    write(attempts)
    before = attempts.load("scored.py", "scored").scorer_sources
    file = attempts.cases.folder / "scored.py"
    file.write_text(f"# a remark\n{file.read_text()}\nUNUSED = 1\n")
    assert attempts.load("scored.py", "scored").scorer_sources == before
    write(attempts, value=2)
    assert attempts.load("scored.py", "scored").scorer_sources != before
    write(attempts, scorers="mine(1)")
    assert attempts.load("scored.py", "scored").scorer_sources != before


def test_asked_to_score_again_nothing_else_runs(attempts: Attempts):
    write(attempts, value=0)
    attempts.cases.fail(4)
    first = run(attempts, fail_on_error=1, settings={"continue_on_fail": True})
    assert first.ended.status == "success", first.output
    before = {row.id: row.uuid for row in attempts.samples()}
    attempts.called()
    attempts.cases.fail()
    write(attempts, value=1)
    again = run(
        attempts,
        action="rescore",
        rescore_all=True,
        fail_on_error=1,
        settings={"continue_on_fail": True},
    )
    assert again.ended.status == "success", again.output
    assert attempts.called() == []
    assert (again.ended.completed, again.ended.errored) == (3, 1)
    rows = {row.id: row for row in attempts.samples()}
    assert {i: row.uuid for i, row in rows.items()} == before
    assert {i: rows[i].scores.get("mine") for i in rows} == {1: 1, 2: 1, 3: 1, 4: None}
    assert again.ended.metrics["mine"]["accuracy"] == 1.0


def test_an_edit_in_the_second_of_the_last_one_is_what_runs(attempts: Attempts):
    soon = time.time() + 60  # young for as long as this takes
    for value in (0, 1):
        write(attempts, value=value)
        file = attempts.cases.folder / "scored.py"
        os.utime(file, (soon, soon))
        if value == 0:
            py_compile.compile(str(file), doraise=True)
    run(attempts)
    assert scores(attempts) == {1: 1, 2: 1, 3: 1, 4: 1}


def test_scoring_again_what_is_there_is_a_success_though_more_is_to_run(attempts: Attempts):
    write(attempts, value=0)
    run(attempts, rules=Rules(limit=2))
    attempts.called()
    write(attempts, value=1)
    again = run(attempts, action="rescore", rescore_all=True)
    assert again.ended.status == "success", again.output
    assert attempts.called() == []
    assert scores(attempts) == {1: 1, 2: 1}
    rest = run(attempts)
    assert rest.ended.status == "success", rest.output
    assert attempts.called() == [("3", 1), ("4", 1)]


def test_where_scorers_are_mixed_only_what_is_stale_is_scored_again(attempts: Attempts):
    write(attempts, value=0)
    run(attempts, rules=Rules(limit=2))
    write(attempts, value=1)
    fresh = run(attempts, rules=Rules(limit=(2, 4)))
    assert fresh.ended.status == "success", fresh.output
    write(attempts, value=1, body="open(STATE / 'scored', 'a').write(f'{state.sample_id} ')")
    whole = run(attempts, action="merge")
    assert whole.ended.status == "success", whole.output
    assert sorted((attempts.cases.state / "scored").read_text().split()) == ["1", "2", "3", "4"]
    (attempts.cases.state / "scored").unlink()
    again = run(attempts, action="rescore", rescore_all=True)
    assert sorted((attempts.cases.state / "scored").read_text().split()) == ["1", "2", "3", "4"]
    (attempts.cases.state / "scored").unlink()
    run(attempts, action="rescore")
    assert not (attempts.cases.state / "scored").exists()
    assert again.ended.metrics["mine"]["accuracy"] == 1.0


def test_a_graders_model_is_called_and_the_evaluated_one_is_not(attempts: Attempts):
    write(attempts)
    run(attempts)
    attempts.called()
    write(attempts, scorers='[mine(), model_graded_qa(model="sim/steady")]')
    again = run(attempts, action="rescore", rescore_all=True)
    assert again.ended.status == "success", again.output
    assert attempts.called() == []
    assert set(again.ended.metrics) == {"mine", "model_graded_qa"}
    sample = read_eval_log_sample(str(attempts.cases.logs / again.log), 1, 1)
    assert sample.scores is not None
    assert sample.scores["model_graded_qa"].value in ("C", "I")


def test_a_scorer_that_needs_a_sandbox_is_refused_by_name(attempts: Attempts):
    write(attempts)
    run(attempts, rules=Rules(limit=2))
    attempts.called()
    logs = attempts.cases.log_names()
    write(attempts, body='await sandbox().exec(["true"])')
    said = run(attempts)
    assert said.ended.status == "blocked"
    assert "Scorer mine" in (said.ended.error or "")
    assert "sandbox" in (said.ended.error or "")
    assert attempts.called() == []
    assert attempts.cases.log_names() == logs


def test_a_scorer_that_raises_on_a_kept_sample_blocks_the_cell(attempts: Attempts):
    write(attempts)
    run(attempts, rules=Rules(limit=2))
    attempts.called()
    write(attempts, body='raise ValueError("no live state")')
    said = run(attempts)
    assert said.ended.status == "blocked"
    assert "Scorer mine can't score kept samples again" in (said.ended.error or "")
    assert "no live state" in (said.ended.error or "")
    assert attempts.called() == []


def test_what_scored_a_sample_is_stored_for_the_next_plan(attempts: Attempts):
    write(attempts, value=0)
    run(attempts, rules=Rules(limit=2))
    write(attempts, value=1)
    second = run(attempts)
    header = read_log(attempts.cases.logs / second.log).header
    assert header is not None
    stored = read_fingerprints(attempts.layout, header.eval_id)
    assert stored is not None
    today = attempts.load("scored.py", "scored").scorer_sources
    made = [stored.made(number, 1) for number in range(1, 5)]
    assert [each.scorers for each in made if each is not None] == [today] * 4


def test_the_original_log_is_not_touched(attempts: Attempts):
    write(attempts, value=0)
    first = run(attempts)
    path: Path = attempts.cases.logs / first.log
    before = path.read_bytes()
    write(attempts, value=1)
    run(attempts, action="rescore", rescore_all=True)
    assert path.read_bytes() == before
