"""Tasks are found by parsing: in every form a file may declare them, in every file there may be."""

import json
import os
import warnings
from pathlib import Path
from textwrap import dedent, indent

import pytest

from evaltui.discovery import Param, Skipped, TaskInfo, discover, tasks_in_file

SUITE = Path(__file__).parent / "cases" / "suite"
TASK = "from inspect_ai import Task, task\n\n@task\ndef {name}():\n    return Task()\n"


def written(folder: Path, files: dict[str, str | bytes]) -> Path:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return folder


def tasks_of(folder: Path, source: str | bytes, name: str = "t.py") -> tuple[TaskInfo, ...]:
    written(folder, {name: source})
    found = tasks_in_file(folder / name)
    assert not isinstance(found, Skipped), str(found)
    return found


def names_of(folder: Path, source: str | bytes, name: str = "t.py") -> list[str]:
    return [task.name for task in tasks_of(folder, source, name)]


def refusal(folder: Path, source: str | bytes, name: str = "t.py") -> Skipped:
    written(folder, {name: source})
    found = tasks_in_file(folder / name, name)
    assert isinstance(found, Skipped)
    assert found.kind == "unreadable"
    return found


def notebook(*cells: str | list[str]) -> str:
    code = [{"cell_type": "code", "source": cell, "outputs": []} for cell in cells]
    text = {"cell_type": "markdown", "source": "@task is not code here\n def broken(:"}
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [text, *code]})


# The suite of trial files


def test_the_suite_is_listed_without_running_it():
    found = discover(["suite"], SUITE.parent)
    assert [task.spec for task in found.tasks] == [
        "suite/ctf.py@attack_defense",
        "suite/ctf.py@jeopardy",
        "suite/ctf.py@renamed",
        "suite/deep/bom.py@with_bom",
        "suite/deep/deeper/nested.py@dotted",
        "suite/deep/deeper/nested.py@inside_if",
        "suite/deep/deeper/nested.py@plain",
        "suite/deep/deeper/nested.py@under_alias",
        "suite/deep/odd[1].py@bracketed",
    ]


def test_what_the_suite_leaves_out_is_named_with_the_reason():
    skipped = {
        one.path: (one.reason, one.line) for one in discover(["suite"], SUITE.parent).skipped
    }
    assert skipped == {
        "suite/.hidden": ('names that start with "." are left out', None),
        "suite/_private": ('names that start with "_" are left out', None),
        "suite/deep/latin1.py": ("not UTF-8 (byte 0xe9) and no encoding is declared", 2),
        "suite/deep/syntax_error.py": ("syntax error: invalid syntax", 3),
        "suite/env": ('folders called "env" are left out', None),
        "suite/tests": ('folders called "tests" are left out', None),
        "suite/venv": ('folders called "venv" are left out', None),
    }


def test_attributes_are_constants_or_marked():
    tasks = {task.name: task for task in discover(["suite/ctf.py"], SUITE.parent).tasks}
    assert tasks["jeopardy"].attribs == {"light": True, "level": 2, "tags": ["web", "crypto"]}
    assert tasks["jeopardy"].not_constant == ()
    assert tasks["attack_defense"].attribs == {}
    assert tasks["attack_defense"].not_constant == ("light",)
    assert tasks["attack_defense"].expressions == {"light": "LIGHT"}
    assert tasks["renamed"].attribs == {"light": False}


# Decorators


@pytest.mark.parametrize(
    "head",
    [
        "from inspect_ai import task\n@task",
        "from inspect_ai import task\n@task()",
        "from inspect_ai import *\n@task",
        "from inspect_ai import task as t\n@t",
        "from inspect_ai import task as t\n@t(light=True)",
        "from inspect_ai import (Task,\n  task as t)\n@t",
        "from inspect_ai._eval.registry import task as t\n@t",
        "import inspect_ai\n@inspect_ai.task",
        "import inspect_ai\n@inspect_ai . task",
        "import inspect_ai\n@(inspect_ai.task)",
        "import inspect_ai as x\n@x.task(light=True)",
        "import inspect_ai.model\n@inspect_ai.task",
        "import inspect_ai._eval.registry as r\n@r.task",
        "if True:\n  import inspect_ai as x\n@x.task",
        "import inspect_ai as prüfung\n@prüfung.task",
    ],
)
def test_every_way_to_name_the_decorator(tmp_path, head):
    assert names_of(tmp_path, f"{head}\ndef one():\n    ...\n") == ["one"]
    assert names_of(tmp_path, f"{head}\nasync def one():\n    ...\n") == ["one"]


