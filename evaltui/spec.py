"""`evalset.toml` <-> `SetSpec`: what should exist in a log directory.

Reading validates whole: every mistake is a `SpecError` with line, column and the way out. Editing
goes through tomlkit, so a person's comments and order survive. It never looks at logs.
"""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evaltui.logs.files import locked, write_atomic
from evaltui.logs.layout import Layout
from evaltui.options import BY_KEY, OPTIONS, Option

if TYPE_CHECKING:
    from tomlkit import TOMLDocument

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


@dataclass(frozen=True)
class TaskEntry:
    """One `[[task]]`: a task of a file, or all of them, with args and a grid over some args."""

    file: str
    name: str | None = None
    args: Mapping[str, Any] = field(default_factory=dict)
    sweep: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    solver: str | None = None
    solver_args: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class ModelEntry:
    """One `[[model]]`: config goes to `get_model()`, args to the provider."""

    name: str
    config: Mapping[str, Any] = field(default_factory=dict)
    args: Mapping[str, Any] = field(default_factory=dict)
    base_url: str | None = None
    roles: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class SetSpec:
    """What should exist. `settings` holds every option by key, wherever it stood in the file."""

    root: str = ".."
    tasks: tuple[TaskEntry, ...] = ()
    models: tuple[ModelEntry, ...] = ()
    solver: str | None = None
    solver_args: Mapping[str, Any] = field(default_factory=dict)
    model_roles: Mapping[str, Any] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)

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
            model_roles=self.table(data, "model_roles"),
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
            config=self.table(entry, "config"),
            args=self.table(entry, "args"),
            base_url=self.string(entry, "base_url"),
            roles=self.table(entry, "roles"),
        )

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

    def fail(self, key: str, message: str, nth: int = 0) -> Any:
        line, column = self.place(key, nth)
        raise SpecError(message, line, column)

    def place(self, key: str, nth: int = 0) -> tuple[int | None, int | None]:
        pattern = re.escape(key) if key.startswith("[") else rf"(?<![\w-])[\"']?{re.escape(key)}[\"']?\s*[=\].]"
        found = [match.start() for match in re.finditer(pattern, self.text)]
        if len(found) <= nth:
            return None, None
        before = self.text[: found[nth]]
        return before.count("\n") + 1, found[nth] - (before.rfind("\n") + 1) + 1


# --- values -------------------------------------------------------------------------------------


def checked(option: Option, value: Any) -> Any:
    """`value` as `option` takes it. Raises ValueError with one sentence."""
    return _CHECKS[option.kind](option, value)


