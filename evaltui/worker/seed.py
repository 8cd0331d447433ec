"""The previous log that Inspect is given: exactly the samples an attempt takes over.

Those to keep, and the last errored record of those that run again, whose history must survive.
Members are copied as they are, so nothing of a kept sample changes but, where it must, its id.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from evaltui.logs.archive import Archive, RawMember
from evaltui.logs.attempt import SampleId
from evaltui.logs.logged import LoggedLog
from evaltui.logs.packing import write_archive
from evaltui.logs.reading import (
    HEADER,
    SUMMARIES,
    is_json,
    read_raw_summaries,
    read_sample,
    sample_member,
)
from evaltui.reuse import SampleRef, Source
from evaltui.worker.prepare import Prepared

if TYPE_CHECKING:
    from inspect_ai import Task
    from inspect_ai.log import EvalLog

_ID = re.compile(rb'\s*\{\s*"id"\s*:\s*(?:"(?:[^"\\]|\\.)*"|-?\d+)')


class Place(NamedTuple):
    """Where a record lies: the log's path, and the id and epoch it has there."""

    path: Path
    id: SampleId
    epoch: int


Places = Mapping[SampleRef, Place]


class Seed(NamedTuple):
    """file: the log. header: what Inspect is told of it, true to today's dataset."""

    file: Path
    header: EvalLog


def places(log_dir: Path, sources: Mapping[SampleRef, Source]) -> dict[SampleRef, Place]:
    return {
        ref: Place(log_dir / source.log, source.id, source.epoch) for ref, source in sources.items()
    }


def make_seed(
    records: Places, prepared: Prepared, task: Task, best: Path, file: Path, alone: bool
) -> Seed:
    """The seed that holds `records`, made at `file`.

    best: the log whose header it goes by. alone: one log that would serve as it is may be used
    instead. Raises LogError and OSError.
    """
    rows = {path: _rows(path) for path in {place.path for place in records.values()}}
    chosen = {ref: _row(rows, ref, place) for ref, place in records.items()}
    header = _header(best, task, chosen.values())
    found = _one_log(records, prepared) if alone else None
    if found is not None:
        return Seed(found, header)
    with contextlib.ExitStack() as stack:
        write_archive(file, _parts(records, chosen, header, stack))
    return Seed(file, header)


# --- one log that serves alone -------------------------------------------------------------------


def _one_log(records: Places, prepared: Prepared) -> Path | None:
    """The log in which all records lie as they are to be, and nothing else Inspect would take."""
    paths = {place.path for place in records.values()}
    if len(paths) != 1:
        return None
    path = next(iter(paths))
    if is_json(path) or not all(_same_id(ref[0], place.id) for ref, place in records.items()):
        return None
    log = next((each for each in prepared.history if each.name == path.name), None)
    if log is None or _holds_more(log, records, prepared):
        return None
    return path


def _holds_more(log: LoggedLog, records: Places, prepared: Prepared) -> bool:
    taken = {(str(id), epoch) for id, epoch in records}
    asked = {str(prepared.decision.ids[place]) for place in prepared.decision.wanted}
    return any(
        str(sample.id) in asked
        and (str(sample.id), sample.epoch) not in taken
        and sample.state in ("clean", "errored")
        for sample in log.samples
    )


def _same_id(one: SampleId, other: SampleId) -> bool:
    return type(one) is type(other) and one == other


# --- a union -------------------------------------------------------------------------------------


def _parts(
    records: Places,
    rows: Mapping[SampleRef, dict[str, Any]],
    header: EvalLog,
    stack: contextlib.ExitStack,
) -> Iterator[RawMember | tuple[str, bytes]]:
    archives: dict[Path, Archive] = {}
    for ref, place in records.items():
        if is_json(place.path):
            sample = read_sample(place.path, place.id, place.epoch)
            yield sample_member(*ref), json.dumps({**sample, "id": ref[0]}).encode()
            continue
        if place.path not in archives:
            archives[place.path] = stack.enter_context(Archive(place.path))
        archive = archives[place.path]
        member = archive.members()[sample_member(place.id, place.epoch)]
        if _same_id(ref[0], place.id):
            yield RawMember(archive, member)
        else:
            yield sample_member(*ref), _with_id(archive.read(member), ref[0])
    yield SUMMARIES, json.dumps(list(rows.values())).encode()
    yield HEADER, header.model_dump_json(exclude_none=True, fallback=str).encode()


def _with_id(content: bytes, id: SampleId) -> bytes:
    """A sample's JSON under another id; the rest of it byte for byte."""
    found = _ID.match(content)
    if found is not None:
        return b'{"id":' + json.dumps(id).encode() + content[found.end() :]
    return json.dumps({**json.loads(content), "id": id}).encode()


def _rows(path: Path) -> dict[tuple[str, int], dict[str, Any]]:
    if is_json(path):
        return {}
    return {(str(row["id"]), row["epoch"]): row for row in read_raw_summaries(path)}


def _row(
    rows: Mapping[Path, Mapping[tuple[str, int], dict[str, Any]]], ref: SampleRef, place: Place
) -> dict[str, Any]:
    row = rows[place.path].get((str(place.id), place.epoch))
    if row is None:  # a log of a kind that has no summaries
        from inspect_ai.log import read_eval_log_sample

        sample = read_eval_log_sample(str(place.path), place.id, place.epoch)
        row = json.loads(sample.summary().model_dump_json(exclude_none=True))
    return {**row, "id": ref[0]}


# --- the header ----------------------------------------------------------------------------------


def _header(path: Path, task: Task, rows: Iterable[Mapping[str, Any]]) -> EvalLog:
    """A log's header as Inspect needs it to take samples over: size and order of today's data.

    Usage is that of the samples taken over; what a log's header has adds up over reruns.
    """
    from inspect_ai.log import read_eval_log

    header = read_eval_log(str(path), header_only=True)
    header.eval.dataset.samples = len(task.dataset)
    header.eval.dataset.shuffled = False
    rows = list(rows)
    header.stats.model_usage = _summed(row.get("model_usage") for row in rows)
    header.stats.role_usage = _summed(row.get("role_usage") for row in rows)
    return header


def _summed(usages: Iterable[Mapping[str, Any] | None]) -> dict[str, Any]:
    from inspect_ai.model import ModelUsage

    total: dict[str, ModelUsage] = {}
    for usage in usages:
        for name, each in (usage or {}).items():
            found = ModelUsage.model_validate(each)
            total[name] = total[name] + found if name in total else found
    return total
