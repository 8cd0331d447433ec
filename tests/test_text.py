"""Figures and foreign text on the screen: short, true, and exactly as wide as they must be."""

import math
from itertools import pairwise
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from evaltui.text import (
    ASCII,
    UNICODE,
    Glyphs,
    bar,
    choose_glyphs,
    clip,
    count,
    countdown,
    duration,
    error_gauge,
    error_sentence,
    fit,
    graphemes,
    number,
    ordinal,
    score,
    short_count,
    sparkline,
    visible,
)

BOTH = pytest.mark.parametrize("glyphs", [UNICODE, ASCII], ids=["unicode", "ascii"])
FAMILY = "👩\u200d👩\u200d👧"
FLAGS = "🇳🇴🇸🇪"

tricky = st.text(
    alphabet=st.one_of(
        st.characters(),
        st.sampled_from(
            "a \n\x1b\x07\x9b漢字한\u1161\u11a8é\u0301\u200d\u200c\ufe0f\ufe00👩👧🏽❤🇳🇴\u202e\u2066"
            "\udc80\u3000\xa0\u3164\U000e0041\U000e0100"
        ),
    )
)
widths = st.integers(-1, 30)
aligns: st.SearchStrategy[Literal["left", "right"]] = st.sampled_from(["left", "right"])
glyph_sets = st.sampled_from([UNICODE, ASCII])


class TestDuration:
    @pytest.mark.parametrize(
        ("seconds", "said"),
        [
            (0, "0s"),
            (0.4, "0s"),
            (9, "9s"),
            (59.4, "59s"),
            (59.6, "1:00"),
            (117, "1:57"),
            (599.4, "9:59"),
            (599.6, "10m"),
            (26 * 60, "26m"),
            (3569, "59m"),
            (3570, "1h00m"),
            (6120, "1h42m"),
            (86369, "23h59m"),
            (86370, "1d0h"),
            (3 * 86400 + 4 * 3600, "3d4h"),
            (100 * 86400, "100d"),
            (1e12, ">999d"),
            (-5, "0s"),
            (None, "-"),
            (math.nan, "-"),
            (math.inf, "-"),
        ],
    )
    def test_has_two_parts_at_most(self, seconds: float | None, said: str) -> None:
        assert duration(seconds) == said

    @given(st.floats(allow_nan=True, allow_infinity=True))
    def test_fits_six_cells_whatever_it_is(self, seconds: float) -> None:
        assert 1 <= len(duration(seconds)) <= 6
        assert 1 <= len(countdown(seconds)) <= 6

    @pytest.mark.parametrize(("seconds", "said"), [(0.1, "1s"), (59.1, "1:00"), (0, "0s")])
    def test_counting_down_ends_when_the_moment_is_there(self, seconds: float, said: str) -> None:
        assert countdown(seconds) == said
        assert countdown(None) == "-"


class TestNumbers:
    @pytest.mark.parametrize(
        ("value", "full", "short"),
        [
            (0, "0", "0"),
            (3411, "3,411", "3,411"),
            (9_999, "9,999", "9,999"),
            (10_000, "10,000", "10k"),
            (999_499, "999,499", "999k"),
            (999_500, "999,500", "1.0M"),
            (1_249_999, "1,249,999", "1.2M"),
            (9_949_999, "9,949,999", "9.9M"),
            (9_950_000, "9,950,000", "10M"),
            (3_400_000_000, "3,400,000,000", "3.4B"),
            (10**15, "1,000,000,000,000,000", ">999B"),
            (-12_345, "-12,345", "-12k"),
            (None, "-", "-"),
        ],
    )
    def test_are_grouped_or_short(self, value: int | None, full: str, short: str) -> None:
        assert (count(value), short_count(value)) == (full, short)

    @given(st.integers(), st.integers(0, 12))
    def test_keep_their_width_and_are_never_cut(self, value: int, width: int) -> None:
        shown = number(value, width)
        assert len(shown) == width
        assert shown.strip() in (count(value), short_count(value), "#" * width)

    def test_stand_at_the_right_and_shorten_before_they_give_up(self) -> None:
        assert [number(123456, n) for n in (9, 7, 6, 4, 3)] == [
            "  123,456",
            "123,456",
            "  123k",
            "123k",
            "###",
        ]

    @pytest.mark.parametrize(
        ("value", "said"),
        [
            (0.6041, ".604"),
            (0, ".000"),
            (-0.0001, ".000"),
            (-0.25, "-.250"),
            (0.9995, "1.00"),
            (1, "1.00"),
            (12.345, "12.3"),
            (1024.2, "1,024"),
            (None, "-"),
            (math.nan, "-"),
        ],
    )
    def test_scores_have_three_digits(self, value: float | None, said: str) -> None:
        assert score(value) == said

    def test_ordinals(self) -> None:
        said = [ordinal(n) for n in (1, 2, 3, 4, 11, 12, 13, 21, 101, 111, 1002)]
        assert " ".join(said) == "1st 2nd 3rd 4th 11th 12th 13th 21st 101st 111th 1002nd"


