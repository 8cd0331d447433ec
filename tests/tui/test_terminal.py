"""What the terminal can do, read off the environment; and the sequences for it."""

import asyncio
import gc
import os
import signal

import pytest

from evaltui.settings import Settings
from evaltui.tui import terminal
from evaltui.tui.terminal import manners

XTERM = {"TERM": "xterm-256color", "LANG": "en_GB.UTF-8"}


@pytest.mark.parametrize(
    ("environ", "depth"),
    [
        ({"NO_COLOR": "1", "COLORTERM": "truecolor"}, "none"),
        ({"NO_COLOR": "", "TERM": "xterm-256color"}, "rgb"),
        ({"TERM": "xterm", "COLORTERM": "truecolor"}, "rgb"),
        ({"TERM": "screen-256color"}, "rgb"),
        ({"TERM": "xterm-kitty"}, "rgb"),
        ({"TERM": "xterm"}, "ansi"),
        ({"TERM": "linux"}, "ansi"),
        ({}, "ansi"),
    ],
)
def test_colours_are_those_of_the_terminal(environ, depth):
    assert terminal.colour_depth(environ) == depth


@pytest.mark.parametrize(
    ("wanted", "environ", "theme"),
    [
        ("auto", XTERM, "dark"),
        ("auto", {**XTERM, "COLORFGBG": "0;15"}, "light"),
        ("auto", {**XTERM, "COLORFGBG": "15;default;0"}, "dark"),
        ("auto", {"TERM": "linux"}, "ansi"),
        ("light", {"TERM": "linux"}, "light"),
        ("mine", XTERM, "mine"),
        ("light", {**XTERM, "NO_COLOR": "1"}, "mono"),
    ],
)
def test_the_theme_is_the_wish_where_the_terminal_can(wanted, environ, theme):
    assert terminal.theme_name(wanted, environ) == theme


@pytest.mark.parametrize(
    ("environ", "encoding", "ascii_only"),
    [
        (XTERM, "utf-8", False),
        (XTERM, "UTF8", False),
        (XTERM, "iso8859-1", True),
        ({**XTERM, "TERM": "linux"}, "utf-8", True),
        ({**XTERM, "LC_ALL": "ja_JP.UTF-8"}, "utf-8", True),
        ({**XTERM, "LANG": "ja_JP.UTF-8", "LC_CTYPE": "en_US.UTF-8"}, "utf-8", False),
        ({"TERM": "xterm"}, "utf-8", False),
    ],
)
def test_glyphs_are_those_that_take_one_cell(environ, encoding, ascii_only):
    assert manners(Settings(), environ, encoding).ascii_only is ascii_only
    assert manners(Settings(glyphs="ascii"), environ, encoding).ascii_only is True
    able = encoding != "iso8859-1"
    assert manners(Settings(glyphs="unicode"), environ, encoding).ascii_only is not able


def test_the_mouse_is_off_over_ssh_unless_asked_for():
    far = {**XTERM, "SSH_CONNECTION": "10.0.0.1 22 10.0.0.2 22"}
    assert manners(Settings(), XTERM, "utf-8").mouse is True
    assert manners(Settings(), far, "utf-8").mouse is False
    assert manners(Settings(mouse="on"), far, "utf-8").mouse is True
    assert manners(Settings(mouse="off"), XTERM, "utf-8").mouse is False


def test_progress_goes_only_where_it_is_understood():
    assert manners(Settings(), {**XTERM, "WT_SESSION": "x"}, "utf-8").progress is True
    assert manners(Settings(), {**XTERM, "TERM_PROGRAM": "ghostty"}, "utf-8").progress is True
    assert manners(Settings(), XTERM, "utf-8").progress is False
    assert manners(Settings(progress="on"), XTERM, "utf-8").progress is True
    inside = {**XTERM, "WT_SESSION": "x", "TMUX": "/tmp/t,1,0"}
    assert manners(Settings(), inside, "utf-8").progress is False


@pytest.mark.parametrize(
    ("term", "erases"),
    [("xterm-256color", True), ("tmux-256color", True), ("screen.xterm", False), ("vt100", False)],
)
def test_blanks_are_erased_where_that_leaves_their_ground(term, erases):
    assert terminal.erases_with_ground({"TERM": term}) is erases


@pytest.fixture
def collecting():
    yield
    gc.enable()


@pytest.mark.usefixtures("collecting")
def test_escape_waits_longer_over_ssh_and_what_the_user_set_stays():
    environ = {"SSH_TTY": "/dev/pts/1"}
    terminal.prepare(environ)
    assert environ["ESCDELAY"] == "250"
    environ = {"SSH_TTY": "/dev/pts/1", "ESCDELAY": "50"}
    terminal.prepare(environ)
    assert environ["ESCDELAY"] == "50"
    environ = {}
    terminal.prepare(environ)
    assert "ESCDELAY" not in environ


@pytest.mark.parametrize(
    ("environ", "stdin", "stderr", "why"),
    [
        (XTERM, True, True, None),
        (XTERM, False, True, "stdin is not a terminal"),
        (XTERM, True, False, "stderr is not a terminal"),
        ({"TERM": "dumb"}, True, True, "TERM is dumb"),
        ({}, True, True, "TERM is not set"),
    ],
)
def test_where_no_screen_can_be_drawn_it_is_said_why(environ, stdin, stderr, why):
    assert terminal.why_no_screen(environ, stdin=stdin, stderr=stderr) == why


def test_a_text_cannot_end_the_sequence_it_stands_in():
    for sequence in (
        terminal.title_sequence("a\x07b\x1b]0;x"),
        terminal.notify_sequence("a\x07b\x1b\\c", tmux=False),
    ):
        assert sequence.count("\x07") == 1
        assert sequence.endswith("\x07")
        assert sequence.count("\x1b") == 1


def test_tmux_hands_a_notification_on():
    assert terminal.notify_sequence("done", tmux=True) == "\x1bPtmux;\x1b\x1b]9;done\x07\x1b\\"


@pytest.mark.parametrize(
    ("share", "state", "sequence"),
    [
        (None, "run", "4;0;0"),
        (0.254, "run", "4;1;25"),
        (7, "error", "4;2;100"),
        (-1, "wait", "4;4;0"),
    ],
)
def test_progress_is_a_share_in_percent(share, state, sequence):
    assert terminal.progress_sequence(share, state) == f"\x1b]9;{sequence}\x07"


@pytest.mark.parametrize("number", list(terminal.SIGNALS))
async def test_a_signal_asks_to_leave_with_its_code(number):
    left: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    before = signal.getsignal(number)
    undo = terminal.leave_on_signals(asyncio.get_running_loop(), left.set_result)
    try:
        os.kill(os.getpid(), number)
        assert await asyncio.wait_for(left, 5) == terminal.SIGNALS[number]
    finally:
        undo()
        signal.signal(number, before)
