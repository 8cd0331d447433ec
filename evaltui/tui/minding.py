"""The engine of the app's own process: a thread, how it ended, and letting go of it."""

from __future__ import annotations

import threading

from evaltui.engine.desk import Wish
from evaltui.engine.engine import Engine
from evaltui.engine.launcher import Launcher
from evaltui.engine.lock import HeldError
from evaltui.engine.outcome import Outcome
from evaltui.logs.layout import Layout
from evaltui.spec import SpecError

SECONDS_TO_LET_GO = 15.0


class Minding:
    """One run of an engine in a daemon thread: a blocked disk must not hold the app's exit."""

    def __init__(self, layout: Layout, launcher: Launcher, wish: Wish | None) -> None:
        self._layout = layout
        self._engine = Engine(layout, launcher, wish=wish)
        self._outcome: Outcome | None = None
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name="evaltui-engine", daemon=True)

    def start(self) -> None:
        self._thread.start()

    @property
    def alive(self) -> bool:
        return self._thread.is_alive()

    @property
    def said(self) -> str:
        """Its last word, in a sentence; empty where there is nothing to say."""
        error = self._error
        if error is None:
            return self._outcome.message if self._outcome else ""
        if isinstance(error, HeldError | SpecError):
            return str(error)
        if isinstance(error, OSError):
            return f"{self._layout.log_dir}: {error.strerror or error}; nothing was started."
        return f"The engine ended by a defect of its own: {type(error).__name__}: {error}"

    def hand_over(self) -> Outcome | None:
        """Have it let go while its workers run on; how it ended, None where it does not answer."""
        self._engine.stop("hand_over")
        self._thread.join(SECONDS_TO_LET_GO)
        return None if self._thread.is_alive() else self._outcome

    def _run(self) -> None:
        try:
            self._outcome = self._engine.run()
        except BaseException as error:
            self._error = error
