"""Each sentence of the reuse rules, by example."""

import random

import pytest
from msgspec.structs import replace

from evaltui.logs.attempt import Item, LoadedTask, Rules
from evaltui.logs.logged import LoggedLog, LoggedSample, Made
from evaltui.reuse import decide, tolerated_errors
from tests.histories import Life, answered, asked, clean, failing, numbered, runs, task

LETTERS = "abcdefghijklmnopqrst"


def counts(decision) -> tuple[int, int, int]:
    made = decision.counts
    return made["reuse"], made["tolerated"], made["run"]


# --- what is kept --------------------------------------------------------------------------------


def test_without_a_log_everything_is_new():
    decision = Life().plan(numbered(3))
    assert runs(decision) == {(1, 1): "new", (2, 1): "new", (3, 1): "new"}
    assert decision.action == "run"
    assert decision.ids == (1, 2, 3)


def test_a_finished_log_is_complete():
    life = Life()
    log = life.attempt(numbered(3))
    decision = life.plan(numbered(3))
    assert counts(decision) == (3, 0, 0)
    assert decision.action == "none"
    assert decision.complete_in == log.name


def test_only_the_errored_ones_run_again_and_their_history_is_carried():
    life = Life()
    log = life.attempt(numbered(4), outcome=failing("2"))
    decision = life.plan(numbered(4))
    assert runs(decision) == {(2, 1): "errored"}
    assert decision.carried[2, 1][:3] == (log.name, 2, 1)
    assert set(decision.kept) == {(1, 1), (3, 1), (4, 1)}


def test_cancelled_samples_run_again_and_leave_no_history():
    life = Life()
    life.attempt(numbered(3), outcome=failing("2", state="cancelled"), status="cancelled")
    decision = life.plan(numbered(3))
    assert runs(decision) == {(2, 1): "cancelled"}
    assert decision.carried == {}


def test_an_error_cancelled_in_its_rerun_is_an_error_still():
    life = Life(more={"fail_on_error": False})
    life.attempt(numbered(3), outcome=failing("2"))
    life.attempt(
        numbered(3), Rules(retry_errors=True), failing("2", state="cancelled"), "cancelled"
    )
    assert counts(life.plan(numbered(3))) == (2, 1, 0)


def test_invalidated_samples_run_again_wherever_they_lie():
    life = Life()
    first = life.attempt(numbered(3), outcome=failing("3"))
    second = life.attempt(numbered(3))
    assert {each.uuid for each in first.samples} & {each.uuid for each in second.samples}
    life.change(second, 0, state="invalidated")
    assert runs(life.plan(numbered(3))) == {(1, 1): "invalidated"}


def test_a_sample_that_errored_after_it_was_invalidated_is_errored():
    life = Life()
    first = life.attempt(numbered(2))
    life.change(first, 0, state="invalidated")
    life.attempt(numbered(2), outcome=failing("1"))
    assert runs(life.plan(numbered(2))) == {(1, 1): "errored"}


def test_an_edited_question_alone_runs_again():
    life = Life()
    life.attempt(numbered(4))
    edited = task(["q1", "Q2", "q3", "q4"], [1, 2, 3, 4])
    assert runs(life.plan(edited)) == {(2, 1): "content_changed"}


def test_an_error_on_a_question_that_was_edited_since_carries_nothing():
    life = Life()
    life.attempt(numbered(3), outcome=failing("2"))
    decision = life.plan(task(["q1", "Q2", "q3"], [1, 2, 3]))
    assert runs(decision) == {(2, 1): "content_changed"}
    assert decision.carried == {}


def test_metadata_count_where_they_are_known_of_both():
    life = Life()
    items = (Item(1, "q1", "s1"), Item(2, "q2", "s2"))
    loaded = LoadedTask(1, "t.py", "t", items=items)
    life.attempt(loaded)
    changed = replace(loaded, items=(items[0], Item(2, "q2", "S2")))
    assert runs(life.plan(changed)) == {(2, 1): "content_changed"}
    unknown = replace(loaded, items=(items[0], Item(2, "q2")))
    assert runs(life.plan(unknown)) == {}


