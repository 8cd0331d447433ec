"""`sim/` models: what they answer, how they fail, and that Inspect treats their 429 as one."""

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inspect_ai.model import ChatMessage, ChatMessageSystem, ChatMessageUser, Model, get_model
from inspect_ai.tool import ToolInfo, ToolParams
from inspect_ai.util import JSONSchema

from evaltui.providers.sim import SimRequestError
from evaltui.providers.sim_answers import draw, solve

GRADING = (
    "[BEGIN DATA]\n***\n[Task]: Where is it?\n***\n[Submission]: {said}\n***\n"
    "[Criterion]: Oslo\n***\n[END DATA]\n\nDoes the submission meet the criterion?"
)


def sim(name: str, **args: Any) -> Model:
    return get_model(f"sim/{name}", memoize=False, **{"latency": 0, **args})


def calls(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


class TestSolver:
    @pytest.mark.parametrize(
        ("prompt", "right"),
        [
            ("What is 12 + 30?", "42"),
            ("Compute 7 × (8 - 10) please", "-14"),
            ("What is 10 / 4?", "2.5"),
            ("Convert 1.5 h to s.", "Answer: 5400 s"),
            ("Which year was it sold?\n\nBuilt in 1950. It was sold in 1999.", "1999"),
            ("Which number is prime?\nA) 9\nB) 11\nC) 15", "ANSWER: B"),
            ("Which is the longest word?\n\nA) oak\nB) elm\nC) birch", "ANSWER: C"),
            (GRADING.format(said="In oslo."), "GRADE: C"),
            (GRADING.format(said="In Rome."), "GRADE: I"),
        ],
    )
    def test_works_out_the_shapes_it_knows(self, prompt: str, right: str) -> None:
        answer = solve(prompt)
        assert answer.right.endswith(right)
        assert answer.mistakes
        assert answer.right not in answer.mistakes

    @pytest.mark.parametrize(
        "prompt",
        ["Who was Ada?", "", "What is 1 / 0?", "What is 2 + ?", "Convert 3 cats to dogs."],
    )
    def test_echoes_what_it_cannot_read(self, prompt: str) -> None:
        answer = solve(prompt)
        assert answer.pick(accuracy=0.0, chance=0.9, which=0.9) == prompt

    def test_guesses_among_options_it_cannot_judge(self) -> None:
        prompt = "Who wrote it?\nA) Ann\nB) Bea\nC) Cid\nD) Dee"
        guesses = {solve(prompt, "steady", seed).right for seed in range(40)}
        assert guesses == {f"ANSWER: {letter}" for letter in "ABCD"}

    @given(st.text(), st.floats(0, 1), st.floats(0, 1, exclude_max=True))
    def test_has_an_answer_to_anything(self, prompt: str, accuracy: float, chance: float) -> None:
        assert isinstance(solve(prompt).pick(accuracy, chance, chance), str)

    @given(st.text(alphabet="0123456789+-*/×÷() "))
    def test_reads_any_sum_without_failing(self, sum: str) -> None:
        assert isinstance(solve(f"What is {sum}?").right, str)

    def test_a_draw_is_the_same_on_every_machine(self) -> None:
        assert draw(1, "steady", "x") == pytest.approx(0.09990085995414755, abs=1e-15)
        assert 0.45 < sum(draw(i) for i in range(1000)) / 1000 < 0.55


class TestAnswers:
    SUMS = tuple(f"What is {n} + {n}?" for n in range(200))

    async def answers(self, model: Model) -> list[str]:
        return [(await model.generate(prompt)).completion for prompt in self.SUMS]

    async def test_come_out_right_as_often_as_asked(self) -> None:
        said = await self.answers(sim("steady", accuracy=0.7))
        right = sum(answer == str(2 * n) for n, answer in enumerate(said))
        assert 0.6 < right / len(said) < 0.8

    async def test_repeat_for_a_seed_and_differ_by_seed_and_name(self) -> None:
        first = await self.answers(sim("steady", seed=3))
        assert first == await self.answers(sim("steady", seed=3))
        assert first != await self.answers(sim("steady", seed=4))
        assert first != await self.answers(sim("steady-b", seed=3))

    async def test_carry_usage_that_grows_with_the_text(self) -> None:
        short, long = [(await sim("steady").generate("x" * n)).usage for n in (40, 400)]
        assert short is not None
        assert long is not None
        assert (short.input_tokens, short.output_tokens, short.total_tokens) == (10, 10, 20)
        assert long.total_tokens == 200

    async def test_are_to_the_last_question(self) -> None:
        talk: list[ChatMessage] = [
            ChatMessageSystem(content="What is 1 + 1?"),
            ChatMessageUser(content="Who?"),
        ]
        assert (await sim("steady").generate(talk)).completion == "Who?"

    async def test_are_handed_in_where_an_agent_asks_for_that(self) -> None:
        schema = ToolParams(properties={"answer": JSONSchema(type="string")})
        submit = ToolInfo(name="submit", description="Hand in.", parameters=schema)
        output = await sim("steady", accuracy=1).generate("What is 2 + 3?", tools=[submit])
        [call] = output.message.tool_calls or []
        assert (call.function, call.arguments) == ("submit", {"answer": "5"})


class TestErrors:
    PROMPTS = tuple(f"prompt {n}" for n in range(60))

    async def failing(self, model: Model) -> set[str]:
        failed = set()
        for prompt in self.PROMPTS:
            try:
                await model.generate(prompt)
            except SimRequestError:
                failed.add(prompt)
        return failed

    async def test_hit_the_same_prompts_in_every_process_without_a_state_folder(self) -> None:
        failed = await self.failing(sim("flaky", error_rate=0.3))
        assert 5 < len(failed) < 35
        assert failed == await self.failing(sim("flaky", error_rate=0.3))
        assert failed != await self.failing(sim("flaky", error_rate=0.3, seed=1))

    async def test_stop_after_error_times_calls_in_the_process(self) -> None:
        model = sim("flaky", error_rate=0.3, error_times=2)
        rounds = [await self.failing(model) for _ in range(3)]
        assert rounds[0] == rounds[1] != set()
        assert rounds[2] == set()

    async def test_are_remembered_by_other_processes_in_the_state_folder(
        self, tmp_path: Path
    ) -> None:
        state = str(tmp_path / "made" / "here")
        assert await self.failing(sim("flaky", error_rate=0.3, state=state))
        assert await self.failing(sim("flaky", error_rate=0.3, state=state)) == set()

    async def test_are_counted_rightly_when_calls_come_at_once(self, tmp_path: Path) -> None:
        args = {"error_rate": 1, "error_times": 5, "state": str(tmp_path)}
        models = [sim("flaky", **args) for _ in range(4)]
        outcomes = await asyncio.gather(
            *(model.generate("same") for model in models for _ in range(4)),
            return_exceptions=True,
        )
        assert sum(isinstance(outcome, SimRequestError) for outcome in outcomes) == 5


class TestCallsFile:
    async def test_gets_a_line_a_call_with_its_outcome(self, tmp_path: Path) -> None:
        path = tmp_path / "calls"
        await sim("steady", calls=str(path)).generate("hello")
        with pytest.raises(SimRequestError):
            await sim("flaky-x", error_rate=1, calls=str(path)).generate("hello")
        found = calls(path)
        assert [(c["model"], c["outcome"]) for c in found] == [
            ("steady", "answered"),
            ("flaky-x", "failed"),
        ]
        assert all(c["start"] <= c["end"] and c["prompt"] == "hello" for c in found)

    async def test_tells_how_many_calls_were_in_flight(self, tmp_path: Path) -> None:
        path = tmp_path / "calls"
        model = sim("slow", latency=0.2, calls=str(path))
        await asyncio.gather(*(model.generate(f"{n}") for n in range(3)))
        assert max(c["start"] for c in calls(path)) < min(c["end"] for c in calls(path))

    async def test_notes_a_call_that_was_cancelled(self, tmp_path: Path) -> None:
        path = tmp_path / "calls"
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.05):
                await sim("slow", latency=60, calls=str(path)).generate("hello")
        assert [c["outcome"] for c in calls(path)] == ["cancelled"]


