"""The one door of the screen to a set: reads it, commands it, edits its spec, starts its engine.

A thread reads (journal, events, logs, one cell's story) and makes pictures; everything a person
asks for goes out as a command in the inbox, an edit of the spec, or a start of the engine. It makes
no difference where the engine is. Imports no Textual.

Opened from an action, a dialog gets the view:

    class AddModel(Dialog):                     # screens.dialog.Dialog, in tui/dialogs/…
        def __init__(self, view: View, targets: tuple[str, ...]) -> None: …

It reads `view.picture`, asks `view.preview(change, then)` what a change would lead to, and
dismisses with an `Amendment` (or None); the app amends the spec and says so. A screen or dialog
that has a method `show(picture, now)` gets every new picture while it is on the stack, and once
when it is pushed.
"""

from __future__ import annotations

import contextlib
import queue
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from msgspec.structs import replace

from evaltui.engine import inbox
from evaltui.engine.clock import SystemClock
from evaltui.engine.lock import HeldError
from evaltui.logs import journal as jn
from evaltui.logs.layout import Layout
from evaltui.spec import Amendment, SetSpec, SpecError, amended
from evaltui.tui.collecting import no_collection
from evaltui.tui.picture import Picture, Preview

if TYPE_CHECKING:
    from evaltui.engine.desk import Wish
    from evaltui.engine.launcher import Launcher
    from evaltui.plan import Known
    from evaltui.tui.minding import Minding
    from evaltui.tui.reader import Reader

T = TypeVar("T")

PAUSE = 1.0
"""Seconds between two looks at the directory."""

HURRIED_PAUSE = 0.1
FIRST_PAINT = 0.7
"""So long the reading of logs waits for the first picture to be drawn: both want the processor."""

HURRY = 3.0
"""So long after something was asked for, looks follow on each other quickly."""


class ViewError(Exception):
    """Why something that was asked for can't be done; one sentence."""


