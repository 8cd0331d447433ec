"""What the actions do to a set: the app's methods by action id. Each goes out through the view."""

from __future__ import annotations

import shlex
from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from evaltui.text import ASCII, UNICODE, Glyphs
from evaltui.tui import browsing
from evaltui.tui.actions import Action, Risk
from evaltui.tui.keys import key_label
from evaltui.tui.runs import cell
from evaltui.tui.shell import Shell
from evaltui.tui.view import View, ViewError

if TYPE_CHECKING:
    from evaltui.spec import Amendment
    from evaltui.tui.taking_out import Leaving

_NOT_DONE = {
    "set.resume": "Nothing was started.",
    "cell.retry": "Nothing runs again.",
    "cell.errored": "Nothing runs again.",
    "cell.cancel": "Nothing was cancelled.",
    "cell.drop": "Nothing was given up.",
}
_CANCEL_AGAIN = "Stop it at once? Samples that run are lost, finished ones are kept."


class Commanding(Shell):
    """The app's actions on the set."""

    view: View

    @property
    @abstractmethod
    def targets(self) -> tuple[str, ...]:
        """Keys of the cells that an action takes."""

    @property
    @abstractmethod
    def row_targets(self) -> tuple[str, ...]:
        """Keys of the rows of the list in focus that an action takes."""

    @property
    @abstractmethod
    def lane(self) -> str | None:
        """The lane under the cursor, where the lanes have the keys."""

    @property
    def glyphs(self) -> Glyphs:
        return ASCII if self.look.ascii_only else UNICODE

    # --- saying what comes of it --------------------------------------------------------------

    def trying(self, job: Callable[[], object], said: str = "") -> None:
        """Do something that may be refused, and say what came of it."""
        try:
            answer = job()
        except ViewError as why:
            self.say(cell(str(why), "error"))
            return
        said = said or (answer if isinstance(answer, str) else "")
        if said:
            self.say(cell(said, "info"))

    def amend(self, change: Amendment | None) -> None:
        """Write a change of the spec that a dialog returned, and say so."""
        if change is None or change.empty:
            self.say(cell("Nothing was changed.", "info"))
            return
        running = self.view.picture.engine != "none"
        then = "the set takes it up" if running else "s runs what is left"
        self.trying(lambda: self.view.amend(change) and None, f"Saved in evalset.toml; {then}.")

    # --- risk ---------------------------------------------------------------------------------

    def question(self, action: Action) -> str:
        key = next(iter(self.targets), None)
        state = self.view.picture.state.cells.get(key) if key else None
        name = f"{state.cell.task} {self.glyphs.times} {state.cell.model}" if state else ""
        match action.id:
            case "cell.cancel" if key is not None and self.view.is_draining(key):
                return f"{name}: {_CANCEL_AGAIN[0].lower()}{_CANCEL_AGAIN[1:]}"
            case "cell.cancel":
                return f"Cancel {name}? Running samples finish, no more start; x again stops them."
            case "cell.retry":
                return f"Run {name} again now?{self._starts_others()}"
            case "cell.drop":
                return f"Give up the next run of {name}?"
            case "set.undo":
                trashed = self.view.picture.state.trashed
                return f"Bring {trashed[-1].log} back from the trash?" if trashed else ""
            case "set.hold":
                held = self.view.picture.state.held
                return "Release the set?" if held else "Hold the set? Nothing new starts."
            case "set.stop" if self.view.stopping:
                return "Stop the set at once? Samples that run are lost, finished ones are kept."
            case "set.stop":
                return "Stop the set? Running samples finish, no more start."
            case _:
                return super().question(action)

    def _starts_others(self) -> str:
        """What else a start of the set brings with it, where nobody minds it; empty where not."""
        picture, targets = self.view.picture, set(self.targets)
        if picture.engine != "none" or picture.plan is None:
            return ""
        others = [
            plan
            for plan in picture.plan.cells
            if plan.key not in targets and plan.action in ("run", "merge", "rescore")
        ]
        if not others:
            return " This starts the set."
        cells = "1 other cell runs" if len(others) == 1 else f"{len(others)} other cells run"
        return f" This starts the set: {cells} too."

    def preview(self, action: Action) -> None:
        """Risk 2. Dialogs that change the spec are previews themselves; the others get one."""
        made = self._previewed(action)
        if made is None and action.risk is Risk.ASK:
            self.ask(cell(self.question(action), "warn"), lambda: self.carry_out(action))
            return
        if made is None:
            self.carry_out(action)
            return
        from evaltui.tui.dialogs.preview import PreviewDialog

        title, lines, command, yes = made
        dialog = PreviewDialog(title, lines, self.view.picture, command, yes)
        self.push_screen(dialog, lambda go: self.carry_out(action) if go else self._left(action))

    def _left(self, action: Action) -> None:
        """A preview was closed without a yes."""
        said = _NOT_DONE.get(action.id, "Nothing was done.")
        keys = self.keys[action.id].keys
        if keys:
            label = key_label(keys[0], ascii_only=self.look.ascii_only)
            said += f" {label} shows this again; there {self._yes_key} does it."
        self.say(cell(said, "info"))

    @property
    def _yes_key(self) -> str:
        keys = self.keys["choice.yes"].keys
        return key_label(keys[0], ascii_only=self.look.ascii_only) if keys else "the other word"

    def _previewed(self, action: Action) -> tuple[str, Any, str, str] | None:
        """Title, lines, command and the word for yes of an action's preview."""
        from evaltui.tui import previews

        view, keys, glyphs = self.view, self.targets, self.glyphs
        log_dir = view.layout.log_dir
        effects = {
            "cell.retry": ("Run again now", "They run now instead of waiting.", "rerun"),
            "cell.cancel": (
                "Cancel",
                "Running samples finish, no more start; queued cells do not start.",
                "cancel",
            ),
            "cell.drop": ("Give up", "They will not run again by themselves.", "drop"),
            "cell.errored": (
                "Errored again",
                "Their errored samples run again; old results stay until new ones are there.",
                "",
            ),
        }
        if action.id == "set.resume":
            view.check()
            command = shlex.join(["evaltui", "run", str(log_dir)])
            return "Run what is left", lambda p: previews.resume_lines(p, glyphs), command, "Run"
        if action.id not in effects:
            return None
        title, said, order = effects[action.id]
        if action.id in ("cell.retry", "cell.errored"):
            said += self._starts_others()
        command = previews.send_command(log_dir, order, keys) if order else ""
        return (
            title,
            lambda picture: previews.cells_lines(picture, keys, glyphs, said),
            command,
            title,
        )

    # --- the set ------------------------------------------------------------------------------

    def do_set_resume(self) -> None:
        self.trying(self.view.start, "The set starts here; q leaves it running.")

    def do_set_stop(self) -> None:
        drained = self.view.stopping
        self.trying(lambda: self.view.stop(now=drained))

    def do_set_hold(self) -> None:
        held = self.view.picture.state.held
        self.trying(lambda: self.view.hold("set", (), held=not held))
        self._said_at_rest("Released the set." if held else "Held the set; nothing new starts.")

    def do_set_undo(self) -> None:
        self.trying(self.view.undo_cleanup)

    def _said_at_rest(self, said: str) -> None:
        """An engine answers for itself; where there is none the app does."""
        if self.view.picture.engine == "none":
            self.say(cell(said, "info"))

    # --- cells --------------------------------------------------------------------------------

    def do_cell_retry(self) -> None:
        keys = self.targets
        if self.view.picture.engine == "none":
            self._start_with("rerun", keys)
        else:
            self.trying(lambda: self.view.send("rerun", keys) and None)

    def do_cell_errored(self) -> None:
        keys = self.targets
        if self.view.picture.engine == "none":
            self._start_with("retry_errors", keys)
        else:
            self.trying(lambda: self.view.send("retry_errors", keys) and None)

    def _start_with(self, command: Any, keys: Sequence[str]) -> None:
        """Start the engine with a command for some cells waiting in its inbox."""

        def begin() -> None:
            self.view.send(command, keys)
            self.view.start()

        self.trying(begin, "The set starts here, with this first in its inbox.")

    def do_cell_cancel(self) -> None:
        keys = self.targets
        self.trying(lambda: self.view.send("cancel", keys) and None)

    def do_cell_drop(self) -> None:
        waiting = [
            key for key in self.targets if self.view.picture.state.cells[key].status == "waiting"
        ]
        self.trying(lambda: self.view.drop(waiting))
        self._said_at_rest("It will not run again by itself.")

    def do_cell_hold(self) -> None:
        state = self.view.picture.state
        lane = self.lane
        if lane is not None:
            held = state.lanes[lane].held
            self.trying(lambda: self.view.hold("lane", (lane,), held=not held))
            self._said_at_rest(f"{'Released' if held else 'Held'} the lane {lane}.")
            return
        keys = self.targets
        held = all(state.cells[key].held for key in keys)
        changed = [key for key in keys if state.cells[key].held == held]
        self.trying(lambda: self.view.hold("cell", changed, held=not held))
        self._said_at_rest(f"{'Released' if held else 'Held'} {len(changed)} of the cells.")

    # --- dialogs that change the spec -----------------------------------------------------------

    def do_set_add_model(self) -> None:
        from evaltui.tui.dialogs.add_model import AddModelDialog

        marked = self.targets if len(self.targets) > 1 else ()
        cells = [self.view.picture.state.cells[key].cell for key in marked]
        wanted = len({cell.load_key for cell in cells}) or None
        dialog = AddModelDialog(self.view, wanted=wanted, favourites=self.favourites)
        self.push_screen(dialog, self.amend)

    def do_set_remove_model(self) -> None:
        from evaltui.tui.taking_out import without_models

        self._take_out(without_models(self.view.picture, self.targets))

    def do_set_remove_task(self) -> None:
        from evaltui.tui.taking_out import without_tasks

        self._take_out(without_tasks(self.view.picture, self.targets))

    def _take_out(self, found: Leaving | None) -> None:
        from evaltui.tui.dialogs.take_out import TakeOutDialog

        if found is None:
            self.say(cell("the set was changed just now; try again", "warn"))
            return
        dialog = TakeOutDialog(self.view, found.named, found.change, found.cells)
        self.push_screen(dialog, self.amend)

    def do_set_epochs(self) -> None:
        self._ask_setting("epochs")

    def do_set_limit(self) -> None:
        self._ask_setting("limit")

    def do_set_threshold(self) -> None:
        self._ask_setting("fail_on_error")

    def _ask_setting(self, key: str) -> None:
        from evaltui.tui.dialogs.settings_of_set import SettingDialog

        self.push_screen(SettingDialog(self.view, key), self.amend)

    def do_task_toggle(self) -> None:
        from evaltui.tui.dialogs.task_toggle import ToggleTasksDialog

        tasks = browsing.tasks_of(self.view.picture, self.row_targets)
        if tasks:
            self.push_screen(ToggleTasksDialog(self.view, tasks), self.amend)
        else:
            self.say(cell("no task here: this file was left out", "warn"))

    def do_task_arguments(self) -> None:
        from evaltui.tui.dialogs.task_arguments import ArgumentsDialog

        tasks = browsing.tasks_of(self.view.picture, self.row_targets[:1])
        if len(tasks) == 1:
            self.push_screen(ArgumentsDialog(self.view, tasks[0]), self.amend)
        elif tasks:
            self.do_task_toggle()
        else:
            self.say(cell("no task here: this file was left out", "warn"))

    favourites: tuple[str, ...] = ()
    """Model names of the user's settings."""

    # --- copying and saying otherwise -----------------------------------------------------------

    def do_list_copy(self) -> None:
        from evaltui.tui.screens.picking import copy_dialog

        entries = self.copies()
        if not entries:
            self.say(cell("nothing to copy here", "warn"))
            return
        texts = dict(entries)

        def picked(name: str | None) -> None:
            if name is not None:
                self.say(cell(self.copy_text(texts[name]), "info"))

        self.push_screen(copy_dialog(entries), picked)

    def copies(self) -> list[tuple[str, str]]:
        """(what it is, text) of what the row under the cursor offers to copy."""
        picture = self.view.picture
        log_dir = picture.log_dir
        found: list[tuple[str, str]] = []
        for key in self.targets[:1]:
            state = picture.state.cells[key]
            found.append(("id", key))
            log = state.progress.log if state.progress and state.progress.log else state.log
            if log:
                found.append(("path", str(log_dir / log.rsplit("/", 1)[-1])))
            found.append(("row", f"{state.cell.task}\t{state.cell.model}\t{state.status}"))
        found += self.commands()
        return found

    def commands(self) -> list[tuple[str, str]]:
        """(what it does, command line) of what can be done here without the screen."""
        from evaltui.tui.previews import send_command

        log_dir = str(self.view.layout.log_dir)
        found = [
            ("run", shlex.join(["evaltui", "run", log_dir])),
            ("plan", shlex.join(["evaltui", "plan", log_dir])),
            ("status", shlex.join(["evaltui", "status", log_dir])),
            ("results", shlex.join(["evaltui", "results", log_dir])),
        ]
        keys = self.targets
        if keys and self.view.picture.engine != "none":
            orders = ("cancel", "rerun", "hold", "release")
            found += [(o, send_command(self.view.layout.log_dir, o, keys)) for o in orders]
        return found

    def do_list_command(self) -> None:
        from evaltui.tui.screens.picking import command_dialog

        commands = self.commands()
        texts = dict(commands)

        def picked(name: str | None) -> None:
            if name is not None:
                self.say(cell(self.copy_text(texts[name]), "info"))

        self.push_screen(command_dialog(commands), picked)

    # --- views --------------------------------------------------------------------------------

    def do_view_theme(self) -> None:
        from evaltui.tui.screens.picking import ThemeDialog

        self.push_screen(ThemeDialog())
