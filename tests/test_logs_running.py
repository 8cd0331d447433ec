"""Logs are read while Inspect writes them, and after it was killed."""

import contextlib
import signal
import subprocess
import sys

import pytest
from inspect_ai.log import read_eval_log, read_eval_log_sample_summaries

from evaltui.logs.index import LogIndex
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
eval("counted.py@counted", model="mockllm/m", log_dir="logs", display="none", log_buffer=1,
     log_format=sys.argv[1], max_samples=1, task_args={"n": 100, "sleep": 0.02}, tags=["live"])
"""


@contextlib.contextmanager
def running(cases, form):
    """A process that runs 100 samples; killed in the end if it has not finished."""
    process = subprocess.Popen(
        [sys.executable, "-c", RUN, form],
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


def test_a_running_log_is_whole_at_every_moment_and_grows(cases):
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
    assert counts == sorted(counts)
    assert len(set(counts)) == 5


@pytest.mark.parametrize("form", ["eval", pytest.param("json", marks=pytest.mark.slow)])
def test_a_killed_log_holds_what_was_flushed_and_says_it_has_not_finished(cases, form):
    with running(cases, form) as (process, path):
        wait_until(lambda: len(cases.calls()) > 15, what="some samples ran")
        process.send_signal(signal.SIGKILL)
        process.wait()
        log = read_log(path)
    assert log.reason is None
    assert not log.finished
    theirs = read_eval_log(str(path), header_only=True)
    assert (log.header.status, log.header.eval_id) == (theirs.status, theirs.eval.eval_id)
    assert log.header.created == theirs.eval.created
    rows = read_summaries(path)
    expected = read_eval_log_sample_summaries(str(path))
    assert [(row.id, row.uuid) for row in rows] == [(row.id, row.uuid) for row in expected]
    assert rows
    assert all(row.completed and not row.error for row in rows)
    heads = [head.input for head in read_heads(path, {(row.id, 1) for row in rows})]
    assert heads == [f"question {row.id}" for row in rows]
    assert read_sample(path, rows[-1].id, 1)["uuid"] == rows[-1].uuid
    header = read_raw_header(path)
    assert header["status"] == "started"
    assert header["eval"]["eval_id"] == log.header.eval_id
    if form == "eval":
        assert [row["uuid"] for row in read_raw_summaries(path)] == [row.uuid for row in rows]
