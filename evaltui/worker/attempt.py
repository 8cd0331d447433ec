"""One attempt of one cell, from its order to its `ended` event; `run` does the work."""

from __future__ import annotations

import traceback
from collections.abc import Mapping

from evaltui.logs.attempt import EndStatus, Order
from evaltui.logs.layout import AttemptPaths
from evaltui.worker import bridge
from evaltui.worker.events import EventLog
from evaltui.worker.failures import Blocked, HeldBack, Refused, Replan, sentence
from evaltui.worker.run import run

_STATUS: Mapping[type[Exception], EndStatus] = {
    Blocked: "blocked",
    Refused: "refused",
    Replan: "replan",
    HeldBack: "held",
}
_EXITS: Mapping[EndStatus, int] = {"success": 0, "cancelled": 130}


def attempt(order: Order, paths: AttemptPaths) -> int:
    """Run the attempt; an exit code for people who start a worker by hand.

    Every way it can end is told by an `ended` event.
    """
    events = EventLog(paths.events)
    events.started(order.attempt)
    status: EndStatus
    try:
        status = run(order, paths, events)
    except KeyboardInterrupt:
        status = "cancelled"
        events.ended(status)
    except (Blocked, Refused, Replan, HeldBack) as why:
        traceback.print_exc()
        status = _STATUS[type(why)]
        events.ended(status, error=str(why))
    except Exception as error:
        traceback.print_exc()
        # Inspect's own word for what a person has to see to first, such as a missing Docker
        status = "blocked" if isinstance(error, bridge.PrerequisiteError) else "error"
        events.ended(status, error=sentence(error))
    return _EXITS.get(status, 1)
