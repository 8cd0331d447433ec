"""Text is data: nothing in it moves the cursor, and it takes exactly the cells it is given."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from evaltui.tui.runs import cell, clean, cut, fit, joined

ANY_TEXT = st.text(
    st.one_of(
        st.characters(exclude_categories=()),
        st.sampled_from("\x1b\x00\r\n\t\x7f\x9b日本語é\u0301\u202e\u200d\ufe0f👩🏽‍💻[/]"),
    ),
    max_size=40,
)


@pytest.mark.parametrize(
    ("text", "shown", "ascii_only"),
    [
        ("plain [/] [@click=app.quit]x[/]", "plain [/] [@click=app.quit]x[/]", "same"),
        ("\x1b[31mred\x1b[0m", "␛[31mred␛[0m", "^[[31mred^[[0m"),
        ("a\tb\nc\r\x00\x7f", "a␉b␊c␍␀␡", "a^Ib^Jc^M^@^?"),
        ("\x9b31m", "<U+009B>31m", "same"),
        ("\u202eabc\u2066", "<U+202E>abc<U+2066>", "same"),
        ("a\u00a0b\u3000c", "a b  c", "same"),
        ("bad \udce9", "bad <U+DCE9>", "same"),
        ("\u0301x", "◌\u0301x", "o\u0301x"),
        ("日本 naïve", "日本 naïve", "same"),
        ("👩\u200d💻", "👩\u200d💻", "same"),
    ],
)
def test_what_a_terminal_would_obey_is_made_visible(text, shown, ascii_only):
    assert clean(text) == shown
    assert clean(text, True) == (shown if ascii_only == "same" else ascii_only)


@pytest.mark.parametrize(
    ("text", "width", "shown"),
    [
        ("abcdef", 6, "abcdef"),
        ("abcdef", 4, "abc…"),
        ("abcdef", 1, "…"),
        ("abcdef", 0, ""),
        ("ab", 4, "ab  "),
        ("日本語", 6, "日本語"),
        ("日本語", 5, "日本…"),
        ("日本語", 4, "日… "),
        ("e\u0301e\u0301e\u0301", 3, "e\u0301e\u0301e\u0301"),
        ("e\u0301e\u0301e\u0301", 2, "e\u0301…"),
    ],
)
def test_text_is_cut_and_padded_by_cells(text, width, shown):
    assert joined(fit(cell(text), width)) == shown


def test_numbers_stand_at_the_right_and_keep_their_token():
    assert fit(cell("12", "fail"), 4, "right") == [("  ", "text"), ("12", "fail")]


def test_the_cut_keeps_the_token_of_what_it_cuts():
    runs = (("▒▒", "kept"), ("██", "done"), ("··", "muted"))
    assert fit(runs, 4) == [("▒▒", "kept"), ("█", "done"), ("…", "done")]
    assert fit(runs, 4, ascii_only=True)[-1] == ("~", "done")


def test_a_short_text_is_left_as_it_is_by_cut():
    assert cut("abc", 5) == "abc"
    assert cut("abc\x1b", 3) == "ab…"


@given(ANY_TEXT, st.booleans())
def test_no_text_keeps_a_character_that_does_something(text, ascii_only):
    for character in clean(text, ascii_only):
        assert unicodedata.category(character) not in ("Cc", "Cs", "Zl", "Zp", "Co", "Cn")
        assert character.isprintable() or character in "\u200c\u200d"
    assert clean(clean(text)) == clean(text)


@given(ANY_TEXT, ANY_TEXT, st.integers(0, 40), st.sampled_from(["left", "right"]))
def test_what_is_fitted_takes_exactly_its_width(first, second, width, align):
    assert cell_len(joined(fit(((first, "a"), (second, "b")), width, align))) == width
