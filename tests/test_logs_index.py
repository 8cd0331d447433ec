"""A log directory is a list of rows: none raises, and only what changed is read again."""

import os
import shutil
import time
from pathlib import Path

import pytest

from evaltui.logs.archive import Archive, RawMember
from evaltui.logs.index import LogIndex, is_log_name, list_logs
from evaltui.logs.packing import write_archive

LONG_AGO = (1_000_000_000, 1_000_000_000)


@pytest.fixture(autouse=True)
def cache_home(tmp_path, monkeypatch):
    home = tmp_path / "cache"
    monkeypatch.setenv("XDG_CACHE_HOME", str(home))
    return home


@pytest.fixture
def logs(log_kinds, tmp_path):
    """Four settled logs of a set."""
    folder = tmp_path / "logs"
    folder.mkdir()
    for name in ("success.eval", "error.eval", "odd_scores.eval", "json_success.json"):
        copy = shutil.copy(log_kinds / f"2020-01-01T00-00-00_{name}", folder)
        os.utime(copy, LONG_AGO)
    return folder


def cached(home):
    return list((home / "evaltui" / "headers").glob("*"))


def test_rows_are_the_logs_directly_in_the_directory_by_name(logs):
    (logs / "sub").mkdir()
    (logs / ".evaltui").mkdir()
    (logs / "folder.eval").mkdir()
    for name in ("sub/deeper.eval", ".evaltui/x.eval", "eval-set.json", "logs.json", "notes.txt"):
        (logs / name).write_text("{}")
    (logs / "x.eval.trash").write_text("")
    assert [row.name.partition("_")[2] for row in list_logs(logs)] == [
        "error.eval", "json_success.json", "odd_scores.eval", "success.eval",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "is_log"),
    [
        ("a.eval", True),
        ("2024-01-02T03-04-05+00-00_t_x.json", True),
        ("2024-01-02T03:04:05_t.json", True),
        ("2024-01-02_t.json", False),
        ("logs.json", False),
        ("a.eval.json", False),
        (".inspect_tmp_abc.writing", False),
        ("two\nlines.eval", True),
    ],
)
def test_what_inspect_takes_for_a_log_is_one(name, is_log):
    from inspect_ai.log._file import is_log_file

    assert is_log_name(name) is is_log is is_log_file(name, [".eval", ".json"])


def test_a_directory_that_is_missing_has_no_logs_and_a_file_is_an_error(tmp_path):
    assert list_logs(tmp_path / "none") == []
    (tmp_path / "file").write_text("")
    with pytest.raises(NotADirectoryError):
        list_logs(tmp_path / "file")


