"""The model a cell runs on, and the models of its roles; made after the task, which may bring the
provider along. Nothing is called here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from evaltui.logs.attempt import CellOrder
from evaltui.worker.failures import Blocked, sentence

if TYPE_CHECKING:
    from inspect_ai.model import Model


def make_model(cell: CellOrder, generate: Mapping[str, Any]) -> Model:
    """The cell's model; its own config goes before the set's generate options. Raises Blocked."""
    config = {**generate, **cell.model_config}
    return _made(cell.model, config, cell.model_args, cell.base_url)


def make_roles(roles: Mapping[str, Any]) -> dict[str, Model | list[Model]]:
    """Role -> model, or several where the role names several. Raises Blocked."""
    return {
        role: [_role(role, each) for each in said]
        if isinstance(said, list | tuple)
        else _role(role, said)
        for role, said in roles.items()
    }


def _role(role: str, said: Any) -> Model:
    if isinstance(said, str):
        return _made(said, {}, {}, None, memoize=False)
    if not isinstance(said, Mapping) or not (said.get("model") or said.get("name")):
        raise Blocked(f'Model role {role} names no model; write {role} = "provider/model".')
    name = said.get("model") or said["name"]
    config, args = said.get("config") or {}, said.get("args") or {}
    return _made(name, config, args, said.get("base_url"), memoize=False)


def _made(
    name: str,
    config: Mapping[str, Any],
    args: Mapping[str, Any],
    base_url: str | None,
    memoize: bool = True,
) -> Model:
    from inspect_ai.model import GenerateConfig, get_model

    try:
        settings = GenerateConfig.model_validate(dict(config))
    except ValueError as error:
        raise Blocked(f"Model {name} has a config that can't be used: {_fields(error)}.") from None
    try:
        own = {"base_url": base_url, "memoize": memoize, **args}  # as Inspect's -M gives them
        return get_model(name, config=settings, **own)
    except Exception as error:
        raise Blocked(_why(name, error)) from error


def _fields(error: ValueError) -> str:
    errors = getattr(error, "errors", None)
    if errors is None:
        return sentence(error)
    return "; ".join(
        f"`{'.'.join(str(part) for part in each['loc'])}`: {each['msg']}" for each in errors()
    )


def _why(name: str, error: Exception) -> str:
    said = sentence(error)
    provider = name.split("/")[0]
    if isinstance(error, ValueError) and "not recognized" in said:
        return f"There is no model provider {provider}, which {name} asks for; check the name."
    if isinstance(error, ValueError) and "should be in the format" in said:
        return f"Model {name} has no provider; write it as provider/{name}."
    keys = _variables(said)
    if keys and "environment" in said:
        return f"{' or '.join(keys)} is not set, and {name} needs it; set it and go on."
    return f"Model {name} can't be made: {said.rstrip('.')}."


def _variables(said: str) -> list[str]:
    return re.findall(r"\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b", said)