def test_metadata_count_without_ids_too():
    items = (Item(None, "q1", "s1"), Item(None, "q2", "s2"))
    loaded = LoadedTask(1, "t.py", "t", items=items)
    life = Life()
    life.attempt(loaded)
    changed = replace(loaded, items=(Item(None, "q2", "S2"), items[0]))
    assert runs(life.plan(changed)) == {(2, 1): "content_changed"}


def test_a_moved_id_is_not_kept_for_the_question_it_had():
    life = Life()
    life.attempt(numbered(2))
    assert runs(life.plan(task(["q2", "q1"], [1, 2]))) == {
        (1, 1): "content_changed",
        (2, 1): "content_changed",
    }


# --- ids -----------------------------------------------------------------------------------------


def test_ids_compare_as_strings_and_are_written_in_the_datasets_type():
    life = Life()
    life.attempt(task(["q1", "q2"], ["1", "2"]), outcome=failing("2"))
    decision = life.plan(numbered(2))
    assert decision.kept[1, 1].id == "1"
    assert runs(decision) == {(2, 1): "errored"}
    assert [verdict.id for verdict in decision.verdicts] == [1, 2]


def test_two_items_with_one_id_are_refused():
    decision = Life().plan(task(["a", "b"], [1, "1"]))
    assert decision.action == "blocked"
    assert "two samples with the id 1" in (decision.blocked or "")


def shuffled(seed: int, questions: str = LETTERS) -> LoadedTask:
    asked = list(questions)
    random.Random(seed).shuffle(asked)
    return task(asked)


def test_a_shuffled_dataset_without_ids_is_reused_question_by_question():
    life = Life()
    life.attempt(shuffled(1), outcome=failing("c", "g", "k", "t"))
    decision = life.plan(shuffled(2))
    assert counts(decision) == (16, 0, 4)
    assert set(decision.reasons) == {"errored"}
    log = life.attempt(shuffled(3))
    assert answered(log) == sorted(LETTERS)
    assert len(life.calls) == 24
    assert life.plan(shuffled(4)).action == "none"


def test_remapped_counts_kept_samples_whose_place_changed():
    life = Life()
    life.attempt(task("abcd"))
    assert life.plan(task("abcd")).remapped == 0
    assert life.plan(task("badc")).remapped == 4
    assert life.plan(task("acbd"), Rules(epochs=1)).remapped == 2


def test_grown_and_shrunk_data_without_ids():
    life = Life()
    life.attempt(task("abc"))
    decision = life.plan(task("xabc"))
    assert runs(decision) == {(4, 1): "new"}
    assert counts(life.plan(task("ca"))) == (2, 0, 0)


def test_an_edited_question_without_an_id_keeps_its_number():
    life = Life()
    life.attempt(task("abcd"))
    decision = life.plan(task("aBcd"))
    assert runs(decision) == {(2, 1): "content_changed"}
    assert decision.ids == (1, 2, 3, 4)


def test_an_edited_question_of_a_partial_log_keeps_its_number():
    life = Life()
    life.attempt(task("abcdef"), Rules(limit=3))
    decision = life.plan(task("aBcdef"))
    assert decision.ids == (1, 2, 3, 4, 5, 6)
    assert decision.reasons == {"content_changed": 1, "new": 3}


def test_equal_questions_are_paired_in_order():
    life = Life()
    life.attempt(task("aabab"), outcome=failing("2"))
    decision = life.plan(task("ababa"))
    assert counts(decision) == (4, 0, 1)
    assert decision.ids == (1, 3, 2, 5, 4)
    more = life.plan(task("aaaab"))
    assert counts(more) == (3, 0, 2)
    assert more.reasons == {"errored": 1, "new": 1}


def test_ids_given_to_some_items_only():
    life = Life()
    life.attempt(task("abc", ["x", None, None]))
    decision = life.plan(task("cab", [None, "x", None]))
    assert counts(decision) == (3, 0, 0)
    assert decision.ids == (3, "x", 2)


