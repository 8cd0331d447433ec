"""The option table against what the installed Inspect takes, and the command line made from it."""

import importlib
import inspect
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from evaltui.commands.set_command import SetCommand
from evaltui.commands.set_options import SetLine, Usage, set_line, set_options
from evaltui.options import BY_KEY, OPTIONS, TRANSPORT_ONLY
from evaltui.spec import ModelEntry


def test_every_option_is_an_argument_of_the_installed_eval():
    import inspect_ai
    from inspect_ai.model import GenerateConfig

    arguments = set(inspect.signature(inspect_ai.eval).parameters)
    generate = set(GenerateConfig.model_fields)
    for option in OPTIONS:
        if option.goes == "eval":
            assert option.key in arguments, option.key
        if option.goes == "generate":
            assert option.key in generate, option.key


def test_every_argument_of_eval_is_an_option_or_left_out_for_a_reason():
    import inspect_ai
    from inspect_ai.model import GenerateConfig

    ours = {
        # the cell, the attempt and the log directory say these
        "tasks", "model", "model_base_url", "model_args", "model_roles", "task_args", "solver",
        "log_dir", "eval_set_id", "eval_set_tasks", "run_samples", "log_format", "kwargs",
        # a screen of Inspect's, a server or a scan beside the run
        "display", "trace", "score_display", "acp_server", "ctl_server", "scanner", "scan_id",
        "sentinel", "log_shared", "log_header_only",
        # one task an attempt, and reruns are evaltui's
        "task_retry_attempts",
    }  # fmt: skip
    arguments = set(inspect.signature(inspect_ai.eval).parameters)
    assert arguments - set(BY_KEY) - ours == set()
    assert ours <= arguments
    assert set(GenerateConfig.model_fields) - set(BY_KEY) == set()


def test_transport_only_is_what_inspect_leaves_out_of_its_identifier():
    from inspect_ai._eval.evalset import GENERATE_CONFIG_FIELDS_TO_EXCLUDE

    assert TRANSPORT_ONLY == GENERATE_CONFIG_FIELDS_TO_EXCLUDE


def parsed(*words: str, environ: dict[str, str] | None = None) -> SetLine:
    lines: list[SetLine] = []

    @click.command(cls=SetCommand)
    @set_options
    def command(**values: object) -> None:
        lines.append(set_line(values, environ or {}))

    result = CliRunner(env=environ).invoke(command, list(words), standalone_mode=False)
    if isinstance(result.exception, click.UsageError):
        raise Usage(result.exception.format_message())
    if result.exception is not None:
        raise result.exception
    return lines[0]


@pytest.mark.parametrize(
    ("words", "log_dir", "tasks"),
    [
        (["logs"], "logs", ()),
        (["logs", "a.py"], "logs", ("a.py",)),
        (["a.py"], "logs", ("a.py",)),
        (["a.py@x", "b.py"], "logs", ("a.py@x", "b.py")),
        (["n.ipynb"], "logs", ("n.ipynb",)),
        (["suite", "--log-dir", "out"], "out", ("suite",)),
        ([], "logs", ()),
    ],
)
def test_the_first_positional_is_the_log_directory_unless_it_names_a_task(words, log_dir, tasks):
    line = parsed(*words)
    assert (line.log_dir, line.tasks) == (Path(log_dir), tasks)


def test_inspects_environment_variables_stand_in_for_options():
    environ = {
        "INSPECT_LOG_DIR": "there", "INSPECT_EVAL_MODEL": "a/a,b/b", "INSPECT_EVAL_EPOCHS": "3",
        "INSPECT_EVAL_RETRY_ATTEMPS": "4",
    }  # fmt: skip
    line = parsed("a.py", environ=environ)
    assert line.log_dir == Path("there")
    assert [model.name for model in line.models] == ["a/a", "b/b"]
    assert line.settings == {"epochs": 3, "retry_attempts": 4}


@pytest.mark.parametrize("words", [["logs"], ["--log-dir", "logs"], ["logs", "--limit", "3"]])
def test_they_change_nothing_where_no_task_is_named(words):
    """A resume runs what its plan says, whatever a shell exports for `inspect eval`."""
    environ = {
        "INSPECT_EVAL_EPOCHS": "3", "INSPECT_EVAL_TEMPERATURE": "0.5", "INSPECT_EVAL_TAGS": "a,b",
        "INSPECT_EVAL_MODEL": "a/a", "INSPECT_EVAL_MODEL_BASE_URL": "http://there",
        "INSPECT_EVAL_TASK_CONFIG": "missing.yaml", "INSPECT_EVAL_SOLVER": "other",
        "INSPECT_EVAL_NO_RETRY_CLEANUP": "1", "INSPECT_EVAL_METADATA": "a=1",
    }  # fmt: skip
    assert parsed(*words, environ=environ) == parsed(*words)


