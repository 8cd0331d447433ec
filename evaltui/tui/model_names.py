"""Model names while one is typed: what completes it, and what stands in its way here. Pure.

Whether a key works only a call would tell: none is made.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

import msgspec

from evaltui.model_keys import KEYS, key_variables
from evaltui.settings import nearest

_ANY_NAME = frozenset({"mockllm", "sim", "replay"})
"""Providers that call nobody: their models are called as one likes."""


class Offer(msgspec.Struct, frozen=True):
    """What completes a text. common: the beginning all candidates share."""

    candidates: tuple[str, ...]
    common: str


def offers(text: str, known: Iterable[str]) -> Offer:
    """Names that go on from `text`: known models first, then providers not yet used up.

    known: models of the logs, the spec and the settings, in the order to be shown.
    """
    begun = text.casefold()
    models = [name for name in dict.fromkeys(known) if name.casefold().startswith(begun)]
    providers = [
        f"{name}/"
        for name in KEYS
        if name.startswith(begun) and not any(m.startswith(f"{name}/") for m in models)
    ]
    found = [name for name in (*models, *providers) if name != text]
    return Offer(tuple(found), _common(found))


def _common(names: Collection[str]) -> str:
    if not names:
        return ""
    first, last = min(names), max(names)
    at = next((n for n, pair in enumerate(zip(first, last, strict=False)) if pair[0] != pair[1]),
              min(len(first), len(last)))  # fmt: skip
    return first[:at]


def check_name(name: str) -> str:
    """A model's name as the spec takes it. Raises ValueError with one sentence."""
    name = name.strip()
    if not name:
        raise ValueError("name a model, as provider/name")
    provider, slash, model = name.partition("/")
    if not slash:
        raise ValueError(f"a model is written provider/name, such as {_example(name)}")
    if not provider or not model.strip("/"):
        raise ValueError(f"{name!r} lacks a part: a model is written provider/name")
    if any(character.isspace() or not character.isprintable() for character in name):
        raise ValueError("a model's name holds no spaces and no control characters")
    return name


def _example(name: str) -> str:
    """A name without provider, or a provider without name, made whole."""
    if name.casefold() in KEYS:
        return f"{name.casefold()}/name"
    return f"openai/{name}"


def unknown_provider(name: str, others: bool) -> str | None:
    """Why no model can have this name, in a sentence; None where one can.

    others: packages are installed that bring providers nobody here knows of.
    """
    provider, slash, _ = name.strip().partition("/")
    if not slash or not provider or provider in KEYS or others:
        return None
    hint = nearest(provider.casefold(), tuple(KEYS))
    own = "" if hint else "; install the package that brings it"
    return f"there is no provider {provider!r} here{hint}{own}"


def unseen(name: str, known: Collection[str]) -> str | None:
    """That a name is on nobody's word but the user's; None where somebody used it before."""
    provider = name.partition("/")[0]
    if provider not in KEYS or provider in _ANY_NAME or name in known:
        return None
    return "no log here has this model: only a call tells whether it exists"


def key_variable(name: str) -> str:
    """The variable that holds the key of a model, as far as its name tells."""
    wanted = key_variables(name.strip())
    return wanted[0] if wanted else "the variable that the provider documents"


def obstacle(name: str, variables: Collection[str]) -> str | None:
    """What keeps a model from being called here, in one sentence; None where nothing is seen.

    variables: names that are set, in the environment or in the `.env` that workers load.
    """
    provider = name.partition("/")[0]
    if provider not in KEYS:
        hint = nearest(provider, tuple(KEYS))
        return f"Inspect has no provider {provider!r}{hint or '; a package of yours must bring it'}"
    wanted = key_variables(name)
    if not wanted or not set(wanted).isdisjoint(variables):
        return None
    others = f" (nor {', '.join(wanted[1:])})" if len(wanted) > 1 else ""
    return f"no API key here: {wanted[0]} is not set{others}, and its cells would be blocked"
