"""What a killed writer that shared its samples (`--log-shared`) left beside its log.

Read without Inspect. A recovery draws on it where the writer's own buffer is not at hand, since it
ran on another host.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec

from evaltui.logs import wire
from evaltui.logs.archive import Archive
from evaltui.logs.given import BufferedEvent, given_head
from evaltui.logs.records import SampleHead


class _Segment(msgspec.Struct):
    id: int


class _Shared(msgspec.Struct):
    summary: wire.WireSample
    segments: list[int | _Segment] = []


class _Manifest(msgspec.Struct):
    samples: list[_Shared] = []


class _Event(msgspec.Struct):
    event: BufferedEvent


class _Attachment(msgspec.Struct):
    hash: str
    content: str


class _Data(msgspec.Struct):
    events: list[_Event] = []
    attachments: list[_Attachment] = []


def shared_rows(log: Path) -> list[wire.WireSample]:
    """The samples, finished or not. Raises OSError and UNDECODABLE where they can't be read."""
    return [each.summary for each in _manifest(log).samples]


def shared_heads(log: Path) -> Iterator[SampleHead]:
    """What the dataset gave for them. Raises LogError too."""
    for sample in _manifest(log).samples:
        attachments: dict[str, str] = {}
        for data in _data(log, sample):
            attachments |= {each.hash: each.content for each in data.attachments}
            events = (each.event for each in data.events)
            if (head := given_head(sample.summary, events, attachments)) is not None:
                yield head
                break


def _manifest(log: Path) -> _Manifest:
    path = _folder(log) / "manifest.json"
    return wire.decode(path.read_bytes(), _Manifest) if path.exists() else _Manifest()


def _data(log: Path, sample: _Shared) -> Iterator[_Data]:
    name = f"{sample.summary.id}_{sample.summary.epoch}.json"
    numbers = (each if isinstance(each, int) else each.id for each in sample.segments)
    for number in sorted(numbers):
        with Archive(_folder(log) / f"segment.{number}.zip") as segment:
            member = segment.find(name)
            if member is not None:
                yield wire.decode(segment.read(member), _Data)


def _folder(log: Path) -> Path:
    return log.parent / ".buffer" / log.stem
