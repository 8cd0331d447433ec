"""The screen as a person uses it, in a terminal, on a set that really runs."""

import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from evaltui.engine.tail import Tail
from evaltui.logs.layout import Layout
from tests.sets import Scratch, wait_until
from tests.tui.shells import Shell, shell
from tests.tui.terminals import Terminal

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

RIGHT, ENTER, ESCAPE = b"\x1b[C", b"\r", b"\x1b"


@contextmanager
def opened(cases: Scratch, *words: str, size: tuple[int, int] = (120, 35)) -> Iterator[Terminal]:
    """`evaltui logs …` in a terminal, its first rows drawn."""
    terminal = Terminal(
        "env", "-C", str(cases.folder), sys.executable, "-m", "evaltui", "logs", *words,
        size=size, environ=cases.environment(),
    )  # fmt: skip
    try:
        terminal.wait_for("? help", 60)
        terminal.wait_for(" of ", 60)
        yield terminal
    finally:
        terminal.close()


def type_command(terminal: Shell, words: str) -> None:
    """Type `evaltui …` in a shell; its first rows are drawn then."""
    terminal.type(f"{sys.executable} -m evaltui {words}".encode() + ENTER)
    terminal.wait_for("? help", 60)
    terminal.wait_for(" of ", 60)


def start(terminal: Shell) -> None:
    """Resume behind the plan: the safe choice has the focus, the other is one step away."""
    terminal.type(b"s")
    terminal.wait_for("Run what is left")
    terminal.wait_for("› Not now")
    terminal.wait_for("checked: this is what runs", 60)
    terminal.type(RIGHT)
    terminal.wait_for("› Run")
    terminal.type(ENTER)
    terminal.wait_for("running here", 60)


def row(terminal: Shell, model: str) -> str:
    """The row of the cells that names this model."""
    lines = [line[:80] for line in terminal.text.splitlines() if line.startswith("┃")]
    return next((line for line in lines if model in line), "")


def test_a_set_is_started_changed_while_it_runs_left_and_found_again_complete(cases: Scratch):
    words = "counted.py@counted --model mockllm/alpha -T n=20 -T sleep=0.6 --max-samples 1"
    with shell(cases.folder, (120, 35), cases.environment()) as terminal:
        type_command(terminal, f"logs {words}")
        terminal.wait_for("idle")
        assert cases.calls() == []
        start(terminal)
        wait_until(lambda: len(cases.calls()) >= 1, what="a first sample")

        terminal.type(b"a")
        terminal.wait_for("Add model")
        terminal.type(b"mockllm/beta" + ENTER)
        terminal.wait_for("y yes")
        terminal.type(b"y")
        terminal.wait_for(lambda: bool(row(terminal, "mockllm/beta")))

        terminal.type(b"e")
        terminal.wait_for("how often each sample")
        terminal.type(b"\x15" + b"2")
        terminal.wait_for("--epochs 2")
        terminal.type(ENTER)
        terminal.wait_for("y yes")
        terminal.type(b"y")
        terminal.wait_for("epochs 2")

        terminal.wait_for(lambda: "▸" in row(terminal, "mockllm/beta"), 60)
        wait_until(lambda: any(call[3] == "mockllm/beta" for call in cases.calls()))
        terminal.type(b"j")
        terminal.wait_for(lambda: "›▸" in row(terminal, "mockllm/beta"))
        terminal.type(b"x")
        terminal.wait_for("Running samples finish")
        terminal.type(b"y")
        terminal.wait_for(lambda: "⊘" in row(terminal, "mockllm/beta"), 60)

        terminal.type(b"r")
        terminal.wait_for("again now?")
        terminal.type(b"y")
        terminal.wait_for(lambda: "⊘" not in row(terminal, "mockllm/beta"), 60)
        terminal.type(b"q")
        terminal.wait_for("The set runs on without the screen", 30)
        terminal.type(b"code=$?; clear; echo left $code" + ENTER)
        terminal.wait_for("left 0")

        type_command(terminal, "logs")
        terminal.wait_for("✓ complete", 120)
        terminal.wait_for("2/2 cells")
        terminal.type(b"q")
        terminal.wait_for("left 0", 30)  # what stood there before

    calls = Counter((call[3], call[1], call[2]) for call in cases.calls())
    assert set(calls.values()) == {1}, calls
    assert len(calls) == 2 * 20 * 2
    assert cases.status()["state"] == "complete"