class View:
    """One set and the screen's door to it. Its methods are for one thread; it reads in another.

    root: where tasks are looked for while the directory has no spec.
    """

    def __init__(
        self, log_dir: Path, root: Path | None = None, now: Callable[[], float] = time.time
    ) -> None:
        self.layout = Layout(log_dir)
        self.picture = Picture(log_dir, (root or Path.cwd()).resolve())
        self._now = now
        self.failure: BaseException | None = None
        """What ended the reading, a defect; None while all is well."""
        self._reader: Reader | None = None
        self._minding: Minding | None = None
        self._launcher: Launcher | None = None
        self._said = ""
        self._jobs: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._woken = threading.Event()
        self._closed = threading.Event()
        self._drawn = threading.Event()
        self._hurried_until = 0.0
        self._tell: Callable[[], None] = lambda: None
        self._thread: threading.Thread | None = None

    # --- looking ------------------------------------------------------------------------------

    def open(self) -> None:
        """Begin to read, in a thread of its own."""
        self._thread = threading.Thread(target=self._read_on, name="evaltui-view", daemon=True)
        self._thread.start()

    def tell(self, changed: Callable[[], None]) -> None:
        """Call `changed`, in the reading thread, whenever there is another picture."""
        self._tell = changed

    def drawn(self) -> None:
        """A picture is on the screen: there is time for everything else."""
        self._drawn.set()

    def close(self) -> None:
        """End the reading; an engine of this process goes on."""
        self._closed.set()
        self._drawn.set()
        self._woken.set()
        self._tell = lambda: None
        if self._thread is not None:
            self._thread.join(2)

    def turn(self) -> bool:
        """One look at everything; whether the picture is another one. The thread's, or a test's."""
        with no_collection():
            with contextlib.suppress(queue.Empty):
                while True:
                    self._jobs.get_nowait()()
            before = self.picture
            reader = self._reading()
            picture = reader.look(before, self._is_minding(), self._said)
        if _differ(picture, before):
            self.picture = picture
            return True
        return False

    def find_tasks(self, *, again: bool = False) -> None:
        """Look for tasks under the root, by parsing alone; they come with a later picture."""
        if self.picture.found is not None and not again:
            return

        def find() -> None:
            from evaltui.discovery import discover

            found = discover([], self.picture.root)
            self._do(lambda: self._put(replace(self.picture, found=found)))

        threading.Thread(target=find, name="evaltui-discovery", daemon=True).start()

    def check(self) -> None:
        """Have the set's tasks loaded, in workers, so that the plan is what would run.

        While an engine minds the set that is its own business: what it loaded is used.
        """
        self._do(lambda: self._reading().check(self._launch_with))

    def follow(self, cell: str, attempt: str | None = None) -> None:
        """Have `picture.story` tell this cell, with the samples of one attempt (None: the last)."""
        self._do(lambda: self._reading().follow(cell, attempt))

    def unfollow(self) -> None:
        """No story any more."""
        self._do(lambda: self._reading().unfollow())

    def preview(self, change: Amendment, then: Callable[[Preview], None]) -> None:
        """Work out what a change of the spec would lead to; `then` is called with it, in the
        reading thread (use `app.call_from_view`). Of several asked for in a row the last counts.
        """
        self._do(lambda: then(self.previewed(change)))

    def work(self, job: Callable[[Known], T], then: Callable[[T], None]) -> None:
        """Do something long with what is known of the directory, in the reading thread.

        job: pure, from logs, samples and loads as far as they were read. `then` gets its result,
        in that thread (use `app.call_from_view`).
        """
        self._do(lambda: then(job(self._reading().known(self.picture))))

    def previewed(self, change: Amendment) -> Preview:
        """What a change of the spec would lead to; for the reading thread."""
        base = self.picture.spec or self._empty_spec()
        return self._reading().preview(self.picture, base, change)

    # --- commanding ---------------------------------------------------------------------------

    def send(
        self,
        command: jn.CommandName,
        cells: Iterable[str] = (),
        scope: Literal["cell", "lane", "set"] = "cell",
        arguments: Mapping[str, Any] | None = None,
    ) -> jn.Command:
        """Drop a command into the inbox; what came of it shows in the state. Raises ViewError."""
        try:
            sent = inbox.send(self.layout, command, cells, scope, arguments)
        except OSError as error:
            raise ViewError(self._unwritable(error)) from None
        self.hurry()
        return sent

    def amend(self, change: Amendment) -> SetSpec:
        """Change the spec (or write the one that the logs stand for); what it says then.

        A set that runs takes it up by itself. Raises ViewError, with nothing changed.
        """
        from evaltui.engine.wanted import cells_of
        from evaltui.spec_edit import amend_spec

        base = self.picture.spec or self._empty_spec()
        spec = amended(base, change)
        for problem in cells_of(spec, self.layout.log_dir).problems:
            if "are one cell" in problem.message:
                raise ViewError(problem.message)
        whole = change if self.layout.spec.exists() else Amendment.of(spec)
        try:
            self.layout.log_dir.mkdir(parents=True, exist_ok=True)
            after = amend_spec(self.layout, whole)
        except SpecError as error:
            raise ViewError(str(error)) from None
        except OSError as error:
            raise ViewError(self._unwritable(error)) from None
        self.hurry()
        return after

    def hold(
        self, scope: Literal["cell", "lane", "set"], targets: Sequence[str], *, held: bool
    ) -> None:
        """Hold cells, lanes or the whole set, or release them. Raises ViewError."""
        if self.picture.engine != "none":
            self.send("hold" if held else "release", targets, scope)
            return
        now = self._now()
        kind = jn.Held if held else jn.Released
        named = targets if scope != "set" else ("set",)
        self._decide([kind(t=now, scope=scope, target=target) for target in named])

    def drop(self, cells: Sequence[str]) -> None:
        """Give up the reruns that cells wait for. Raises ViewError."""
        if self.picture.engine != "none":
            self.send("drop", cells)
        else:
            self._decide([jn.Dropped(t=self._now(), cell=key) for key in cells])

    def is_draining(self, cell: str) -> bool:
        """Whether the worker of a cell was asked to let its running samples finish."""
        state = self.picture.state.cells.get(cell)
        if state is None or state.progress is None or state.status != "running":
            return False
        return self.layout.attempt(state.progress.attempt).drain.exists()

    def _decide(self, entries: Sequence[jn.Entry]) -> None:
        from evaltui.engine.at_rest import decide

        try:
            decide(self.layout, entries, SystemClock())
        except HeldError as error:
            raise ViewError(f"{error}; try again.") from None
        except OSError as error:
            raise ViewError(self._unwritable(error)) from None
        self.hurry()

    def undo_cleanup(self) -> str:
        """Bring the last log back from the trash; a sentence. Raises ViewError."""
        from evaltui.engine.trash import TrashError
        from evaltui.engine.undo import restore

        trashed = self.picture.state.trashed
        if not trashed:
            raise ViewError("No log was moved to the trash.")
        if self.picture.engine != "none":
            self.send("restore", scope="set")
            return f"{trashed[-1].log} is on its way back."
        try:
            restore(self.layout, [trashed[-1].trash], SystemClock())
        except TrashError as why:
            raise ViewError(str(why)) from None
        except OSError as error:
            raise ViewError(self._unwritable(error)) from None
        self.hurry()
        return f"Brought back {trashed[-1].log}."

    def start(self, wish: Wish | None = None) -> None:
        """Start the engine in this process. Where another one minds the set, that one stays.

        Raises ViewError.
        """
        if self._minding is not None and self._minding.alive:
            return
        if not self.layout.spec.exists():
            self.amend(Amendment())
        self._said = ""
        from evaltui.tui.minding import Minding

        minding = Minding(self.layout, self._launch_with(), wish)
        self._do(lambda: self._reading().leave_checking())
        minding.start()
        self._minding = minding
        self.hurry()

    def stop(self, *, now: bool = False) -> None:
        """Have the whole set stop: running samples finish, or with `now` are lost."""
        self.send("stop", scope="set", arguments={"now": True} if now else None)

    @property
    def stopping(self) -> bool:
        """Whether every worker was asked already to let its running samples finish."""
        running = [k for k, c in self.picture.state.cells.items() if c.status == "running"]
        return bool(running) and all(map(self.is_draining, running))

    def hand_over(self) -> str:
        """Let go of the set; a detached engine minds what is left. A sentence. Blocks seconds.

        For the end, when the screen is gone already.
        """
        from evaltui.engine.detach import DetachError, start_detached

        minding, self._minding = self._minding, None
        self.close()
        try:
            if minding is None or not minding.alive:
                return ""
            outcome = minding.hand_over()
            if outcome is None or outcome.end != "handed_over":
                return ""
            self._close_launcher()
            pid = start_detached(self.layout, heir=True)
        except DetachError as error:
            return f"{error} Workers run on; evaltui run {self.layout.log_dir} minds them again."
        finally:
            self._close_launcher()
        return f"The set runs on without the screen (pid {pid})."

    @property
    def hurried(self) -> bool:
        """Whether something was asked for just now."""
        return time.monotonic() < self._hurried_until

    def hurry(self) -> None:
        """Something was asked for: look at once, and again soon."""
        self._hurried_until = time.monotonic() + HURRY
        self._woken.set()

    # --- the reading thread -------------------------------------------------------------------

    def _read_on(self) -> None:
        try:
            while not self._closed.is_set():
                if self.turn():
                    self._tell()
                self._drawn.wait(FIRST_PAINT)
                self._drawn.set()
                if self._closed.is_set():
                    return
                self._woken.wait(self._pause())
                self._woken.clear()
        except Exception as error:
            self.failure = error  # the app ends by it, where it would stand still otherwise
            self._tell()

    def _reading(self) -> Reader:
        if self._reader is None:
            from evaltui.tui.reader import Reader

            self._reader = Reader(self.layout, self._now)
        return self._reader

    def _is_minding(self) -> bool:
        """Whether the engine of this process is at work; its last word is kept when it ends."""
        minding = self._minding
        if minding is None:
            return False
        if not minding.alive:
            self._said, self._minding = minding.said, None
            self._reading().stale()
        return minding.alive

    def _pause(self) -> float:
        if self._reading().unread:
            return 0.02
        if self.picture.checking:
            return 0.25
        return HURRIED_PAUSE if self.hurried else PAUSE

    def _do(self, job: Callable[[], None]) -> None:
        self._jobs.put(job)
        self._woken.set()

    def _put(self, picture: Picture) -> None:
        self.picture = picture
        self._tell()

    # --- small things -------------------------------------------------------------------------

    def _launch_with(self) -> Launcher:
        from evaltui.engine.launcher import Launcher

        if self._launcher is None:
            self._launcher = Launcher(self.layout)
        return self._launcher

    def _close_launcher(self) -> None:
        if self._launcher is not None:
            self._launcher.close()
            self._launcher = None

    def _empty_spec(self) -> SetSpec:
        from evaltui.engine.wanted import relative_to

        return SetSpec(root=relative_to(self.picture.root, self.layout.log_dir))

    def _unwritable(self, error: OSError) -> str:
        why = error.strerror or str(error)
        return f"{self.layout.log_dir} can't be written: {why}; nothing was changed."


def _differ(one: Picture, other: Picture) -> bool:
    """Whether anything is new. Large parts are the same object where nothing is."""
    pairs = [(getattr(one, each), getattr(other, each)) for each in Picture.__struct_fields__]
    return any(
        new is not old and not (isinstance(new, str | int | Path) and new == old)
        for new, old in pairs
    )
