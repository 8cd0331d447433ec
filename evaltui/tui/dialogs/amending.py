"""What all dialogs share that change the spec: the effect shown, the change returned.

They return an `Amendment` and save nothing; whoever opened one amends the spec. While a set runs, a
change that makes it run more is asked about once more, with No as the answer of Enter.
"""

from __future__ import annotations

from collections.abc import Sequence

from textual.app import ComposeResult
from textual.message import Message

from evaltui.engine.state import CellState
from evaltui.spec import Amendment, SetSpec, amended
from evaltui.text import Glyphs
from evaltui.tui.change_words import said_otherwise
from evaltui.tui.effect_words import change_title, effect_lines, leaving_lines, unchecked_line
from evaltui.tui.foresight import Effect, effect, sizes_of
from evaltui.tui.picture import Preview
from evaltui.tui.runs import Cell, cell
from evaltui.tui.screens.dialog import Dialog
from evaltui.tui.view import View
from evaltui.tui.widgets.block import Block
from evaltui.tui.widgets.frame import Frame

_EFFECT_LINES = 5
_GIVING = (("otherwise", 1), ("effect", 3), ("named", 1), ("fields", 2))
_UNCHANGED = "Nothing was changed."


class AmendingDialog(Dialog):
    """A box that ends in what a change would do and how it is said otherwise."""

    DEFAULT_CSS = """
    AmendingDialog > #box { width: 92%; max-width: 100; }
    AmendingDialog #effect { margin-top: 1; }
    AmendingDialog #otherwise { margin-top: 1; }
    """

    class Foreseen(Message):
        """The reading thread has worked out what a change would lead to."""

        def __init__(self, change: Amendment, preview: Preview) -> None:
            super().__init__()
            self.change = change
            self.preview = preview

    def __init__(self, view: View, title: str) -> None:
        super().__init__()
        self.view = view
        self._title = title
        self._change: Amendment | None = None
        self._effect: Effect | None = None
        self._leaving: tuple[CellState, ...] = ()
        self._accepting = False

    # For each dialog

    def head(self) -> ComposeResult:
        """What stands above the effect."""
        yield from ()

    def foot(self) -> ComposeResult:
        """What stands below the effect."""
        yield from ()

    def remarks(self) -> Sequence[Cell]:
        """Lines below the effect that it does not know of itself."""
        return ()

    def subtitle(self) -> Cell:
        """What stands at the right of the title."""
        return ()

    # What it asks and returns

    @property
    def title_cell(self) -> Cell:
        return cell(self._title, "accent")

    @property
    def glyphs(self) -> Glyphs:
        return self.shell.look.glyphs

    @property
    def change(self) -> Amendment | None:
        """The change that is shown; None while what is typed is none."""
        return self._change

    @property
    def effect(self) -> Effect | None:
        """What it would do; None while that is being worked out."""
        return self._effect

    @property
    def settled(self) -> bool:
        """Whether the effect of what is asked for now is shown."""
        return self._effect is not None

    def box(self) -> ComposeResult:
        with Frame(self.title_cell, self.subtitle(), giving=_GIVING, id="frame"):
            yield from self.head()
            yield Block(least=_EFFECT_LINES, indent=2, id="effect")
            yield Block(indent=2, id="otherwise")
            yield from self.foot()

    def on_mount(self) -> None:
        if self.view.picture.engine != "none":
            self.view.check()  # takes the engine's loads, so that what runs is counted as it stands

    def propose(self, change: Amendment | None) -> None:
        """Show what this change would do; None shows nothing."""
        if change == self._change and (change is None or self._effect is not None):
            return
        self._change, self._effect = change, None
        self._show_effect()
        if change is not None:
            self.view.preview(change, lambda preview: self._send(change, preview))

    def _send(self, change: Amendment, preview: Preview) -> None:
        """In the reading thread: posting is the one thing that may be done here."""
        if self.is_running:
            self.post_message(self.Foreseen(change, preview))

    def on_amending_dialog_foreseen(self, message: Foreseen) -> None:
        if message.change != self._change:
            return  # something else was typed since
        picture, preview = self.view.picture, message.preview
        cells = picture.state.cells
        self._leaving = tuple(cells[key] for key in preview.removed if key in cells)
        self._effect = effect(
            preview,
            [problem.message for problem in picture.problems],
            sizes_of(picture, preview.spec),
            picture.spec.epochs if picture.spec else None,
        )
        self._show_effect()
        if self._accepting:
            self.accept()

    def accept(self) -> None:
        """Return the change, once its effect is known; a question first where it costs at once."""
        change, found = self._change, self._effect
        self._accepting = change is not None and found is None
        if change is None or found is None:
            return
        if found.trouble:
            self.say(found.trouble)
        elif self._is_as_it_was(change):
            self.say("Nothing would change: the set says so already.")
        elif self.view.picture.engine != "none" and (found.more_to_run > 0 or found.after.unknown):
            question = f"The set is running: {change_title(found)}, at once?"
            self.message_line.ask(
                cell(question, "warn"),
                lambda yes: self.dismiss(change) if yes else self.say(_UNCHANGED, "info"),
            )
        else:
            self.dismiss(change)

    def _is_as_it_was(self, change: Amendment) -> bool:
        spec = self.view.picture.spec or SetSpec()
        return amended(spec, change) == spec

    def say(self, sentence: str, token: str = "warn") -> None:
        self.shell.say(cell(sentence, token))  # which keeps it there for a while

    def _show_effect(self) -> None:
        self.query_one("#effect", Block).set(self._effect_lines())
        change = self._change
        otherwise = said_otherwise(self.view.layout.log_dir, change) if change else ()
        self.query_one("#otherwise", Block).set([cell(line, "muted") for line in otherwise])

    def _effect_lines(self) -> list[Cell]:
        if self._change is None:
            return list(self.remarks())
        if self._effect is None:
            return [cell("working out what it would do", "muted")]
        lines = [*effect_lines(self._effect, self.glyphs), *self.remarks()]
        lines += leaving_lines(sum(each.status == "running" for each in self._leaving))
        if self._effect.trouble:
            lines.append((("! ", "error"), (self._effect.trouble, "text")))
        if unchecked := unchecked_line(self._effect):
            lines.append(unchecked)
        if self.view.picture.engine != "none":
            lines.append(cell("the set is running and takes this up at once", "muted"))
        return lines
