"""A change said as a command line does the same; where none can, what is written is said."""

import shlex
import tomllib
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from evaltui.commands.set_options import SetLine, set_line, set_options
from evaltui.spec import Amendment, ModelEntry, TaskEntry
from evaltui.tui.change_words import said_otherwise

LOGS = Path("logs run")


def read(line: str) -> SetLine:
    """The command line as `evaltui` reads it."""
    found: list[SetLine] = []

    @click.command()
    @set_options
    def command(**values: Any) -> None:
        found.append(set_line(values, {}))

    words = shlex.split(line)
    assert words[0] == "evaltui"
    result = CliRunner().invoke(command, words[1:], standalone_mode=False)
    assert result.exception is None, result.exception
    return found[0]


@pytest.mark.parametrize(
    "change",
    [
        Amendment(models=(ModelEntry("openai/gpt-5"),)),
        Amendment(models=(ModelEntry("openai/gpt-5", {"temperature": 0.5, "max_tokens": 100}),)),
        Amendment(models=(ModelEntry("openai/x", args={"a": 1}, base_url="http://h"),)),
        Amendment(settings={"epochs": 3}),
        Amendment(settings={"limit": 10}),
        Amendment(settings={"limit": (9, 20)}),
        Amendment(settings={"fail_on_error": 0.05}),
        Amendment(settings={"fail_on_error": 3}),
        Amendment(settings={"fail_on_error": True}),
        Amendment(settings={"fail_on_error": False}),
    ],
    ids=repr,
)
def test_the_command_makes_the_change(change):
    (line,) = said_otherwise(LOGS, change)
    asked = read(line)
    assert asked.log_dir == LOGS
    assert asked.models == change.models
    assert dict(asked.settings) == dict(change.settings)


@pytest.mark.parametrize(
    "args",
    [
        {},
        {"n": 3},
        {"n": 3, "name": "a b"},
        {"name": "007"},
        {"name": "true"},
        {"share": 0.5, "loud": True, "none": None},
        {"name": "it's [/] \x1b[31m so"},
    ],
)
def test_the_command_adds_the_task_with_its_arguments(args):
    (line,) = said_otherwise(LOGS, Amendment(tasks=(TaskEntry("dir/q.py", "quiz", args),)))
    asked = read(line)
    assert asked.tasks == ("dir/q.py@quiz",)
    assert {k: (v, type(v)) for k, v in asked.task_args.items()} == {
        k: (v, type(v)) for k, v in args.items()
    }


def test_several_tasks_without_arguments_are_one_command():
    change = Amendment(tasks=(TaskEntry("a.py", "one"), TaskEntry("b.py", "two")))
    assert said_otherwise(LOGS, change) == ("evaltui 'logs run' a.py@one b.py@two",)


@pytest.mark.parametrize(
    ("change", "written"),
    [
        (Amendment(tasks=(TaskEntry("a.py", "t", {}, {"n": [1, 2]}),)), "sweep = { n = [1, 2] }"),
        (Amendment(settings={"epochs": None}), "evalset.toml without epochs"),
        (Amendment(drop_tasks=(TaskEntry("a.py", "t"),)), "evalset.toml without [[task]]"),
        (Amendment(tasks=(TaskEntry("a.py", "t", {"k": [1]}),)), "args = { k = [1] }"),
        (Amendment(tasks=(TaskEntry("a.py", "t", {"k": "a,b"}),)), 'args = { k = "a,b" }'),
    ],
)
def test_what_no_command_says_is_said_as_the_lines_of_the_spec(change, written):
    (line,) = said_otherwise(LOGS, change)
    assert written in line


def test_the_lines_of_the_spec_are_toml():
    change = Amendment(tasks=(TaskEntry("a.py", "t", {"s": 'x"y'}, {"n": [1, 2]}),))
    (line,) = said_otherwise(LOGS, change)
    table = line.partition("[[task]] ")[2]
    read_back = tomllib.loads(f"task = {{ {table} }}")["task"]
    assert read_back == {"file": "a.py", "name": "t", "args": {"s": 'x"y'}, "sweep": {"n": [1, 2]}}