def test_when_the_line_drops_the_set_ends_by_itself(cases: Scratch):
    words = ("counted.py", "--model", "mockllm/alpha,mockllm/beta", "--max-tasks", "1",
             "-T", "sleep=0.6", "--max-samples", "1")  # fmt: skip
    with opened(cases, *words) as terminal:
        terminal.wait_for("4 of 4")
        start(terminal)
        wait_until(lambda: len(cases.calls()) >= 1, what="a first sample")
        state = Tail(Layout(cases.logs)).poll()
        statuses = Counter(cell.status for cell in state.cells.values())
        assert statuses == {"running": 1, "queued": 3}
        terminal.hang_up()
        assert terminal.end(30) == 129
    wait_until(lambda: cases.status()["state"] == "complete", 120, "the set to end by itself")
    calls = Counter((call[1], call[2], call[3]) for call in cases.calls())
    assert len(calls) == 24
    assert set(calls.values()) == {1}


def test_a_second_terminal_looks_on_and_commands(cases: Scratch):
    words = ("counted.py@counted", "--model", "mockllm/alpha", "-T", "n=30", "-T", "sleep=0.3",
             "--max-samples", "1")  # fmt: skip
    with opened(cases, *words) as first:
        start(first)
        wait_until(lambda: len(cases.calls()) >= 1, what="a first sample")
        with opened(cases) as second:
            second.wait_for(f"running, pid {first.pid} on ")
            second.type(b"x")
            second.wait_for("Running samples finish")
            second.type(b"y")
            second.wait_for("finishes what it runs")
            first.wait_for(lambda: "⊘" in row(first, "mockllm/alpha"), 60)
            second.wait_for(lambda: "⊘" in row(second, "mockllm/alpha"), 60)
            second.type(b"q")
            assert second.end(30) == 0
            assert "runs on" not in second.text
        first.type(b"q")
        assert first.end(30) == 0
    assert 0 < len(cases.calls()) < 30


def test_without_a_terminal_it_prints_how_the_set_stands(cases: Scratch):
    made = cases.evaltui("logs", "counted.py@counted", "--model", "mockllm/alpha")
    assert made.returncode == 0, made.stderr
    assert "counted" in made.stdout
    assert "\x1b" not in made.stdout
    assert (cases.logs / "evalset.toml").exists()
    assert cases.calls() == []
    nothing = cases.evaltui("elsewhere")
    assert nothing.returncode == 2
    assert "does not exist" in nothing.stderr


STARTED = """
import asyncio, sys
from pathlib import Path
from evaltui import themes
from evaltui.settings import Settings
from evaltui.tui import terminal
from evaltui.tui.action_table import ACTIONS
from evaltui.tui.actions import keymap
from evaltui.tui.app import SetApp
from evaltui.tui.view import View

async def main():
    view = View(Path(sys.argv[1]))
    view.open()
    manners = terminal.manners(Settings(), {}, "utf-8")
    app = SetApp(view, themes.load("dark"), keymap(ACTIONS)[0], manners)
    async with app.run_test(size=(120, 35)) as pilot:
        while view.picture.rests != "samples":
            await pilot.pause(0.05)
        await pilot.press("1", "2", "j", "enter", "escape", "p", "escape", "a", "escape")
        app.exit()
    view.close()

asyncio.run(main())
print(*{name.split(".")[0] for name in sys.modules})
"""


def test_the_app_loads_neither_inspect_nor_scipy(shown: Scratch):
    ran = subprocess.run(
        [sys.executable, "-c", STARTED, str(shown.logs)],
        capture_output=True,
        text=True,
        cwd=shown.folder,
        env=shown.environment(),
        check=True,
    )
    loaded = set(ran.stdout.split())
    assert "textual" in loaded
    assert not loaded & {"inspect_ai", "scipy", "numpy", "pydantic"}
