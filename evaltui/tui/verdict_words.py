"""A cell's plan as it is drawn: verdicts in a bar, counts, and what its samples were. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec

from evaltui.plan_words import WORDS
from evaltui.text import Glyphs, count, duration, short_count
from evaltui.tui.look import Run
from evaltui.tui.runs import Cell

if TYPE_CHECKING:
    from evaltui.logs.attempt import LoadedTask, SampleId, Verdict
    from evaltui.logs.logged import LoggedLog, LoggedSample
    from evaltui.plan import CellPlan

_DRAWN: Mapping[str, tuple[str, str]] = {
    "reuse": ("kept", "kept"),
    "tolerated": ("failed", "fail"),
    "errored": ("rerun", "wait"),
    "cancelled": ("cancelled", "wait"),
    "invalidated": ("cancelled", "changed"),
    "content_changed": ("changed", "changed"),
    "limit_raised": ("rerun", "changed"),
    "new_epoch": ("new", "new"),
    "new": ("new", "new"),
}
KINDS: Mapping[str, tuple[str, str, str]] = {
    kind: (*_DRAWN[kind], word) for kind, word in WORDS.items()
}
"""Verdict or reason to run -> name of its glyph, its style token, its word; in the order shown."""


def glyph_of(kind: str, glyphs: Glyphs) -> Run:
    name, token, _ = KINDS.get(kind, KINDS["new"])
    return getattr(glyphs, name), token


def counts(plan: CellPlan) -> dict[str, int]:
    """Samples of a plan by kind, in the order shown; kinds without samples left out."""
    found = {"reuse": plan.reuse, "tolerated": plan.tolerated, **plan.reasons}
    run = sum(plan.reasons.values())
    found["new"] = found.get("new", 0) + max(0, plan.run - run)
    order = [*KINDS, *(kind for kind in found if kind not in KINDS)]
    return {kind: found[kind] for kind in order if found.get(kind)}


def verdict_bar(plan: CellPlan, width: int, glyphs: Glyphs) -> Cell:
    """The plan's samples by kind as a bar of `width` cells; what is there shows, however few."""
    parts = counts(plan)
    total = sum(parts.values())
    if not total or width <= 0:
        return (("·" if not glyphs.ascii_only else ".") * max(width, 0), "muted"),  # fmt: skip
    sizes = _shares(list(parts.values()), total, width)
    drawn: list[Run] = []
    for kind, size in zip(parts, sizes, strict=True):
        sign, token = glyph_of(kind, glyphs)
        drawn.append((sign * size, token))
    return tuple(run for run in drawn if run[0])


def _shares(parts: Sequence[int], total: int, width: int) -> list[int]:
    """Whole cells for each part: at least one as far as the width has room, the rest by size."""
    least = [1] * min(len(parts), width) + [0] * max(0, len(parts) - width)
    rest = width - sum(least)
    exact = [max(0.0, part * width / total - 1) for part in parts]
    scale = rest / sum(exact) if sum(exact) else 0.0
    sizes = [one + int(part * scale) for one, part in zip(least, exact, strict=True)]
    by_need = sorted(range(len(parts)), key=lambda n: parts[n], reverse=True)
    for place in by_need[: width - sum(sizes)]:
        sizes[place] += 1
    sizes[by_need[0]] += width - sum(sizes)
    return sizes


def legend(plan: CellPlan, glyphs: Glyphs) -> Cell:
    """`keep = 61   run ↻ 26 errored   + 412 new`."""
    runs: list[Run] = []
    for kind, number in counts(plan).items():
        sign, token = glyph_of(kind, glyphs)
        word = KINDS.get(kind, KINDS["new"])[2]
        if runs:
            runs.append(("   ", "text"))
        runs += [(sign, token), (f" {count(number)} ", "strong"), (word, "muted")]
    return tuple(runs)


def saves_and_costs(plan: CellPlan) -> Cell:
    """`saves 1.2M tokens, ~38m   costs ~4.1M tokens, ~2h10m`; what is not known is left out."""
    runs: list[Run] = []
    if plan.reuse:
        runs += [("saves ", "muted"), (spent(plan.saves_tokens, plan.saves_seconds), "kept")]
    if plan.run:
        cost = spent(plan.costs_tokens, plan.costs_seconds)
        known = plan.costs_tokens is not None
        runs += [("   ", "text")] if runs else []
        runs += [("costs ", "muted"), (f"~{cost}" if known else "not known yet", "new")]
    return tuple(runs)


def spent(tokens: int | None, seconds: float | None) -> str:
    """`1.2M tokens, 38m`: summed over samples, so that it is no wall time."""
    return f"{short_count(tokens)} tokens, {duration(seconds)}"


# --- every sample --------------------------------------------------------------------------------


class Seen(msgspec.Struct, frozen=True):
    """What the logs and the load of a cell show of its samples, to be looked up by the row."""

    logged: Mapping[tuple[str, str, int], LoggedSample] = msgspec.field(default_factory=dict)
    last: Mapping[tuple[str, int], LoggedSample] = msgspec.field(default_factory=dict)
    previews: Mapping[str, str] = msgspec.field(default_factory=dict)


def seen(
    histories: Iterable[LoggedLog], loaded: LoadedTask | None, ids: Sequence[SampleId] = ()
) -> Seen:
    """An index over a cell's logs. ids: the item ids as the plan fixed them, by place."""
    logged: dict[tuple[str, str, int], LoggedSample] = {}
    last: dict[tuple[str, int], LoggedSample] = {}
    for log in sorted(histories, key=lambda log: (log.created, log.name)):
        for sample in log.samples:
            name = str(sample.id)
            logged[log.name, name, sample.epoch] = sample
            last[name, sample.epoch] = sample
    items = loaded.items if loaded is not None else ()
    names = ids if len(ids) == len(items) else [item.id for item in items]
    previews = {
        str(name): item.preview
        for name, item in zip(names, items, strict=True)
        if name is not None and item.preview
    }
    return Seen(logged, last, previews)


def before(verdict: Verdict, of: Seen) -> LoggedSample | None:
    """The record of the sample that the verdict rests on, else the last one there is."""
    key = (str(verdict.id), verdict.epoch)
    if verdict.log is not None:
        found = of.logged.get((verdict.log, *key))
        if found is not None:
            return found
    return of.last.get(key)


def was(sample: LoggedSample | None) -> str:
    """What a sample was in the log: `clean, 1,240 tokens, 12s`; a dash for none."""
    if sample is None:
        return "-"
    parts: list[str] = [sample.state]
    if sample.limit:
        parts.append(f"stopped by its {sample.limit} limit")
    if sample.tokens:
        parts.append(f"{short_count(sample.tokens)} tokens")
    if sample.seconds is not None:
        parts.append(duration(sample.seconds))
    return ", ".join(parts)
