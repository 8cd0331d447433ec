"""The filter grammar: what matches, where an error stands, what Tab offers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaltui.tui.query import (
    Completion,
    Query,
    QueryError,
    complete,
    fuzzy,
    matches,
    number_of,
    parse,
    select,
)

ROWS = [
    {"task": "swe_verified", "model": "openai/gpt-5", "err": 3, "done": 37.6, "is": ["running"],
     "light": True, "tags": ["code", "long run"], "left": 720.0},
    {"task": "gaia_l1", "model": "anthropic/Sonnet", "err": 0, "done": 100, "is": ["complete"],
     "light": False, "tags": [], "left": None},
    {"task": "gaia_l2", "model": "openai/gpt-5", "err": 11, "done": 5, "is": ["failed", "stuck"],
     "tags": ["code"], "left": 90},
]  # fmt: skip
NAMES = ["task", "model", "err", "done", "light", "tags", "left"]
STATES = ["running", "complete", "failed", "stuck"]


def read(text: str) -> Query:
    query = parse(text, NAMES, STATES)
    assert isinstance(query, Query), query
    return query


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", [0, 1, 2]),
        ("gaia", [1, 2]),
        ("GPT-5", [0, 2]),
        ("gaia openai", [2]),
        ("!gaia", [0]),
        ("!!gaia", [1, 2]),
        ("model:openai", [0, 2]),
        ("model:OPENAI,sonnet", [0, 1, 2]),
        ("model=openai", []),
        ("model=openai/gpt-5,x", [0, 2]),
        ("!model:openai", [1]),
        ("err>0", [0, 2]),
        ("err>=11", [2]),
        ("err<3", [1]),
        ("err<=3 err>0", [0]),
        ("err=3", [0]),
        ("err=3.0,0", [0, 1]),
        ("done>=50%", [1]),
        ("left>1m", [0, 2]),
        ("left<0.1h", [2]),
        ("is:failed", [2]),
        ("is:fail,run", [0, 2]),
        ("is:stuck", [2]),
        ("!is:complete", [0, 2]),
        ("light:true", [0]),
        ("light=false", [1]),
        ("tags:code", [0, 2]),
        ('tags:"long run"', [0]),
        ('"long run"', [0]),
        ("long run", [0]),
        ("~swvf", [0]),
        ("!~swvf", [1, 2]),
        ('"model:openai"', []),
        ("task:gaia err>0", [2]),
    ],
)
def test_rows_that_match(text, found):
    query = read(text)
    assert select(query, ROWS) == found
    assert [index for index, row in enumerate(ROWS) if matches(query, row)] == found


def test_an_attribute_that_a_row_lacks_matches_nothing():
    assert select(read("light:true"), [{"task": "x"}]) == []
    assert select(read("left<1h"), [{"left": None}]) == []
    assert select(read("err>0"), [{"err": "3"}, {"err": True}]) == []


def test_quotes_keep_what_would_mean_something():
    assert read('"a:b" c').terms[0].values == ("a:b",)
    assert read(r'"say \"hi\" \\"').terms[0].values == (r'say "hi" \\'.replace(r"\\", "\\"),)
    assert read('task:"a,b",c').terms[0].values == ("a,b", "c")


@pytest.mark.parametrize(
    ("text", "start", "end", "says"),
    [
        ("err>0 modle:x", 6, 11, "no attribute 'modle' here; did you mean 'model'?"),
        ("zzz:x", 0, 3, "quote it to look for it as text"),
        ("model:", 0, 6, "a value must follow model:"),
        ("model:,", 0, 7, "a value must follow model:"),
        ("err>many", 4, 8, "a number must follow err>"),
        ("err>1,2", 4, 7, "a number must follow err>"),
        ("is:faild", 3, 8, "no state 'faild'; did you mean 'failed'?"),
        ('a "b c', 2, 6, "the quote is not closed"),
        ("a !", 2, 3, "nothing follows the !"),
        ("! a", 0, 1, "nothing follows the !"),
        ("~", 0, 1, "letters must follow the ~"),
    ],
)
def test_an_error_says_what_and_where(text, start, end, says):
    error = parse(text, NAMES, STATES)
    assert isinstance(error, QueryError)
    assert (error.start, error.end) == (start, end)
    assert says in error.message
    before = read(text[:start].removesuffix("is:").removesuffix("err>"))
    assert error.before.terms == before.terms
    assert error.caret() == " " * start + "^" * (end - start)


@pytest.mark.parametrize(
    ("text", "offered"),
    [
        ("mo", (0, 2, ("model:",))),
        ("err>0 !t", (7, 8, ("task:", "tags:"))),
        ("", (0, 0, ("task:", "model:", "err:", "done:", "light:", "tags:", "left:"))),
        ("model:op", (6, 8, ("openai/gpt-5",))),
        ("model:openai/gpt-5,", (19, 19, ("openai/gpt-5", "anthropic/Sonnet"))),
        ("model:AN", (6, 8, ("anthropic/Sonnet",))),
        ("tags:", (5, 5, ("code", '"long run"'))),
        ("err>", None),
        ("zzz", None),
        ("~mo", None),
        ('"mo', None),
    ],
)
def test_tab_offers_names_and_then_values(text, offered):
    def values(name: str) -> list[str]:
        if name == "tags":
            return ["code", "long run"]
        return [str(row[name]) for row in ROWS]

    completion = complete(text, len(text), NAMES, values)
    assert completion == (None if offered is None else Completion(*offered))


def test_what_is_completed_can_be_read():
    completion = complete("tags:lo", 7, NAMES, lambda _: ["long run"])
    assert completion is not None
    text = "tags:lo"[: completion.start] + completion.candidates[0]
    assert select(read(text), ROWS) == [0]


@pytest.mark.parametrize(
    ("text", "number"),
    [("3", 3), ("-1.5", -1.5), ("50%", 50), ("1.2M", 1.2e6), ("3k", 3000), ("90s", 90),
     ("5m", 300), ("2h", 7200), ("1d", 86400), ("1_000", 1000), (".5", 0.5), ("5x", None),
     ("", None), ("nan", None), ("1e3", None)],
)  # fmt: skip
def test_numbers_may_carry_a_unit(text, number):
    assert number_of(text) == number


def test_what_stands_together_is_the_better_match():
    assert fuzzy("abc", "xxabcxx") == 0
    assert fuzzy("abc", "a-b-c") == 2
    assert fuzzy("abc", "a---bc abc") == 0
    assert fuzzy("abc", "acb") is None
    assert fuzzy("", "x") == 0


@given(st.text(max_size=30))
def test_any_text_is_a_filter_or_an_error_within_it(text):
    query = parse(text, NAMES, STATES)
    if isinstance(query, QueryError):
        assert 0 <= query.start <= query.end <= len(text)
        assert query.message
    else:
        assert set(select(query, ROWS)) <= {0, 1, 2}
        assert [term.start for term in query.terms] == sorted(term.start for term in query.terms)


@given(st.lists(st.sampled_from(["gaia", "!gaia", "err>0", "is:failed", "model:openai"])))
def test_terms_are_joined_by_and(terms):
    alone = [set(select(read(term), ROWS)) for term in terms]
    assert set(select(read(" ".join(terms)), ROWS)) == {0, 1, 2}.intersection(*alone)
