"""Writes one real Inspect log of every kind into a directory: `python log_kinds.py DIR`.

Run as a program, so that what it imports and sets stays out of the tests' process. No model is
called and no network used.
"""

import asyncio
import base64
import os
import shutil
import signal
import sys
from pathlib import Path

from inspect_ai import Epochs, Task, eval, eval_retry, task
from inspect_ai.dataset import Sample
from inspect_ai.log import (
    MetadataEdit,
    ProvenanceData,
    TagsEdit,
    edit_eval_log,
    invalidate_samples,
    read_eval_log,
    write_eval_log,
)
from inspect_ai.model import (
    ChatMessageSystem,
    ChatMessageUser,
    ContentImage,
    ContentText,
    GenerateConfig,
    ModelOutput,
    ModelUsage,
    get_model,
)
from inspect_ai.scorer import Score, accuracy, choice, includes, mean, scorer, stderr
from inspect_ai.solver import generate, multiple_choice, solver

PIXEL = "data:image/png;base64," + base64.b64encode(bytes(range(256)) * 2).decode()
HARD_IDS = ["a/b", "ünïcode ✓", "with space", "header.json", "100%", "x_epoch_1", "[red]q[/]", "1"]


def says(text: str, name: str = "mockllm/m", **config):
    """A model that answers `text` and reports its usage, which mockllm can't count offline."""

    def answer(*_):
        output = ModelOutput.from_content(name, text)
        output.usage = ModelUsage(input_tokens=7, output_tokens=3, total_tokens=10)
        return output

    config = GenerateConfig(**config)
    return get_model(name, config=config, custom_outputs=answer, memoize=False)


@solver
def answers(fail: tuple = (), flaky: tuple = (), sleep: float = 0.0, interrupt_at: int = 0):
    seen: dict[str, int] = {}

    async def solve(state, generate):
        name = str(state.sample_id)
        seen[name] = seen.get(name, 0) + 1
        if len(seen) == interrupt_at:
            os.kill(os.getpid(), signal.SIGINT)
            await asyncio.sleep(10)
        await asyncio.sleep(sleep)
        if name in fail or (name in flaky and seen[name] == 1):
            raise RuntimeError(f"planted failure of {name}")
        state.output = ModelOutput.from_content(str(state.model), f"echo {state.input_text}")
        return state

    return solve


@scorer(metrics={"a": [mean()], "*": [mean(), stderr()]})
def many_values():
    async def score(state, target):
        return Score(value={"a": 0.5, "b": 1}, answer="x" * 3000, metadata={"why": "because"})

    return score


@scorer(metrics=[mean()])
def not_a_number():
    async def score(state, target):
        return Score(value=float("nan"), explanation="nothing to score")

    return score


def items(count: int = 6) -> list[Sample]:
    return [Sample(id=i, input=f"question {i}", target=f"{i}") for i in range(1, count + 1)]


@task(light=True)
def plain(count: int = 6, fail: tuple = (), flaky: tuple = (), interrupt_at: int = 0, x: int = 0):
    solve = answers(tuple(map(str, fail)), tuple(map(str, flaky)), 0.0, interrupt_at)
    return Task(dataset=items(count), solver=solve, scorer=includes(), metadata={"from": "task"})


@task
def chosen():
    data = [
        Sample(input=f"pick {i}", choices=["yes", "no", "maybe"], target="B", metadata={"n": i})
        for i in range(3)
    ]
    return Task(dataset=data, solver=multiple_choice(), scorer=choice(), version=3)


@task
def media():
    picture = [ContentText(text="what is this?"), ContentImage(image=PIXEL)]
    data = [
        Sample(id="pic", input=[ChatMessageUser(content=picture)], target=["pixel", "dot"]),
        Sample(
            id="chat",
            input=[ChatMessageSystem(content="be brief"), ChatMessageUser(content="hi")],
            target="hello",
        ),
    ]
    return Task(dataset=data, solver=generate(), scorer=includes())


