"""The filter grammar of every list: text -> Query -> does a row match? Pure.

A row is a mapping from attribute to value; the grammar knows no attribute by name but `is`.
All terms must hold:

    word           stands in some attribute (case aside)        "two words"  the same, spaces kept
    key:a,b        the attribute contains a or b                key=a,b      it is a or b
    err>0          > >= < <= compare numbers: 3, 50%, 1.2M, 90s, 5m, 2h, 1d
    is:failed      the row is in that state                     ~wrd         letters in that order
    !term          the term does not hold

What cannot be read is an error with its place in the text; the terms before it hold all the same.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Literal

import msgspec

from evaltui.settings import nearest

Value = str | int | float | bool | None | Sequence[str]
"""What an attribute may hold; of a sequence, any element may match."""

Row = Mapping[str, Value]
Kind = Literal["text", "fuzzy", "contains", "equals", "compare", "is"]

IS = "is"
"""The attribute that holds the state words of a row."""

TEXT = "text"
"""An attribute of this name, casefolded by the caller, is all the text of a row: it saves time."""

_TERM_END = re.compile(r"\s")
_KEY = re.compile(r"([^\s\":=<>!~]+)(>=|<=|>|<|:|=)")
_UNITS = {"%": 1, "k": 1e3, "M": 1e6, "G": 1e9, "s": 1, "m": 60, "h": 3600, "d": 86400}
_NUMBER = re.compile(r"([+-]?(?:\d[\d_]*\.?\d*|\.\d+))([%kMGsmhd]?)")


class Term(msgspec.Struct, frozen=True):
    """One condition. start, end: its place in the text, in characters."""

    kind: Kind
    values: tuple[str, ...]
    key: str = ""
    operator: str = ""
    number: float = 0.0
    negated: bool = False
    start: int = 0
    end: int = 0


class Query(msgspec.Struct, frozen=True):
    """A filter that can be applied. An empty one matches every row."""

    text: str = ""
    terms: tuple[Term, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.terms)


class QueryError(msgspec.Struct, frozen=True):
    """Why a text is no filter, and where: from `start` to `end` in it.

    before: the filter that the terms before that place make.
    """

    message: str
    start: int
    end: int
    before: Query = Query()

    def caret(self) -> str:
        """A line to show under the text: spaces, then carets under what is wrong."""
        return " " * self.start + "^" * max(1, self.end - self.start)


class Completion(msgspec.Struct, frozen=True):
    """What may replace text[start:end]; candidates in the order to offer them."""

    start: int
    end: int
    candidates: tuple[str, ...]

    @property
    def common(self) -> str:
        """How all candidates begin."""
        first, last = min(self.candidates), max(self.candidates)
        pairs = zip(first, last, strict=False)
        same = sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], pairs))
        return first[:same]


class _Unreadable(Exception):
    def __init__(self, message: str, start: int, end: int) -> None:
        super().__init__(message)
        self.error = QueryError(message, start, end)


def parse(
    text: str, attributes: Collection[str], states: Collection[str] = ()
) -> Query | QueryError:
    """Read a filter. attributes: names a term may ask for; states: words that `is:` takes."""
    terms: list[Term] = []
    position = 0
    try:
        while (position := _skip_space(text, position)) < len(text):
            term = _term(text, position, attributes, states)
            terms.append(term)
            position = term.end
    except _Unreadable as unreadable:
        return msgspec.structs.replace(unreadable.error, before=Query(text, tuple(terms)))
    return Query(text, tuple(terms))


def matches(query: Query, row: Row) -> bool:
    """Whether all terms hold for the row."""
    return all(_holds(term, row) is not term.negated for term in query.terms)


def select(query: Query, rows: Sequence[Row]) -> list[int]:
    """Indices of the rows that match, in order."""
    if not query.terms:
        return list(range(len(rows)))
    tests = [(_test(term), not term.negated) for term in query.terms]
    return [
        index
        for index, row in enumerate(rows)
        if all(test(row) is wanted for test, wanted in tests)
    ]


def complete(
    text: str,
    cursor: int,
    attributes: Collection[str],
    values: Callable[[str], Iterable[str]],
) -> Completion | None:
    """What Tab offers at `cursor`: attribute names, or after `key:` that attribute's values."""
    start = max((m.end() for m in _TERM_END.finditer(text, 0, cursor)), default=0)
    word = text[start:cursor]
    bare = word.lstrip("!")
    start += len(word) - len(bare)
    if bare.startswith(('"', "~")):
        return None
    key = _KEY.match(bare)
    if key is None:
        names = [name + ":" for name in attributes if name.startswith(bare)]
        return Completion(start, cursor, tuple(names)) if names else None
    if key[2] not in (":", "="):
        return None
    begun = bare[key.end() :].rpartition(",")[2]
    known = dict.fromkeys(
        _quoted(value) for value in values(key[1]) if value.casefold().startswith(begun.casefold())
    )
    return Completion(cursor - len(begun), cursor, tuple(known)) if known else None


