"""What the retries of a set have done to its scores, for commands that show more than that.

scipy is loaded only when some scored sample had another try, which in most sets none had.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from evaltui.stats.document import Flag
from evaltui.stats.from_logs import read_set


@dataclass(frozen=True, slots=True)
class Finding:
    """A flag on one score, as the row of it in `document.py` has it."""

    log: str
    task: str
    model: str
    scorer: str
    flags: tuple[Flag, ...]
    sentence: str
    value: float | None
    without_retries: float | None


def retry_findings(log_dir: Path, chosen: Collection[str] = ()) -> list[Finding]:
    """A finding for each score on which a flag is up.

    chosen: names of the logs that a plan has taken for their cells'. OSError where the directory
    can't be listed.
    """
    found = []
    for scores in read_set(log_dir, chosen=chosen).cells:
        for column in scores.columns:
            if not any(sample.rerolled for sample in column.scored):
                continue
            from evaltui.stats.retry_shift import retry_shift
            from evaltui.stats.wording import retry_sentence

            shift = retry_shift(column)
            sentence = retry_sentence(shift)
            if sentence is not None:
                cell = scores.cell
                found.append(
                    Finding(
                        log=cell.best.name,
                        task=cell.task,
                        model=cell.model,
                        scorer=column.scorer,
                        flags=shift.flags,
                        sentence=sentence,
                        value=shift.value,
                        without_retries=shift.without,
                    )
                )
    return found
