"""Logs as the reuse rules see them: what Inspect wrote, joined with what is stored beside."""

import json
import shutil
from pathlib import Path

import pytest
from msgspec.structs import replace

from evaltui.engine.directory import Directory
from evaltui.logs.archive import LogError
from evaltui.logs.attempt import Item, LoadedTask, Rules
from evaltui.logs.draws import Draw, Drawn, read_draw, write_draw
from evaltui.logs.fingerprints import (
    VERSION,
    Fingerprints,
    Printed,
    compact,
    fingerprint_log,
    read_fingerprints,
    write_fingerprints,
)
from evaltui.logs.history import read_logged
from evaltui.logs.layout import Layout
from evaltui.logs.loads import read_load, source_fingerprint, write_load
from evaltui.logs.logged import LoggedLog, LoggedSample, Made
from evaltui.logs.reading import read_heads, read_log
from evaltui.reuse import attempt_fingerprints, content_fingerprint, decide


@pytest.fixture
def layout(tmp_path) -> Layout:
    return Layout(tmp_path)


def seen(layout: Layout, log_kinds: Path, kind: str) -> LoggedLog:
    """One of Inspect's logs as it is before anything is stored for it."""
    suffix = "json" if kind.startswith("json_") else "eval"
    return read_logged(layout, read_log(log_kinds / f"2020-01-01T00-00-00_{kind}.{suffix}"))


def states(log: LoggedLog) -> dict[str, list]:
    found: dict[str, list] = {}
    for sample in log.samples:
        found.setdefault(sample.state, []).append(sample.id)
    return {state: sorted(ids) for state, ids in found.items()}


def test_samples_are_told_by_how_they_ended(layout, log_kinds):
    assert states(seen(layout, log_kinds, "success")) == {"clean": [1, 2, 3, 4, 5, 6]}
    tolerated = seen(layout, log_kinds, "tolerated")
    assert states(tolerated) == {"clean": [1, 3, 4, 6], "errored": [2, 5]}
    assert tolerated.fail_on_error is False
    for kind in ("invalidated", "json_invalidated"):
        assert len(states(seen(layout, log_kinds, kind))["invalidated"]) == 2
    cancelled = seen(layout, log_kinds, "cancelled")
    assert cancelled.status == "cancelled"
    assert states(cancelled)["cancelled"]


def test_the_slice_the_epochs_and_the_limits_are_the_headers(layout, log_kinds):
    sliced = seen(layout, log_kinds, "sliced")
    assert (sliced.limit, sliced.sample_ids, sliced.size) == ((2, 4), (3, 4), 6)
    assert not sliced.picked
    assert seen(layout, log_kinds, "epochs").epochs == 3
    limited = seen(layout, log_kinds, "limited")
    assert limited.limits["token_limit"] == 15
    assert {sample.limit for sample in limited.samples} == {"token"}
    assert {sample.tokens for sample in limited.samples} == {20}
    assert not seen(layout, log_kinds, "empty_of_samples").kept_samples


def test_calls_of_a_grader_are_told_from_those_of_the_model(layout, log_kinds):
    assert all(sample.graded for sample in seen(layout, log_kinds, "roles").samples)
    assert not any(sample.graded for sample in seen(layout, log_kinds, "limited").samples)


def test_a_log_has_no_contents_until_it_is_fingerprinted(layout, log_kinds):
    log = read_log(log_kinds / "2020-01-01T00-00-00_success.eval")
    before = read_logged(layout, log)
    assert not before.fingerprinted
    fingerprint_log(layout, log)
    after = read_logged(layout, log)
    assert after.fingerprinted
    assert [replace(sample, content=None) for sample in after.samples] == list(before.samples)


@pytest.mark.parametrize(
    "kind", ["success.eval", "media.eval", "json_media.json", "large.eval", "odd_ids.eval",
             "chosen.eval", "epochs.eval", "cancelled.eval", "resumed.eval"],
)  # fmt: skip
def test_every_sample_gets_the_fingerprint_of_its_head(layout, log_kinds, kind):
    log = read_log(log_kinds / f"2020-01-01T00-00-00_{kind}")
    fingerprint_log(layout, log)
    expected = {
        head.key: content_fingerprint(head.input, head.target, head.choices).content
        for head in read_heads(log.path)
    }
    found = {(str(s.id), s.epoch): s.content for s in read_logged(layout, log).samples}
    assert found == expected


def test_epochs_that_ask_the_same_are_stored_once(layout, log_kinds):
    log = read_log(log_kinds / "2020-01-01T00-00-00_epochs.eval")
    stored = fingerprint_log(layout, log)
    assert len(stored.samples) == 2
    rows = [Printed(1, 1, "a"), Printed(1, 2, "b"), Printed(2, 1, "c"), Printed(2, 2, "c")]
    assert compact(rows) == [Printed(1, 1, "a"), Printed(1, 2, "b"), Printed(2, 0, "c")]


