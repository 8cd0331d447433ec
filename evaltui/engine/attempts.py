"""The attempts that run: started, adopted, listened to, stopped. What their end means is not said.

A worker that has a last word (`ended`) is over; one whose lock is free without a last word has
crashed. Exit codes only help to say why.
"""

from __future__ import annotations

import socket
from collections import Counter
from collections.abc import Iterator, Mapping

import msgspec

from evaltui.cells import Cell
from evaltui.engine import stopping
from evaltui.engine.book import Book
from evaltui.engine.ending import CRASHED, Ending, ending
from evaltui.engine.feed import Feed
from evaltui.engine.launcher import LaunchError
from evaltui.engine.stopping import Step
from evaltui.engine.workers import Starts, Worker, lives
from evaltui.logs import journal as jn
from evaltui.logs.attempt import Ended, Event, Order, Started
from evaltui.logs.files import read_lines, write_atomic
from evaltui.logs.layout import Layout


class Running(msgspec.Struct):
    """An attempt that has not ended, as far as this engine knows.

    connections: what it holds of its lane's. spec: number of the spec its order was made from.
    unwatched: it was over before this engine came. left_set: it drains since the spec no longer has
    its cell. step: how it was last asked to stop, and when.
    """

    cell: str
    lane: str
    attempt: str
    feed: Feed
    worker: Worker
    connections: int = 0
    spec: int = 0
    unwatched: bool = False
    left_set: bool = False
    step: Step | None = None
    step_since: float = 0.0


class Attempts:
    """All running attempts of one engine."""

    def __init__(self, layout: Layout, book: Book, launcher: Starts) -> None:
        self._layout = layout
        self._book = book
        self._launcher = launcher
        self._running: dict[str, Running] = {}

    def __len__(self) -> int:
        return len(self._running)

    def __iter__(self) -> Iterator[Running]:
        return iter(list(self._running.values()))

    def of(self, cell: str) -> Running | None:
        return self._running.get(cell)

    def by_lane(self) -> Counter[str]:
        return Counter(running.lane for running in self._running.values())

    def connections(self, lane: str) -> int:
        """Connections that the lane's running workers hold."""
        return sum(run.connections for run in self._running.values() if run.lane == lane)

    # --- beginning ----------------------------------------------------------------------------

    def start(
        self, cell: Cell, order: Order, launched: jn.Launched, connections: int, spec: int
    ) -> None:
        """Write the order, decide, start the worker. Raises OSError where nothing can be written.

        A worker that can't be started is over at once, as one that crashed.
        """
        paths = self._layout.attempt(order.attempt)
        write_atomic(paths.order, msgspec.json.encode(order))
        self._book.say(launched)
        worker = Worker(paths, None, expected=True)
        running = Running(cell.key, cell.lane, order.attempt, Feed(paths), worker)
        running.connections, running.spec = connections, spec
        self._running[cell.key] = running
        try:
            worker.pid = self._launcher.attempt(order.attempt)
        except LaunchError as error:
            self._book.tell(str(error), "error")

    def adopt(self, cell: str, lane: str, attempt: str) -> Running:
        """Take over an attempt that an earlier engine started, whether or not it still runs.

        Its events are read from the start.
        """
        paths = self._layout.attempt(attempt)
        worker = Worker(paths, None, expected=False)
        running = Running(cell, lane, attempt, Feed(paths), worker)
        running.connections = _connections(self._layout, attempt)
        running.unwatched = not lives(paths)
        self._running[cell] = running
        self._listen(running)
        return running

    # --- listening ------------------------------------------------------------------------------

    def poll(self, exits: Mapping[int, int]) -> list[tuple[Running, Ending]]:
        """Take in what workers said; those that are over leave and are returned."""
        over = []
        for running in self:
            if self._is_over(running, exits):
                del self._running[running.cell]
                crash = running.worker.why(CRASHED)
                over.append((running, past_ending(self._layout, running.attempt, crash)))
        return over

    def _is_over(self, running: Running, exits: Mapping[int, int]) -> bool:
        if self._listen(running):
            return True
        if not running.worker.gone(exits, self._book.now):
            return False
        self._listen(running)  # its last word may have come between the two looks
        return True

    def _listen(self, running: Running) -> bool:
        """Take in its events; whether its last word is among them."""
        events = running.feed.read()
        self._book.hear(running.cell, running.attempt, events)
        for event in events:
            if isinstance(event, Started):
                here = event.host == socket.gethostname()
                running.worker.has_spoken(event.pid if here else None)
        return any(isinstance(event, Ended) for event in events)

    # --- stopping -------------------------------------------------------------------------------

    def stop(self, running: Running, step: Step) -> None:
        """Ask a worker to stop this way. Raises OSError where a drain can't be asked for."""
        running.step, running.step_since = step, self._book.now
        paths = running.worker.paths
        stopping.ask(step, paths, running.worker.pid if lives(paths) else None)

    def press(self) -> None:
        """Go a step further with workers that did not heed the last one in time."""
        now = self._book.now
        for running in self:
            if running.step and stopping.overdue(running.step, running.step_since, now):
                self.stop(running, stopping.further(running.step))


def past_ending(layout: Layout, attempt: str, crash: str = CRASHED) -> Ending:
    """How an attempt that is over ended, by its events."""
    events: list[Event]
    events, _ = read_lines(layout.attempt(attempt).events, Event)
    return ending(attempt, events, crash)


def _connections(layout: Layout, attempt: str) -> int:
    """What the order of an attempt gave it of its lane's connections."""
    try:
        order = msgspec.json.decode(layout.attempt(attempt).order.read_bytes(), type=Order)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return 0
    settings = {**order.settings, **order.cell.model_config}
    if "max_connections" in settings:
        return int(settings["max_connections"])
    most = str(settings.get("adaptive_connections", "0")).split("-")[-1]
    return int(most) if most.isdigit() else 0
