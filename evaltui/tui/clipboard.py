"""Copying text out of the app: to the terminal's clipboard where that works, and to a file."""

from __future__ import annotations

import base64
import contextlib
import os
import shutil
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

LARGEST = 74_000
"""Bytes that terminals are known to take in one OSC 52."""


def clipboard_path() -> Path:
    """The file that holds what was copied last."""
    import platformdirs

    return Path(platformdirs.user_state_dir("evaltui", appauthor=False)) / "copied.txt"


def copy(text: str, environ: Mapping[str, str], write: Callable[[str], None], path: Path) -> str:
    """Copy `text`; a sentence that says where it went. write: sends a sequence to the terminal.

    Inside tmux its own buffer is loaded, which hands on to the outer terminal: tmux drops OSC 52
    from its panes by default.
    """
    saved = _save(text, path)
    if environ.get("TMUX") and _load_tmux(text):
        return f"copied (and {saved})" if saved else "copied"
    data = text.encode("utf-8", "surrogateescape")
    if len(data) <= LARGEST:
        write(f"\x1b]52;c;{base64.b64encode(data).decode()}\x07")
        return "copied, if your terminal allows it" + (f" (and {saved})" if saved else "")
    return f"too long for the clipboard: {saved}" if saved else "could not be copied or saved"


def _save(text: str, path: Path) -> str | None:
    """Write the file for the user alone; how to say so, None when it could not be."""
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8", errors="surrogateescape") as file:
            file.write(text)
        return f"in {path}"
    return None


def _load_tmux(text: str) -> bool:
    tmux = shutil.which("tmux")
    if tmux is None:
        return False
    try:
        done = subprocess.run(
            [tmux, "load-buffer", "-w", "-"],
            input=text.encode("utf-8", "surrogateescape"),
            capture_output=True,
            timeout=2,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0
