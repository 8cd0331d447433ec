"""The sentence of the message line: what happened, what it means, what to do. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from evaltui.engine.rows import lane_rows
from evaltui.logs import journal as jn
from evaltui.text import Glyphs
from evaltui.tui.picture import Picture
from evaltui.tui.runs import Cell, cell

ANSWER_STAYS = 8.0
"""Seconds that the engine's answer to a command stays."""

NEWS_STAY = 60.0
"""Seconds that what it says by itself stays, where nothing is wrong."""

_TOKENS: Mapping[jn.Level, str] = {"info": "info", "warning": "warn", "error": "error"}


def message(picture: Picture, now: float, glyphs: Glyphs) -> Cell:
    """What happened, what it means, what to do: the one sentence that matters most now."""
    state = picture.state
    if picture.trouble:
        return cell(f"{glyphs.failed} {picture.trouble}", "error")
    if state.spec_error is not None:
        place = f", line {state.spec_error.line}" if state.spec_error.line else ""
        said = f"evalset.toml{place}: {state.spec_error.message}"
        return cell(f"{glyphs.failed} {said} The spec before it stays in force.", "error")
    if picture.problems:
        more = f" (and {len(picture.problems) - 1} more)" if len(picture.problems) > 1 else ""
        return cell(f"{glyphs.failed} {picture.problems[0].message}{more}", "error")
    if (answer := fresh_answer(picture, now)) is not None:
        return cell(answer.text, _TOKENS[answer.level])
    waits = _waiting_lane(picture, now, glyphs)
    if waits:
        return waits
    if picture.said:
        return cell(picture.said, "warn")
    if state.message is not None and not _is_old(state.message, now):
        return cell(state.message.text, _TOKENS[state.message.level])
    if not state.cells:
        return cell(_empty_says(picture), "info")
    return ()


def fresh_answer(picture: Picture, now: float) -> jn.Message | None:
    """What came of the last command, as long as somebody may wait for it."""
    said = picture.state.answer
    return said if said is not None and now - said.t < ANSWER_STAYS else None


def _is_old(said: jn.Message, now: float) -> bool:
    """Warnings and errors stay until another word comes; what merely tells goes."""
    return said.level == "info" and now - said.t > NEWS_STAY


def _waiting_lane(picture: Picture, now: float, glyphs: Glyphs) -> Cell:
    if picture.engine == "none":
        return ()
    for row in lane_rows(picture.state, now):
        if row.says and row.says != "held":
            said = row.says.replace("×", glyphs.times)
            return cell(
                f"{glyphs.rerun} {row.name}: {said}. Nothing to do; h holds a lane.", "wait"
            )
    return ()


def _empty_says(picture: Picture) -> str:
    if not picture.ready:
        return ""
    spec = picture.spec
    if spec is None or not spec.tasks:
        return "This set is empty. Mark tasks with Space in the task list, then a adds a model."
    return "This set has tasks and no model: a adds one."
