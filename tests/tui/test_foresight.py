"""What a change would do, told from a preview: counts before and after, and what it costs."""

from msgspec.structs import replace

from evaltui.cells import Cell, Cells, expand
from evaltui.engine.state import CellState, Progress, SetState
from evaltui.plan import CellPlan, Plan
from evaltui.spec import ModelEntry, SetSpec, TaskEntry
from evaltui.text import ASCII, UNICODE
from evaltui.tui.effect_words import change_title, effect_lines, unchecked_line
from evaltui.tui.foresight import Effect, Figures, Size, effect, sizes_of
from evaltui.tui.picture import Picture, Preview
from evaltui.tui.runs import joined

TWO = SetSpec(
    tasks=(TaskEntry("t.py", "easy"), TaskEntry("t.py", "hard")),
    models=(ModelEntry("mockllm/a"),),
)
THREE = replace(TWO, models=(*TWO.models, ModelEntry("mockllm/b")))


def cells(spec: SetSpec) -> Cells:
    return expand(spec, lambda _: ())


def done(cell: Cell, kept: int = 8, run: int = 2) -> CellPlan:
    return CellPlan(
        cell.key,
        "run" if run else "none",
        total=kept + run,
        reuse=kept,
        run=run,
        reasons={"new": run} if run else {},
        checked=True,
        logs=("a.eval",),
        saves_tokens=100 * kept,
        saves_seconds=2.0 * kept,
        costs_tokens=100 * run,
        costs_seconds=2.0 * run,
    )


def fresh(cell: Cell) -> CellPlan:
    """The plan of a cell of which nothing is known."""
    return CellPlan(cell.key, "run", notes=("unchecked",))


def preview(after: SetSpec, before: SetSpec = TWO, *, known: bool = True) -> Preview:
    old = {cell.key: done(cell) if known else fresh(cell) for cell in cells(before).cells}
    new = cells(after).cells
    return Preview(
        spec=after,
        cells=new,
        plan=Plan(tuple(old.get(cell.key) or fresh(cell) for cell in new)),
        before=Plan(tuple(old.values())),
        added=tuple(cell.key for cell in new if cell.key not in old),
        removed=tuple(key for key in old if key not in {cell.key for cell in new}),
    )


def lines(found: Effect, glyphs=UNICODE) -> list[str]:
    return [joined(line) for line in effect_lines(found, glyphs)]


def test_a_new_model_is_sized_and_priced_by_the_logs_of_the_others():
    found = effect(preview(THREE))
    assert found.before == Figures(cells=2, samples=20, kept=16, run=4, tokens=400, seconds=8.0)
    assert (found.added, found.gone) == (2, 0)
    assert found.after.samples == 40
    assert found.more_to_run == 20
    assert found.tokens == 2000
    assert found.seconds == 40.0
    assert found.going_by == ("mockllm/a",)
    assert found.after.unknown == 0


def test_what_replaces_cells_and_has_no_size_yet_is_not_said_to_cost_nothing():
    found = effect(preview(replace(TWO, tasks=(TWO.tasks[0], TaskEntry("new.py", "new")))))
    assert found.more_to_run == -2
    (costs,) = [line for line in lines(found) if line.startswith("costs")]
    assert costs.split(None, 1)[1] == "not known until the task is loaded"
    title = "1 new cell, 1 cell out of the set, of a size that is not known yet"
    assert change_title(found) == title


def test_a_task_that_no_log_knows_has_no_size_and_says_so():
    spec = replace(TWO, tasks=(*TWO.tasks, TaskEntry("new.py", "new")))
    found = effect(preview(spec))
    assert found.after.unknown == 1
    assert found.more_to_run == 0
    assert any("the size of 1 cell is not known" in line for line in lines(found))
    assert not any("costs     nothing" in line for line in lines(found))


def test_samples_without_a_price_are_not_in_the_cost():
    plans = preview(THREE)
    unpriced = tuple(
        replace(p, saves_tokens=None, costs_tokens=None, saves_seconds=None, costs_seconds=None)
        for p in plans.plan.cells
    )
    before = tuple(
        replace(p, saves_tokens=None, costs_tokens=None, saves_seconds=None, costs_seconds=None)
        for p in plans.before.cells
    )
    found = effect(replace(plans, plan=Plan(unpriced), before=Plan(before)))
    assert found.more_to_run == 20
    assert found.after.unpriced - found.before.unpriced == 20
    assert any("costs     not known" in line for line in lines(found))


