"""Actions: what the user can do, where, on which key, at what risk. Pure.

One table (`action_table.ACTIONS`), and everything else is read off it: what a key does, the hint
bar, the help, the palette, `docs/keys.md` and the user's `[keys]`. Carries nothing out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import IntEnum, StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

import msgspec

from evaltui.tui.keys import is_unsafe, key_label, key_name

if TYPE_CHECKING:
    from evaltui.engine.state import CellStatus


class Place(StrEnum):
    """Where the keys go: the panel or screen in focus. EVERYWHERE is what all of them share."""

    EVERYWHERE = "everywhere"
    TASKS = "tasks"
    CELLS = "cells"
    LANES = "lanes"
    INSPECTOR = "inspector"
    CELL = "cell"
    PLAN = "plan"
    RESULTS = "results"
    FIELD = "field"
    CHOICE = "choice"
    QUESTION = "question"


_ALONE = (Place.FIELD, Place.CHOICE, Place.QUESTION)


MOVING = "Moving"
"""The group of the actions that only move about."""


class Risk(IntEnum):
    """0 acts at once; 1 asks y/n in the bottom line; 2 opens a preview with effect and cost."""

    ACT = 0
    ASK = 1
    PREVIEW = 2


class Situation(msgspec.Struct, frozen=True):
    """What decides whether an action can be used now; selectors make it from state and focus.

    engine: who decides over the set: nobody, this process, or another one.
    cells: of the set, by status. targets: those an action would take (the marks, else the cursor).
    targets_errored: errored samples that were kept in the targets. trashed: logs in the trash.
    row: whether the list in focus has a row under the cursor. rows: how many it shows.
    frozen: why the spec cannot be changed now, None when it can. undone: ids of actions that
    nothing in sight carries out.
    """

    engine: Literal["none", "here", "elsewhere"] = "none"
    cells: Mapping[CellStatus, int] = msgspec.field(default_factory=dict)
    targets: Mapping[CellStatus, int] = msgspec.field(default_factory=dict)
    targets_errored: int = 0
    lane_cells: int = 0
    trashed: int = 0
    rows: int = 0
    row: bool = False
    running_rows: int = 0
    frozen: str | None = None
    undone: frozenset[str] = frozenset()

    def count(self, *statuses: CellStatus) -> int:
        """How many of the targets are in one of these statuses."""
        return sum(self.targets.get(status, 0) for status in statuses)

    @property
    def target_cells(self) -> int:
        return sum(self.targets.values())

    @property
    def all_cells(self) -> int:
        return sum(self.cells.values())


Rule = Callable[[Situation], str | None]
"""None when an action can be used, else the reason why not: a short clause."""


def always(_: Situation) -> None:
    """The rule of what can always be used."""
    return


class Action(msgspec.Struct, frozen=True):
    """One thing the user can do.

    id: its name in `[keys]`. title: one to three words. help: what it does, a sentence.
    keys: defaults, by name. places: where the keys mean this. changes: it changes the set.
    hint: its place in the hint bar, 0 for not there. group: its heading in the help.
    """

    id: str
    title: str
    help: str
    keys: tuple[str, ...]
    group: str
    places: tuple[Place, ...] = (Place.EVERYWHERE,)
    risk: Risk = Risk.ACT
    changes: bool = False
    hint: int = 0
    enabled: Rule = always

    @property
    def method(self) -> str:
        """The name of what carries it out, on a widget, a screen or the app."""
        return "do_" + self.id.replace(".", "_")

    def off(self, situation: Situation) -> str | None:
        """Why it cannot be used now, a short clause; None when it can."""
        return "not on this screen" if self.id in situation.undone else self.enabled(situation)

    def weigh(self, situation: Situation) -> Risk:
        """The risk now: what asks for one cell previews for many."""
        if self.risk is Risk.ASK and situation.target_cells > 1:
            return Risk.PREVIEW
        return self.risk


class Offer(msgspec.Struct, frozen=True):
    """An action as it stands now: its label, and the reason why it is off (None: it is on)."""

    action: Action
    key: str
    off: str | None

    def called(self, title: str | None) -> Offer:
        """The same under another title, where there is one."""
        if title is None:
            return self
        return Offer(msgspec.structs.replace(self.action, title=title), self.key, self.off)


class Keymap:
    """Which key does what, where. Immutable; made once from the table and the user's `[keys]`."""

    def __init__(self, actions: Iterable[Action]) -> None:
        self.actions: tuple[Action, ...] = tuple(actions)
        self._by_id = MappingProxyType({action.id: action for action in self.actions})
        found: dict[tuple[Place, str], Action] = {}
        for action in self.actions:
            for place in action.places:
                for key in action.keys:
                    found.setdefault((place, key), action)
        self._found = found

    def __getitem__(self, action_id: str) -> Action:
        return self._by_id[action_id]

    def __contains__(self, action_id: object) -> bool:
        return action_id in self._by_id

    def find(self, key: str, place: Place) -> Action | None:
        """What a key does there: the place's own meaning first, then the one it has everywhere.

        In a text field keys are letters, and a question or a choice takes its answer alone: there
        only the place's own keys count.
        """
        own = self._found.get((place, key))
        if own is not None or place in _ALONE:
            return own
        return self._found.get((Place.EVERYWHERE, key))

    def at(self, place: Place) -> tuple[Action, ...]:
        """Actions that can be reached there, its own first, in the order of the table."""
        own = [action for action in self.actions if place in action.places]
        if place in _ALONE:
            return tuple(own)
        taken = {key for action in own for key in action.keys}
        general = [
            action
            for action in self.actions
            if action not in own
            and Place.EVERYWHERE in action.places
            and not (action.keys and taken.issuperset(action.keys))
        ]
        return (*own, *general)


