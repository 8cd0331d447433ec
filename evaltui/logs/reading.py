"""Inspect's logs read without Inspect: headers, sample summaries, heads of samples, samples.

Knows where `.eval` and `.json` logs keep what; what the content means is in `wire.py`. Reads one
file at a time and never writes.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

import msgspec

from evaltui.logs import slices, wire
from evaltui.logs.archive import Archive, LogError, Member, unreadable
from evaltui.logs.attachments import refers_to_attachments
from evaltui.logs.beginning import read_beginning
from evaltui.logs.records import LogFile, LogHeader, SampleHead, SampleId, SampleSummary

T = TypeVar("T")

HEADER = "header.json"
SUMMARIES = "summaries.json"
START = "_journal/start.json"
_JOURNALLED_SUMMARIES = "_journal/summaries/"
_JOURNALLED_UPDATES = "_journal/config_updates/"
_HEAD_KEYS = frozenset({"id", "epoch", "input", "choices", "target"})
_NEEDED = _HEAD_KEYS - {"choices"}
_LARGEST_HEADER = 1 << 30


def sample_member(sample_id: SampleId, epoch: int) -> str:
    """The name of a sample's member; the ids 1 and "1" have the same."""
    return f"samples/{sample_id}_epoch_{epoch}.json"


# --- headers ------------------------------------------------------------------------------------


def read_log(path: Path) -> LogFile:
    """The log at `path` without its samples. Never raises: a broken file has a reason."""
    size = mtime_ns = 0
    try:
        status = path.stat()
        size, mtime_ns = status.st_size, status.st_mtime_ns
        if not stat.S_ISREG(status.st_mode):
            raise LogError(f"{path.name} is not a file.")
        return _read_json(path) if is_json(path) else _read_eval(path)
    except LogError as error:
        return LogFile(path, size, mtime_ns, reason=str(error))
    except OSError as error:
        return LogFile(path, size, mtime_ns, reason=str(unreadable(path, error)))


def read_raw_header(path: Path) -> dict[str, Any]:
    """The header of a log with all its keys, in the form of `header.json`.

    For those who hand it back to Inspect; of a log that has not finished, what it began with.
    Raises LogError.
    """
    if is_json(path):
        try:
            with open(path, "rb") as file:
                return _json_beginning(path, file)
        except OSError as error:
            raise unreadable(path, error) from None
    with Archive(path) as archive:
        member, finished = _header_member(archive)
        content = _decode(archive, member, dict[str, Any])
        if not finished:
            content["status"] = "started"
            if updates := _config_updates(archive):
                content["config_updates"] = list(updates)
        return content


def _read_eval(path: Path) -> LogFile:
    with Archive(path) as archive:
        header, finished = _header(archive)
        return LogFile(path, archive.size, archive.mtime_ns, header, finished=finished)


def _header(archive: Archive) -> tuple[LogHeader, bool]:
    member, finished = _header_member(archive)
    content = _decode(archive, member, wire.WireHeader)
    return wire.header(content, () if finished else _config_updates(archive)), finished


def _header_member(archive: Archive) -> tuple[Member, bool]:
    """Where the header is, and whether the log has finished."""
    member = archive.find(HEADER)
    finished = member is not None
    member = member or archive.find(START)
    if member is None:
        raise LogError(f"{archive.path.name} is not an Inspect log: it has no header.")
    if member.size > _LARGEST_HEADER:
        raise LogError(f"{archive.path.name} has a header larger than can be true.")
    return member, finished


def _config_updates(archive: Archive) -> tuple[Mapping[str, Any], ...]:
    members = _journalled(archive, _JOURNALLED_UPDATES)
    return tuple(_decode(archive, member, dict[str, Any]) for member in members)


def _journalled(archive: Archive, folder: str) -> list[Member]:
    """The numbered members of a journal folder, in the order of their numbers."""
    numbered = []
    for name, member in archive.members().items():
        if name.startswith(folder) and name.endswith(".json"):
            number = name[len(folder) : -len(".json")]
            if number.isdecimal():
                numbered.append((int(number), member))
    return [member for _, member in sorted(numbered)]


