"""The table of actions and what is read off it."""

import re
from pathlib import Path

import pytest

from evaltui.tui.action_table import ACTION_IDS, ACTIONS
from evaltui.tui.actions import Place, Risk, Situation, hints, keymap, keys_document, offers
from evaltui.tui.keys import is_unsafe, key_name

KEYS, PROBLEMS = keymap(ACTIONS)
DOCUMENT = Path(__file__).parents[2] / "docs" / "keys.md"


def off(action: str, situation: Situation) -> str | None:
    return KEYS[action].enabled(situation)


def test_nothing_that_changes_the_set_is_on_a_key_that_may_arrive_by_accident():
    assert [a.id for a in ACTIONS if a.changes and any(map(is_unsafe, a.keys))] == []


def test_what_costs_or_ends_something_never_acts_at_once():
    harmless = {"cell.hold"}
    assert {a.id for a in ACTIONS if a.changes and a.risk is Risk.ACT} == harmless


def test_ids_are_unique_and_keys_have_their_names():
    assert len(ACTION_IDS) == len(ACTIONS)
    assert PROBLEMS == ()
    for action in ACTIONS:
        assert action.keys == tuple(map(key_name, action.keys))
        assert re.fullmatch(r"[a-z]+(\.[a-z0-9_]+)?", action.id)
        assert action.help.endswith(".")
        assert 1 <= len(action.title.split()) <= 4


@pytest.mark.parametrize("place", list(Place))
def test_no_key_means_two_things_in_one_place(place):
    own = [key for action in ACTIONS if place in action.places for key in action.keys]
    assert len(own) == len(set(own))


@pytest.mark.parametrize(
    ("key", "place", "action"),
    [
        ("x", Place.CELLS, "cell.cancel"), ("x", Place.TASKS, None),
        ("s", Place.LANES, "set.resume"),
        ("space", Place.TASKS, "task.toggle"), ("space", Place.CELLS, "list.mark"),
        ("enter", Place.TASKS, "task.arguments"), ("enter", Place.CELLS, "open"),
        ("h", Place.LANES, "cell.hold"), ("escape", Place.CELLS, "back"),
        ("escape", Place.FIELD, "field.leave"), ("q", Place.FIELD, None),
        ("slash", Place.PLAN, "list.filter"),
        ("ctrl+p", Place.RESULTS, "view.palette"), ("n", Place.INSPECTOR, "go.next_run"),
    ],
)  # fmt: skip
def test_what_a_key_does_depends_on_the_place(key, place, action):
    found = KEYS.find(key, place)
    assert (found.id if found else None) == action


def test_a_place_lists_its_own_actions_first_and_none_whose_key_it_has_taken():
    ids = [action.id for action in KEYS.at(Place.TASKS)]
    assert ids.index("task.toggle") < ids.index("set.resume")
    assert "list.mark" not in ids
    assert [action.id for action in KEYS.at(Place.FIELD)] == ["field.accept", "field.leave"]
    assert "set.resume" not in [action.id for action in KEYS.at(Place.CHOICE)]


def test_the_users_keys_replace_the_default_ones():
    keys, problems = keymap(ACTIONS, {"set.resume": ["R", "F5"], "view.plan": []})
    assert problems == ()
    assert keys["set.resume"].keys == ("R", "f5")
    assert keys["view.plan"].keys == ()
    assert keys.find("s", Place.CELLS) is None


def test_a_users_key_is_taken_from_whoever_had_it():
    keys, problems = keymap(ACTIONS, {"set.resume": ["a"]})
    assert problems == ()
    assert keys.find("a", Place.CELLS) is keys["set.resume"]
    assert keys["set.add_model"].keys == ()


@pytest.mark.parametrize(
    ("chosen", "says"),
    [
        ({"cell.cancel": ["D"]}, "'D' can arrive by accident over a slow line"),
        ({"cell.cancel": ["["]}, "nothing that changes the set may be on it"),
        ({"cell.cancel": ["ctlr+x"]}, "'ctlr+x' is no key"),
        (
            {"set.resume": ["R"], "set.epochs": ["R"]},
            "[keys] set.epochs: 'R' is already set.resume",
        ),
    ],
)
def test_a_wrong_wish_is_named_and_the_default_stays(chosen, says):
    keys, problems = keymap(ACTIONS, chosen)
    assert len(problems) == 1
    assert says in problems[0]
    wrong = re.match(r"\[keys\] ([a-z._]+)", problems[0])
    assert wrong is not None
    assert keys[wrong[1]].keys == KEYS[wrong[1]].keys


