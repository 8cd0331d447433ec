"""From the paths a user names to the files that may hold tasks, and what is left out on the way.

The rules are Inspect's: `.py` and `.ipynb` files, found in the folders below, without names that
start with `.` or `_` and without folders called `env`, `venv` or `tests`; links to folders are not
followed. A folder that is named itself is looked into whatever its name. Reads no file.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePath

import msgspec

from evaltui.discovery.found import Skipped

SUFFIXES = (".py", ".ipynb")
FOLDERS_LEFT_OUT = ("env", "venv", "tests")


class Asked(msgspec.Struct, frozen=True):
    """What one argument stands for.

    files: relative to the root where they lie under it. task: the name behind the `@`.
    single: it is one file, named as such.
    """

    text: str
    files: tuple[str, ...] = ()
    task: str | None = None
    single: bool = False


def resolve(paths: Sequence[str], root: Path) -> tuple[list[Asked], list[Skipped]]:
    """Each argument with its files, and what was left out. No paths: the root.

    An argument that names nothing gets no `Asked` but a `Skipped` that is `named`. What exists
    under exactly that name is meant as it stands, brackets included; otherwise it is a glob.
    """
    asked: list[Asked] = []
    skipped: list[Skipped] = []
    for text in paths or ["."]:
        for found in _resolve_one(text, root):
            if isinstance(found, Asked):
                asked.append(found)
            else:
                skipped.append(found)
    return asked, skipped


def _resolve_one(text: str, root: Path) -> Iterator[Asked | Skipped]:
    file, at, task = text.rpartition("@")
    if text and os.path.lexists(root / text):
        yield from _existing(text, root)
    elif at and file.endswith(SUFFIXES) and os.path.isfile(root / file):
        yield Asked(text, (_label(file, root),), task, single=True)
    elif at and file.endswith(SUFFIXES):
        yield _absent(text, f"there is no file {file}{_near(file, root)}")
    elif any(character in text for character in "*?["):
        yield from _glob(text, root)
    else:
        yield _absent(text or '""', f"no such file or folder{_near(text, root)}")


def _absent(text: str, reason: str) -> Skipped:
    return Skipped(text, reason, kind="absent", named=True)


def _existing(text: str, root: Path) -> Iterator[Asked | Skipped]:
    label = _label(text, root)
    if os.path.isdir(root / label):
        yield from _asked(text, _walk(label, root))
        return
    why = _left_out(label, root)
    if why:
        yield Skipped(label, why.reason, kind=why.kind, named=True)
    else:
        yield Asked(text, (label,), single=True)


def _glob(text: str, root: Path) -> Iterator[Asked | Skipped]:
    base, pattern = root, text
    if os.path.isabs(text):
        base = Path(PurePath(text).anchor)
        pattern = str(PurePath(text).relative_to(base))
    try:
        matches = sorted(base.glob(pattern))
    except (ValueError, NotImplementedError, OSError) as error:
        yield _absent(text, f"not a usable pattern ({error})")
        return
    if matches:
        yield from _asked(text, _matched(matches, root))
    else:
        yield _absent(text, "no file or folder matches")


def _matched(matches: list[Path], root: Path) -> Iterator[str | Skipped]:
    for path in matches:
        label = _label(str(path), root)
        if os.path.isdir(path):
            yield from _walk(label, root)
        elif path.suffix in SUFFIXES:
            yield _left_out(label, root) or label


def _asked(text: str, found: Iterator[str | Skipped]) -> Iterator[Asked | Skipped]:
    files = []
    for item in found:
        if isinstance(item, str):
            files.append(item)
        else:
            yield item
    yield Asked(text, tuple(dict.fromkeys(files)))


def _walk(folder: str, root: Path) -> Iterator[str | Skipped]:
    pending = [folder]
    while pending:
        here = pending.pop()
        try:
            with os.scandir(root / here) as opened:
                entries = list(opened)
        except OSError as error:
            yield Skipped(here, _reason(error), kind="unreadable")
            continue
        for entry in entries:
            label = entry.name if here == "." else f"{here.rstrip('/')}/{entry.name}"
            if not _is_folder(entry):
                if entry.name.endswith(SUFFIXES):
                    yield _left_out(label, root) or label
            elif rule := _rule(entry.name) or _link_rule(entry):
                yield Skipped(label, rule)
            else:
                pending.append(label)


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False


def _link_rule(entry: os.DirEntry[str]) -> str | None:
    return "a link to a folder, not followed" if entry.is_symlink() else None


def _left_out(label: str, root: Path) -> Skipped | None:
    """Why a file is not looked at, None where it is."""
    name = os.path.basename(label)
    if not name.endswith(SUFFIXES):
        return Skipped(label, "not a .py or .ipynb file")
    rule = _rule(name)
    if rule:
        return Skipped(label, rule)
    try:
        # A named pipe called x.py would hang the reader.
        if stat.S_ISREG(os.stat(root / label).st_mode):
            return None
        return Skipped(label, "not a regular file", kind="unreadable")
    except OSError as error:
        return Skipped(label, _reason(error), kind="unreadable")


def _rule(name: str) -> str | None:
    if name.startswith((".", "_")):
        return f'names that start with "{name[0]}" are left out'
    if name in FOLDERS_LEFT_OUT:
        return f'folders called "{name}" are left out'
    return None


def _reason(error: OSError) -> str:
    return (error.strerror or "can't be read").lower()


def _label(text: str, root: Path) -> str:
    """The path relative to the root where it lies under it, else as it is; posix, no `./`."""
    path = PurePath(text)
    if not path.is_absolute():
        return path.as_posix()
    # The user's way to the root may lead over a link that `root` has resolved.
    for candidate in (path, PurePath(os.path.realpath(path))):
        if candidate.is_relative_to(root):
            return candidate.relative_to(root).as_posix()
    return path.as_posix()


def _near(text: str, root: Path) -> str:
    from evaltui.settings import nearest

    folder, name = os.path.split(text.rstrip("/"))
    try:
        there = os.listdir(root / folder)
    except (OSError, ValueError):  # ValueError: a NUL in the text
        return ""
    return nearest(name, there)
