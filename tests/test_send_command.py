"""`evaltui send` to a set that nobody minds: what is held is named as everywhere else."""

import pytest
from click.testing import CliRunner

from evaltui.commands.send import command
from tests.engines import write_spec
from tests.sets import Scratch


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["counted@mockllm/a"], "counted x=1 × mockllm/a, counted x=2 × mockllm/a"),
        (["--lane", "mockllm/b"], "the lane mockllm/b"),
        ([], "the set"),
    ],
)
def test_what_is_held_at_rest_is_named(cases: Scratch, monkeypatch, words, named):
    monkeypatch.setattr("locale.setlocale", lambda *_: "en_US.UTF-8")
    write_spec(cases, task='name = "counted"\nsweep = { x = [1, 2] }', models="ab")
    run = CliRunner()
    held = run.invoke(command, [str(cases.logs), "hold", *words])
    assert held.output == f"Held {named}; nothing of it starts until it is released.\n"
    free = run.invoke(command, [str(cases.logs), "release", *words])
    assert free.output == f"Released {named}; evaltui run {cases.logs} goes on with it.\n"
