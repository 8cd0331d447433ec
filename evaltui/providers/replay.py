"""`replay/<path>` models: they answer from recorded outputs and never reach the network.

The path is that of an Inspect log (`.eval`, `.json`) or of a `.jsonl` file; see `recordings`. A
sample is found by what it asks, then by its id; within it, a call is matched by the messages it
answers, then by its number. What is not recorded is an error of the sample, never an invented
answer. Token usage is the recorded one, none where the recording has none.

`python -m evaltui.providers.replay LOG > recorded.jsonl` makes a recording of any log.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from inspect_ai.hooks import Hooks, SampleAttemptStart, hooks
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageUser,
    GenerateConfig,
    ModelAPI,
    ModelOutput,
    ModelUsage,
)
from inspect_ai.tool import ToolChoice, ToolInfo

from evaltui.logs.content import content_fingerprint
from evaltui.providers.recordings import (
    Call,
    Output,
    Recording,
    RecordingError,
    Recordings,
    open_recordings,
    recorded_lines,
)

__all__ = ["Replay"]


@dataclass(frozen=True, slots=True)
class _Sample:
    """The sample that runs, and how far its replay has come, per model.

    input: its text; None where Inspect shows no more than its beginning.
    """

    id: str
    epoch: int
    input: str | None
    calls: Counter[str] = field(default_factory=Counter)
    served: Counter[tuple[str, str]] = field(default_factory=Counter)


_CUT = "(content truncated)"
"""How a summary's input ends when it is not all of it."""

_running: ContextVar[_Sample | None] = ContextVar("running sample", default=None)


@hooks(name="evaltui_replay", description="Tells replay/ models which sample is running.")
class _WhichSample(Hooks):
    async def on_sample_attempt_start(self, data: SampleAttemptStart) -> None:
        # Inspect awaits this in the task that then starts the solver, which inherits the variable
        summary = data.summary
        _running.set(_Sample(str(summary.id), summary.epoch, _whole_input(summary.input)))


def _whole_input(shown: str | list[ChatMessage]) -> str | None:
    if not isinstance(shown, str):
        asked = [message.text for message in shown if isinstance(message, ChatMessageUser)]
        shown = asked[-1] if asked else ""
    return None if not shown or shown.endswith(_CUT) else shown


class Replay(ModelAPI):
    """One recording as a model.

    Raises:
        ValueError: in one sentence, when the recording is missing or can't be read, or a model arg
            is given.
    """

    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig | None = None,
        **model_args: Any,
    ) -> None:
        super().__init__(model_name, base_url, api_key, [], config or GenerateConfig())
        if model_args:
            raise ValueError(f"Model 'replay/{model_name}' takes no model args.")
        try:
            self._recordings: Recordings = open_recordings(Path(model_name))
        except (RecordingError, OSError) as error:
            raise ValueError(str(error)) from None

    async def generate(
        self,
        input: list[ChatMessage],
        tools: list[ToolInfo],
        tool_choice: ToolChoice,
        config: GenerateConfig,
    ) -> ModelOutput:
        sample = _running.get()
        recording = self._find(input, sample)
        calls = self._recordings.calls(recording)
        number = sample.calls[self.model_name] if sample else _answered(input)
        if sample:
            sample.calls[self.model_name] += 1
        call = self._same_prompt(calls, input, sample)
        if call is None and number < len(calls):
            call = calls[number]
        if call is None:
            raise RecordingError(
                f"{self._recordings.path} has {len(calls)} recorded calls for "
                f"{_named(sample)}, and this is call {number + 1}."
            )
        return _output(call.output, self.model_name)

    def _find(self, input: list[ChatMessage], sample: _Sample | None) -> Recording:
        asked = [message.text for message in input if isinstance(message, ChatMessageUser)]
        if sample is None:
            found = self._recordings.find(None, None, asked)
        else:
            found = self._recordings.find(sample.id, sample.epoch, asked, sample.input)
        if found is None:
            raise RecordingError(
                f"{self._recordings.path} holds no recording of {_named(sample)} as it is asked "
                "here; record it, or leave the sample out."
            )
        return found

    def _same_prompt(
        self, calls: Sequence[Call], input: list[ChatMessage], sample: _Sample | None
    ) -> Call | None:
        """The call that answered these very messages; of several, each once."""
        messages = [message.model_dump(mode="json", exclude_none=True) for message in input]
        prompt = content_fingerprint(messages, "", None).content
        same = [call for call in calls if call.prompt == prompt]
        if not same:
            return None
        place = (self.model_name, prompt)
        nth = sample.served[place] if sample else 0
        if sample:
            sample.served[place] += 1
        return same[min(nth, len(same) - 1)]

    async def count_text_tokens(self, text: str) -> int:
        # Inspect's own count downloads a vocabulary
        return max(1, len(text) // 4)


def _answered(input: list[ChatMessage]) -> int:
    return sum(isinstance(message, ChatMessageAssistant) for message in input)


def _named(sample: _Sample | None) -> str:
    return f"sample {sample.id}, epoch {sample.epoch}" if sample else "this prompt"


def _output(recorded: Output, model: str) -> ModelOutput:
    if isinstance(recorded, str):
        output = ModelOutput.from_content(model, recorded)
    else:
        output = ModelOutput.model_validate(recorded)
    if output.usage is None:
        output.usage = ModelUsage()
    return output


def main(arguments: Sequence[str]) -> int:
    """`LOG`: its recording as JSON lines on stdout -> exit code."""
    if len(arguments) != 1:
        print("usage: python -m evaltui.providers.replay LOG > recorded.jsonl", file=sys.stderr)
        return 2
    try:
        for line in recorded_lines(Path(arguments[0])):
            sys.stdout.buffer.write(line)
    except (RecordingError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
