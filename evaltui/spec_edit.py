"""Edits `evalset.toml` through tomlkit, so that a person's comments and order survive."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from evaltui.logs.files import locked, write_atomic
from evaltui.logs.layout import Layout
from evaltui.options import BY_KEY, Option
from evaltui.spec import (
    MODEL_KEYS,
    TASK_KEYS,
    VERSION,
    Amendment,
    ModelEntry,
    SetSpec,
    SpecError,
    TaskEntry,
    amended,
    parse_spec,
)

if TYPE_CHECKING:
    from tomlkit import TOMLDocument


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
        if parse_spec(_spaced(edited)) == after:
            edited = _spaced(edited)
        write_atomic(layout.spec, edited.encode())
        return after


def _spaced(text: str) -> str:
    """An empty line before each table, which tomlkit does not see to; none below a remark."""
    tables = r"(?=(\[\[(task|model)\]\]|\[options\])[ \t]*(#.*)?\n)"
    return re.sub(rf"(?m)^([^#\n].*)\n{tables}", "\\1\n\n", text)


def _edited(text: str, before: SetSpec, after: SetSpec) -> str:
    import tomlkit

    document = tomlkit.parse(text) if text else _new_document()
    _set_top(document, "root", after.root, before.root if text else None)
    for key in dict.fromkeys([*before.settings, *after.settings]):
        place = document if BY_KEY[key].top and key not in document.get("options", {}) else None
        old, new = before.settings.get(key), after.settings.get(key)
        if old == new:
            continue
        target: Any = (
            place if place is not None else document.setdefault("options", tomlkit.table())
        )
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
    if not before and key in document:
        document.remove(key)  # `task = []`, where no [[task]] can follow
        entries = None
    if changed := _changed_in_place(before, after):
        _become(entries[changed[0]], as_table(after[changed[0]]))
        return
    for place in range(len(before) - 1, -1, -1):
        if before[place] not in after:
            remarks = _remarks_below(entries[place])
            del entries[place]
            if place:
                for remark in remarks:  # of the entry below, where people write them
                    entries[place - 1].add(remark)
    for place, entry in enumerate(after):
        if entry in before:
            continue
        if entries is None:
            entries = tomlkit.aot()
            document.add(key, entries)
        entries.insert(place, as_table(entry))
    if not after and key in document:
        document.remove(key)


def _changed_in_place(before: Sequence[Any], after: Sequence[Any]) -> list[int]:
    """Places where another entry stands, if that is all that differs and it is one."""
    if len(before) != len(after):
        return []
    places = [n for n, (old, new) in enumerate(zip(before, after, strict=True)) if old != new]
    return places if len(places) == 1 else []


def _become(table: Any, other: Any) -> None:
    for key in list(table):
        if key not in other:
            table.remove(key)
    for key, value in other.items():
        if table.get(key) != value:
            table[key] = value


def _remarks_below(table: Any) -> list[Any]:
    """Comments and empty lines behind the last key of a table."""
    from tomlkit.items import Comment, Whitespace

    found: list[Any] = []
    for key, item in reversed(table.value.body):
        if key is not None or not isinstance(item, Comment | Whitespace):
            break
        found.insert(0, item)
    return found


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