@pytest.mark.parametrize(
    "source",
    [
        "from celery import Celery\napp = Celery()\n@app.task\ndef one(): ...\n",
        "import invoke\n@invoke.task\ndef one(): ...\n",
        "from invoke import task as t\n@t\ndef one(): ...\n",
        "from inspect_ai import task\n@task.wraps\ndef one(): ...\n",
        "from inspect_ai import task\n@task\nclass One: ...\n",
        "from inspect_ai import task_source\n@task_source\ndef one(): ...\n",
        'from inspect_ai import task\n"""\n@task\ndef one(): ...\n"""\n',
        "from inspect_ai import task\ndef outer():\n    @task\n    def one(): ...\n",
        "from inspect_ai import task\nclass Outer:\n    @task\n    def one(): ...\n",
        'from inspect_ai import task\nif __name__ == "__main__":\n    @task\n    def one(): ...\n',
        "from inspect_ai import task\nif False:\n    @task\n    def one(): ...\n",
    ],
)
def test_what_looks_like_a_task_and_is_none(tmp_path, source):
    assert names_of(tmp_path, source) == []


@pytest.mark.parametrize(
    "block",
    [
        "if x:\n    {task}\n",
        "if x:\n    pass\nelif y:\n    pass\nelse:\n    {task}\n",
        "if False:\n    pass\nelse:\n    {task}\n",
        "try:\n    {task}\nexcept ImportError:\n    pass\n",
        "try:\n    pass\nexcept ImportError:\n    {task}\n",
        "try:\n    pass\nfinally:\n    {task}\n",
        "try:\n    pass\nexcept* ValueError:\n    {task}\n",
        "with open(x) as f:\n    {task}\n",
        "for n in range(3):\n    {task}\n",
        "while x:\n    {task}\n",
        "match x:\n  case 1:\n    {task}\n",
        "if x:\n  try:\n    {task}\n  finally:\n    pass\n",
    ],
)
def test_a_task_inside_a_block_counts(tmp_path, block):
    body = block.format(task="@task\n    def one(): ...")
    assert names_of(tmp_path, "from inspect_ai import task\n" + body) == ["one"]


def test_a_task_of_two_branches_is_one_task_and_twins_at_the_top_stay_two(tmp_path):
    branches = "if x:\n    @task\n    def one(): ...\nelse:\n    @task\n    def one(): ...\n"
    assert names_of(tmp_path, branches) == ["one"]
    assert names_of(tmp_path, branches + "@task\ndef one(): ...\n") == ["one"]
    assert names_of(tmp_path, "@task\ndef one(): ...\n@task\ndef one(): ...\n") == ["one", "one"]


def test_the_name_is_the_decorators_where_it_gives_one(tmp_path):
    source = """
@task(name="given")
def one(): ...
@task(name=None)
def two(): ...
@task(name=NAME)
def three(): ...
"""
    tasks = tasks_of(tmp_path, source)
    assert [(task.name, task.line) for task in tasks] == [("given", 3), ("two", 5), ("three", 7)]
    assert tasks[2].expressions == {"name": "NAME"}


def test_an_attribute_is_never_guessed(tmp_path):
    source = """
@task(a=-1, b=(1, 2), c=None, d=f"{x}", e=1 + 1, f={[]: 1}, g=[LIGHT], **COMMON)
def one(): ...
"""
    (task,) = tasks_of(tmp_path, source)
    assert task.attribs == {"a": -1, "b": (1, 2), "c": None}
    assert task.not_constant == ("d", "e", "f", "g", "**COMMON")
    assert task.expressions["g"] == "[LIGHT]"