def test_logs_that_number_the_questions_otherwise_are_one_history():
    """As `inspect eval` leaves them when a dataset without ids was shuffled in between."""
    life = Life()
    one = Life()
    one.attempt(task("abcd"), outcome=failing("c", "d"))
    other = Life(name="v")
    other.attempt(task("dcba"), outcome=failing("a", "b"))
    life.logs = [one.logs[0], replace(other.logs[0], name="other", created="2026-02-02")]
    decision = life.plan(task("abcd"))
    assert counts(decision) == (4, 0, 0)
    assert decision.action == "merge"
    assert sorted(source.log for source in decision.kept.values()) == ["log1"] * 2 + ["other"] * 2
    for place, name in enumerate(decision.ids):
        source = decision.kept[name, 1]
        log = next(each for each in life.logs if each.name == source.log)
        kept = next(each for each in log.samples if each.id == source.id)
        assert kept.content == "abcd"[place]


def test_one_answer_is_not_kept_for_two_equal_questions():
    life = Life()
    life.attempt(task("ab"))
    decision = life.plan(task("aab"))
    assert counts(decision) == (2, 0, 1)
    assert len({source.uuid for source in decision.kept.values()}) == 2


# --- all logs of the cell ------------------------------------------------------------------------


def test_a_short_rerun_never_hides_what_an_older_log_holds():
    life = Life()
    life.attempt(numbered(8), outcome=failing("7", "8"))
    died = Life(name="v")
    died.attempt(numbered(8), outcome=failing(*"45678", state=None))
    life.logs.append(replace(died.logs[0], name="died", created="2026-03-03"))
    decision = life.plan(numbered(8))
    assert runs(decision) == {(7, 1): "errored", (8, 1): "errored"}
    assert decision.logs == ("log1", "died")


def test_logs_are_ranked_by_what_the_slice_asks_for_then_by_age():
    life = Life()
    life.attempt(numbered(6), Rules(limit=4))
    life.attempt(numbered(6), Rules(limit=(4, 6)))
    assert life.plan(numbered(6), Rules(limit=(3, 6))).logs == ("log2", "log1")
    assert life.plan(numbered(6), Rules(limit=4)).logs == ("log1", "log2")
    assert life.plan(numbered(6), Rules(limit=(3, 5))).logs == ("log2", "log1")


def test_samples_spread_over_logs_are_merged_without_a_call():
    life = Life()
    for limit in ((0, 2), (2, 4), (4, 6)):
        life.attempt(numbered(6), Rules(limit=limit))
    decision = life.plan(numbered(6), Rules(limit=6))
    assert decision.action == "merge"
    assert {source.log for source in decision.kept.values()} == {"log1", "log2", "log3"}
    calls = len(life.calls)
    log = life.attempt(numbered(6), Rules(limit=6))
    assert len(life.calls) == calls
    assert answered(log) == [f"q{n}" for n in range(1, 7)]
    assert life.plan(numbered(6), Rules(limit=6)).action == "none"


@pytest.mark.parametrize("status", ["started", "error", "cancelled"])
def test_a_log_that_holds_everything_but_did_not_finish_is_finished_without_a_call(status):
    life = Life()
    life.attempt(numbered(3), status=status)
    decision = life.plan(numbered(3))
    assert counts(decision) == (3, 0, 0)
    assert decision.action == "merge"
    life.attempt(numbered(3))
    assert len(life.calls) == 3
    assert life.plan(numbered(3)).action == "none"


# --- epochs and slices ---------------------------------------------------------------------------


def test_epochs_up_and_down():
    """epochs 1, 3, 1, 3: 6, 12, 0, 0 calls."""
    life = Life()
    made = []
    for epochs in (1, 3, 1, 3):
        before = len(life.calls)
        decision = life.plan(numbered(6), Rules(epochs=epochs))
        if decision.action != "none":
            life.attempt(numbered(6), Rules(epochs=epochs))
        made.append(len(life.calls) - before)
    assert made == [6, 12, 0, 0]


def test_a_new_epoch_is_told_from_a_new_sample():
    life = Life()
    life.attempt(numbered(2))
    decision = life.plan(numbered(3), Rules(epochs=2))
    assert runs(decision) == {
        (1, 2): "new_epoch", (2, 2): "new_epoch", (3, 1): "new", (3, 2): "new",
    }  # fmt: skip


SLICES = [
    Rules(limit=2), Rules(limit=(2, 4)), Rules(sample_id=(5, 6)), Rules(limit=6),
]  # fmt: skip


