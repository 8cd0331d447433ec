"""The engine: minds one set until every cell is done, or until it is told to stop.

It runs in whatever thread calls `run`, installs no signal handler and prints nothing: what it does
stands in the journal. Its workers run on whatever becomes of it; the next engine adopts them.
"""

from __future__ import annotations

import os
import socket
import threading

from evaltui.engine import obeying
from evaltui.engine.attempts import Attempts
from evaltui.engine.book import Book
from evaltui.engine.breaker import waiting_lanes
from evaltui.engine.clock import Clock, SystemClock
from evaltui.engine.desk import Desk, Wish
from evaltui.engine.finding import take_over
from evaltui.engine.housekeeping import write_manifests
from evaltui.engine.judgement import over
from evaltui.engine.launching import launch
from evaltui.engine.loads import Loads
from evaltui.engine.lock import EngineLock
from evaltui.engine.outcome import End, Outcome, outcome
from evaltui.engine.planning import Planning
from evaltui.engine.recoveries import Recoveries
from evaltui.engine.recovering import take_in
from evaltui.engine.runs import handed_over, unended_since
from evaltui.engine.specwatch import SpecWatch, tell_problems
from evaltui.engine.stopping import Stop, further
from evaltui.engine.wanted import read_wanted
from evaltui.engine.workers import Starts
from evaltui.logs import journal as jn
from evaltui.logs.files import trouble
from evaltui.logs.index import LogIndex
from evaltui.logs.layout import Layout
from evaltui.logs.manifests import ensure_eval_set_id

BUSY_PAUSE = 0.05
IDLE_PAUSE = 0.2
"""Seconds between turns while workers run, and while only time passes or somebody may command."""