def fuzzy(letters: str, text: str) -> int | None:
    """How well `letters` stand in `text` in that order: 0 is best, None not at all. Casefolded.

    The score counts the letters skipped between the first and the last one found, so that
    what stands together comes before what is scattered.
    """
    if not letters:
        return 0
    best: int | None = None
    first = text.find(letters[0])
    while first >= 0:
        position = first
        for letter in letters[1:]:
            position = text.find(letter, position + 1)
            if position < 0:
                return best
        skipped = position - first + 1 - len(letters)
        best = skipped if best is None else min(best, skipped)
        first = text.find(letters[0], first + 1)
    return best


def haystack(row: Row) -> str:
    """All text of a row, casefolded, in which plain words are looked for."""
    given = row.get(TEXT)
    if isinstance(given, str):
        return given
    return "\n".join(word.casefold() for value in row.values() for word in _words(value))


def _term(text: str, start: int, attributes: Collection[str], states: Collection[str]) -> Term:
    position = start
    negated = False
    while text[position : position + 1] == "!":
        negated = not negated
        position += 1
    if position == len(text) or text[position].isspace():
        raise _Unreadable("nothing follows the !", start, position)
    if text[position] == "~":
        word, end = _value(text, position + 1)
        if not word:
            raise _Unreadable("letters must follow the ~", position, position + 1)
        return Term("fuzzy", (word,), negated=negated, start=start, end=end)
    key = _KEY.match(text, position)
    if key is None:
        word, end = _value(text, position)
        return Term("text", (word,), negated=negated, start=start, end=end)
    return _keyed(text, start, key, negated, attributes, states)


def _keyed(
    text: str,
    start: int,
    key: re.Match[str],
    negated: bool,
    attributes: Collection[str],
    states: Collection[str],
) -> Term:
    name, operator = key[1], key[2]
    if name != IS and name not in attributes:
        hint = nearest(name, [*attributes, IS]) or "; quote it to look for it as text"
        raise _Unreadable(f"no attribute {name!r} here{hint}", key.start(1), key.end(1))
    values, end = _values(text, key.end())
    if operator in (":", "="):
        if not any(values):
            raise _Unreadable(f"a value must follow {name}{operator}", key.start(), end)
        if name == IS:
            _check_states(values, states, key.end(), end)
            return Term("is", values, name, ":", negated=negated, start=start, end=end)
        kind: Kind = "contains" if operator == ":" else "equals"
        return Term(kind, values, name, operator, negated=negated, start=start, end=end)
    number = number_of(values[0]) if len(values) == 1 else None
    if number is None:
        raise _Unreadable(
            f"a number must follow {name}{operator}, such as 3, 50% or 1h", key.end(), end
        )
    return Term("compare", values, name, operator, number, negated, start, end)