@pytest.mark.parametrize("loads", ["ids", "stable", "unstable"])
def test_slices_pay_for_each_item_once(loads):
    """limit 2, 3-4, ids 5,6, limit 6: 2, 2, 2, 0 calls."""
    life = Life()
    made = []
    for seed, rules in enumerate(SLICES):
        loaded = {
            "ids": numbered(10),
            "stable": task(LETTERS[:10]),
            "unstable": shuffled(seed, LETTERS[:10]),
        }[loads]
        before = len(life.calls)
        assert life.plan(loaded, rules).action == ("run" if rules.limit != 6 else "merge")
        life.attempt(loaded, rules)
        made.append(len(life.calls) - before)
    assert made == [2, 2, 2, 0]
    assert len({question for question, _, _ in life.calls}) == 6


def test_a_matching_count_is_not_enough():
    life = Life()
    life.attempt(numbered(6), Rules(limit=(0, 3)))
    assert counts(life.plan(numbered(6), Rules(limit=(3, 6)))) == (0, 0, 3)


@pytest.mark.parametrize("ids", [False, True])
def test_a_slice_of_an_unstable_order_is_drawn_again_the_same(ids):
    life = Life()
    names = {letter: f"id-{letter}" for letter in LETTERS}

    def load(seed: int) -> LoadedTask:
        loaded = shuffled(seed)
        given = [names[item.content] for item in loaded.items] if ids else None
        return task([item.content for item in loaded.items], given)

    first = life.attempt(load(1), Rules(limit=5), failing(load(1).items[2].content))
    drawn = {each.content for each in first.samples}
    decision = life.plan(load(2), Rules(limit=5))
    assert set(asked(decision, load(2))) == drawn
    assert counts(decision) == (4, 0, 1)
    assert "drawn_again" in decision.notes
    life.attempt(load(3), Rules(limit=5))
    assert life.plan(load(4), Rules(limit=5)).action == "none"
    wider = life.plan(load(5), Rules(limit=8))
    assert counts(wider) == (5, 0, 3)
    assert len(life.calls) == 6


def test_an_unstable_order_shows_in_logs_that_have_no_draw():
    life = Life()
    life.attempt(shuffled(1), Rules(limit=5), failing(shuffled(1).items[2].content))
    life.draw = None
    assert counts(life.plan(shuffled(2), Rules(limit=5))) == (4, 0, 1)


def test_a_stable_order_is_todays():
    life = Life()
    life.attempt(task("abcd"), Rules(limit=2))
    put_in_front = life.plan(task("xabcd"), Rules(limit=2))
    assert asked(put_in_front, task("xabcd")) == ["x", "a"]
    assert put_in_front.draw is not None
    edited = life.plan(task("aBcd"), Rules(limit=2))
    assert asked(edited, task("aBcd")) == ["a", "B"]


def test_another_shuffle_draws_anew():
    life = Life()
    life.attempt(numbered(20), Rules(limit=5, sample_shuffle=1))
    again = life.plan(numbered(20), Rules(limit=5, sample_shuffle=1))
    other = life.plan(numbered(20), Rules(limit=5, sample_shuffle=2))
    assert again.action == "none"
    assert "drawn_again" not in other.notes
    assert asked(other, numbered(20)) != asked(again, numbered(20))


def test_a_shuffle_without_a_seed_draws_once_for_a_set():
    rules = Rules(limit=5, sample_shuffle=True)
    one = Life().plan(numbered(50), rules, salt="one")
    assert one.wanted == Life().plan(numbered(50), rules, salt="one").wanted
    assert one.wanted != Life().plan(numbered(50), rules, salt="two").wanted


def test_a_shuffle_without_a_seed_does_not_depend_on_the_order_of_the_load():
    rules = Rules(limit=5, sample_shuffle=True)
    one, other = shuffled(1), shuffled(2)
    assert asked(Life().plan(one, rules), one) == asked(Life().plan(other, rules), other)


def test_new_items_are_numbered_as_inspect_numbers_them():
    """By their place after the set's shuffle."""
    decision = Life().plan(task("abcd"), Rules(sample_shuffle=7))
    order = list(range(4))
    random.Random(7).shuffle(order)
    assert [decision.ids[place] for place in order] == [1, 2, 3, 4]


