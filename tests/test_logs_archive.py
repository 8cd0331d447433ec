"""Zip archives of every make are read, and put together anew without decoding a member."""

import json
import os
import random
import struct
import zipfile
import zlib

import inspect_ai._util.zipfile  # teaches `zipfile` zstd
import pytest
from inspect_ai.log import read_eval_log

from evaltui.logs.archive import Archive, LogError, Member, RawMember, _entry
from evaltui.logs.packing import _directory_entry, _local_header, _write_directory, write_archive
from evaltui.logs.reading import (
    read_heads,
    read_log,
    read_raw_header,
    read_raw_summaries,
    read_summaries,
)

ZSTD = zipfile.ZIP_ZSTANDARD
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, ZSTD)
NOISE = random.Random(1).randbytes(300_000)
CONTENT = {"a.json": b"{}", "empty": b"", "ü/✓": NOISE, "text": b"abc" * 100_000}


def zipped(path, content, method=ZSTD, comment=b""):
    with zipfile.ZipFile(path, "w", method) as archive:
        archive.comment = comment
        for name, data in content.items():
            archive.writestr(name, data)
    return path


def read_all(path):
    with Archive(path) as archive:
        return {name: archive.read(member) for name, member in archive.members().items()}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("comment", [b"", b"c" * 0xFFFF])
def test_members_are_found_and_decoded(tmp_path, method, comment):
    path = zipped(tmp_path / "x.zip", CONTENT, method, comment)
    assert read_all(path) == CONTENT
    with Archive(path) as archive:
        assert archive.size == path.stat().st_size
        for name, data in CONTENT.items():
            assert archive.read(archive.find(name)) == data
        assert archive.find("none") is None
        assert archive.find("a.jso") is None


def test_the_first_pieces_of_a_member_come_without_the_rest(tmp_path):
    path = zipped(tmp_path / "x.zip", {"big": NOISE * 10}, zipfile.ZIP_DEFLATED)
    with Archive(path) as archive:
        pieces = archive.pieces(archive.find("big"))
        assert len(next(pieces)) < 10_000


def test_a_name_that_occurs_in_another_is_not_taken_for_it(tmp_path):
    names = ["header.json", "samples/header.json_epoch_1.json", "header.json2", "xheader.json"]
    path = zipped(tmp_path / "x.zip", {name: name.encode() for name in names})
    with Archive(path) as archive:
        assert archive.read(archive.find("header.json")) == b"header.json"
    only = zipped(tmp_path / "y.zip", dict.fromkeys(names[1:], b""))
    with Archive(only) as archive:
        assert archive.find("header.json") is None


def test_of_members_with_one_name_the_last_counts(tmp_path):
    path = zipped(tmp_path / "x.zip", {"a": b"old", "b": b"b"})
    with zipfile.ZipFile(path, "a") as archive, pytest.warns(UserWarning, match="Duplicate"):
        archive.writestr("a", b"new")
    assert read_all(path) == {"a": b"new", "b": b"b"}
    with Archive(path) as archive:
        assert archive.read(archive.find("a")) == b"new"


def test_a_member_before_the_tail_of_a_long_directory_is_found(tmp_path):
    content = {f"{'n' * 90}{i}": b"" for i in range(2000)} | {"last": b"l"}
    path = zipped(tmp_path / "x.zip", content, zipfile.ZIP_STORED)
    with Archive(path) as archive:
        assert archive.find("last")
        assert archive.find(f"{'n' * 90}0")
        assert len(archive.members()) == 2001


def test_zstd_members_of_several_frames_are_whole(tmp_path, monkeypatch):
    monkeypatch.setattr(inspect_ai._util.zipfile, "_MAX_INPUT_PER_FRAME", 50_000)
    path = zipped(tmp_path / "x.zip", CONTENT)
    assert read_all(path) == CONTENT


@pytest.mark.slow
def test_more_members_than_the_short_form_counts(tmp_path):
    path, copy = tmp_path / "x.zip", tmp_path / "y.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for number in range(0x10001):
            archive.writestr(zipfile.ZipInfo(str(number)), b"")
    with Archive(path) as archive:
        assert len(archive.members()) == 0x10001
        write_archive(copy, [RawMember(archive, member) for member in archive.members().values()])
    with zipfile.ZipFile(copy) as archive:
        assert len(archive.namelist()) == 0x10001
    with Archive(copy) as archive:
        assert archive.find("65536")


