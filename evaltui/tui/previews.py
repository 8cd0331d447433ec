"""What is said before something of weight is done: effect, cost and the command. Pure."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from evaltui.engine.state import SetState
from evaltui.plan import CellPlan, totals
from evaltui.plan_words import ACTIONS
from evaltui.text import Glyphs, count, duration, short_count
from evaltui.tui.picture import Picture
from evaltui.tui.runs import Cell, cell
from evaltui.tui.verdict_words import KINDS

_MOST_CELLS = 6


def resume_lines(picture: Picture, glyphs: Glyphs) -> list[Cell]:
    """What a resume would keep, run and cost, cell by cell and in all."""
    plan = picture.plan
    if plan is None:
        return [cell("the plan is being made", "muted")]
    sums = totals(plan)
    acting = [each for each in plan.cells if each.action in ("run", "merge", "rescore")]
    lines: list[Cell] = [
        (
            (f"{len(acting)} of {len(plan.cells)} cells", "strong"),
            ("   keep ", "muted"),
            (f"{glyphs.kept} {count(sums['reuse'])}", "kept"),
            ("   run ", "muted"),
            (f"{glyphs.new} {count(sums['run'])} samples" if sums["run"] else "", "new"),
            (_unknown(acting, bool(sums["run"])), "new"),
        )
    ]
    lines.append(_cost(acting))
    lines += [_cell_line(picture.state, each, glyphs) for each in acting[:_MOST_CELLS]]
    if len(acting) > _MOST_CELLS:
        lines.append(cell(f"and {len(acting) - _MOST_CELLS} more cells; p shows all", "muted"))
    lines += _in_the_way(picture, glyphs)
    lines.append(_checked(picture, glyphs))
    return lines


def _unknown(acting: Sequence[CellPlan], more: bool) -> str:
    unknown = sum(not each.total for each in acting)
    if not unknown:
        return ""
    cells = "1 cell" if unknown == 1 else f"{unknown} cells"
    return f"{' and ' if more else ''}all of {cells}, not counted yet"


def _cost(acting: Sequence[CellPlan]) -> Cell:
    priced = [each for each in acting if each.costs_tokens is not None and each.run]
    tokens = sum(each.costs_tokens or 0 for each in priced)
    seconds = sum(each.costs_seconds or 0.0 for each in priced)
    saved = sum(each.saves_tokens or 0 for each in acting)
    parts: list[tuple[str, str]] = [("costs ", "muted")]
    if priced:
        time = f" and {duration(seconds)} of sample time" if seconds else ""
        parts.append((f"about {short_count(tokens)} tokens{time}", "text"))
        if len(priced) < sum(bool(each.run) or not each.total for each in acting):
            parts.append((" beside cells that never ran", "muted"))
    else:
        parts.append(("not known: nothing like it was run yet", "text"))
    if saved:
        parts.append((f", saves {short_count(saved)} tokens", "kept"))
    return tuple(parts)


def _cell_line(state: SetState, plan: CellPlan, glyphs: Glyphs) -> Cell:
    found = state.cells[plan.key].cell if plan.key in state.cells else None
    name = f"{found.task} {glyphs.times} {found.model}" if found else plan.key
    if not plan.total:
        return ((f"  {name}  ", "text"), ("all of it", "new"))
    parts: list[tuple[str, str]] = [(f"  {name}  ", "text")]
    if plan.action != "run":
        parts.append((f"{ACTIONS[plan.action]} ", "muted"))
    parts.append((f"{glyphs.kept} {count(plan.reuse)}", "kept"))
    for reason, number in plan.reasons.items():
        glyph, token, word = KINDS.get(reason, KINDS["new"])
        parts.append((f"  {getattr(glyphs, glyph)} {count(number)} {word}", token))
    return tuple(parts)


def _in_the_way(picture: Picture, glyphs: Glyphs) -> list[Cell]:
    plan = picture.plan
    assert plan is not None
    held = [each for each in picture.state.cells.values() if each.held]
    blocked = [each for each in plan.cells if each.action == "blocked"]
    lines: list[Cell] = [
        ((f"{glyphs.failed} ", "fail"), (each.blocked or "blocked", "text")) for each in blocked
    ]
    if held or picture.state.held:
        said = "the set is held" if picture.state.held else f"{len(held)} cells are held"
        lines.append(((f"{glyphs.held} ", "held"), (f"{said}: h releases", "text")))
    return lines


def _checked(picture: Picture, glyphs: Glyphs) -> Cell:
    if picture.checked and not picture.checking:
        return cell(f"{glyphs.complete} checked: this is what runs, sample for sample", "ok")
    if picture.checking:
        return cell(f"checking: {picture.checking} tasks are being loaded", "wait")
    if picture.rests != "samples":
        return cell("unchecked: logs are still being read", "wait")
    return cell("unchecked: from the logs alone", "wait")


def cells_lines(picture: Picture, keys: Sequence[str], glyphs: Glyphs, said: str) -> list[Cell]:
    """The cells that an action would take, with what it does to them."""
    cells = [picture.state.cells[key] for key in keys if key in picture.state.cells]
    kinds = Counter(each.status for each in cells)
    counted = ", ".join(f"{number} {status}" for status, number in kinds.items())
    lines: list[Cell] = [cell(said, "text"), cell(f"{len(cells)} cells: {counted}", "muted")]
    for each in cells[:_MOST_CELLS]:
        lines.append(
            (
                (f"  {each.cell.task} {glyphs.times} {each.cell.model}", "text"),
                (f"  {each.status}", "muted"),
            )
        )
    if len(cells) > _MOST_CELLS:
        lines.append(cell(f"  and {len(cells) - _MOST_CELLS} more", "muted"))
    return lines


def send_command(log_dir: Path, order: str, keys: Sequence[str]) -> str:
    """The command line that tells a running engine the same."""
    return shlex.join(["evaltui", "send", str(log_dir), order, *keys])
