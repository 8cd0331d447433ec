"""Checkpoints of samples that were stopped: found beside the cell's logs, offered beside the seed.

Only samples that run again on what they were asked before may go on from theirs.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evaltui.logs.logged import LoggedLog
from evaltui.reuse import SampleRef, same_content
from evaltui.worker import bridge
from evaltui.worker.prepare import Prepared

if TYPE_CHECKING:
    from inspect_ai import Task

RESUMED = frozenset({"errored", "cancelled"})


def found_checkpoints(
    log_dir: Path, prepared: Prepared, task: Task, setting: Any
) -> dict[SampleRef, Path]:
    """The latest checkpoints of each sample that may go on; none where the task makes none."""
    found: dict[SampleRef, Path] = {}
    contents = dict(_resumed(prepared))
    for log in sorted(prepared.history, key=lambda each: each.created, reverse=True):
        folder = bridge.checkpoints_folder(log_dir / log.name, task, setting)
        if folder is None or not folder.is_dir():
            continue
        for ref in contents.keys() - found.keys():
            place = folder / bridge.sample_checkpoints(*ref)
            if place.is_dir() and _asks_the_same(log, ref, contents[ref]):
                found[ref] = place
    return found


def offer(checkpoints: Mapping[SampleRef, Path], seed: Path, task: Task, setting: Any) -> None:
    """Put them where Inspect looks for the checkpoints of a previous log at `seed`."""
    folder = bridge.checkpoints_folder(seed, task, setting)
    if folder is None:
        return
    folder.mkdir()
    for ref, place in checkpoints.items():
        shutil.copytree(
            place, folder / bridge.sample_checkpoints(*ref), copy_function=_link_or_copy
        )


def _link_or_copy(source: str, dest: str) -> None:
    """Inspect reads them once, to copy them itself; it passes over symbolic links."""
    try:
        os.link(source, dest)
    except OSError:  # on another file system
        shutil.copy2(source, dest)


def _resumed(prepared: Prepared) -> Iterator[tuple[SampleRef, str]]:
    """The samples that may go on, and the content of their items."""
    decision = prepared.decision
    content = {
        decision.ids[place]: prepared.loaded.items[place].content for place in decision.wanted
    }
    for verdict in decision.verdicts:
        if verdict.reason in RESUMED:
            yield (verdict.id, verdict.epoch), content[verdict.id]


def _asks_the_same(log: LoggedLog, ref: SampleRef, content: str) -> bool:
    return any(
        str(sample.id) == str(ref[0])
        and sample.epoch == ref[1]
        and sample.content is not None
        and same_content(sample.content, content).same
        for sample in log.samples
    )
