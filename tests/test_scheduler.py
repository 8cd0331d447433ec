"""Which cell starts next, and what a worker gets of its lane's and its host's limits."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from evaltui.engine import scheduler
from evaltui.engine.scheduler import Ready
from evaltui.engine.shares import (
    Share,
    adaptive_bounds,
    cells_beside,
    connections_share,
    host_share,
    max_connections,
)

NO_LIMITS: dict[str, int | None] = {}


def grid(tasks: int, lanes: list[str]) -> list[Ready]:
    """Cells in spec order, task-major."""
    places = [(task, lane) for task in range(tasks) for lane in lanes]
    return [Ready(f"{task}/{lane}", lane, n) for n, (task, lane) in enumerate(places)]


def order(ready: list[Ready], max_tasks: int, limits: dict[str, int | None]) -> list[str]:
    """Keys in the order they start when nothing ends."""
    running: Counter[str] = Counter()
    started = []
    while picked := scheduler.pick(ready, running, max_tasks, limits):
        assert picked.counts == running
        started.append(picked.cell.key)
        running[picked.cell.lane] += 1
        ready = [cell for cell in ready if cell != picked.cell]
    return started


def test_lanes_fill_evenly_and_task_by_task() -> None:
    assert order(grid(3, ["a", "b"]), 4, NO_LIMITS) == ["0/a", "0/b", "1/a", "1/b"]


def test_a_lane_with_few_cells_leaves_its_slots_to_the_others() -> None:
    ready = [Ready("1", "a", 0), Ready("2", "a", 1), Ready("3", "a", 2), Ready("4", "b", 3)]
    assert order(ready, 10, NO_LIMITS) == ["1", "4", "2", "3"]


def test_the_emptiest_lane_goes_first_although_its_cell_comes_later() -> None:
    ready = [Ready("2/a", "a", 4), Ready("2/b", "b", 5)]
    picked = scheduler.pick(ready, {"a": 1}, 10, NO_LIMITS)
    assert picked is not None
    assert picked.cell.key == "2/b"


def test_nothing_starts_beyond_max_tasks_or_in_a_closed_lane() -> None:
    ready = grid(1, ["a", "b"])
    assert scheduler.pick(ready, {"a": 1, "b": 1}, 2, NO_LIMITS) is None
    picked = scheduler.pick(ready, {}, 2, NO_LIMITS, closed={"a"})
    assert picked is not None
    assert picked.cell.lane == "b"
    assert scheduler.pick(ready, {}, 2, NO_LIMITS, closed={"a", "b"}) is None
    assert scheduler.pick([], {}, 2, NO_LIMITS) is None


@pytest.mark.parametrize("provider", sorted(scheduler.IN_PROCESS))
def test_lanes_that_load_weights_run_one_cell_at_a_time(provider: str) -> None:
    lane = f"{provider}/model"
    limits = {lane: scheduler.lane_limit(lane, None)}
    assert order(grid(3, [lane, "openai/x"]), 10, limits).count(f"1/{lane}") == 0


def test_a_lane_runs_no_more_cells_than_it_has_connections() -> None:
    limits = {"a": scheduler.lane_limit("a", 2)}
    assert order(grid(4, ["a"]), 10, limits) == ["0/a", "1/a"]


def test_the_default_is_ten_cells_or_one_for_each_model() -> None:
    assert scheduler.default_max_tasks(2) == 10
    assert scheduler.default_max_tasks(12) == 12


@pytest.mark.parametrize("limit", [1, 2, 3, 7, 10, 100])
@pytest.mark.parametrize("cells", [1, 2, 4, 10, 25])
def test_connections_in_use_never_exceed_the_lanes(limit: int, cells: int) -> None:
    """Cells start and end in turn; whoever runs holds its share to its end."""
    settings = {"max_connections": limit}
    most = scheduler.lane_limit("a", limit)
    running: list[int] = []
    waiting, peak = cells, 0
    while waiting or running:
        while waiting and (most is None or len(running) < most):
            beside = cells_beside(waiting + len(running), most, 10, ["a"])
            to_come = max(1, beside - len(running))
            if len(running) >= 10 or sum(running) >= limit:
                break
            share = connections_share(settings, {}, sum(running), to_come)
            assert share.settings == {"max_connections": share.connections}
            running.append(share.connections)
            waiting -= 1
        peak = max(peak, sum(running))
        assert all(share >= 1 for share in running)
        running.pop(0)
    assert peak <= limit
    assert peak == limit or cells < limit


def test_what_does_not_divide_goes_to_the_first() -> None:
    shares: list[int] = []
    for to_come in (4, 3, 2, 1):
        share = connections_share({"max_connections": 10}, {}, sum(shares), to_come)
        shares.append(share.connections)
    assert shares == [3, 3, 2, 2]


def test_the_model_entry_stands_above_the_spec() -> None:
    assert max_connections({"max_connections": 8}, {"max_connections": 3}) == 3
    assert connections_share({"max_connections": 8}, {"max_connections": 4}, 0, 2).connections == 2


@pytest.mark.parametrize(
    ("value", "bounds"),
    [
        (None, (10, 20, 100)),
        (True, (10, 20, 100)),
        (40, (10, 20, 40)),
        (5, (5, 5, 5)),
        ("40", (10, 20, 40)),
        ("5-40", (5, 20, 40)),
        ("30-40", (30, 30, 40)),
        ("5-20-40", (5, 20, 40)),
    ],
)
def test_adaptive_bounds_read_as_inspect_reads_them(
    value: Any, bounds: tuple[int, int, int]
) -> None:
    assert adaptive_bounds(value) == bounds


def test_adaptive_bounds_are_divided_and_stay_ordered() -> None:
    share = connections_share({}, {}, 0, 4)
    assert share == Share({"adaptive_connections": "2-5-25"}, 25)
    lone = connections_share({}, {}, 0, 1)
    assert lone.settings == {"adaptive_connections": "10-20-100"}
    tight = connections_share({"adaptive_connections": "5-40"}, {}, 0, 40)
    assert tight.settings == {"adaptive_connections": "1-1-1"}


def test_where_inspect_does_not_adapt_nothing_is_shared() -> None:
    assert connections_share({"adaptive_connections": False}, {}, 0, 4) == Share()
    assert connections_share({}, {"batch": True}, 0, 4) == Share()


def test_host_limits_are_divided_by_the_cells_at_once() -> None:
    assert [host_share(8, cells) for cells in (1, 3, 8, 20)] == [8, 2, 1, 1]
    assert host_share(None, 4) is None
