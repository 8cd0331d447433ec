"""The reading side of the door: from the log directory to the next picture. For one thread alone.

The first look takes the spec, the journal and the events, so that the screen has something to show
at once; what needs the logs comes with the looks after it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from msgspec.structs import replace

from evaltui.engine.state import SetState
from evaltui.engine.tail import Tail
from evaltui.engine.wanted import cells_of
from evaltui.logs.layout import Layout
from evaltui.spec import Amendment, SetSpec, SpecError, amended, read_spec
from evaltui.tui.picture import CellStory, EngineAt, Picture, Preview

if TYPE_CHECKING:
    from evaltui.cells import Cell
    from evaltui.engine.launcher import Launcher
    from evaltui.plan import Known
    from evaltui.tui.rest import Resting
    from evaltui.tui.story import StoryReader


class Reader:
    """Looks at one log directory, again and again."""

    def __init__(self, layout: Layout, now: Callable[[], float]) -> None:
        self._layout = layout
        self._now = now
        self._tail = Tail(layout)
        self._rest: Resting | None = None
        self._story: StoryReader | None = None
        self._spec_seen: tuple[int, int] | None = None
        self._trouble = ""
        self._looks = 0

    @property
    def resting(self) -> Resting:
        """The logs, as far as they were read."""
        if self._rest is None:
            from evaltui.tui.rest import Resting

            self._rest = Resting(self._layout)
        return self._rest

    @property
    def unread(self) -> bool:
        """Whether there is more to see at once."""
        return self._looks < 3 or (self._rest is not None and bool(self._rest.unread))

    def look(self, before: Picture, here: bool, said: str) -> Picture:
        """The next picture. here: an engine of this process is at work; said: its last word."""
        self._looks += 1
        try:
            return self._look(before, here, said)
        except OSError as error:
            why = error.strerror or str(error)
            trouble = f"{self._layout.log_dir} can't be read: {why}."
            return replace(before, ready=True, trouble=trouble, said=said)

    def _look(self, before: Picture, here: bool, said: str) -> Picture:
        state = self._tail.poll()
        written, spec = self._spec()
        engine: EngineAt = "none" if state.engine is None else "elsewhere"
        engine = "here" if here else engine
        if self._looks > 1 or not written:
            state, spec = self._look_at_logs(state, spec, engine, before)
        rest = self._rest
        root = spec.root_path(self._layout.log_dir) if spec else before.root
        found = before.found if root == before.root else None
        picture = replace(
            before,
            state=state,
            spec=spec,
            root=root,
            found=found,
            written=written,
            ready=True,
            trouble=self._trouble,
            problems=self._tail.problems,
            engine=engine,
            said=said,
        )
        if rest is None:
            return picture
        return replace(
            picture,
            problems=picture.problems or rest.problems,
            plan=rest.current,
            rests=rest.rests,
            checking=rest.checking,
            logs=rest.logs,
            story=self._told(rest, state),
        )

    def _told(self, rest: Resting, state: SetState) -> CellStory | None:
        """The story of the cell that is followed, with all its logs that the plan knows of."""
        story = self._story
        if story is None:
            return None
        plans = rest.current.cells if rest.current is not None else ()
        plan = next((each for each in plans if each.key == story.cell), None)
        return story.read(rest.logs, state, plan)

    def _look_at_logs(
        self, state: SetState, spec: SetSpec | None, engine: EngineAt, before: Picture
    ) -> tuple[SetState, SetSpec | None]:
        """What the logs add: the plan, what it shows of a set at rest, a spec where none is."""
        rest = self.resting
        if engine == "none" or rest.wanted or before.plan is None:
            rest.turn(_cells(state), spec, state, self._now())
            if spec is None and not self._trouble:
                spec = rest.rebuilt()
                if spec is not None:
                    state = self._begin_with(spec)
        if engine == "none":
            state = rest.laid_over(state)
        return state, spec

    def _begin_with(self, spec: SetSpec) -> SetState:
        """From now on the directory's cells are those that its logs stand for."""
        self._tail = Tail(self._layout, cells_of(spec, self._layout.log_dir).cells)
        state = self._tail.poll()
        self.resting.turn(_cells(state), spec, state, self._now())
        return state

    def _spec(self) -> tuple[bool, SetSpec | None]:
        """Whether there is a spec file, and the spec that is in force."""
        try:
            status = self._layout.spec.stat()
        except OSError:
            self._spec_seen, self._trouble = None, ""
            return False, self._rest.spec if self._rest is not None else None
        seen = (status.st_mtime_ns, status.st_size)
        if seen != self._spec_seen:
            self._spec_seen, self._trouble = seen, ""
            try:
                read_spec(self._layout.spec)
            except SpecError as error:
                self._trouble = str(error)
        return True, self._tail.spec

    # --- what is asked for in between -----------------------------------------------------------

    def stale(self) -> None:
        """The logs may have changed: they are listed at the next look."""
        if self._rest is not None:
            self._rest.stale()

    def check(self, launcher: Callable[[], Launcher]) -> None:
        self.resting.check(launcher)

    def leave_checking(self) -> None:
        if self._rest is not None:
            self._rest.leave_checking()

    def follow(self, cell: str, attempt: str | None) -> None:
        from evaltui.tui.story import StoryReader

        if self._story is None or self._story.cell != cell:
            self._story = StoryReader(self._layout, cell)
        self._story.choose(attempt)

    def unfollow(self) -> None:
        self._story = None

    def known(self, picture: Picture) -> Known:
        return self.resting.known(picture.cells, picture.spec)

    def preview(self, picture: Picture, base: SetSpec, change: Amendment) -> Preview:
        """What a change of the spec would lead to."""
        spec = amended(base, change)
        wanted = cells_of(spec, self._layout.log_dir)
        old = set(picture.state.cells)
        new = {cell.key for cell in wanted.cells}
        twins = [each.message for each in wanted.problems if "are one cell" in each.message]
        return Preview(
            spec=spec,
            cells=wanted.cells,
            plan=self.resting.plan(wanted.cells, spec),
            before=self.resting.plan(picture.cells, base),
            added=tuple(cell.key for cell in wanted.cells if cell.key not in old),
            removed=tuple(key for key in picture.state.cells if key not in new),
            problems=wanted.problems,
            trouble=twins[0] if twins else "",
        )


def _cells(state: SetState) -> tuple[Cell, ...]:
    return tuple(each.cell for each in state.cells.values())
