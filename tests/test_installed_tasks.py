"""A task of an installed package, named on the line as Inspect names it."""

from __future__ import annotations

import pytest

from tests.sets import Scratch

pytestmark = pytest.mark.slow

PACKAGE = """
from counted import counted
from inspect_ai import task


@task
def packed(n: int = 2):
    return counted(n)
"""


def installed(cases: Scratch) -> dict[str, str]:
    """Install `some_evals` in a folder of its own; what makes it found."""
    place = cases.folder / "site-packages"
    (place / "some_evals").mkdir(parents=True)
    (place / "some_evals" / "__init__.py").write_text(PACKAGE)
    facts = place / "some_evals-1.0.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: some_evals\nVersion: 1.0\n")
    (facts / "entry_points.txt").write_text("[inspect_ai]\nsome_evals = some_evals\n")
    (facts / "top_level.txt").write_text("some_evals\n")
    return {"PYTHONPATH": f"{place}:{cases.folder}"}


def test_it_runs_and_has_nothing_left_to_do(cases: Scratch) -> None:
    env = installed(cases)
    words = ("run", "--log-dir", "logs", "some_evals/packed", "--model", "mockllm/a", "-T", "n=3")
    first = cases.evaltui(*words, env=env)
    assert first.returncode == 0, first.stdout + first.stderr
    assert len(cases.calls()) == 3
    again = cases.evaltui("run", "logs", "some_evals/packed", "-T", "n=3", env=env)
    assert again.returncode == 0, again.stdout + again.stderr
    assert len(cases.calls()) == 3
    absent = cases.evaltui("run", "logs", "other_evals/packed", env=env)
    assert absent.returncode == 2, absent.stdout + absent.stderr
    assert "other_evals/packed" in absent.stderr