def _whole(option: Option, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise ValueError(f"`{option.key}` must be a whole number, not {value!r}")
    least = {"epochs": 1, "max_tasks": 1, "max_samples": 1, "max_connections": 1}.get(option.key, 0)
    if option.key != "seed" and value < least:
        raise ValueError(f"`{option.key}` must be {least} or more, not {value}")
    return value


def _number(option: Option, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"`{option.key}` must be a number, not {value!r}")
    if value < 0 or value != value:
        raise ValueError(f"`{option.key}` must be 0 or more, not {value}")
    return value


def _text(option: Option, value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"`{option.key}` must be text, not {value!r}")
    return value


def _truth(option: Option, value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError(f"`{option.key}` must be true or false, not {value!r}")
    return value


def _limit(option: Option, value: Any) -> int | tuple[int, int]:
    if isinstance(value, str):
        match = re.fullmatch(r"\s*(\d+)\s*(?:-\s*(\d+)\s*)?", value)
        if not match:
            raise ValueError(f"`{option.key}` must be a count or a range such as 10-20, not {value!r}")
        value = [int(match[1]) - 1, int(match[2])] if match[2] else int(match[1])
    elif isinstance(value, list | tuple):
        if len(value) != 2 or not all(type(part) is int for part in value):
            raise ValueError(f'`{option.key}` as a range is written "10-20"')
        return _range(option, value[0], value[1])
    if isinstance(value, list):
        return _range(option, value[0], value[1])
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ValueError(f"`{option.key}` must be 1 or more, or a range such as 10-20, not {value!r}")
    return value


def _range(option: Option, start: int, stop: int) -> tuple[int, int]:
    """Positions counted from 0, the last one left out, as Inspect has them."""
    if start < 0 or stop <= start:
        raise ValueError(f"`{option.key}` {start + 1}-{stop} holds no sample; write first-last")
    return start, stop


def _ids(option: Option, value: Any) -> tuple[int | str, ...]:
    values = value if isinstance(value, list | tuple) else [value]
    if isinstance(value, str):
        values = [part.strip() for part in value.split(",") if part.strip()]
    if not values or not all(isinstance(part, int | str) for part in values):
        raise ValueError(f"`{option.key}` must be one or more ids, such as [1, 2] or \"a,b*\"")
    return tuple(values)


def _shuffle(option: Option, value: Any) -> bool | int:
    if not isinstance(value, int):
        raise ValueError(f"`{option.key}` must be true, false or a whole number as seed")
    return value


def _threshold(option: Option, value: Any) -> bool | int | float:
    if isinstance(value, bool):
        return value
    if not isinstance(value, int | float) or value != value:
        raise ValueError(f"`{option.key}` must be true, false, a share below 1 or a count")
    if value == 0:
        raise ValueError(f"`{option.key}` 0 is unclear; true tolerates no error, false any number")
    if value < 0:
        raise ValueError(f"`{option.key}` must be above 0, not {value}; true tolerates no error")
    if value >= 1 and value != int(value):
        raise ValueError(f"`{option.key}` above 1 must be a whole count, not {value}")
    return int(value) if value >= 1 else value


def _retries(option: Option, value: Any) -> int:
    return int(value) if isinstance(value, bool) else _whole(option, value)


def _tokens(option: Option, value: Any) -> int | str:
    return value if isinstance(value, str) else _whole(option, value)


def _adaptive(option: Option, value: Any) -> bool | int | str:
    if isinstance(value, str) and not re.fullmatch(r"\d+(-\d+){0,2}", value):
        raise ValueError(f"`{option.key}` must be true, false, a most, or bounds such as 5-40")
    if not isinstance(value, bool | int | str):
        raise ValueError(f"`{option.key}` must be true, false, a most, or bounds such as 5-40")
    return value


def _strings(option: Option, value: Any) -> tuple[str, ...]:
    if isinstance(value, str):
        return tuple(part.strip() for part in value.split(",") if part.strip())
    if not isinstance(value, list | tuple) or not all(isinstance(part, str) for part in value):
        raise ValueError(f"`{option.key}` must be a list of text")
    return tuple(value)


def _mapping(option: Option, value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError(f"`{option.key}` must be a table")
    return value


def _choice(option: Option, value: Any) -> str:
    if value not in option.choices:
        raise ValueError(f"`{option.key}` must be one of {', '.join(option.choices)}, not {value!r}")
    return str(value)


def _sandbox(option: Option, value: Any) -> str | tuple[str, str]:
    if isinstance(value, str) and value:
        kind, colon, config = value.partition(":")
        return (kind, config) if colon else kind
    if isinstance(value, list | tuple) and len(value) == 2:
        return str(value[0]), str(value[1])
    raise ValueError(f'`{option.key}` must be a type such as "docker", or "docker:compose.yaml"')


def _reducer(option: Option, value: Any) -> tuple[str, ...] | bool:
    if value is False:
        return False
    return _strings(option, value)


def _setting(option: Option, value: Any) -> Any:
    return value


_CHECKS: Mapping[str, Callable[[Option, Any], Any]] = {
    "int": _whole, "float": _number, "str": _text, "bool": _truth, "limit": _limit, "ids": _ids,
    "shuffle": _shuffle, "threshold": _threshold, "retries": _retries, "tokens": _tokens,
    "adaptive": _adaptive, "strings": _strings, "mapping": _mapping, "choice": _choice,
    "sandbox": _sandbox, "reducer": _reducer, "setting": _setting,
}  # fmt: skip


# --- writing ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Amendment:
    """What to add to a spec: entries that are not there yet, and settings to set (None removes)."""

    tasks: tuple[TaskEntry, ...] = ()
    models: tuple[ModelEntry, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)
    solver: str | None = None
    solver_args: Mapping[str, Any] = field(default_factory=dict)
    model_roles: Mapping[str, Any] = field(default_factory=dict)
    root: str | None = None
    drop_tasks: tuple[TaskEntry, ...] = ()
    drop_models: tuple[ModelEntry, ...] = ()

    @property
    def empty(self) -> bool:
        return self == Amendment()


def amended(spec: SetSpec, change: Amendment) -> SetSpec:
    """The spec after `change`; equal to `spec` when there is nothing to change."""
    tasks = [task for task in spec.tasks if task not in change.drop_tasks]
    models = [model for model in spec.models if model not in change.drop_models]
    settings = {**spec.settings, **change.settings}
    return replace(
        spec,
        root=change.root or spec.root,
        tasks=(*tasks, *(task for task in _distinct(change.tasks) if task not in tasks)),
        models=(*models, *(model for model in _distinct(change.models) if model not in models)),
        solver=change.solver or spec.solver,
        solver_args={**spec.solver_args, **change.solver_args},
        model_roles={**spec.model_roles, **change.model_roles},
        settings={key: value for key, value in settings.items() if value is not None},
    )


def _distinct(entries: Iterable[Any]) -> list[Any]:
    kept: list[Any] = []
    for entry in entries:
        if entry not in kept:
            kept.append(entry)
    return kept


def amend_spec(layout: Layout, change: Amendment) -> SetSpec:
    """Edit (or make) the spec of a log directory under its lock, comments kept; what it says then.

    The file is read again inside the lock and left untouched when nothing changes. Raises
    SpecError when the file can't be read, and OSError when it can't be written.
    """
    with locked(layout.spec_lock):
        text = layout.spec.read_text("utf-8-sig") if layout.spec.exists() else ""
        before = parse_spec(text) if text else None
        after = amended(before or SetSpec(), change)
        if before == after:
            return after
        edited = _edited(text, before or SetSpec(), after)
        if parse_spec(edited) != after:
            raise SpecError("the change can't be written into this file; edit it by hand")
        write_atomic(layout.spec, edited.encode())
        return after


def _edited(text: str, before: SetSpec, after: SetSpec) -> str:
    import tomlkit

    document = tomlkit.parse(text) if text else _new_document()
    _set_top(document, "root", after.root, before.root if text else None)
    for key in dict.fromkeys([*before.settings, *after.settings]):
        place = document if BY_KEY[key].top and key not in document.get("options", {}) else None
        old, new = before.settings.get(key), after.settings.get(key)
        if old == new:
            continue
        target: Any = place if place is not None else document.setdefault("options", tomlkit.table())
        if new is None:
            target.pop(key, None)
        else:
            _put(target, key, _plain(BY_KEY[key], new), document)
    for key in ("solver", "solver_args", "model_roles"):
        if getattr(before, key) != getattr(after, key):
            _put(document, key, getattr(after, key), document)
    _edit_entries(document, "task", before.tasks, after.tasks, _task_table)
    _edit_entries(document, "model", before.models, after.models, _model_table)
    return tomlkit.dumps(document)


def _new_document() -> TOMLDocument:
    import tomlkit

    document = tomlkit.document()
    document.add("version", tomlkit.item(VERSION))
    return document


def _set_top(document: TOMLDocument, key: str, new: Any, old: Any) -> None:
    if new != old:
        _put(document, key, new, document)


def _put(target: Any, key: str, value: Any, document: TOMLDocument) -> None:
    """Set a key; a new one at the top goes before the first table, where TOML needs it."""
    import tomlkit

    if isinstance(value, Mapping):
        table = tomlkit.inline_table()
        table.update(dict(value))
        value = table
    if key in target or target is not document:
        target[key] = value
        return
    rest = [
        (name, document.pop(name))
        for name in list(document)
        if name in ("task", "model", "options") or _is_table(document[name])
    ]
    document.add(key, tomlkit.item(value))
    for name, item in rest:
        document.add(name, item)


def _is_table(item: Any) -> bool:
    from tomlkit.items import AoT, Table

    return isinstance(item, AoT | Table)


def _plain(option: Option, value: Any) -> Any:
    if option.kind == "limit" and isinstance(value, tuple):
        return f"{value[0] + 1}-{value[1]}"
    if option.kind == "sandbox" and isinstance(value, tuple):
        return ":".join(value)
    return list(value) if isinstance(value, tuple) else value


def _edit_entries(
    document: TOMLDocument,
    key: str,
    before: Sequence[Any],
    after: Sequence[Any],
    as_table: Callable[[Any], Any],
) -> None:
    import tomlkit

    if before == after:
        return
    entries: Any = document.get(key)
    for place in range(len(before) - 1, -1, -1):
        if before[place] not in after:
            del entries[place]
    for entry in after:
        if entry not in before:
            if entries is None:
                entries = tomlkit.aot()
                document.add(key, entries)
            entries.append(as_table(entry))


def _task_table(entry: TaskEntry) -> Any:
    return _table({key: getattr(entry, key) for key in TASK_KEYS})


def _model_table(entry: ModelEntry) -> Any:
    return _table({key: getattr(entry, key) for key in MODEL_KEYS})


def _table(values: Mapping[str, Any]) -> Any:
    import tomlkit

    table = tomlkit.table()
    for key, value in values.items():
        if isinstance(value, Mapping):
            if value:
                inline = tomlkit.inline_table()
                inline.update({name: _listed(part) for name, part in value.items()})
                table.add(key, inline)
        elif value is not None:
            table.add(key, value)
    return table


def _listed(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value