class TestErrors:
    def test_gauge(self) -> None:
        assert error_gauge(3, 11) == "3→11"
        assert error_gauge(3, 11, glyphs=ASCII) == "3->11"
        assert error_gauge(3, 11, at_end=True) == "3 at end"
        assert error_gauge(0, None) == "never"
        assert error_gauge(3, None) == "3→never"
        assert error_gauge(3, 11, settled=True) == "3"

    def test_sentence(self) -> None:
        assert error_sentence(2, 4) == "2 errors, fails at the 4th"
        assert error_sentence(1, 2) == "1 error, fails at the 2nd"
        assert error_sentence(4, 4) == "4 errors, failed at the 4th"
        assert error_sentence(0, None) == "0 errors, never fails"
        assert error_sentence(3, 5, at_end=True) == "3 errors, judged at the end"


class TestGlyphs:
    SIGNS = (
        "complete failed running queued rerun cancelled held changed kept new times crumb ellipsis "
        "bar_kept bar_done bar_rest"
    ).split()

    @BOTH
    def test_each_takes_one_cell(self, glyphs: Glyphs) -> None:
        signs = [getattr(glyphs, name) for name in self.SIGNS]
        assert [cell_len(sign) for sign in (*signs, *glyphs.sparks, *glyphs.bar_parts)] == [1] * (
            len(signs) + len(glyphs.sparks) + len(glyphs.bar_parts)
        )

    def test_tell_states_apart(self) -> None:
        for glyphs in (UNICODE, ASCII):
            states = [getattr(glyphs, name) for name in self.SIGNS[:7]]
            assert len(set(states)) == 7
            verdicts = [glyphs.kept, glyphs.rerun, glyphs.changed, glyphs.new]
            assert len(set(verdicts)) == 4

    def test_the_twins_are_ascii(self) -> None:
        assert all(str(getattr(ASCII, name)).isascii() for name in ASCII.__struct_fields__)

    @pytest.mark.parametrize(
        ("preference", "encoding", "term", "locale", "chosen"),
        [
            ("auto", "utf-8", "xterm-256color", "en_GB.UTF-8", UNICODE),
            ("auto", "UTF8", "tmux", None, UNICODE),
            ("auto", "utf-8", "xterm", "C.UTF-8", UNICODE),
            ("auto", "iso8859-1", "xterm", "en_GB", ASCII),
            ("auto", "ascii", "xterm", "C", ASCII),
            ("auto", None, "xterm", "en_GB.UTF-8", ASCII),
            ("auto", "nonsense", "xterm", "en_GB.UTF-8", ASCII),
            ("auto", "utf-8", "linux", "en_GB.UTF-8", ASCII),
            ("auto", "utf-8", "dumb", "en_GB.UTF-8", ASCII),
            ("auto", "utf-8", None, "en_GB.UTF-8", ASCII),
            ("auto", "utf-8", "xterm", "ja_JP.UTF-8", ASCII),
            ("auto", "utf-8", "xterm", "zh-CN", ASCII),
            ("auto", "utf-8", "xterm", "ko", ASCII),
            ("unicode", "utf-8", "linux", "ja_JP.UTF-8", UNICODE),
            ("unicode", "ascii", "xterm", "en_GB.UTF-8", ASCII),
            ("ascii", "utf-8", "xterm", "en_GB.UTF-8", ASCII),
        ],
    )
    def test_are_chosen_by_terminal_unless_the_user_has_said(
        self,
        preference: Literal["auto", "unicode", "ascii"],
        encoding: str | None,
        term: str | None,
        locale: str | None,
        chosen: Glyphs,
    ) -> None:
        found = choose_glyphs(preference, encoding=encoding, term=term, locale=locale)
        assert found is chosen


