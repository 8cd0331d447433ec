"""Runs real evaluations whose scores have a past into a directory: `python stats_logs.py DIR`.

`shift/`: errored samples were retried and pass more often. `rerun/`: a later attempt ran errored
samples again. `apart/`: one cell was run twice, from scratch. `kinds/`: epochs, reducers, several
values, no value, errors, sample limits. A program of its own, so that what Inspect sets stays out
of the tests' process.
"""

import os
import sys
from pathlib import Path

from inspect_ai import Epochs, Task, eval, eval_retry, task
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import Score, accuracy, includes, mean, scorer, stderr
from inspect_ai.solver import generate, solver

HERE = Path(__file__).parent


@solver
def answers(right: tuple[int, ...] = (), flaky: tuple[int, ...] = (), fail: tuple[int, ...] = ()):
    """Right on some samples; others raise at their first try, or while a file says so."""
    tried: dict[tuple, int] = {}

    async def solve(state, generate):
        key = (state.sample_id, state.epoch)
        tried[key] = tried.get(key, 0) + 1
        if state.sample_id in flaky and tried[key] == 1:
            raise ConnectionError(f"lost at {state.sample_id}")
        if state.sample_id in fail and not Path("mended").exists():
            raise RuntimeError(f"planted failure of {state.sample_id}")
        said = state.sample_id in right or (state.epoch > 1 and state.sample_id % 2 == 0)
        state.output = ModelOutput.from_content("m", "right" if said else "wrong")
        return state

    return solve


def items(n: int, flaky: tuple[int, ...] = ()) -> list[Sample]:
    return [
        Sample(
            id=i,
            input="word " * (500 if i in flaky else 5) + str(i),
            target="right",
            metadata={"topic": "law" if i in flaky else ("art", "sport")[i % 2]},
        )
        for i in range(1, n + 1)
    ]


FLAKY = tuple(range(1, 21))


@task
def shifted():
    right = (*FLAKY, *range(22, 101, 2))
    return Task(dataset=items(100, FLAKY), solver=answers(right, FLAKY), scorer=includes())


@task
def failing(fail: tuple[int, ...] = (3, 7)):
    fail = tuple(fail)
    return Task(dataset=items(12), solver=answers((1, 2, 3, 7), fail=fail), scorer=includes())


@scorer(metrics={"*": [mean(), stderr()]})
def graded():
    async def score(state, target):
        nothing = state.sample_id == 4
        return Score(value=float("nan") if nothing else {"a": 0.5, "b": state.sample_id / 10})

    return score


@scorer(metrics=[accuracy(), stderr()])
def worded():
    async def score(state, target):
        return Score(value={1: "C", 2: "P", 3: "rubbish"}.get(state.sample_id, "I"))

    return score


@task
def kinds():
    return Task(dataset=items(6), solver=answers((1, 2, 3)), scorer=[graded(), worded()])


@task
def repeated():
    return Task(dataset=items(5), solver=answers((1, 3)), scorer=includes())


@task
def talkative():
    return Task(dataset=items(4), solver=[generate(), generate()], scorer=includes())


def says(text: str):
    def answer(*_):
        output = ModelOutput.from_content("mockllm/m", text)
        output.usage = ModelUsage(input_tokens=7, output_tokens=3, total_tokens=10)
        return output

    return get_model("mockllm/m", custom_outputs=answer, memoize=False)


def run(made: Task, folder: str, model="mockllm/m", **options):
    return eval(made, log_dir=folder, display="none", model=model, **options)[0]


def main(folder: Path) -> None:
    os.chdir(folder)
    run(shifted(), "shift", retry_on_error=1)
    first = run(failing(), "rerun", fail_on_error=False)
    run(failing(), "apart", fail_on_error=False)
    Path("mended").touch()
    eval_retry(first, log_dir="rerun", display="none")
    run(failing(), "apart")
    Path("mended").unlink()
    run(kinds(), "kinds")
    run(failing(fail=(1, 2)), "kinds", fail_on_error=False)
    run(repeated(), "kinds", epochs=Epochs(2, ["mean", "at_least_1"]))
    run(repeated(), "unreduced", epochs=Epochs(2, []))
    run(talkative(), "kinds", says("right"), token_limit=15)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
