"""Kept samples scored again by today's scorers, so that a log's metrics never mix two.

The evaluated model is not called; a scorer's own grader is. Results go to logs in a scratch folder,
from which the seed takes them.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from evaltui.worker import bridge
from evaltui.worker.failures import Blocked, sentence
from evaltui.worker.scorers import needs_sandbox
from evaltui.worker.seed import Place, Places

if TYPE_CHECKING:
    from inspect_ai import Task
    from inspect_ai.log import EvalSample
    from inspect_ai.model import Model
    from inspect_ai.scorer import Score, Scorer, Target
    from inspect_ai.solver import TaskState

    from evaltui.reuse import SampleRef

AT_ONCE = 50
"""Samples that are in memory together; each is whole there, with all its events."""


def rescored(
    records: Places,
    task: Task,
    model: Model,
    roles: Mapping[str, Model | list[Model]],
    folder: Path,
) -> dict[SampleRef, Place]:
    """Where the records lie after today's scorers have scored them.

    Raises Blocked where a scorer can't: at once where it needs a sandbox, which a log has not.
    """
    scorers = _scorers(task)
    refs = list(records)
    places: dict[SampleRef, Place] = {}
    for start in range(0, len(refs), AT_ONCE):
        batch = refs[start : start + AT_ONCE]
        path = folder / f"rescored-{start}.eval"
        _score({ref: records[ref] for ref in batch}, scorers, model, roles, path)
        places.update((ref, Place(path, *ref)) for ref in batch)
    return places


def _scorers(task: Task) -> list[Scorer]:
    scorers = list(task.scorer or [])
    names = bridge.scorer_names(scorers)
    for name, scorer in zip(names, scorers, strict=True):
        if needs_sandbox(scorer):
            raise Blocked(
                f"Scorer {name} was changed and needs a sandbox, so kept samples can't be scored "
                "again; change it back, or run them anew with --reuse none."
            )
    return [_named(name, scorer) for name, scorer in zip(names, scorers, strict=True)]


class _ScorerFailed(Exception):
    """A scorer raised; its name and what it raised."""


def _named(name: str, scorer: Scorer) -> Scorer:
    """The scorer, with its name on what it raises."""

    @functools.wraps(scorer)
    async def score(state: TaskState, target: Target) -> Score | None:
        try:
            return await scorer(state, target)
        except Exception as error:
            raise _ScorerFailed(name, sentence(error)) from error

    return score


def _score(
    records: Places,
    scorers: Sequence[Scorer],
    model: Model,
    roles: Mapping[str, Model | list[Model]],
    path: Path,
) -> None:
    """Score `records` and write them, under the ids they are to have, to a log at `path`."""
    from inspect_ai import score
    from inspect_ai.log import read_eval_log, write_eval_log

    log = read_eval_log(str(next(iter(records.values())).path), header_only=True)
    log.eval.metrics = log.eval.config.epochs_reducer = log.eval.headline_metric = None
    log.samples = [_sample(ref, place) for ref, place in records.items()]
    try:
        scored = score(
            log,
            list(scorers),
            action="overwrite",
            copy=False,
            model=model,
            model_roles=dict(roles),
            display="none",
        )
    except Exception as error:
        raise Blocked(_why(error)) from error
    write_eval_log(scored, str(path))


def _sample(ref: SampleRef, place: Place) -> EvalSample:
    from inspect_ai.log import read_eval_log_sample

    sample = read_eval_log_sample(str(place.path), place.id, place.epoch)
    sample.id = ref[0]
    return sample


def _why(error: BaseException) -> str:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    if isinstance(error, _ScorerFailed):
        name, said = error.args
        return (
            f"Scorer {name} can't score kept samples again ({said}); mend it, or run them anew "
            "with --reuse none."
        )
    return f"Kept samples can't be scored again: {sentence(error)}."
