"""Keys: both spellings are taken, and what may arrive by accident is known."""

import pytest
from textual.keys import _character_to_key

from evaltui.tui.keys import UNSAFE, character_name, is_unsafe, key_label, key_name


def test_every_character_has_the_name_that_textual_gives_it():
    for code in range(0x21, 0x7F):
        assert character_name(chr(code)) == _character_to_key(chr(code))


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("?", "question_mark"), ("question_mark", "question_mark"), ("G", "G"), ("j", "j"),
        ("Esc", "escape"), ("Return", "enter"), ("PgDn", "pagedown"), ("space", "space"),
        ("ctrl+D", "ctrl+d"), ("shift+ctrl+a", "ctrl+shift+a"), ("ctrl++", "ctrl+plus"),
        ("+", "plus"), ("F5", "f5"), ("shift+tab", "shift+tab"), ("é", "é"),
    ],
)  # fmt: skip
def test_keys_are_read_as_people_write_them(written, name):
    assert key_name(written) == name
    assert key_name(name) == name


@pytest.mark.parametrize("written", ["ctlr+d", "contrl+x", "spcae", "", "f99"])
def test_what_is_no_key_is_refused_with_the_way_out(written):
    with pytest.raises(ValueError, match="is no key"):
        key_name(written)


@pytest.mark.parametrize(
    ("name", "label", "plain"),
    [
        ("question_mark", "?", "?"), ("enter", "⏎", "Enter"), ("ctrl+d", "ctrl+d", "ctrl+d"),
        ("escape", "Esc", "Esc"), ("up", "↑", "Up"), ("G", "G", "G"), ("f5", "f5", "f5"),
    ],
)  # fmt: skip
def test_keys_are_shown_as_people_write_them(name, label, plain):
    assert key_label(name) == label
    assert key_label(name, ascii_only=True) == plain


def test_what_the_rest_of_an_arrow_may_be_is_unsafe():
    assert all(is_unsafe(character_name(letter)) for letter in UNSAFE)
    assert not any(is_unsafe(key) for key in ("a", "x", "E", "L", "ctrl+c", "space", "enter"))
