"""What plain `evaltui run` says of a decision, in a line."""

import pytest

from evaltui.commands.progress import sentence
from evaltui.engine.state import SetState
from evaltui.logs import journal as jn
from evaltui.text import UNICODE, width_of


def over(status: str, **more: object) -> jn.AttemptEnded:
    return jn.AttemptEnded(t=1, cell="c", attempt="a", status=status, **more)  # type: ignore[arg-type]


def said(entry: jn.Entry) -> str:
    return sentence(entry, SetState(), UNICODE)


@pytest.mark.parametrize(
    ("entry", "line"),
    [
        (over("error", errors={"boom": 1}), "✗ c: 1 error, boom ×1"),
        (over("error", errors={"boom": 2, "bang": 1}), "✗ c: 3 errors, boom ×2"),
        (over("crashed", error="killed"), "✗ c: killed"),
        (jn.Completed(t=1, cell="c", log=None, samples=4, errored=1),
         "✓ c complete, 1 error tolerated"),
    ],
)  # fmt: skip
def test_a_decision_is_one_line(entry, line):
    assert said(entry) == line


def test_a_cancelled_attempt_is_said_once_and_not_as_a_failure():
    assert [said(over("cancelled")), said(jn.Cancelled(t=1, cell="c"))] == ["", "⊘ c cancelled"]


@pytest.mark.parametrize("how", [{"errors": {"x" * 999: 3}}, {"error": "x" * 999}])
def test_a_long_error_does_not_fill_the_screen(how):
    line = said(over("error", **how))
    assert "…" in line
    assert width_of(line) < 200
