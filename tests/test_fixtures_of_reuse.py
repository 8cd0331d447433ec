"""Histories that a resume must get right: the plan is what then runs.

Where the command line has no part in it, engine and plan run in this process, with workers of a
server that all these tests share.
"""

from __future__ import annotations

import shutil
from collections import Counter
from typing import Any

import pytest

from evaltui.engine.clock import SystemClock
from evaltui.engine.foresee import foresee
from evaltui.engine.tail import Tail
from evaltui.engine.wanted import read_wanted
from evaltui.logs.layout import Layout
from evaltui.plan import CellPlan, Plan
from tests.engines import Workers, minded
from tests.sets import Scratch

pytestmark = pytest.mark.slow

KINDS = """
import base64, os, random, time
from pathlib import Path
from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessageUser, ContentImage, ContentText, ModelOutput
from inspect_ai.scorer import Score, accuracy, includes, mean, model_graded_qa, scorer
from inspect_ai.solver import solver
from inspect_ai.util import sandbox

STATE = Path(os.environ["CASES_STATE"])
PIXEL = "data:image/png;base64," + base64.b64encode(b"\\x89PNG\\r\\n\\x1a\\n" + bytes(40)).decode()


@solver
def called(command=None, ask=False):
    async def solve(state, generate):
        with open(STATE / "calls", "a") as calls:
            calls.write(f"{os.getpid()} {state.sample_id} {state.epoch} {state.model}\\n")
        if command:
            (await sandbox().exec(command)).stdout
        path = STATE / "fail"
        if path.exists() and str(state.sample_id) in path.read_text().split():
            raise RuntimeError(f"planted failure of {state.sample_id}")
        if ask:
            return await generate(state)
        state.output = ModelOutput.from_content(str(state.model), f"echo {state.input_text}")
        return state

    return solve


def samples(name, text=lambda i: f"question {i}"):
    return [Sample(id=f"{name}-{i}", input=text(i), target=f"question {i}") for i in (1, 2, 3)]


@task
def images():
    parts = lambda i: [ContentText(text=f"{i}?"), ContentImage(image=PIXEL)]
    look = lambda i: [ChatMessageUser(content=parts(i))]
    return Task(dataset=samples("img", look), solver=called(), scorer=includes())


@task
def boxed():
    return Task(dataset=samples("box"), solver=called(["true"]), scorer=includes(), sandbox="local")


@task
def drifting():
    changes = lambda i: f"question {i} at {time.time_ns()}"
    return Task(dataset=samples("drift", changes), solver=called(), scorer=includes())


@task
def graded():
    grader = model_graded_qa(model="sim/steady")
    return Task(dataset=samples("grade"), solver=called(), scorer=grader)


@scorer(metrics=[mean()])
def edited():
    async def score(state, target):
        return Score(value=0.25)

    return score


@task
def scored():
    return Task(dataset=samples("score"), solver=called(), scorer=edited())


@task
def asking():
    return Task(dataset=samples("ask"), solver=called(ask=True), scorer=includes())


@task
def unnamed(n: int = 12):
    data = [Sample(input=str(i), target=f"echo {i}") for i in range(n)]
    random.shuffle(data)
    return Task(dataset=data, solver=called(), scorer=includes())
"""


def write_set(cases: Scratch, *settings: str, task: str, model: str = "mockllm/a") -> None:
    """`evalset.toml` by hand: settings, then the entries of its tasks."""
    cases.logs.mkdir(exist_ok=True)
    text = "\n".join(["version = 1", *settings, task, "[[model]]", f'name = "{model}"', ""])
    (cases.logs / "evalset.toml").write_text(text)


def tasks_of(file: str, *names: str) -> str:
    return "".join(f'[[task]]\nfile = "{file}"\nname = "{name}"\n' for name in names)


def to_run(plan: Any) -> Counter[tuple[str, str]]:
    """`(id, epoch)` of every sample that a printed plan runs."""
    return Counter(
        (str(each["id"]), str(each["epoch"]))
        for cell in plan["cells"]
        for each in cell["verdicts"]
        if each["verdict"] == "run"
    )


def run(cases: Scratch, *words: str, code: int = 0) -> Counter[tuple[str, str]]:
    """`(id, epoch)` of every sample call of one `evaltui run`."""
    cases.forget_calls()
    result = cases.evaltui("run", "logs", *words)
    assert result.returncode == code, result.stdout + result.stderr
    return Counter((call[1], call[2]) for call in cases.calls())


def planned(cases: Scratch) -> Plan:
    cases.tell_workers()
    layout = Layout(cases.logs)
    wanted, state = read_wanted(layout), Tail(layout).poll()
    return foresee(layout, wanted, state, Workers(layout), SystemClock())


def resume(cases: Scratch) -> Counter[tuple[str, str]]:
    """`(id, epoch)` of every sample call of one run of the engine."""
    cases.forget_calls()
    with minded(cases) as engine:
        assert engine.outcome().end == "complete"
    return Counter((call[1], call[2]) for call in cases.calls())