def test_a_member_beyond_four_gigabytes_is_read_and_copied(tmp_path):
    """A sparse file with a hole of 5 GB before the member; `zipfile` agrees that it is right."""
    path, copy, hole = tmp_path / "x.zip", tmp_path / "y.zip", 5 * 2**30
    crc = zlib.crc32(NOISE)
    behind = Member("behind", 0, 0x800, 0, 33, crc, len(NOISE), len(NOISE), hole)
    with open(path, "wb") as file:
        file.seek(hole)
        file.write(_local_header(behind) + NOISE)
        _write_directory(file, [behind], file.tell())
    with zipfile.ZipFile(path) as archive:
        assert archive.read("behind") == NOISE
    with Archive(path) as archive:
        member = archive.find("behind")
        assert member == behind
        assert archive.read(member) == NOISE
        write_archive(copy, [RawMember(archive, member)])
    assert copy.stat().st_size < 400_000
    assert read_all(copy) == {"behind": NOISE}


@pytest.mark.parametrize("large", ["compressed", "size", "offset"])
def test_entries_with_long_values_say_them(large):
    values = {"compressed": 7, "size": 9, "offset": 0, large: 2**33}
    member = Member("ü", ZSTD, 0x800, 1, 33, 5, **values)
    packed = _directory_entry(member)
    assert _entry(packed, 0) == (member, len(packed))
    if large != "offset":
        local = _local_header(member)
        assert local[18:26] == b"\xff" * 8
        sizes = struct.pack("<2H2Q", 1, 16, member.size, member.compressed)
        assert local[30:] == "ü".encode() + sizes


def test_raw_members_and_new_content_make_an_archive_zipfile_reads(tmp_path):
    path, dest = zipped(tmp_path / "x.zip", CONTENT), tmp_path / "y.zip"
    with Archive(path) as archive:
        members = archive.members()
        copied, empty = RawMember(archive, members["ü/✓"]), RawMember(archive, members["empty"])
        write_archive(dest, [copied, ("new.json", b"[1]" * 99), empty])
        raw = b"".join(archive.raw_blocks(members["ü/✓"]))
    with zipfile.ZipFile(dest) as copy:
        assert copy.testzip() is None
        assert copy.namelist() == ["ü/✓", "new.json", "empty"]
        assert copy.read("ü/✓") == NOISE
        assert copy.read("new.json") == b"[1]" * 99
        assert copy.getinfo("ü/✓").compress_type == ZSTD
        with zipfile.ZipFile(path) as old:
            assert copy.getinfo("ü/✓").date_time == old.getinfo("ü/✓").date_time
    with Archive(dest) as archive:
        assert b"".join(archive.raw_blocks(archive.find("ü/✓"))) == raw
    assert sorted(os.listdir(tmp_path)) == ["x.zip", "y.zip"]


def test_members_written_as_a_stream_are_copied(tmp_path):
    """Their sizes stand behind the data instead of before it."""

    class Unseekable:
        def __init__(self, file):
            self.write, self.flush = file.write, file.flush

    path, dest = tmp_path / "x.zip", tmp_path / "y.zip"
    with open(path, "wb") as file, zipfile.ZipFile(Unseekable(file), "w", ZSTD) as archive:
        archive.writestr("a", NOISE)
        archive.writestr("b", b"b")
    with Archive(path) as archive:
        write_archive(dest, [RawMember(archive, m) for m in archive.members().values()])
    with zipfile.ZipFile(dest) as copy:
        assert copy.testzip() is None
        assert copy.read("a") == NOISE
        assert copy.getinfo("a").flag_bits == 0x800


def test_two_parts_of_one_name_are_refused_and_the_old_file_stays(tmp_path):
    dest = tmp_path / "y.zip"
    dest.write_bytes(b"old")
    with pytest.raises(ValueError, match="two parts have the name a"):
        write_archive(dest, [("a", b"1"), ("a", b"2")])
    assert dest.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["y.zip"]


