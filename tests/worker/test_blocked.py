"""What keeps a cell from running: one sentence that says on what a person has to act."""

import pytest

from evaltui.logs.attempt import Rules
from tests.worker.attempts import Attempts

pytestmark = pytest.mark.slow

TASKS = """
import inspect_ai
from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from typing import Literal
from counted import counted_call

def made(n=1):
    return Task(dataset=[Sample(input=f"q {i}") for i in range(n)], solver=counted_call())

@task
def plain(n: int = 1, kind: Literal["a", "b"] = "a", tags: list[str] | None = None):
    print("kind", kind, "tags", tags)
    return made(n)

@task
def needy(subject: str, level: int):
    print(repr(subject), repr(level))
    return made()

@inspect_ai.task(name="renamed")
def under_another_name():
    return made()

if True:
    @task
    def inside():
        return made()

@task
def raising():
    raise RuntimeError("the [bold]data[/bold] are not there")

@task
def twice():
    return Task(dataset=[Sample(id="x", input="1"), Sample(id="x", input="2")])

@task
def empty():
    return Task(dataset=[])

@task
def nothing():
    return None
"""


@pytest.fixture
def tasks(attempts: Attempts) -> Attempts:
    (attempts.cases.folder / "tasks.py").write_text(TASKS)
    return attempts


def blocked(attempts: Attempts, *args: str, **fields: object) -> str:
    said = attempts.run(*args, **fields)
    assert said.ended.status == "blocked", said.output
    assert attempts.cases.log_names() == []
    why = said.ended.error or ""
    assert "\n" not in why
    assert "Traceback" not in why
    return why


@pytest.mark.parametrize(
    ("name", "args", "says"),
    [
        ("plain", {"m": 3}, "no argument `m`"),
        ("plain", {"tag": 3}, "did you mean `tags`?"),
        ("plain", {"n": "many"}, "`n` of task plain must be a whole number, not 'many'"),
        ("plain", {"kind": "c"}, "must be one of a, b"),
        ("needy", {"level": 2}, "lacks its argument `subject`; give -T subject=…"),
        ("raising", {}, "RuntimeError: the [bold]data[/bold] are not there"),
        ("twice", {}, "two samples with the id x"),
        ("empty", {}, "no samples"),
        ("nothing", {}, "returns a NoneType where a Task is needed"),
        ("missing", {}, "tasks.py has no task missing"),
    ],
)
def test_a_task_that_does_not_load_blocks(tasks: Attempts, name: str, args: object, says: str):
    assert says in blocked(tasks, "tasks.py", name, cell={"task_args": args})


def test_a_file_that_does_not_load_blocks_with_the_line(attempts: Attempts):
    folder = attempts.cases.folder
    (folder / "wrong.py").write_text("from inspect_ai import task\n\ndef broken(:\n")
    (folder / "lacking.py").write_text("\nimport no_such_module\n")
    assert "wrong.py does not load (line 3): SyntaxError" in blocked(attempts, "wrong.py", "x")
    assert "(line 2): ModuleNotFoundError" in blocked(attempts, "lacking.py", "x")
    assert "gone.py does not exist" in blocked(attempts, "gone.py", "x")


@pytest.mark.parametrize(
    ("model", "says"),
    [
        ("nobody/model", "no model provider nobody"),
        ("model", "write it as provider/model"),
        ("openai/gpt-4o", "openai"),
    ],
)
def test_a_model_that_can_not_be_made_blocks(attempts: Attempts, model: str, says: str):
    assert says in blocked(attempts, cell={"model": model})