def test_parameters_come_with_annotation_default_and_whether_they_are_required(tmp_path):
    source = """
@task
def one(a, b: int, c: "str | None" = None, *rest, d: list[int], e=LIMIT, **more: str): ...
"""
    (task,) = tasks_of(tmp_path, source)
    assert task.params == (
        Param("a", required=True),
        Param("b", "int", required=True),
        Param("c", "str | None", default=None),
        Param("d", "list[int]", required=True),
        Param("e", expression="LIMIT"),
        Param("more", "str", variadic=True),
    )


def test_defaults_belong_to_the_last_parameters_on_either_side_of_the_star(tmp_path):
    (task,) = tasks_of(tmp_path, "@task\ndef one(a, /, b=1, *, c, d=2): ...\n")
    assert [(param.name, param.required, param.default) for param in task.params] == [
        ("a", True, None),
        ("b", False, 1),
        ("c", True, None),
        ("d", False, 2),
    ]


# Sources that are hard to read


@pytest.mark.parametrize(
    "data",
    [
        b"# -*- coding: latin-1 -*-\n# caf\xe9\n" + TASK.format(name="one").encode(),
        b"#!/usr/bin/env python\n# vim: set fileencoding=cp1252 :\n# \x80\n@task\ndef one(): ...\n",
        b"\xef\xbb\xbf" + TASK.format(name="one").encode(),
        b"\xef\xbb\xbf# coding: utf-8\n@task\ndef one(): ...\n",
        TASK.format(name="one").replace("\n", "\r\n").encode(),
        b'@task\ndef one():\n    "\\d is a doubtful escape"\n',
    ],
    ids=["latin-1", "second line", "bom", "bom and utf-8", "crlf", "escape"],
)
def test_sources_that_python_reads_are_read(tmp_path, data):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert names_of(tmp_path, data) == ["one"]
    assert caught == []


def test_names_in_a_declared_encoding_come_out_right(tmp_path):
    source = b'# coding: latin-1\n@task(place="caf\xe9")\ndef one(): ...\n'
    (task,) = tasks_of(tmp_path, source)
    assert task.attribs == {"place": "café"}


@pytest.mark.parametrize(
    ("data", "line", "reason"),
    [
        (b"@task\ndef one(: ...\n", 2, "syntax error"),
        (b"@task\ndef one(): ...\n# \xff\n", 3, "not UTF-8 (byte 0xff)"),
        (b"# coding: ascii\n@task\ndef one(): ...\n# \xe9\n", 4, "not ascii (byte 0xe9)"),
        (b"# coding: no-such\n@task\ndef one(): ...\n", 1, '"no-such"'),
        (b"# coding: undefined\n@task\ndef one(): ...\n", 1, '"undefined"'),
        (b"# coding: hex\n@task\ndef one(): ...\n", 1, '"hex"'),
        (b"@task\ndef one():\n    '\0'\n", 3, "NUL byte"),
    ],
)
def test_a_source_that_python_can_not_read_says_why_and_where(tmp_path, data, line, reason):
    skipped = refusal(tmp_path, data)
    assert skipped.line == line
    assert reason in skipped.reason
    assert str(skipped).startswith(f"t.py:{line}: ")


def test_code_nested_too_deeply_is_one_skipped_file(tmp_path):
    deep = "@task\ndef one(): ...\nx = " + "-" * 200_000 + "1\n"
    assert "nested too deeply" in refusal(tmp_path, deep).reason


def test_a_broken_file_without_the_decorator_hides_no_task(tmp_path):
    assert names_of(tmp_path, "a task for python 2: print 'x'\n") == []


# Notebooks


def test_tasks_in_a_notebook_are_found_among_magics(tmp_path):
    cells = [
        "%matplotlib inline\n!pip install x\nfiles = !ls\nn = %who_ls\ntask?\n?task",
        "%%bash\n@task this is not Python (",
        ["from inspect_ai import task\n", "if True:\n", "    %time x = 1\n"],
        ["@task(light=True)\n", "def one(n=5):\n", "    return await_me\n"],
    ]
    (task,) = tasks_of(tmp_path, notebook(*cells), "t.ipynb")
    assert (task.name, task.attribs, task.params) == (
        "one",
        {"light": True},
        (Param("n", default=5),),
    )
    assert task.line == 6 + 2 + 4 + 2  # each cell's lines, and the `def` is the second of the last