def test_an_action_that_reads_may_be_on_any_key():
    keys, problems = keymap(ACTIONS, {"view.plan": ["D"]})
    assert problems == ()
    assert keys.find("D", Place.CELLS) is keys["view.plan"]


RUNNING = Situation("here", {"running": 2, "queued": 1}, {"running": 1}, rows=3, row=True)
DONE = Situation("none", {"complete": 3}, {"complete": 1}, rows=3, row=True)
FAILED = Situation("none", {"failed": 1, "complete": 1}, {"failed": 1}, rows=2, row=True)
WAITING = Situation("here", {"waiting": 1}, {"waiting": 1}, rows=1, row=True)
EMPTY = Situation()


@pytest.mark.parametrize(
    ("action", "situation", "reason"),
    [
        ("set.resume", EMPTY, "no cells yet: add a task and a model"),
        ("set.resume", RUNNING, "the set is running"),
        ("set.resume", DONE, "every cell is complete"),
        ("set.resume", FAILED, None),
        ("cell.cancel", RUNNING, None),
        ("cell.cancel", DONE, "not running"),
        ("cell.cancel", EMPTY, "no cell here"),
        ("cell.retry", FAILED, None),
        ("cell.retry", WAITING, None),
        ("cell.retry", RUNNING, "nothing failed here"),
        ("cell.retry", DONE, "complete; E runs its errored samples again"),
        ("cell.retry", EMPTY, "no cell here"),
        ("cell.drop", WAITING, None),
        ("cell.drop", RUNNING, "no retry is due here"),
        ("cell.hold", RUNNING, None),
        ("cell.hold", DONE, "complete"),
        ("cell.hold", EMPTY, "no cell or lane here"),
        ("cell.hold", Situation(lane_cells=2), None),
        ("cell.errored", DONE, "no errored samples were kept here"),
        ("cell.errored", Situation(targets_errored=1), None),
        ("set.undo", DONE, "no log was moved to the trash"),
        ("set.undo", Situation(trashed=1), None),
        ("set.epochs", Situation(frozen="the spec is broken"), "the spec is broken"),
        ("set.epochs", DONE, None),
        ("open", EMPTY, "no row here"),
        ("list.sort", EMPTY, "the list is empty"),
        ("go.next_run", DONE, "no sample here is to be run"),
        ("view.plan", EMPTY, "no cells yet: add a task and a model"),
        ("app.leave", EMPTY, None),
    ],
)
def test_an_action_that_is_off_says_why(action, situation, reason):
    assert off(action, situation) == reason


def test_what_asks_for_one_cell_previews_for_many():
    cancel = KEYS["cell.cancel"]
    assert cancel.weigh(RUNNING) is Risk.ASK
    assert cancel.weigh(Situation(targets={"running": 2})) is Risk.PREVIEW
    assert KEYS["cell.hold"].weigh(Situation(targets={"running": 2})) is Risk.ACT


def test_the_hint_bar_is_that_of_the_drawing_and_keeps_what_is_off():
    shown = hints(KEYS, Place.CELLS, RUNNING, ascii_only=False)
    assert " ".join(f"{offer.key} {offer.action.title}" for offer in shown) == (
        "⏎ open i inspect a add model e epochs s resume r retry x cancel h hold"
        " / filter : commands ? help"
    )
    assert {offer.key: offer.off for offer in shown}["s"] == "the set is running"
    assert hints(KEYS, Place.CELLS, RUNNING, ascii_only=True)[0].key == "Enter"


def test_an_action_without_a_key_is_offered_without_one():
    theme = [KEYS["view.theme"]]
    assert offers(theme, EMPTY, ascii_only=False)[0].key == ""


def test_the_document_of_keys_is_what_the_table_says():
    assert DOCUMENT.read_text(encoding="utf-8") == keys_document(KEYS), (
        "docs/keys.md is made from the table: python -m evaltui.tui.actions > docs/keys.md"
    )
