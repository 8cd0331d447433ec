"""The filter of a list: a line to type in, what Tab offers, and what is wrong under the text.

It reads the grammar and says what the filter is; whoever owns the list applies it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from rich.segment import Segment
from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message
from textual.widget import Widget

from evaltui.tui.query import Query, QueryError, complete, parse
from evaltui.tui.runs import Cell, width_of
from evaltui.tui.widgets.field import Field
from evaltui.tui.widgets.line_panel import LineWidget

_HINT = "text  key:a,b  !term  err>0  is:failed  ~fuzzy"


class FilterLine(Vertical):
    """The filter line of a list. Hidden while it is empty and not being typed in."""

    DEFAULT_CSS = "FilterLine { height: auto; } FilterLine > Field { height: 1; }"

    class Filtered(Message):
        """The list is to show what matches this, and nothing else."""

        def __init__(self, line: FilterLine, query: Query) -> None:
            super().__init__()
            self.line = line
            self.query = query

        @property
        def control(self) -> FilterLine:
            return self.line

    class Left(Message):
        """The keys are to go back to the list."""

        def __init__(self, line: FilterLine) -> None:
            super().__init__()
            self.line = line

        @property
        def control(self) -> FilterLine:
            return self.line

    def __init__(
        self,
        attributes: Collection[str] = (),
        states: Collection[str] = (),
        values: Callable[[str], Iterable[str]] = lambda _: (),
        *,
        id: str | None = None,
    ) -> None:
        super().__init__(id=id)
        self._attributes, self._states, self._values = attributes, states, values
        self._field = _FilterField(((" / ", "key"),), hint=_HINT)
        self._came_from: Widget | None = None
        self._below = _Below()
        self._offered: tuple[str, Cell] = ("", ())
        self.display = False
        self._below.display = False

    def compose(self) -> ComposeResult:
        yield self._field
        yield self._below

    @property
    def text(self) -> str:
        return self._field.text

    def know(
        self,
        attributes: Collection[str],
        states: Collection[str],
        values: Callable[[str], Iterable[str]],
    ) -> None:
        """What a term may ask for in this list, and the values that Tab offers."""
        self._attributes, self._states, self._values = attributes, states, values

    def open(self) -> None:
        """Take the keys."""
        self._came_from = self.screen.focused
        self.display = True
        self._field.focus(scroll_visible=False)

    def set_text(self, text: str) -> None:
        """Filter by this text, as if it had been typed."""
        self.display = bool(text)
        self._field.put(0, len(self._field.text), text)

    def clear(self) -> bool:
        """Take the filter away; whether there was one."""
        had = bool(self.text)
        self._field.set_text("")
        self.display = False
        self._say(())
        if had:
            self.post_message(self.Filtered(self, Query()))
        return had

    def give_back(self) -> None:
        """Let the keys go to whoever had them: the next one typed is theirs."""
        came_from, self._came_from = self._came_from, None
        if came_from is not None and came_from.is_attached:
            came_from.focus(scroll_visible=False)

    def on_field_changed(self, message: Field.Changed) -> None:
        message.stop()
        self._read()

    def on_field_submitted(self, message: Field.Submitted) -> None:
        message.stop()
        self.display = bool(message.text)
        self.post_message(self.Left(self))

    def on_field_left(self, message: Field.Left) -> None:
        message.stop()
        self.clear()
        self.post_message(self.Left(self))

    def on_key(self, event: events.Key) -> None:
        if event.key == "tab":
            event.stop()
            event.prevent_default()
            self.complete()

    def complete(self) -> None:
        """Complete the attribute or the value before the cursor."""
        field = self._field
        offered = complete(field.text, field.cursor, self._attributes, self._values)
        if offered is None:
            return
        common = offered.common
        begun = field.text[offered.start : offered.end]
        if len(offered.candidates) == 1 or len(common) > len(begun):
            field.put(offered.start, offered.end, common)
        if len(offered.candidates) > 1:
            self._offered = (field.text, (("   " + "  ".join(offered.candidates[:20]), "muted"),))
            self._read()

    def _read(self) -> None:
        read = parse(self._field.text, self._attributes, self._states)
        offered_for, offered = self._offered
        if isinstance(read, Query):
            self._field.mark_wrong(None)
            self._say(offered if offered_for == self._field.text else ())
            self.post_message(self.Filtered(self, read))
            return
        self._field.mark_wrong((read.start, read.end))
        self._say(offered if offered_for == self._field.text else self._complaint(read))
        self.post_message(self.Filtered(self, read.before))

    def _complaint(self, error: QueryError) -> Cell:
        before = width_of(self._field.text[: error.start]) + self._field.text_start
        carets = error.caret().lstrip()
        return ((" " * before, "text"), (carets, "error"), (f" {error.message}", "warn"))

    def _say(self, said: Cell) -> None:
        self._below.show(said)
        self._below.display = bool(said)


class _FilterField(Field):
    """The field of a filter: when it is left, the keys go back at once."""

    def do_field_accept(self) -> None:
        super().do_field_accept()
        self._give_back()

    def do_field_leave(self) -> None:
        super().do_field_leave()
        self._give_back()

    def _give_back(self) -> None:
        if isinstance(self.parent, FilterLine):
            self.parent.give_back()


class _Below(LineWidget):
    """What is wrong with the filter, or what Tab offers."""

    def __init__(self) -> None:
        super().__init__()
        self._said: Cell = ()

    def show(self, said: Cell) -> None:
        if said != self._said:
            self._said = said
            self.refresh()

    def line(self, y: int, width: int) -> list[Segment]:
        return self.fitted(self._said, width)
