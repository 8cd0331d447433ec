"""The table of actions, and the rules for when each can be used. Pure.

To add an action, add a line here and carry it out in the app; hint bar, help, palette, the
document of keys and `[keys]` follow.
"""

from __future__ import annotations

from evaltui.tui.actions import Action, Place, Risk, Rule, Situation

_LISTS = (Place.TASKS, Place.CELLS, Place.LANES, Place.INSPECTOR, Place.CELL, Place.PLAN,
          Place.RESULTS)  # fmt: skip
_CELLS = (Place.CELLS, Place.CELL, Place.INSPECTOR)
_UNFINISHED = ("idle", "queued", "waiting", "failed", "stuck", "cancelled", "dropped")


def needs_row(situation: Situation) -> str | None:
    return None if situation.row else "no row here"


def needs_rows(situation: Situation) -> str | None:
    return None if situation.rows else "the list is empty"


def needs_cells(situation: Situation) -> str | None:
    return None if situation.all_cells else "no cells yet: add a task and a model"


def needs_spec(situation: Situation) -> str | None:
    return situation.frozen


def can_resume(situation: Situation) -> str | None:
    if not situation.all_cells:
        return needs_cells(situation)
    if situation.engine != "none":
        return "the set is running"
    if set(situation.cells) == {"complete"}:
        return "every cell is complete"
    return None


def can_cancel(situation: Situation) -> str | None:
    if not situation.target_cells:
        return "no cell here"
    if situation.count("running", "queued", "waiting"):
        return None if situation.engine != "none" else "nobody minds the set, so nothing runs"
    return "not running"


def can_retry(situation: Situation) -> str | None:
    if not situation.target_cells:
        return "no cell here"
    if situation.count("waiting", "failed", "stuck", "cancelled", "dropped"):
        return None
    if situation.count("complete") == situation.target_cells:
        return "complete; E runs its errored samples again"
    return "nothing failed here"


def can_drop(situation: Situation) -> str | None:
    return None if situation.count("waiting") else "no retry is due here"


def can_hold(situation: Situation) -> str | None:
    if situation.lane_cells:
        return None
    if not situation.target_cells:
        return "no cell or lane here"
    return "complete" if situation.count("complete") == situation.target_cells else None


def can_take_out(situation: Situation) -> str | None:
    if situation.frozen is not None:
        return situation.frozen
    return None if situation.target_cells or situation.lane_cells else "no cell or lane here"


def can_redo_errored(situation: Situation) -> str | None:
    return None if situation.targets_errored else "no errored samples were kept here"


def can_stop(situation: Situation) -> str | None:
    return None if situation.engine != "none" else "the set is not running"


def can_undo(situation: Situation) -> str | None:
    return None if situation.trashed else "no log was moved to the trash"


def can_compare(situation: Situation) -> str | None:
    return None if situation.rows > 1 else "there are no two scores to compare"


def can_jump(situation: Situation) -> str | None:
    return None if situation.running_rows else "no sample here is to be run"


def _go(name: str, title: str, help: str, *keys: str) -> Action:
    return Action(f"go.{name}", title, help, keys, "Moving", _LISTS)


def _panel(number: int, name: str) -> Action:
    return Action(
        f"panel.{number}", name, f"Go to the {name} panel.", (str(number),), "Moving"
    )  # fmt: skip


def _change(
    id: str,
    title: str,
    help: str,
    key: str,
    enabled: Rule,
    risk: Risk,
    places: tuple[Place, ...] = (Place.EVERYWHERE,),
    hint: int = 0,
) -> Action:
    return Action(id, title, help, (key,), "The set", places, risk, True, hint, enabled)


