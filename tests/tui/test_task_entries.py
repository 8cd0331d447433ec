"""Tasks of the browser and entries of the spec."""

from evaltui.cells import expand
from evaltui.discovery import Param, TaskInfo
from evaltui.spec import Amendment, ModelEntry, SetSpec, TaskEntry, amended
from evaltui.tui.task_entries import entries_of, leaving_out, missing, taking_in, taking_out

ONE, TWO = TaskInfo("dir/a.py", "one"), TaskInfo("dir/a.py", "two")
OTHER = TaskInfo("b.py", "one")
FOUND = (ONE, TWO, OTHER)
MODELS = (ModelEntry("mockllm/a"),)


def tasks(spec: SetSpec) -> set[tuple[str, str]]:
    found = expand(spec, lambda file: [t.name for t in FOUND if t.file == file])
    assert not found.problems
    return {(cell.task_file, cell.task) for cell in found.cells}


def test_a_task_is_in_the_set_by_its_name_or_by_its_file():
    spec = SetSpec(tasks=(TaskEntry("./dir/a.py"), TaskEntry("b.py", "one")), models=MODELS)
    assert entries_of(ONE, spec) == (TaskEntry("./dir/a.py"),)
    assert entries_of(OTHER, spec) == (TaskEntry("b.py", "one"),)
    assert entries_of(TaskInfo("b.py", "two"), spec) == ()
    assert entries_of(ONE, None) == ()


def test_tasks_come_in_and_go_out_again():
    empty = SetSpec(models=MODELS)
    spec = amended(empty, taking_in((ONE, OTHER)))
    assert tasks(spec) == {("dir/a.py", "one"), ("b.py", "one")}
    assert amended(spec, leaving_out((ONE, OTHER), spec, FOUND)) == empty


def test_one_task_of_a_whole_file_leaves_and_the_others_stay_with_their_arguments():
    whole = TaskEntry("dir/a.py", None, {"n": 3}, {"k": [1, 2]}, "s", {"x": 1})
    spec = SetSpec(tasks=(whole,), models=MODELS)
    after = amended(spec, leaving_out((ONE,), spec, FOUND))
    assert after.tasks == (TaskEntry("dir/a.py", "two", {"n": 3}, {"k": [1, 2]}, "s", {"x": 1}),)


def test_a_whole_file_leaves_with_all_of_its_tasks():
    spec = SetSpec(tasks=(TaskEntry("dir/a.py"),), models=MODELS)
    change = leaving_out((ONE, TWO), spec, FOUND)
    assert change == Amendment(drop_tasks=(TaskEntry("dir/a.py"),))


def test_all_entries_of_a_task_leave_with_it():
    spec = SetSpec(
        tasks=(TaskEntry("b.py", "one", {"n": 1}), TaskEntry("b.py", "one", {"n": 2})),
        models=MODELS,
    )
    assert amended(spec, leaving_out((OTHER,), spec, FOUND)).tasks == ()


def test_what_a_task_cannot_be_made_without():
    info = TaskInfo(
        "q.py",
        "q",
        params=(Param("a", required=True), Param("b", default=1), Param("k", variadic=True)),
    )
    assert missing(info) == ("a",)


def test_a_task_leaves_the_one_entry_it_stands_in():
    few, many = TaskEntry("b.py", "one", {"n": 1}), TaskEntry("b.py", "one", {"n": 2})
    change = taking_out([(many, "one")], lambda file: ())
    assert amended(SetSpec(tasks=(few, many)), change).tasks == (few,)


def test_the_other_tasks_of_a_whole_file_stay_where_it_stood():
    whole, last = TaskEntry("dir/a.py", None, {"n": 3}), TaskEntry("b.py")
    change = taking_out([(whole, "one")], lambda file: [t.name for t in FOUND if t.file == file])
    after = amended(SetSpec(tasks=(whole, last)), change)
    assert after.tasks == (TaskEntry("dir/a.py", "two", {"n": 3}), last)
