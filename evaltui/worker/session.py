"""What makes a process a worker: its own session, streams, signals, directory and environment.

Nothing here knows what the worker is to do.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from pathlib import Path
from types import FrameType
from typing import TextIO

from evaltui.worker.failures import Refused

SECONDS_TO_END = 15.0
"""How long a worker that was told to terminate may take to flush its finished samples."""


def lead_own_session(output: Path) -> None:
    """Leave the starter's session; read nothing, write everything to `output`."""
    with contextlib.suppress(PermissionError):  # raised where it leads one already
        os.setsid()
    nothing = os.open(os.devnull, os.O_RDONLY)
    written = os.open(output, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
    for source, standard in ((nothing, 0), (written, 1), (written, 2)):
        os.dup2(source, standard)
    for opened in {nothing, written} - {0, 1, 2}:
        os.close(opened)
    for stream in (sys.stdout, sys.stderr):
        _write_at_once(stream)


def _write_at_once(stream: TextIO) -> None:
    reconfigure = getattr(stream, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(line_buffering=True, encoding="utf-8", errors="backslashreplace")


def heed_signals() -> None:
    """SIGINT cancels, even where the starter ignored it; SIGTERM does too and soon ends it all."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, _terminate)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT, signal.SIGTERM})


def _terminate(_number: int, _frame: FrameType | None) -> None:
    # a solver that never yields would hold up the end for ever: it ends without a last word then
    end = threading.Timer(SECONDS_TO_END, os._exit, (128 + signal.SIGTERM,))
    end.daemon = True
    end.start()
    signal.raise_signal(signal.SIGINT)


def enter(root: Path) -> None:
    """Run in `root`, with the variables of the nearest `.env` upwards.

    As in Inspect, what is in the environment already goes before `.env`. Raises Refused where
    `root` can't be entered.
    """
    from dotenv import find_dotenv, load_dotenv

    try:
        os.chdir(root)
    except OSError as error:
        raise Refused(f"The root {root} can't be entered: {error.strerror}.") from error
    os.environ["PWD"] = os.getcwd()
    load_dotenv(find_dotenv(usecwd=True), override=False)
