"""One attempt, from its order to its `ended` event."""

import os
from itertools import pairwise

from evaltui.logs import attempt as ev
from evaltui.logs.attempt import Rules
from evaltui.logs.reading import read_log
from tests.worker.attempts import Attempts, keys


def test_a_fresh_attempt_runs_every_sample_and_says_so(attempts: Attempts):
    said = attempts.run()
    assert said.ended.status == "success", said.output
    assert said.ended.metrics == {"includes": {"accuracy": 1.0, "stderr": 0.0}}
    assert (said.ended.completed, said.ended.errored) == (6, 0)
    assert said.ended.log == said.log == attempts.logs()[0]
    assert attempts.called() == keys(said.done()) == [(str(i), 1) for i in range(1, 7)]
    assert [type(event) for event in said.events[:4]] == [
        ev.Started,
        ev.Loaded,
        ev.Reuse,
        ev.LogPath,
    ]
    loaded = said.of(ev.Loaded)[0]
    assert (loaded.samples, loaded.epochs, loaded.total) == (6, 1, 6)
    assert loaded.scorers == ("includes",)
    assert said.of(ev.Started)[0].pid == said.pid
    header = read_log(attempts.cases.logs / said.log).header
    assert header is not None
    assert (header.eval_set_id, header.task_file, header.task) == ("set", "counted.py", "counted")


def test_settings_reach_inspect_and_the_slice_stands_in_the_log(attempts: Attempts):
    said = attempts.run(
        rules=Rules(limit=(1, 4), epochs=2),
        epochs_reducer=("mode", "at_least_1"),
        settings={"temperature": 0.5, "tags": ["x", "y"], "message_limit": 7, "max_samples": 2},
        cell={"model_config": {"top_p": 0.1}, "task_args": {"n": 5}},
    )
    assert said.ended.status == "success", said.output
    assert attempts.called() == [(i, e) for i in ("2", "3", "4") for e in (1, 2)]
    assert set(said.ended.metrics) == {"includes/mode", "includes/at_least_1"}
    header = read_log(attempts.cases.logs / said.log).header
    assert header is not None
    assert header.config["limit"] == [1, 4]
    assert header.config["message_limit"] == 7
    assert header.model_generate_config == {"temperature": 0.5, "top_p": 0.1}
    assert header.task_args_passed == {"n": 5}
    assert set(header.tags) == {"x", "y"}


def test_sample_retries_and_errors_are_told_apart(attempts: Attempts):
    attempts.cases.fail(2)
    said = attempts.run(settings={"retry_on_error": 2, "continue_on_fail": True})
    ends = {end.id: end for end in said.done()}
    assert ends[2].error == "RuntimeError('planted failure of 2')"
    assert ends[2].retries == 2
    assert ends[1].retries == 0
    assert len([call for call in attempts.called() if call[0] == "2"]) == 3
    assert said.ended.status == "error"
    assert (said.ended.errored, said.ended.completed) == (1, 5)


def test_more_than_the_tolerated_errors_fail_an_attempt(attempts: Attempts):
    attempts.cases.fail(2, 5)
    kept = attempts.run(fail_on_error=2, settings={"continue_on_fail": True})
    assert (kept.ended.status, kept.ended.errored) == ("success", 2), kept.output
    assert kept.of(ev.Loaded)[0].tolerates == 2
    failed = attempts.run(
        fail_on_error=2, error_rule="at-least", logs=(), settings={"continue_on_fail": True}
    )
    assert failed.ended.status == "error"
    assert "2 samples errored" in (failed.ended.error or "")


def test_a_share_of_errors_is_computed_on_decimals(attempts: Attempts):
    attempts.cases.fail(*range(1, 8))
    said = attempts.run(
        cell={"task_args": {"n": 100}}, fail_on_error=0.07, settings={"continue_on_fail": True}
    )
    assert said.of(ev.Loaded)[0].tolerates == 7
    assert (said.ended.status, said.ended.errored) == ("success", 7), said.output


def test_what_a_task_prints_stays_in_the_output_file(attempts: Attempts):
    (attempts.cases.folder / "loud.py").write_text(
        "import sys\nprint('to standard output')\nprint('to standard error', file=sys.stderr)\n"
        "try:\n    input()\nexcept EOFError:\n    print('nothing to read')\n"
        "from counted import *\nfrom inspect_ai import task\n"
        "@task\ndef loud():\n    return counted(n=1)\n"
    )
    said = attempts.run("loud.py", "loud")
    assert said.ended.status == "success", said.output
    for words in ("to standard output", "to standard error", "nothing to read"):
        assert words in said.output


def test_the_environment_comes_before_the_task(attempts: Attempts):
    folder = attempts.cases.folder
    with open(folder / ".env", "a") as dotenv:
        dotenv.write("FROM_DOTENV=dotenv\nPATH=dotenv\n")
    (folder / "reads.py").write_text(
        "import os\nprint(os.environ['FROM_DOTENV'], os.environ['PATH'], os.getcwd())\n"
        "from counted import *\nfrom inspect_ai import task\n"
        "@task\ndef reads():\n    return counted(n=1)\n"
    )
    said = attempts.run("reads.py", "reads")
    assert said.ended.status == "success", said.output
    assert f"dotenv {os.environ['PATH']} {folder}" in said.output


GRADED = """
from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import model_graded_qa
from inspect_ai.solver import generate

@task
def graded():
    data = [Sample(id=i, input=f"question {i}", target="yes") for i in range(1, 9)]
    return Task(dataset=data, solver=generate(), scorer=model_graded_qa())
"""


def test_calls_of_a_grader_are_told_one_line_a_second_and_the_own_models_not(attempts: Attempts):
    (attempts.cases.folder / "graded.py").write_text(GRADED)
    cell = {"model": "sim/steady", "model_roles": {"grader": "sim/steady-judge"}}
    said = attempts.run("graded.py", "graded", cell=cell)
    assert said.ended.status == "success"
    told = said.of(ev.ModelCalls)
    assert {model for event in told for model in event.calls} == {"sim/steady-judge"}
    assert sum(event.calls["sim/steady-judge"] for event in told) == 8
    regular = told[:-1]  # the last one is told when the task ends
    assert all(later.t - one.t > 0.9 for one, later in pairwise(regular))
