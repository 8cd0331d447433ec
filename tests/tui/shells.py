"""A shell to type into, as a person has it: in tmux where that is installed, else in a pty."""

import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from tests.tui.terminals import NEVER, XTERM, Terminal

SHELL = ("sh", "-i")


class Shell(Protocol):
    """What is typed goes to the shell, or to what runs in it; `text` is what the screen shows."""

    @property
    def text(self) -> str: ...

    def type(self, keys: bytes) -> None: ...

    def wait_for(self, there: str | Callable[[], bool], seconds: float = 20) -> None: ...


class Tmux:
    """A shell in a tmux server of its own, with no client attached."""

    def __init__(self, folder: Path, size: tuple[int, int], environ: Mapping[str, str]) -> None:
        self._socket = folder / "tmux"
        kept = {name: value for name, value in os.environ.items() if name not in NEVER}
        self._environ = {**kept, **XTERM, **environ}
        columns, rows = map(str, size)
        self._tmux("new-session", "-d", "-x", columns, "-y", rows, "-c", str(folder), *SHELL)

    @property
    def text(self) -> str:
        return self._tmux("capture-pane", "-p")

    def type(self, keys: bytes) -> None:
        self._tmux("send-keys", "-H", *(f"{byte:02x}" for byte in keys))

    def wait_for(self, there: str | Callable[[], bool], seconds: float = 20) -> None:
        until = time.monotonic() + seconds
        while not (there() if callable(there) else there in self.text):
            assert time.monotonic() < until, f"never came: {there}\n{self.text}"
            time.sleep(0.05)

    def close(self) -> None:
        self._tmux("kill-server")

    def _tmux(self, *words: str) -> str:
        ran = subprocess.run(
            ["tmux", "-u", "-f", "/dev/null", "-S", str(self._socket), *words],
            env=self._environ,
            capture_output=True,
            text=True,
            check=True,
        )
        return ran.stdout


@contextmanager
def shell(folder: Path, size: tuple[int, int], environ: Mapping[str, str]) -> Iterator[Shell]:
    """A shell in `folder`, its prompt `$ ` shown."""
    environ = {**environ, "PS1": "$ "}
    made: Tmux | Terminal
    if shutil.which("tmux"):
        made = Tmux(folder, size, environ)
    else:
        made = Terminal("env", "-C", str(folder), *SHELL, size=size, environ=environ)
    try:
        made.wait_for("$")
        yield made
    finally:
        made.close()
