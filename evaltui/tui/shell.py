"""The application around the set: look, keys, manners, crash and leaving. Knows no set.

A key becomes an action here (never in a widget), and an action that is off says why. The app of a
set derives from `Shell`, gives the `situation` and carries actions out in `do_<id>` methods.
"""

from __future__ import annotations

import asyncio
import gc
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from rich.text import Text
from textual import events
from textual.app import App, ComposeResult
from textual.filter import ANSIToTruecolor, LineFilter, Monochrome, NoColor
from textual.screen import Screen
from textual.widget import Widget

from evaltui.tui import terminal
from evaltui.tui.actions import Action, Keymap, Place, Risk, Situation, hints
from evaltui.tui.driver import QuietDriver
from evaltui.tui.look import Look
from evaltui.tui.runs import Cell, clean
from evaltui.tui.terminal import Manners
from evaltui.tui.widgets.hint_bar import HintBar
from evaltui.tui.widgets.message_line import MessageLine

if TYPE_CHECKING:
    from evaltui.themes import Theme

_NO_COLOUR = NoColor()
_NOT_DONE: Cell = (("Nothing was done.", "info"),)

_FROM_A_TEXT = frozenset({"view.palette", "app.redraw", "app.suspend", "app.leave"})

LEFT_THE_TERMINAL = 129
"""Exit code when the terminal went away."""


class ShellScreen(Screen[Any], inherit_bindings=False):
    """A screen of the app: its body, the message line and the hint bar.

    place: where the keys go while nothing in the screen has a place of its own.
    """

    DEFAULT_CSS = """
    ShellScreen { background: $look-ground; color: $look-text; layout: vertical; overflow: hidden; }
    """
    place: Place = Place.EVERYWHERE
    takes_keys = False
    AUTO_FOCUS: ClassVar[str | None] = None
    ESCAPE_TO_MINIMIZE: ClassVar[bool | None] = False

    def body(self) -> ComposeResult:
        """The widgets above the two lines at the bottom."""
        yield from ()

    def compose(self) -> ComposeResult:
        yield from self.body()
        yield MessageLine(id="message")
        yield HintBar(id="hints")

    @property
    def shell(self) -> Shell:
        app = self.app
        assert isinstance(app, Shell)
        return app

    @property
    def place_now(self) -> Place:
        """The place of the widget in focus, or of what it stands in."""
        focused: Any = self.focused
        while focused is not None and focused is not self:
            place = getattr(focused, "place", None)
            if isinstance(place, Place):
                return place
            focused = focused.parent
        return self.place

    @property
    def message_line(self) -> MessageLine:
        return self.query_one("#message", MessageLine)

    def on_mount(self) -> None:
        self.update_hints()
        self.call_later(self._take_keys)

    def _take_keys(self) -> None:
        """From now on keys are for this screen; those typed while it was made come first."""
        self.takes_keys = True
        self.shell.type_again()

    def on_descendant_focus(self, _: events.DescendantFocus) -> None:
        self.update_hints()

    def on_hint_bar_chosen(self, message: HintBar.Chosen) -> None:
        self.shell.perform(message.action)

    def on_key(self, event: events.Key) -> None:
        action = self.shell.keys.find(event.key, self.place_now)
        if action is not None:
            event.stop()
            event.prevent_default()
            self.shell.perform(action.id)
        else:
            self.meant_elsewhere(event)

    def meant_elsewhere(self, event: events.Key) -> None:
        """A key that means nothing where it was typed. From a text, those that are no letters
        still do what they do everywhere: the text is taken first.
        """
        action = self.shell.keys.find(event.key, Place.EVERYWHERE)
        if action is None or event.is_printable or action.id not in _FROM_A_TEXT:
            return
        accept = getattr(self.focused, "do_field_accept", None)
        if accept is not None:
            accept()
        self.shell.perform(action.id)

    def renew(self) -> None:
        """What can be done on the screen below is something else now."""

    def update_hints(self) -> None:
        """Show the hints of the place in focus as things stand now; so do dialogs in front."""
        shell = self.shell
        situation = shell.situation(self)
        front = shell.screen
        if front is self:
            shell.take_back(situation)
        elif isinstance(front, ShellScreen) and front.is_mounted:
            front.renew()
        offers = hints(shell.keys, self.place_now, situation, ascii_only=shell.look.ascii_only)
        titles: Mapping[str, str] = getattr(self.focused, "titles", {})
        offers = [offer.called(titles.get(offer.action.id)) for offer in offers]
        offers = [offer for offer in offers if offer.action.title]
        for bar in self.query("#hints").results(HintBar):
            bar.set(offers)


