"""From a picture to rows: what the lists and lines of the main screen say."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from evaltui.cells import Cell
from evaltui.engine.folding import AttemptEvents, fold
from evaltui.engine.rows import CellRow, LaneRow, cell_rows, other_rows
from evaltui.engine.state import SetState, with_cells
from evaltui.logs import journal as jn
from evaltui.logs.attempt import Loaded, ModelCalls, ModelRetry, SampleEnd, SampleStart
from evaltui.plan import CellPlan, Plan
from evaltui.spec import SetSpec, TaskEntry
from evaltui.text import ASCII, UNICODE
from evaltui.tui import browsing, inspecting, lane_lines, selectors
from evaltui.tui.columns import place
from evaltui.tui.message_words import message
from evaltui.tui.picture import CellStory, Picture, SampleLine
from evaltui.tui.query import Query, parse
from evaltui.tui.runs import joined
from evaltui.tui.sample_map import SampleMap
from evaltui.tui.time_left import TimeLeft, time_left

NOW = 1_000_000.0


def made_cell(task: str, model: str, index: int = 0, **args: object) -> Cell:
    return Cell(
        key=f"{task}-{model}-{index}", index=index, task_file=f"{task}.py", task=task, model=model,
        task_args=args, solver=None, solver_args={}, model_args={},
        model_config={"temperature": 0.0}, base_url=None, model_roles={}, entry=(0, 0),
    )  # fmt: skip


CELLS = (
    made_cell("gaia", "openai/a", 0, level=1),
    made_cell("gaia", "openai/b", 1, level=1),
    made_cell("mmlu", "openai/a", 2, level=2),
    made_cell("mmlu", "openai/b", 3, level=2),
)
KEYS = [cell.key for cell in CELLS]


def running(*records: object) -> SetState:
    """A set whose first cell runs: 100 samples, 40 kept, 10 done, two of them errored."""
    first = KEYS[0]
    events = [
        Loaded(t=NOW - 100, samples=50, epochs=2, total=100, tolerates=10),
        *(
            SampleEnd(t=NOW - 50 + n, id=n, epoch=1, error="ToolTimeout" if n < 2 else None)
            for n in range(10)
        ),
        SampleStart(t=NOW - 5, id=90, epoch=1),
    ]
    said = [
        jn.EngineStarted(t=NOW - 120, pid=7, host="here"),
        jn.Planned(t=NOW - 110, cell=first, action="run", total=100, reuse=40, run=60,
                   reasons={"errored": 26, "new": 34}),
        *(jn.Planned(t=NOW - 110, cell=key, action="run", total=50, run=50) for key in KEYS[1:]),
        jn.Launched(t=NOW - 105, cell=first, attempt="at1", number=3, reason="rerun"),
        AttemptEvents(first, "at1", events),
        *records,
    ]  # fmt: skip
    return fold(with_cells(SetState(), CELLS), said)  # type: ignore[arg-type]


def picture(state: SetState | None = None, **more: object) -> Picture:
    made = Picture(
        Path("logs"),
        Path("."),
        state=state or running(),
        spec=SetSpec(settings={"epochs": 2, "limit": (0, 50)}),
        ready=True,
        engine="here",
    )
    return replace(made, **more)  # type: ignore[arg-type]


def query(text: str) -> Query:
    found = parse(text, selectors.cell_attributes(picture()), selectors.STATES)
    assert isinstance(found, Query), found
    return found


def shown(text: str = "", sort: tuple[str, bool] | None = None, **how: bool) -> list[str]:
    table = selectors.cell_table(picture(), NOW, query(text), sort, **how)
    return list(table.shown_keys)


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("", [0, 1, 2, 3]),
        ("gaia", [0, 1]),
        ("model:openai/b", [1, 3]),
        ("!gaia model:/a", [2]),
        ("is:running", [0]),
        ("is:queued level>1", [2, 3]),
        ("err>0", [0]),
        ("done>=40", [0]),
        ("~mlu", [2, 3]),
        ('"openai/a"', [0, 2]),
        ("nothing", []),
    ],
)
def test_a_filter_lets_through_what_it_says(text, places):
    assert shown(text) == [KEYS[n] for n in places]


@pytest.mark.parametrize(
    ("sort", "places"),
    [
        (("model", False), [0, 2, 1, 3]),
        (("model", True), [1, 3, 0, 2]),
        (("done", True), [0, 1, 2, 3]),
        (("err", False), [1, 2, 3, 0]),
        (("level", True), [2, 3, 0, 1]),
    ],
)
def test_a_column_sorts_and_ties_keep_the_order_of_the_spec(sort, places):
    assert shown("", sort) == [KEYS[n] for n in places]


@pytest.mark.parametrize("width", range(50, 160, 10))
def test_no_figure_and_no_word_of_a_row_is_cut(width):
    entries = [
        jn.Cancelled(t=NOW, cell=KEYS[1]),
        jn.Completed(t=NOW, cell=KEYS[2], log=None, samples=123_456),
        AttemptEvents(KEYS[0], "at1", [
            SampleEnd(t=NOW, id=n, epoch=2, error="x") for n in range(2_000)
        ]),
    ]  # fmt: skip
    settings = {"fail_on_error": False}
    seen = picture(running(*entries), spec=SetSpec(settings=settings))
    table = selectors.cell_table(seen, NOW, Query(), None)
    placed = {each.column.id: each.width for each in place(table.columns, width)}
    drawn = selectors.cell_cells(table, UNICODE, 9)
    for row in range(4):
        for column, found in zip(table.columns, drawn(row), strict=True):
            if column.id in ("done", "err", "next"):
                assert len(joined(found)) <= placed.get(column.id, 99), column.title
    assert "next" in placed


def test_what_all_shown_rows_share_leaves_the_columns():
    table = selectors.cell_table(picture(), NOW, Query(), None)
    assert [c.id for c in table.columns][:4] == ["status", "task", "model", "level"]
    assert table.constants.shared == (("temperature", 0.0),)
    filtered = selectors.cell_table(picture(), NOW, query("gaia"), None)
    assert [c.id for c in filtered.columns][:2] == ["status", "model"]
    assert dict(filtered.constants.shared) == {"task": "gaia", "level": 1, "temperature": 0.0}
    wide = selectors.cell_table(picture(), NOW, query("gaia"), None, wide=True)
    assert [c.id for c in wide.columns][:5] == ["status", "task", "model", "level", "temperature"]


def test_the_strip_says_shared_attributes_and_settings_once():
    table = selectors.cell_table(picture(), NOW, query("gaia"), None)
    left, right = selectors.constant_line(picture(), table.constants, UNICODE, wide=False)
    assert joined(left) == "= task gaia · level 1 · T 0.0 · limit 1-50 · epochs 2"
    assert joined(right) == "3 shared, hidden as columns (w shows)"


def cells_of(table: selectors.CellTable, place: int, glyphs=UNICODE) -> dict[str, str]:
    drawn = selectors.cell_cells(table, glyphs, 9)(place)
    return {c.id: joined(each) for c, each in zip(table.columns, drawn, strict=True)}


def test_a_row_tells_kept_from_done_and_how_many_errors_it_stands():
    row = cells_of(selectors.cell_table(picture(), NOW, Query(), None), 0)
    assert row["status"] == "▸"
    assert row["samples"].startswith("▒▒▒▒")
    assert row["samples"][4] == "▍"
    assert row["done"] == "48/100", "the two that errored are not done"
    assert row["err"] == "2→11"
    assert row["next"] == "8:20"
    queued = cells_of(selectors.cell_table(picture(), NOW, Query(), None), 2)
    assert (queued["status"], queued["done"], queued["next"]) == ("◌", "0/50", "#2")


def test_ascii_glyphs_have_no_letter_beyond_ascii():
    table = selectors.cell_table(picture(), NOW, Query(), None)
    for row in range(4):
        assert "".join(cells_of(table, row, ASCII).values()).isascii()


def test_the_header_says_who_runs_it_and_how_far_it_is():
    left, right = selectors.header(picture(), "cells", NOW, UNICODE)
    assert joined(left) == "evaltui  logs › cells"
    assert joined(right) == "▸ running here   0/4 cells  48/250 samples  ✗ 2   left ≥8:20"
    assert joined(selectors.header(picture(), "", NOW, ASCII)[1]).endswith("left >8:20")
    elsewhere = picture(engine="elsewhere")
    assert "running, pid 7 on here" in joined(selectors.header(elsewhere, "", NOW, UNICODE)[1])


def left_of(state: SetState) -> TimeLeft | None:
    return time_left(state, selectors.cell_table(picture(state), NOW, Query(), None).rows, NOW)


def test_the_time_left_is_that_of_the_slowest_lane_and_at_least_that_while_one_has_no_pace():
    first = left_of(running())
    assert first == TimeLeft(pytest.approx(100 / (10 / 50)), at_least=True)
    other = [
        jn.Launched(t=NOW - 60, cell=KEYS[1], attempt="at2", number=1, reason=""),
        AttemptEvents(KEYS[1], "at2", [
            Loaded(t=NOW - 60, samples=25, epochs=2, total=50),
            *(SampleEnd(t=NOW - 50 + 10 * n, id=n, epoch=1) for n in range(5)),
        ]),
    ]  # fmt: skip
    assert left_of(running(*other)) == TimeLeft(pytest.approx(95 / (5 / 50)), at_least=False)
    unsized = jn.Planned(t=NOW, cell=KEYS[3], action="run", total=0)
    assert left_of(running(*other, unsized)) == TimeLeft(
        pytest.approx(100 / (10 / 50)), at_least=True
    ), "of a cell that nobody has counted yet there is more to come"


def row_of(state: SetState, place: int = 0, **settings: object) -> CellRow:
    return cell_rows(state, settings, NOW)[place]


def test_what_is_done_never_goes_back_when_an_attempt_fails():
    over = [
        jn.AttemptEnded(t=NOW - 1, cell=KEYS[0], attempt="at1", status="error"),
        jn.RerunScheduled(t=NOW - 1, cell=KEYS[0], due=NOW + 30, failures=1),
    ]
    running_row, failed = row_of(running()), row_of(running(*over))
    assert (running_row.kept, running_row.done, running_row.errors) == (40, 8, 2)
    assert (failed.kept, failed.done, failed.errors) == (40, 8, 2)
    assert (running_row.left, failed.left) == (50, 52), "what errored is run again then"


def test_a_complete_cell_has_its_tolerated_errors_in_err_and_not_in_done():
    end = jn.Completed(t=NOW, cell=KEYS[0], log="a.eval", samples=50, errored=2)
    more = [SampleEnd(t=NOW - 1, id=n, epoch=1) for n in range(10, 60)]
    row = row_of(running(AttemptEvents(KEYS[0], "at1", more), end))
    assert (row.kept + row.done, row.total, row.errors, row.left) == (98, 100, 2, 0)


def test_totals_follow_the_epochs_of_the_spec_while_an_attempt_runs():
    assert row_of(running(), epochs=2).total == 100
    more = row_of(running(), epochs=6)
    assert (more.total, more.left) == (300, 250)
    picture_now = picture(spec=SetSpec(settings={"epochs": 6}))
    assert "48/450 samples" in joined(selectors.header(picture_now, "", NOW, UNICODE)[1])


def test_fewer_epochs_than_an_attempt_has_finished_are_no_more_than_all():
    events = [
        Loaded(t=NOW, samples=10, epochs=3, total=30),
        *(SampleEnd(t=NOW, id=n, epoch=e) for n in range(10) for e in (1, 2, 3)),
    ]
    again = jn.Launched(t=NOW, cell=KEYS[1], attempt="at2", number=1, reason="new")
    row = row_of(running(again, AttemptEvents(KEYS[1], "at2", events)), 1, epochs=2)
    assert (row.done, row.total, row.left) == (20, 20, 0)


def test_no_countdown_runs_while_nobody_minds_the_set():
    waits = jn.RerunScheduled(t=NOW - 1, cell=KEYS[2], due=NOW + 90, failures=1)
    assert row_of(running(waits), 2).next == "1:30"
    stopped = jn.EngineStopped(t=NOW, state="incomplete")
    state = running(waits, stopped)
    assert row_of(state, 2).next == "at resume"
    rest = picture(state, engine="none")
    assert cells_of(selectors.cell_table(rest, NOW, Query(), None), 2)["next"] == "at resume"


def test_a_lane_tells_cells_that_wait_for_a_rerun_from_those_that_queue():
    waits = jn.RerunScheduled(t=NOW - 1, cell=KEYS[1], due=NOW + 90, failures=1)
    lanes = lane_lines.lanes_shown(running(waits), NOW, Query())
    assert [(lane.queued, lane.waiting) for lane in lanes] == [(1, 0), (1, 1)]
    assert [lane_lines.lane_counts(lane) for lane in lanes] == [
        "1 run  1 queued", "0 run  1 queued 1 waiting"]  # fmt: skip


def test_a_lane_whose_cells_only_wait_leaves_the_names_their_room():
    waiting = LaneRow("sim/flaky", running=0, queued=0, waiting=2, busy=0, per_minute=0, says="")
    assert lane_lines.lane_counts(waiting) == "0 run  2 waiting"


GRADED = made_cell("gaia", "openai/a", 0, level=1)
GRADED = replace(GRADED, model_roles={"grader": {"model": "openai/o5"}})


def graded(*events: object) -> SetState:
    begun = [
        jn.EngineStarted(t=NOW - 9, pid=7, host="here"),
        jn.Launched(t=NOW - 9, cell=GRADED.key, attempt="at1", number=1, reason="new"),
    ]
    return fold(
        with_cells(SetState(), [GRADED]), [*begun, AttemptEvents(GRADED.key, "at1", events)]
    )  # type: ignore[arg-type]


def test_a_grader_has_a_line_below_the_lanes_with_its_calls():
    calls = [ModelCalls(t=NOW - n, calls={"openai/o5": 2, "sim/judge": 1}) for n in (3, 2)]
    rows = other_rows(graded(*calls), NOW)
    assert [[joined(part) for part in lane_lines.other_line(row, UNICODE)] for row in rows] == [
        ["grader openai/o5", "4 calls"],
        ["also sim/judge", "2 calls"],
    ]


def test_a_grader_that_is_rate_limited_is_not_the_lane_that_waits():
    events = [
        ModelRetry(t=NOW - 1, model="o5", wait=10, status=429),
        ModelCalls(t=NOW, calls={"openai/o5": 1}),
    ]
    state = graded(*events)
    (row,) = other_rows(state, NOW)
    assert (row.name, row.role, row.calls, row.retries) == ("openai/o5", "grader", 1, 1)
    assert row.says == "429 ×1, waits 9s"
    assert [lane.says for lane in lane_lines.lanes_shown(state, NOW, Query())] == [""]
    (later,) = other_rows(state, NOW + 20)
    assert joined(lane_lines.other_line(later, ASCII)[1]) == "1 call, 1 retried"


def left_with(*records: object) -> TimeLeft | None:
    """The time left of a set of the first cell and the third, both of one lane."""
    others = [jn.Completed(t=NOW, cell=KEYS[n], log=None, samples=50) for n in (1, 3)]
    return left_of(running(*others, *records))


def test_the_time_left_is_not_shorter_than_the_wait_for_a_rerun():
    alone = left_with()
    assert alone is not None
    assert alone.seconds < 600
    waits = jn.RerunScheduled(t=NOW - 1, cell=KEYS[2], due=NOW + 600, failures=2)
    assert left_with(waits) == TimeLeft(600, at_least=False)


def test_a_lane_that_only_waits_for_reruns_has_no_pace():
    over = jn.AttemptEnded(t=NOW - 1, cell=KEYS[0], attempt="at1", status="error")
    waits = [jn.RerunScheduled(t=NOW - 1, cell=KEYS[n], due=NOW + 30, failures=1) for n in (0, 2)]
    assert left_with(over, *waits) is None


def test_a_lane_that_is_rate_limited_says_so_in_the_message_line():
    state = running(
        AttemptEvents(KEYS[0], "at1", [ModelRetry(t=NOW - 1, model="a", wait=10, status=429)])
    )
    said = joined(message(picture(state), NOW, UNICODE))
    assert said == "↻ openai/a: 429 ×1, waits 9s. Nothing to do; h holds a lane."
    assert message(picture(state), NOW + 20, UNICODE) == ()


def test_the_answer_to_a_key_goes_after_a_moment_and_what_is_of_weight_comes_back():
    weighty = jn.Message(t=NOW - 60, text="needs a decision", level="warning")
    taken = jn.CommandTaken(t=NOW, id="c", command="release", outcome="Released 1 cell.")
    state = running(weighty, taken)
    assert joined(message(picture(state), NOW + 1, UNICODE)) == "Released 1 cell."
    assert joined(message(picture(state), NOW + 9, UNICODE)) == "needs a decision"
    assert message(picture(running(taken)), NOW + 9, UNICODE) == ()


def test_news_go_after_a_minute_and_warnings_stay():
    for level, stays in (("info", False), ("warning", True), ("error", True)):
        said = jn.Message(t=NOW, text="something", level=level)
        assert joined(message(picture(running(said)), NOW + 5, UNICODE)) == "something"
        assert bool(message(picture(running(said)), NOW + 61, UNICODE)) is stays


def test_a_lane_that_waits_says_so_whole_in_one_line():
    state = running(
        AttemptEvents(KEYS[0], "at1", [ModelRetry(t=NOW - 1, model="a", wait=10, status=429)])
    )
    lane = lane_lines.lanes_shown(state, NOW, Query())[0]
    (line,) = lane_lines.lane_lines(lane, (), NOW, UNICODE, short=True)
    assert lane_lines.lane_columns([line])[1].ideal == len("429 ×1, waits 9s")


def test_what_is_wrong_with_the_spec_stands_above_everything_else():
    said = message(picture(trouble="evalset.toml, line 3: no"), NOW, UNICODE)
    assert joined(said) == "✗ evalset.toml, line 3: no"


def test_an_empty_set_says_what_to_do_first():
    empty = Picture(Path("logs"), Path("."), ready=True)
    assert "Mark tasks" in joined(message(empty, NOW, UNICODE))
    tasks = replace(empty, spec=SetSpec(tasks=(TaskEntry("a.py"),)))
    assert "no model: a adds one" in joined(message(tasks, NOW, UNICODE))


def test_lanes_are_filtered_like_cells_and_a_set_at_rest_has_no_pace():
    lanes = lane_lines.lanes_shown(running(), NOW, Query())
    assert [(lane.name, lane.running, lane.queued) for lane in lanes] == [
        ("openai/a", 1, 1), ("openai/b", 0, 2)]  # fmt: skip
    assert lanes[0].per_minute == 10
    found = parse("run>0", ("lane", "run"), lane_lines.LANE_STATES)
    assert isinstance(found, Query)
    assert [lane.name for lane in lane_lines.lanes_shown(running(), NOW, found)] == ["openai/a"]
    rest = running(jn.EngineStopped(t=NOW, state="incomplete"))
    assert [lane.per_minute for lane in lane_lines.lanes_shown(rest, NOW, Query())] == [0, 0]


def test_the_pace_of_a_lane_is_counted_by_minutes():
    pace = lane_lines.pace([NOW - 130, NOW - 70, NOW - 61, NOW - 1], NOW)
    assert pace[-3:] == [1.0, 2.0, 1.0]
    assert pace[0] is None


def inspected(state: SetState, width: int = 60, **more: object) -> list[str]:
    found = inspecting.inspected(picture(state, **more), KEYS[0], UNICODE, width, SampleMap())
    return [joined(line) for line in found.lines]


def test_the_inspector_says_what_is_kept_what_runs_and_what_went_wrong():
    lines = inspected(running())
    assert lines[0].startswith("keep = 40   run  ↻ 26 errored")
    assert "+ 34 new" in lines[0]
    assert len(lines[1]) == 60
    assert set(lines[1]) == {"=", "↻", "+"}
    assert lines[2].startswith("✗ ToolTimeout  ×2   2 errors, fails at the 11th")


def test_the_map_shows_each_sample_where_the_story_is_known():
    samples = tuple(
        SampleLine(n, 1, fate)  # type: ignore[arg-type]
        for n, fate in enumerate(["kept", "done", "errored", "running", "cancelled", "queued"])
    )
    lines = inspected(running(), 200, story=CellStory(KEYS[0], samples=samples))
    assert lines[1] == "=✓✗▸⊘+" + 94 * "·"


def test_a_rare_sample_is_not_lost_where_one_sign_stands_for_many():
    samples = tuple(SampleLine(n, 1, "errored" if n == 777 else "kept") for n in range(5000))
    state = running(jn.Completed(t=NOW, cell=KEYS[0], log=None, samples=5000))
    lines = inspected(state, story=CellStory(KEYS[0], samples=samples))
    assert lines[1].count("✗") == 1


def test_text_from_logs_stays_text():
    hostile = "\x1b[2J[/] [@click=app.quit]boom\u202e"
    events = [SampleEnd(t=NOW, id=99, epoch=1, error=hostile)]
    state = running(AttemptEvents(KEYS[0], "at1", events))
    found = inspecting.inspected(picture(state), KEYS[0], UNICODE, 200, SampleMap())
    assert any(hostile in joined(line) for line in found.lines)


def test_a_blocked_cell_says_why_whole_and_nothing_of_its_worker():
    reason = "the task can't be loaded: " + "counted.py, line 3: invalid syntax " * 5
    state = running(jn.Planned(t=NOW, cell=KEYS[1], action="blocked", total=0, blocked=reason))
    found = inspecting.inspected(picture(state), KEYS[1], UNICODE, 60, SampleMap())
    said = " ".join(joined(line).strip() for line in found.lines)
    assert " ".join(reason.split()) in " ".join(said.split())
    assert "its worker sees" not in said


def test_a_cell_that_was_launched_before_its_size_was_known_says_how_far_it_came():
    unsized = jn.Planned(t=NOW, cell=KEYS[1], action="run", total=0)
    begun = jn.Launched(t=NOW, cell=KEYS[1], attempt="at2", number=1, reason="new")
    ready = Loaded(t=NOW, samples=5, epochs=1, total=5)
    ended = [SampleEnd(t=NOW, id=n, epoch=1) for n in range(5)]
    entries = [unsized, begun, AttemptEvents(KEYS[1], "at2", [ready, *ended])]
    state = running(*entries, jn.Completed(t=NOW, cell=KEYS[1], log=None, samples=5))
    found = inspecting.inspected(picture(state), KEYS[1], UNICODE, 60, SampleMap())
    assert joined(found.lines[0]) == "done ✓ 5"


@pytest.mark.parametrize(
    ("engine", "says"),
    [
        ("here", "its worker sees how many samples there are"),
        ("none", "its size is not known until the task is loaded"),
    ],
)
def test_of_a_cell_of_unknown_size_only_a_set_that_runs_speaks_of_its_worker(engine, says):
    state = running(jn.Planned(t=NOW, cell=KEYS[1], action="run", total=0))
    seen = picture(state, engine=engine)
    found = inspecting.inspected(seen, KEYS[1], UNICODE, 60, SampleMap())
    assert [joined(line) for line in found.lines] == [says]


def test_the_name_of_a_log_is_cut_in_ascii_where_all_is():
    long = jn.Completed(t=NOW, cell=KEYS[1], log="logs/" + 90 * "a" + ".eval", samples=50)
    found = inspecting.inspected(picture(running(long)), KEYS[1], ASCII, 80, SampleMap())
    assert joined(found.right).endswith("a~")


def test_an_attempt_that_kept_samples_and_is_over_is_told_by_the_plan_made_since():
    over = jn.AttemptEnded(t=NOW, cell=KEYS[0], attempt="at1", status="success")
    state = running()
    now = CellPlan(KEYS[0], "none", total=100, reuse=48, run=52, reasons={"errored": 52})
    before = replace(now, reuse=40, run=60, reasons={"new": 60})
    ended = fold(state, [over])
    assert inspected(ended, plan=Plan((now,)))[0].strip() == "keep = 48   run  ↻ 52 errored"
    for still in (inspected(ended, plan=Plan((before,))), inspected(state, plan=Plan((now,)))):
        assert "+ 34 new" in still[0]


def test_an_error_that_the_cells_message_tells_is_not_told_twice():
    said = "Failed with ToolTimeout on 2 samples."
    failed = jn.Failed(t=NOW, cell=KEYS[0], why="stuck", message=said)
    lines = inspected(running(failed), 200)
    assert sum("ToolTimeout" in line for line in lines) == 1


def test_a_waiting_lane_says_why_at_the_right_where_it_is_not_cut():
    waiting = LaneRow("sim/limited", running=4, queued=0, waiting=0, busy=0, per_minute=0,
                      says="429 ×3, all wait 9s")  # fmt: skip
    crowded = LaneRow("sim/flaky", running=2, queued=0, waiting=1, busy=2, per_minute=9, says="")
    lines = [
        line
        for row in (waiting, crowded)
        for line in lane_lines.lane_lines(row, (), NOW, UNICODE, short=False)
    ]
    _, counts = place(lane_lines.lane_columns(lines), 38)
    assert joined(lines[1][1]) == waiting.says
    assert counts.width >= len(waiting.says)


# --- the task browser -----------------------------------------------------------------------------


def browser(text: str = "", spec: SetSpec | None = None) -> browsing.TaskTable:
    from evaltui.discovery import discover

    root = Path(__file__).parents[1] / "cases"
    found = picture(found=discover([], root), spec=spec or SetSpec())
    names = browsing.attribute_names(found.found.tasks)  # type: ignore[union-attr]
    made = parse(text, ("task", "file", *names), browsing.STATES)
    assert isinstance(made, Query), made
    return browsing.task_table(found, made, UNICODE)


def test_tasks_stand_under_their_file_with_what_is_in_the_set_marked():
    table = browser("counted", SetSpec(tasks=(TaskEntry("counted.py", "counted"),)))
    keys = [key for key, _ in table.rows]
    assert keys[0] == "f:counted.py"
    assert keys[1:3] == ["t:counted.py@counted", "t:counted.py@counted_heavy"]
    marks = [joined(cells[0]) for _, cells in table.rows[1:3]]
    assert marks == ["+", ""]


def test_attributes_filter_tasks_and_what_they_share_leaves_the_columns():
    table = browser("light:true family:counted")
    assert [key for key, _ in table.rows] == ["f:counted.py", "t:counted.py@counted"]
    assert table.shown == 1
    assert table.tasks > 2
    both = browser("family:counted")
    assert dict(both.constants.shared)["family"] == "counted"


def test_files_that_can_not_be_read_stand_at_the_end_with_the_reason(tmp_path):
    from evaltui.discovery import discover

    (tmp_path / "bad.py").write_text("from inspect_ai import task\n@task\ndef broken(:\n")
    (tmp_path / "good.py").write_text("from inspect_ai import task\n@task\ndef fine(): ...\n")
    table = browsing.task_table(picture(found=discover([], tmp_path)), Query(), UNICODE)
    key, cells = table.rows[-1]
    assert key == "s:bad.py"
    assert "syntax error" in joined(cells[1])