ACTIONS: tuple[Action, ...] = (
    _go("down", "down", "One row down.", "down", "j"),
    _go("up", "up", "One row up.", "up", "k"),
    _go("top", "top", "To the first row.", "g", "home"),
    _go("bottom", "bottom", "To the last row.", "G", "end"),
    _go("page_down", "half page down", "Half a page down.", "ctrl+d", "pagedown"),
    _go("page_up", "half page up", "Half a page up.", "ctrl+u", "pageup"),
    Action("go.left", "left", "To the model at the left.", ("left",), "Moving", (Place.RESULTS,)),
    Action("go.right", "right", "To the model at the right.", ("right",), "Moving",
           (Place.RESULTS,)),
    Action("go.next_run", "next to run", "To the next sample that runs.", ("n",), "Moving",
           (Place.INSPECTOR,), enabled=can_jump),
    Action("go.previous_run", "previous to run", "To the previous sample that runs.", ("N",),
           "Moving", (Place.INSPECTOR,), enabled=can_jump),
    _panel(1, "tasks"),
    _panel(2, "cells"),
    _panel(3, "inspector"),
    Action("panel.4", "output", "Go to the worker's output.", ("4",), "Moving", (Place.CELL,)),
    Action("panel.next", "next panel", "To the next panel.", ("tab",), "Moving"),
    Action("panel.previous", "previous panel", "To the previous panel.", ("shift+tab",), "Moving"),
    Action("panel.zoom", "zoom", "Give the panel the whole screen, or give it back.", ("z",),
           "Moving"),
    Action("open", "open", "Open what is under the cursor.", ("enter",), "Lists",
           (Place.CELLS, Place.LANES, Place.INSPECTOR, Place.CELL, Place.PLAN, Place.RESULTS),
           hint=1, enabled=needs_row),
    Action("back", "back", "One step back. It never leaves the app.", ("escape",), "Moving"),
    Action("field.accept", "accept", "Take what is typed, or what the cursor is on.", ("enter",),
           "Typing", (Place.FIELD,), hint=1),
    Action("field.leave", "close", "Leave without it.", ("escape",), "Typing",
           (Place.FIELD, Place.CHOICE), hint=4),
    Action("choice.take", "take", "Take the word under the cursor; the first one is the safe one.",
           ("enter",), "Choosing", (Place.CHOICE,), hint=1),
    Action("choice.yes", "yes", "Do it: take the last word.", ("y",), "Choosing", (Place.CHOICE,),
           hint=2),
    Action("choice.next", "next", "To the next word.", ("right", "l", "down", "tab"), "Choosing",
           (Place.CHOICE,), hint=3),
    Action("choice.previous", "previous", "To the word before.", ("left", "h", "up", "shift+tab"),
           "Choosing", (Place.CHOICE,)),
    Action("list.filter", "filter", "Show only the rows that match: text, key:a,b, !term, err>0,"
           " is:failed, ~fuzzy, \"quoted\".", ("slash",), "Lists", hint=20),
    Action("list.mark", "mark", "Mark the row, or unmark it; actions take the marked rows.",
           ("space",), "Lists", (Place.CELLS, Place.CELL, Place.RESULTS), enabled=needs_row),
    Action("list.range", "range", "Mark all rows from here to where the cursor goes.", ("v",),
           "Lists", (Place.CELLS, Place.TASKS, Place.CELL, Place.RESULTS), enabled=needs_row),
    Action("list.sort", "sort", "Sort by another column.", ("S",), "Lists", _LISTS,
           enabled=needs_rows),
    Action("list.wide", "wide", "Show attributes that all rows share as columns again; of results,"
           " every score in a line of its own.", ("w",), "Lists", _LISTS),
    Action("list.copy", "copy", "Copy the id, the path, the row or the command.", ("y",), "Lists",
           enabled=needs_row),
    Action("list.command", "command line", "Show the command line that does this.", ("o",),
           "Lists"),
    Action("task.toggle", "in or out", "Add the task to the set, or take it out.", ("space",),
           "The set", (Place.TASKS,), Risk.PREVIEW, True, 1, needs_row),
    Action("task.arguments", "arguments", "Set the task's arguments and add it.", ("enter",),
           "The set", (Place.TASKS,), Risk.PREVIEW, True, 2, needs_row),
    _change("set.resume", "resume", "Run what is left, after a look at the plan.", "s", can_resume,
            Risk.PREVIEW, hint=6),
    _change("set.add_model", "add model", "Add a model for all, filtered or marked tasks.", "a",
            needs_spec, Risk.PREVIEW, hint=4),
    _change("set.remove_model", "remove model",
            "Take the model out of the set, with all of its cells; their logs stay.", "minus",
            can_take_out, Risk.PREVIEW, (*_CELLS, Place.LANES)),
    _change("set.remove_task", "remove task",
            "Take the task out of the set, with all of its cells; their logs stay.", "underscore",
            can_take_out, Risk.PREVIEW, _CELLS),
    _change("set.epochs", "epochs", "Change how often each sample is run.", "e", needs_spec,
            Risk.PREVIEW, hint=5),
    _change("set.limit", "limit", "Change which samples are asked for.", "L", needs_spec,
            Risk.PREVIEW),
    _change("set.threshold", "threshold", "Change how many errors are tolerated.", "f", needs_spec,
            Risk.PREVIEW),
    _change("cell.retry", "retry", "Run the cell again now instead of waiting.", "r", can_retry,
            Risk.ASK, _CELLS, 7),
    _change("cell.cancel", "cancel", "Let running samples finish, start no more; twice stops them.",
            "x", can_cancel, Risk.ASK, _CELLS, 8),
    _change("cell.hold", "hold", "Hold the cell or lane, or release it.", "h", can_hold, Risk.ACT,
            (*_CELLS, Place.LANES), 9),
    _change("cell.drop", "drop retry", "Give up the retry that is due.", "d", can_drop, Risk.ASK,
            _CELLS),
    _change("cell.errored", "errored again", "Run the errored samples that were kept, those alone.",
            "E", can_redo_errored, Risk.PREVIEW, _CELLS),
    _change("set.hold", "hold set", "Hold the whole set, or release it; what runs goes on.", "P",
            needs_cells, Risk.ASK),
    _change("set.stop", "stop set", "Let running samples finish, start no more; twice stops them.",
            "X", can_stop, Risk.ASK),
    _change("set.undo", "undo cleanup", "Bring the last log back from the trash.", "u", can_undo,
            Risk.ASK),
    Action("view.inspect", "inspect", "What is kept and what would run, sample by sample.", ("i",),
           "Views", hint=3, enabled=needs_cells),
    Action("view.plan", "plan", "What a resume would do, for every cell.", ("p",), "Views",
           enabled=needs_cells),
    Action("view.results", "results", "Scores by task and model.", ("m",), "Views",
           enabled=needs_cells),
    Action("results.compare", "compare", "Compare two marked cells sample by sample; the first"
           " marked against the second.", ("c",), "Views", (Place.RESULTS,), hint=2,
           enabled=can_compare),
    Action("view.palette", "commands", "Find an action by name.", ("colon", "ctrl+p"), "Views",
           hint=21),
    Action("view.help", "help", "All keys here, and why one is off.", ("question_mark",), "Views",
           hint=22),
    Action("view.theme", "theme", "Try the themes.", (), "Views"),
    Action("app.redraw", "redraw", "Draw the screen anew.", ("ctrl+l",), "The app"),
    Action("app.suspend", "suspend", "Back to the shell; `fg` returns.", ("ctrl+z",), "The app"),
    Action("app.leave", "leave", "Leave. What runs goes on without the screen.", ("q", "ctrl+q"),
           "The app"),
)  # fmt: skip
"""Every action. Order within a group is the order of the help."""

ACTION_IDS = frozenset(action.id for action in ACTIONS)