def resume_as_planned(cases: Scratch) -> Counter[tuple[str, str]]:
    """Plan, run, and hold that the one is the other."""
    plan = planned(cases)
    ran = resume(cases)
    assert ran == Counter(
        (str(each.id), str(each.epoch))
        for cell in plan.cells
        for each in cell.verdicts
        if each.verdict == "run"
    )
    return ran


def best(cases: Scratch, task: str = "counted") -> Any:
    """The log that the set goes by for a task, as Inspect reads it."""
    from inspect_ai.log import read_eval_log

    (name,) = [cell["log"] for cell in cases.status()["cells"] if cell["task"] == task]
    return read_eval_log(str(cases.logs / name))


def ids(ran: Counter[tuple[str, str]]) -> list[str]:
    return sorted(id for id, _ in ran.elements())


# --- one of each kind ---------------------------------------------------------------------------


def test_every_kind_of_task_resumes_with_what_failed_alone(cases: Scratch) -> None:
    (cases.folder / "kinds.py").write_text(KINDS)
    names = ("images", "boxed", "drifting", "graded", "scored")
    rules = ("continue_on_fail = true", "retry_attempts = 1", "retry_wait = 0")
    write_set(cases, *rules, task=tasks_of("kinds.py", *names))
    failing = ("img-2", "box-2", "drift-2", "grade-2", "score-2")
    cases.fail(*failing)
    first = run(cases, code=3)
    assert all(
        first[f"{name}-1", "1"] == 1 for name in ("img", "box", "drift", "grade", "score")
    ), first
    state = {cell["task"]: cell["state"] for cell in cases.status()["cells"]}
    assert state["drifting"] == "held", "data that differ at each load are not paid again"
    (graded,) = [name for name in cases.log_names() if "_graded_" in name][:1]
    copy = cases.logs / "a copy of mine.eval"
    shutil.copy(cases.logs / graded, copy)
    edited = KINDS.replace("value=0.25", "value=0.75")
    (cases.folder / "kinds.py").write_text(edited)
    cases.fail()
    plan = cases.plan("--samples")
    by_task = {cell["task"]: cell for cell in plan["cells"]}
    assert by_task["drifting"]["reasons"] == {"content_changed": 3}
    ran = run(cases)
    assert ran == to_run(plan)
    assert ids(ran) == sorted((*failing, "drift-1", "drift-3"))
    assert copy.exists(), "a copy of a log was moved"
    (scored,) = best(cases, "scored").results.scores
    assert scored.metrics["mean"].value == 0.75, "a mean over two scorers"
    stable = tuple(name for name in names if name != "drifting")
    write_set(cases, *rules, task=tasks_of("kinds.py", *stable))
    assert run(cases) == Counter()
    before = {task: best(cases, task).eval.run_id for task in stable}
    assert run(cases, "--rescore") == Counter(), "scoring again called the evaluated model"
    after = {task: best(cases, task) for task in stable}
    assert all(after[task].eval.run_id != before[task] for task in stable)
    graders = after["graded"].stats.model_usage
    assert "sim/steady" in graders, graders
    assert copy.exists()


# --- epochs, slices, order ----------------------------------------------------------------------


def test_epochs_up_and_down_cost_each_sample_once(cases: Scratch) -> None:
    counts = []
    for epochs in (1, 3, 1, 3):
        write_set(cases, f"epochs = {epochs}", task=tasks_of("counted.py", "counted"))
        counts.append(resume_as_planned(cases).total())
    assert counts == [6, 12, 0, 0]
    assert len(best(cases).samples) == 18


def test_slices_that_move_cost_what_is_new(cases: Scratch) -> None:
    counts = []
    for slice in ("limit = 2", 'limit = "3-4"', 'sample_id = "5,6"', "limit = 6"):
        write_set(cases, slice, task=tasks_of("counted.py", "counted"))
        counts.append(resume_as_planned(cases).total())
    assert counts == [2, 2, 2, 0]
    assert sorted(each.id for each in best(cases).samples) == [1, 2, 3, 4, 5, 6]


def test_a_slice_on_the_command_line_takes_the_place_of_the_one_before(cases: Scratch) -> None:
    words = ("counted.py@counted", "--model", "mockllm/a")
    asked = (("--limit", "2"), ("--sample-id", "5,6"), ("--limit", "3"))
    assert [run(cases, *words, *slice).total() for slice in asked] == [2, 2, 1]


