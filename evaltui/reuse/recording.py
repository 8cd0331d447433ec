"""What a worker stores about the samples of its attempt, for later plans to compare with. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from evaltui.logs.attempt import LoadedTask
from evaltui.logs.fingerprints import (
    EVERY_EPOCH,
    VERSION,
    Fingerprints,
    Printed,
    kept_key,
)
from evaltui.logs.logged import LoggedLog, Made
from evaltui.reuse.decision import Decision


def attempt_fingerprints(
    eval_id: str,
    loaded: LoadedTask,
    decision: Decision,
    history: Sequence[LoggedLog],
    *,
    rescored: bool = False,
    scoring: bool = True,
) -> Fingerprints:
    """The fingerprints of the log that an attempt with this decision writes.

    What the kept samples were made under is taken over from the logs they lie in; `rescored` says
    that those the decision names were scored again by today's scorers.
    """
    own = Made(loaded.source, loaded.scorer_sources if scoring else {}, loaded.limits)
    made_in = {
        (log.name, str(sample.id), sample.epoch): sample.made
        for log in history
        for sample in log.samples
    }
    makes: list[Made | None] = [own]
    kept: dict[str, int] = {}
    for ref, source in decision.kept.items():
        made = made_in.get((source.log, str(source.id), source.epoch))
        if rescored and ref in decision.rescore:
            made = Made(made.source if made else "", own.scorers, made.limits if made else {})
        if made not in makes:
            makes.append(made)
        number = makes.index(made)
        if number:
            kept[kept_key(*ref)] = number
    asked = [(decision.ids[place], loaded.items[place]) for place in decision.wanted]
    return Fingerprints(
        version=VERSION,
        eval_id=eval_id,
        samples=tuple(
            Printed(name, EVERY_EPOCH, each.content, each.strict) for name, each in asked
        ),
        makes=tuple(makes),
        kept=kept,
    )
