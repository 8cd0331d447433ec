"""The stored fingerprints of a log's samples: `.evaltui/fingerprints/<eval_id>.json`.

A worker writes those of the attempt it runs, from the dataset it loaded; for other logs they are
computed once from the beginnings of the sample members. Nothing is judged here.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from pathlib import Path

import msgspec

from evaltui.logs.archive import LogError
from evaltui.logs.attempt import SampleId
from evaltui.logs.buffered import buffered_heads
from evaltui.logs.content import content_fingerprint
from evaltui.logs.files import write_atomic
from evaltui.logs.layout import Layout
from evaltui.logs.logged import Made
from evaltui.logs.reading import read_heads
from evaltui.logs.records import LogFile

VERSION = 1
EVERY_EPOCH = 0


class Printed(msgspec.Struct, frozen=True, array_like=True):
    """The fingerprints of one sample; epoch 0 stands for every epoch of that id."""

    id: SampleId
    epoch: int
    content: str
    strict: str | None = None


class Fingerprints(msgspec.Struct, frozen=True, omit_defaults=True):
    """All that is stored for one log.

    makes: under what its samples were made, the attempt's own first; empty for a log that is not
    evaltui's. kept: `id:epoch` -> place in `makes`, for samples taken over from other logs.
    """

    version: int
    eval_id: str
    samples: tuple[Printed, ...] = ()
    makes: tuple[Made | None, ...] = ()
    kept: Mapping[str, int] = {}

    def contents(self) -> dict[tuple[str, int], Printed]:
        """By (id as a string, epoch); epoch 0 as stored."""
        return {(str(each.id), each.epoch): each for each in self.samples}

    def made(self, sample_id: SampleId, epoch: int) -> Made | None:
        if not self.makes:
            return None
        return self.makes[self.kept.get(kept_key(sample_id, epoch), 0)]


def kept_key(sample_id: SampleId, epoch: int) -> str:
    return f"{sample_id}:{epoch}"


def read_fingerprints(layout: Layout, eval_id: str) -> Fingerprints | None:
    """What is stored for a log; None where nothing is, or nothing that this version can read."""
    try:
        data = _path(layout, eval_id).read_bytes()
        found = msgspec.json.decode(data, type=Fingerprints)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return None
    fits = found.version <= VERSION and all(n < len(found.makes) for n in found.kept.values())
    return found if fits else None


def write_fingerprints(layout: Layout, fingerprints: Fingerprints) -> None:
    """Store them durably. OSError passes through."""
    write_atomic(_path(layout, fingerprints.eval_id), msgspec.json.encode(fingerprints))


def fingerprint_log(layout: Layout, file: LogFile) -> Fingerprints:
    """Compute and store the fingerprints that a log's samples lack. Raises LogError, OSError.

    What a worker stored stays: it knows more than the log shows. Of a log whose writer was killed,
    those of the samples that a recovery will bring back are stored too.
    """
    if file.header is None:
        raise LogError(file.reason or f"{file.name} can't be read.")
    eval_id = file.header.eval_id
    stored = read_fingerprints(layout, eval_id)
    known = stored.contents() if stored else {}
    found = [
        Printed(head.id, head.epoch, content_fingerprint(head.input, head.target, head.choices)[0])
        for head in chain(read_heads(file.path), [] if file.finished else buffered_heads(file.path))
        if (str(head.id), EVERY_EPOCH) not in known and head.key not in known
    ]
    if stored and not found:
        return stored
    base = stored or Fingerprints(VERSION, eval_id)
    merged = msgspec.structs.replace(base, samples=(*base.samples, *compact(found)))
    write_fingerprints(layout, merged)
    return merged


def compact(samples: Sequence[Printed]) -> list[Printed]:
    """One entry for an id whose epochs all ask the same, instead of one for each."""
    rows = _by_id(samples)
    return [
        each
        for same in rows.values()
        for each in ([_for_every_epoch(same[0])] if _uniform(same) else same)
    ]


def _by_id(samples: Iterable[Printed]) -> dict[str, list[Printed]]:
    rows: dict[str, list[Printed]] = {}
    for sample in samples:
        rows.setdefault(str(sample.id), []).append(sample)
    return rows


def _uniform(samples: Sequence[Printed]) -> bool:
    return len(Counter((each.content, each.strict) for each in samples)) == 1


def _for_every_epoch(sample: Printed) -> Printed:
    return msgspec.structs.replace(sample, epoch=EVERY_EPOCH)


def _path(layout: Layout, eval_id: str) -> Path:
    """An eval id comes from a file somebody may have made: it must not lead out of the folder."""
    return layout.fingerprints / f"{re.sub(r'[^A-Za-z0-9_-]', '_', eval_id) or '_'}.json"
