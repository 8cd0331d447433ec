"""A cell's key against Inspect's own task identifier: both tell the same cells apart."""

from __future__ import annotations

from typing import Any

import pytest
from inspect_ai import task_identifier
from inspect_ai.log import read_eval_log

from evaltui.cells import difference, expand
from evaltui.logs.attempt import CellOrder, Rules
from evaltui.logs.reading import read_log
from evaltui.spec import ModelEntry, SetSpec, TaskEntry
from tests.worker.attempts import Attempts

pytestmark = pytest.mark.slow

SOLVER = (
    "from inspect_ai.model import ModelOutput\nfrom inspect_ai.solver import solver\n"
    "@solver\ndef other(word: str = 'x'):\n    async def solve(state, generate):\n"
    "        state.output = ModelOutput.from_content('m', word)\n        return state\n"
    "    return solve\n"
)

COUNTED = {"file": "counted.py", "name": "counted"}
MODEL = {"name": "mockllm/a"}

VARIANTS: dict[str, tuple[dict[str, Any], dict[str, Any], dict[str, Any]]] = {
    "plain": ({}, {}, {}),
    "again": ({}, {}, {}),
    "args": ({"args": {"n": 2}}, {}, {}),
    "other args": ({"args": {"n": 3}}, {}, {}),
    "solver": ({"solver": "other.py@other"}, {}, {}),
    "solver args": ({"solver": "other.py@other", "solver_args": {"word": "y"}}, {}, {}),
    "another task": ({"name": "counted_heavy"}, {}, {}),
    "another model": ({}, {"name": "mockllm/b"}, {}),
    "model args": ({}, {"args": {"flavour": "sweet"}}, {}),
    "model config": ({}, {"config": {"temperature": 0.5}}, {}),
    "transport": ({}, {"config": {"max_connections": 3, "timeout": 9}}, {}),
    "roles": ({}, {"roles": {"grader": "mockllm/g"}}, {}),
    "base url": ({}, {"base_url": "http://localhost:1"}, {}),
    "epochs": ({}, {}, {"epochs": 2}),
    "limit": ({}, {}, {"limit": 2}),
    "tags": ({}, {}, {"tags": ("x",)}),
}


def test_both_tell_the_same_cells_apart(attempts: Attempts):
    (attempts.cases.folder / "other.py").write_text(SOLVER)
    ours: dict[str, set[str]] = {}
    theirs: dict[str, set[str]] = {}
    for variant, (task, model, settings) in VARIANTS.items():
        spec = SetSpec(
            tasks=(TaskEntry(**{**COUNTED, **task}),),
            models=(ModelEntry(**{**MODEL, **model}),),
            settings=settings,
        )
        cell = expand(spec, lambda _: []).cells[0]
        order = cell.order()
        fields = {name: getattr(order, name) for name in CellOrder.__struct_fields__}
        eval_settings = {key: settings[key] for key in ("tags",) if key in settings}
        slice_ = {key: settings[key] for key in ("epochs", "limit") if key in settings}
        said = attempts.run(
            fields.pop("task_file"),
            fields.pop("task"),
            cell=fields,
            rules=Rules(**slice_),
            settings=eval_settings,
            logs=(),
        )
        assert said.ended.status == "success", said.output
        path = attempts.cases.logs / said.log
        header = read_log(path).header
        assert header is not None
        assert difference(cell, header, spec.arguments("generate"), None) is None, variant
        identifier = task_identifier(read_eval_log(str(path), header_only=True), None)
        ours.setdefault(cell.key, set()).add(variant)
        theirs.setdefault(identifier, set()).add(variant)
    assert sorted(map(sorted, ours.values())) == sorted(map(sorted, theirs.values()))
