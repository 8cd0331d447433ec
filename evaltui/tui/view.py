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
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, Literal, TypeVar

from evaltui.cells import Cell
from evaltui.discovery import discover
from evaltui.engine import inbox
from evaltui.engine.at_rest import decide
from evaltui.engine.clock import SystemClock
from evaltui.engine.desk import Wish
from evaltui.engine.detach import DetachError, start_detached
from evaltui.engine.launcher import Launcher
from evaltui.engine.lock import HeldError
from evaltui.engine.state import SetState
from evaltui.engine.tail import Tail
from evaltui.engine.trash import TrashError
from evaltui.engine.undo import restore
from evaltui.engine.wanted import cells_of, relative_to
from evaltui.logs import journal as jn
from evaltui.logs.journal import Command, CommandName
from evaltui.logs.layout import Layout
from evaltui.plan import Known
from evaltui.spec import Amendment, SetSpec, SpecError, amended, read_spec
from evaltui.spec_edit import amend_spec
from evaltui.tui.minding import Minding
from evaltui.tui.picture import EngineAt, Picture, Preview
from evaltui.tui.rest import Resting
from evaltui.tui.story import StoryReader

T = TypeVar("T")

PAUSE = 1.0
"""Seconds between two looks at the directory."""

HURRIED_PAUSE = 0.1
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
        self._tail = Tail(self.layout)
        self._resting = Resting(self.layout)
        self._story: StoryReader | None = None
        self._minding: Minding | None = None
        self._launcher: Launcher | None = None
        self._said = ""
        self._jobs: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._woken = threading.Event()
        self._closed = threading.Event()
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

    def close(self) -> None:
        """End the reading; an engine of this process goes on."""
        self._closed.set()
        self._woken.set()
        self._tell = lambda: None
        if self._thread is not None:
            self._thread.join(2)

    def turn(self) -> bool:
        """One look at everything; whether the picture is another one. The thread's, or a test's."""
        with contextlib.suppress(queue.Empty):
            while True:
                self._jobs.get_nowait()()
        before = self.picture
        picture = self._look(before)
        if _differ(picture, before):
            self.picture = picture
            return True
        return False

    def find_tasks(self, *, again: bool = False) -> None:
        """Look for tasks under the root, by parsing alone; they come with a later picture."""
        if self.picture.found is not None and not again:
            return

        def find() -> None:
            found = discover([], self.picture.root)
            self._do(lambda: self._put(replace(self.picture, found=found)))

        threading.Thread(target=find, name="evaltui-discovery", daemon=True).start()

    def check(self) -> None:
        """Have the set's tasks loaded, in workers, so that the plan is what would run.

        While an engine minds the set that is its own business: what it loaded is used.
        """
        self._do(lambda: self._resting.check(self._launch_with))

    def follow(self, cell: str, attempt: str | None = None) -> None:
        """Have `picture.story` tell this cell, with the samples of one attempt (None: the last)."""
        self._do(lambda: self._follow(cell, attempt))

    def unfollow(self) -> None:
        """No story any more."""
        self._do(self._forget_story)

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
        self._do(lambda: then(job(self._resting.known(self.picture.cells))))

    def previewed(self, change: Amendment) -> Preview:
        """What a change of the spec would lead to; for the reading thread."""
        picture = self.picture
        base = picture.spec or self._empty_spec()
        spec = amended(base, change)
        wanted = cells_of(spec, self.layout.log_dir)
        old = set(picture.state.cells)
        new = {cell.key for cell in wanted.cells}
        twins = [each.message for each in wanted.problems if "are one cell" in each.message]
        return Preview(
            spec=spec,
            cells=wanted.cells,
            plan=self._resting.plan(wanted.cells, spec),
            before=self._resting.plan(picture.cells, base),
            added=tuple(cell.key for cell in wanted.cells if cell.key not in old),
            removed=tuple(key for key in picture.state.cells if key not in new),
            problems=wanted.problems,
            trouble=twins[0] if twins else "",
        )

    # --- commanding ---------------------------------------------------------------------------

    def send(
        self,
        command: CommandName,
        cells: Iterable[str] = (),
        scope: Literal["cell", "lane", "set"] = "cell",
        arguments: Mapping[str, Any] | None = None,
    ) -> Command:
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
        base = self.picture.spec or self._empty_spec()
        spec = amended(base, change)
        for problem in cells_of(spec, self.layout.log_dir).problems:
            if "are one cell" in problem.message:
                raise ViewError(problem.message)
        whole = change if self.layout.spec.exists() else _whole(spec)
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
        try:
            decide(self.layout, entries, SystemClock())
        except HeldError as error:
            raise ViewError(f"{error}; try again.") from None
        except OSError as error:
            raise ViewError(self._unwritable(error)) from None
        self.hurry()

    def undo_cleanup(self) -> str:
        """Bring the last log back from the trash; a sentence. Raises ViewError."""
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
        minding = Minding(self.layout, self._launch_with(), wish)
        self._do(self._resting.leave_checking)
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
        minding, self._minding = self._minding, None
        self.close()
        try:
            if minding is None or not minding.alive:
                return ""
            outcome = minding.hand_over()
            if outcome is None or outcome.end != "handed_over":
                return ""
            self._close_launcher()
            pid = start_detached(self.layout)
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
        while not self._closed.is_set():
            if self.turn():
                self._tell()
            if self._closed.is_set():
                return
            self._woken.wait(self._pause())
            self._woken.clear()

    def _pause(self) -> float:
        if self._resting.unread or self.picture.checking:
            return 0.02 if self._resting.unread else 0.25
        return HURRIED_PAUSE if self.hurried else PAUSE

    def _do(self, job: Callable[[], None]) -> None:
        self._jobs.put(job)
        self._woken.set()

    def _put(self, picture: Picture) -> None:
        self.picture = picture
        self._tell()

    def _look(self, before: Picture) -> Picture:
        state = self._tail.poll()
        spec, written, trouble = self._spec()
        engine = self._engine_at(state)
        resting = self._resting
        cells = tuple(each.cell for each in state.cells.values())
        if engine == "none" or resting.wanted or not before.ready:
            resting.turn(cells, spec, state, self._now())
            if spec is None:
                spec = resting.rebuilt(before.root)
                if spec is not None:
                    self._tail = Tail(self.layout, cells_of(spec, self.layout.log_dir).cells)
                    state = self._tail.poll()
                    cells = tuple(each.cell for each in state.cells.values())
                    resting.turn(cells, spec, state, self._now())
        if engine == "none":
            state = resting.laid_over(state)
        root = spec.root_path(self.layout.log_dir) if spec else before.root
        return replace(
            before,
            state=state,
            spec=spec,
            root=root,
            found=before.found if root == before.root else None,
            written=written,
            ready=True,
            trouble=trouble,
            problems=self._tail.problems or resting.problems,
            engine=engine,
            said=self._said,
            plan=resting.current,
            rests=resting.rests,
            checking=resting.checking,
            logs=resting.logs,
            story=self._story.read(resting.logs, state) if self._story else None,
        )

    def _spec(self) -> tuple[SetSpec | None, bool, str]:
        written = self.layout.spec.exists()
        if self._tail.spec is not None or not written:
            return self._tail.spec if written else self._resting.spec, written, ""
        try:
            return read_spec(self.layout.spec), written, ""
        except SpecError as error:
            return None, written, str(error)
        except OSError as error:
            return None, written, f"{self.layout.spec} can't be read: {error.strerror}."

    def _engine_at(self, state: SetState) -> EngineAt:
        minding = self._minding
        if minding is not None:
            if minding.alive:
                return "here"
            self._said, self._minding = minding.said, None
            self._resting.stale()
        return "none" if state.engine is None else "elsewhere"

    def _follow(self, cell: str, attempt: str | None) -> None:
        story = self._story
        if story is None or story.cell != cell:
            self._story = StoryReader(self.layout, cell)
        assert self._story is not None
        self._story.choose(attempt)

    def _forget_story(self) -> None:
        self._story = None

    # --- small things -------------------------------------------------------------------------

    def _launch_with(self) -> Launcher:
        if self._launcher is None:
            self._launcher = Launcher(self.layout)
        return self._launcher

    def _close_launcher(self) -> None:
        if self._launcher is not None:
            self._launcher.close()
            self._launcher = None

    def _empty_spec(self) -> SetSpec:
        return SetSpec(root=relative_to(self.picture.root, self.layout.log_dir))

    def _unwritable(self, error: OSError) -> str:
        why = error.strerror or str(error)
        return f"{self.layout.log_dir} can't be written: {why}; nothing was changed."


def cell_named(picture: Picture, key: str) -> Cell | None:
    """The cell with this key."""
    state = picture.state.cells.get(key)
    return state.cell if state else None


def _differ(one: Picture, other: Picture) -> bool:
    """Whether anything is new. Large parts are the same object where nothing is."""
    pairs = [(getattr(one, each.name), getattr(other, each.name)) for each in fields(Picture)]
    return any(
        new is not old and not (isinstance(new, str | int | Path) and new == old)
        for new, old in pairs
    )


def _whole(spec: SetSpec) -> Amendment:
    return Amendment(
        tasks=spec.tasks,
        models=spec.models,
        settings=spec.settings,
        solver=spec.solver,
        solver_args=spec.solver_args,
        model_roles=spec.model_roles,
        root=spec.root,
    )