@task
def large():
    data = [
        Sample(id=f"é{i}", input="é✓𝄞" * 40_000, target="x", metadata={"k": [i]}) for i in (1, 2)
    ]
    return Task(dataset=data, solver=answers(), scorer=includes())


@task
def odd_ids():
    data = [Sample(id=i, input=f"q {i}", target="q") for i in HARD_IDS]
    return Task(dataset=data, solver=answers(), scorer=includes())


@task
def odd_scores():
    return Task(dataset=items(3), solver=answers(), scorer=[many_values(), not_a_number()])


@task
def talkative():
    return Task(dataset=items(3), solver=[generate(), generate()], scorer=includes())


@scorer(metrics=[accuracy()])
def graded():
    async def score(state, target):
        await get_model(role="grader").generate("grade this")
        return Score(value="C")

    return score


@task
def with_roles():
    return Task(dataset=items(2), solver=generate(), scorer=graded(), tags=["from-task"])


def write_all(folder: Path) -> None:
    quiet = {"log_dir": str(folder), "display": "none", "model": says("answer 1")}

    def run(name: str, *args, **options) -> Path:
        logs = eval(*args, **{**quiet, **options})
        written = [Path(log.location.removeprefix("file://")) for log in logs]
        if not written:  # an interrupted eval returns none
            written = [max(folder.glob("2*"), key=lambda path: path.stat().st_mtime_ns)]
        kept = folder / f"2020-01-01T00-00-00_{name}{written[0].suffix}"
        return written[0].rename(kept)

    signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background ignores it
    success = run("success", plain(), tags=["b", "a"], metadata={"from": "eval", "n": 1})
    run("error", plain(fail=(3,)), max_samples=1)
    run("tolerated", plain(fail=(2, 5)), fail_on_error=False)
    run("cancelled", plain(interrupt_at=4), max_samples=1)
    run("epochs", plain(2), epochs=Epochs(3, ["mean", "at_least_2"]))
    run("retried", plain(flaky=(1, 4)), retry_on_error=2)
    run("chosen", chosen(), model=says("ANSWER: B"))
    run("media", media())
    run("media_removed", media(), log_images=False)
    run("large", large())
    run("odd_ids", odd_ids())
    run("odd_scores", odd_scores())
    run("limited", talkative(), token_limit=15)
    run("sliced", plain(), limit=(2, 4))
    run("empty_of_samples", plain(), log_samples=False)
    run(
        "roles",
        with_roles(),
        model_roles={"grader": says("fine")},
        model=says("C", "mockllm/other", temperature=0.5, max_connections=2),
        temperature=0.25,
        eval_set_id="the-set",
    )
    run("json_success", plain(), log_format="json")
    run("json_error", plain(fail=(3,)), log_format="json", max_samples=1)
    run("json_media", media(), log_format="json")
    run("json_scores", odd_scores(), log_format="json", epochs=2)

    failed = run("to_resume", plain(fail=(3,)), max_samples=1)
    for log in eval_retry(str(failed), log_dir=str(folder), display="none"):
        written = Path(log.location.removeprefix("file://"))
        written.rename(folder / "2020-01-01T00-00-00_resumed.eval")

    by = ProvenanceData(author="someone", reason="a trial")
    for source, name in ((success, "invalidated.eval"), (success, "json_invalidated.json")):
        log = read_eval_log(str(source))
        uuids = [sample.uuid for sample in log.samples[1:3]]
        target = str(folder / f"2020-01-01T00-00-00_{name}")
        write_eval_log(invalidate_samples(log, uuids, by), target)

    edited = folder / "2020-01-01T00-00-00_edited.eval"
    shutil.copy(success, edited)
    edits = [
        TagsEdit(tags_add=["new"], tags_remove=["a"]),
        MetadataEdit(metadata_set={"k": 1}, metadata_remove=["n"]),
    ]
    log = edit_eval_log(read_eval_log(str(edited), header_only=True), edits, by)
    write_eval_log(log, str(edited), header_only=True)


if __name__ == "__main__":
    write_all(Path(sys.argv[1]))