def test_a_slice_without_samples_says_which_option_to_change():
    assert "change limit" in (Life().plan(numbered(3), Rules(limit=(5, 9))).blocked or "")
    none = Life().plan(numbered(3), Rules(sample_id=("x",)))
    assert "no sample of t has the id x" in (none.blocked or "")
    assert Life().plan(numbered(3), Rules(sample_id=())).action == "none"
    assert "has no samples" in (Life().plan(task("")).blocked or "")


# --- errors --------------------------------------------------------------------------------------


def test_tolerated_errors_do_not_run_by_themselves():
    life = Life(more={"fail_on_error": 2})
    life.attempt(numbered(6), outcome=failing("2", "5"))
    decision = life.plan(numbered(6))
    assert counts(decision) == (4, 2, 0)
    assert decision.action == "none"
    assert decision.complete_in == "log1"


def test_one_error_too_many_and_all_run():
    life = Life(more={"fail_on_error": 2})
    life.attempt(numbered(6), outcome=failing("2", "4", "5"))
    assert counts(life.plan(numbered(6))) == (3, 0, 3)


@pytest.mark.parametrize(
    ("fail_on_error", "rule", "tolerated"),
    [
        (None, "more-than", 0), (True, "more-than", 0), (False, "more-than", None),
        (0.07, "more-than", 7), (0.07, "at-least", 6), (0.075, "at-least", 7),
        (3, "more-than", 3), (3, "at-least", 2), (1, "at-least", 0),
    ],
)  # fmt: skip
def test_how_many_errors_are_tolerated(fail_on_error, rule, tolerated):
    assert tolerated_errors(fail_on_error, rule, 100) == tolerated
    errors = 50 if tolerated is None else tolerated
    for more in (0, 1):
        life = Life(more={"fail_on_error": fail_on_error, "error_rule": rule})
        numbers = map(str, range(1, errors + more + 1))
        life.attempt(numbered(100), outcome=failing(*numbers), status="success")
        stays = tolerated is None or more == 0
        expected = (0, errors + more) if not stays else (errors + more, 0)
        assert counts(life.plan(numbered(100)))[1:] == expected


def test_the_tasks_own_threshold_counts_where_the_set_has_none():
    life = Life()
    life.attempt(numbered(3, fail_on_error=False), outcome=failing("1", "2"))
    assert counts(life.plan(numbered(3, fail_on_error=False))) == (1, 2, 0)
    assert counts(life.plan(numbered(3, fail_on_error=False), fail_on_error=True)) == (1, 0, 2)


def test_a_tolerated_error_runs_beside_a_new_epoch_and_the_plan_says_so():
    life = Life(more={"fail_on_error": 2})
    life.attempt(numbered(3), outcome=failing("2"))
    decision = life.plan(numbered(3), Rules(epochs=2))
    assert decision.reasons == {"errored": 1, "new_epoch": 3}
    assert "tolerated_run:1" in decision.notes


def test_retry_errors_runs_exactly_the_tolerated_ones_and_keeps_the_old_until_then():
    life = Life(more={"fail_on_error": 2})
    life.attempt(numbered(4), outcome=failing("2"))
    decision = life.plan(numbered(4), Rules(retry_errors=True))
    assert runs(decision) == {(2, 1): "errored"}
    assert (2, 1) in decision.carried
    life.attempt(numbered(4), Rules(retry_errors=True))
    assert counts(life.plan(numbered(4))) == (4, 0, 0)


def test_a_tolerated_error_runs_where_the_rest_has_to_be_merged():
    life = Life(more={"fail_on_error": 2})
    life.attempt(numbered(4), Rules(limit=(0, 2)), failing("2"))
    life.attempt(numbered(4), Rules(limit=(2, 4)))
    decision = life.plan(numbered(4))
    assert decision.action == "run"
    assert runs(decision) == {(2, 1): "errored"}


