"""A long array decoded in slices is what decoding it whole gives, wherever a slice would end."""

import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaltui.logs.slices import decoded
from evaltui.logs.wire import UNDECODABLE, decode

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text('}{,[]" \\a\n', max_size=8)
    | st.just(float("nan")),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("}{,", max_size=3), inner,
                                                                max_size=3),
    max_leaves=8,
)  # fmt: skip
OBJECTS = st.lists(st.dictionaries(st.text("ab}{,", max_size=3), JSON, max_size=4), max_size=8)


@given(OBJECTS, st.integers(1, 60), st.sampled_from([None, 2]))
def test_slices_end_where_elements_do(objects, size, indent):
    content = json.dumps(objects, indent=indent).encode()
    found = list(decoded(content, dict, size))
    assert repr(found) == repr(decode(content, list[dict]))


@pytest.mark.parametrize(
    "content",
    [b"", b"{}", b"[", b'[{"a": 1}', b'[{"a": 1}, {"a": }]', b'[{"a": 1}]]', b'[{"a": 1}, {"a": 1'],
)
def test_what_is_no_array_is_refused_as_before(content):
    with pytest.raises(UNDECODABLE):
        decode(content, list[dict])
    with pytest.raises(UNDECODABLE):
        list(decoded(content, dict, 1))


def test_elements_are_of_the_form_asked_for():
    class Row(msgspec.Struct):
        a: int

    content = b'[{"a": 1}, {"a": 2, "b": [{"a": 3}, {"a": 4}]}, {"a": 5}]'
    assert [row.a for row in decoded(content, Row, 1)] == [1, 2, 5]
    with pytest.raises(UNDECODABLE):
        list(decoded(b'[{"a": 1}, {"a": "x"}]', Row, 1))
