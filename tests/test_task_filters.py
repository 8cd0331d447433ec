"""`-F` filters: what each operator lets through, and what is no filter at all."""

import pytest

from evaltui.discovery import FilterError, TaskInfo, parse_filter

TASKS = {
    "a": {
        "light": True,
        "level": 2,
        "tags": ["web", "crypto"],
        "kind": "web",
        "since": "2026-01-31",
    },
    "b": {"light": False, "level": 3.5, "kind": "webby", "max_time": 10},
    "c": {"level": "high", "tags": ("forensics",), "kind": None},
    "d": {},
}


def let_through(expression: str) -> str:
    one = parse_filter(expression)
    return "".join(
        name for name, attribs in TASKS.items() if one.matches(TaskInfo("t.py", name, attribs))
    )


@pytest.mark.parametrize(
    ("expression", "names"),
    [
        ("light=true", "a"),
        ("light=yes", "a"),
        ("light==true", "a"),
        ("light = true", "a"),
        ("light=false", "b"),
        ("light='true'", ""),
        ("light=null", "cd"),
        ("light=", "cd"),
        ("level=2", "a"),
        ("level=2.0", "a"),
        ('level="2"', ""),
        ("level=high", "c"),
        ("tags=web,crypto", "a"),
        ("tags=[web, crypto]", "a"),
        ("tags=web", ""),
        ("max-time=10", "b"),
        ("since=2026-01-31", "a"),
        ("since=2026-13-41", ""),
        ("light!=true", "bcd"),
        ("level!=2", "bcd"),
        ("light~=true", "bcd"),
        ("kind~=web", "bcd"),
        ("kind~='web*'", "abcd"),
        ("tags~=[web, crypto]", "bcd"),
        ("kind~=web*", "ab"),
        ("kind~=web?y", "b"),
        ("kind~=w[aeiou]b", "a"),
        ("kind~=*", "abc"),
        ("tags~=fore*", "c"),
        ("tags~=*c*", "ac"),
        ("light~=t*", "a"),
        ("level~=3.*", "b"),
        ("level<3", "a"),
        ("level<=2", "a"),
        ("level>2", "b"),
        ("level>=2", "ab"),
        ("level>a", "c"),
        ("since>2025-12-31", "a"),
        ("since<2026", ""),
        ("light>0", ""),
        ("tags>0", ""),
    ],
)
def test_what_a_filter_lets_through(expression, names):
    assert let_through(expression) == names


@pytest.mark.parametrize("expression", ["light", "", "=3", "3x=1", "a b=1", "light:true"])
def test_an_expression_without_key_and_operator_is_refused(expression):
    with pytest.raises(FilterError, match="has no key and operator; write for example"):
        parse_filter(expression)


@pytest.mark.parametrize("expression", ["kind=*web", "kind={", "kind=[a", "kind='a"])
def test_a_value_that_is_not_yaml_is_refused_with_the_way_out(expression):
    with pytest.raises(FilterError, match="not YAML; quote it, or write key~=glob"):
        parse_filter(expression)


@pytest.mark.parametrize("expression", ["level<", "level>=true", "level<[1]"])
def test_an_order_needs_something_that_has_one(expression):
    with pytest.raises(FilterError, match="needs a number or a text"):
        parse_filter(expression)


def test_an_attribute_that_is_not_a_constant_counts_as_absent():
    task = TaskInfo("t.py", "t", {}, {"light": "LIGHT"})
    assert not parse_filter("light=true").matches(task)
    assert not parse_filter("light~=*").matches(task)
    assert parse_filter("light!=true").matches(task)
