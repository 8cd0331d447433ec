"""What a reader must know of a score before quoting it: signs for a list, sentences below it. Pure.

Whatever stands between a number and a finished cell is said; nothing is said of what is whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import msgspec

from evaltui.text import Glyphs, count, score
from evaltui.tui.result_document import ScoreRow, scorer_name
from evaltui.tui.result_facts import CellFacts
from evaltui.tui.runs import Cell, cell

MOST_SIGNS = 3

SIGNS: Mapping[str, tuple[str, str, str]] = {
    "running": ("running", "run", "still running"),
    "failed": ("failed", "fail", "failed"),
    "errored": ("failed", "fail", "errored samples left out"),
    "waiting": ("rerun", "wait", "runs again by itself"),
    "cancelled": ("cancelled", "muted", "cancelled"),
    "held": ("held", "held", "held"),
    "partial": ("new", "new", "not all have run"),
    "mixed": ("changed", "changed", "not all as the set asks today"),
    "queued": ("queued", "queued", "to be run"),
    "doubted": ("!", "warn", "a doubt, said below"),
}
"""Kind of a remark -> name of its glyph (or itself), its token, its words in the legend."""

_STANDING: Mapping[str, tuple[str, str]] = {
    "running": ("running", "its attempt is running"),
    "queued": ("queued", "it is queued"),
    "waiting": ("waiting", "it runs again by itself"),
    "held": ("held", "it is held"),
    "blocked": ("failed", "it is blocked"),
    "failed": ("failed", "it failed"),
    "stuck": ("failed", "it is stuck"),
    "cancelled": ("cancelled", "it was cancelled"),
    "dropped": ("cancelled", "its next run was given up"),
}
"""Status of a cell that is not complete -> kind of its remark, and its words."""

_ENDED: Mapping[str, str] = {"started": "running", "cancelled": "cancelled"}


class Remark(msgspec.Struct, frozen=True):
    """kind: of `SIGNS`. said: the sentence, without its full stop. short: a word or two."""

    kind: str
    said: str
    short: str


def remarks(score_row: ScoreRow | None, facts: CellFacts | None) -> tuple[Remark, ...]:
    """What is to be known of a cell's score, the most important first. None: no score; no cell."""
    found: list[Remark] = []
    if facts is not None and facts.status in _STANDING:
        kind, said = _STANDING[facts.status]
        if facts.status == "running" and facts.asked:
            said = f"{said}: {count(facts.done)} of {count(facts.asked)} have finished"
        elif facts.message:
            said = f"{said}: {facts.message}"
        found.append(Remark(kind, said.removesuffix("."), facts.status))
    if score_row is None:
        if not found and facts is not None and facts.status == "idle":
            found.append(Remark("partial", "it has not run", "not run"))
        return tuple(found)
    status = score_row.status
    if status != "success":
        kind = _ENDED.get(status, "failed")
        said = f"its log says {status}" if status != "started" else "its log has no end yet"
        found.append(Remark(kind, said, f"log {status}"))
    found += _missing(score_row)
    if facts is not None:
        found += _asked(score_row, facts)
        found += [Remark("mixed", said, "mixed") for said in facts.stale]
        if not found and facts.status == "idle":
            found.append(Remark("partial", "the set has not finished it", "unfinished"))
    found += _doubts(score_row)
    return tuple(found)


def _missing(row: ScoreRow) -> Iterator[Remark]:
    if row.not_run:
        said = f"{count(row.not_run)} of {count(row.planned)} have not run"
        yield Remark("partial", said, f"{count(row.not_run)} not run")
    errored = row.planned - row.scored - row.not_run - row.unscored
    if errored > 0:
        said = f"{count(errored)} errored and {_are(errored)} left out"
        yield Remark("errored", said, f"{count(errored)} errored")
    if row.unscored:
        said = f"{count(row.unscored)} got no score and {_are(row.unscored)} left out"
        yield Remark("errored", said, f"{count(row.unscored)} unscored")