def test_values_are_typed_as_inspect_types_them():
    line = parsed(
        *("logs t.py --model m/a -M latency=0.5 -M name=x -T n=3 -T flag=true -T many=a,b").split(),
        *("--limit 10-20 --sample-id 1,b* --sample-shuffle 7 --fail-on-error 0.1").split(),
        *("--retry-on-error 2 --temperature 0 --tags a,b --metadata k=1 --sandbox docker").split(),
        "--no-epochs-reducer", "--no-retry-cleanup",
    )  # fmt: skip
    assert line.models == (ModelEntry("m/a", args={"latency": 0.5, "name": "x"}),)
    assert line.task_args == {"n": 3, "flag": True, "many": ["a", "b"]}
    assert line.settings == {
        "limit": (9, 20), "sample_id": ("1", "b*"), "sample_shuffle": 7, "fail_on_error": 0.1,
        "retry_on_error": 2, "temperature": 0, "tags": ("a", "b"), "metadata": {"k": 1},
        "sandbox": "docker", "epochs_reducer": False, "retry_cleanup": False,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("word", "says"),
    [
        ("--top-k=5", "write top_k = … under [options]"),
        ("--reasoning-tokens", "write reasoning_tokens = … under [options]"),
        ("--no-log-samples", "write log_samples = false under [options]"),
        ("--display", "No such option"),
        ("--modle", "No such option"),
    ],
)
def test_an_option_that_only_the_spec_has_is_refused_with_its_place(word, says):
    with pytest.raises(Usage) as refusal:
        parsed("logs", "t.py", word, "1")
    assert says in refusal.value.format_message()


def test_a_model_spec_and_roles_are_read_as_inspect_reads_them():
    line = parsed(
        "logs", "--model-spec", "{model: m/a, temperature: 0.5, model_args: {k: 1}, base_url: u}",
        "--model-role", "grader=m/b", "--model-role", "critic={model: m/c, temperature: 1}",
        "--model-role", "many=m/d,m/e",
    )  # fmt: skip
    assert line.models == (ModelEntry("m/a", {"temperature": 0.5}, {"k": 1}, "u"),)
    assert line.model_roles == {
        "grader": "m/b",
        "critic": {"model": "m/c", "config": {"temperature": 1}},
        "many": ["m/d", "m/e"],
    }


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["s3://bucket/logs"], "remote"),
        ([__file__.removesuffix(".py") + ".py", "--log-dir", __file__], "is a file"),
        (["logs", "--epochs", "x"], "whole number"),
        (["logs", "--epochs", "0"], "1 or more"),
        (["logs", "--fail-on-error", "0.0"], "true tolerates no error"),
        (["logs", "--fail-on-error", "1.5"], "whole count"),
        (["logs", "--limit", "x"], "10-20"),
        (["logs", "-T", "n"], "KEY=VALUE"),
        (["logs", "-M", "k=1"], "go with a --model"),
        (["logs", "--model-spec", "temperature"], "no mapping"),
        (["logs", "--model-spec", "{temperature: 1}"], "needs a `model`"),
        (["logs", "--model", "a/a", "--model-spec", "{model: b/b}"], "can't stand beside"),
        (["logs", "--model-role", "grader"], "ROLE=MODEL"),
        (["logs", "--task-config", "/nonexistent/x.yaml"], "can't be read"),
        (["logs", "--env", "X"], "NAME=VALUE"),
        (["logs", "--fail-on-error", "2", "--no-fail-on-error"], "opposite"),
        (["logs", "--error-rule", "never"], "more-than"),
    ],
)
def test_bad_input_is_one_sentence_with_the_way_out(words, says):
    with pytest.raises(Usage) as caught:
        parsed(*words)
    assert says in caught.value.message


@pytest.mark.parametrize("name", ["run", "open"])
def test_the_help_says_what_names_tasks(name):
    command = importlib.import_module(f"evaltui.commands.{name}").command
    said = " ".join(CliRunner().invoke(command, ["--help"]).output.split())
    assert "FILE.py@NAME" in said
    assert "PACKAGE/NAME of an installed package" in said
