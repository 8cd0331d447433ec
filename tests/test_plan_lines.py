"""`evaltui plan` as people read it: the words of the screen, not the names of the JSON."""

from evaltui.cells import Cell
from evaltui.commands.plan import plan_lines
from evaltui.logs.attempt import Verdict
from evaltui.plan import CellPlan, Plan

CELL = Cell(
    key="k", index=0, task_file="a.py", task="a", model="openai/m", task_args={}, solver=None,
    solver_args={}, model_args={}, model_config={}, base_url=None, model_roles={}, entry=(0, 0),
)  # fmt: skip
VERDICTS = (
    Verdict(1, 1, "reuse"),
    Verdict(2, 1, "reuse", note="not_logged"),
    Verdict(3, 1, "tolerated"),
    Verdict(4, 1, "run", "content_changed"),
    Verdict(1, 2, "run", "new_epoch"),
)


def lines(plan: CellPlan, *, samples: bool = False) -> list[str]:
    return list(plan_lines(Plan((plan,)), (CELL,), samples))


def test_reasons_and_notes_are_said_in_words():
    plan = CellPlan(
        "k", "run", 5, 2, 1, 2, {"content_changed": 1, "new_epoch": 1},
        remapped=2, notes=("code_changed:2", "media_unchecked:1"),
    )  # fmt: skip
    assert lines(plan) == [
        "a × openai/m: keeps 2 of 5; 1 error tolerated; runs 2 (1 changed, 1 new epoch); "
        "2 kept samples were made by an older version of the task file; "
        "media of 1 kept sample could not be compared; "
        "2 kept samples are elsewhere now, found by content",
        "5 samples: 2 kept, 1 tolerated, 2 to run",
    ]


def test_what_is_done_without_running_a_sample_is_said():
    assert lines(CellPlan("k", "merge", 5, 5))[0] == "a × openai/m: keeps 5 of 5; joins its logs"
    again = CellPlan("k", "rescore", 5, 5, rescore=5)
    assert lines(again)[0] == "a × openai/m: keeps 5 of 5; scores 5 again"
    held = CellPlan("k", "held", held="it waits for you", notes=("code_changed:2",))
    assert lines(held)[0] == "a × openai/m: held: it waits for you"


def test_every_sample_says_its_verdict_in_words():
    plan = CellPlan("k", "run", 5, 2, 1, 2, verdicts=VERDICTS)
    assert lines(plan, samples=True)[1:-1] == [
        "  keep       1, epoch 1",
        "  keep       2, epoch 1  in a complete log without samples: it is taken as done",
        "  tolerated  3, epoch 1",
        "  run        4, epoch 1  changed",
        "  run        1, epoch 2  new epoch",
    ]
