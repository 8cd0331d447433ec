"""What a spec may say, how mistakes in it are named, and that edits keep what a person wrote."""

import re

import pytest

from evaltui.logs.layout import Layout
from evaltui.spec import Amendment, ModelEntry, SetSpec, SpecError, TaskEntry, amended, parse_spec
from evaltui.spec_edit import amend_spec

WHOLE = """\
# tonight's set
version = 1
root = ".."
epochs = 3  # three
limit = "10-20"
fail_on_error = 0.1

[[task]]
file = "mmlu.py"
name = "mmlu"
args = { subject = "math" }
sweep = { shots = [0, 5] }

[[model]]
name = "openai/gpt-4o"
config = { temperature = 0.0 }

[options]
log_buffer = 3
"""


def test_a_spec_says_tasks_models_and_settings():
    spec = parse_spec(WHOLE)
    assert spec.tasks == (TaskEntry("mmlu.py", "mmlu", {"subject": "math"}, {"shots": [0, 5]}),)
    assert spec.models == (ModelEntry("openai/gpt-4o", config={"temperature": 0.0}),)
    assert spec.settings == {"epochs": 3, "limit": (9, 20), "fail_on_error": 0.1, "log_buffer": 3}


@pytest.mark.parametrize(
    ("text", "line", "column", "says"),
    [
        ("epoch = 3", 1, 1, "did you mean `epochs`"),
        ("version = 1\n\nepochs = 'x'", 3, 1, "whole number"),
        ("epochs = 0", 1, 1, "1 or more"),
        ("[[task]]\nnme = 'x'", 2, 1, "did you mean `name`"),
        ("[[task]]\nname = 'x'", 1, 1, "needs its file"),
        ("[[model]]\nargs = {}", 1, 1, "needs its name"),
        ("a = [", 1, 6, "mend the TOML"),
        ("log_buffer = 3", 1, 1, "[options]"),
        ("epochs = 1\n[options]\nepochs = 2", 1, 1, "keep one of them"),
        ("fail_on_error = 0.0", 1, 1, "true tolerates no error"),
        ("fail_on_error = -1", 1, 1, "above 0"),
        ("fail_on_error = 2.5", 1, 1, "whole count"),
        ("limit = '9-3'", 1, 1, "holds no sample"),
        ("reuse = 'maybe'", 1, 1, "content, id, none"),
        ("version = 99", 1, 1, "newer"),
        ("[[model]]\nname = 'openai/x'\nargs.api_key = 'sk-1'", 3, 6, "set OPENAI_API_KEY"),
        ("[[model]]\nname = 'grok/x'\nconfig = { api_key = 'sk-1' }", 3, 12, "set XAI_API_KEY"),
        (
            "[model_roles]\ngrader = { model = 'groq/x', args = { api_key = 'sk-1' } }",
            2,
            39,
            "set GROQ_API_KEY",
        ),
        (
            "[[model]]\nname = 'bedrock/x'\nargs = { aws_secret_access_key = 'sk-1' }",
            3,
            10,
            "set AWS_SECRET_ACCESS_KEY",
        ),
        ("task = 3", 1, 1, "[[task]]"),
        ("[[task]]\nfile = 'a.py'\nsweep = { x = 3 }", 3, 1, "list of values"),
        ("[[task]]\nfile = 'a.py'\nargs = {x = 1}\nsweep = { x = [3] }", 4, 1, "keep one"),
    ],
)
def test_a_mistake_is_named_with_its_place_and_the_way_out(text, line, column, says):
    with pytest.raises(SpecError) as caught:
        parse_spec(text)
    assert (caught.value.line, caught.value.column) == (line, column)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)
    assert "sk-1" not in str(caught.value)


def test_an_amendment_adds_what_is_missing_and_nothing_twice():
    spec = parse_spec(WHOLE)
    same = Amendment(tasks=spec.tasks, models=spec.models, settings={"epochs": 3})
    assert amended(spec, same) == spec
    more = amended(spec, Amendment(models=(ModelEntry("b/b"),), settings={"limit": None}))
    assert [model.name for model in more.models] == ["openai/gpt-4o", "b/b"]
    assert "limit" not in more.settings


