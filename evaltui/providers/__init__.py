"""Registers evaltui's own model providers, `sim/` and `replay/`, with Inspect.

Inspect imports this package through its entry point group in every process of every user, so it
must stay light: it names the providers and loads one when a model of it is first made.
"""

from importlib import import_module
from importlib.util import find_spec
from typing import cast

from inspect_ai.model import ModelAPI, modelapi


@modelapi(name="sim")
def sim() -> type[ModelAPI]:
    """The offline, seeded provider; see `evaltui.providers.sim`."""
    from evaltui.providers.sim import Sim

    return Sim


if find_spec("evaltui.providers.replay") is not None:

    @modelapi(name="replay")
    def replay() -> type[ModelAPI]:
        """The provider that answers from recordings; see `evaltui.providers.replay`."""
        module = import_module("evaltui.providers.replay")
        return cast(type[ModelAPI], module.Replay)
