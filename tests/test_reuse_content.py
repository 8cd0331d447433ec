"""One question has one fingerprint, in the dataset and in every log that Inspect writes of it."""

import contextlib
import hashlib
import json
import os
import subprocess
import sys
from base64 import b64encode
from importlib.metadata import version
from pathlib import Path
from types import MappingProxyType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaltui.logs.content import content_fingerprint, media_references, same_content, text_of
from evaltui.logs.reading import read_heads
from evaltui.reuse import strict_fingerprint

PNG = "data:image/png;base64," + b64encode(b"pixels").decode()
OTHER = "data:image/png;base64," + b64encode(b"others").decode()


@pytest.fixture(scope="session")
def questions(pytestconfig, tmp_path_factory) -> Path:
    """Real logs of awkward questions, and `today.json` with what the datasets gave."""
    script = Path(__file__).parent / "questions.py"
    made_by = hashlib.sha256(script.read_bytes() + version("inspect-ai").encode())
    kept = pytestconfig.cache.mkdir("questions") / made_by.hexdigest()[:16]
    if not kept.exists():
        fresh = tmp_path_factory.mktemp("questions") / "logs"
        fresh.mkdir()
        home = {"XDG_DATA_HOME": str(fresh.parent), "INSPECT_DISPLAY": "none"}
        made = subprocess.run(
            [sys.executable, script, "."],
            check=True, env={**os.environ, **home}, cwd=fresh, capture_output=True, text=True,
        )  # fmt: skip
        (fresh / "today.json").write_text(made.stdout)
        with contextlib.suppress(OSError):  # another run was quicker
            fresh.rename(kept)
    return kept


def today(folder: Path, log: str) -> dict:
    """Fingerprints of the dataset's samples by id, media files read."""
    media = {"red.png": "data:;base64," + b64encode((folder / "red.png").read_bytes()).decode()}
    return {
        each["id"]: content_fingerprint(each["input"], each["target"], each["choices"], media)
        for each in json.loads((folder / "today.json").read_text())[log]
    }


@pytest.mark.parametrize("kind", ["plain.eval", "epochs.eval", "json.json", "reshuffled.eval"])
def test_a_logged_sample_has_the_fingerprint_of_its_dataset_item(questions, kind):
    log = f"2020-01-01T00-00-00_{kind}"
    expected = today(questions, log)
    heads = list(read_heads(questions / log))
    assert {head.id for head in heads} == set(expected)
    for head in heads:
        logged = content_fingerprint(head.input, head.target, head.choices)
        like = same_content(logged.content, expected[head.id].content)
        assert like.same, head.id
        assert not like.unchecked, head.id


def test_different_questions_have_different_fingerprints(questions):
    found = today(questions, "2020-01-01T00-00-00_plain.eval")
    assert len({each.content for each in found.values()}) == len(found)
    assert same_content(found["image"].content, found["file"].content).same  # one image, two ways
    assert not same_content(found["image"].content, found["blue"].content).same


def test_media_that_the_log_left_out_are_not_compared(questions):
    log = "2020-01-01T00-00-00_media_removed.eval"
    expected = today(questions, log)
    unchecked = set()
    for head in read_heads(questions / log):
        logged = content_fingerprint(head.input, head.target, head.choices)
        like = same_content(expected[head.id].content, logged.content)
        assert like.same, head.id
        if like.unchecked:
            unchecked.add(head.id)
            assert logged.media_missing
    assert unchecked == {"image", "blue", "file", "other media"}


def test_shuffled_choices_are_the_same_question(questions):
    plain = today(questions, "2020-01-01T00-00-00_plain.eval")
    shuffled = today(questions, "2020-01-01T00-00-00_reshuffled.eval")
    rows = json.loads((questions / "today.json").read_text())
    rows = rows["2020-01-01T00-00-00_reshuffled.eval"]
    assert any(row["choices"] != ["yes", "no", "maybe"] for row in rows)
    assert {name: plain[name] for name in shuffled} == shuffled


# --- canonical form ------------------------------------------------------------------------------


def fingerprint(input, target="x", choices=None, attachments=MappingProxyType({})):
    return content_fingerprint(input, target, choices, attachments).content


def user(content, **more):
    return {"role": "user", "content": content, **more}


def test_a_lone_user_message_asks_what_its_text_asks():
    assert fingerprint("hi") == fingerprint([user("hi", id="abc", source="input")])
    assert fingerprint("hi") == fingerprint([user([{"type": "text", "text": "hi"}])])
    assert fingerprint("hi") != fingerprint([{"role": "system", "content": "hi"}])
    assert fingerprint("hi") != fingerprint([user("hi"), user("hi")])


def test_what_is_asked_counts():
    assert fingerprint("a") != fingerprint("b")
    assert fingerprint("a", "x") != fingerprint("a", "y")
    assert fingerprint("a", ["x"]) == fingerprint("a", "x")
    assert fingerprint("a", ["x", "y"]) != fingerprint("a", ["y", "x"])
    assert fingerprint("a", choices=["1", "2"]) != fingerprint("a")
    assert fingerprint("a", choices=[]) == fingerprint("a", choices=None)


