"""What the screen sends over the line: nothing at rest, little for a key, little while it runs."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.sets import Scratch, wait_until
from tests.tui.terminals import Terminal
from tests.tui.test_whole_set import opened, start

pytestmark = [pytest.mark.slow, pytest.mark.timeout(180)]


@contextmanager
def at_rest(cases: Scratch) -> Iterator[Terminal]:
    with opened(cases) as terminal:
        terminal.wait_for("keep")
        terminal.settle()
        terminal.read(3)  # the samples of the cell under the cursor are read once it rests
        yield terminal


def bytes_of(terminal: Terminal, keys: bytes) -> int:
    before = len(terminal.sent)
    terminal.type(keys)
    terminal.wait_for(lambda: len(terminal.sent) > before)
    terminal.settle()
    return len(terminal.sent) - before


def test_nothing_is_sent_while_nothing_can_change(shown: Scratch):
    with at_rest(shown) as terminal:
        assert terminal.read(4) == b""


def test_a_step_and_a_dialog_cost_little(shown: Scratch):
    with at_rest(shown) as terminal:
        steps = [bytes_of(terminal, key) for key in (b"j", b"j", b"k", b"k")]
        # the step itself, and the inspector's words about another cell
        assert max(steps) <= 700, steps
        assert bytes_of(terminal, b"?") <= 25_000
        assert bytes_of(terminal, b"\x1b") <= 25_000
        assert bytes_of(terminal, b"\r") <= 25_000


@pytest.mark.parametrize(("key", "word"), [(b"p", "what it says"), (b"m", "95%")])
def test_a_step_in_the_plan_or_the_results_costs_little(shown: Scratch, key: bytes, word: str):
    with at_rest(shown) as terminal:
        terminal.type(key)
        terminal.wait_for(word)
        terminal.settle()
        steps = [bytes_of(terminal, step) for step in (b"j", b"k", b"j", b"k")]
        assert max(steps) <= 500, steps


def test_a_running_set_sends_less_than_four_kilobytes_a_second(cases: Scratch):
    models = ",".join(f"mockllm/m{n}" for n in range(6))
    words = ("counted.py", "--model", models, "-T", "n=40", "-T", "sleep=0.3", "--max-tasks", "12")
    with opened(cases, *words, "--max-samples", "1") as terminal:
        start(terminal)
        wait_until(lambda: len({call[3] for call in cases.calls()}) == 6, 120, "all lanes")
        terminal.read(2)
        sent = sum(len(terminal.read(1)) for _ in range(6))
        assert sent / 6 <= 4000
        terminal.type(b"X")
        terminal.wait_for("Stop the set")
        terminal.type(b"y")
        wait_until(lambda: cases.status()["engine"] is None, 120, "the set to stop")
        terminal.wait_for("cancelled")
        terminal.type(b"q")
        assert terminal.end(30) == 0
