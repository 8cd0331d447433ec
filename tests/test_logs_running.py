"""Logs are read while Inspect writes them, and after it was killed."""

import contextlib
import json
import shutil
import signal
import subprocess
import sys
from collections import Counter

import pytest
from inspect_ai.log import read_eval_log, read_eval_log_sample_summaries, recover_eval_log

from evaltui.engine.directory import Directory
from evaltui.logs.archive import Archive, RawMember
from evaltui.logs.fingerprints import fingerprint_log
from evaltui.logs.history import read_logged
from evaltui.logs.index import LogIndex
from evaltui.logs.layout import Layout
from evaltui.logs.packing import write_archive
from evaltui.logs.reading import (
    read_heads,
    read_log,
    read_raw_header,
    read_raw_summaries,
    read_sample,
    read_summaries,
)
from tests.sets import wait_until

RUN = """
import sys
from inspect_ai import eval
eval("counted.py@counted", model="mockllm/m", log_dir="logs", display="none",
     log_format=sys.argv[1], log_buffer=int(sys.argv[2]), log_shared=int(sys.argv[3]),
     max_samples=1, task_args={"n": 100, "sleep": 0.02}, tags=["live"])
"""


@contextlib.contextmanager
def running(cases, form, buffer=1, shared=0):
    """A process that runs 100 samples; killed in the end if it has not finished."""
    process = subprocess.Popen(
        [sys.executable, "-c", RUN, form, str(buffer), str(shared)],
        cwd=cases.folder,
        env=cases.environment(),
        stderr=subprocess.DEVNULL,
    )
    try:
        wait_until(lambda: list(cases.logs.glob(f"*.{form}")), what="the log appears")
        yield process, next(cases.logs.glob(f"*.{form}"))
    finally:
        process.kill()
        process.wait()


def test_a_running_log_is_whole_at_every_moment_and_grows_until_it_is_killed(cases):
    index, counts = LogIndex(cases.logs), []
    with running(cases, "eval") as (process, path):
        while len(set(counts)) < 5 and process.poll() is None:
            log = read_log(path)
            assert log.reason is None
            assert not log.finished
            assert (log.header.status, log.header.results) == ("started", None)
            assert log.header.tags == ("live",)
            assert len(log.header.dataset.sample_ids) == 100
            rows = read_summaries(path)
            assert {row.key for row in rows} <= {head.key for head in read_heads(path)}
            [row] = index.refresh()
            assert row.header == log.header
            counts.append(len(rows))
        assert process.poll() is None, "it ended before it could be watched"
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert counts == sorted(counts)
    assert len(set(counts)) == 5
    says_what_was_flushed(path)


@pytest.mark.slow
def test_a_killed_json_log_holds_what_was_flushed(cases):
    with running(cases, "json") as (process, path):
        wait_until(lambda: len(cases.calls()) > 15, what="some samples ran")
        process.send_signal(signal.SIGKILL)
        process.wait()
    says_what_was_flushed(path)


@pytest.mark.slow
@pytest.mark.parametrize(("form", "shared"), [("eval", 0), ("json", 0), ("eval", 1)])
def test_what_a_recovery_will_bring_back_is_known_before(cases, form, shared, monkeypatch):
    """shared: seconds between the copies that the writer keeps beside the log, all that is left."""
    monkeypatch.setenv("XDG_DATA_HOME", cases.environment()["XDG_DATA_HOME"])
    layout = Layout(cases.logs)
    seen, engines = Directory(layout, unrecovered=True), Directory(layout)
    with running(cases, form, buffer=50, shared=shared) as (process, path):
        wait_until(lambda: len(cases.calls()) > 15, what="some samples ran")
        if shared:
            wait_until(lambda: list(cases.logs.glob(".buffer/*/segment.1.zip")), what="a copy")
        seen.refresh()
        assert samples(seen) == {}, "its writer lives"
        process.send_signal(signal.SIGKILL)
        process.wait()
    if shared:
        shutil.rmtree(cases.environment()["XDG_DATA_HOME"])
    seen.refresh()
    engines.refresh()
    assert samples(engines) == {}
    expected = {}
    if form == "eval":
        fingerprint_log(layout, read_log(path))
        seen.forget_unprinted()
        recover_eval_log(str(path), output=str(cases.folder / "whole.eval"), cleanup=False)
        whole = read_log(cases.folder / "whole.eval")
        fingerprint_log(layout, whole)
        expected = {(each.id, each.epoch): each for each in read_logged(layout, whole).samples}
        assert len(expected) >= 15 or shared
        assert expected
        assert Counter(each.state for each in expected.values())["cancelled"] <= 1
        assert all(each.content for each in expected.values())
    assert samples(seen) == expected