def _decode(archive: Archive, member: Member, kind: type[T]) -> T:
    try:
        return wire.decode(archive.read(member), kind)
    except wire.UNDECODABLE as error:
        raise _unknown_form(archive, member, error) from None


def _unknown_form(archive: Archive, member: Member, error: BaseException) -> LogError:
    return LogError(f"{archive.path.name} has an unknown form: {member.name}: {_line(error)}.")


def _line(error: BaseException) -> str:
    return " ".join(str(error).split()).rstrip(".")


# --- samples ------------------------------------------------------------------------------------


def read_summaries(path: Path) -> list[SampleSummary]:
    """The samples a log holds, each in a line, in the order they were logged. Raises LogError.

    Of a sample that was logged twice, the later. Which samples are invalidated stands only in the
    samples themselves: they are looked at when the header says that some are.
    """
    return list({row.key: row for row in each_summary(path)}.values())


def each_summary(path: Path) -> Iterator[SampleSummary]:
    """`read_summaries` row by row, for those who keep something smaller of each.

    A sample that was logged twice comes twice; the later counts. Raises LogError.
    """
    if is_json(path):
        content = _decode_json(path, _JsonSamples)
        scorer = _first_score(wire.header(content)) if content.samples else ""
        for row in content.samples or ():
            yield wire.summary(row, False, scorer)
        return
    with Archive(path) as archive:
        header: LogHeader | None = None
        for row in _rows(archive):
            if header is None:
                header, _ = _header(archive)
            if _may_be_unfinished(row):
                row.error = _outcome(archive, row).error
            invalidated = header.invalidated and _outcome(archive, row).invalidation is not None
            yield wire.summary(row, invalidated, _first_score(header))


def read_raw_summaries(path: Path) -> list[dict[str, Any]]:
    """The rows of an `.eval` log's summaries with all their keys, last row of a sample only.

    Empty where the log has none, as of the oldest versions. Raises LogError.
    """
    with Archive(path) as archive:
        members = _summary_members(archive)
        rows = [row for member in members for row in _decode(archive, member, list[dict[str, Any]])]
    return list({(str(row.get("id")), row.get("epoch")): row for row in rows}.values())


def read_heads(
    path: Path, wanted: Collection[tuple[SampleId, int]] | None = None
) -> Iterator[SampleHead]:
    """What the dataset gave for each wanted (id, epoch) that the log holds; None wants all.

    In the order they were logged. Ids compare as strings. No more is decoded than these first keys,
    save where an input refers to attachments, which stand at the end. Raises LogError.
    """
    if is_json(path):
        keys = None if wanted is None else {(str(name), epoch) for name, epoch in wanted}
        heads = map(wire.head, _decode_json(path, _JsonHeads).samples or ())
        # a later record of the same sample replaces the earlier
        by_key = {head.key: head for head in heads if keys is None or head.key in keys}
        yield from by_key.values()
        return
    with Archive(path) as archive:
        names = None if wanted is None else {sample_member(*key) for key in wanted}
        for name, member in archive.members().items():
            if _is_sample(name) and (names is None or name in names):
                yield _head(archive, member)


def read_sample(path: Path, sample_id: SampleId, epoch: int) -> dict[str, Any]:
    """The whole logged sample as decoded JSON, references to attachments left in place.

    `resolve_attachments(sample["messages"], sample["attachments"])` resolves a part of it.
    Raises LogError, also when the log holds no such sample.
    """
    if is_json(path):
        samples = _decode_json(path, _JsonRaw).samples or []
        for row in samples[::-1]:
            if str(row.get("id")) == str(sample_id) and row.get("epoch") == epoch:
                return row
    else:
        with Archive(path) as archive:
            member = archive.members().get(sample_member(sample_id, epoch))
            if member is not None:
                whole: dict[str, Any] = _decode(archive, member, dict[str, Any])
                return whole
    raise LogError(f"{path.name} holds no sample {sample_id} in epoch {epoch}.")