def test_what_a_worker_stored_stays_and_what_is_missing_is_added(layout, log_kinds):
    """As after a crash: the recovered log holds samples that its first reading did not show."""
    log = read_log(log_kinds / "2020-01-01T00-00-00_success.eval")
    made = Made("source", {"includes": "s"}, {})
    mine = Fingerprints(VERSION, log.header.eval_id, (Printed(1, 0, "mine", "strict"),), (made,))
    write_fingerprints(layout, mine)
    fingerprint_log(layout, log)
    first, *rest = sorted(read_logged(layout, log).samples, key=lambda sample: sample.id)
    assert (first.content, first.strict, first.made) == ("mine", "strict", made)
    assert all(sample.content and sample.made == made for sample in rest)


def test_stored_files_that_can_not_be_read_are_none_at_all(layout):
    for path, read in (
        (layout.fingerprints / "x.json", lambda: read_fingerprints(layout, "x")),
        (layout.draws / "x.json", lambda: read_draw(layout, "x")),
        (layout.loads / "x.json", lambda: read_load(layout, "x")),
    ):
        assert read() is None
        path.parent.mkdir(parents=True)
        for content in (b"", b"{", b"[]", b"\xff\xfe", b'{"version": 99}'):
            path.write_bytes(content)
            assert read() is None
    path = layout.fingerprints / "y.json"
    path.write_text('{"version":1,"eval_id":"y","kept":{"1:1":3}}')
    assert read_fingerprints(layout, "y") is None


def test_an_eval_id_does_not_lead_out_of_its_folder(layout):
    write_fingerprints(layout, Fingerprints(VERSION, "../../escaped"))
    assert [path.parent for path in layout.log_dir.rglob("*escaped*")] == [layout.fingerprints]


def test_draws_and_loads_come_back_as_they_went(layout):
    draw = Draw(1, (Drawn(0, "a", "c"), Drawn(3, None, "d", 7)), True, 9, ("c", "d"), True)
    write_draw(layout, "cell", draw)
    assert read_draw(layout, "cell") == draw
    loaded = LoadedTask(1, "t.py", "t", items=(Item(1, "c", "s", "preview"), Item(None, "d")))
    write_load(layout, "key", loaded)
    assert read_load(layout, "key") == loaded


def test_a_source_fingerprint_is_of_the_file_as_it_is(tmp_path):
    path = tmp_path / "t.py"
    path.write_text("one")
    first = source_fingerprint(path)
    path.write_text("two")
    assert source_fingerprint(path) != first
    assert source_fingerprint(tmp_path / "gone.py") == ""


def test_broken_logs_are_told_apart_from_the_readable(layout, log_kinds):
    good = layout.log_dir / "good.eval"
    shutil.copy(log_kinds / "2020-01-01T00-00-00_success.eval", good)
    cut = layout.log_dir / "cut.eval"
    cut.write_bytes(good.read_bytes()[:-30])
    directory = Directory(layout)
    directory.refresh()
    found, broken = directory.histories(directory.rows)
    assert list(found) == ["good.eval"]
    assert broken == {}, "the plan has it as a log that can't be read"
    with pytest.raises(LogError, match=r"cut\.eval"):
        read_logged(layout, read_log(cut))


def test_what_samples_were_made_under_goes_with_them_into_the_next_log(layout):
    def task(source: str, scorer: str, count: int) -> LoadedTask:
        items = tuple(Item(n, f"q{n}", f"s{n}") for n in range(1, count + 1))
        return LoadedTask(
            1, "t.py", "t", items=items, source=source, scorers=("s",),
            scorer_sources={"s": scorer}, limits={"token_limit": 9},
        )  # fmt: skip

    def logged(name: str, stored: Fingerprints, ids: list[int]) -> LoggedLog:
        contents = {each.id: each for each in stored.samples}
        return LoggedLog(
            name=name,
            created=name,
            samples=tuple(
                LoggedSample(
                    id=n, epoch=1, content=contents[n].content, strict=contents[n].strict,
                    made=stored.made(n, 1), scores=("s",), uuid=f"u{n}",
                )
                for n in ids
            ),
        )  # fmt: skip

    first = task("v1", "s1", 2)
    stored = attempt_fingerprints("e1", first, decide(first, Rules(), []), [])
    history = [logged("log1", stored, [1, 2])]
    second = task("v2", "s2", 3)
    decision = decide(second, Rules(), history)
    assert decision.rescore == {(1, 1), (2, 1)}

    kept = attempt_fingerprints("e2", second, decision, history)
    assert kept.made(1, 1) == Made("v1", {"s": "s1"}, {"token_limit": 9})
    assert kept.made(3, 1) == Made("v2", {"s": "s2"}, {"token_limit": 9})
    again = attempt_fingerprints("e2", second, decision, history, rescored=True)
    assert again.made(1, 1) == Made("v1", {"s": "s2"}, {"token_limit": 9})
    assert [each.strict for each in again.samples] == ["s1", "s2", "s3"]
    unscored = attempt_fingerprints("e2", second, decision, history, scoring=False)
    assert unscored.made(3, 1) == Made("v2", {}, {"token_limit": 9})

    write_fingerprints(layout, again)
    assert read_fingerprints(layout, "e2") == again
    assert json.loads((layout.fingerprints / "e2.json").read_text())["version"] == VERSION
    after = [logged("log2", again, [1, 2, 3])]
    assert decide(second, Rules(), after).rescore == frozenset()
    assert "code_changed:2" in decide(second, Rules(), after).notes