@pytest.mark.parametrize("first", ["evaltui", "inspect"])
def test_a_shuffled_order_without_ids_ends_with_every_question(cases: Scratch, first: str) -> None:
    words = ("shuffled.py", "--model", "mockllm/a", "--retry-attempts", "0")
    cases.fail(3, 7, 11, 19)
    if first == "evaltui":
        run(cases, *words, "--continue-on-fail", code=3)
    else:
        cases.eval_set(*words, "--continue-on-fail", "--log-dir", "logs")
    assert len(cases.calls()) == 20
    cases.fail()
    plan = to_run(cases.plan("--samples"))
    ran = run(cases)
    assert ids(ran) == ["11", "19", "3", "7"]
    assert plan.total() == 4
    (log,) = [log for log in [best(cases, "shuffled")] if log.status == "success"]
    questions = [sample.input for sample in log.samples]
    assert sorted(map(int, questions)) == list(range(20))
    assert len({sample.id for sample in log.samples}) == 20


def test_a_limited_draw_from_a_shuffled_order_stays_over_three_runs(cases: Scratch) -> None:
    (cases.folder / "kinds.py").write_text(KINDS)
    drawn = []
    for settings in (("limit = 5",), ("limit = 5", "epochs = 2"), ("limit = 5", "epochs = 2")):
        write_set(cases, *settings, task=tasks_of("kinds.py", "unnamed"))
        drawn.append(resume_as_planned(cases).total())
    assert drawn == [5, 5, 0]
    questions = Counter(sample.input for sample in best(cases, "unnamed").samples)
    assert sorted(questions.values()) == [2] * 5


def test_what_no_log_holds_of_the_model_args_is_no_part_of_a_cell(cases: Scratch) -> None:
    entry = 'sim/steady"\nargs = {{ memoize = {}, latency = 0.0 }} #'
    for memoize, calls in (("true", 6), ("false", 0)):
        write_set(cases, task=tasks_of("counted.py", "counted"), model=entry.format(memoize))
        assert resume(cases).total() == calls
    assert "strays" not in cases.plan()


def test_an_edited_question_alone_runs_again(cases: Scratch) -> None:
    write_set(cases, task=tasks_of("counted.py", "counted", "counted_heavy"))
    assert resume(cases).total() == 12
    task = cases.folder / "counted.py"
    heavy = 'input=f"heavy {i}"'
    changed = 'input=f"heavy {i}" if i != 4 else "another question"'
    task.write_text(task.read_text().replace(heavy, changed))
    assert ids(resume_as_planned(cases)) == ["h4"]


# --- rules --------------------------------------------------------------------------------------


def test_a_tolerated_error_runs_beside_a_new_epoch_and_globs_pick_samples(cases: Scratch) -> None:
    entries = tasks_of("counted.py", "counted_heavy")
    settings = ("fail_on_error = 1", 'sample_id = ["h[1-3]", "h5"]')
    write_set(cases, *settings, task=entries)
    cases.fail("h2")
    assert ids(resume(cases)) == ["h1", "h2", "h3", "h5"]
    cases.fail()
    assert resume_as_planned(cases) == Counter(), "a tolerated error runs only when asked"
    write_set(cases, *settings, "epochs = 2", 'epochs_reducer = ["mean", "max"]', task=entries)
    ran = resume_as_planned(cases)
    assert ran == Counter([("h2", "1"), *((id, "2") for id in ("h1", "h2", "h3", "h5"))])
    metrics = best(cases, "counted_heavy").results.scores
    assert [(score.reducer, score.scored_samples) for score in metrics] == [("mean", 4), ("max", 4)]


def test_raised_limits_run_again_and_lowered_ones_are_noted(cases: Scratch) -> None:
    (cases.folder / "kinds.py").write_text(KINDS)
    entries = tasks_of("kinds.py", "asking")

    def limited(tokens: int) -> CellPlan:
        write_set(cases, f"token_limit = {tokens}", task=entries, model="sim/steady")
        (cell,) = planned(cases).cells
        assert resume(cases).total() == cell.run
        return cell

    limited(3)
    assert {sample.limit.type for sample in best(cases, "asking").samples} == {"token"}
    lowered = limited(2)
    assert (lowered.action, lowered.notes) == ("none", ("limit_lowered:3",))
    raised = limited(100_000)
    assert raised.reasons == {"limit_raised": 3}
    assert {sample.limit for sample in best(cases, "asking").samples} == {None}
    assert limited(200_000).action == "none"


def test_invalidated_samples_run_again(cases: Scratch) -> None:
    from inspect_ai.log import ProvenanceData, invalidate_samples, read_eval_log, write_eval_log

    write_set(cases, task=tasks_of("counted.py", "counted"))
    resume(cases)
    (name,) = cases.log_names()
    log = read_eval_log(str(cases.logs / name))
    wrong = [sample.uuid for sample in log.samples or [] if sample.id in (2, 3)]
    why = ProvenanceData(author="a person", reason="a wrong target")
    write_eval_log(invalidate_samples(log, wrong, why), str(cases.logs / name))
    (cell,) = planned(cases).cells
    assert cell.reasons == {"invalidated": 2}
    assert ids(resume_as_planned(cases)) == ["2", "3"]
    assert not any(sample.invalidation for sample in best(cases).samples)
