"""What is sent to the terminal: the least that makes the same picture."""

import pyte
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaltui.tui.damage import Pen, Picture, step

RED, BOLD_RED, GROUND = "31", "1;31", "38;2;1;2;3;48;2;9;9;9"


def at(x: int, y: int, text: str, sgr: str = "") -> str:
    """A piece of a frame as Textual writes it."""
    return (
        f"\x1b[{y + 1};{x + 1}H\x1b[{sgr}m{text}\x1b[0m" if sgr else f"\x1b[{y + 1};{x + 1}H{text}"
    )


def shown(*sent: str) -> list[list[tuple]]:
    """What a terminal shows after all that: text and looks of each cell, blanks without colour."""
    screen = pyte.Screen(20, 4)
    stream = pyte.Stream(screen)
    for each in sent:
        stream.feed(each)
    return [
        [
            (cell.data, cell.data != " " and cell.fg, cell.bg, cell.data != " " and cell.bold,
             cell.data != " " and cell.italics, cell.underscore, cell.reverse)
            for cell in (screen.buffer[y][x] for x in range(20))
        ]
        for y in range(4)
    ]  # fmt: skip


def test_a_frame_that_changes_nothing_sends_nothing():
    picture = Picture()
    frame = at(0, 0, "hello", RED) + "\n" + at(0, 1, "world")
    assert picture.reduce(frame)
    assert picture.reduce(frame) == ""


def test_a_digit_that_changes_is_all_that_is_sent():
    picture = Picture()
    picture.reduce(at(0, 0, "  188/500", RED))
    assert picture.reduce(at(0, 0, "  189/500", RED)) == "\x1b[1;5H\x1b[31m9\x1b[m"


def test_cells_that_are_near_are_sent_again_rather_than_moved_over():
    picture = Picture()
    picture.reduce(at(0, 0, "a1b2c3"))
    assert picture.reduce(at(0, 0, "a9b8c7")) == "\x1b[1;2H9b8c7"


def test_a_style_that_goes_on_is_not_said_again():
    picture = Picture()
    frame = at(0, 0, "a", RED) + f"\x1b[{RED}mb\x1b[0m" + f"\x1b[{BOLD_RED}mc\x1b[0m"
    assert picture.reduce(frame) == "\x1b[1;1H\x1b[31mab\x1b[1mc\x1b[m"


def test_the_colour_of_a_blank_is_not_said_but_its_ground_is():
    picture = Picture()
    sent = picture.reduce(at(0, 0, "a", RED) + "\x1b[32m   \x1b[0m\x1b[33;44m \x1b[0m")
    assert sent == "\x1b[1;1H\x1b[31ma   \x1b[44m \x1b[m"


def test_a_colour_of_the_palette_goes_by_its_number():
    sent = Picture().reduce(at(0, 0, "x", "1;38;2;95;175;255;48;2;17;21;26"))
    assert sent == "\x1b[1;1H\x1b[1;38;5;75;48;2;17;21;26mx\x1b[m"
    assert "38;2;0;0;95" in Picture().reduce(at(0, 0, "x", "38;2;0;0;95"))


def test_after_a_wide_character_the_place_is_said_again():
    picture = Picture()
    assert picture.reduce(at(0, 0, "日x")) == "\x1b[1;1H日\x1b[1;3Hx"
    assert picture.reduce(at(0, 0, "日y")) == "\x1b[1;3Hy"
    assert picture.reduce(at(0, 0, "ab")) == "\x1b[1;1Hab"


def test_a_mark_joins_the_letter_before_it():
    picture = Picture()
    picture.reduce(at(0, 0, "e") + "\x1b[31m\u0301x\x1b[0m")
    assert picture.reduce(at(0, 0, "e") + "\x1b[31mx\x1b[0m") == "\x1b[1;1He"


ROW = "name" + 12 * " " + "12" + 9 * " "


def test_long_blanks_are_erased_in_one_go_and_moved_over():
    sent = Picture().reduce(at(0, 0, ROW, "48;5;23"))
    assert sent == "\x1b[1;1H\x1b[48;5;23m\x1b[27Xname\x1b[12C12\x1b[m"


def test_where_what_is_erased_takes_no_ground_all_blanks_are_sent():
    sent = Picture(erases=False).reduce(at(0, 0, ROW, "48;5;23"))
    assert sent == f"\x1b[1;1H\x1b[48;5;23m{ROW}\x1b[m"


@pytest.mark.parametrize("sgr", ["4;48;5;23", "7;31"])
def test_blanks_that_show_a_line_or_are_reversed_are_not_erased(sgr):
    assert ROW in Picture().reduce(at(0, 0, ROW, sgr))


def test_blanks_that_are_there_already_do_not_part_what_is_sent():
    picture = Picture()
    picture.reduce(at(0, 0, "one two  more", RED))
    assert picture.reduce(at(0, 0, 13 * " ")) == "\x1b[1;1H\x1b[13X"


def test_what_is_forgotten_is_sent_again():
    picture = Picture()
    frame = at(0, 0, "hello")
    picture.reduce(frame)
    picture.forget()
    assert picture.reduce(frame) == "\x1b[1;1Hhello"


@pytest.mark.parametrize(
    "frame",
    [
        "\x1b[1;1Ha\x1b]8;;x\x1b\\b",
        "\x1b[1;1Ha\x07",
        "\x1b[1;1H\x1b[4:3mx",
        "\x1b[1;1H\x1b[58;5;1mx",
    ],
)
def test_what_is_not_understood_passes_as_it_is(frame):
    picture = Picture()
    picture.reduce(at(0, 0, "a"))
    assert picture.reduce(frame) == frame
    assert picture.reduce(at(0, 0, "a")) == "\x1b[1;1Ha"


SGRS = st.sampled_from(
    [
        "",
        RED,
        BOLD_RED,
        "2;31",
        "1;2",
        "3;4",
        "7;31",
        GROUND,
        "48;5;3",
        "44",
        "1;44",
        "38;2;95;175;255",
        "48;2;18;18;18;38;2;255;255;95",
    ]
)
SHORT = st.text("ab 日é", min_size=1, max_size=4)
LONG = st.sampled_from(["        ", "       a", "a       "])
PIECES = st.tuples(st.integers(0, 12), st.integers(0, 3), SHORT | LONG, SGRS)


@given(st.lists(st.lists(PIECES, min_size=1, max_size=6), min_size=1, max_size=5), st.booleans())
def test_the_picture_is_the_same_as_if_all_had_been_sent(frames, erases):
    # A wide character cut in half by another piece looks different in every terminal.
    whole = ["".join(at(*piece) for piece in frame if "日" not in piece[2]) for frame in frames]
    picture = Picture(erases=erases)
    sent = [picture.reduce(frame) for frame in whole]
    assert shown(*sent) == shown(*whole)
    assert sum(map(len, sent)) <= sum(map(len, whole)) + 8 * len(whole)


@given(SGRS, SGRS, SGRS)
def test_a_step_from_one_pen_to_another_arrives_there(first, second, third):
    pieces = [at(x, 0, "x", sgr) for x, sgr in enumerate((first, second, third))]
    picture = Picture()
    assert shown(picture.reduce("".join(pieces))) == shown("".join(pieces))


def test_no_step_leads_from_a_pen_to_itself():
    pen = Pen(frozenset({"1"}), "31", "")
    assert step(pen, pen) == ""
    assert step(pen, Pen()) == "\x1b[m"
    assert step(Pen(frozenset({"1", "2"}), "", ""), Pen(frozenset({"2"}), "", "")) in (
        "\x1b[0;2m",
        "\x1b[22;2m",
    )