@pytest.mark.parametrize(
    "cell",
    [
        "%cd ..",
        "x?",
        "a.b[0]??",
        "!ls \\\n  -la",
        "x = !ls \\\n  -la",
        "x: int = %who",
        "  !ls\n  y = 1",
    ],
)
def test_a_magic_in_the_cell_itself_keeps_neither_task_nor_line_from_being_found(tmp_path, cell):
    source = dedent(cell) + "\n@task\ndef one(): ..."
    source = indent(source, "  ") if cell.startswith(" ") else source
    (task,) = tasks_of(tmp_path, notebook(source), "t.ipynb")
    assert task.line == cell.count("\n") + 3


def test_a_modulo_at_the_start_of_a_line_is_no_magic(tmp_path):
    cell = "text = ('%s'\n% 1)\n@task\ndef one(): ...\n"
    assert names_of(tmp_path, notebook(cell), "t.ipynb") == ["one"]


def test_a_notebook_of_version_three_keeps_its_cells_in_worksheets(tmp_path):
    cells = [{"cell_type": "code", "input": "@task\ndef one(): ...", "outputs": []}]
    old = json.dumps({"nbformat": 3, "worksheets": [{"cells": cells}]})
    assert names_of(tmp_path, old, "t.ipynb") == ["one"]


def test_a_broken_notebook_says_what_is_broken(tmp_path):
    broken = notebook("x = 1", "@task\ndef one(:")
    assert refusal(tmp_path, broken, "t.ipynb").reason.startswith(
        "syntax error in code cell 2, line 2: "
    )
    assert "not valid JSON" in refusal(tmp_path, '{"cells": [\n"@task"', "t.ipynb").reason
    assert "no cells" in refusal(tmp_path, '["@task"]', "t.ipynb").reason
    assert names_of(tmp_path, '{"cells": [1, {"cell_type": "code"}, "@task"]}', "t.ipynb") == []


# Paths


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    names = ["a.py", "b[1].py", "sub/c.py", "tests/d.py", ".h/e.py", "_p.py", "sub/env/f.py"]
    files: dict[str, str | bytes] = {
        name: TASK.format(name="in_" + Path(name).stem.strip("_")[0]) for name in names
    }
    files |= {"helper.py": "x = 1\n", "notes.txt": "@task\ndef one(): ...\n"}
    return written(tmp_path / "root", files)


@pytest.mark.parametrize(
    ("paths", "files"),
    [
        ([], ["a.py", "b[1].py", "sub/c.py"]),
        (["."], ["a.py", "b[1].py", "sub/c.py"]),
        (["./a.py"], ["a.py"]),
        (["sub/"], ["sub/c.py"]),
        (["a.py", "a.py", "."], ["a.py", "b[1].py", "sub/c.py"]),
        (["b[1].py"], ["b[1].py"]),
        (["b[[]1].py"], ["b[1].py"]),
        (["*.py"], ["a.py", "b[1].py"]),
        (["[a-c]*"], ["a.py", "b[1].py"]),
        (["sub/*"], ["sub/c.py", "sub/env/f.py"]),
        (["tests"], ["tests/d.py"]),
        (["tests/d.py"], ["tests/d.py"]),
        ([".h"], [".h/e.py"]),
        (["../root/a.py"], ["../root/a.py"]),
        (["_p.py@in_p"], ["_p.py"]),
        (["b[1].py@in_b", "sub"], ["b[1].py", "sub/c.py"]),
    ],
)
def test_paths_name_files_folders_globs_and_tasks(tree, paths, files):
    found = discover(paths, tree)
    assert [task.file for task in found.tasks] == files
    assert found.problems == ()


def test_an_absolute_path_is_relative_under_the_root_and_stays_absolute_outside(tree, tmp_path):
    outside = written(tmp_path / "outside", {"o.py": TASK.format(name="o")})
    found = discover([str(tree / "sub"), str(outside), str(tree / "*.py")], tree)
    assert [task.file for task in found.tasks] == sorted(
        [(outside / "o.py").as_posix(), "a.py", "b[1].py", "sub/c.py"]
    )