def test_a_clean_answer_in_an_older_log_outlives_an_error_in_a_younger():
    life = Life()
    life.attempt(numbered(2))
    rerun = Life(name="v")
    rerun.attempt(numbered(2), outcome=failing("1"))
    life.logs.append(replace(rerun.logs[0], name="younger", created="2026-09-09"))
    assert counts(life.plan(numbered(2))) == (2, 0, 0)


# --- limits, code, scorers -----------------------------------------------------------------------


def limited(kind: str, **limits) -> Life:
    life = Life()
    log = life.attempt(numbered(3), Rules(sample_limits=limits))
    life.change(log, 1, limit=kind)
    return life


@pytest.mark.parametrize(
    ("kind", "then", "now", "reason"),
    [
        ("token", {"token_limit": 100}, {"token_limit": 200}, "limit_raised"),
        ("token", {"token_limit": 100}, {}, "limit_raised"),
        ("token", {"token_limit": 100}, {"token_limit": 100}, None),
        ("token", {"token_limit": 100}, {"token_limit": 100, "message_limit": 99}, None),
        ("token", {"token_limit": 100}, {"token_limit": "output:100"}, "limit_raised"),
        ("token", {"token_limit": "output:1k"}, {"token_limit": 1000}, None),
        ("token", {"token_limit": "1k"}, {"token_limit": 1000}, None),
        ("token", {"token_limit": "output:1k"}, {"token_limit": "output:1.5k"}, "limit_raised"),
        ("token", {"token_limit": "(input*0.1):9"}, {"token_limit": "(input*0.2):9"},
         "limit_raised"),
        ("message", {"message_limit": 5}, {"message_limit": 6}, "limit_raised"),
        ("turn", {"turn_limit": 5}, {"turn_limit": 6}, "limit_raised"),
        ("time", {"time_limit": 60}, {"time_limit": 90}, "limit_raised"),
        ("working", {"working_limit": 60}, {"working_limit": 90}, "limit_raised"),
        ("cost", {"cost_limit": 0.5}, {"cost_limit": 0.6}, "limit_raised"),
        ("operator", {}, {"token_limit": 5}, None),
        ("context", {}, {}, None),
    ],
)  # fmt: skip
def test_a_sample_that_a_limit_stopped_is_kept_unless_it_was_raised(kind, then, now, reason):
    life = limited(kind, **then)
    decision = life.plan(numbered(3), Rules(sample_limits=now))
    assert runs(decision) == ({(2, 1): reason} if reason else {})


def test_a_lowered_limit_keeps_the_sample_and_says_so():
    life = limited("token", token_limit=100)
    decision = life.plan(numbered(3), Rules(sample_limits={"token_limit": 50}))
    assert counts(decision) == (3, 0, 0)
    assert "limit_lowered:1" in decision.notes


def test_a_limit_of_the_task_counts_where_the_set_has_none():
    life = Life()
    log = life.attempt(numbered(2, limits={"token_limit": 10}, source="v1"))
    life.change(log, 0, limit="token")
    assert runs(life.plan(numbered(2, limits={"token_limit": 10}))) == {}
    assert runs(life.plan(numbered(2, limits={"token_limit": 20}))) == {(1, 1): "limit_raised"}


def test_a_kept_sample_is_judged_by_the_limit_it_ran_under():
    """Lowered, rerun for another reason, raised to less than it was: nothing runs."""
    life = Life()
    log = life.attempt(numbered(2, limits={"token_limit": 200}, source="v"))
    life.change(log, 0, limit="token")
    life.attempt(numbered(3, limits={"token_limit": 100}, source="v"))
    life.logs.pop(0)
    assert runs(life.plan(numbered(3, limits={"token_limit": 150}, source="v"))) == {}
    assert runs(life.plan(numbered(3, limits={"token_limit": 250}, source="v"))) == {
        (1, 1): "limit_raised"
    }


def test_changed_code_keeps_samples_and_is_noted():
    life = Life()
    life.attempt(numbered(3, source="v1"), outcome=failing("2"))
    assert "code_changed:2" in life.plan(numbered(3, source="v2")).notes
    life.attempt(numbered(3, source="v2"))
    assert "code_changed:2" in life.plan(numbered(3, source="v2")).notes
    assert "code_changed" not in "".join(life.plan(numbered(3, source="")).notes)


