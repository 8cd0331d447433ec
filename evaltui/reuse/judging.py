"""What becomes of each sample: the rules, one sample at a time. Pure.

Given the items, their ids and the cell's logs, finds for every (item, epoch) a record that may be
kept, or the reason why it runs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from evaltui.logs.attempt import Item, SampleId
from evaltui.logs.content import Likeness, same_content, text_of
from evaltui.logs.logged import LoggedLog, LoggedSample
from evaltui.reuse.limits import limit_change


class Record(NamedTuple):
    log: LoggedLog
    sample: LoggedSample


class Judged(NamedTuple):
    """keep: the record to keep; else reason says why it runs, and errored is its last such record.

    unchecked: media of `keep` were not compared.
    """

    keep: Record | None = None
    reason: str | None = None
    errored: Record | None = None
    unchecked: bool = False


@dataclass(frozen=True, slots=True)
class Case:
    """What is judged. limits: today's sample limits by option name. epochs: wanted.

    by_content: contents are compared; else ids alone.
    """

    items: Sequence[Item]
    ids: Sequence[SampleId]
    wanted: Sequence[int]
    epochs: int
    logs: Sequence[LoggedLog]
    limits: Mapping[str, Any]
    by_content: bool

    def places(self) -> dict[str, int]:
        return {str(each): place for place, each in enumerate(self.ids)}

    def likeness(self, place: int, sample: LoggedSample) -> Likeness:
        """Whether a logged sample is an answer to the item at `place`."""
        if not self.by_content:
            return Likeness(True)
        item = self.items[place]
        if sample.content is None:
            return Likeness(False)
        like = same_content(item.content, sample.content)
        known = item.strict is not None and sample.strict is not None
        return Likeness(False) if known and item.strict != sample.strict else like

    def raised(self, record: Record) -> bool:
        return self._limit_change(record) == "raised"

    def lowered(self, record: Record) -> bool:
        return self._limit_change(record) == "lowered"

    def _limit_change(self, record: Record) -> str:
        log, sample = record
        if sample.limit is None:
            return "same"
        then = {**log.limits, **(sample.made.limits if sample.made else {})}
        return limit_change(sample.limit, then, self.limits)


def invalidated_everywhere(logs: Sequence[LoggedLog]) -> list[LoggedLog]:
    """The logs, where a sample that one of them has as invalidated is so in all that hold it."""
    uuids = {
        sample.uuid
        for log in logs
        for sample in log.samples
        if sample.state == "invalidated" and sample.uuid is not None
    }
    return [_invalidated(log, uuids) for log in logs] if uuids else list(logs)


def _invalidated(log: LoggedLog, uuids: set[str]) -> LoggedLog:
    from msgspec.structs import replace

    return replace(
        log,
        samples=tuple(
            replace(sample, state="invalidated") if sample.uuid in uuids else sample
            for sample in log.samples
        ),
    )


def ranked(case: Case) -> list[LoggedLog]:
    """The logs, best first: most samples to keep, then finished ones, then the youngest."""
    place_of = case.places()
    wanted = frozenset(case.wanted)

    def usable(log: LoggedLog) -> int:
        return sum(
            1
            for sample in log.samples
            if sample.state == "clean"
            and sample.epoch <= case.epochs
            and (place := place_of.get(str(sample.id), -1)) in wanted
            and case.likeness(place, sample).same
            and not case.raised(Record(log, sample))
        )

    return sorted(
        case.logs,
        key=lambda log: (usable(log), log.status == "success", log.created, log.name),
        reverse=True,
    )


def judge(case: Case) -> Iterator[tuple[int, int, Judged]]:
    """A judgement for every wanted (place, epoch), item by item. `case.logs` best first."""
    index = _Index(case)
    for place in case.wanted:
        for epoch in range(1, case.epochs + 1):
            yield place, epoch, index.judged(place, epoch)


class _Index:
    """The records of a case by what they answer; hands out each stray record once."""

    def __init__(self, case: Case) -> None:
        self._case = case
        self._own: dict[tuple[int, int], list[tuple[Record, bool]]] = {}
        self._other: dict[tuple[int, int], list[Record]] = {}
        self._stray: dict[tuple[str, int], list[Record]] = {}
        self._seen: set[int] = set()
        self._seen_texts: set[str] = set()
        self._texts = frozenset(text_of(item.content) for item in case.items)
        place_of = case.places()
        for log in case.logs:
            for sample in log.samples:
                self._add(place_of.get(str(sample.id)), Record(log, sample))

    def _add(self, place: int | None, record: Record) -> None:
        sample = record.sample
        if place is not None:
            like = self._case.likeness(place, sample)
            if like.same:
                self._own.setdefault((place, sample.epoch), []).append((record, like.unchecked))
                self._seen.add(place)
                return
            self._other.setdefault((place, sample.epoch), []).append(record)
        if self._case.by_content and sample.content is not None:
            text = text_of(sample.content)
            self._stray.setdefault((text, sample.epoch), []).append(record)
            self._seen_texts.add(text)

    def judged(self, place: int, epoch: int) -> Judged:
        own = self._own.get((place, epoch), [])
        for record, unchecked in own:
            if record.sample.state == "clean" and not self._case.raised(record):
                return Judged(keep=record, unchecked=unchecked)
        strays = self._strays(place, epoch)
        for record, unchecked in strays:
            if record.sample.state == "clean" and not self._case.raised(record):
                self._claim(place, epoch, record)
                return Judged(keep=record, unchecked=unchecked)
        return self._reason(place, epoch, [record for record, _ in (*own, *strays)])

    def _strays(self, place: int, epoch: int) -> list[tuple[Record, bool]]:
        """Records of the same question under another id, where the dataset gives none."""
        item = self._case.items[place]
        if item.id is not None or not self._case.by_content:
            return []
        found = self._stray.get((text_of(item.content), epoch), [])
        likes = ((record, self._case.likeness(place, record.sample)) for record in found)
        return [(record, like.unchecked) for record, like in likes if like.same]

    def _claim(self, place: int, epoch: int, claimed: Record) -> None:
        key = (text_of(self._case.items[place].content), epoch)
        self._stray[key] = [each for each in self._stray[key] if not _one_sample(each, claimed)]

    def _reason(self, place: int, epoch: int, records: list[Record]) -> Judged:
        if any(record.sample.state == "clean" for record in records):
            return Judged(reason="limit_raised")
        decided = [each for each in records if each.sample.state in ("errored", "invalidated")]
        if decided:
            last = max(decided, key=lambda each: (each.log.created, each.log.name))
            if last.sample.state == "invalidated":
                return Judged(reason="invalidated")
            return Judged(reason="errored", errored=last)
        if records:
            return Judged(reason="cancelled")
        if any(self._replaces(place, record) for record in self._other.get((place, epoch), ())):
            return Judged(reason="content_changed")
        return Judged(reason="new_epoch" if self._known(place) else "new")

    def _replaces(self, place: int, record: Record) -> bool:
        """Whether the item took the place of another question, and not only its number."""
        item = self._case.items[place]
        asked = text_of(record.sample.content or "")
        gone = asked not in self._texts or asked == text_of(item.content)
        return item.id is not None or gone

    def _known(self, place: int) -> bool:
        item = self._case.items[place]
        return place in self._seen or (
            item.id is None and text_of(item.content) in self._seen_texts
        )


def _one_sample(one: Record, other: Record) -> bool:
    if one.sample.uuid is not None or other.sample.uuid is not None:
        return one.sample.uuid == other.sample.uuid
    return one is other


def lost_samples(case: Case, logs: Sequence[LoggedLog]) -> int:
    """Clean samples in `logs` that answer no item of today's."""
    place_of = case.places()
    texts: dict[str, list[int]] = {}
    for place, item in enumerate(case.items):
        if item.id is None:
            texts.setdefault(text_of(item.content), []).append(place)

    def answers(sample: LoggedSample) -> bool:
        place = place_of.get(str(sample.id))
        if place is not None and case.likeness(place, sample).same:
            return True
        alike = texts.get(text_of(sample.content or ""), ())
        return any(case.likeness(each, sample).same for each in alike)

    return sum(
        1
        for log in logs
        for sample in log.samples
        if sample.state == "clean" and not answers(sample)
    )
