"""Add a model to the set: its name, its generate options, what it adds and what is in the way."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from evaltui.spec import Amendment, ModelEntry
from evaltui.tui.dialogs.form import FormDialog
from evaltui.tui.environment import set_variables
from evaltui.tui.forms import read_config
from evaltui.tui.model_names import check_name, obstacle, offers
from evaltui.tui.runs import Cell, cell
from evaltui.tui.view import View
from evaltui.tui.widgets.form_field import FormField

_LABEL = 8


class AddModelDialog(FormDialog):
    """A `[[model]]` for all tasks of the set: the spec runs every model on every task.

    wanted: how many tasks were marked or filtered when it was opened; None for all. It is said that
    a model goes to all of them. favourites: models of the user's settings.
    """

    def __init__(
        self,
        view: View,
        *,
        wanted: int | None = None,
        favourites: Sequence[str] = (),
        environ: Mapping[str, str] = os.environ,
    ) -> None:
        super().__init__(view, "Add model")
        self._wanted = wanted
        self._known = known_models(view, favourites)
        self._environ = environ

    @cached_property
    def _variables(self) -> frozenset[str]:
        """Read when the first name is whole: not before the dialog is drawn."""
        return set_variables(self._environ, self.view.picture.root)

    def subtitle(self) -> Cell:
        return cell(_for_tasks(self._tasks()), "muted")

    def fields(self) -> Sequence[FormField]:
        return (
            FormField(
                "name", _LABEL, hint="provider/name; Tab completes", completion=self._completion
            ),
            FormField("config", _LABEL, hint="optional: temperature=0.5, max_tokens=100"),
        )

    def _completion(self, text: str) -> tuple[Sequence[str], str]:
        found = offers(text, self._known)
        return found.candidates, found.common

    def read(self, *, whole: bool) -> Amendment | None:
        config: dict[str, Any] | None = None
        try:
            config = read_config(self.text("config"))
        except ValueError as error:
            self.line("config").complain(str(error))
        try:
            name = check_name(self.text("name"))
        except ValueError as error:
            if whole:
                self.line("name").complain(str(error))
            return None
        return None if config is None else Amendment(models=(ModelEntry(name, config),))

    def remarks(self) -> Sequence[Cell]:
        said: list[Cell] = []
        if self.change is not None:
            why = obstacle(self.change.models[0].name, self._variables)
            if why is not None:
                said.append((("! ", "warn"), (why, "text")))
        if self._wanted is not None and self._wanted < self._tasks():
            said.append(
                cell(
                    f"A set runs every model on every task; for {self._wanted} of them alone, "
                    "make a set of its own.",
                    "muted",
                )
            )
        return said

    def _tasks(self) -> int:
        cells = self.view.picture.cells
        return len({(each.task_file, each.task, each.load_key) for each in cells})


def _for_tasks(number: int) -> str:
    if number == 0:
        return "the set has no tasks yet"
    return "for the one task" if number == 1 else f"for all {number} tasks"


def known_models(view: View, favourites: Sequence[str]) -> tuple[str, ...]:
    """Models worth offering: the user's, those of the logs, those of the set with other options."""
    picture = view.picture
    logged = [log.header.model for log in picture.logs.values() if log.header is not None]
    own = [model.name for model in picture.spec.models] if picture.spec else []
    return tuple(dict.fromkeys((*favourites, *logged, *own)))
