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
def test_what_is_held_at_rest_is_named(cases: Scratch, words, named):
    write_spec(cases, task='name = "counted"\nsweep = { x = [1, 2] }', models="ab")
    run = CliRunner()
    held = run.invoke(command, [str(cases.logs), "hold", *words])
    said = held.output.replace(" x mockllm", " × mockllm")  # a locale may have no such sign
    assert said == f"Held {named}; nothing of it starts until it is released.\n"
    free = run.invoke(command, [str(cases.logs), "release", *words])
    said = free.output.replace(" x mockllm", " × mockllm")
    assert said == f"Released {named}; evaltui run {cases.logs} goes on with it.\n"
