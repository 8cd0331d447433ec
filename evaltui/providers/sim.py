"""`sim/` models: seeded and offline, for demos, tests and trying a set without spending anything.

The name's part before the first `-` picks a profile, the rest only tells models apart:
`sim/steady` and `sim/steady-b` behave alike and make different mistakes. Profiles are defaults for
the model args (`SimArgs`), any of which can be set for any profile with `-M`. The same seed, name
and prompt always get the same answer. A `sim/` model must never reach the network or read a clock
for anything but the record that `calls` asks for.
"""

import difflib
import hashlib
import itertools
import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Final

import anyio
import msgspec
from inspect_ai.model import (
    ChatMessage,
    ChatMessageUser,
    GenerateConfig,
    ModelAPI,
    ModelOutput,
    ModelUsage,
    RetryDecision,
)
from inspect_ai.tool import ToolChoice, ToolInfo
from tenacity import RetryCallState

from evaltui.providers.sim_answers import draw, solve

__all__ = ["PROFILES", "Sim", "SimArgs", "SimRateLimitError", "SimRequestError"]

Share = Annotated[float, msgspec.Meta(ge=0, le=1)]
Seconds = Annotated[float, msgspec.Meta(ge=0)]
Count = Annotated[int, msgspec.Meta(ge=0)]