def test_broken_files_are_rows_among_the_others(logs):
    whole = (logs / "2020-01-01T00-00-00_success.eval").read_bytes()
    (logs / "cut.eval").write_bytes(whole[: len(whole) // 2])
    (logs / "empty.eval").write_bytes(b"")
    (logs / "2020-01-01T00-00-00_cut.json").write_text('{"eval": {')
    (logs / "gone.eval").symlink_to(logs / "nowhere")
    (logs / "loop.eval").symlink_to(logs / "loop.eval")
    os.mkfifo(logs / "fifo.eval")
    (logs / os.fsdecode(b"latin\xe91.eval")).write_bytes(b"x")
    rows = {row.name: row for row in list_logs(logs)}
    broken = {name: row.reason for name, row in rows.items() if row.header is None}
    assert len(rows) - len(broken) == 4
    assert broken["cut.eval"] == "cut.eval is cut off: its zip directory is missing."
    assert broken["empty.eval"] == "empty.eval is empty."
    assert broken["gone.eval"] == "gone.eval is a link to a file that is not there."
    assert broken["fifo.eval"] == "fifo.eval is not a file."
    assert len(broken) == 7
    for name, reason in broken.items():
        said = name if name.isascii() else "Its name is not UTF-8"  # which no sentence can hold
        assert reason.startswith(said)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_log_without_permission_is_a_row(logs):
    (logs / "2020-01-01T00-00-00_success.eval").chmod(0)
    [row] = [row for row in list_logs(logs) if row.header is None]
    assert row.reason.endswith("can't be read: Permission denied.")


def test_a_link_to_a_log_is_a_log(logs):
    (logs / "link.eval").symlink_to("2020-01-01T00-00-00_success.eval")
    rows = {row.name: row for row in list_logs(logs)}
    assert rows["link.eval"].header == rows["2020-01-01T00-00-00_success.eval"].header


# --- refreshing ---------------------------------------------------------------------------------


def test_a_refresh_reads_only_what_changed(logs, log_kinds):
    index = LogIndex(logs)
    first = {row.name: row for row in index.refresh()}
    assert all(a is b for a, b in zip(index.refresh(), first.values(), strict=True))
    changed = "2020-01-01T00-00-00_success.eval"
    shutil.copy(log_kinds / "2020-01-01T00-00-00_edited.eval", logs / changed)
    (logs / "2020-01-01T00-00-00_error.eval").unlink()
    shutil.copy(log_kinds / "2020-01-01T00-00-00_chosen.eval", logs / "new.eval")
    second = {row.name: row for row in index.refresh()}
    assert second.keys() == first.keys() - {"2020-01-01T00-00-00_error.eval"} | {"new.eval"}
    assert second[changed].header.tags == ("b", "new")
    kept = "2020-01-01T00-00-00_odd_scores.eval"
    assert second[kept] is first[kept]


def test_a_log_changed_a_moment_ago_is_read_again_even_if_its_time_is_the_same(logs):
    """Two writes may fall within one tick of the file system's clock."""
    path = logs / "2020-01-01T00-00-00_success.eval"
    good = path.read_bytes()
    path.write_bytes(bytes(len(good)))
    now = path.stat().st_mtime_ns
    index = LogIndex(logs, now_ns=lambda: now + 1_000_000)
    assert [row.reason for row in index.refresh() if row.name == path.name] != [None]
    path.write_bytes(good)
    os.utime(path, ns=(now, now))
    assert [row.reason for row in index.refresh() if row.name == path.name] == [None]


# --- the cache ----------------------------------------------------------------------------------


def headers(logs):
    return [repr(row.header) for row in list_logs(logs)]


def test_cached_headers_are_the_headers(logs, cache_home):
    read = headers(logs)
    assert len(cached(cache_home)) == 1
    assert headers(logs) == read


def test_the_cache_spares_opening_the_logs(logs, cache_home):
    """Shown by content that changed behind the same size and time."""
    before = headers(logs)
    for path in logs.iterdir():
        path.write_bytes(bytes(path.stat().st_size))
        os.utime(path, LONG_AGO)
    assert headers(logs) == before
    cached(cache_home)[0].unlink()
    assert headers(logs) == ["None"] * 4


def test_a_changed_size_or_time_is_not_answered_from_the_cache(logs):
    headers(logs)
    one, two = sorted(logs.iterdir())[:2]
    one.write_bytes(bytes(one.stat().st_size))
    os.utime(one, (1_000_000_001, 1_000_000_001))
    two.write_bytes(b"short")
    os.utime(two, LONG_AGO)
    reasons = [row.name for row in list_logs(logs) if row.reason]
    assert reasons == [one.name, two.name]


def test_only_finished_and_settled_logs_are_cached(logs, log_kinds, cache_home):
    for path in logs.iterdir():
        path.unlink()
    shutil.copy(log_kinds / "2020-01-01T00-00-00_success.eval", logs / "fresh.eval")
    os.utime(logs / "fresh.eval")
    (logs / "broken.eval").write_bytes(b"x")
    os.utime(logs / "broken.eval", LONG_AGO)
    list_logs(logs)
    assert cached(cache_home) == []
    LogIndex(logs, now_ns=lambda: time.time_ns() + 10**10).refresh()
    assert len(cached(cache_home)) == 1


def test_a_log_that_has_not_finished_is_not_cached(logs, log_kinds, cache_home):
    for path in logs.iterdir():
        path.unlink()
    path = logs / "killed.eval"
    with Archive(log_kinds / "2020-01-01T00-00-00_success.eval") as whole:
        write_archive(path, [RawMember(whole, whole.find("_journal/start.json"))])
    os.utime(path, LONG_AGO)
    assert [row.finished for row in list_logs(logs)] == [False]
    assert cached(cache_home) == []


def test_logs_that_are_gone_leave_the_cache(logs, cache_home):
    list_logs(logs)
    size = cached(cache_home)[0].stat().st_size
    for path in sorted(logs.iterdir())[1:]:
        path.unlink()
    list_logs(logs)
    assert cached(cache_home)[0].stat().st_size < size / 2


@pytest.mark.parametrize("content", [b"", b"nonsense", b"\x82", b"\xc1" * 100])
def test_a_broken_cache_is_passed_over_and_made_anew(logs, cache_home, content):
    read = headers(logs)
    path = cached(cache_home)[0]
    good = path.read_bytes()
    path.write_bytes(content)
    assert headers(logs) == read
    assert path.read_bytes() == good


def test_a_cache_cut_off_or_changed_anywhere_is_never_fatal(logs, cache_home):
    read = headers(logs)
    path = cached(cache_home)[0]
    good = path.read_bytes()
    for position in range(0, len(good), 211):
        path.write_bytes(good[:position])
        assert headers(logs) == read


def test_a_cache_that_cannot_be_written_is_done_without(logs, cache_home):
    cache_home.write_text("a file where the folder should be")
    assert "None" not in headers(logs)
    assert cache_home.read_text() == "a file where the folder should be"


def test_two_directories_have_two_caches(logs, log_kinds, cache_home, tmp_path):
    other = Path(shutil.copytree(logs, tmp_path / "other"))
    assert headers(logs) == headers(other)
    assert len(cached(cache_home)) == 2