class Shell(App[int], inherit_bindings=False):
    """The application. Its result is the exit code."""

    ENABLE_COMMAND_PALETTE = False

    def __init__(self, theme: Theme, keys: Keymap, manners: Manners) -> None:
        super().__init__(driver_class=QuietDriver, ansi_color=theme.colours != "rgb")
        self.keys = keys
        self.manners = manners
        self.animation_level = "none"
        # Widgets that each screen would be given, for what the message line says.
        self._disable_notifications = self._disable_tooltips = True
        self.terminal: QuietDriver | None = None
        self._undo_signals: Callable[[], None] | None = None
        self._title_now = ""
        self._typed_early: list[events.Event] = []
        self._refused: Action | None = None
        self.look = Look(theme, manners.ascii_only)
        self.use_look(self.look)

    # For the app of a set

    def situation(self, on: Screen[Any] | None = None) -> Situation:
        """What decides whether actions can be used, as things stand now.

        on: the screen that they would be used on, where it is not the one in front.
        """
        return Situation()

    def preview(self, action: Action) -> None:
        """Show what an action of risk 2 would do, and carry it out if the user says so."""
        self.carry_out(action)

    def question(self, action: Action) -> str:
        """What an action of risk 1 asks."""
        return f"{action.title}?"

    def key_came(self) -> None:
        """A key was typed: what was said about the one before has been read."""

    def leave(self, code: int = 0) -> None:
        """End the screen with this exit code. The app of a set hands its engine over first."""
        self.exit(code, return_code=code)

    # Keys

    async def on_event(self, event: events.Event) -> None:
        """Take keys at once, in the order they were typed.

        Textual hands a key to the queue of one widget after the other, so that what is typed fast
        goes to whoever had the focus before.
        """
        if isinstance(event, events.AppBlur):
            return  # that another window has the focus changes nothing here
        taken = isinstance(event, events.Key | events.Paste) and not event.is_forwarded
        if not taken or not self._take(event):
            await super().on_event(event)

    def _take(self, event: events.Event) -> bool:
        screen = self.screen
        if not isinstance(screen, ShellScreen):
            return False
        if not screen.takes_keys:
            self._typed_early.append(event)
            return True
        self.key_came()
        handler = "on_key" if isinstance(event, events.Key) else "on_paste"
        node: Any = screen.focused or screen
        while node is not None:
            method = getattr(node, handler, None)
            if method is not None:
                method(event)
            if node is screen or event._stop_propagation:
                break
            node = node.parent
        return True

    def type_again(self) -> None:
        """Take the keys that were typed while a screen was made."""
        typed, self._typed_early = self._typed_early, []
        for event in typed:
            self._take(event)

    # Actions

    def perform(self, action_id: str) -> None:
        """Do what the user asked for: at once, after a question, or behind a preview."""
        action = self.keys[action_id]
        situation = self.situation()
        off = action.off(situation)
        if off is not None:
            self.say(((f"{action.title}: {off}", "warn"),))
            self._refused = action
            return
        match action.weigh(situation):
            case Risk.ACT:
                self.carry_out(action)
            case Risk.ASK:
                self.ask(((self.question(action), "warn"),), lambda: self.carry_out(action))
            case Risk.PREVIEW:
                self.preview(action)
        screen = self.screen
        if isinstance(screen, ShellScreen) and screen.is_mounted:
            screen.update_hints()

    def carry_out(self, action: Action) -> None:
        """Call `do_<id>` of the widget in focus, of the screen, or of the app.

        One that returns False leaves it to the next. What ends a text goes to the screen first,
        so that a dialog is closed before the next key is looked at.
        """
        name = action.method
        nodes = (self.focused, self.screen, self)
        for node in reversed(nodes[:2]) if Place.FIELD in action.places else nodes:
            method = getattr(node, name, None)
            if method is not None and method() is not False:
                return

    def do_panel_next(self) -> None:
        self.screen.focus_next()

    def do_panel_previous(self) -> None:
        self.screen.focus_previous()

    def do_back(self) -> None:
        """One step back; never out of the app."""
        if len(self.screen_stack) > 1:
            self.pop_screen()

    def do_view_help(self) -> None:
        from evaltui.tui.screens.help import help_dialog

        self._pick_action(help_dialog)

    def do_view_palette(self) -> None:
        from evaltui.tui.screens.help import palette_dialog

        self._pick_action(palette_dialog)

    def _pick_action(self, dialog: Callable[..., Screen[str | None]]) -> None:
        """Show a list of actions and perform the one that is picked, where the user was."""
        screen = self.screen
        if isinstance(screen, ShellScreen):
            made = dialog(
                self.keys,
                screen.place_now,
                lambda: self.situation(screen),
                ascii_only=self.look.ascii_only,
            )
            self.push_screen(made, lambda picked: self.perform(picked) if picked else None)

    def do_app_redraw(self) -> None:
        if self.terminal is not None:
            self.terminal.forget()
        self.screen.refresh(layout=True)

    def do_app_suspend(self) -> None:
        self.action_suspend_process()
        self.call_later(self.do_app_redraw)

    def do_app_leave(self) -> None:
        self.leave()

    # What is said

    def take_back(self, situation: Situation) -> None:
        """Say no longer that an action is off which is on by now."""
        if self._refused is not None and self._refused.off(situation) is None:
            self.say(())
            self.key_came()

    def say(self, said: Cell) -> None:
        """Show a message on the screen in front, or take it away."""
        self._refused = None
        line = self._message_line()
        if line is not None:
            line.say(said)

    def ask(self, question: Cell, yes: Callable[[], object]) -> None:
        """Ask yes or no in the bottom line; `yes` is called on yes."""
        line = self._message_line()
        if line is not None:
            line.ask(question, lambda answer: yes() if answer else self.say(_NOT_DONE))

    def _message_line(self) -> MessageLine | None:
        screen = self.screen
        if isinstance(screen, ShellScreen) and screen.is_mounted:
            return screen.message_line
        return None

    # Look

    def use_look(self, look: Look) -> None:
        """Draw with another look from now on."""
        self.look = look
        css = look.css()
        self.register_theme(css)
        if not self.is_running:
            # Before any CSS was read: as a change, all of it would be read a second time.
            self.set_reactive(App.theme, css.name)
            self.stylesheet.set_variables(self.get_css_variables())
        else:
            self.ansi_color = look.theme.colours != "rgb"
            self.theme = css.name
            self.do_app_redraw()
            for widget in self.screen.walk_children(Widget):
                widget.refresh()

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Textual's filters, less its greys for NO_COLOR; a theme without colour has none at all.

        Nor does it make true colours of the terminal's own: a look has the one or the other.
        """
        ours = (Monochrome, NoColor, ANSIToTruecolor)
        kept = [filter for filter in super().get_line_filters() if not isinstance(filter, ours)]
        return [*kept, _NO_COLOUR] if self.look.theme.colours == "none" else kept

    # Manners

    def terminal_ready(self, driver: QuietDriver) -> None:
        self.terminal = driver

    def terminal_lost(self) -> None:
        """The terminal is gone: there is nobody to show anything to."""
        self.leave(LEFT_THE_TERMINAL)

    def send(self, sequence: str) -> None:
        """Send a sequence to the terminal, if there is one."""
        if self.terminal is not None and sequence:
            self.terminal.write(sequence)

    def set_window_title(self, title: str) -> None:
        if self.manners.title and title != self._title_now:
            push = "" if self._title_now else terminal.TITLE_PUSH
            self.send(push + terminal.title_sequence(title))
            self._title_now = title

    def show_progress(self, share: float | None) -> None:
        """Progress in the terminal's tab; None takes it away."""
        if self.manners.progress:
            self.send(terminal.progress_sequence(share))

    def draw_attention(self, text: str) -> None:
        """The bell and a desktop notification, as far as the user wants them."""
        if self.manners.bell:
            self.send("\x07")
        if self.manners.notify:
            self.send(terminal.notify_sequence(text, tmux=self.manners.tmux))

    def copy_text(self, text: str) -> str:
        """Copy a text; a sentence that says where it went."""
        from evaltui.tui import clipboard

        return clipboard.copy(text, os.environ, self.send, clipboard.clipboard_path())

    def on_load(self) -> None:
        self._undo_signals = terminal.leave_on_signals(asyncio.get_running_loop(), self.leave)

    def on_ready(self) -> None:
        """Look for garbage again (see `terminal.prepare`), but not among what stays."""
        gc.freeze()
        gc.enable()

    def on_resize(self, _: events.Resize) -> None:
        if self.terminal is not None:
            self.terminal.forget()

    def on_unmount(self) -> None:
        if self._undo_signals is not None:
            self._undo_signals()
        self.show_progress(None)
        if self._title_now:
            self.send(terminal.TITLE_POP)

    def _fatal_error(self) -> None:
        """Textual's crash screen prints local variables, and keys among them; ours does not."""
        from evaltui.tui import crash

        error = sys.exc_info()[1]
        line = crash.report(error) if error is not None else "evaltui: the screen ended"
        self.panic(Text(clean(line)))