def test_an_absolute_path_over_a_link_to_the_root_is_relative_too(tree, tmp_path):
    link = tmp_path / "link"
    link.symlink_to(tree)
    for root in (tree, link):
        assert [task.file for task in discover([str(link / "a.py")], root).tasks] == ["a.py"]


@pytest.mark.parametrize(
    ("path", "kind", "said"),
    [
        ("b.py", "absent", "no such file or folder"),
        ("helpr.py", "absent", "did you mean 'helper.py'?"),
        ("sub/d.py@x", "absent", "did you mean 'c.py'?"),
        ("a.py@in_aa", "absent", "did you mean 'in_a'?"),
        ("a.py@other", "absent", "evaltui tasks a.py lists what there is"),
        ("x*.py", "absent", "no file or folder matches"),
        ("x/**y", "absent", "not a usable pattern"),
        ("", "absent", "no such file or folder"),
        ("x\0/y", "absent", "no such file or folder"),
        ("x" * 5000 + ".py@y", "absent", "there is no file"),
        ("helper.py", "taskless", "has no @task function"),
        ("notes.txt", "rule", "not a .py or .ipynb file"),
        ("_p.py", "rule", 'start with "_"'),
    ],
)
def test_a_path_that_yields_nothing_says_why_and_the_others_are_listed(tree, path, kind, said):
    found = discover([path, "sub"], tree)
    assert [task.file for task in found.tasks] == ["sub/c.py"]
    (problem,) = found.problems
    assert problem.kind == kind
    assert said in problem.reason


def test_a_folder_without_tasks_says_so(tree):
    (tree / "empty").mkdir()
    (problem,) = discover(["empty"], tree).problems
    assert str(problem) == "empty: no @task function in any file"
    written(tree, {"empty/x.py": "@task\ndef one(:\n"})
    assert [str(one) for one in discover(["empty"], tree).problems] == [
        "empty: no @task function in any file that can be read (1 can't)"
    ]


def test_a_named_file_that_is_broken_is_a_problem_and_one_met_on_the_way_is_not(tree):
    written(tree, {"sub/broken.py": "@task\ndef one(:\n"})
    assert discover(["sub"], tree).problems == ()
    for path in ("sub/broken.py", "sub/broken.py@one"):
        (problem,) = discover([path, "sub"], tree).problems
        assert (problem.path, problem.line, problem.kind) == ("sub/broken.py", 2, "unreadable")


def test_links_pipes_and_folders_with_a_python_name(tree):
    (tree / "linked").symlink_to(tree / "sub")
    (tree / "link.py").symlink_to(tree / "a.py")
    (tree / "dangling.py").symlink_to(tree / "gone.py")
    (tree / "self.py").symlink_to(tree / "self.py")
    os.mkfifo(tree / "pipe.py")
    written(tree, {"folder.py/g.py": TASK.format(name="g")})
    found = discover([], tree)
    assert {"link.py", "folder.py/g.py"} <= {task.file for task in found.tasks}
    said = {one.path: one.reason for one in found.skipped}
    assert said["linked"] == "a link to a folder, not followed"
    assert said["pipe.py"] == "not a regular file"
    assert said["dangling.py"] == "no such file or directory"
    assert "symbolic links" in said["self.py"]
    assert said["_p.py"] == 'names that start with "_" are left out'


def test_a_name_that_is_not_utf8_is_one_file_like_the_others(tree):
    path = os.fsencode(tree) + b"/sub/\xff.py"
    try:
        Path(os.fsdecode(path)).write_text(TASK.format(name="odd"))
    except OSError:
        pytest.skip("this file system takes UTF-8 names only")
    assert [task.name for task in discover(["sub"], tree).tasks] == ["in_c", "odd"]


def test_a_deep_tree_is_walked_to_its_end(tmp_path):
    folder = tmp_path
    for _ in range(60):
        folder = folder / "d"
    written(folder, {"t.py": TASK.format(name="deep")})
    assert [task.file for task in discover([], tmp_path).tasks] == ["d/" * 60 + "t.py"]
