"""Editing a line of text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaltui.tui.edit import Edit

KEYS = (
    "left", "right", "home", "end", "ctrl+left", "ctrl+right", "backspace", "delete", "ctrl+w",
    "ctrl+u", "ctrl+k", "alt+b", "alt+f",
)  # fmt: skip


def pressed(text: str, keys: str) -> str:
    """The text after some keys, the cursor shown as `|`."""
    edit = Edit.at_end(text)
    for key in keys.split():
        after = edit.press(key)
        assert after is not None
        edit = after
    return edit.text[: edit.cursor] + "|" + edit.text[edit.cursor :]


@pytest.mark.parametrize(
    ("text", "keys", "shown"),
    [
        ("abc", "", "abc|"),
        ("abc", "left left", "a|bc"),
        ("abc", "home", "|abc"),
        ("abc", "home right right right right", "abc|"),
        ("abc", "left backspace", "a|c"),
        ("abc", "home backspace", "|abc"),
        ("abc", "home delete", "|bc"),
        ("abc", "delete", "abc|"),
        ("model:a b", "ctrl+left", "model:a |b"),
        ("model:a b", "ctrl+left ctrl+left ctrl+left", "|model:a b"),
        ("model:a b", "home ctrl+right", "model|:a b"),
        ("one two", "ctrl+w", "one |"),
        ("one two", "ctrl+w ctrl+w", "|"),
        ("one two", "left left ctrl+u", "|wo"),
        ("one two", "left left ctrl+k", "one t|"),
        ("xe\u0301", "left", "x|e\u0301"),
        ("xe\u0301", "backspace", "x|"),
        ("日本", "left", "日|本"),
    ],
)
def test_keys_edit_as_in_a_shell(text, keys, shown):
    assert pressed(text, keys) == shown


def test_other_keys_edit_nothing():
    assert Edit("abc").press("down") is None
    assert Edit("abc").press("f5") is None


def test_of_a_pasted_text_the_first_line_is_taken():
    assert Edit("ad", 1).insert("bc\nrm -rf") == Edit("abcd", 3)


def test_a_completion_stands_in_place_of_what_was_begun():
    assert Edit("a mo b", 4).replace(2, 4, "model:") == Edit("a model: b", 8)


@given(st.text("ab é日\u0301\x1b", max_size=12), st.lists(st.sampled_from(KEYS)), st.integers(2, 9))
def test_the_cursor_is_always_in_sight_and_never_outside_the_text(text, keys, width):
    edit, first = Edit.at_end(text), 0
    for key in keys:
        edit = edit.press(key) or edit
        assert 0 <= edit.cursor <= len(edit.text)
        view = edit.view(width, first)
        first = view.first
        used = sum(piece.width for piece in view.pieces)
        assert used <= width
        if edit.cursor == len(edit.text):
            assert used < width
        else:
            assert edit.cursor in [piece.start for piece in view.pieces]


def test_a_wide_window_shows_the_text_from_its_start():
    view = Edit.at_end("abc").view(10, 0)
    assert [piece.shown for piece in view.pieces] == ["a", "b", "c"]
    assert [piece.shown for piece in Edit.at_end("a\x1bb").view(10, 0).pieces] == ["a", "␛", "b"]
