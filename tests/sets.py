"""Real sets in scratch folders for tests: the trial tasks, their call record, and the commands."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

CASES = Path(__file__).parent / "cases"


@dataclass(frozen=True)
class Scratch:
    """A folder with the trial tasks in it; every sample call of theirs leaves a line."""

    folder: Path

    @property
    def state(self) -> Path:
        return self.folder / "state"

    @property
    def logs(self) -> Path:
        return self.folder / "logs"

    def environment(self, **more: str) -> dict[str, str]:
        # COLUMNS and LINES, which a parallel run of the tests sets, stand above a terminal's size
        not_ours = ("INSPECT_", "EVALTUI_", "COLUMNS", "LINES")
        kept = {k: v for k, v in os.environ.items() if not k.startswith(not_ours)}
        return kept | {
            "CASES_STATE": str(self.state),
            "XDG_CACHE_HOME": str(self.folder / "cache"),
            "XDG_DATA_HOME": str(self.folder / "data"),
            "XDG_CONFIG_HOME": str(self.folder / "config"),
            "PYTHONWARNINGS": "default",
            **more,
        }

    def tell_workers(self) -> None:
        """Leave our variables where workers find them that a server shared by all tests starts."""
        names = ("CASES_STATE", "XDG_DATA_HOME", "XDG_CACHE_HOME")
        ours = [f"{name}={value}" for name, value in self.environment().items() if name in names]
        (self.folder / ".env").write_text("\n".join([*ours, ""]))

    def evaltui(
        self, *words: str, timeout: float = 120, env: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "evaltui", *words],
            cwd=self.folder,
            env=self.environment(**(env or {})),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=timeout,
        )

    def start(self, *words: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "evaltui", *words],
            cwd=self.folder,
            env=self.environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def eval_set(self, *words: str, timeout: float = 120) -> subprocess.CompletedProcess[str]:
        """Inspect's own `eval-set`, without a screen."""
        command = "from inspect_ai._cli.main import main; main()"
        return subprocess.run(
            [sys.executable, "-c", command, "eval-set", *words, "--display", "none"],
            cwd=self.folder,
            env=self.environment(INSPECT_DISPLAY="none"),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=timeout,
        )

    def start_eval_set(self, *words: str) -> subprocess.Popen[str]:
        """Inspect's own `eval-set`, left running in a session of its own."""
        command = "from inspect_ai._cli.main import main; main()"
        return subprocess.Popen(
            [sys.executable, "-c", command, "eval-set", *words, "--display", "none"],
            cwd=self.folder,
            env=self.environment(INSPECT_DISPLAY="none"),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def calls(self) -> list[list[str]]:
        """One `[pid, id or question, epoch, model]` for every sample call so far."""
        path = self.state / "calls"
        return [line.split() for line in path.read_text().splitlines()] if path.exists() else []

    def forget_calls(self) -> None:
        (self.state / "calls").unlink(missing_ok=True)

    def fail(self, *ids: object) -> None:
        """From now on these ids (or questions) raise."""
        (self.state / "fail").write_text(" ".join(str(each) for each in ids))

    def log_names(self) -> list[str]:
        return sorted(path.name for path in self.logs.glob("*.eval"))

    def plan(self, *words: str) -> Any:
        result = self.evaltui("plan", "logs", "--json", *words)
        assert result.returncode == 0, result.stderr
        return json.loads(result.stdout)

    def status(self) -> Any:
        result = self.evaltui("status", "logs", "--json")
        return json.loads(result.stdout)


def scratch(folder: Path) -> Scratch:
    for path in CASES.glob("*.py"):
        shutil.copy(path, folder)
    made = Scratch(folder)
    made.state.mkdir()
    return made


def wait_until(holds: Callable[[], object], seconds: float = 60, what: str = "") -> None:
    """Wait for real processes to get somewhere; raises after `seconds`."""
    deadline = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > deadline:
            raise AssertionError(f"did not happen within {seconds} s: {what or holds}")
        time.sleep(0.05)


def interrupt(process: subprocess.Popen[str], how: signal.Signals = signal.SIGINT) -> None:
    os.kill(process.pid, how)