def test_a_missing_key_is_named(attempts: Attempts):
    (attempts.cases.folder / "keyed.py").write_text(
        "import os\nfrom inspect_ai.model import ModelAPI, modelapi\nfrom counted import counted\n"
        "from inspect_ai._util.error import PrerequisiteError\n"
        "@modelapi(name='keyed')\nclass Keyed(ModelAPI):\n"
        "    def __init__(self, *args, **kwargs):\n"
        "        raise PrerequisiteError('ERROR: Unable to initialise Keyed client\\n\\n'\n"
        "            'No [bold][blue]KEYED_API_KEY[/blue][/bold] defined in the environment.')\n"
        "    async def generate(self, *args, **kwargs):\n        raise NotImplementedError\n"
    )
    why = blocked(attempts, "keyed.py", "counted", cell={"model": "keyed/x"})
    assert why == "KEYED_API_KEY is not set, and keyed/x needs it; set it and go on."


def test_a_task_file_may_bring_its_provider(attempts: Attempts):
    (attempts.cases.folder / "own.py").write_text(
        "from inspect_ai.model import ModelAPI, modelapi\nfrom counted import counted\n"
        "@modelapi(name='own')\nclass Own(ModelAPI):\n"
        "    async def generate(self, *args, **kwargs):\n        raise NotImplementedError\n"
    )
    said = attempts.run("own.py", "counted", cell={"model": "own/x"})
    assert said.ended.status == "success", said.output


def test_settings_that_can_not_be_used_block(attempts: Attempts):
    assert "epochs_reducer" in blocked(attempts, epochs_reducer=("no_such",))
    rules = Rules(sample_id=(1,), limit=2)
    assert "`sample_id` and `limit` exclude each other" in blocked(attempts, rules=rules)
    config = {"temperature": "hot"}
    assert "`temperature`" in blocked(attempts, cell={"model_config": config})


def test_arguments_are_typed_by_the_functions_annotations(tasks: Attempts):
    said = tasks.run("tasks.py", "needy", cell={"task_args": {"subject": 7, "level": "2"}})
    assert said.ended.status == "success", said.output
    assert "'7' 2" in said.output
    listed = tasks.run("tasks.py", "plain", cell={"task_args": {"tags": "x,y"}}, logs=())
    assert "kind a tags ['x', 'y']" in listed.output


@pytest.mark.parametrize("name", ["renamed", "under_another_name", "inside"])
def test_tasks_that_inspects_loader_misses_run(tasks: Attempts, name: str):
    said = tasks.run("tasks.py", name)
    assert said.ended.status == "success", said.output


def test_an_order_of_a_newer_evaltui_is_refused(attempts: Attempts):
    said = attempts.run(version=99)
    assert said.ended.status == "refused"
    assert "newer evaltui" in (said.ended.error or "")


def test_a_sandbox_that_does_not_exist_blocks(attempts: Attempts):
    why = blocked(attempts, settings={"sandbox": "no_such_sandbox"})
    assert why.startswith("The sandbox can't be used")
    assert "no_such_sandbox" in why


def test_what_inspect_calls_a_prerequisite_blocks(attempts: Attempts):
    attempts.cases.logs.mkdir()
    (attempts.cases.folder / "costs.yaml").write_text("{}")
    why = blocked(attempts, settings={"cost_limit": 1.0})
    assert "cost" in why


def test_a_root_that_is_gone_refuses_the_order(attempts: Attempts):
    said = attempts.run(root="../gone")
    assert said.ended.status == "refused"
    assert "gone can't be entered" in (said.ended.error or "")


def test_a_task_that_leaves_threads_behind_still_ends(attempts: Attempts):
    (attempts.cases.folder / "threads.py").write_text(
        "import threading\nfrom counted import counted\n"
        "threading.Thread(target=threading.Event().wait).start()\n"
    )
    assert attempts.run("threads.py", "counted").ended.status == "success"


def test_a_task_that_exits_blocks_its_cell_alone(attempts: Attempts):
    (attempts.cases.folder / "leaves.py").write_text("import sys\nsys.exit(3)\n")
    assert "leaves.py does not load (line 2): SystemExit: 3" in blocked(attempts, "leaves.py", "x")
