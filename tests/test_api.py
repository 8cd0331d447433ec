"""`run_set()` as a program calls it."""

import json
import subprocess
import sys

import pytest

import evaltui
from evaltui.api import SetError
from tests.sets import Scratch

pytestmark = pytest.mark.slow


def python(cases: Scratch, code: str) -> list[str]:
    """The words a script printed; it lies in a file, as scripts do."""
    script = cases.folder / "script.py"
    script.write_text(code)
    result = subprocess.run(
        [sys.executable, str(script)],
        cwd=cases.folder,
        env=cases.environment(),
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    words: list[str] = json.loads(result.stdout.splitlines()[-1])
    return words


def test_tasks_by_name_and_as_objects_run_and_return_headers(cases: Scratch):
    said = python(
        cases,
        """
import json
from counted import counted
from evaltui import run_set

success, headers = run_set(
    ["counted.py@counted_heavy", counted(n=3)], "logs", model="mockllm/a", epochs=2
)
print(json.dumps([success, [[h.eval.task, h.status, h.results.total_samples] for h in headers]]))
""",
    )
    assert said == [True, [["counted_heavy", "success", 12], ["counted", "success", 6]]]
    assert len(cases.calls()) == 18


def test_a_task_whose_argument_no_worker_can_be_given_is_refused_by_name(cases: Scratch):
    said = python(
        cases,
        """
import json
from counted import counted
from evaltui import run_set
from evaltui.api import SetError

try:
    run_set(counted(n=3, x=object()), "logs", model="mockllm/a")
except SetError as error:
    print(json.dumps([str(error)]))
""",
    )
    assert "the argument x (int) is no plain value" in said[0]
    assert not cases.logs.exists()


@pytest.mark.parametrize(
    ("task", "settings", "says"),
    [
        ("nowhere.py", {}, "nowhere.py"),
        ("counted.py@conted", {}, "counted"),
        ("counted.py", {"epocs": 2}, "no option"),
        ("counted.py", {"epochs": 0}, "1 or more"),
        ("counted.py", {"model": ()}, "name a model"),
    ],
)
def test_bad_arguments_are_one_sentence_and_change_nothing(
    cases: Scratch, monkeypatch, task, settings, says
):
    monkeypatch.chdir(cases.folder)
    with pytest.raises(SetError, match=says):
        evaltui.run_set(task, cases.logs, **{"model": "mockllm/a", **settings})
    assert not cases.logs.exists()
