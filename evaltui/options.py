"""The options of an eval set: one table from option to spec key and to who takes it.

The command line, the spec's validation and the worker's `eval()` call are made from this table;
it holds no behaviour. Names and meanings are those of `inspect eval-set`.
"""

from __future__ import annotations

from typing import Literal

import msgspec

Goes = Literal["eval", "generate", "engine"]
"""`eval`: an `eval()` argument of that name. `generate`: a generate option, an `eval()` keyword
too, part of a cell's identity unless it is transport-only. `engine`: evaltui's own to decide."""

Kind = Literal[
    "int",
    "float",
    "str",
    "bool",
    "limit",
    "ids",
    "shuffle",
    "threshold",
    "retries",
    "tokens",
    "adaptive",
    "strings",
    "mapping",
    "choice",
    "sandbox",
    "reducer",
    "setting",
]


class Option(msgspec.Struct, frozen=True):
    """One option of a set.

    key: its name in `evalset.toml` and as an `eval()` argument.
    flag: its name on the command line; None where it is set in the spec alone.
    off: a flag that sets it to false (or to its neutral value), where there is one.
    top: whether it stands at the top of the spec; the others stand in `[options]`.
    """

    key: str
    kind: Kind
    goes: Goes
    help: str
    flag: str | None = None
    off: str | None = None
    choices: tuple[str, ...] = ()
    top: bool = True


def _flag(key: str) -> str:
    return "--" + key.replace("_", "-")


def _option(
    key: str,
    kind: Kind,
    goes: Goes,
    help: str,
    *,
    flag: str | None = "",
    off: str | None = None,
    choices: tuple[str, ...] = (),
    top: bool = True,
) -> Option:
    return Option(key, kind, goes, help, _flag(key) if flag == "" else flag, off, choices, top)


OPTIONS: tuple[Option, ...] = (
    # which samples
    _option("limit", "limit", "eval", "Samples to run: 10, or 10-20."),
    _option("sample_id", "ids", "eval", "Samples to run by id, comma separated; globs allowed."),
    _option("sample_shuffle", "shuffle", "eval", "Shuffle the samples; a number is the seed."),
    _option("epochs", "int", "engine", "How often each sample runs."),
    _option(
        "epochs_reducer",
        "reducer",
        "engine",
        "How scores of epochs become one, comma separated.",
        off="--no-epochs-reducer",
    ),
    # limits of one sample
    _option("message_limit", "int", "eval", "Messages a sample may use."),
    _option("token_limit", "tokens", "eval", "Tokens a sample may use."),
    _option("turn_limit", "int", "eval", "Turns a sample may use."),
    _option("time_limit", "int", "eval", "Seconds a sample may take."),
    _option("working_limit", "int", "eval", "Seconds a sample may work, waits left out."),
    _option("cost_limit", "float", "eval", "Dollars a sample may cost."),
    # errors
    _option(
        "fail_on_error",
        "threshold",
        "engine",
        "Errors a cell tolerates: a count, or a share of its samples below 1.",
        off="--no-fail-on-error",
    ),
    _option(
        "error_rule",
        "choice",
        "engine",
        "A cell fails at more than the tolerated errors, or at that many.",
        choices=("more-than", "at-least"),
    ),
    _option("continue_on_fail", "bool", "eval", "Run all samples before a cell is failed."),
    _option("retry_on_error", "retries", "eval", "Retry a sample that errors, this many times."),
    _option("score_on_error", "bool", "eval", "Score samples that errored."),
    # reruns
    _option("retry_attempts", "int", "engine", "Reruns of a failed cell (10)."),
    _option("retry_wait", "float", "engine", "Seconds before the first rerun; doubles (30)."),
    _option("retry_immediate", "bool", "engine", "Rerun without waiting."),
    _option(
        "retry_cleanup",
        "bool",
        "engine",
        "Move superseded logs to the trash.",
        flag=None,
        off="--no-retry-cleanup",
    ),
    # how much at once
    _option("max_tasks", "int", "engine", "Cells at once; default max(10, number of models)."),
    _option("max_samples", "int", "eval", "Samples at once in a cell."),
    _option("max_connections", "int", "engine", "Calls in flight to one model, over all cells."),
    _option("adaptive_connections", "adaptive", "engine", "Adaptive bounds: true, 40, 5-40."),
    _option("max_subprocesses", "int", "engine", "Subprocesses at once on this host."),
    _option("max_sandboxes", "int", "engine", "Sandboxes at once on this host."),
    # model calls
    _option("max_retries", "int", "generate", "Retries of a model call."),
    _option("timeout", "int", "generate", "Seconds a model call may take, retries included."),
    _option("attempt_timeout", "int", "generate", "Seconds one try of a model call may take."),
    _option("temperature", "float", "generate", "Sampling temperature."),
    _option("top_p", "float", "generate", "Nucleus sampling."),
    _option("max_tokens", "int", "generate", "Tokens a completion may have."),
    _option("seed", "int", "generate", "Random seed of the model."),
    _option("system_message", "str", "generate", "Overrides the default system message."),
    _option("reasoning_effort", "str", "generate", "Reasoning effort of the model."),
    # where
    _option("sandbox", "sandbox", "eval", "Sandbox: type, or type:config file."),
    _option(
        "sandbox_cleanup",
        "bool",
        "eval",
        "Remove sandboxes after a task.",
        flag=None,
        off="--no-sandbox-cleanup",
    ),
    # the record
    _option("tags", "strings", "eval", "Tags of the logs, comma separated."),
    _option("metadata", "mapping", "eval", "Metadata of the logs, key=value."),
    _option("log_level", "str", "eval", "Level of the workers' logging."),
    # what is reused
    _option(
        "reuse",
        "choice",
        "engine",
        "Finished samples are kept by content, by id, or not at all.",
        choices=("content", "id", "none"),
    ),
    _option("log_dir_allow_dirty", "bool", "engine", "Run beside logs of other sets.", top=False),
    # further arguments of eval(), from [options]
    *(
        _option(key, "setting", "eval", "", flag=None, top=False)
        for key in (
            "approval",
            "review",
            "checkpoint",
            "sandbox_prebuilt",
            "model_cost_config",
            "max_dataset_memory",
            "log_samples",
            "log_realtime",
            "log_images",
            "log_model_api",
            "log_refusals",
            "log_buffer",
            "log_level_transcript",
            "debug_errors",
            "score",
            "notification",
        )
    ),
    *(
        _option(key, "setting", "generate", "", flag=None, top=False)
        for key in (
            "best_of",
            "frequency_penalty",
            "presence_penalty",
            "logit_bias",
            "stop_seqs",
            "top_k",
            "num_choices",
            "logprobs",
            "top_logprobs",
            "prompt_logprobs",
            "parallel_tool_calls",
            "internal_tools",
            "max_tool_output",
            "cache_prompt",
            "verbosity",
            "effort",
            "reasoning_mode",
            "reasoning_tokens",
            "reasoning_summary",
            "reasoning_history",
            "response_schema",
            "extra_body",
            "extra_headers",
            "modalities",
            "cache",
            "batch",
            "stream_idle_timeout",
            "fallback_models",
            "fail_on_refusal",
        )
    ),
)

BY_KEY = {option.key: option for option in OPTIONS}

TRANSPORT_ONLY = frozenset(
    {
        "max_retries",
        "timeout",
        "attempt_timeout",
        "max_connections",
        "adaptive_connections",
        "batch",
        "stream_idle_timeout",
        "cache",
        "cache_prompt",
    }
)
"""Generate options that change how a call travels, not what it says; not part of a cell's key."""
