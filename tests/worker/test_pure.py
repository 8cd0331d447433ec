"""The worker's parts that touch no process: arguments, sentences, thresholds, fingerprints."""

from __future__ import annotations

import enum
import tempfile
from pathlib import Path
from typing import Any, Literal

import pytest
from inspect_ai._eval.task.error import _should_eval_fail
from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessageSystem, ChatMessageUser

from evaltui.reuse.tolerance import ErrorRule, tolerated_errors
from evaltui.worker.arguments import converted, fitted
from evaltui.worker.failures import Blocked, one_line, place_in, sentence
from evaltui.worker.items import PREVIEW, items_of
from evaltui.worker.scratch import LOCK, PREFIX, scratch_folder
from evaltui.worker.tolerance import for_inspect


class Colour(enum.Enum):
    RED = "r"
    BLUE = "b"


@pytest.mark.parametrize(
    ("value", "kind", "made"),
    [
        (7, str, "7"),
        (True, str, "true"),
        ("7", int, 7),
        (7.0, int, 7),
        (7, float, 7.0),
        ("no", bool, False),
        (None, int | None, None),
        ("3", int | None, 3),
        ("x", int | str, "x"),
        (3, int | str, 3),
        ("a, b", list[str], ["a", "b"]),
        (1, list[str], ["1"]),
        (["1", 2], list[int], [1, 2]),
        ([1, 2], tuple[int, ...], (1, 2)),
        ("b", Literal["a", "b"], "b"),
        ("5", Literal[5, 10], 5),
        ("b", Colour, Colour.BLUE),
        ("RED", Colour, Colour.RED),
        ("data/x.json", Path, Path("data/x.json")),
        ({"a": 1}, dict[str, int], {"a": 1}),
        ({"a": 1}, Any, {"a": 1}),
    ],
)
def test_values_become_what_the_annotation_says(value: object, kind: object, made: object):
    assert converted(value, kind) == made
    assert type(converted(value, kind)) is type(made)


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ("x", int),
        (1.5, int),
        (True, int),
        ("x", bool),
        ([1], str),
        ("c", Literal["a"]),
        ("", float),
    ],
)
def test_values_that_can_not_be_that_are_refused(value: object, kind: object):
    with pytest.raises(ValueError, match="must be"):
        converted(value, kind)


def test_arguments_are_held_against_the_signature():
    def takes(a: int, *, b: str = "x") -> None: ...

    def takes_any(a: int, **more: object) -> None: ...

    assert fitted(takes, "t", {"a": "1", "b": 2}) == {"a": 1, "b": "2"}
    assert fitted(takes_any, "t", {"a": 1, "z": 2}) == {"a": 1, "z": 2}
    with pytest.raises(Blocked, match="Task t has no argument `c`"):
        fitted(takes, "t", {"a": 1, "c": 2})
    with pytest.raises(Blocked, match="lacks its argument `a`"):
        fitted(takes, "t", {})


def test_errors_become_one_line():
    assert sentence(ValueError("a\n  b\tc")) == "ValueError: a b c"
    assert sentence(KeyError()) == "KeyError"
    assert sentence(ValueError("[bold]kept[/bold]")) == "ValueError: [bold]kept[/bold]"
    assert len(one_line("x" * 9999)) == 400


def test_the_line_of_an_error_is_found_in_the_users_file(tmp_path: Path):
    path = tmp_path / "task.py"
    path.write_text("\n\nraise ValueError('x')\n")
    with pytest.raises(ValueError, match="x") as caught:
        exec(compile(path.read_text(), str(path), "exec"), {})
    assert place_in(path, caught.value) == " (line 3)"
    assert place_in(tmp_path / "other.py", caught.value) == ""


@pytest.mark.parametrize("rule", ["more-than", "at-least"])
@pytest.mark.parametrize("value", [None, True, False, 0.01, 0.07, 0.1, 0.5, 0.999, 1, 2, 7, 200])
@pytest.mark.parametrize("total", [1, 3, 10, 100])
def test_inspect_fails_at_the_error_at_which_we_say_it_does(
    rule: ErrorRule, value: bool | float | None, total: int
):
    tolerated = tolerated_errors(value, rule, total)
    given = for_inspect(value, rule, total, growing=False)
    for errors in range(total + 1):
        fails = tolerated is not None and errors > tolerated
        assert _should_eval_fail(errors, total, given) == fails, errors


@pytest.mark.parametrize("total", [2, 4, 10])
def test_a_share_of_a_growing_total_is_judged_by_its_rule_at_the_end(total: int):
    half = total // 2
    strict = for_inspect(0.5, "at-least", 1, growing=True)
    documented = for_inspect(0.5, "more-than", 1, growing=True)
    assert _should_eval_fail(half, total, strict)
    assert not _should_eval_fail(half, total, documented)
    assert _should_eval_fail(half + 1, total, documented)


def test_items_tell_apart_what_differs_and_only_that():
    def one(**fields: Any) -> Any:
        return items_of([Sample(**{"input": "q", "target": "t", **fields})])[0]

    plain = one()
    assert one().content == plain.content
    assert one(id=7).id == 7
    assert one(id=7).content == plain.content
    assert one(input="other").content != plain.content
    assert one(target="other").content != plain.content
    assert one(input=[ChatMessageUser(content="q")]).content == plain.content
    assert one(metadata={"a": 1}).content == plain.content
    assert one(metadata={"a": 1}).strict != plain.strict
    assert one(metadata={"a": object()}).strict == one(metadata={"a": object()}).strict
    assert one(files={"f": "x"}).strict != plain.strict
    assert (
        one(choices=["a", "b"], target="A").content == one(choices=["b", "a"], target="B").content
    )


def test_a_killed_workers_scratch_folder_is_cleared_by_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    left = tmp_path / f"{PREFIX}left"
    left.mkdir()
    (left / LOCK).touch()
    (left / "seed.eval").touch()
    foreign = tmp_path / f"{PREFIX}being-made"
    foreign.mkdir()
    with scratch_folder() as held:
        assert not left.exists()
        with scratch_folder() as other:
            assert held.exists()
            assert other != held
        assert not other.exists()
    assert not held.exists()
    assert foreign.exists()


def test_previews_are_short_and_of_the_question():
    messages = [ChatMessageSystem(content="be brief"), ChatMessageUser(content="why? " * 99)]
    item = items_of([Sample(input=messages)])[0]
    assert item.preview.startswith("why? ")
    assert len(item.preview) == PREVIEW
