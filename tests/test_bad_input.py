"""What nobody should give and everybody does: one sentence, exit 2, nothing changed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.sets import Scratch

pytestmark = pytest.mark.slow

NOT_UTF8 = os.fsdecode(b"\xe9")
LINE = ("counted.py@counted", "--model", "mockllm/a")


def everything(folder: Path) -> dict[bytes, bytes]:
    """Every file below a folder, caches aside."""
    found = {}
    for path in folder.rglob("*"):
        if path.is_file() and not {"cache", "__pycache__"} & set(path.parts):
            found[os.fsencode(path)] = path.read_bytes()
    return found


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["run", NOT_UTF8, *LINE], "not UTF-8"),
        (["run", "logs", f"{NOT_UTF8}.py", "--model", "mockllm/a"], "not UTF-8"),
        (["run", "logs", "[!a-z]*.py", "--model", "mockllm/a"], "not UTF-8"),
        (["run", "logs", "counted.py@counted", "--model", f"mockllm/{NOT_UTF8}"], "not UTF-8"),
        (["run", "logs", *LINE, "-T", f"x={NOT_UTF8}"], "not UTF-8"),
        (["run", "logs", *LINE, "--tags", f"a,{NOT_UTF8}"], "not UTF-8"),
        (["status", NOT_UTF8], "not UTF-8"),
        (["run", "a/b/c.py/d", *LINE], "c.py"),
        (["run", "l" * 300, *LINE], "too long"),
        (["run", "logs", *LINE, "-T", "n=6", "--sample-id", "1", "--limit", "2"], "--sample-id"),
        (["run", "logs", *LINE, "--epochs", "0"], "--epochs"),
        (["run", "logs", LINE[0], "--model", "mokllm/a"], "did you mean 'mockllm'?"),
        (["run", "logs", *LINE, "-M", "api_key=sk-1"], "-M api_key"),
        (
            ["run", "logs", *LINE, "--model-role", "g={model: grok/x, model_args: {api_key: s}}"],
            "set XAI_API_KEY",
        ),
        (["run", "logs", LINE[0], "--model-spec", "{model: m/a, model_args: {api_key: x}}"], "key"),
        (["run", "logs", *LINE, "--max-tasks", "none"], "--max-tasks"),
        (["run", "logs", *LINE, "--max-sandboxes", "0"], "must be 1 or more"),
        (["run", "logs", *LINE, "--fail-on-error", "-1"], "-1"),
        (["run", "logs", *LINE, "--retry-wait", "-3"], "--retry-wait"),
        (["run", "logs", *LINE, "--model-role", "grader"], "--model-role"),
        (["run", "logs", *LINE, "--model-config", "absent.yaml"], "absent.yaml"),
    ],
    ids=lambda value: ascii(" ".join(value)[:40]) if isinstance(value, list) else None,
)
def test_it_is_refused_in_a_sentence_and_changes_nothing(
    cases: Scratch, words: list[str], says: str
) -> None:
    text = (cases.folder / "counted.py").read_text()
    (cases.folder / f"{NOT_UTF8}.py").write_text(text)
    (cases.folder / "a" / "b").mkdir(parents=True)
    (cases.folder / "a" / "b" / "c.py").write_text("")
    before = everything(cases.folder)
    result = cases.evaltui(*words)
    assert result.returncode == 2, result.stdout + result.stderr
    said = [line for line in result.stderr.splitlines() if line.strip()]
    assert says in said[-1], result.stderr
    assert everything(cases.folder) == before


@pytest.mark.parametrize(("entry", "says"), [("task", "no model"), ("model", "no task")])
def test_a_set_that_asks_for_nothing_is_not_complete(cases: Scratch, entry: str, says: str) -> None:
    entries = {"task": 'file = "counted.py"', "model": 'name = "mockllm/a"'}
    cases.logs.mkdir()
    (cases.logs / "evalset.toml").write_text(f"version = 1\n[[{entry}]]\n{entries[entry]}\n")
    before = everything(cases.folder)
    result = cases.evaltui("run", "logs")
    assert (result.returncode, result.stdout) == (2, ""), result.stdout
    assert says in result.stderr
    assert everything(cases.folder) == before
