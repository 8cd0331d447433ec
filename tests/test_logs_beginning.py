"""The first keys of a JSON object are read from any pieces its text comes in, and no more."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaltui.logs.beginning import read_beginning

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
OBJECTS = st.dictionaries(st.text(max_size=5), VALUES, max_size=6)


def pieces(data, size):
    return [data[start : start + size] for start in range(0, len(data), size)]


def never(key, so_far):
    return False


@settings(deadline=None)
@given(OBJECTS, st.integers(1, 40), st.booleans(), st.sampled_from([None, 2]))
def test_any_object_in_any_pieces_is_what_the_whole_text_says(value, size, ascii_only, indent):
    text = json.dumps(value, ensure_ascii=ascii_only, indent=indent)
    data = text.encode("utf-8", "surrogatepass")
    if b"\xed" in data and not ascii_only:  # a lone surrogate is no UTF-8
        return
    read = read_beginning(pieces(data, size), never)
    assert json.dumps(read) == json.dumps(value)
    assert list(read) == list(value)


@settings(deadline=None)
@given(OBJECTS.filter(bool), st.data())
def test_reading_stops_before_the_key_it_is_told(value, data):
    last = data.draw(st.sampled_from(list(value)))
    encoded = json.dumps(value).encode()
    read = read_beginning([encoded], lambda key, _: key == last)
    before = list(value)[: list(value).index(last)]
    assert json.dumps(read) == json.dumps({key: value[key] for key in before})


@settings(deadline=None)
@given(OBJECTS, st.integers(1, 40), st.data())
def test_a_text_cut_off_is_no_object(value, size, data):
    encoded = json.dumps(value).encode()
    cut = data.draw(st.integers(0, len(encoded) - 1))
    with pytest.raises(ValueError, match=r"no JSON|codec"):
        read_beginning(pieces(encoded[:cut], size), never)


def test_no_piece_behind_the_last_wanted_key_is_taken():
    def source():
        yield b'{"id": 1, "input": "q'
        yield b'uestion", "messages": ['
        raise AssertionError("asked for more than needed")

    read = read_beginning(source(), lambda key, _: key == "messages")
    assert read == {"id": 1, "input": "question"}


def test_stop_sees_what_was_read_so_far():
    seen = []

    def stop(key, so_far):
        seen.append((key, dict(so_far)))
        return False

    read_beginning([b'{"a": 1, "b": [2]}'], stop)
    assert seen == [("a", {}), ("b", {"a": 1})]


@pytest.mark.parametrize("cut", range(1, 12))
def test_a_number_that_goes_on_in_the_next_piece_is_one_number(cut):
    data = b'{"a": -12.5e+3, "b": 1}'
    assert read_beginning([data[: 5 + cut], data[5 + cut :]], never) == {"a": -12500.0, "b": 1}


@pytest.mark.parametrize(
    "data", [b"", b" ", b"[]", b"{", b'{"a"}', b'{"a": }', b'{"a": 1,}', b"{1: 2}", b'{"a": 1 2}']
)
def test_what_is_no_object_raises(data):
    with pytest.raises(ValueError, match=r"no JSON|a key"):
        read_beginning([data], never)


def test_a_long_value_in_many_pieces_is_not_scanned_once_for_each():
    data = json.dumps({"a": "x" * 3_000_000, "b": 1}).encode()
    taken = 0

    def source():
        nonlocal taken
        for piece in pieces(data, 1000):
            taken += 1
            yield piece

    assert read_beginning(source(), lambda key, _: key == "b")["a"] == "x" * 3_000_000
    assert taken == len(pieces(data, 1000))