def test_cells_that_leave_take_their_samples_with_them():
    found = effect(preview(replace(TWO, tasks=TWO.tasks[:1])))
    assert (found.added, found.gone) == (0, 1)
    assert found.after.cells == 1
    assert found.more_to_run == -2
    said = lines(found)
    assert any("1 leave the set; their logs stay" in line for line in said)
    assert any("2 fewer samples to run" in line for line in said)


def test_more_epochs_cost_what_the_plan_says_and_keep_what_is_there():
    base = preview(TWO)
    more = tuple(
        replace(p, total=30, run=22, costs_tokens=2200, costs_seconds=44.0) for p in base.plan.cells
    )
    found = effect(replace(base, plan=Plan(more)))
    assert (found.before.kept, found.after.kept) == (16, 16)
    assert found.more_to_run == 40
    assert "samples   20 →  60" in lines(found)
    assert "kept      16" in [line.rstrip() for line in lines(found)]
    assert "costs     about 4,000 tokens, 1:20 of sample time" in lines(found)


def test_fewer_epochs_say_that_what_is_not_asked_for_stays():
    base = preview(TWO)
    fewer = tuple(
        replace(p, total=4, reuse=4, run=0, reasons={}, costs_tokens=0, costs_seconds=0.0)
        for p in base.plan.cells
    )
    found = effect(replace(base, plan=Plan(fewer)))
    assert any("8 not asked for then, and stay in their logs" in each for each in lines(found))
    assert change_title(found) == "4 fewer samples to run"


def test_the_change_in_few_words():
    assert change_title(effect(preview(THREE))) == "2 new cells, 20 more samples to run"
    assert change_title(effect(preview(TWO))) == "nothing to run for it"


def test_what_was_said_before_is_not_said_again():
    from evaltui.cells import Problem

    base = replace(preview(TWO), problems=(Problem("old trouble"), Problem("new trouble")))
    assert effect(base, ["old trouble"]).problems == ("new trouble",)


def test_a_plan_that_rests_on_no_load_is_called_unchecked():
    base = preview(TWO)
    loose = tuple(replace(p, checked=False) for p in base.plan.cells)
    found = effect(replace(base, plan=Plan(loose)))
    assert joined(unchecked_line(found)).startswith("2 cells unchecked")
    assert unchecked_line(effect(base)) == ()


def test_figures_stand_under_each_other_in_both_glyph_sets():
    for glyphs in (UNICODE, ASCII):
        said = lines(effect(preview(THREE)), glyphs)
        ends = {line.index(figure) + len(figure) for line, figure in zip(
            [said[0], said[1], said[3]], ["4", "40", "24"], strict=True)}  # fmt: skip
        assert len(ends) == 1, said
        assert all(line.isascii() for line in said) or glyphs is UNICODE


def test_what_a_running_attempt_has_loaded_tells_the_size():
    base = preview(THREE, known=False)
    load = base.cells[0].load_key
    found = effect(base, sizes={load: Size(6)})
    assert (found.before.samples, found.after.samples) == (6, 12)
    assert found.more_to_run == 6
    assert found.after.unknown == 2
    more = replace(base, spec=replace(THREE, settings={"epochs": 3}))
    assert effect(more, sizes={load: Size(6)}).after.samples == 36
    assert effect(base).after.unknown == 4


def test_sizes_are_taken_from_attempts_unless_the_slice_changes(tmp_path):
    cell = cells(TWO).cells[0]
    progress = Progress("a1", samples=6, epochs=2, total=12)
    states = {cell.key: CellState(cell, "running", progress)}
    picture = Picture(tmp_path, tmp_path, SetState(states), TWO)
    assert sizes_of(picture, replace(TWO, settings={"epochs": 3})) == {cell.load_key: Size(6, 2)}
    assert sizes_of(picture, replace(TWO, settings={"limit": 3})) == {}
