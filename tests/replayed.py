"""Runs real evaluations of `replay/` models into a directory: `python replayed.py DIR`.

A program of its own, so that what Inspect sets stays out of the tests' process. The recordings and
the grading module are those that the promptfoo results were made with.
"""

import os
import sys
from pathlib import Path

from inspect_ai import Task, eval, task
from inspect_ai.dataset import Sample, json_dataset
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import Score, Target, accuracy, includes, scorer, stderr
from inspect_ai.solver import TaskState, generate, system_message, user_message

DATA = Path(__file__).parent / "data" / "promptfoo"
sys.path.insert(0, str(DATA))

import grading  # noqa: E402


@scorer(metrics=[accuracy(), stderr()])
def exact():
    async def score(state: TaskState, target: Target) -> Score:
        return Score(value=grading.exact(state.output.completion, target.text))

    return score


@scorer(metrics=[accuracy(), stderr()])
def cites():
    async def score(state: TaskState, target: Target) -> Score:
        return Score(value=grading.cites(state.output.completion, state.metadata["source"]))

    return score


@task
def capitals():
    data = json_dataset(str(DATA / "questions.jsonl"))
    return Task(dataset=data, solver=generate(), scorer=[exact(), cites()])


def items(*numbers: int, word: str = "question") -> list[Sample]:
    return [Sample(id=n, input=f"{word} {n}", target=f"heard {word} {n}") for n in numbers]


@task
def talk(numbers: tuple[int, ...] = (1, 2, 3), word: str = "question", turns: int = 2):
    turn = [generate(), user_message("Go on.")]
    solver = [system_message("Be brief."), *(turn * turns)[:-1]]
    return Task(dataset=items(*numbers, word=word), solver=solver, scorer=includes())


def parrot():
    """A model whose answers depend on all it was told, with a usage of its own."""

    def answer(messages, *_):
        said = f"{len(messages)} messages, heard {messages[1].text}"
        output = ModelOutput.from_content("mockllm/parrot", said)
        output.usage = ModelUsage(input_tokens=7, output_tokens=3, total_tokens=10)
        return output

    return get_model("mockllm/parrot", custom_outputs=answer, memoize=False)


def run(folder: Path, name: str, made: Task, model, **options) -> None:
    log = eval(made, model=model, log_dir=str(folder), display="none", **options)[0]
    Path(log.location).rename(folder / f"{name}.eval")


def main(folder: Path) -> None:
    os.chdir(DATA)
    for agent in ("alpha", "beta"):
        run(folder / "agents", agent, capitals(), f"replay/{agent}.jsonl")
    os.chdir(folder)
    run(folder, "recorded", talk(), parrot(), epochs=2)
    recorded = "replay/recorded.eval"
    run(folder, "again", talk(), recorded, epochs=2)
    run(folder, "reordered", talk((3, 1, 2)), recorded)
    run(folder, "unknown", talk((1, 2, 9)), recorded, fail_on_error=False)
    run(folder, "edited", talk(word="riddle"), recorded, fail_on_error=False)
    run(folder, "longer", talk(turns=3), recorded, fail_on_error=False)
    run(folder, "more_epochs", talk(), recorded, epochs=3, fail_on_error=False)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