def test_a_source_that_fails_while_copying_leaves_the_old_file(tmp_path):
    path, dest = zipped(tmp_path / "x.zip", {"a": NOISE}), tmp_path / "y.zip"
    with Archive(path) as archive:
        member = archive.find("a")
        with pytest.raises(LogError, match=r"x\.zip is damaged"):
            write_archive(dest, [RawMember(archive, member._replace(offset=7))])
    assert os.listdir(tmp_path) == ["x.zip"]


def test_an_archive_keeps_reading_the_file_it_opened(tmp_path):
    """Inspect renames a new file over a running log at every flush."""
    path = zipped(tmp_path / "x.zip", {"a": NOISE})
    with Archive(path) as archive:
        os.replace(zipped(tmp_path / "y.zip", {"a": b"new"}), path)
        assert archive.read(archive.find("a")) == NOISE


@pytest.mark.parametrize("method", METHODS)
def test_a_member_that_is_not_what_the_directory_says_is_damaged(tmp_path, method):
    path = zipped(tmp_path / "x.zip", {"a": b"abc" * 1000}, method)
    with Archive(path) as archive:
        good = archive.find("a")
        lies = [
            good._replace(size=10),
            good._replace(size=10**15),
            good._replace(crc=good.crc ^ 1),
            good._replace(compressed=good.compressed - 1),
            good._replace(compressed=good.compressed + 10**7),
            good._replace(offset=good.offset + 1),
            good._replace(offset=2**62),
        ]
        for lie in lies:
            with pytest.raises(LogError, match=r"x\.zip is damaged: its member a can't be read"):
                archive.read(lie)
        with pytest.raises(LogError, match=r"x\.zip is damaged"):
            list(archive.pieces(good._replace(size=10)))
        with pytest.raises(LogError, match="zip method 12, which is not known"):
            archive.read(good._replace(method=12))
        with pytest.raises(LogError, match="is encrypted"):
            archive.read(good._replace(flags=1))


def test_a_directory_that_is_garbage_is_a_sentence(tmp_path):
    path = zipped(tmp_path / "x.zip", CONTENT)
    data = path.read_bytes()
    start = data.index(b"PK\x01\x02")
    for broken in (b"XX", b"PK\x01\x02" + b"\xff" * 60):
        path.write_bytes(data[:start] + broken + data[start + len(broken) :])
        with pytest.raises(LogError, match=r"x\.zip has a damaged zip directory"):
            read_all(path)


def test_the_checksum_is_of_the_decoded_content(tmp_path):
    path = zipped(tmp_path / "x.zip", {"a": NOISE})
    with Archive(path) as archive:
        assert archive.find("a").crc == zlib.crc32(NOISE)


# --- seed logs ----------------------------------------------------------------------------------


def test_inspect_reads_a_union_of_two_logs_copied_raw(log_kinds, tmp_path):
    """As a seed is made: members of two logs, a header and summaries of the samples kept."""
    first = log_kinds / "2020-01-01T00-00-00_success.eval"
    second = log_kinds / "2020-01-01T00-00-00_media.eval"
    seed = tmp_path / "seed.eval"
    with Archive(first) as one, Archive(second) as two:
        names = {"samples/2_epoch_1.json": one, "samples/pic_epoch_1.json": two}
        rows = [
            row
            for path in (first, second)
            for row in read_raw_summaries(path)
            if f"samples/{row['id']}_epoch_{row['epoch']}.json" in names
        ]
        header = read_raw_header(first)
        header["eval"]["dataset"]["sample_ids"] = [2, "pic"]
        write_archive(
            seed,
            [
                *(RawMember(archive, archive.members()[name]) for name, archive in names.items()),
                ("summaries.json", dumped(rows)),
                ("header.json", dumped(header)),
            ],
        )
    log = read_eval_log(str(seed), resolve_attachments=True)
    originals = {
        sample.uuid: sample
        for path in (first, second)
        for sample in read_eval_log(str(path), resolve_attachments=True).samples
    }
    assert {sample.id for sample in log.samples} == {2, "pic"}
    for sample in log.samples:
        assert sample == originals[sample.uuid]
    assert read_log(seed).header.dataset.sample_ids == (2, "pic")
    assert [row.id for row in read_summaries(seed)] == [2, "pic"]
    assert {head.id for head in read_heads(seed)} == {2, "pic"}


def dumped(value):
    return json.dumps(value).encode()
