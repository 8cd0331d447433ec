"""What becomes of each sample: the rules, one sample at a time. Pure.

Given the items, their ids and the cell's logs, finds for every wanted (item, epoch) a record that
may be kept, or the reason why it runs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from msgspec.structs import replace

from evaltui.logs.attempt import Item, SampleId
from evaltui.logs.content import Likeness, same_content, text_of
from evaltui.logs.logged import LoggedLog, LoggedSample
from evaltui.reuse.limits import limit_change

NOT_WANTED = -1


class Record(NamedTuple):
    """A sample where it was found. unchecked: its media could not be compared."""

    log: LoggedLog
    sample: LoggedSample
    unchecked: bool = False


class Judged(NamedTuple):
    """One wanted sample: the record to keep, else why it runs, with its last errored record."""

    place: int
    epoch: int
    keep: Record | None = None
    reason: str | None = None
    errored: Record | None = None


@dataclass(frozen=True, slots=True)
class Case:
    """What is judged. wanted: places of items, in order; epochs: of each.

    limits: today's sample limits by option name. by_content: contents count; else ids alone.
    """

    items: Sequence[Item]
    ids: Sequence[SampleId]
    wanted: Sequence[int]
    epochs: int
    logs: Sequence[LoggedLog]
    limits: Mapping[str, Any]
    by_content: bool
    place_of: Mapping[str, int] = field(init=False)
    slot_of: Sequence[int] = field(init=False)
    """Place -> number of its first epoch among all that is wanted."""

    def __post_init__(self) -> None:
        slots = [NOT_WANTED] * len(self.items)
        for number, place in enumerate(self.wanted):
            slots[place] = number * self.epochs
        object.__setattr__(self, "slot_of", slots)
        object.__setattr__(self, "place_of", {str(each): n for n, each in enumerate(self.ids)})

    def with_logs(self, logs: Sequence[LoggedLog]) -> Case:
        """The same with other logs; what was worked out from the items is not worked out again."""
        made = copy(self)
        object.__setattr__(made, "logs", logs)
        return made

    def likeness(self, place: int, sample: LoggedSample) -> Likeness:
        """Whether a logged sample is an answer to the item at `place`."""
        if not self.by_content:
            return Likeness(True)
        item = self.items[place]
        if sample.content is None or not _same_where_known(item.strict, sample.strict):
            return Likeness(False)
        return same_content(item.content, sample.content)

    def answers(self, place: int, sample: LoggedSample) -> bool:
        """The same in short, for the usual case that nothing has changed."""
        item = self.items[place]
        if sample.content == item.content and _same_where_known(item.strict, sample.strict):
            return True
        return self.likeness(place, sample).same

    def keeps(self, log: LoggedLog, sample: LoggedSample) -> bool:
        """Whether an answer may stand: it finished, and not at a limit that is higher now."""
        if sample.state != "clean":
            return False
        return sample.limit is None or self.limit_change(log, sample) != "raised"

    def limit_change(self, log: LoggedLog, sample: LoggedSample) -> str:
        if sample.limit is None:
            return "same"
        then = {**log.limits, **(sample.made.limits if sample.made else {})}
        return limit_change(sample.limit, then, self.limits)


def _same_where_known(one: str | None, other: str | None) -> bool:
    return one == other or one is None or other is None


def invalidated_everywhere(logs: Sequence[LoggedLog]) -> list[LoggedLog]:
    """The logs, where a sample that one of them has as invalidated is so in all that hold it."""
    uuids = {
        sample.uuid
        for log in logs
        for sample in log.samples
        if sample.state == "invalidated" and sample.uuid is not None
    }
    return [_with_invalidated(log, uuids) for log in logs] if uuids else list(logs)


def _with_invalidated(log: LoggedLog, uuids: set[str]) -> LoggedLog:
    samples = (
        replace(sample, state="invalidated") if sample.uuid in uuids else sample
        for sample in log.samples
    )
    return replace(log, samples=tuple(samples))


def ranked(case: Case) -> list[LoggedLog]:
    """The logs, best first: most samples to keep, then finished ones, then the youngest."""
    if len(case.logs) < 2:
        return list(case.logs)

    def usable(log: LoggedLog) -> int:
        count = 0
        for sample in log.samples:
            place = case.place_of.get(str(sample.id), NOT_WANTED)
            wanted = place >= 0 and case.slot_of[place] >= 0 and sample.epoch <= case.epochs
            if wanted and case.answers(place, sample) and case.keeps(log, sample):
                count += 1
        return count

    return sorted(
        case.logs,
        key=lambda log: (usable(log), log.status == "success", log.created, log.name),
        reverse=True,
    )


def judge(case: Case) -> Iterator[Judged]:
    """A judgement for every wanted sample, item by item. `case.logs` best first."""
    index = _Index(case)
    slot = 0
    for place in case.wanted:
        for epoch in range(1, case.epochs + 1):
            keep = index.kept[slot]
            yield Judged(place, epoch, keep) if keep else index.unkept(place, epoch, slot)
            slot += 1


class _Index:
    """The records of a case by what they answer; hands out each stray record once.

    kept: by slot, the best record of the item's own that may be kept.
    """

    def __init__(self, case: Case) -> None:
        self._case = case
        self.kept: list[Record | None] = [None] * (len(case.wanted) * case.epochs)
        self._own: dict[int, list[Record]] = {}
        self._other: dict[int, list[LoggedSample]] = {}
        self._stray: dict[tuple[str, int], list[Record]] = {}
        self._claimed: dict[str, int] = {}
        self._seen: set[int] = set()
        self._seen_texts: set[str] = set()
        for log in case.logs:
            self._take_in(log)

    def _take_in(self, log: LoggedLog) -> None:
        case, kept = self._case, self.kept
        items, place_of, slot_of, epochs = case.items, case.place_of, case.slot_of, case.epochs
        for sample in log.samples:
            place = place_of.get(str(sample.id), NOT_WANTED)
            if place < 0:
                self._add_stray(log, sample)
                continue
            item = items[place]
            unchecked = False
            # the usual case in as few steps as can be: there may be very many samples
            if sample.content != item.content or item.media or item.strict != sample.strict:
                same, unchecked = case.likeness(place, sample)
                if not same:
                    self._add_other(place, log, sample)
                    continue
            self._seen.add(place)
            if slot_of[place] < 0 or sample.epoch > epochs:
                continue
            slot = slot_of[place] + sample.epoch - 1
            if not case.keeps(log, sample):
                self._own.setdefault(slot, []).append(Record(log, sample, unchecked))
            elif kept[slot] is None and (item.id is not None or self._unclaimed(sample, slot)):
                kept[slot] = Record(log, sample, unchecked)

    def _unclaimed(self, sample: LoggedSample, slot: int) -> bool:
        """Whether no other item has this answer: without ids, it may lie under several numbers."""
        if sample.uuid is None:
            return True
        return self._claimed.setdefault(sample.uuid, slot) == slot

    def _add_other(self, place: int, log: LoggedLog, sample: LoggedSample) -> None:
        if self._case.slot_of[place] >= 0 and sample.epoch <= self._case.epochs:
            slot = self._case.slot_of[place] + sample.epoch - 1
            self._other.setdefault(slot, []).append(sample)
        self._add_stray(log, sample)

    def _add_stray(self, log: LoggedLog, sample: LoggedSample) -> None:
        if self._case.by_content and sample.content is not None:
            text = text_of(sample.content)
            self._stray.setdefault((text, sample.epoch), []).append(Record(log, sample))
            self._seen_texts.add(text)

    def unkept(self, place: int, epoch: int, slot: int) -> Judged:
        """The judgement where the item's own records hold nothing to keep."""
        if not self._stray and slot not in self._own:
            return Judged(place, epoch, None, "new_epoch" if place in self._seen else "new")
        strays = self._strays(place, epoch)
        for record in strays:
            keeps = self._case.keeps(record.log, record.sample)
            if keeps and self._unclaimed(record.sample, slot):
                self._claim(place, epoch, record)
                return Judged(place, epoch, record)
        records = [*self._own.get(slot, ()), *strays]
        decided = [each for each in records if each.sample.state in ("errored", "invalidated")]
        last = max(decided, key=lambda each: (each.log.created, each.log.name), default=None)
        if any(record.sample.state == "clean" for record in records):
            return Judged(place, epoch, reason="limit_raised")
        if last is not None and last.sample.state == "errored":
            return Judged(place, epoch, reason="errored", errored=last)
        if last is not None:
            return Judged(place, epoch, reason="invalidated")
        return Judged(place, epoch, reason=self._reason(place, slot, bool(records)))

    def _reason(self, place: int, slot: int, cancelled: bool) -> str:
        if cancelled:
            return "cancelled"
        if any(self._replaces(place, sample) for sample in self._other.get(slot, ())):
            return "content_changed"
        item = self._case.items[place]
        known = item.id is None and text_of(item.content) in self._seen_texts
        return "new_epoch" if known or place in self._seen else "new"

    def _strays(self, place: int, epoch: int) -> list[Record]:
        """Records of the same question under another id, where the dataset gives none."""
        item = self._case.items[place]
        if item.id is not None or not self._case.by_content:
            return []
        found = self._stray.get((text_of(item.content), epoch), [])
        likes = ((record, self._case.likeness(place, record.sample)) for record in found)
        return [Record(each.log, each.sample, like.unchecked) for each, like in likes if like.same]

    def _claim(self, place: int, epoch: int, claimed: Record) -> None:
        key = (text_of(self._case.items[place].content), epoch)
        self._stray[key] = [each for each in self._stray[key] if not _one_sample(each, claimed)]

    def _replaces(self, place: int, sample: LoggedSample) -> bool:
        """Whether the item took the place of another question, and not only its number."""
        item = self._case.items[place]
        asked = text_of(sample.content or "")
        still_asked = asked in self._texts_of_today and asked != text_of(item.content)
        return item.id is not None or not still_asked

    @cached_property
    def _texts_of_today(self) -> frozenset[str]:
        return frozenset(text_of(item.content) for item in self._case.items)


def _one_sample(one: Record, other: Record) -> bool:
    if one.sample.uuid is not None or other.sample.uuid is not None:
        return one.sample.uuid == other.sample.uuid
    return one.sample is other.sample


def lost_samples(case: Case, logs: Sequence[LoggedLog]) -> int:
    """Clean samples in `logs` that answer no item of today's."""
    texts: dict[str, list[int]] = {}
    for place, item in enumerate(case.items):
        if item.id is None:
            texts.setdefault(text_of(item.content), []).append(place)

    def lost(sample: LoggedSample) -> bool:
        place = case.place_of.get(str(sample.id))
        if place is not None and case.answers(place, sample):
            return False
        alike = texts.get(text_of(sample.content or ""), ())
        return not any(case.answers(each, sample) for each in alike)

    return sum(
        1 for log in logs for sample in log.samples if sample.state == "clean" and lost(sample)
    )