class Engine:
    """The engine of one log directory. `run` once; `stop` from any thread."""

    def __init__(
        self,
        layout: Layout,
        launcher: Starts,
        clock: Clock | None = None,
        *,
        detached: bool = False,
        heir: bool = False,
        wish: Wish | None = None,
    ) -> None:
        """wish: what is asked of every cell. heir: of an engine that let go, asked by nobody."""
        self._layout = layout
        self._launcher = launcher
        self._clock = clock or SystemClock()
        self._detached = detached
        self._heir = heir
        self._wish = wish
        self._stops: list[Stop] = []
        self._stop: Stop | None = None
        self._terminated = False
        self._woken = threading.Event()
        self.turns = 0
        """How often the engine has looked around; for those who wait for it to have done so."""

    def stop(self, how: Stop) -> None:
        """Ask the engine to stop this way; returns at once."""
        self._stops.append(how)
        self._woken.set()

    def run(self) -> Outcome:
        """Mind the set until it ends. Raises HeldError, SpecError and OSError before it begins.

        Trouble with the directory later on ends the run, incomplete, in one sentence.
        """
        now = self._clock.now()
        self._lock = lock = EngineLock.take(self._layout, detached=self._detached, now=now)
        try:
            self._begin()
            try:
                return self._mind()
            except OSError as error:
                return self._in_trouble(error)
        finally:
            lock.release()

    # --- beginning ----------------------------------------------------------------------------

    def _begin(self) -> None:
        wanted = read_wanted(self._layout)
        book = Book(self._layout, self._clock)
        book.open(wanted.cells.cells)
        unended = unended_since(book.past)
        began = self._clock.now() if unended is None else unended
        goes_on = self._heir and handed_over(book.past)
        self._desk = desk = Desk(
            layout=self._layout,
            launcher=self._launcher,
            book=book,
            wanted=wanted,
            attempts=Attempts(self._layout, book, self._launcher),
            loads=Loads(self._layout, self._launcher),
            recoveries=Recoveries(self._layout, self._launcher),
            index=LogIndex(self._layout.log_dir),
            since=began,
            eval_set_id=ensure_eval_set_id(self._layout.log_dir),
        )
        self._planning = Planning(desk)
        self._spec = SpecWatch(desk)
        now, host = desk.now, socket.gethostname()
        keys = tuple(cell.key for cell in wanted.cells.cells)
        book.say(
            jn.EngineStarted(t=now, pid=os.getpid(), host=host, detached=self._detached),
            jn.SpecRead(t=now, cells=keys),
        )
        tell_problems(desk, wanted.cells.problems, ())
        if self._wish is not None:
            desk.wishes = dict.fromkeys(keys, self._wish)
        take_over(desk, asked=not self._heir, goes_on=goes_on)

    # --- the loop -------------------------------------------------------------------------------

    def _mind(self) -> Outcome:
        while (end := self._turn()) is None:
            self._clock.sleep(self._pause(), self._woken)
            self._woken.clear()
        return self._finish(end)

    def _turn(self) -> End | None:
        desk = self._desk
        self.turns += 1
        self._lock.check()
        exits = self._launcher.poll()
        for running, how in desk.attempts.poll(exits):
            over(desk, running, how)
        for recovered in desk.recoveries.poll(exits, desk.now):
            take_in(desk, recovered)
        desk.loads.poll(exits, desk.now)
        self._stops += obeying.obey(desk)
        self._heed_stops()
        desk.attempts.press()
        if self._stop is None:
            self._spec.turn()
            self._ask_for_plans()
            self._planning.turn()
            self._watch_lanes()
            launch(desk)
        return self._end()

    def _pause(self) -> float:
        desk = self._desk
        busy = len(desk.attempts) or len(desk.loads) or len(desk.recoveries) or desk.unplanned
        return BUSY_PAUSE if busy else IDLE_PAUSE

    def _ask_for_plans(self) -> None:
        """A cell whose time has come is planned by what the directory holds then."""
        desk = self._desk
        for cell in desk.due():
            key = cell.cell.key
            if key not in desk.plans:
                desk.unplanned.add(key)

    def _watch_lanes(self) -> None:
        desk = self._desk
        waiting = waiting_lanes(desk.book.state, desk.now)
        for name, lane in desk.book.state.lanes.items():
            if lane.waits != (name in waiting):
                message = waiting.get(name, "")
                desk.book.say(
                    jn.LaneWaits(t=desk.now, lane=name, waits=name in waiting, message=message)
                )

    # --- stopping -------------------------------------------------------------------------------

    def _heed_stops(self) -> None:
        while self._stops:
            self._heed(self._stops.pop(0))

    def _heed(self, stop: Stop) -> None:
        desk = self._desk
        if stop == "terminate":
            self._terminated = True
        if stop == "drain" and self._stop is not None:
            stop = "cancel"  # asked again, it means it
        pressing = stop in ("cancel", "terminate")
        again = pressing and self._stop in ("cancel", "terminate")
        self._stop = stop
        desk.stopping = True
        if stop == "hand_over":
            return
        desk.unplanned.clear()
        for running in desk.attempts:
            if not pressing:
                if running.step is None:
                    desk.attempts.stop(running, "drain")
            elif running.step in (None, "drain"):
                desk.attempts.stop(running, "interrupt")
            elif again:
                desk.attempts.stop(running, further(running.step))

    # --- ending ---------------------------------------------------------------------------------

    def _end(self) -> End | None:
        desk = self._desk
        if self._stop == "hand_over":
            return "handed_over"
        if len(desk.attempts) or len(desk.recoveries):
            return None
        if self._stop is not None:
            return "complete" if self._all_complete() else "cancelled"
        if desk.unplanned or len(desk.loads) or self._something_comes():
            return None
        return "complete" if self._all_complete() else "incomplete"

    def _all_complete(self) -> bool:
        desk = self._desk
        return not desk.wanted.cells.problems and all(
            cell.status == "complete" for cell in desk.cells()
        )

    def _something_comes(self) -> bool:
        """Whether a cell will start by itself, or may be released by whoever held it just now."""
        desk = self._desk
        return any(
            cell.status in ("queued", "waiting") or (cell.status == "held" and desk.holds_made_here)
            for cell in desk.cells()
        )

    def _finish(self, end: End) -> Outcome:
        desk = self._desk
        if end != "handed_over":
            write_manifests(desk)
        desk.book.say(jn.EngineStopped(t=desk.now, state=end))
        return outcome(
            end, desk.book.state, desk.wanted.cells.problems, terminated=self._terminated
        )

    def _in_trouble(self, error: OSError) -> Outcome:
        """The directory can't be written any more: nothing starts, and workers run on."""
        running = len(self._desk.attempts)
        on = f"; {running} running workers go on by themselves" if running else ""
        return Outcome(
            "incomplete",
            f"{self._layout.log_dir} can't be written ({trouble(error)}), so nothing further "
            f"starts{on}. Mend that and run the set again: it goes on where it stands.",
        )
