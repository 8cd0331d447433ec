"""The `evaltui` command: hands its words to the front door, and says in a sentence what failed."""

from __future__ import annotations

import gc
import sys
from collections.abc import Sequence
from pathlib import Path

from evaltui.commands.names import COMMANDS

INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> None:
    """Carry out a line and end the process with the exit code that DESIGN names.

    Nothing that is imported until there is a command is garbage, so that none is looked for.
    """
    gc.disable()
    words = sys.argv[1:] if arguments is None else list(arguments)
    if sys.stdout is not None and hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        _open_directory(words)
        from evaltui.commands.front_door import front_door

        front_door.main(args=words, prog_name="evaltui")
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(1)
    except Exception as error:
        code, said = _in_a_sentence(error)
        print(said, file=sys.stderr)
        sys.exit(code)


def _open_directory(words: Sequence[str]) -> None:
    """Open the set of `evaltui LOG_DIR`, the line of every day, without a parser.

    Ends the process then. Any other line, or one with anything odd about it, is left to `open`.
    """
    if len(words) != 1 or words[0] in COMMANDS or words[0].startswith(("-", "~")):
        return
    if not words[0].isprintable() or any(odd in words[0] for odd in ("://", ".py", ".ipynb")):
        return
    if not Path(words[0]).is_dir():
        return
    from evaltui.commands.screen import show_set, why_no_screen

    if why_no_screen() is None:
        sys.exit(show_set(Path(words[0])))


def _in_a_sentence(error: Exception) -> tuple[int, str]:
    """(exit code, one line) for what no command dealt with; details of a defect go to a file."""
    from evaltui.engine.detach import DetachError
    from evaltui.engine.launcher import LaunchError
    from evaltui.engine.lock import HeldError
    from evaltui.logs.archive import LogError
    from evaltui.logs.files import trouble
    from evaltui.spec import SpecError
    from evaltui.text import visible

    codes: dict[type[Exception], int] = {
        HeldError: 4, SpecError: 2, LogError: 2, DetachError: 1, LaunchError: 1
    }  # fmt: skip
    for kind, code in codes.items():
        if isinstance(error, kind):
            return code, f"evaltui: {visible(str(error))}"
    if isinstance(error, OSError) and error.strerror:
        odd = isinstance(error, IsADirectoryError | NotADirectoryError)
        return 2 if odd else 1, f"evaltui: {visible(trouble(error))}"
    from evaltui.tui.crash import report

    return 1, report(error)
