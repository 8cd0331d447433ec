"""The sentence of the message line: what happened, what it means, what to do. Pure."""

from __future__ import annotations

from evaltui.engine.rows import lane_rows
from evaltui.text import Glyphs
from evaltui.tui.picture import Picture
from evaltui.tui.runs import Cell, cell


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
    waits = _waiting_lane(picture, now, glyphs)
    if waits:
        return waits
    if picture.said:
        return cell(picture.said, "warn")
    if state.message is not None:
        token = {"info": "info", "warning": "warn", "error": "error"}[state.message.level]
        return cell(state.message.text, token)
    if not state.cells:
        return cell(_empty_says(picture), "info")
    return ()


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
