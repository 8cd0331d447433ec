"""What is typed into a form, read as values; what can't be read, in a sentence."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaltui.discovery import Param, TaskInfo
from evaltui.logs.layout import Layout
from evaltui.spec import Amendment, TaskEntry
from evaltui.spec_edit import amend_spec
from evaltui.tui.arguments import (
    argument_texts,
    described,
    entry_for,
    read_arguments,
    unknown_arguments,
)
from evaltui.tui.change_words import said_otherwise
from evaltui.tui.forms import (
    read_config,
    read_pairs,
    read_setting,
    setting_text,
    split_list,
)


@pytest.mark.parametrize(
    ("key", "text", "value"),
    [
        ("epochs", "3", 3),
        ("epochs", " 3 ", 3),
        ("epochs", "", None),
        ("limit", "10", 10),
        ("limit", "10-20", (9, 20)),
        ("limit", "  ", None),
        ("fail_on_error", "true", True),
        ("fail_on_error", "false", False),
        ("fail_on_error", "5%", 0.05),
        ("fail_on_error", "0.05", 0.05),
        ("fail_on_error", "3", 3),
        ("fail_on_error", "1.0", 1),
        ("fail_on_error", "100%", 1),
    ],
)
def test_a_setting_is_read_as_the_spec_has_it(key, text, value):
    found = read_setting(key, text)
    assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize(
    ("key", "text", "says"),
    [
        ("epochs", "0", "must be 1 or more"),
        ("epochs", "-1", "must be 1 or more"),
        ("epochs", "two", "must be a whole number"),
        ("epochs", "1.5", "must be a whole number"),
        ("epochs", "[/]", "must be a whole number"),
        ("limit", "0", "must be 1 or more"),
        ("limit", "20-10", "holds no sample"),
        ("limit", "-3", "must be a count or a range"),
        ("limit", "ten", "must be a count or a range"),
        ("fail_on_error", "0", "is unclear"),
        ("fail_on_error", "-1", "must be above 0"),
        ("fail_on_error", "1.5", "must be a whole count"),
        ("fail_on_error", "x%", "must be true, false, a share"),
        ("fail_on_error", "maybe", "must be true, false, a share"),
    ],
)
def test_what_is_no_setting_is_said_in_one_sentence(key, text, says):
    with pytest.raises(ValueError, match=says) as error:
        read_setting(key, text)
    assert key in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("epochs", 3),
        ("epochs", None),
        ("limit", 10),
        ("limit", (9, 20)),
        ("fail_on_error", 0.05),
        ("fail_on_error", 3),
        ("fail_on_error", True),
        ("fail_on_error", False),
    ],
)
def test_a_setting_is_written_as_it_would_be_typed(key, value):
    assert read_setting(key, setting_text(key, value)) == value


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", []),
        (", ,", []),
        ("a", ["a"]),
        ("a, b ,c", ["a", "b", "c"]),
        ("[1, 2], 3", ["[1, 2]", "3"]),
        ('"a, b", c', ['"a, b"', "c"]),
        ("{a: 1, b: [2, 3]}", ["{a: 1, b: [2, 3]}"]),
        ("it's, fine", ["it's", "fine"]),
        ("[1, 2", ["[1, 2"]),
    ],
)
def test_commas_in_brackets_and_quotes_part_nothing(text, parts):
    assert split_list(text) == parts


@given(st.text(max_size=40))
def test_any_text_is_parted_without_an_error(text):
    assert all(part == part.strip() and part for part in split_list(text))


def test_a_config_is_read_with_its_types():
    assert read_config("temperature=0.5, max_tokens=100, seed=7") == {
        "temperature": 0.5,
        "max_tokens": 100,
        "seed": 7,
    }
    assert read_config("stop_seqs=[a, b]") == {"stop_seqs": ["a", "b"]}
    assert read_config("") == {}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("temprature=1", "did you mean 'temperature'"),
        ("epochs=3", "is no generate option"),
        ("temperature", "is no key=value"),
        ("temperature=", "is no key=value"),
        ("temperature=hot", "must be a number"),
        ("seed=1, seed=2", "is there twice"),
        ("[/]=1", "is no generate option"),
    ],
)
def test_a_config_that_cannot_be_taken_says_why(text, says):
    with pytest.raises(ValueError, match=says):
        read_config(text)


def test_dashes_in_names_are_underscores_as_on_the_command_line():
    assert read_pairs("max-tokens=3") == {"max_tokens": 3}


# --- arguments of a task --------------------------------------------------------------------------


def task(*params: Param) -> TaskInfo:
    return TaskInfo("dir/quiz.py", "quiz", params=params)


N = Param("n", "int", default=6)
NAME = Param("name", "str", required=True)
LOUD = Param("loud", "bool", default=False)
SHARE = Param("share", "float | None")
ANY = Param("extra", variadic=True)
FREE = Param("free")


@pytest.mark.parametrize(
    ("param", "text", "value"),
    [
        (N, "3", 3),
        (NAME, "007", "007"),
        (NAME, "true", "true"),
        (NAME, '"a, b"', "a, b"),
        (LOUD, "true", True),
        (SHARE, "0.5", 0.5),
        (SHARE, "1", 1),
        (FREE, "[1, 2]", [1, 2]),
        (FREE, "{a: 1}", {"a": 1}),
        (FREE, "text", "text"),
        (Param("k", "Optional[int]"), "3", 3),
        (Param("k", "list[int]"), "[1]", [1]),
    ],
)
def test_an_argument_is_read_by_its_annotation(param, text, value):
    found = read_arguments(task(param), {param.name: text})
    assert found.args == {param.name: value}
    assert not found.wrong
    assert not found.sweep


@pytest.mark.parametrize(
    ("param", "text", "says"),
    [
        (N, "three", "n must be int, not 'three'"),
        (N, "true", "n must be int"),
        (LOUD, "yess", "loud must be bool"),
        (LOUD, "tru", "did you mean 'true'"),
        (SHARE, "half", "share must be float or None"),
        (N, ",", "is only commas"),
        (N, "1, 1", "is in the sweep twice"),
        (NAME, "", "quiz needs name"),
        (ANY, "n", "is no key=value"),
        (FREE, "[1, null]", "evalset.toml has no null"),
        (ANY, "a=null", "evalset.toml has no null"),
        (FREE, "{1: 2}", "the key 1 must be text"),
        (FREE, "!!set {a}", "can't hold a set"),
        (ANY, "a=&a [*a]", "holds itself"),
        (ANY, "api_key=sk-1", "set API_KEY in the environment or in .env"),
        (ANY, "openai_api_key=sk-1", "set OPENAI_API_KEY in the environment"),
        (Param("api_key", "str"), "sk-1", "set API_KEY in the environment"),
    ],
)
def test_an_argument_that_does_not_fit_says_so_at_its_field(param, text, says):
    found = read_arguments(task(param), {param.name: text})
    assert says in found.wrong[param.name]


def test_null_leaves_out_what_is_null_without_it():
    found = read_arguments(task(SHARE, N), {"share": "null", "n": "3"})
    assert (found.args, found.wrong) == ({"n": 3}, {})


LONG = ("[" * 10_000, "x" * 10_000, "'" * 10_000)


@pytest.mark.parametrize("text", [*LONG, "é漢\u202e\x00", "2024-01-01"])
def test_any_text_is_a_value_that_the_spec_holds(tmp_path, text):
    found = read_arguments(task(FREE), {"free": text})
    change = Amendment(tasks=(entry_for(task(FREE), found),))
    assert amend_spec(Layout(tmp_path), change).tasks == change.tasks
    assert said_otherwise(tmp_path, change)


def test_a_key_is_never_quoted_in_what_is_said_of_it():
    found = read_arguments(task(ANY), {"extra": "api_key=sk-secret"})
    assert "sk-secret" not in found.wrong["extra"]


def test_an_entry_that_is_changed_keeps_what_the_form_has_no_field_for():
    old = TaskEntry("quiz.py", None, {"n": 1, "gone": 2}, solver="s.py@s", solver_args={"a": 1})
    found = read_arguments(task(N), {"n": "1, 2"})
    new = entry_for(task(N), found, old)
    assert new == TaskEntry("quiz.py", "quiz", {}, {"n": [1, 2]}, "s.py@s", {"a": 1})
    assert unknown_arguments(task(N), old) == ("gone",)
    assert unknown_arguments(task(N, ANY), old) == ()


def test_a_list_with_commas_is_a_sweep_with_a_cell_for_each_point():
    found = read_arguments(task(N, NAME), {"n": "1, 2, 3", "name": "a, b"})
    assert found.sweep == {"n": [1, 2, 3], "name": ["a", "b"]}
    assert found.points == 6
    assert entry_for(task(N, NAME), found) == TaskEntry(
        "dir/quiz.py", "quiz", {}, {"n": [1, 2, 3], "name": ["a", "b"]}
    )


def test_what_is_left_empty_is_left_to_the_task():
    found = read_arguments(task(N, LOUD, FREE), {"n": "", "loud": "  ", "free": ""})
    assert found == read_arguments(task(), {})
    assert found.points == 1


def test_further_arguments_go_beside_the_named_ones_and_not_over_them():
    found = read_arguments(task(N, ANY), {"n": "1", "extra": "k=2"})
    assert found.args == {"n": 1, "k": 2}
    clash = read_arguments(task(N, ANY), {"n": "", "extra": "n=2"})
    assert "has a field of its own" in clash.wrong["extra"]


@given(
    st.one_of(
        st.integers(),
        st.booleans(),
        st.text(max_size=20),
        st.lists(st.integers(), max_size=3),
    )
)
def test_the_text_of_an_argument_is_read_as_the_same_value(value):
    entry = TaskEntry("dir/quiz.py", "quiz", {"free": value})
    texts = argument_texts(task(FREE), entry)
    if texts["free"] == "":  # an empty text could not be told from none
        assert value == ""
        return
    found = read_arguments(task(FREE), texts)
    assert (found.args, found.sweep, found.wrong) == ({"free": value}, {}, {})


def test_the_form_begins_with_what_the_set_says():
    entry = TaskEntry("dir/quiz.py", "quiz", {"name": "a, b", "k": 1}, {"n": [1, 2]})
    assert argument_texts(task(N, NAME, ANY), entry) == {
        "n": "1, 2",
        "name": '"a, b"',
        "extra": "k=1",
    }


def test_a_field_says_its_kind_and_its_default():
    assert described(N) == "int = 6"
    assert described(NAME) == "str, required"
    assert described(Param("x", required=True)) == "required"
    assert described(Param("x", "int", expression="LIMIT * 2")) == "int = LIMIT * 2"
    assert described(FREE) == "= null"
