"""Which tasks there are: `@task` functions found by parsing, never by running.

Everything here works from bytes on disk. Nobody's code is executed, nothing is imported from the
files that are read, nothing is written.
"""

from __future__ import annotations

from evaltui.discovery.decorators import tasks_in_file
from evaltui.discovery.discover import discover
from evaltui.discovery.filters import Filter, FilterError, parse_filter
from evaltui.discovery.found import Discovery, Param, Skipped, TaskInfo

__all__ = [
    "Discovery",
    "Filter",
    "FilterError",
    "Param",
    "Skipped",
    "TaskInfo",
    "discover",
    "parse_filter",
    "tasks_in_file",
]
