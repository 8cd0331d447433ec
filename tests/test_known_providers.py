"""A provider that can't exist is told from one that somebody's own code may bring along."""

from pathlib import Path

from evaltui.commands.known_providers import unknown_provider


def test_a_typo_is_refused_with_the_nearest_name(tmp_path: Path) -> None:
    (tmp_path / "task.py").write_text("from inspect_ai import task\n")
    assert unknown_provider("mockllm/a", [tmp_path]) is None
    assert unknown_provider("none/none", [tmp_path]) is None, "Inspect's, needing no key"
    why = unknown_provider("antropic/x", [tmp_path])
    assert why == "there is no model provider antropic; did you mean 'anthropic'?"


def test_where_code_may_register_one_the_worker_will_know(tmp_path: Path) -> None:
    assert unknown_provider("ours/x", [tmp_path]) is None, "nothing like it: a helper may bring it"
    (tmp_path / "models.py").write_text('@modelapi(name="openai2")\nclass Api: ...\n')
    assert unknown_provider("openai2/x", [tmp_path]) is None


def test_code_below_the_folder_may_register_one_too(tmp_path: Path) -> None:
    assert unknown_provider("openai2/x", [tmp_path]) is not None
    (tmp_path / "lib" / "apis").mkdir(parents=True)
    (tmp_path / "lib" / "apis" / "ours.py").write_text('@modelapi("openai2")\ndef api(): ...\n')
    assert unknown_provider("openai2/x", [tmp_path]) is None
