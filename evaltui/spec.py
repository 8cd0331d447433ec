"""`evalset.toml` -> `SetSpec`: what should exist in a log directory.

Reading validates whole: every mistake is a `SpecError` with line, column and the way out. Writing
is `evaltui.spec_edit`'s. It never looks at logs.
"""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import msgspec
from msgspec.structs import replace

from evaltui.model_keys import key_given
from evaltui.option_values import checked
from evaltui.options import BY_KEY, OPTIONS, Option

Entry = TypeVar("Entry")

VERSION = 1
TASK_KEYS = ("file", "name", "args", "sweep", "solver", "solver_args")
MODEL_KEYS = ("name", "config", "args", "base_url", "roles")
SET_KEYS = ("version", "root", "task", "model", "options", "solver", "solver_args", "model_roles")


class SpecError(Exception):
    """A spec that can't be used: one sentence, with the place in the file where there is one."""

    def __init__(self, message: str, line: int | None = None, column: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.line = line
        self.column = column

    def __str__(self) -> str:
        if self.line is None:
            return f"evalset.toml: {self.message}"
        return f"evalset.toml, line {self.line}, column {self.column or 1}: {self.message}"


class TaskEntry(msgspec.Struct, frozen=True):
    """One `[[task]]`: a task of a file, or all of them, with args and a grid over some args."""

    file: str
    name: str | None = None
    args: Mapping[str, Any] = msgspec.field(default_factory=dict)
    sweep: Mapping[str, Sequence[Any]] = msgspec.field(default_factory=dict)
    solver: str | None = None
    solver_args: Mapping[str, Any] = msgspec.field(default_factory=dict)


class ModelEntry(msgspec.Struct, frozen=True):
    """One `[[model]]`: config goes to `get_model()`, args to the provider."""

    name: str
    config: Mapping[str, Any] = msgspec.field(default_factory=dict)
    args: Mapping[str, Any] = msgspec.field(default_factory=dict)
    base_url: str | None = None
    roles: Mapping[str, Any] = msgspec.field(default_factory=dict)


class SetSpec(msgspec.Struct, frozen=True):
    """What should exist. `settings` holds every option by key, wherever it stood in the file."""

    root: str = ".."
    tasks: tuple[TaskEntry, ...] = ()
    models: tuple[ModelEntry, ...] = ()
    solver: str | None = None
    solver_args: Mapping[str, Any] = msgspec.field(default_factory=dict)
    model_roles: Mapping[str, Any] = msgspec.field(default_factory=dict)
    settings: Mapping[str, Any] = msgspec.field(default_factory=dict)

    @property
    def epochs(self) -> int | None:
        epochs = self.settings.get("epochs")
        return int(epochs) if epochs is not None else None

    def root_path(self, log_dir: Path) -> Path:
        """Where task files are relative to, and where workers run."""
        return (log_dir / self.root).resolve()

    def arguments(self, goes: str) -> dict[str, Any]:
        """The settings that one party takes: `eval`, `generate` or `engine`."""
        return {key: value for key, value in self.settings.items() if BY_KEY[key].goes == goes}


def read_spec(path: Path) -> SetSpec:
    """The spec at `path`. Raises SpecError; FileNotFoundError where there is none."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise SpecError(f"byte {error.start} is not UTF-8; save the file as UTF-8") from None
    return parse_spec(text)


def parse_spec(text: str) -> SetSpec:
    """The spec that `text` says. Raises SpecError."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise _syntax_error(error, text) from None
    return _Reader(text).spec(data)


def _syntax_error(error: tomllib.TOMLDecodeError, text: str) -> SpecError:
    message = str(error)
    place = re.search(r"\(at line (\d+), column (\d+)\)", message)
    reason = message.split(" (at ")[0]
    if place:
        return SpecError(f"{reason}; mend the TOML there", int(place[1]), int(place[2]))
    lines = text.splitlines() or [""]
    return SpecError(f"{reason}; mend the TOML there", len(lines), len(lines[-1]) + 1)


class _Reader:
    """Validates decoded TOML; keeps the text to say where a mistake stands."""

    def __init__(self, text: str) -> None:
        self.text = text

    def spec(self, data: dict[str, Any]) -> SetSpec:
        top = [option.key for option in OPTIONS if option.top]
        self.known_keys(data, [*SET_KEYS, *top], "", elsewhere="options")
        version = data.get("version", VERSION)
        if not isinstance(version, int) or version > VERSION:
            self.fail("version", f"version {version} is newer than this evaltui; update evaltui")
        return SetSpec(
            root=self.string(data, "root", "..") or "..",
            tasks=tuple(self.task(entry, n) for n, entry in enumerate(self.entries(data, "task"))),
            models=tuple(
                self.model(entry, n) for n, entry in enumerate(self.entries(data, "model"))
            ),
            solver=self.string(data, "solver"),
            solver_args=self.table(data, "solver_args"),
            model_roles=self.without_key(self.table(data, "model_roles")),
            settings=self.settings(data),
        )

    def settings(self, data: dict[str, Any]) -> dict[str, Any]:
        further = self.table(data, "options")
        self.known_keys(further, [option.key for option in OPTIONS], "[options]")
        for key in further:
            if key in data:
                self.fail(key, f"`{key}` stands at the top and in [options]; keep one of them")
        found = {key: data[key] for key in data if key in BY_KEY} | dict(further)
        return {key: self.setting(BY_KEY[key], value) for key, value in found.items()}

    def setting(self, option: Option, value: Any) -> Any:
        try:
            return checked(option, value)
        except ValueError as error:
            self.fail(option.key, str(error))

    def task(self, entry: dict[str, Any], nth: int) -> TaskEntry:
        self.known_keys(entry, TASK_KEYS, "[[task]]")
        file = self.string(entry, "file")
        if not file:
            self.fail("[[task]]", 'a [[task]] needs its file: file = "task.py"', nth)
        sweep = self.table(entry, "sweep")
        for name, values in sweep.items():
            if not isinstance(values, list) or not values:
                self.fail("sweep", f"sweep of `{name}` must be a list of values, such as [0, 5]")
            if name in entry.get("args", {}):
                self.fail("sweep", f"`{name}` is in args and in sweep; keep one of them")
        return TaskEntry(
            file=str(file),
            name=self.string(entry, "name"),
            args=self.table(entry, "args"),
            sweep=sweep,
            solver=self.string(entry, "solver"),
            solver_args=self.table(entry, "solver_args"),
        )

    def model(self, entry: dict[str, Any], nth: int) -> ModelEntry:
        self.known_keys(entry, MODEL_KEYS, "[[model]]")
        name = self.string(entry, "name")
        if not name:
            self.fail("[[model]]", 'a [[model]] needs its name: name = "provider/model"', nth)
        return ModelEntry(
            name=str(name),
            config=self.without_key(self.table(entry, "config"), name),
            args=self.without_key(self.table(entry, "args"), name),
            base_url=self.string(entry, "base_url"),
            roles=self.without_key(self.table(entry, "roles")),
        )

    def without_key(self, table: dict[str, Any], model: str = "") -> dict[str, Any]:
        """A key would go from here into orders for all to read."""
        if why := key_given(table, model):
            self.fail(why.split(maxsplit=1)[0].rstrip(":"), why)
        return table

    def entries(self, data: dict[str, Any], key: str) -> list[dict[str, Any]]:
        value = data.get(key, [])
        if not isinstance(value, list) or not all(isinstance(entry, dict) for entry in value):
            self.fail(key, f"`{key}` is a list of tables; write [[{key}]]")
        return value

    def table(self, data: Mapping[str, Any], key: str) -> dict[str, Any]:
        value = data.get(key, {})
        if not isinstance(value, dict):
            self.fail(key, f"`{key}` must be a table, such as {{ name = 1 }}")
        return value

    def string(self, data: Mapping[str, Any], key: str, default: str | None = None) -> str | None:
        value = data.get(key, default)
        if value is not None and not isinstance(value, str):
            self.fail(key, f'`{key}` must be text in quotes, such as {key} = "…"')
        return value

    def known_keys(
        self, data: Mapping[str, Any], known: Iterable[str], where: str, elsewhere: str = ""
    ) -> None:
        known = list(known)
        for key in data:
            if key in known:
                continue
            if elsewhere and key in BY_KEY:
                self.fail(key, f"`{key}` belongs into the [{elsewhere}] table")
            near = difflib.get_close_matches(key, known, 1, 0.5)
            hint = f"did you mean `{near[0]}`?" if near else "remove it"
            self.fail(key, f"unknown key `{key}`{f' in {where}' if where else ''}; {hint}")

    def fail(self, key: str, message: str, nth: int = 0) -> NoReturn:
        line, column = self.place(key, nth)
        raise SpecError(message, line, column)

    def place(self, key: str, nth: int = 0) -> tuple[int | None, int | None]:
        pattern = (
            re.escape(key)
            if key.startswith("[")
            else rf"(?<![\w-])[\"']?{re.escape(key)}[\"']?\s*[=\].]"
        )
        found = [match.start() for match in re.finditer(pattern, self.text)]
        if len(found) <= nth:
            return None, None
        before = self.text[: found[nth]]
        return before.count("\n") + 1, found[nth] - (before.rfind("\n") + 1) + 1


# --- changing -----------------------------------------------------------------------------------


class Amendment(msgspec.Struct, frozen=True):
    """What to add to a spec: entries that are not there yet, and settings to set (None removes).

    Entries that are added while others are dropped stand where the first of those stood.
    """

    tasks: tuple[TaskEntry, ...] = ()
    models: tuple[ModelEntry, ...] = ()
    settings: Mapping[str, Any] = msgspec.field(default_factory=dict)
    solver: str | None = None
    solver_args: Mapping[str, Any] = msgspec.field(default_factory=dict)
    model_roles: Mapping[str, Any] = msgspec.field(default_factory=dict)
    root: str | None = None
    drop_tasks: tuple[TaskEntry, ...] = ()
    drop_models: tuple[ModelEntry, ...] = ()

    @classmethod
    def of(cls, spec: SetSpec) -> Amendment:
        """All that `spec` says, to be written where there is no spec yet."""
        return cls(
            tasks=spec.tasks,
            models=spec.models,
            settings=spec.settings,
            solver=spec.solver,
            solver_args=spec.solver_args,
            model_roles=spec.model_roles,
            root=spec.root,
        )

    @property
    def empty(self) -> bool:
        return self == Amendment()


def amended(spec: SetSpec, change: Amendment) -> SetSpec:
    """The spec after `change`; equal to `spec` when there is nothing to change."""
    settings = {**spec.settings, **change.settings}
    return replace(
        spec,
        root=change.root or spec.root,
        tasks=_exchanged(spec.tasks, change.drop_tasks, change.tasks),
        models=_exchanged(spec.models, change.drop_models, change.models),
        solver=change.solver or spec.solver,
        solver_args={**spec.solver_args, **change.solver_args},
        model_roles={**spec.model_roles, **change.model_roles},
        settings={key: value for key, value in settings.items() if value is not None},
    )


def _exchanged(
    entries: Sequence[Entry], drop: Sequence[Entry], add: Sequence[Entry]
) -> tuple[Entry, ...]:
    kept = [entry for entry in entries if entry not in drop]
    new = [entry for entry in distinct(add) if entry not in kept]
    first = next((n for n, entry in enumerate(entries) if entry in drop), len(entries))
    before = [entry for entry in entries[:first] if entry in kept]
    return (*before, *new, *kept[len(before) :])


def distinct(entries: Iterable[Entry]) -> list[Entry]:
    """Each entry once, in order; entries hold tables and can't be hashed."""
    kept: list[Entry] = []
    for entry in entries:
        if entry not in kept:
            kept.append(entry)
    return kept