class TestBar:
    @given(st.integers(-2, 500), st.integers(-2, 500), st.integers(-2, 500), widths, glyph_sets)
    def test_is_as_wide_as_asked_and_full_only_at_the_end(
        self, kept: int, done: int, total: int, width: int, glyphs: Glyphs
    ) -> None:
        drawn = bar(kept, done, total, width, glyphs)
        assert cell_len(drawn.text) == max(width, 0)
        assert set(drawn.kept) <= {glyphs.bar_kept}
        assert set(drawn.rest) <= {glyphs.bar_rest}
        if width < 1 or total < 1:
            return
        whole = set(drawn.text) <= {glyphs.bar_kept, glyphs.bar_done}
        assert whole == (max(kept, 0) + max(done, 0) >= total)
        if width >= 3:
            assert bool(drawn.kept) == (kept > 0)
            assert bool(drawn.done) == (done > 0 and kept < total)

    def test_tells_kept_from_done(self) -> None:
        assert bar(61, 127, 500, 9) == ("▒", "██▍", "·····")
        assert bar(61, 127, 500, 9, ASCII).text == "=##......"
        assert bar(106, 0, 106, 9).text == "▒▒▒▒▒▒▒▒▒"
        assert bar(0, 41, 165, 9).text == "██▎······"
        assert bar(0, 0, 0, 4).text == "····"

    def test_shows_the_first_sample_and_lacks_the_last(self) -> None:
        assert bar(0, 1, 10_000, 5).text == "▏····"
        assert bar(0, 9_999, 10_000, 5).text == "████▉"
        assert bar(9_999, 0, 10_000, 5).text == "▒▒▒▒·"

    @given(st.integers(0, 200), st.integers(1, 200))
    def test_never_shrinks_as_work_is_done(self, kept: int, left: int) -> None:
        total = kept + left
        drawn = [bar(kept, done, total, 12) for done in range(left + 1)]
        filled = [12 - len(b.rest) for b in drawn]
        assert all(a <= b for a, b in pairwise(filled))
        assert len({b.kept for b in drawn[1:-1]}) <= 1


class TestSparkline:
    def test_scales_to_the_largest_and_keeps_the_newest(self) -> None:
        assert sparkline([0, 1, 2, 4, 8], 5) == "▁▁▂▄█"
        assert sparkline([9, 9, 1, 2], 2) == "▄█"
        assert sparkline([1, None, 1], 5) == "  █ █"
        assert sparkline([0, 0], 2) == "▁▁"
        assert sparkline([0, 4, 8], 3, ASCII) == "_-#"
        assert sparkline([], 3) == "   "

    @given(st.lists(st.none() | st.floats(allow_nan=True, allow_infinity=True)), widths, glyph_sets)
    def test_is_as_wide_as_asked(
        self, values: list[float | None], width: int, glyphs: Glyphs
    ) -> None:
        assert cell_len(sparkline(values, width, glyphs)) == max(width, 0)


