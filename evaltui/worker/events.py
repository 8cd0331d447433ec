"""What a worker says: its events, each one line of `events.jsonl` written at once."""

from __future__ import annotations

import os
import socket
import time
from pathlib import Path
from typing import Any

from evaltui.logs import attempt as ev
from evaltui.logs.files import append_line


class EventLog:
    """Appends events with the time; `ended` is on the disk when the call returns.

    trouble: what could not be written and why, since when what is done may be lost. Only the first
    and the last word of an attempt raise OSError for it.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self.trouble: str | None = None

    def started(self, attempt: str) -> None:
        pid, host = os.getpid(), socket.gethostname()
        append_line(self._path, ev.Started(t=time.time(), attempt=attempt, pid=pid, host=host))

    def loaded(self, **found: Any) -> None:
        self._say(ev.Loaded(t=time.time(), **found))

    def reuse(self, counts: dict[str, int], remapped: int) -> None:
        self._say(ev.Reuse(t=time.time(), counts=counts, remapped=remapped))

    def sample_start(self, id: ev.SampleId, epoch: int) -> None:
        self._say(ev.SampleStart(t=time.time(), id=id, epoch=epoch))

    def sample_end(self, id: ev.SampleId, epoch: int, **facts: Any) -> None:
        self._say(ev.SampleEnd(t=time.time(), id=id, epoch=epoch, **facts))

    def model_retry(self, model: str, wait: float, **facts: Any) -> None:
        self._say(ev.ModelRetry(t=time.time(), model=model, wait=wait, **facts))

    def model_calls(self, calls: dict[str, int]) -> None:
        self._say(ev.ModelCalls(t=time.time(), calls=calls))

    def log(self, name: str) -> None:
        self._say(ev.LogPath(t=time.time(), path=name))

    def ended(self, status: ev.EndStatus, **facts: Any) -> None:
        append_line(self._path, ev.Ended(t=time.time(), status=status, **facts), sync=True)

    def log_unwritten(self, error: OSError) -> None:
        """The log could not be written either; nothing can be said of it here."""
        self.trouble = _trouble("the log", error)

    def _say(self, event: ev.Event) -> None:
        try:
            append_line(self._path, event)
        except OSError as error:
            self.trouble = _trouble("events", error)


def _trouble(what: str, error: OSError) -> str:
    return f"{what} could not be written ({error.strerror or error})"
