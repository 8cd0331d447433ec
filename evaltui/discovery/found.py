"""What discovery finds, as values: tasks with their attributes and parameters, and what was left
out. Pure data; it knows neither files nor syntax trees.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import msgspec

Kind = Literal["rule", "unreadable", "taskless", "absent"]
"""Why something was left out. `rule`: its name or kind is never looked at. `unreadable`: it was
looked at and can't be parsed. `taskless`: it was named and holds no task. `absent`: it was named
and is not there."""


class Param(msgspec.Struct, frozen=True):
    """One parameter of a task function that can be set by name. (So there is none for `*args`.)

    annotation: its text as written, None where there is none.
    default: its value where it is a constant; `expression` is its text where it is not.
    variadic: it is the `**` parameter, so names that are not declared are taken too.
    """

    name: str
    annotation: str | None = None
    required: bool = False
    default: Any = None
    expression: str | None = None
    variadic: bool = False


class TaskInfo(msgspec.Struct, frozen=True):
    """One task, as its file declares it.

    file: relative to the root and posix where the file lies under it, else as it was named.
    attribs: the decorator's attributes that are constants, `name` excepted.
    expressions: the text of those that are not; a `**mapping` stands under its own text.
    line: that of the `def`, from 1; in a notebook counted through its code cells.
    """

    file: str
    name: str
    attribs: Mapping[str, Any] = msgspec.field(default_factory=dict)
    expressions: Mapping[str, str] = msgspec.field(default_factory=dict)
    params: tuple[Param, ...] = ()
    line: int = 1

    @property
    def spec(self) -> str:
        """`file@name`, as every command takes it."""
        return f"{self.file}@{self.name}"

    @property
    def not_constant(self) -> tuple[str, ...]:
        """Names of the attributes whose value only running the file would tell."""
        return tuple(self.expressions)


class Skipped(msgspec.Struct, frozen=True):
    """A file or folder that was left out, or something asked for that yields no task.

    reason: reads on after the path ("syntax error: invalid syntax").
    line: from 1, where the reason is in one line of the file.
    named: the user named it, so the user wants to hear of it.
    """

    path: str
    reason: str
    line: int | None = None
    kind: Kind = "rule"
    named: bool = False

    def __str__(self) -> str:
        place = self.path if self.line is None else f"{self.path}:{self.line}"
        return f"{place}: {self.reason}"


class Discovery(msgspec.Struct, frozen=True):
    """tasks: sorted by `file@name`. skipped: sorted by path."""

    tasks: tuple[TaskInfo, ...]
    skipped: tuple[Skipped, ...]

    @property
    def problems(self) -> tuple[Skipped, ...]:
        """What the user named and got no task from."""
        return tuple(skipped for skipped in self.skipped if skipped.named)
