"""The layers of the house, and what a started command may not have loaded."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import evaltui

HOUSE = Path(evaltui.__file__).parent

LAYERS = (
    {"text", "logs", "options", "demo", "model_keys"},
    {"settings", "option_values"},
    {"discovery", "themes"},
    {"spec"},
    {"spec_edit"},
    {"cells"},
    {"rebuild", "reuse"},
    {"plan"},
    {"plan_words"},
    {"stats"},
    {"engine"},
    {"tui"},
    {"api"},
    {"commands"},
    {"cli"},
    {"__main__"},
)
RANK = {name: rank for rank, names in enumerate(LAYERS) for name in names}
APART = {"worker": {"reuse", "cells", "spec", "logs", "options"}, "providers": {"logs", "text"}}
ONLY_IN = {
    "inspect_ai": {"worker", "providers", "demo", "api"},
    "scipy": {"stats"},
    "textual": {"tui", "commands"},
}
PURE = (
    "plan", "plan_words", "reuse", "cells", "text", "option_values", "model_keys",
    "stats/intervals", "stats/pairs",
    "engine/scheduler", "engine/retry", "engine/thresholds", "engine/state", "engine/folding",
    "engine/tally", "engine/shares", "engine/breaker", "engine/ending", "engine/orders",
    "engine/holds", "engine/outcome", "engine/planned", "engine/idle", "logs/metrics",
)  # fmt: skip
CLOCKS_AND_FILES = {"time", "os", "io", "subprocess", "socket", "threading", "shutil", "tempfile"}


def modules() -> list[Path]:
    return sorted(path for path in HOUSE.rglob("*.py"))


def place(path: Path) -> str:
    return path.relative_to(HOUSE).with_suffix("").parts[0]


def imported(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return names


def ours(path: Path) -> set[str]:
    found = {name.split(".")[1] for name in imported(path) if name.startswith("evaltui.")}
    return {name for name in found if (HOUSE / name).exists() or (HOUSE / f"{name}.py").exists()}


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(HOUSE)))
def test_a_module_imports_only_from_layers_below(path):
    where = place(path)
    if where == "__init__":
        assert ours(path) <= {"api"}
        return
    if where in APART:
        assert ours(path) <= APART[where] | {where}
        return
    assert where in RANK, f"{where} has no place in the house"
    for name in ours(path) - {where}:
        assert name not in APART, f"{name} stands apart: started by name, imported by nobody"
        assert RANK[name] < RANK[where], f"{where} may not import {name}"


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(HOUSE)))
def test_heavy_libraries_are_imported_where_they_belong(path):
    tops = {name.split(".")[0] for name in imported(path)}
    for library, places in ONLY_IN.items():
        assert library not in tops or place(path) in places


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(HOUSE)))
def test_private_modules_of_inspect_are_touched_by_the_bridge_alone(path):
    if path.relative_to(HOUSE) == Path("worker/bridge.py"):
        return
    for name in imported(path):
        if name.startswith("inspect_ai"):
            assert not any(part.startswith("_") for part in name.split(".")), name


@pytest.mark.parametrize("name", PURE)
def test_pure_modules_read_no_clock_and_no_file(name):
    path = HOUSE / f"{name}.py"
    paths = [path] if path.exists() else sorted((HOUSE / name).rglob("*.py"))
    assert paths
    for each in paths:
        tops = {found.split(".")[0] for found in imported(each)}
        assert not tops & CLOCKS_AND_FILES, each
        calls = {
            node.func.id
            for node in ast.walk(ast.parse(each.read_text()))
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        }
        assert "open" not in calls, each


@pytest.mark.parametrize(
    ("module", "never"),
    [
        ("evaltui.cli", {"inspect_ai", "scipy", "textual", "rich", "msgspec", "tomlkit", "click"}),
        (
            "evaltui.commands.front_door",
            {"inspect_ai", "scipy", "textual", "rich", "msgspec", "tomlkit"},
        ),
        ("evaltui.tui.app", {"inspect_ai", "scipy", "tomlkit", "zstandard", "evaltui.plan"}),
        ("evaltui.commands.tasks", {"inspect_ai", "scipy", "textual"}),
        ("evaltui.commands.run", {"inspect_ai", "scipy", "textual"}),
        ("evaltui.engine.engine", {"inspect_ai", "scipy", "textual"}),
        ("evaltui.plan", {"inspect_ai", "scipy", "textual"}),
        ("evaltui.api", {"inspect_ai", "scipy", "textual"}),
    ],
)
def test_importing_a_module_stays_light(module, never):
    code = f"import sys, {module}; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert not set(loaded.stdout.split()) & never