def samples(directory):
    (log,) = directory.histories(directory.rows)[0].values()
    return {(each.id, each.epoch): each for each in log.samples}


def says_what_was_flushed(path):
    log = read_log(path)
    assert log.reason is None
    assert not log.finished
    same_unfinished(path, log)
    rows = read_summaries(path)
    assert rows
    assert all(row.completed and not row.error for row in rows)
    heads = [head.input for head in read_heads(path, {(row.id, 1) for row in rows})]
    assert heads == [f"question {row.id}" for row in rows]
    assert read_sample(path, rows[-1].id, 1)["uuid"] == rows[-1].uuid


def same_unfinished(path, log):
    theirs = read_eval_log(str(path), header_only=True)
    for field in ("eval_id", "created", "task", "task_id", "task_args_passed", "model"):
        assert getattr(log.header, field) == getattr(theirs.eval, field), field
    assert (log.header.status, theirs.status) == ("started", "started")
    assert log.header.tags == tuple(theirs.tags)
    assert log.header.metadata == theirs.metadata
    rows = read_summaries(path)
    expected = read_eval_log_sample_summaries(str(path))
    assert [(row.id, row.uuid) for row in rows] == [(row.id, row.uuid) for row in expected]
    header = read_raw_header(path)
    assert header["status"] == "started"
    assert header["eval"]["eval_id"] == log.header.eval_id
    if log.format == "eval":
        assert [row["uuid"] for row in read_raw_summaries(path)] == [row.uuid for row in rows]


@pytest.mark.parametrize("name", ["success", "error", "epochs", "resumed", "odd_scores"])
def test_a_log_without_its_last_members_is_read_from_its_journal(log_kinds, tmp_path, name):
    """As a kill just before the end leaves it; in a resumed one a sample has two rows."""
    path = tmp_path / "unfinished.eval"
    with Archive(log_kinds / f"2020-01-01T00-00-00_{name}.eval") as whole:
        kept = [
            RawMember(whole, member)
            for name, member in whole.members().items()
            if name not in ("header.json", "summaries.json", "reductions.json")
        ]
        write_archive(path, kept)
    log = read_log(path)
    assert not log.finished
    same_unfinished(path, log)
    journalled = sum(part.member.name.startswith("_journal/summaries/") for part in kept)
    assert journalled > (3 if name == "resumed" else 0)


def test_changes_made_while_it_ran_are_read_from_the_journal(log_kinds, tmp_path):
    """As Inspect writes them for `inspect ctl config`; read in the order of their numbers."""
    path = tmp_path / "unfinished.eval"
    by = {"timestamp": "2026-01-01T00:00:00Z", "author": "someone", "metadata": {}}
    updates = [
        {
            "changes": [{"config": "eval", "name": "max_samples", "value": n, "cleared": False}],
            "scope": "task",
            "provenance": by,
        }
        for n in range(1, 12)
    ]
    with Archive(log_kinds / "2020-01-01T00-00-00_success.eval") as whole:
        start = RawMember(whole, whole.find("_journal/start.json"))
        journal = [
            (f"_journal/config_updates/{number}.json", json.dumps(update).encode())
            for number, update in enumerate(updates, 1)
        ]
        write_archive(path, [start, *reversed(journal)])
    assert list(read_log(path).header.config_updates) == updates
    assert read_raw_header(path)["config_updates"] == updates
    theirs = read_eval_log(str(path), header_only=True).config_updates
    assert [update.changes[0].value for update in theirs] == list(range(1, 12))
