"""A form whose texts make a change of the spec: fields, what is wrong with each, the effect."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence

from textual import events
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.timer import Timer

from evaltui.spec import Amendment
from evaltui.tui.dialogs.amending import AmendingDialog
from evaltui.tui.view import View
from evaltui.tui.widgets.field import Field
from evaltui.tui.widgets.form_field import FormField

PAUSE = 0.15
"""Seconds of quiet after a key before a change is worked out: planning a large set takes time."""


class FormDialog(AmendingDialog):
    """Fields, up and down between them; Enter takes the whole form, Esc leaves it."""

    DEFAULT_CSS = """
    FormDialog #fields { height: auto; max-height: 12; scrollbar-size: 0 0; }
    """

    def __init__(self, view: View, title: str) -> None:
        super().__init__(view, title)
        self._waits: Timer | None = None

    @abstractmethod
    def fields(self) -> Sequence[FormField]:
        """Its fields, made new, in order."""

    @abstractmethod
    def read(self, *, whole: bool) -> Amendment | None:
        """The change that the texts make, or None, with what is wrong said at the fields.

        whole: the form is to be taken, so what is missing is wrong too.
        """

    def head(self) -> ComposeResult:
        with VerticalScroll(id="fields", can_focus=False):
            yield from self.fields()

    def on_mount(self) -> None:
        self.lines[0].field.focus()
        self.propose(self.read(whole=False))

    @property
    def settled(self) -> bool:
        return super().settled and self._waits is None

    @property
    def lines(self) -> tuple[FormField, ...]:
        return tuple(self.query(FormField))

    def line(self, key: str) -> FormField:
        """The field of that name."""
        return next(line for line in self.lines if line.key == key)

    def text(self, key: str) -> str:
        return self.line(key).text

    @property
    def _current(self) -> int:
        found = [n for n, line in enumerate(self.lines) if line.field.has_focus]
        return found[0] if found else 0

    def on_field_changed(self, message: Field.Changed) -> None:
        message.stop()
        line = next(line for line in self.lines if line.field is message.field)
        if line.typed():
            line.say(())
            line.offer()
        self.message_line.say(())
        if self._waits is not None:
            self._waits.stop()
        self._waits = self.set_timer(PAUSE, self._read_again)

    def _read_again(self) -> None:
        self._waits = None
        self.propose(self.read(whole=False))

    def on_field_submitted(self, message: Field.Submitted) -> None:
        message.stop()
        if self._waits is not None:
            self._waits.stop()
            self._waits = None
        change = self.read(whole=True)
        self.propose(change)
        if change is None:
            self._go_to_first_wrong()
        self.accept()

    def _go_to_first_wrong(self) -> None:
        wrong = next((line for line in self.lines if line.complaint), None)
        if wrong is not None:
            wrong.field.focus(scroll_visible=True)

    def on_field_left(self, message: Field.Left) -> None:
        message.stop()
        self.do_back()

    def on_key(self, event: events.Key) -> None:
        step = {"down": 1, "tab": 1, "up": -1, "shift+tab": -1}.get(event.key)
        if step is None or self.message_line.asking:
            super().on_key(event)
            return
        event.stop()
        event.prevent_default()
        if event.key == "tab" and self.lines[self._current].complete():
            return
        lines = self.lines
        lines[(self._current + step) % len(lines)].field.focus(scroll_visible=True)