SCORED = {"scorers": ("includes",), "source": "v"}


def test_samples_of_another_scorer_are_named_to_be_scored_again():
    life = Life()
    one, two = {"includes": "s1"}, {"includes": "s2"}
    life.attempt(numbered(3, scorer_sources=one, **SCORED), outcome=failing("2"))
    decision = life.plan(numbered(3, scorer_sources=two, **SCORED))
    assert decision.rescore == {(1, 1), (3, 1)}
    assert "scorer_changed:2" in decision.notes
    assert life.plan(numbered(3, scorer_sources=one, **SCORED)).rescore == frozenset()
    assert life.plan(numbered(3, scorer_sources=two, **SCORED), scoring=False).rescore == set()


def test_a_complete_cell_is_left_with_the_scores_it_has_unless_they_are_mixed():
    life = Life()
    one, two = {"includes": "s1"}, {"includes": "s2"}
    log = life.attempt(numbered(3, scorer_sources=one, **SCORED))
    decision = life.plan(numbered(3, scorer_sources=two, **SCORED))
    assert decision.action == "none"
    assert "scorer_changed:3" in decision.notes
    life.change(log, 0, made=Made("v", two, {}))
    mixed = life.plan(numbered(3, scorer_sources=two, **SCORED))
    assert mixed.action == "rescore"
    assert mixed.rescore == {(2, 1), (3, 1)}


def test_without_stored_scorers_the_names_of_scores_tell():
    life = Life()
    log = life.attempt(numbered(3, scorers=("includes",)))
    assert life.plan(numbered(3, scorers=("includes",))).rescore == frozenset()
    assert len(life.plan(numbered(3, scorers=("includes", "match"))).rescore) == 3
    life.change(log, 0, scores=("includes", "match"))
    assert life.plan(numbered(3, scorers=("includes", "match"))).action == "rescore"


# --- settings ------------------------------------------------------------------------------------


def test_reuse_id_is_inspects_plain_rule():
    life = Life()
    life.attempt(task("abcd"), outcome=failing("d"))
    decision = life.plan(task("badc"), Rules(reuse="id"))
    assert runs(decision) == {(4, 1): "errored"}
    assert decision.ids == (1, 2, 3, 4)
    assert "content_unchecked:3" in decision.notes


def test_reuse_none_runs_everything():
    life = Life()
    life.attempt(numbered(3))
    assert runs(life.plan(numbered(3), Rules(reuse="none"))) == {
        (1, 1): "new", (2, 1): "new", (3, 1): "new",
    }  # fmt: skip


def test_reuse_none_keeps_what_its_own_run_has_made():
    life = Life()
    life.attempt(numbered(3))
    rules = Rules(reuse="none", since="2026-01-01T00:00:02+00:00")
    life.attempt(numbered(3), rules, failing("2"))
    assert runs(life.plan(numbered(3), rules)) == {(2, 1): "errored"}
    life.attempt(numbered(3), rules)
    assert life.plan(numbered(3), rules).action == "none"
    assert len(life.calls) == 7


def unlogged(**changes) -> LoggedLog:
    log = LoggedLog(name="log", created="2026", size=3, sample_ids=(1, 2, 3), kept_samples=False)
    return replace(log, **changes)


def test_samples_that_were_not_logged_can_not_be_reused():
    decision = decide(numbered(4), Rules(), [unlogged()])
    assert counts(decision) == (0, 0, 4)
    assert "samples_not_logged" in decision.notes


def test_a_finished_log_without_samples_that_asked_the_same_is_complete():
    decision = decide(numbered(3), Rules(), [unlogged()])
    assert decision.action == "none"
    assert counts(decision) == (3, 0, 0)
    assert decision.kept == {}
    assert decision.notes == ("samples_not_logged",)
    for other in (
        unlogged(status="error"), unlogged(epochs=2), unlogged(sample_ids=(1, 2)), unlogged(size=4),
    ):  # fmt: skip
        assert counts(decide(numbered(3), Rules(), [other])) == (0, 0, 3)
    assert counts(decide(numbered(3), Rules(reuse="none"), [unlogged()])) == (0, 0, 3)