class SimArgs(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Model args (`-M name=value`) of every `sim/` model."""

    seed: int = 0
    """Decides answers, errors and latencies."""
    accuracy: Share = 0.8
    """Share of the prompts that the solver can read which get the right answer."""
    latency: Seconds = 0.2
    """Mean time of a call; a call takes between half and one and a half of it."""
    error_rate: Share = 0.0
    """Share of prompts whose first calls raise an error that is not retried by the model layer."""
    error_times: Count = 1
    """How many calls with such a prompt fail before one is answered."""
    limit_every: Count = 0
    """Every n-th call of a process is refused with 429; 1 refuses all, 0 none."""
    retry_after: Seconds = 2.0
    """What a 429 asks the caller to wait."""
    state: str | None = None
    """Folder that remembers failed calls, so that a rerun in another process knows of them.

    Without it each process starts anew, and every rerun meets the same errors.
    """
    calls: str | None = None
    """File that gets one JSON line a call: pid, model, start, end (unix time), outcome, prompt."""


PROFILES: Final[dict[str, dict[str, float | int]]] = {
    "steady": {},
    "slow": {"latency": 2.0},
    "flaky": {"error_rate": 0.2},
    "limited": {"limit_every": 6},
}


class SimRequestError(Exception):
    """A call that failed for good: the sample errors, the model layer does not retry."""


class SimRateLimitError(Exception):
    """A 429 as a provider would send it; `retry_after` is in seconds."""

    status_code = 429

    def __init__(self, retry_after: float) -> None:
        super().__init__(f"simulated rate limit: retry after {retry_after:g} s")
        self.retry_after = retry_after


class Sim(ModelAPI):
    """One `sim/` model.

    Raises:
        ValueError: in one sentence, when the name has no known profile or a model arg is unknown
            or has a wrong value.
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
        self.args = _read_args(model_name, model_args)
        self._ordinals = itertools.count(1)
        if self.args.state is None:
            self._failed_before: Callable[[str], int] = _count_in_memory()
        else:
            self._failed_before = _count_in_folder(Path(self.args.state))

    async def generate(
        self,
        input: list[ChatMessage],
        tools: list[ToolInfo],
        tool_choice: ToolChoice,
        config: GenerateConfig,
    ) -> ModelOutput:
        prompt = _last_question(input)
        start, outcome = time.time(), "cancelled"
        try:
            output = await self._answer(prompt, input, tools)
            outcome = "answered"
            return output
        except SimRateLimitError:
            outcome = "limited"
            raise
        except Exception:
            outcome = "failed"
            raise
        finally:
            self._record(start, outcome, prompt)

    async def _answer(
        self, prompt: str, input: list[ChatMessage], tools: list[ToolInfo]
    ) -> ModelOutput:
        args = self.args
        if args.limit_every and next(self._ordinals) % args.limit_every == 0:
            raise SimRateLimitError(args.retry_after)
        await anyio.sleep(args.latency * (0.5 + self._draw(prompt, "latency")))
        self._fail_maybe(prompt)
        text = solve(prompt, self.model_name, args.seed).pick(
            args.accuracy, self._draw(prompt, "accuracy"), self._draw(prompt, "mistake")
        )
        output = _say(self.model_name, text, tools)
        read = sum(_tokens(message.text) for message in input)
        output.usage = ModelUsage(
            input_tokens=read, output_tokens=_tokens(text), total_tokens=read + _tokens(text)
        )
        return output

    def _fail_maybe(self, prompt: str) -> None:
        if self._draw(prompt, "error") >= self.args.error_rate:
            return
        key = hashlib.blake2b(
            repr((self.args.seed, self.model_name, prompt)).encode("utf-8", "surrogatepass"),
            digest_size=12,
        ).hexdigest()
        if self._failed_before(key) >= self.args.error_times:
            return
        if self._draw(prompt, "kind") < 0.5:
            raise SimRequestError("simulated server error (500)")
        raise SimRequestError("simulated connection reset by peer")

    def _draw(self, prompt: str, purpose: str) -> float:
        return draw(self.args.seed, self.model_name, prompt, purpose)

    def _record(self, start: float, outcome: str, prompt: str) -> None:
        if self.args.calls is None:
            return
        line = {
            "pid": os.getpid(),
            "model": self.model_name,
            "start": start,
            "end": time.time(),
            "outcome": outcome,
            "prompt": prompt[:200],
        }
        _append(Path(self.args.calls), (json.dumps(line) + "\n").encode())

    def should_retry(self, ex: Exception) -> RetryDecision:
        if isinstance(ex, SimRateLimitError):
            return RetryDecision.rate_limit(ex.retry_after)
        return RetryDecision.no()

    def retry_wait(self) -> Callable[[RetryCallState], float]:
        """Waits what the 429 asks for; Inspect itself leaves `retry_after` unused."""

        def wait(state: RetryCallState) -> float:
            error = state.outcome.exception() if state.outcome else None
            if isinstance(error, SimRateLimitError):
                return error.retry_after
            # Only Inspect's own time-outs are left: its usual backoff, without the jitter
            return 3.0 * (1 << min(state.attempt_number - 1, 9))

        return wait

    def connection_key(self) -> str:
        # Models of one provider share a pool otherwise, and a grader would slow the model it grades
        return self.model_name

    async def count_text_tokens(self, text: str) -> int:
        # Inspect's own count downloads a vocabulary
        return _tokens(text)


def _read_args(model_name: str, given: dict[str, Any]) -> SimArgs:
    profile = model_name.split("-", 1)[0]
    if profile not in PROFILES:
        raise ValueError(
            f"There is no model 'sim/{model_name}': the name must start with one of "
            f"{', '.join(PROFILES)}, as in sim/steady or sim/steady-b."
        )
    known = SimArgs.__struct_fields__
    for name in given:
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            hint = f"did you mean '{near[0]}'?" if near else f"it knows {', '.join(known)}."
            raise ValueError(f"Model 'sim/{model_name}' has no model arg '{name}': {hint}")
    try:
        return msgspec.convert({**PROFILES[profile], **given}, SimArgs)
    except msgspec.ValidationError as error:
        reason = str(error).replace(" - at `$.", " for model arg `")
        raise ValueError(f"Model 'sim/{model_name}': {reason}.") from None


def _last_question(messages: list[ChatMessage]) -> str:
    asked = [message.text for message in messages if isinstance(message, ChatMessageUser)]
    return asked[-1] if asked else messages[-1].text if messages else ""


def _say(model: str, text: str, tools: list[ToolInfo]) -> ModelOutput:
    """The text as a plain reply, or handed in where an agent gives a `submit` tool for it."""
    submit = next((tool for tool in tools if tool.name.endswith("submit")), None)
    if submit is None:
        return ModelOutput.from_content(model, text)
    answer = next(iter(submit.parameters.properties), "answer")
    return ModelOutput.for_tool_call(model, submit.name, {answer: text})


def _tokens(text: str) -> int:
    return max(1, len(text) // 4)


def _count_in_memory() -> Callable[[str], int]:
    seen: dict[str, int] = {}

    def count(key: str) -> int:
        before = seen.get(key, 0)
        seen[key] = before + 1
        return before

    return count


def _count_in_folder(folder: Path) -> Callable[[str], int]:
    folder.mkdir(parents=True, exist_ok=True)
    return lambda key: _append(folder / key, b".") - 1


def _append(path: Path, data: bytes) -> int:
    """Append in one write and return where it ended, which no other process's write shares."""
    file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        os.write(file, data)
        return os.lseek(file, 0, os.SEEK_CUR)
    finally:
        os.close(file)