@pytest.mark.parametrize(
    ("name", "args", "said"),
    [
        ("fast", {}, "no model 'sim/fast': the name must start with one of steady, slow, flaky,"),
        ("steadyb", {}, "no model 'sim/steadyb'"),
        ("steady", {"latncy": 1}, "no model arg 'latncy': did you mean 'latency'?"),
        ("steady", {"zzz": 1}, "no model arg 'zzz': it knows seed, accuracy"),
        ("steady", {"latency": "long"}, "Expected `float`, got `str` for model arg `latency`."),
        ("flaky-2", {"error_rate": 1.5}, "Expected `float` <= 1.0 for model arg `error_rate`."),
        ("limited", {"limit_every": -1}, "Expected `int` >= 0 for model arg `limit_every`."),
    ],
)
def test_a_wrong_name_or_arg_is_one_sentence(name: str, args: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match="sim/") as caught:
        sim(name, **args)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


SCRIPT = """
import json, sys
from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.hooks import Hooks, hooks
from inspect_ai.model import get_model
from inspect_ai.scorer import match

try:
    get_model("nobody/model")
except ValueError:
    pass
ours = sorted(m for m in sys.modules if m.split(".")[0] == "evaltui")
waits = []

@hooks(name="waits", description="notes each wait")
class Waits(Hooks):
    async def on_model_retry(self, data):
        waits.append([data.model_name, data.wait_time, data.status_code, data.exception_type])

task = Task([Sample(f"What is {n} + 1?", target=str(n + 1)) for n in range(7)], scorer=match())
args = {"latency": 0, "accuracy": 1, "limit_every": 4, "retry_after": 0.05}
[log] = eval(task, model="sim/limited", model_args=args, log_dir=sys.argv[1], display="none")
score = log.results.scores[0].metrics["accuracy"].value
print(json.dumps({"ours": ours, "waits": waits, "status": log.status, "score": score}))
"""


def test_inspect_finds_sim_by_itself_and_waits_what_a_429_asks_for(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(tmp_path)], capture_output=True, text=True, check=True
    )
    found = json.loads(done.stdout.splitlines()[-1])
    # Seven samples and every fourth call refused: calls 4 and 8 of 9
    assert found["waits"] == [["limited", 0.05, 429, "SimRateLimitError"]] * 2
    assert (found["status"], found["score"]) == ("success", 1.0)
    assert found["ours"] == ["evaltui", "evaltui.providers"]