class TestVisible:
    @pytest.mark.parametrize(
        ("text", "shown", "ascii_shown"),
        [
            ("\x1b[31mred", "␛[31mred", "^[[31mred"),
            ("a\nb\tc\r\x7f", "a␊b␉c␍␡", "a^Jb^Ic^M^?"),
            ("\x00\x9b", "␀<U+009B>", "^@<U+009B>"),
            ("abc\u202egpj.exe", "abc<U+202E>gpj.exe", "abc<U+202E>gpj.exe"),
            ("\u2066x\u2069\u200f\u061c", "<U+2066>x<U+2069><U+200F><U+061C>", None),
            ("a\u200bb\ufeff\xad", "a<U+200B>b<U+FEFF><U+00AD>", None),
            ("hid\U000e0041\U000e0100", "hid<U+E0041><U+E0100>", None),
            ("caf\udce9", "caf<U+DCE9>", None),
            ("line\u2028end\u2029", "line<U+2028>end<U+2029>", None),
            ("a\xa0b\u3000c", "a b  c", None),
            ("a\u200db", "a<U+200D>b", None),
            ("\u3164", "<U+3164>", None),
            ("[bold]漢字 é [/]", "[bold]漢字 é [/]", None),
            (f"{FAMILY} می\u200cخواهم ❤\ufe0f", f"{FAMILY} می\u200cخواهم ❤\ufe0f", None),
        ],
    )
    def test_shows_what_would_hide_or_act(
        self, text: str, shown: str, ascii_shown: str | None
    ) -> None:
        assert visible(text) == shown
        assert visible(text, ASCII) == (ascii_shown or shown)

    @given(tricky, glyph_sets)
    def test_leaves_nothing_to_obey_and_nothing_more_to_do(self, text: str, glyphs: Glyphs) -> None:
        shown = visible(text, glyphs)
        assert shown.replace("\u200d", "").replace("\u200c", "").isprintable()
        assert visible(shown, glyphs) == shown
        shown.encode("utf-8")

    def test_keeps_lines_when_asked(self) -> None:
        assert visible("one\ntwo\x1b\n", keep="\n") == "one\ntwo␛\n"


class TestFit:
    @given(tricky, widths, aligns, glyph_sets)
    def test_is_exactly_as_wide_as_asked(
        self, text: str, width: int, align: Literal["left", "right"], glyphs: Glyphs
    ) -> None:
        assert cell_len(fit(text, width, align, glyphs)) == max(width, 0)

    @given(tricky, widths, glyph_sets)
    def test_clips_only_what_is_too_wide(self, text: str, width: int, glyphs: Glyphs) -> None:
        clipped, shown = clip(text, width, glyphs), visible(text, glyphs)
        assert cell_len(clipped) <= max(width, 0)
        if cell_len(shown) <= width and len(text) <= 16 * width:
            assert clipped == shown
        elif width > 0:
            assert clipped.endswith(glyphs.ellipsis)

    @given(tricky, st.integers(1, 30))
    def test_cuts_between_graphemes(self, text: str, width: int) -> None:
        shown = visible(text)
        clipped = clip(text, width)
        if clipped != shown:
            ends = {0}
            for grapheme in graphemes(visible(text[: 16 * width + 16])):
                ends.add(max(ends) + len(grapheme))
            assert len(clipped) - 1 in ends

    def test_examples(self) -> None:
        assert fit("swe_verified", 8) == "swe_ver…"
        assert fit("swe_verified", 8, glyphs=ASCII) == "swe_ver~"
        assert fit("ab", 4) == "ab  "
        assert fit("ab", 4, "right") == "  ab"
        assert fit("漢字漢字", 6) == "漢字… "
        assert fit("漢字漢字", 5) == "漢字…"
        assert fit(f"{FLAGS}!", 4) == clip("🇳🇴", 4) + "… "[: 4 - cell_len("🇳🇴")]
        assert fit("e\u0301e\u0301e\u0301", 2) == "e\u0301…"
        assert fit("x", 0) == fit("x", -3) == ""

    def test_a_very_long_text_is_cut_like_any(self) -> None:
        assert fit("é" * 5_000_000, 3) == "éé…"


class TestGraphemes:
    @given(tricky)
    def test_lose_nothing(self, text: str) -> None:
        assert "".join(graphemes(text)) == text
        assert all(graphemes(text))

    @given(tricky)
    def test_are_as_wide_together_as_alone(self, text: str) -> None:
        shown = visible(text)
        assert sum(cell_len(grapheme) for grapheme in graphemes(shown)) == cell_len(shown)

    @pytest.mark.parametrize(
        ("text", "parts"),
        [
            ("ab", ["a", "b"]),
            ("e\u0301a", ["e\u0301", "a"]),
            (f"{FAMILY}x", [FAMILY, "x"]),
            (f"x{FLAGS}", ["x", "🇳🇴", "🇸🇪"]),
            ("👍🏽❤\ufe0f", ["👍🏽", "❤\ufe0f"]),
            ("\u1112\u1161\u11ab\u1100", ["\u1112\u1161\u11ab", "\u1100"]),
            ("नि!", ["नि", "!"]),
        ],
    )
    def test_hold_together_what_is_one_sign(self, text: str, parts: list[str]) -> None:
        assert list(graphemes(text)) == parts