def test_a_log_with_its_samples_goes_before_one_without():
    life = Life()
    life.attempt(numbered(3))
    decision = decide(numbered(3), Rules(), [*life.logs, unlogged(created="2027")])
    assert decision.complete_in == "log1"
    assert len(decision.kept) == 3


def test_media_that_were_not_compared_are_noted():
    log = LoggedLog(
        name="log",
        created="2026",
        samples=(
            LoggedSample(id="a", epoch=1, content="t:?:?"),
            LoggedSample(id="b", epoch=1, content="u"),
        ),
    )
    items = (Item("a", "t:m:n", media=True), Item("b", "u"))
    decision = decide(LoadedTask(1, "t.py", "t", items=items), Rules(), [log])
    assert counts(decision) == (2, 0, 0)
    assert decision.notes == ("media_unchecked:1",)
    assert [verdict.note for verdict in decision.verdicts] == ["media_unchecked", None]


def test_equal_media_are_paired_before_those_that_could_not_be_compared():
    log = LoggedLog(
        name="log",
        created="2026",
        samples=(
            LoggedSample(id=1, epoch=1, content="t:?:?"),
            LoggedSample(id=2, epoch=1, content="t:m1:?"),
            LoggedSample(id=3, epoch=1, content="t:m9:?"),
        ),
    )
    items = tuple(Item(None, f"t:m{n}:?", media=True) for n in (1, 2, 3))
    decision = decide(LoadedTask(1, "t.py", "t", items=items), Rules(), [log])
    assert decision.ids == (2, 1, 3)
    assert runs(decision) == {(3, 1): "content_changed"}


# --- automatic reruns ----------------------------------------------------------------------------


@pytest.mark.parametrize("ids", [None, (1, 2, 3, 4)])
def test_an_automatic_rerun_is_held_where_the_data_differ_at_each_load(ids):
    life = Life()
    life.attempt(task("abcd", ids), outcome=failing("4"))
    decision = life.plan(task("wxyz", ids), Rules(rerun=True))
    assert decision.action == "held"
    assert "differ at each load: 3 finished samples" in (decision.held or "")
    assert "--reuse id" in (decision.held or "")
    assert life.plan(task("wxyz", ids)).action == "run"
    assert life.plan(task("wxyz", ids), Rules(rerun=True, reuse="id")).action == "run"


def test_an_automatic_rerun_is_held_where_ids_are_made_up_at_each_load():
    life = Life()
    life.attempt(task("abc", ["u1", "u2", "u3"]), outcome=failing("c"))
    assert life.plan(task("abc", ["v1", "v2", "v3"]), Rules(rerun=True)).action == "held"


def test_an_automatic_rerun_goes_on_with_what_a_person_asked_for():
    """The edited question of an explicit run, whose first attempt died before it was answered."""
    life = Life()
    life.attempt(numbered(4))
    edited = task(["q1", "Q2", "q3", "q4"], [1, 2, 3, 4])
    life.attempt(edited, outcome=failing("Q2", state=None))
    for since in (None, "2026-01-01T00:00:02+00:00"):
        decision = life.plan(edited, Rules(rerun=True, since=since))
        assert decision.action == "run"
        assert runs(decision) == {(2, 1): "content_changed"}


def test_an_automatic_rerun_is_not_held_by_logs_from_before():
    life = Life()
    life.attempt(numbered(4))
    fresh = task(["n1", "n2"], [11, 12])
    rules = Rules(rerun=True, since="2026-01-01T00:00:09+00:00")
    assert life.plan(fresh, rules).action == "run"


def test_a_load_that_failed_blocks_with_its_reason():
    decision = decide(LoadedTask(1, "t.py", "t", error="t.py does not load: no."), Rules(), [])
    assert decision.blocked == "t.py does not load: no."
    assert decision.action == "blocked"


def test_equal_arguments_give_equal_decisions():
    life = Life()
    life.attempt(shuffled(1), Rules(epochs=2), failing("a", "b"))
    life.attempt(shuffled(2), Rules(epochs=2), clean)
    one = life.plan(shuffled(3), Rules(limit=7, epochs=3))
    assert one == decide(shuffled(3), Rules(limit=7, epochs=3), life.logs[::-1], draw=life.draw)
