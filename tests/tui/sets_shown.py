"""A real finished set for the screens, made once for a test run, and a small app over its view."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from textual.message import Message
from textual.pilot import Pilot
from textual.screen import Screen

from evaltui import themes
from evaltui.logs.archive import Archive
from evaltui.logs.reading import read_log
from evaltui.tui.action_table import ACTIONS
from evaltui.tui.actions import Situation, keymap
from evaltui.tui.shell import Shell, ShellScreen
from evaltui.tui.view import View
from tests.sets import Scratch, scratch
from tests.tui.frames import manners, watch_tokens

MODELS = ("mockllm/alpha", "mockllm/beta")


def make_set(folder: Path) -> None:
    """Two tasks on two models, four of six samples each; of `counted` one of the four errored.

    It lies there as another tool would have left it: no journal, and logs with plain names.
    """
    cases = scratch(folder)
    cases.fail(2)
    result = cases.evaltui(
        "run", "logs", "counted.py", "--model", ",".join(MODELS), "--limit", "4",
        "--fail-on-error", "0.5",
    )  # fmt: skip
    assert result.returncode == 0, result.stderr + result.stdout
    private = cases.logs / ".evaltui"
    for each in ("attempts", "commands", "journal.jsonl", "loads", "trash", "engine.log"):
        path = private / each
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
    for path in cases.logs.glob("*.eval"):
        _say_the_same_figures(path)
        path.rename(path.with_name(_plain_name(path)))
    spec = cases.logs / "evalset.toml"
    spec.write_text(re.sub(r"limit = .*\n", "", spec.read_text()))


def _plain_name(path: Path) -> str:
    """A name that says which cell it is of and nothing of when it was made."""
    header = read_log(path).header
    assert header is not None
    return f"{header.task}_{header.model.partition('/')[2]}.eval"


def _say_the_same_figures(path: Path) -> None:
    """Times that no machine's speed is in, and tokens, which these tasks use none of."""
    written = path.with_suffix(".new")
    usage = {"input_tokens": 900, "output_tokens": 340, "total_tokens": 1240}
    with Archive(path) as old, zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as new:
        for name, member in old.members().items():
            content = old.read(member)
            if name == "summaries.json":
                rows = json.loads(content)
                for row in rows:
                    row |= {"total_time": 12.0, "model_usage": {"mockllm/model": usage}}
                content = json.dumps(rows).encode()
            new.writestr(name, content)
    written.replace(path)


def opened(cases: Scratch, log_dir: Path | None = None) -> View:
    """Its view, everything read, and reading on. log_dir: as the user would have named it."""
    view = View(log_dir or cases.logs, cases.folder)
    view.turn()
    while view.turn() or view.picture.rests != "samples":
        pass
    view.open()
    return view


class ShownApp(Shell):
    """Shows one screen over an empty one, and keeps what it returned."""

    def __init__(self, view: View, screen: Screen[Any], look: str = "dark") -> None:
        wanted = manners(look)
        super().__init__(themes.load(wanted.theme), keymap(ACTIONS)[0], wanted)
        self.view = view
        self.shown = screen
        self.returned: list[Any] = []
        watch_tokens(self)

    def get_default_screen(self) -> ShellScreen:
        return ShellScreen()

    class Changed(Message):
        """The view has another picture."""

    def on_mount(self) -> None:
        self.push_screen(self.shown, self.returned.append)
        self.view.tell(lambda: self.post_message(self.Changed()))
        self.call_after_refresh(self.show_now)

    def on_shown_app_changed(self, _: Changed) -> None:
        self.show_now()

    def show_now(self) -> None:
        show = getattr(self.shown, "show", None)
        if show is not None and self.shown.is_mounted:
            show(self.view.picture, 0.0)

    def situation(self) -> Situation:
        return Situation(cells={"idle": 4}, rows=4, row=True, running_rows=4)

    def on_unmount(self) -> None:
        self.view.hand_over()  # ends its reading, and the launcher of loads
        super().on_unmount()


async def until(pilot: Pilot[Any], holds: Callable[[], object], seconds: float = 20) -> None:
    """Let the app go on until something holds."""
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, f"did not happen: {holds}"
        await pilot.pause()
        await asyncio.sleep(0.01)
    await pilot.pause()
