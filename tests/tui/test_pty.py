"""In a real terminal: it is left as it was found, and little is sent to it."""

import os
import random
import re
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.tui.terminals import Terminal, sample

pytestmark = pytest.mark.timeout(120)


@contextmanager
def running(**how) -> Iterator[Terminal]:
    terminal = sample(**how)
    try:
        yield terminal
    finally:
        terminal.close()


@pytest.mark.parametrize(
    ("number", "code"),
    [(signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGQUIT, 131), (signal.SIGINT, 130)],
)
def test_a_signal_ends_it_and_the_terminal_is_restored(number, code):
    with running() as terminal:
        os.kill(terminal.pid, number)
        assert terminal.end() == code
        assert terminal.restored


def test_q_leaves_and_the_terminal_is_restored():
    with running() as terminal:
        terminal.type(b"q")
        assert terminal.end() == 0
        assert terminal.restored
        assert b"\x1b]2;sample\x07" in terminal.sent
        assert b"\x1b[?1004h" not in terminal.sent
        assert terminal.sent.count(b"\x1b[22;2t") == terminal.sent.count(b"\x1b[23;2t") == 1


@pytest.mark.parametrize("blocked", [(), (signal.SIGHUP,)], ids=["hang-up", "no signal"])
def test_it_ends_when_the_terminal_goes_away(blocked):
    with running(blocked=blocked) as terminal:
        terminal.hang_up()
        assert terminal.end() == 129


def test_bytes_that_are_no_keys_do_nothing():
    with running() as terminal:
        noise = random.Random(4)
        for _ in range(20):
            terminal.type(bytes(noise.choices([0xFF, 0xFE, 0x80, 0xC3, 0xE2, 0xF0, 0x00], k=50)))
            terminal.type(b"\x1b[999;999;999~\x1b[?1;2c\x1b[<9;9;9M\x1b]11;rgb:0/0/0\x1b\\ \x1b ")
            terminal.read(0.02)
        for _ in range(3):
            time.sleep(0.3)
            terminal.type(b"\x1b")
            terminal.read(0.3)
        terminal.type(b"jj")
        terminal.settle()
        terminal.type(b"q")
        assert terminal.end() == 0
        assert terminal.restored


def test_a_character_that_comes_in_halves_is_one():
    with running() as terminal:
        terminal.type(b"/")
        for byte in "日é".encode():
            terminal.type(bytes([byte]))
            terminal.read(0.2)
        terminal.wait_for("日")
        terminal.wait_for("é")


def test_an_arrow_whose_letters_come_late_changes_nothing():
    with running() as terminal:
        for letter in b"ABCDFHO[]":
            terminal.type(b"\x1b")
            terminal.read(0.2)
            terminal.type(bytes([letter]))
            terminal.read(0.1)
        assert "?  y yes" not in terminal.text
        assert "swe_bench_" in terminal.text


def test_thirty_resizes_a_second():
    with running() as terminal:
        for turn in range(60):
            terminal.resize(40 + turn % 50, 10 + turn % 20)
            terminal.read(1 / 30)
        terminal.resize(80, 24)
        terminal.settle()
        terminal.type(b"\x0c")
        terminal.settle()
        lines = terminal.text.splitlines()
        assert lines[0].startswith("┏━ 2 Cells ━")
        assert lines[2].startswith("┃›▸ swe_bench_000")
        assert lines[-1].rstrip().endswith("? help")
        terminal.type(b"q")
        assert terminal.end() == 0


@pytest.mark.parametrize("size", [(59, 15), (20, 6), (5, 3), (2, 1)])
def test_it_lives_in_a_window_of_any_size(size):
    with running() as terminal:
        terminal.resize(*size)
        terminal.settle()
        terminal.type(b"jjG?")
        terminal.settle()
        terminal.type(b"\x1b")
        terminal.read(0.4)
        terminal.type(b"q")
        assert terminal.end() == 0
        assert terminal.restored


def test_suspended_it_gives_the_terminal_back_and_returns_whole():
    with running() as terminal:
        before = terminal.text
        terminal.type(b"\x1a")
        terminal.wait_for(lambda: b"\x1b[?1049l" in terminal.sent)
        assert os.waitpid(terminal.pid, os.WUNTRACED)[1] & 0xFF == 0x7F
        terminal.settle()
        assert terminal.restored
        terminal.screen.reset()
        os.kill(terminal.pid, signal.SIGCONT)
        terminal.wait_for("? help")
        terminal.settle()
        assert terminal.text == before


def test_without_colour_no_colour_is_sent():
    with running(environ={"NO_COLOR": "1"}) as terminal:
        terminal.type(b"jjk?")
        terminal.wait_for("Help")
        terminal.settle()
        parameters = {
            part
            for sgr in re.findall(rb"\x1b\[([\d;]*)m", terminal.sent)
            for part in sgr.decode().split(";")
        }
        assert parameters <= {"", "0", "1", "3", "4", "7", "22", "23", "24", "27"}


def test_sixteen_colours_are_the_terminals_own():
    with running(environ={"TERM": "xterm", "COLORTERM": ""}) as terminal:
        terminal.type(b"jj")
        terminal.settle()
        assert b"38;" not in terminal.sent
        assert b"\x1b[36m" in terminal.sent or b";36m" in terminal.sent


def test_nothing_is_sent_while_nothing_happens():
    with running() as terminal:
        assert terminal.read(2.5) == b""


def test_a_step_of_the_cursor_costs_little():
    with running(size=(75, 24)) as terminal:
        before = len(terminal.sent)
        for _ in range(8):
            terminal.type(b"j")
            terminal.settle()
        assert terminal.text.splitlines()[10].startswith("┃›")
        assert (len(terminal.sent) - before) / 8 <= 450


def test_opening_a_dialog_costs_less_than_the_screen():
    with running(size=(120, 35)) as terminal:
        before = len(terminal.sent)
        terminal.type(b"?")
        terminal.wait_for("Help")
        terminal.settle()
        assert len(terminal.sent) - before <= 12_000
        before = len(terminal.sent)
        terminal.type(b"\x1b")
        terminal.settle()
        assert "Help" not in terminal.text
        assert len(terminal.sent) - before <= 12_000


def test_what_is_on_the_screen_is_what_was_meant():
    with running(size=(80, 24), rows=60) as terminal:
        for keys in (b"jjjjj", b"\x04\x04", b"G", b"kkk  ", b"v", b"kkk", b"g", b"/err>2\r"):
            terminal.type(keys)
            terminal.settle()
        sent_in_parts = terminal.text
        terminal.screen.reset()
        terminal.type(b"\x0c")
        terminal.settle()
        assert terminal.text == sent_in_parts


def test_a_crash_says_one_line_and_keeps_keys_out_of_it(tmp_path):
    environ = {"TMPDIR": str(tmp_path), "OPENAI_API_KEY": "sk-secret-in-the-environment"}
    with running(environ=environ, size=(120, 24)) as terminal:
        terminal.type(b"e")
        assert terminal.end() == 1
        assert terminal.restored
        after = terminal.sent.rpartition(b"\x1b[?1004l")[2].decode()
        report = next(tmp_path.glob("evaltui-crash-*.txt"))
        said = " ".join(after.split())
        assert "evaltui: a defect of its own ended it: 'RuntimeError: a defect of" in said
        assert f"(details:{report})" in "".join(after.split())  # a long path is wrapped
        assert report.stat().st_mode & 0o777 == 0o600
        details = report.read_text()
        assert "do_set_epochs" in details
        assert "sk-secret" not in details
        assert "local_secret" not in after
