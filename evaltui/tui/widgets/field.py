"""A line to type in. What is typed is text: pasted control characters are seen, never obeyed."""

from __future__ import annotations

from collections.abc import Collection

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.message import Message

from evaltui.tui.actions import Place
from evaltui.tui.edit import Edit
from evaltui.tui.runs import Cell, clean, fit, width_of
from evaltui.tui.widgets.line_panel import LineWidget

_REVERSE = Style(reverse=True)
_UNDERLINE = Style(underline=True)


class Field(LineWidget, can_focus=True):
    """One line of text being typed.

    While it has the focus, keys are letters; those that edit nothing go on to the screen, which
    ends it through `do_field_accept` and `do_field_leave`.
    """

    place = Place.FIELD

    class Changed(Message):
        """The text is another one."""

        def __init__(self, field: Field, text: str) -> None:
            super().__init__()
            self.field = field
            self.text = text

        @property
        def control(self) -> Field:
            return self.field

        def can_replace(self, message: Message) -> bool:
            return isinstance(message, Field.Changed) and message.field is self.field

    class Submitted(Message):
        """The text is taken."""

        def __init__(self, field: Field, text: str) -> None:
            super().__init__()
            self.field = field
            self.text = text

        @property
        def control(self) -> Field:
            return self.field

    class Left(Message):
        """The field is left without it."""

        def __init__(self, field: Field) -> None:
            super().__init__()
            self.field = field

        @property
        def control(self) -> Field:
            return self.field

    def __init__(
        self,
        label: Cell = (),
        *,
        text: str = "",
        hint: str = "",
        commands: Collection[str] = (),
        id: str | None = None,
    ) -> None:
        """commands: keys that are no letters as long as nothing is typed."""
        super().__init__(id=id)
        self._commands = frozenset(commands)
        self._label = label
        self._edit = Edit.at_end(text)
        self._hint = hint
        self._first = 0
        self._wrong: tuple[int, int] | None = None

    @property
    def text(self) -> str:
        return self._edit.text

    @property
    def cursor(self) -> int:
        return self._edit.cursor

    def set_text(self, text: str) -> None:
        """Another text, the cursor at its end. Nobody is told."""
        self._edit = Edit.at_end(text)
        self.refresh()

    def put(self, start: int, end: int, text: str) -> None:
        """A completion: another text in place of a part, as if it had been typed."""
        self._become(self._edit.replace(start, end, text))

    def mark_wrong(self, span: tuple[int, int] | None) -> None:
        """Show a part of the text as wrong, or none."""
        if span != self._wrong:
            self._wrong = span
            self.refresh()

    @property
    def text_start(self) -> int:
        """The cell where the text begins."""
        return sum(width_of(clean(text, self.look.ascii_only)) for text, _ in self._label)

    def line(self, y: int, width: int) -> list[Segment]:
        look = self.look
        start = min(self.text_start, width)
        label = look.segments(fit(self._label, start, ascii_only=look.ascii_only))
        room = width - start
        if room < 2:
            return [*label, *self.blank(room)]
        if not self._edit.text and self._hint and not self.has_focus:
            return [*label, *self.fitted(((self._hint, "muted"),), room)]
        return [*label, *self._text_segments(room)]

    def _text_segments(self, room: int) -> list[Segment]:
        look = self.look
        view = self._edit.view(room, self._first, ascii_only=look.ascii_only)
        self._first = view.first
        plain = look.style("field")
        start, end = self._wrong or (0, 0)
        segments: list[Segment] = []
        for piece in view.pieces:
            style = look.style("error") + _UNDERLINE if start <= piece.start < end else plain
            at_cursor = self.has_focus and piece.start == self._edit.cursor
            segments.append(Segment(piece.shown, style + _REVERSE if at_cursor else style))
        blank = room - sum(piece.width for piece in view.pieces)
        if blank and self.has_focus and self._edit.cursor == len(self._edit.text):
            segments.append(Segment(" ", plain + _REVERSE))
            blank -= 1
        return [*segments, Segment(" " * blank, plain)] if blank else segments

    def watch_has_focus(self, has_focus: bool) -> None:
        super().watch_has_focus(has_focus)
        self.refresh()

    def do_field_accept(self) -> None:
        self.post_message(self.Submitted(self, self._edit.text))

    def do_field_leave(self) -> None:
        self.post_message(self.Left(self))

    def on_key(self, event: events.Key) -> None:
        if not self.text and event.key in self._commands:
            return
        if (edited := self._edit.press(event.key)) is not None:
            self._become(edited)
        elif event.is_printable and event.character is not None:
            self._become(self._edit.insert(event.character))
        else:
            return
        event.stop()
        event.prevent_default()

    def on_paste(self, event: events.Paste) -> None:
        event.stop()
        self._become(self._edit.insert(event.text))

    def on_click(self, event: events.Click) -> None:
        shown = self._edit.view(self.size.width, self._first, ascii_only=self.look.ascii_only)
        at = self.text_start
        for piece in shown.pieces:
            at += piece.width
            if at > event.x:
                self._become(Edit(self._edit.text, piece.start))
                return
        self._become(Edit.at_end(self._edit.text))

    def _become(self, edited: Edit) -> None:
        changed = edited.text != self._edit.text
        self._edit = edited
        self.refresh()
        if changed:
            self.post_message(self.Changed(self, edited.text))