def keymap(
    actions: Sequence[Action], chosen: Mapping[str, Sequence[str]] = MappingProxyType({})
) -> tuple[Keymap, tuple[str, ...]]:
    """The keymap with the user's keys in it, and what in them cannot be followed.

    chosen: action id -> keys as written. A key of theirs takes itself away from whoever has it by
    default in the same place. Entries that clash with each other, are no keys, or would put a
    change on an unsafe key are left out and named.
    """
    problems: list[str] = []
    wanted: dict[str, tuple[str, ...]] = {}
    taken: dict[tuple[Place, str], str] = {}
    for action in actions:
        if action.id in chosen:
            keys = _chosen(action, chosen[action.id], taken, problems)
            if keys or not chosen[action.id]:
                wanted[action.id] = keys
    resolved = [
        msgspec.structs.replace(action, keys=wanted[action.id])
        if action.id in wanted
        else msgspec.structs.replace(action, keys=_left(action, taken))
        for action in actions
    ]
    return Keymap(resolved), tuple(problems)


def _chosen(
    action: Action,
    written: Sequence[str],
    taken: dict[tuple[Place, str], str],
    problems: list[str],
) -> tuple[str, ...]:
    keys: list[str] = []
    for text in written:
        try:
            key = key_name(text)
        except ValueError as error:
            problems.append(f"[keys] {action.id}: {error}")
            continue
        if action.changes and is_unsafe(key):
            problems.append(
                f"[keys] {action.id}: {text!r} can arrive by accident over a slow line,"
                " so nothing that changes the set may be on it"
            )
            continue
        other = next((taken[place, key] for place in action.places if (place, key) in taken), None)
        if other is not None:
            problems.append(f"[keys] {action.id}: {text!r} is already {other}")
            continue
        keys.append(key)
        taken.update({(place, key): action.id for place in action.places})
    return tuple(keys)


def _left(action: Action, taken: Mapping[tuple[Place, str], str]) -> tuple[str, ...]:
    return tuple(
        key for key in action.keys if not any((place, key) in taken for place in action.places)
    )


def offers(actions: Iterable[Action], situation: Situation, *, ascii_only: bool) -> list[Offer]:
    """The actions as they stand now, each with its first key as people write it."""
    return [
        Offer(
            action,
            key_label(action.keys[0], ascii_only=ascii_only) if action.keys else "",
            action.off(situation),
        )
        for action in actions
    ]


def hints(keys: Keymap, place: Place, situation: Situation, *, ascii_only: bool) -> list[Offer]:
    """What the hint bar shows there, in its order; what is off stays, with its reason."""
    shown = [action for action in keys.at(place) if action.hint and action.keys]
    shown.sort(key=lambda action: action.hint)
    return offers(shown, situation, ascii_only=ascii_only)


def keys_document(keys: Keymap) -> str:
    """`docs/keys.md`: every action with its keys and its name for `[keys]`."""
    lines = [
        "# Keys",
        "",
        "Made from the table of actions; the same list stands under `?` in the app.",
        "Change a key in the settings file, whose path `evaltui config` prints: a line such as",
        '`cell.cancel = "x"` under `[keys]`.',
    ]
    groups = dict.fromkeys(action.group for action in keys.actions)
    for group in groups:
        lines += [
            "",
            f"## {group}",
            "",
            "| keys | action | what it does | where |",
            "|---|---|---|---|",
        ]
        for action in keys.actions:
            if action.group == group:
                labels = " ".join(f"`{key_label(key)}`" for key in action.keys).replace("|", "\\|")
                where = ", ".join(action.places)
                lines.append(f"| {labels} | `{action.id}` | {action.help} | {where} |")
    return "\n".join(lines) + "\n"


def _main() -> None:
    from evaltui.tui.action_table import ACTIONS

    print(keys_document(keymap(ACTIONS)[0]), end="")


if __name__ == "__main__":
    _main()