def _rows(archive: Archive) -> Iterator[wire.WireSample]:
    members = _summary_members(archive)
    for member in members:
        content = archive.read(member)
        try:
            yield from slices.decoded(content, wire.WireSample)
        except wire.UNDECODABLE as error:
            raise _unknown_form(archive, member, error) from None
    if not members:  # the oldest `.eval` logs have no summaries: their samples say the same
        for name, member in archive.members().items():
            if _is_sample(name):
                yield _decode(archive, member, wire.WireSample)


def _summary_members(archive: Archive) -> list[Member]:
    summaries = archive.find(SUMMARIES)
    return [summaries] if summaries else _journalled(archive, _JOURNALLED_SUMMARIES)


def _is_sample(name: str) -> bool:
    return name.startswith("samples/") and name.endswith(".json")


def _may_be_unfinished(row: wire.WireSample) -> bool:
    """Inspect's recovery from a shared buffer gives such a sample an error, but not its row."""
    return row.error is None and row.started_at is not None and row.completed_at is None


def _outcome(archive: Archive, row: wire.WireSample) -> wire.WireOutcome:
    member = archive.members().get(sample_member(row.id, row.epoch))
    return wire.WireOutcome() if member is None else _decode(archive, member, wire.WireOutcome)


def _head(archive: Archive, member: Member) -> SampleHead:
    try:
        values = read_beginning(archive.pieces(member), _behind_the_head)
        if not refers_to_attachments(values.get("input")):
            return wire.head(msgspec.convert(values, wire.WireHead))
    except wire.UNDECODABLE as error:
        name = archive.path.name
        raise LogError(f"{name} has an unknown form: {member.name}: {_line(error)}.") from None
    return wire.head(_decode(archive, member, wire.WireHead))


def _behind_the_head(key: str, so_far: dict[str, Any]) -> bool:
    return key not in _HEAD_KEYS and so_far.keys() >= _NEEDED


def _first_score(header: LogHeader) -> str:
    scores = header.results.scores if header.results else ()
    return scores[0].name if scores else "score"


# --- .json logs ---------------------------------------------------------------------------------


class _JsonSamples(wire.WireHeader):
    samples: list[wire.WireSample] | None = None


class _JsonHeads(msgspec.Struct):
    samples: list[wire.WireHead] | None = None


class _JsonRaw(msgspec.Struct):
    samples: list[dict[str, Any]] | None = None


def is_json(path: Path) -> bool:
    return path.suffix == ".json"


def _read_json(path: Path) -> LogFile:
    with open(path, "rb") as file:
        status = os.fstat(file.fileno())
        values = _json_beginning(path, file)
    try:
        header = wire.header(msgspec.convert(values, wire.WireHeader))
    except wire.UNDECODABLE as error:
        raise LogError(f"{path.name} is not an Inspect log: {_line(error)}.") from None
    finished = header.status != "started"
    return LogFile(path, status.st_size, status.st_mtime_ns, header, finished=finished)


def _json_beginning(path: Path, file: BinaryIO) -> dict[str, Any]:
    """The keys before the samples of a `.json` log that is whole as far as its end shows."""
    size = file.seek(0, os.SEEK_END)
    if size == 0:
        raise LogError(f"{path.name} is empty.")
    file.seek(0)
    indented = file.read(2) == b"{\n"
    file.seek(max(0, size - 64))
    if not file.read().rstrip().endswith(b"\n}" if indented else b"}"):
        raise LogError(f"{path.name} is cut off or not a log: its last brace is missing.")
    file.seek(0)
    try:
        pieces = iter(lambda: file.read(64 * 1024), b"")
        return read_beginning(pieces, lambda key, _: key == "samples")
    except wire.UNDECODABLE as error:
        raise LogError(f"{path.name} is not a log: it is no JSON: {_line(error)}.") from None


def _decode_json(path: Path, kind: type[T]) -> T:
    try:
        return wire.decode(path.read_bytes(), kind)
    except OSError as error:
        raise unreadable(path, error) from None
    except wire.UNDECODABLE as error:
        raise LogError(f"{path.name} has an unknown form: {_line(error)}.") from None
