"""Why a worker can't do what it is asked to, in one sentence, whatever was raised for it."""

from __future__ import annotations

import contextlib
import re
import traceback
from pathlib import Path
from typing import Any

LONGEST = 400


class Blocked(Exception):
    """A person has to act first; `str()` is one sentence that says on what."""


class Refused(Exception):
    """The order itself can't be carried out; `str()` is one sentence."""


class Replan(Exception):
    """What was loaded is not what the plan saw; nothing was called."""


class HeldBack(Exception):
    """The data differ at each load, so a rerun would pay again; `str()` says so with a way out."""


def sentence(error: BaseException) -> str:
    """An exception as people should read it: its type and message on one line."""
    name = type(error).__name__
    if name == "PrerequisiteError":
        return _of_inspect(getattr(error, "message", "")) or name
    message = one_line(str(error.msg if isinstance(error, SyntaxError) else error))
    return f"{name}: {message}" if message else name


def _of_inspect(message: Any) -> str:
    """Inspect writes its own messages for its console: in markup, under the word ERROR."""
    from rich.text import Text

    text = str(message)
    with contextlib.suppress(Exception):  # brackets that are no markup: the text is as it is
        text = Text.from_markup(text).plain
    return one_line(re.sub(r"^\s*ERROR:?\s*", "", text))


def one_line(text: str) -> str:
    """Text of any length and shape as one line of at most `LONGEST` characters."""
    text = " ".join(text.split())
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def place_in(path: Path, error: BaseException) -> str:
    """` (line 12)` where the error comes from that line of the file, else nothing."""
    if isinstance(error, SyntaxError) and error.lineno:
        return f" (line {error.lineno})"
    lines = [
        frame.lineno
        for frame in traceback.extract_tb(error.__traceback__)
        if Path(frame.filename).name == path.name
        and Path(frame.filename).resolve() == path.resolve()
    ]
    return f" (line {lines[-1]})" if lines else ""
