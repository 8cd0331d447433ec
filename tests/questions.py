"""Writes logs of awkward questions and what their datasets gave: `python questions.py DIR`.

Run as a program, so that what Inspect imports and sets stays out of the tests' process. No model is
called and no network used. Prints one JSON object: log name -> the dataset's samples, dumped.
"""

import base64
import json
import sys
from pathlib import Path

from inspect_ai import Task, eval, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import (
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageTool,
    ChatMessageUser,
    ContentAudio,
    ContentData,
    ContentDocument,
    ContentImage,
    ContentReasoning,
    ContentText,
    ModelOutput,
)
from inspect_ai.scorer import includes
from inspect_ai.solver import solver
from inspect_ai.tool import ToolCall
from pydantic_core import to_jsonable_python

RED = base64.b64encode(b"\x89PNG red").decode()
BLUE = base64.b64encode(b"\x89PNG blue").decode()


@solver
def answers():
    async def solve(state, generate):
        state.metadata["changed by the solver"] = True
        state.messages[0].content = "changed by the solver"
        state.output = ModelOutput.from_content("mockllm/model", "fine")
        return state

    return solve


def calling(call_id: str):
    call = ToolCall(id=call_id, function="add", arguments={"x": 1.0, "y": [1, None]})
    return [
        ChatMessageSystem(content="be brief"),
        ChatMessageUser(content="1 + 1?"),
        ChatMessageAssistant(content="", tool_calls=[call]),
        ChatMessageTool(content="2", tool_call_id=call_id, function="add"),
        ChatMessageUser(content="thank you"),
    ]


def showing(*parts):
    return [ChatMessageUser(content=[ContentText(text="what is this?"), *parts])]


def samples() -> list[Sample]:
    choices = ["yes", "no", "maybe"]
    return [
        Sample(id="plain", input="what?", target="this"),
        Sample(id="several targets", input="what?", target=["this", "that"]),
        Sample(id="choices", input="pick", choices=choices, target="B"),
        Sample(id="two right", input="pick two", choices=choices, target=["A", "C"]),
        Sample(id="unicode", input="é ✓ \U0001d11e \x00\x1b[31m", target="ü"),
        Sample(id="surrogate", input="half a \ud83d pair", target="x"),
        Sample(id="long", input="word " * 5000, target="x"),
        Sample(id="data uri", input=f"data:image/png;base64,{RED}", target="x"),
        Sample(id="one message", input=[ChatMessageUser(content="hi")], target="x"),
        Sample(id="tool calls", input=calling("call-1"), target="2"),
        Sample(
            id="thinking",
            input=[
                ChatMessageUser(content="go on"),
                ChatMessageAssistant(
                    content=[ContentReasoning(reasoning="hm"), ContentText(text="so")]
                ),
                ChatMessageUser(content=[ContentText(text="a"), ContentText(text="b")]),
                ChatMessageAssistant(content=[ContentData(data={"k": [1, {"n": None}]})]),
            ],
            target="x",
        ),
        Sample(
            id="image",
            input=showing(ContentImage(image=f"data:image/png;base64,{RED}")),
            target="x",
        ),
        Sample(
            id="blue",
            input=showing(ContentImage(image=f"data:image/png;base64,{BLUE}")),
            target="x",
        ),
        Sample(id="file", input=showing(ContentImage(image="red.png")), target="x"),
        Sample(
            id="other media",
            input=showing(
                ContentAudio(audio=f"data:audio/wav;base64,{RED}", format="wav"),
                ContentDocument(document="red.png"),
                ContentImage(image=f"data:image/png;base64,{BLUE}", detail="low"),
            ),
            target="x",
        ),
    ]


@task
def awkward():
    data = samples()
    for each in data:
        each.metadata = {"m": {"deep": [1, 2]}}
    return Task(dataset=data, solver=answers(), scorer=includes())


@task
def reshuffled():
    data = MemoryDataset([each for each in samples() if each.choices])
    data.shuffle_choices(seed=3)
    return Task(dataset=data, solver=answers(), scorer=includes())


def dumped(sample: Sample) -> dict:
    return to_jsonable_python(
        sample.model_dump(exclude={"sandbox", "checkpoint"}), inf_nan_mode="constants"
    )


def write_all(folder: Path) -> dict[str, list]:
    Path("red.png").write_bytes(base64.b64decode(RED))
    found = {}
    for name, made, options in [
        ("plain", awkward, {}),
        ("epochs", awkward, {"epochs": 2}),
        ("json", awkward, {"log_format": "json"}),
        ("media_removed", awkward, {"log_images": False}),
        ("reshuffled", reshuffled, {}),
    ]:
        today = [dumped(each) for each in made().dataset]
        (log,) = eval(made(), model="mockllm/model", log_dir=str(folder), display="none", **options)
        written = Path(log.location.removeprefix("file://"))
        kept = written.rename(folder / f"2020-01-01T00-00-00_{name}{written.suffix}")
        found[kept.name] = today
    return found


if __name__ == "__main__":
    place = Path(sys.argv[1]).absolute()
    print(json.dumps(write_all(place)))
