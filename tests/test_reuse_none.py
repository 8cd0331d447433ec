"""`reuse = "none"`: a run pays for everything anew, and for nothing twice."""

from __future__ import annotations

from collections import Counter

import pytest

from evaltui.commands.looking import look
from evaltui.engine.clock import SystemClock
from evaltui.engine.foresee import foresee
from evaltui.engine.tail import Tail
from evaltui.engine.wanted import read_wanted
from evaltui.logs import journal as jn
from evaltui.logs.files import append_lines, read_lines
from evaltui.logs.layout import Layout
from tests.engines import Workers, minded, statuses, write_spec
from tests.sets import Scratch, wait_until

pytestmark = pytest.mark.slow

SAMPLES = 3
MODELS = "ab"


def planned(layout: Layout) -> dict[str, int]:
    """Model -> samples that a resume would run."""
    wanted, state = read_wanted(layout), Tail(layout).poll()
    plan = foresee(layout, wanted, state, Workers(layout), SystemClock())
    models = {cell.key: cell.model for cell in wanted.cells.cells}
    return {models[cell.key]: cell.run for cell in plan.cells}


@pytest.mark.parametrize("how", ["crashed", "handed over"])
def test_what_an_unfinished_run_has_paid_for_is_its_own(cases: Scratch, how: str) -> None:
    task = f'name = "counted"\nargs = {{ n = {SAMPLES}, sleep = 0.3 }}'
    rules = ('reuse = "none"', "max_tasks = 1", "max_samples = 1")
    write_spec(cases, *rules, task=task, models=MODELS)
    layout = Layout(cases.logs)
    with minded(cases) as first:
        first.until(lambda state: statuses(state) == ["complete", "running"], "the first cell")
        wait_until(lambda: len(cases.calls()) > SAMPLES, what="a call of the second cell")
        first.engine.stop("hand_over")
        first.outcome()
        if how == "crashed":  # then nothing of its end is in the journal
            entries, _ = read_lines(layout.journal, jn.Entry)
            layout.journal.unlink()
            kept = [entry for entry in entries if not isinstance(entry, jn.EngineStopped)]
            append_lines(layout.journal, kept)
        assert planned(layout) == {"mockllm/a": 0, "mockllm/b": SAMPLES}
        seen = look(cases.logs).state.cells.values()
        assert [cell.status for cell in seen] == ["complete", "running"]
        with minded(cases) as second:
            assert second.outcome().exit_code == 0
    counts = Counter((call[1], call[3]) for call in cases.calls())
    assert len(counts) == SAMPLES * len(MODELS)
    assert counts.total() == len(counts), counts
    assert planned(layout) == {"mockllm/a": SAMPLES, "mockllm/b": SAMPLES}
    with minded(cases) as anew:
        assert anew.outcome().exit_code == 0
    assert len(cases.calls()) == 2 * SAMPLES * len(MODELS)
