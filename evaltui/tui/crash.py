"""A crash of the app: one line for the user, the details in a file that only they can read.

Names no local variable: API keys live there. Prints nothing itself.
"""

from __future__ import annotations

import os
import platform
import tempfile
import traceback
from importlib import metadata
from pathlib import Path


def report(error: BaseException) -> str:
    """Write the details of `error` to a file of mode 0600; the line to show."""
    what = "".join(traceback.format_exception_only(error)).strip().splitlines()
    line = f"evaltui: a defect of its own ended it: {what[-1][:300] if what else error!r}"
    try:
        path = _write(error)
    except OSError as why:
        return f"{line} (details could not be written: {why.strerror})"
    return f"{line} (details: {path})"


def _write(error: BaseException) -> Path:
    details = traceback.TracebackException.from_exception(error, capture_locals=False)
    versions = [f"{name} {metadata.version(name)}" for name in ("evaltui", "textual")]
    text = f"{', '.join(versions)}, Python {platform.python_version()}, {platform.platform()}\n\n"
    descriptor, name = tempfile.mkstemp(prefix="evaltui-crash-", suffix=".txt")
    with os.fdopen(descriptor, "w", encoding="utf-8", errors="backslashreplace") as file:
        file.write(text + "".join(details.format()))
    return Path(name)
