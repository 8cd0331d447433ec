"""Pictures of the screens, from a real run of the demo set: SVG, and PNG where rsvg-convert is.

    python screenshots/make.py

The set runs while the first pictures are taken. Nothing is drawn that the run did not bring about.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from evaltui import settings, themes
from evaltui.commands.demo import make_demo_set
from evaltui.tui import terminal
from evaltui.tui.action_table import ACTIONS
from evaltui.tui.actions import keymap
from evaltui.tui.app import SetApp
from evaltui.tui.view import View

HERE = Path(__file__).parent
WIDE, NARROW = (120, 35), (80, 24)


def made(view: View, theme: str, environ: dict[str, str]) -> SetApp:
    manners = terminal.manners(settings.Settings(theme=theme), environ, "utf-8")
    return SetApp(view, themes.load(manners.theme), keymap(ACTIONS)[0], manners)


async def until(pilot: Any, holds: Callable[[], bool], seconds: float = 90) -> None:
    for _ in range(int(seconds / 0.2)):
        if holds():
            return
        await pilot.pause(0.2)
    raise TimeoutError(str(holds))


def keep(app: SetApp, name: str) -> None:
    app.title = "evaltui"
    path = Path(app.save_screenshot(filename=f"{name}.svg", path=str(HERE)))
    path.write_text(path.read_text().replace("<text ", '<text xml:space="preserve" '))
    converter = shutil.which("rsvg-convert")
    if converter:
        subprocess.run([converter, "-o", str(path.with_suffix(".png")), str(path)], check=True)
    print(path.name)


async def running(view: View) -> None:
    app = made(view, "dark", {"TERM": "xterm-256color", "COLORTERM": "truecolor"})
    async with app.run_test(size=WIDE) as pilot:
        view.start()
        state = lambda: view.picture.state  # noqa: E731
        await until(pilot, lambda: any(c.status == "waiting" for c in state().cells.values()))
        await pilot.pause(1.5)
        keep(app, "running")
        await until(pilot, lambda: state().status == "complete", 180)
        await pilot.pause(2)


async def finished(view: View, theme: str, size: tuple[int, int], shots: dict[str, str]) -> None:
    """shots: name of the picture -> keys that lead there from the main screen, comma separated."""
    environ = {"TERM": "xterm-256color", "COLORTERM": "truecolor"}
    app = made(view, theme, environ | ({"NO_COLOR": "1"} if theme == "mono" else {}))
    async with app.run_test(size=size) as pilot:
        await until(pilot, lambda: view.picture.ready)
        await pilot.pause(3)
        for name, keys in shots.items():
            pressed = [key for key in keys.split(",") if key]
            await pilot.press(*pressed)
            await pilot.pause(6 if name.startswith(("results", "plan")) else 2)
            keep(app, name)
            await pilot.press("escape")
            await pilot.pause(1)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        log_dir = Path("logs-run-42")
        make_demo_set(log_dir)
        view = View(log_dir)
        view.open()
        asyncio.run(running(view))
        shots = {"finished": "", "cell": "down,enter", "plan": "p", "results": "m", "help": "?",
                 "add-model": "a", "epochs": "e"}  # fmt: skip
        asyncio.run(finished(view, "dark", WIDE, shots))
        asyncio.run(finished(view, "light", WIDE, {"finished-light": ""}))
        asyncio.run(finished(view, "mono", NARROW, {"finished-narrow-no-color": ""}))
        view.hand_over()


if __name__ == "__main__":
    main()
