"""Whether kept samples carry the scores of today's scorers. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from evaltui.logs.attempt import LoadedTask
from evaltui.logs.logged import LoggedSample


def scored_otherwise(sample: LoggedSample, loaded: LoadedTask) -> bool:
    """Whether some scorer of today's did not give this sample its score.

    Told by the fingerprints stored when it was scored; where there are none, by names alone.
    """
    then = sample.made.scorers if sample.made else {}
    if then:
        return any(then.get(name) != loaded.scorer_sources.get(name) for name in loaded.scorers)
    return any(name not in sample.scores for name in loaded.scorers)


def mixed_scorers(samples: Iterable[LoggedSample], loaded: LoadedTask) -> bool:
    """Whether a mean over these samples would mix the scores of different scorers."""
    kinds: set[tuple[object, ...]] = set()
    for sample in samples:
        if scored_otherwise(sample, loaded):
            then = sample.made.scorers if sample.made else {}
            kinds.add(tuple(sorted(then.items())) or tuple(sorted(sample.scores)))
        else:
            kinds.add(())
    return len(kinds) > 1
