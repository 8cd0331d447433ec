"""Plans in words: bars of an exact width, notes, and every sample in a sentence."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaltui.logs.attempt import Item, LoadedTask, Verdict
from evaltui.logs.logged import LoggedLog, LoggedSample
from evaltui.plan import CellPlan, Plan
from evaltui.plan_words import notes, short_why, why
from evaltui.text import ASCII, UNICODE
from evaltui.tui.plan_rows import total, total_lines
from evaltui.tui.query import Query, parse
from evaltui.tui.runs import joined
from evaltui.tui.sample_rows import (
    ATTRIBUTES,
    COLUMNS,
    STATES,
    SampleTable,
    columns_of,
    natural,
    next_run,
    shared_line,
)
from evaltui.tui.verdict_words import (
    KINDS,
    counts,
    legend,
    saves_and_costs,
    seen,
    verdict_bar,
    was,
)
from evaltui.tui.wrapping import wrapped

PLAN = CellPlan(
    "k",
    "run",
    total=500,
    reuse=61,
    tolerated=2,
    run=437,
    reasons={"errored": 24, "content_changed": 1, "new": 412},
    saves_tokens=1_234_567,
    saves_seconds=2280.0,
    costs_tokens=9_000_000,
    costs_seconds=None,
)


def test_kinds_come_in_one_order_and_add_up():
    assert list(counts(PLAN)) == ["reuse", "tolerated", "errored", "content_changed", "new"]
    assert sum(counts(PLAN).values()) == PLAN.total


def test_samples_that_run_for_no_said_reason_are_new():
    assert counts(CellPlan("k", "run", total=6, reuse=4, run=2)) == {"reuse": 4, "new": 2}


REASONS = st.dictionaries(st.sampled_from([*KINDS][2:]), st.integers(0, 10**6), max_size=7)


@given(st.integers(0, 10**6), st.integers(0, 10**6), REASONS, st.integers(0, 200))
def test_a_bar_has_its_width_and_hides_nothing_it_has_room_for(reuse, tolerated, reasons, width):
    run = sum(reasons.values())
    plan = CellPlan("k", "run", reuse + tolerated + run, reuse, tolerated, run, reasons)
    runs = verdict_bar(plan, width, UNICODE)
    assert len(joined(runs)) == width
    if plan.total and width >= len(counts(plan)):
        assert len(runs) == len(counts(plan))


@given(REASONS, st.integers(1, 100))
def test_a_bar_is_ascii_where_that_is_asked_for(reasons, width):
    plan = CellPlan("k", "run", sum(reasons.values()), 0, 0, sum(reasons.values()), reasons)
    assert joined(verdict_bar(plan, width, ASCII)).isascii()


def test_the_legend_and_the_costs():
    assert joined(legend(PLAN, UNICODE)) == (
        "= 61 keep   ✗ 2 tolerated   ↻ 24 errored   ∅ 1 changed   + 412 new"
    )
    assert joined(saves_and_costs(PLAN)) == ("saves 1.2M tokens, 38m   costs ~9.0M tokens, -")
    assert joined(saves_and_costs(CellPlan("k", "run", total=3, run=3))) == "costs not known yet"
    assert saves_and_costs(CellPlan("k", "none")) == ()


def test_notes_are_sentences_with_their_numbers():
    plan = CellPlan(
        "k",
        "blocked",
        notes=("code_changed:1", "tolerated_run:12345", "unheard_of:3"),
        blocked="OPENAI_API_KEY is not set",
        remapped=1,
        grader_calls=7,
    )
    assert notes(plan) == (
        "OPENAI_API_KEY is not set",
        "1 kept sample was made by an older version of the task file",
        "12,345 errored samples within the threshold run too, since the cell runs",
        "unheard_of:3",
        "1 kept sample is elsewhere now, found by content",
        "scoring again makes 7 calls to a grader",
    )


def test_every_note_that_a_plan_can_carry_has_its_sentence():
    named = {
        "media_unchecked", "content_unchecked", "limit_lowered", "code_changed", "scorer_changed",
        "tolerated_run", "drawn_again", "samples_not_logged", "unchecked",
    }  # fmt: skip
    for name in named:
        (one,) = notes(CellPlan("k", "run", notes=(f"{name}:1",)))
        (many,) = notes(CellPlan("k", "run", notes=(f"{name}:2",)))
        assert "_" not in one.replace("log_samples", "")
        assert "{" not in one + many


def test_the_whole_plan_is_the_sum_of_its_cells():
    unknown = CellPlan("l", "run", total=10, run=10, reasons={"new": 10})
    whole = total(Plan((PLAN, unknown)))
    assert (whole.total, whole.reuse, whole.run) == (510, 61, 447)
    assert whole.reasons == {"errored": 24, "content_changed": 1, "new": 422}
    assert whole.costs_tokens == PLAN.costs_tokens
    bar, said, costs = total_lines(Plan((PLAN,)), 40, UNICODE)
    assert len(joined(bar)) == 40
    assert said == legend(PLAN, UNICODE)
    assert joined(costs) == "saves 1.2M tokens, 38m   costs ~9.0M tokens, 0s"
    assert total(Plan((unknown,))).costs_tokens is None


# --- every sample ---------------------------------------------------------------------------------

LOG = LoggedLog(
    name="a.eval",
    created="2026-01-01T00:00:00Z",
    samples=(
        LoggedSample(id=1, epoch=1, tokens=1240, seconds=12.0),
        LoggedSample(id=2, epoch=1, state="errored"),
        LoggedSample(id="[/]", epoch=1, limit="token", tokens=5),
    ),
)
OLDER = LoggedLog(
    name="b.eval",
    created="2025-01-01T00:00:00Z",
    samples=(LoggedSample(id=1, epoch=1, state="cancelled"), LoggedSample(id=9, epoch=1)),
)
LOADED = LoadedTask(
    1, "t.py", "t", items=tuple(Item(n, "x", preview=f"asks {n}") for n in (1, 2, "[/]", 4))
)
VERDICTS = (
    Verdict(1, 1, "reuse", None, "a.eval"),
    Verdict(2, 1, "run", "errored", "a.eval"),
    Verdict("[/]", 1, "run", "limit_raised"),
    Verdict(4, 1, "run", "new"),
)


def table() -> SampleTable:
    return SampleTable(
        VERDICTS,
        tuple(f"{v.id}\x00{v.epoch}" for v in VERDICTS),
        tuple(n for n, v in enumerate(VERDICTS) if v.verdict == "run"),
        seen([LOG, OLDER], LOADED),
    )


def test_a_row_says_verdict_place_history_and_question():
    rows = [[joined(cell) for cell in table().cells(row, UNICODE)] for row in range(4)]
    assert len(rows[0]) == len(COLUMNS)
    assert rows == [
        ["=", "keep", "1", "1", "same question, answered", "clean, 1,240 tokens, 12s", "a.eval",
         "asks 1"],
        ["↻", "errored", "2", "1", "errored", "errored", "a.eval", "asks 2"],
        ["↻", "limit raised", "[/]", "1", "stopped at a limit raised since",
         "clean, stopped by its token limit, 5 tokens", "-", "asks [/]"],
        ["+", "new", "4", "1", "in no log yet", "-", "-", "asks 4"],
    ]  # fmt: skip


def test_the_youngest_record_counts_where_the_verdict_rests_on_none():
    of = seen([OLDER, LOG], None)
    assert was(of.last["1", 1]) == "clean, 1,240 tokens, 12s"
    assert was(of.logged["b.eval", "1", 1]) == "cancelled"
    assert was(None) == "-"


def test_items_without_ids_are_told_by_their_place():
    loaded = LoadedTask(1, "t.py", "t", items=(Item(None, "x", preview="p"), Item(None, "y")))
    assert seen([], loaded, ids=[7, 8]).previews == {"7": "p"}
    assert seen([], loaded).previews == {}
    assert seen([], loaded, ids=[7]).previews == {}


@pytest.mark.parametrize("kind", KINDS)
def test_every_verdict_has_its_sentence(kind):
    plain = kind in ("reuse", "tolerated")
    verdict = Verdict(1, 1, kind if plain else "run", None if plain else kind)
    said = why(verdict)
    assert said[0].isupper()
    assert said.endswith(".")
    assert "_" not in said
    assert len(short_why(verdict)) <= 32


def test_a_note_of_a_verdict_changes_its_sentence():
    assert "media" in why(Verdict(1, 1, "reuse", None, "a.eval", "media_unchecked"))
    assert "taken as done" in why(Verdict(1, 1, "reuse", None, "a.eval", "not_logged"))


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("is:errored", [1]),
        ("verdict:new,reuse", [0, 3]),
        ("tokens>100", [0]),
        ("log:a.eval", [0, 1]),
        ("!was:clean", [1, 3]),
        ('asks:"asks 4"', [3]),
        ("id=[/]", [2]),
    ],
)
def test_samples_are_filtered(text, rows):
    query = parse(text, ATTRIBUTES, STATES)
    assert isinstance(query, Query), query
    assert list(table().listed(query, None).shown) == rows


@pytest.mark.parametrize(
    ("shown", "at", "step", "place"),
    [
        (range(6), 0, 1, 2),
        (range(6), 2, 1, 5),
        (range(6), 5, 1, None),
        (range(6), 5, -1, 2),
        (range(6), 2, -1, None),
        (range(6), 3, -1, 2),
        ([1, 2, 4, 5], 0, 1, 1),
        ([1, 2, 4, 5], 1, 1, 3),
        ([1, 2, 4, 5], 3, -1, 1),
        ([0, 1], 0, 1, None),
    ],
)
def test_jumps_go_to_what_runs_and_not_round(shown, at, step, place):
    assert next_run(shown, (2, 5), at, step) == place


def test_the_detail_leaves_nothing_out():
    said = [joined(line) for line in table().detail(2, ASCII)]
    assert said[0] == "~ [/]  epoch 1  Stopped at a limit raised since: it runs again."
    assert said[1] == "clean, stopped by its token limit, 5 tokens, in the last log that has it"
    assert said[2] == "asks: asks [/]"


# --- wrapping -------------------------------------------------------------------------------------


@given(
    st.lists(st.tuples(st.text(max_size=60), st.sampled_from(["text", "muted"])), max_size=5),
    st.integers(6, 40),
    st.integers(0, 4),
)
def test_broken_lines_fit_and_lose_no_word(runs, width, indent):
    from evaltui.tui.runs import clean, width_of

    lines = wrapped(tuple(runs), width, indent)
    whole = "".join(clean(text) for text, _ in runs)
    if width > indent + 4:
        widths = [sum(width_of(clean(text)) for text, _ in line) for line in lines]
        assert max(widths) <= width + (len(lines) == 12)
    if len(lines) < 12 and width > indent + 4:
        shown = "".join(clean(text) for line in lines for text, _ in line)
        assert shown.replace(" ", "") == whole.replace(" ", "")


def test_a_line_breaks_at_spaces_and_goes_on_indented():
    line = (("costs ", "muted"), ("about 12k tokens, going by two models", "text"))
    assert [joined(each) for each in wrapped(line, 20, 2)] == [
        "costs about 12k",
        "  tokens, going by",
        "  two models",
    ]


def test_a_text_without_an_end_ends():
    lines = wrapped((("x" * 10_000, "text"),), 40)
    assert len(lines) == 12
    assert joined(lines[-1]).endswith("…")


def test_samples_are_sorted_as_people_count():
    def order(column: str, descending: bool = False) -> list[int]:
        return list(table().listed(Query(), (column, descending)).shown)

    assert order("id") == [0, 1, 3, 2]
    assert order("verdict") == [0, 1, 2, 3]
    assert order("log", True)[:2] == [0, 1]
    assert natural("s10") > natural("s2")


def test_what_all_samples_share_is_said_once():
    listed = table().listed(Query(), None)
    assert listed.shared == (("epoch", "1"),)
    assert joined(shared_line(listed, " · ", wide=False)[0]) == "= epoch 1"
    columns, places = columns_of(listed, wide=False)
    assert "epoch" not in [column.id for column in columns]
    assert [COLUMNS[place] for place in places] == list(columns)
    assert columns_of(listed, wide=True)[0] == COLUMNS
