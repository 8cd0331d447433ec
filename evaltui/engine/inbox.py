"""The inbox of a set: commands to whoever holds its lock, one JSON file each.

Anybody who can write the directory may send; only the engine takes them out. What came of a
command stands in the journal under its id.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Literal

import msgspec

from evaltui.engine.clock import Clock
from evaltui.logs.files import read_lines, write_atomic
from evaltui.logs.journal import Command, CommandName, CommandTaken, Entry
from evaltui.logs.layout import Layout

VERSION = 1


def send(
    layout: Layout,
    command: CommandName,
    cells: Iterable[str] = (),
    scope: Literal["cell", "lane", "set"] = "cell",
    arguments: Mapping[str, Any] | None = None,
) -> Command:
    """Put a command into the inbox; it is on the disk when this returns. Raises OSError."""
    id = f"{time.time_ns():020d}-{os.getpid()}-{os.urandom(3).hex()}"
    made = Command(VERSION, id, command, tuple(cells), scope, arguments or {})
    write_atomic(layout.commands / f"{id}.json", msgspec.json.encode(made))
    return made


def waiting(layout: Layout) -> list[tuple[Path, Command | None]]:
    """The commands in the inbox, oldest first; None stands for a file that is no command."""
    try:
        with os.scandir(layout.commands) as entries:
            names = sorted(entry.name for entry in entries if entry.is_file())
    except (FileNotFoundError, NotADirectoryError):
        return []
    found = []
    for name in names:
        if name.endswith(".json") and not name.startswith("."):
            path = layout.commands / name
            found.append((path, _read(path)))
    return found


def _read(path: Path) -> Command | None:
    try:
        command = msgspec.json.decode(path.read_bytes(), type=Command)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return None
    return command if command.version <= VERSION else None


def remove(path: Path) -> None:
    """Take a command out of the inbox."""
    with contextlib.suppress(FileNotFoundError):
        path.unlink()


def outcome(layout: Layout, command: Command, clock: Clock, seconds: float) -> CommandTaken | None:
    """What the engine made of `command`; None when it has said nothing for `seconds`."""
    until = clock.now() + seconds
    never = threading.Event()
    offset = 0
    entries: list[Entry]
    while True:
        entries, offset = read_lines(layout.journal, Entry, offset)
        for entry in entries:
            if isinstance(entry, CommandTaken) and entry.id == command.id:
                return entry
        if clock.now() >= until:
            return None
        clock.sleep(0.05, never)
