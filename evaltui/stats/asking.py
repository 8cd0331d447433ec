"""A report of a log directory's scores, asked of a short-lived process.

For the app and for `status`: scipy and numpy are loaded there, never here.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import msgspec

from evaltui.stats.document import Report


class AskingError(Exception):
    """There is no report, and why in a sentence."""


def command(log_dir: Path, logs: Iterable[str] = (), rollups: Iterable[str] = ()) -> list[str]:
    """The command line of the process; its stdout is for `read`.

    logs: names of the logs that the plan has taken for their cells'.
    """
    words = [*(("--log", name) for name in logs), *(("--rollup", rule) for rule in rollups)]
    pairs = [word for pair in words for word in pair]
    return [sys.executable, "-P", "-m", "evaltui.stats.report", str(log_dir), *pairs]


def read(document: bytes) -> Report:
    """What the process printed. Raises AskingError."""
    try:
        return msgspec.json.decode(document, type=Report)
    except msgspec.MsgspecError as error:
        raise AskingError(f"The scores can't be read: {error}.") from None


def ask(log_dir: Path, logs: Iterable[str] = (), *, seconds: float = 120) -> Report:
    """Start the process, wait for it, and read its report. Raises AskingError."""
    try:
        done = subprocess.run(
            command(log_dir, logs),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=seconds,
        )
    except subprocess.TimeoutExpired:
        raise AskingError(f"The scores of {log_dir} took more than {seconds:g} s.") from None
    except OSError as error:
        raise AskingError(f"The scores can't be computed: {error.strerror or error}.") from None
    if done.returncode != 0:
        said = done.stderr.decode(errors="backslashreplace").strip().splitlines()
        raise AskingError(said[-1] if said else f"The scores of {log_dir} can't be computed.")
    return read(done.stdout)
