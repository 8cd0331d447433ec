"""A field of a form: a name, a line to type in, and below it what is wrong or what completes it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical

from evaltui.tui.runs import Cell, cell, cut, fit, width_of
from evaltui.tui.widgets.block import Block
from evaltui.tui.widgets.field import Field

Completion = Callable[[str], tuple[Sequence[str], str]]
"""What is typed -> (candidates, the beginning that all of them share)."""

_MOST_OFFERED = 12
_LONGEST_COMPLAINT = 160
_QUOTED = 70


class HintedField(Field):
    """A field that says what belongs in it as long as it is empty, with the keys too."""

    def line(self, y: int, width: int) -> list[Segment]:
        start = min(self.text_start, width)
        if self.text or not self._hint or not self.has_focus or width - start < 2:
            return super().line(y, width)
        look = self.look
        return [
            *look.segments(fit(self._label, start, ascii_only=look.ascii_only)),
            Segment(" ", look.style("field") + Style(reverse=True)),
            *self.fitted(((self._hint, "muted"),), width - start - 1),
        ]


class WholeField(HintedField):
    """A field whose first key replaces all of its text: a value is rarely mended, mostly replaced.

    A key that moves the cursor or takes a letter away keeps the text.
    """

    _untouched = True

    def on_key(self, event: events.Key) -> None:
        if self._untouched and event.is_printable and event.character is not None:
            self.set_text("")
        self._untouched = False
        super().on_key(event)

    def on_paste(self, event: events.Paste) -> None:
        if self._untouched:
            self.set_text("")
        self._untouched = False
        super().on_paste(event)
        event.prevent_default()  # Textual would call the handlers of the base once more

    def line(self, y: int, width: int) -> list[Segment]:
        if not (self._untouched and self.has_focus):
            return super().line(y, width)
        start = min(self.text_start, width)
        look = self.look
        label = look.segments(fit(self._label, start, ascii_only=look.ascii_only))
        shown = cut(self.text, width - start, ascii_only=look.ascii_only)
        rest = width - start - width_of(shown)
        return [
            *label,
            Segment(shown, look.style("field", "cursor")),
            Segment(" " * rest, look.style("field")),
        ]


class FormField(Vertical):
    """One named line. Tab completes it where there is something to complete.

    whole: typing replaces the text that it begins with.
    """

    DEFAULT_CSS = """
    FormField { height: auto; }
    FormField > Field { height: 1; }
    """

    def __init__(
        self,
        name: str,
        label_width: int,
        *,
        text: str = "",
        hint: str = "",
        whole: bool = False,
        completion: Completion | None = None,
        id: str | None = None,
    ) -> None:
        super().__init__(id=id)
        self.key = name
        label = cut(name, label_width).ljust(label_width)
        kind = WholeField if whole and text else HintedField
        self.field = kind(((label, "muted"), ("  ", "text")), text=text, hint=hint)
        self._indent = " " * (label_width + 2)
        self._below = Block(indent=label_width + 2)
        self._completion = completion
        self._cycled: tuple[Sequence[str], int] | None = None

    def compose(self) -> ComposeResult:
        yield self.field
        yield self._below

    @property
    def text(self) -> str:
        return self.field.text

    @property
    def complaint(self) -> str:
        """What is said to be wrong; empty where nothing is."""
        return self._complaint

    _complaint = ""

    def say(self, lines: Sequence[Cell]) -> None:
        """Show these lines below the text, and that nothing is wrong with it."""
        self._complaint = ""
        self.field.mark_wrong(None)
        self._below.set([((self._indent, "text"), *line) for line in lines])

    def complain(self, sentence: str) -> None:
        """Show what is wrong, in a line or two, however long a text it quotes."""
        if len(sentence) > _LONGEST_COMPLAINT:
            middle = " … " if not self.field.look.ascii_only else " ... "
            sentence = f"{sentence[:_QUOTED]}{middle}{sentence[-_QUOTED:]}"
        self._complaint = sentence
        self.field.mark_wrong((0, len(self.text)))
        self._below.set([((self._indent, "text"), (sentence, "error"))])

    def offer(self) -> None:
        """Show what would complete the text, while it is being typed."""
        self._cycled = None
        if self._completion is None or not self.text:
            return
        candidates, _ = self._completion(self.text)
        if candidates:
            self.say([_offered(candidates, None)])

    def complete(self) -> bool:
        """Complete the text, the next candidate each time; whether there was any to take."""
        if self._cycled is not None:
            candidates, at = self._cycled
            return self._take(candidates, (at + 1) % len(candidates))
        if self._completion is None:
            return False
        candidates, common = self._completion(self.text)
        if not candidates:
            return False
        if len(common) > len(self.text) and len(candidates) > 1:
            self.field.put(0, len(self.text), common)
            self.say([_offered(candidates, None)])
            return True
        return self._take(candidates, 0)

    def _take(self, candidates: Sequence[str], at: int) -> bool:
        self.field.put(0, len(self.text), candidates[at])
        self.say([_offered(candidates, at)])
        if len(candidates) > 1:
            self._cycled = (candidates, at)
        return True

    def typed(self) -> bool:
        """Whether the text is no candidate that was cycled to: somebody typed on."""
        if self._cycled is None:
            return True
        candidates, at = self._cycled
        return self.text != candidates[at]


def _offered(candidates: Sequence[str], at: int | None) -> Cell:
    first = max(0, (at or 0) - _MOST_OFFERED + 1)
    shown = candidates[first : first + _MOST_OFFERED]
    runs = [
        (f"{name}  ", "accent" if at is not None and first + n == at else "muted")
        for n, name in enumerate(shown)
    ]
    more = len(candidates) - first - len(shown)
    return (*cell("Tab: ", "key"), *runs, *(cell(f"{more} more", "muted") if more else ()))
