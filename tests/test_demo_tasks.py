"""The demo's tasks and models, each pair run for real, do what the demo is there to show."""

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest
from inspect_ai import eval
from inspect_ai.log import EvalLog
from inspect_ai.model import Model, get_model

from evaltui.demo import TASK_FOLDER, DemoModel, demo_spec_args
from evaltui.demo.arithmetic import arithmetic
from evaltui.demo.extraction import extraction
from evaltui.demo.multiple_choice import multiple_choice
from evaltui.demo.units import units

TASKS = [arithmetic, extraction, multiple_choice, units]
NAMES = [task.__name__ for task in TASKS]
TOLERATED = demo_spec_args("unused").options["fail_on_error"]
RIGHT = DemoModel("sim/steady-right", {"accuracy": 1.0})
WRONG = DemoModel("sim/steady-wrong", {"accuracy": 0.0})

Logs = dict[tuple[str, str], EvalLog]


def quick(model: DemoModel, calls: Path) -> Model:
    # The waits are what the demo shows, not what it decides
    args = {**model.args, "latency": 0.0, "calls": str(calls)}
    if "retry_after" in args:
        args["retry_after"] = 0.01
    return get_model(model.name, memoize=False, **args)  # type: ignore[arg-type]


def run(names: Sequence[str], models: Sequence[DemoModel], logs: Path) -> Logs:
    # Inspect fails a task when n samples failed, evaltui when more than n did
    found = eval(
        [task() for task in TASKS if task.__name__ in names],
        model=[quick(model, logs / "calls") for model in models],
        fail_on_error=TOLERATED + 1,
        log_dir=str(logs),
        log_realtime=False,
        display="none",
    )
    return {(log.eval.task.removeprefix("evaltui/"), log.eval.model): log for log in found}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("demo")


@pytest.fixture(scope="module")
def models(folder: Path) -> dict[str, DemoModel]:
    return {model.name: model for model in demo_spec_args(str(folder / "state")).models}


@pytest.fixture(scope="module")
def flaky(folder: Path, models: dict[str, DemoModel]) -> Logs:
    return run(NAMES, [models["sim/flaky"]], folder)


@pytest.fixture(scope="module")
def others(folder: Path, models: dict[str, DemoModel]) -> Logs:
    return run(NAMES, [models["sim/steady"], models["sim/limited"], RIGHT, WRONG], folder)


def end(log: EvalLog) -> tuple[str, int]:
    return log.status, sum(sample.error is not None for sample in log.samples or [])


def scores(log: EvalLog) -> dict[str, float]:
    assert log.results is not None
    return {score.name: score.metrics["accuracy"].value for score in log.results.scores}


def test_the_task_list_names_each_file_of_the_folder_and_the_task_in_it() -> None:
    files = {path.stem for path in TASK_FOLDER.glob("*.py")} - {"__init__"}
    assert files == set(NAMES)
    assert set(demo_spec_args("state").tasks) == {f"{name}.py@{name}" for name in files}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("arithmetic", ("error", TOLERATED + 1)),
        ("extraction", ("success", 1)),
        ("multiple_choice", ("success", 0)),
        ("units", ("success", 2)),
    ],
)
def test_flaky_breaks_the_threshold_in_arithmetic_alone(
    name: str, expected: tuple[str, int], flaky: Logs
) -> None:
    assert end(flaky[name, "sim/flaky"]) == expected


@pytest.mark.usefixtures("flaky")
def test_flaky_completes_arithmetic_when_it_is_run_again(
    models: dict[str, DemoModel], folder: Path
) -> None:
    [again] = run(["arithmetic"], [models["sim/flaky"]], folder).values()
    assert end(again) == ("success", 0)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_every_sample_can_be_solved_and_every_mistake_is_marked_wrong(
    name: str, others: Logs
) -> None:
    right, wrong = others[name, RIGHT.name], others[name, WRONG.name]
    assert end(right) == end(wrong) == ("success", 0)
    assert 12 <= len(right.samples or []) <= 20
    assert set(scores(right).values()) == {1.0}
    assert min(scores(wrong).values()) == 0.0


@pytest.mark.slow
def test_the_two_scorers_of_units_see_different_things(others: Logs) -> None:
    found = scores(others["units", "sim/steady"])
    assert 0 < found["pattern"] < found["includes"] < 1


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("model", ["sim/steady", "sim/limited"])
def test_the_others_end_without_an_error_and_with_some_mistakes(
    model: str, name: str, others: Logs
) -> None:
    assert end(others[name, model]) == ("success", 0)
    assert 0.4 < max(scores(others[name, model]).values()) < 1


@pytest.mark.slow
def test_limited_is_refused_every_sixth_call(others: Logs, folder: Path) -> None:
    calls = [json.loads(line) for line in (folder / "calls").read_text().splitlines()]
    outcomes = Counter(call["outcome"] for call in calls if call["model"] == "limited")
    assert outcomes["answered"] == sum(len(others[n, "sim/limited"].samples or []) for n in NAMES)
    assert outcomes["limited"] == sum(outcomes.values()) // 6