def test_an_edit_keeps_comments_and_reads_back_as_meant(tmp_path):
    layout = Layout(tmp_path)
    layout.spec.write_text(WHOLE)
    change = Amendment(
        tasks=(TaskEntry("b.py", None, {"n": 2}),),
        models=(ModelEntry("x/y", {"seed": 1}, {"k": "v"}, "http://localhost", {"grader": "a/b"}),),
        settings={"epochs": 5, "retry_wait": 1, "log_buffer": None, "log_images": True},
        model_roles={"grader": {"model": "z/z", "config": {"temperature": 1.0}}},
    )
    after = amend_spec(layout, change)
    text = layout.spec.read_text()
    assert parse_spec(text) == after == amended(parse_spec(WHOLE), change)
    assert "# tonight's set" in text
    assert "# three" in text


def test_an_edit_that_changes_nothing_does_not_touch_the_file(tmp_path):
    layout = Layout(tmp_path)
    layout.spec.write_text(WHOLE)
    before = layout.spec.stat()
    amend_spec(layout, Amendment(settings={"epochs": 3}))
    assert layout.spec.stat().st_mtime_ns == before.st_mtime_ns
    assert layout.spec.stat().st_ino == before.st_ino


def test_a_new_spec_has_its_tables_apart_and_its_version(tmp_path):
    layout = Layout(tmp_path / "logs")
    amend_spec(
        layout,
        Amendment(
            tasks=(TaskEntry("a.py", "x"), TaskEntry("b.py")),
            models=(ModelEntry("m/a"), ModelEntry("m/b")),
            settings={"log_buffer": 3, "epochs": 2},
        ),
    )
    text = layout.spec.read_text()
    assert text.startswith("version = 1\n")
    assert not re.search(r"[^\n]\n\[", text), text


def test_an_entry_can_be_dropped(tmp_path):
    layout = Layout(tmp_path)
    layout.spec.write_text(WHOLE + '\n[[model]]\nname = "b/b" # second\n')
    after = amend_spec(
        layout, Amendment(drop_models=(ModelEntry("openai/gpt-4o", {"temperature": 0.0}),))
    )
    assert [model.name for model in after.models] == ["b/b"]
    assert "# second" in layout.spec.read_text()


def test_an_entry_that_takes_anothers_place_stands_where_that_stood(tmp_path):
    layout = Layout(tmp_path)
    names = ("a", "b", "c")
    tasks = "".join(f'\n# of {name}\n[[task]]\nfile = "{name}.py"\n' for name in names)
    layout.spec.write_text(f"version = 1\n{tasks}")
    other = TaskEntry("b.py", args={"n": 2})
    after = amend_spec(layout, Amendment(tasks=(other,), drop_tasks=(TaskEntry("b.py"),)))
    assert after.tasks == (TaskEntry("a.py"), other, TaskEntry("c.py"))
    assert re.findall("# of .|file.*", layout.spec.read_text()) == [
        "# of a", 'file = "a.py"', "# of b", 'file = "b.py"', "# of c", 'file = "c.py"',
    ]  # fmt: skip


def test_a_remark_above_an_entry_stays_when_the_one_before_it_leaves(tmp_path):
    layout = Layout(tmp_path)
    tasks = "".join(f'\n# of {name}\n[[task]]\nfile = "{name}.py"\n' for name in "abc")
    layout.spec.write_text(f"version = 1\n{tasks}")
    amend_spec(layout, Amendment(drop_tasks=(TaskEntry("b.py"),)))
    assert re.findall("# of .|file.*", layout.spec.read_text()) == [
        "# of a", 'file = "a.py"', "# of b", "# of c", 'file = "c.py"',
    ]  # fmt: skip


def test_the_last_entry_can_be_dropped_and_another_one_come(tmp_path):
    layout = Layout(tmp_path)
    layout.spec.write_text('[[task]]\nfile = "a.py"\n[[model]]\nname = "m/a"\n')
    assert amend_spec(layout, Amendment(drop_models=(ModelEntry("m/a"),))).models == ()
    after = amend_spec(layout, Amendment(models=(ModelEntry("m/b"),)))
    assert after.models == (ModelEntry("m/b"),)
    layout.spec.write_text("task = []\n")
    assert amend_spec(layout, Amendment(tasks=(TaskEntry("a.py"),))).tasks == (TaskEntry("a.py"),)


def test_a_broken_spec_is_not_edited(tmp_path):
    layout = Layout(tmp_path)
    layout.spec.write_text("epochs = [")
    with pytest.raises(SpecError):
        amend_spec(layout, Amendment(settings={"epochs": 3}))
    assert layout.spec.read_text() == "epochs = ["


def test_a_spec_reads_unchanged_with_a_byte_order_mark():
    assert parse_spec("\ufeff".lstrip("\ufeff") + WHOLE) == parse_spec(WHOLE)
    assert parse_spec("") == SetSpec()
