"""Epochs, limit, threshold: one field each, the plan counted anew before anything is saved."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from evaltui.engine.thresholds import threshold
from evaltui.spec import Amendment
from evaltui.tui.dialogs.form import FormDialog
from evaltui.tui.forms import read_setting, setting_text
from evaltui.tui.runs import Cell, cell
from evaltui.tui.view import View
from evaltui.tui.widgets.form_field import FormField

_TITLES: Mapping[str, str] = {
    "epochs": "Epochs",
    "limit": "Limit",
    "fail_on_error": "Error threshold",
}
_HINTS: Mapping[str, str] = {
    "epochs": "how often each sample is run; empty: as each task says",
    "limit": "10, or 10-20; empty: all samples",
    "fail_on_error": "a count, or a share as 5% or 0.05; true, false; empty: as each task says",
}
_MOST_TOTALS = 3


class SettingDialog(FormDialog):
    """One setting of the set. key: `epochs`, `limit` or `fail_on_error`."""

    def __init__(self, view: View, key: str) -> None:
        super().__init__(view, _TITLES[key])
        self._key = key

    def subtitle(self) -> Cell:
        now = setting_text(self._key, self.view.picture.settings.get(self._key))
        return cell(f"now {now or 'not set'}", "muted")

    def fields(self) -> Sequence[FormField]:
        key = self._key
        text = setting_text(key, self.view.picture.settings.get(key))
        return (FormField(key, len(key), text=text, hint=_HINTS[key], whole=True),)

    def read(self, *, whole: bool) -> Amendment | None:
        line = self.line(self._key)
        try:
            value = read_setting(self._key, line.text)
        except ValueError as error:
            line.complain(str(error))
            return None
        # an empty field says itself what belongs in it
        line.say([cell(_HINTS[self._key], "muted")] if line.text else ())
        return Amendment(settings={self._key: value})

    def remarks(self) -> Sequence[Cell]:
        if self._key != "fail_on_error" or self.change is None:
            return ()
        return threshold_lines(self.view, self.change.settings["fail_on_error"])


def threshold_lines(view: View, value: bool | float | None) -> list[Cell]:
    """What a threshold means in plain numbers, for the commonest sizes of cells."""
    if value is None:
        return [cell("each cell tolerates what its task says", "muted")]
    plan = view.picture.plan
    totals = Counter(cell.total for cell in plan.cells if cell.total) if plan else Counter()
    rule = view.picture.settings.get("error_rule", "more-than")
    return [
        cell(f"{count} cell{'s' * (count > 1)} of {total} samples: ", "muted")
        + cell(threshold(value, rule, total).text)
        for total, count in totals.most_common(_MOST_TOTALS)
    ]