def _check_states(values: tuple[str, ...], states: Collection[str], start: int, end: int) -> None:
    for value in values:
        if not any(state.startswith(value.casefold()) for state in states):
            hint = nearest(value, states) or f" (there are {', '.join(states)})"
            raise _Unreadable(f"no state {value!r}{hint}", start, end)


def number_of(text: str) -> float | None:
    """`3`, `50%`, `1.2M`, `90s`, `5m`, `2h`, `1d` as a number (durations in seconds), else None."""
    found = _NUMBER.fullmatch(text)
    if found is None:
        return None
    return float(found[1].replace("_", "")) * _UNITS.get(found[2], 1)


def _values(text: str, position: int) -> tuple[tuple[str, ...], int]:
    """Comma-separated values from `position` on, and where they end."""
    values: list[str] = []
    while True:
        value, position = _value(text, position, stop=",")
        if value:
            values.append(value)
        if text[position : position + 1] != ",":
            return tuple(values) or ("",), position
        position += 1


def _value(text: str, position: int, stop: str = "") -> tuple[str, int]:
    """One bare or quoted value from `position` on, and where it ends."""
    if text[position : position + 1] == '"':
        return _quoted_value(text, position)
    end = position
    while end < len(text) and not text[end].isspace() and text[end] not in stop:
        end += 1
    return text[position:end], end


def _quoted_value(text: str, start: int) -> tuple[str, int]:
    letters: list[str] = []
    position = start + 1
    while position < len(text):
        if text[position] == "\\" and position + 1 < len(text):
            letters.append(text[position + 1])
            position += 2
        elif text[position] == '"':
            return "".join(letters), position + 1
        else:
            letters.append(text[position])
            position += 1
    raise _Unreadable("the quote is not closed", start, len(text))


def _quoted(value: str) -> str:
    if value and not re.search(r"[\s\",]", value):
        return value
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _skip_space(text: str, position: int) -> int:
    while position < len(text) and text[position].isspace():
        position += 1
    return position


def _holds(term: Term, row: Row) -> bool:
    return _test(term)(row)


def _test(term: Term) -> Callable[[Row], bool]:
    """The term as a function of a row; what need not be worked out for each row is done here."""
    key = term.key
    values = tuple(value.casefold() for value in term.values)
    match term.kind:
        case "text":
            word = values[0]
            return lambda row: word in haystack(row)
        case "fuzzy":
            letters = values[0]
            return lambda row: any(
                fuzzy(letters, line) is not None for line in haystack(row).split("\n")
            )
        case "contains":
            return _remembered(key, lambda word: any(value in word for value in values))
        case "equals":
            numbers = {number_of(value) for value in term.values} - {None}
            return _remembered(key, lambda word: word in values or number_of(word) in numbers)
        case "is":
            return _remembered(key, lambda word: word.startswith(values))
        case "compare":
            return _comparison(key, term.operator, term.number)


def _comparison(key: str, operator: str, number: float) -> Callable[[Row], bool]:
    def holds(row: Row) -> bool:
        value = row.get(key)
        if isinstance(value, bool) or not isinstance(value, int | float):
            return False
        match operator:
            case ">":
                return value > number
            case ">=":
                return value >= number
            case "<":
                return value < number
            case _:
                return value <= number

    return holds


def _remembered(key: str, test: Callable[[str], bool]) -> Callable[[Row], bool]:
    """`test` on the words of an attribute; lists are long and an attribute's values few."""
    known: dict[Value, bool] = {}

    def holds(row: Row) -> bool:
        value = row.get(key)
        if value.__hash__ is None:
            return any(test(word.casefold()) for word in _words(value))
        found = known.get(value)
        if found is None:
            found = known[value] = any(test(word.casefold()) for word in _words(value))
        return found

    return holds


def _words(value: Value) -> Iterable[str]:
    if value is None:
        return ()
    if isinstance(value, str):
        return (value,)
    if isinstance(value, bool):
        return ("true" if value else "false",)
    if isinstance(value, int | float):
        return (f"{value:g}" if isinstance(value, float) else str(value),)
    return value
