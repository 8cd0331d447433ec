"""The events of one attempt, read on from where the last reading ended."""

from __future__ import annotations

import os

from evaltui.logs.attempt import Event
from evaltui.logs.files import read_lines
from evaltui.logs.layout import AttemptPaths


class Feed:
    """Reads `events.jsonl` of an attempt bit by bit; asking costs one `stat` when nothing came."""

    def __init__(self, paths: AttemptPaths) -> None:
        self._paths = paths
        self._offset = 0
        self._size = 0

    def read(self) -> list[Event]:
        """The events since the last call; none where the file is not there yet."""
        try:
            size = os.stat(self._paths.events).st_size
        except OSError:
            return []
        if size == self._size:
            return []
        events: list[Event]
        events, self._offset = read_lines(self._paths.events, Event, self._offset)
        self._size = size
        return events