def _asked(row: ScoreRow, facts: CellFacts) -> Iterator[Remark]:
    if facts.asked > row.planned:
        said = f"the set asks for {count(facts.asked)}, this log was made for {count(row.planned)}"
        yield Remark("partial", said, f"asks {count(facts.asked)}")
    elif 0 < facts.asked < row.planned:
        said = f"the set asks for {count(facts.asked)} now, this stands on {count(row.scored)}"
        yield Remark("mixed", said, f"asks {count(facts.asked)}")


def _doubts(row: ScoreRow) -> Iterator[Remark]:
    if row.sentence:
        short = "retries shift it" if "shift" in row.flags else "many retried"
        yield Remark("doubted", row.sentence.removesuffix("."), short)
    if row.unreadable:
        said = f"{_samples(row.unreadable)} scored with a text that is no number, taken as 0"
        yield Remark("doubted", said, f"{count(row.unreadable)} no number")


def signs(found: Iterable[Remark], glyphs: Glyphs) -> Cell:
    """The signs of some remarks, each once."""
    kinds = list(dict.fromkeys(remark.kind for remark in found))[:MOST_SIGNS]
    return tuple(dict.fromkeys(sign_of(kind, glyphs) for kind in kinds))


def sign_of(kind: str, glyphs: Glyphs) -> tuple[str, str]:
    """A kind's sign with its token."""
    glyph, token, _ = SIGNS[kind]
    return getattr(glyphs, glyph, glyph), token


def detail_lines(
    name: str, row: ScoreRow | None, found: Iterable[Remark], glyphs: Glyphs
) -> tuple[Cell, ...]:
    """A score below the list: what it stands on, and what a reader must know of it.

    name: of its cell. row: None where the cell has no score.
    """
    if row is None:
        return (cell(name, "strong"), *_sentences(found, glyphs))
    lines: list[Cell] = [
        (*cell(name, "strong"), *cell(f"  {scorer_name(row)}  {row.log}", "muted")),
        cell(_stands_on(row)),
        *_sentences(found, glyphs),
    ]
    if row.limited:
        lines.append(cell(f"{_samples(row.limited)} stopped by a sample limit.", "muted"))
    return tuple(lines)


def _sentences(found: Iterable[Remark], glyphs: Glyphs) -> Iterator[Cell]:
    for remark in found:
        sign, token = sign_of(remark.kind, glyphs)
        yield (f"{sign} ", token), (f"{remark.said[:1].upper()}{remark.said[1:]}.", "text")


def _stands_on(row: ScoreRow) -> str:
    parts = [f"{score(row.value)} over {count(row.scored)} of {count(row.planned)} planned"]
    if row.epochs > 1:
        parts[0] += f" ({count(row.samples)} samples, {row.epochs} epochs)"
    if row.interval is not None:
        level = f"{row.interval.level:.0%}"
        low, high = score(row.interval.low), score(row.interval.high)
        parts.append(f"{level} {low} to {high} ({row.interval.method})")
    if row.bounds is not None and row.scored < row.planned:
        low, high = score(row.bounds[0]), score(row.bounds[1])
        parts.append(f"between {low} and {high} whatever the missing ones are")
    return "; ".join(parts)


def legend(kinds: Iterable[str], glyphs: Glyphs) -> Cell:
    """What the signs of these kinds mean, in a line; a sign of several kinds stands once."""
    there = set(kinds)
    words: dict[tuple[str, str], list[str]] = {}
    for kind, (_, _, said) in SIGNS.items():
        if kind in there:
            words.setdefault(sign_of(kind, glyphs), []).append(said)
    runs: list[tuple[str, str]] = []
    for sign, meant in words.items():
        runs += [("   ", "text")] if runs else []
        runs += [sign, (f" {' or '.join(meant)}", "muted")]
    return tuple(runs)


def dash(glyphs: Glyphs) -> str:
    """What stands between two ends of a range."""
    return "-" if glyphs.ascii_only else "–"


def _samples(number: int) -> str:
    return f"{count(number)} sample{' was' if number == 1 else 's were'}"


def _are(number: int) -> str:
    return "is" if number == 1 else "are"
