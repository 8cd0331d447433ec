"""Any history of a cell, in real attempts: what runs is what is missing, nothing clean runs twice,
and every wanted sample ends with the right question."""

from __future__ import annotations

import json
import shutil
import signal
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evaltui.engine.launcher import Launcher
from evaltui.logs import attempt as ev
from evaltui.logs.attempt import Rules
from evaltui.logs.reading import read_heads
from tests.sets import scratch, wait_until
from tests.worker.attempts import Attempts, keys

pytestmark = pytest.mark.slow

TASK = """
import asyncio, json
from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput
from inspect_ai.scorer import includes
from inspect_ai.solver import solver
from counted import STATE

@solver
def answers():
    async def solve(state, generate):
        now = json.loads((STATE / "now.json").read_text())
        with open(STATE / "calls", "a") as calls:
            calls.write(f"0 {state.input_text} {state.epoch} x\\n")
        if state.input_text in now["fails"]:
            raise RuntimeError("planted failure")
        await asyncio.sleep(now["seconds"])
        state.output = ModelOutput.from_content("m", state.input_text)
        return state
    return solve

@task
def life():
    now = json.loads((STATE / "now.json").read_text())
    data = [Sample(id=id, input=question, target=question) for id, question in now["data"]]
    return Task(dataset=data, solver=answers(), scorer=includes())
"""
QUESTIONS = "abcdefg"

steps = st.lists(
    st.fixed_dictionaries(
        {
            "data": st.permutations(QUESTIONS),
            "size": st.integers(2, 7),
            "epochs": st.integers(1, 2),
            "limit": st.one_of(st.none(), st.integers(1, 5)),
            "fails": st.sets(st.sampled_from(QUESTIONS), max_size=2),
            "killed_after": st.one_of(st.none(), st.none(), st.integers(1, 4)),
        }
    ),
    min_size=2,
    max_size=4,
)


class Life:
    """A cell in a scratch folder, and what of it has been answered so far."""

    def __init__(self, attempts: Attempts, with_ids: bool) -> None:
        self.attempts = attempts
        self.with_ids = with_ids
        self.answered: set[tuple[int | None, str, int]] = set()
        (attempts.cases.folder / "life.py").write_text(TASK)

    def live(self, step: dict[str, Any]) -> None:
        data = [(i if self.with_ids else None, q) for i, q in enumerate(step["data"], 1)]
        data = data[: step["size"]]
        # without ids a slice counts by an order that every load changes: what it draws is not told
        limit = step["limit"] if self.with_ids else None
        killed = step["killed_after"]
        self._set(data, step["fails"], 0.3 if killed else 0.0)
        wanted = {(i, q, e) for i, q in data[:limit] for e in range(1, step["epochs"] + 1)}
        missing = wanted - self.answered
        said = self.attempts.begin(
            "life.py", "life",
            rules=Rules(limit=limit, epochs=step["epochs"]),
            settings={"continue_on_fail": True, "max_samples": 2 if killed else 20},
            action="run" if missing else "merge",
        )  # fmt: skip
        if killed:
            wait_until(lambda: len(said.done()) >= killed or said.of(ev.Ended), what=said.output)
            if not said.of(ev.Ended):
                said.signal(signal.SIGKILL)
        said.wait_until_gone()
        ended = said.of(ev.Ended)
        if not ended and said.of(ev.LogPath):
            assert self.attempts.recover(said.log).logs[0].error is None
        id_of = {q: i for i, q in data}
        calls = {(id_of[q], q, e) for q, e in self.attempts.called()}
        assert calls <= missing, said.output
        if said.of(ev.LogPath):
            clean = self._clean(said.log)
            told = keys(end for end in said.done() if end.error is None)
            assert set(told) <= clean.keys(), said.output
            self.answered |= {(id_of[question], question, e) for (_, e), question in clean.items()}
        if not ended:
            return
        failed = any(q in step["fails"] for _, q, _ in missing)
        assert ended[0].status == ("error" if failed else "success"), said.output
        assert calls == missing, said.output
        found = self._clean(ended[0].log)
        assert {(q, e) for _, q, e in wanted & self.answered} <= {
            (question, epoch) for (_, epoch), question in found.items()
        }
        if self.with_ids:
            assert {(str(i), e): q for i, q, e in wanted & self.answered}.items() <= found.items()

    def _set(self, data: list[tuple[int | None, str]], fails: set[str], seconds: float) -> None:
        now = {"data": data, "fails": sorted(fails), "seconds": seconds}
        (self.attempts.cases.state / "now.json").write_text(json.dumps(now))

    def _clean(self, log: str) -> dict[tuple[str, int], str]:
        """(id, epoch) -> question of the clean samples in a log."""
        clean = {row.key for row in self.attempts.samples(log) if row.error is None}
        heads = read_heads(self.attempts.cases.logs / log)
        return {head.key: str(head.input) for head in heads if head.key in clean}


@settings(
    max_examples=8,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(steps=steps, with_ids=st.booleans())
def test_any_history_pays_for_what_is_missing_and_for_nothing_twice(
    launcher: Launcher, steps: list[dict[str, Any]], with_ids: bool
):
    folder = Path(tempfile.mkdtemp())
    try:
        life = Life(Attempts(scratch(folder), launcher.start), with_ids)
        for step in steps:
            life.live(step)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
