"""Add a model to the set: its name, its generate options, what it adds and what is in the way."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from evaltui.spec import Amendment, ModelEntry
from evaltui.tui.dialogs.form import FormDialog
from evaltui.tui.environment import foreign_providers, set_variables
from evaltui.tui.forms import read_config
from evaltui.tui.model_names import (
    check_name,
    key_variable,
    obstacle,
    offers,
    unknown_provider,
    unseen,
)
from evaltui.tui.runs import Cell, cell
from evaltui.tui.secrets_typed import keys_typed, refusal
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

    @cached_property
    def _others(self) -> bool:
        return foreign_providers()

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
        config = self._config()
        typed = self.text("name")
        try:
            name = check_name(typed)
        except ValueError as error:
            if whole or any(character.isspace() for character in typed.strip()):
                self.line("name").complain(str(error))
            return None
        if wrong := unknown_provider(name, self._others):
            self.line("name").complain(wrong)
            return None
        return None if config is None else Amendment(models=(ModelEntry(name, config),))

    def _config(self) -> dict[str, Any] | None:
        line = self.line("config")
        if keys := keys_typed(line.text):
            line.complain(refusal(keys[0], key_variable(self.text("name"))))
            return None
        try:
            return read_config(line.text)
        except ValueError as error:
            line.complain(str(error))
            return None

    def remarks(self) -> Sequence[Cell]:
        said: list[Cell] = []
        if self.change is not None:
            name = self.change.models[0].name
            why = obstacle(name, self._variables)
            if why is not None:
                said.append((("! ", "warn"), (why, "text")))
            if (note := unseen(name, self._known)) is not None:
                said.append(cell(note, "muted"))
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