def test_a_letter_stands_for_its_choice():
    asked = fingerprint("pick", "A", ["yes", "no"])
    assert asked == fingerprint("pick", "B", ["no", "yes"])
    assert asked == fingerprint("pick", ["b"], ["no", "yes"])
    assert asked != fingerprint("pick", "A", ["no", "yes"])
    assert asked != fingerprint("pick", "yes", ["yes", "no"])


def test_a_target_that_is_no_letter_of_a_choice_is_itself():
    for target in ("Z", "é", "0", "", "AB", "no", "²", "7"):
        fingerprint("pick", target, ["yes", "no"])
    assert fingerprint("pick", "Z", ["a", "b"]) == fingerprint("pick", "Z", ["b", "a"])
    many = [f"choice {n}" for n in range(30)]
    moved = [many[27], *many[:27], *many[28:]]
    assert fingerprint("pick", "2", many) == fingerprint("pick", "A", moved)


def test_generated_ids_of_tool_calls_do_not_count_but_their_pairing_does():
    def talk(first, second, answers):
        call = {"type": "function", "function": "add", "arguments": {"x": 1}}
        return [
            {"role": "assistant", "content": "", "tool_calls": [
                {**call, "id": first}, {**call, "id": second}]},
            {"role": "tool", "content": "2", "tool_call_id": answers, "function": "add"},
        ]  # fmt: skip

    assert fingerprint(talk("a", "b", "a")) == fingerprint(talk("c", "d", "c"))
    assert fingerprint(talk("a", "b", "a")) != fingerprint(talk("a", "b", "b"))


def test_nulls_and_what_only_a_model_sees_do_not_count():
    part = {"type": "text", "text": "hi"}
    noise = {**part, "refusal": None, "internal": {"id": 7}, "citations": None}
    both = [part, {"type": "text", "text": "you"}]
    assert fingerprint([user(both)]) == fingerprint([user([noise, both[1]])])


def test_attachments_are_resolved():
    logged = [user([{"type": "image", "image": "attachment://h"}])]
    inline = [user([{"type": "image", "image": PNG}])]
    assert fingerprint(logged, attachments={"h": PNG}) == fingerprint(inline)
    assert fingerprint("attachment://h", attachments={"h": "hi"}) == fingerprint("hi")
    assert fingerprint("tc://h", attachments={"h": "hi"}) == fingerprint("hi")


def image(reference, **more):
    return [
        user([{"type": "text", "text": "what?"}, {"type": "image", "image": reference, **more}])
    ]


def test_media_are_told_apart_by_their_bytes():
    pixels = b64encode(b"pixels").decode()
    assert fingerprint(image(PNG)) == fingerprint(image(f"data:image/webp;base64,{pixels}"))
    assert not same_content(fingerprint(image(PNG)), fingerprint(image(OTHER))).same
    read = fingerprint(image("a.png"), attachments={"a.png": PNG})
    assert same_content(read, fingerprint(image(PNG))) == (True, False)
    assert not same_content(read, fingerprint(image(OTHER))).same
    assert not same_content(fingerprint(image(PNG)), fingerprint(image(PNG, detail="high"))).same


def test_media_whose_bytes_are_not_known_are_compared_by_name():
    one, other = fingerprint(image("https://a/1.png")), fingerprint(image("https://a/2.png"))
    assert same_content(one, one) == (True, True)
    assert not same_content(one, other).same
    assert same_content(one, fingerprint(image(PNG))) == (True, True)
    assert same_content(one, fingerprint(image("<base64-data-removed>"))) == (True, True)
    assert not same_content(one, fingerprint("what?")).same


def test_references_are_the_media_that_are_not_inline():
    message = user([
        {"type": "image", "image": "a.png"},
        {"type": "audio", "audio": PNG},
        {"type": "video", "video": "attachment://h"},
        {"type": "document", "document": "https://b/c.pdf"},
        {"type": "text", "text": "d.png"},
    ])  # fmt: skip
    assert list(media_references([message, user("e.png")])) == ["a.png", "https://b/c.pdf"]
    assert list(media_references("a.png")) == []


def test_the_strict_fingerprint_adds_metadata_files_and_setup():
    base = strict_fingerprint("c", {"a": 1}, None, None)
    assert base == strict_fingerprint("c", {"a": 1}, {}, "")
    assert base != strict_fingerprint("d", {"a": 1}, None, None)
    assert base != strict_fingerprint("c", {"a": 2}, None, None)
    assert base != strict_fingerprint("c", {"a": 1}, {"f": "x"}, None)
    assert base != strict_fingerprint("c", {"a": 1}, None, "make")


@given(st.permutations(["w", "x", "y", "z"]), st.integers(0, 3), st.text(max_size=20))
def test_any_order_of_choices_is_one_question(order, right, text):
    first = ["w", "x", "y", "z"]
    moved = "ABCD"[order.index(first[right])]
    assert fingerprint(text, "ABCD"[right], first) == fingerprint(text, moved, order)


@given(st.text(max_size=30), st.text(max_size=30))
def test_texts_are_alike_only_when_they_are_the_same(one, other):
    assert (fingerprint(one) == fingerprint(other)) == (one == other)
    assert text_of(fingerprint(one)) == fingerprint(one)
