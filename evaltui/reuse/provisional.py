"""What a plan goes by before a task is loaded: ids and sizes from the logs' headers. Pure.

It may be wrong wherever the data changed; a plan made from it is marked unchecked.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace

from evaltui.cells import Cell
from evaltui.logs.attempt import Item, LoadedTask, Rules, SampleId
from evaltui.logs.logged import LoggedLog
from evaltui.logs.records import LogHeader
from evaltui.reuse.ids import as_number
from evaltui.reuse.slices import picked


def provisional_load(cell: Cell, history: Sequence[LoggedLog]) -> LoadedTask | None:
    """The task as its logs show it; None where none shows a dataset."""
    oldest_first = sorted(history, key=lambda log: (log.created, log.name))
    size = next((log.size for log in reversed(oldest_first) if log.size), 0)
    if not size:
        return None
    last = oldest_first[-1]
    return LoadedTask(
        version=1,
        task_file=cell.task_file,
        task=cell.task,
        items=tuple(Item(each, "") for each in _ids(oldest_first, size)),
        epochs=last.epochs,
        limits=last.limits,
        fail_on_error=last.fail_on_error,
    )


def provisional_rules(rules: Rules) -> Rules:
    """Without contents, ids decide; the logs' ids stand in the order that their shuffle made.

    What is drawn on by the rules as they were is for the caller to choose (`drawn_on`).
    """
    return replace(rules, reuse="id", sample_shuffle=None, rerun=False)


def _ids(oldest_first: Sequence[LoggedLog], size: int) -> list[SampleId]:
    """Ids by place as far as slices showed them, the youngest log first; then those that stood
    elsewhere; a number for the others, as Inspect gives.
    """
    at: dict[int, SampleId] = {}
    shown: set[str] = set()
    homeless: dict[str, SampleId] = {}
    for log in reversed(oldest_first):
        for place, name in _places(log):
            if str(name) in shown:
                continue
            if 0 <= place < size and place not in at:
                at[place] = name
                shown.add(str(name))
            else:
                homeless[str(name)] = name
    others = iter([name for text, name in homeless.items() if text not in shown])
    ids = [at[place] if place in at else next(others, None) for place in range(size)]
    taken = {str(name) for name in ids if name is not None}
    return [name if name is not None else _number(place, taken) for place, name in enumerate(ids)]


def _number(place: int, taken: set[str]) -> SampleId:
    return place + 1 if str(place + 1) not in taken else f"?{place + 1}"


def _places(log: LoggedLog) -> Iterator[tuple[int, SampleId]]:
    """Where a log's ids stood; of picked ones only numbers tell."""
    start = log.limit[0] if isinstance(log.limit, tuple) else 0
    for number, name in enumerate(log.sample_ids or ()):
        if not log.picked:
            yield start + number, name
        elif as_number(name) is not None:
            yield int(name) - 1, name


def estimated(rules: Rules, headers: Mapping[str, LogHeader]) -> tuple[int, int, str | None]:
    """Samples asked for, those that the best log holds, and its name; from headers alone."""
    best = max(
        headers,
        key=lambda name: (_completed(headers[name]), headers[name].created),
        default=None,
    )
    if best is None:
        return 0, 0, None
    header = headers[best]
    size = header.dataset.samples or 0
    numbers = list(range(1, size + 1))
    asked = len(picked(numbers, list(header.dataset.sample_ids or numbers), rules.limit, None))
    if rules.sample_id is not None:
        asked = len(header.dataset.sample_ids or numbers)
    total = asked * (rules.epochs or int(header.config.get("epochs") or 1))
    return total, min(total, _completed(header)), best


def _completed(header: LogHeader) -> int:
    return header.results.completed_samples if header.results else 0
