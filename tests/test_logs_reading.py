"""Every kind of log read by us says what Inspect's own reader says."""

import contextlib
import json
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import msgspec
import pytest
from inspect_ai._util.json import to_json_safe
from inspect_ai.log import (
    read_eval_log,
    read_eval_log_sample,
    read_eval_log_sample_summaries,
    write_eval_log,
)

from evaltui.logs.archive import Archive, LogError, RawMember
from evaltui.logs.attachments import resolve_attachments
from evaltui.logs.packing import write_archive
from evaltui.logs.reading import (
    read_heads,
    read_log,
    read_raw_header,
    read_raw_summaries,
    read_sample,
    read_summaries,
)

KINDS = (
    "success.eval", "error.eval", "tolerated.eval", "cancelled.eval", "epochs.eval",
    "retried.eval", "chosen.eval", "media.eval", "media_removed.eval", "large.eval",
    "odd_ids.eval", "odd_scores.eval", "limited.eval", "sliced.eval", "empty_of_samples.eval",
    "roles.eval", "resumed.eval", "invalidated.eval", "edited.eval", "json_success.json",
    "json_error.json", "json_media.json", "json_scores.json", "json_invalidated.json",
)  # fmt: skip
EVAL_FIELDS = (
    "task", "model", "created", "eval_id", "run_id", "task_id", "eval_set_id", "task_version",
    "task_file", "task_display_name", "task_registry_name", "task_attribs", "task_args",
    "task_args_passed", "solver", "solver_args", "solver_args_passed", "model_generate_config",
    "model_base_url", "model_args", "model_roles", "config", "dataset", "sandbox", "scorers",
    "revision", "packages",
)  # fmt: skip


def kind(folder, name):
    return folder / f"2020-01-01T00-00-00_{name}"


def text(value):
    """Theirs or ours as JSON text without nulls: NaN equals NaN there, and a tuple a list."""
    with contextlib.suppress(TypeError):  # theirs are pydantic's, which msgspec does not know
        value = msgspec.to_builtins(value)
    plain = json.loads(to_json_safe(value))
    return json.dumps(without_nulls(plain), sort_keys=True)


def without_nulls(value):
    if isinstance(value, dict):
        return {k: without_nulls(v) for k, v in value.items() if v is not None}
    return list(map(without_nulls, value)) if isinstance(value, list) else value


def same_header(ours, theirs):
    for field in EVAL_FIELDS:
        assert text(getattr(ours, field)) == text(getattr(theirs.eval, field)), field
    for field in ("version", "status", "plan", "invalidated", "tags", "metadata"):
        assert text(getattr(ours, field)) == text(getattr(theirs, field)), field
    assert text(list(ours.config_updates)) == text(theirs.config_updates or [])
    assert ours.error == (theirs.error.message if theirs.error else None)
    for field in ("started_at", "completed_at"):
        assert getattr(ours.stats, field) == getattr(theirs.stats, field)
    same_usage(ours.stats.model_usage, theirs.stats.model_usage)
    assert (ours.results is None) == (theirs.results is None)
    if ours.results:
        for field in ("total_samples", "completed_samples", "logged_samples", "headline"):
            assert text(getattr(ours.results, field)) == text(getattr(theirs.results, field)), field
        for our_score, score in zip(ours.results.scores, theirs.results.scores, strict=True):
            for field in ("name", "scorer", "reducer", "scored_samples", "unscored_samples"):
                assert getattr(our_score, field) == getattr(score, field), field
            assert text(dict(our_score.metrics)) == text(score.metrics)


def same_usage(ours, theirs):
    assert ours.keys() == theirs.keys()
    for model, usage in theirs.items():
        assert text(msgspec.structs.asdict(ours[model])) == text(usage)


def same_summary(ours, theirs):
    for field in (
        "id", "epoch", "uuid", "error", "limit", "completed", "total_time", "working_time",
        "started_at", "completed_at", "message_count", "turn_count", "target", "choices",
        "metadata",
    ):  # fmt: skip
        assert text(getattr(ours, field)) == text(getattr(theirs, field)), field
    assert ours.retries == (theirs.retries or 0)
    assert text(dict(ours.scores)) == text({k: v.value for k, v in (theirs.scores or {}).items()})
    same_usage(ours.model_usage, theirs.model_usage)
    same_usage(ours.role_usage, theirs.role_usage)
    if isinstance(theirs.input, str):
        assert ours.input == theirs.input[: len(ours.input)]
        assert ours.input == theirs.input or len(ours.input) == 500


@pytest.mark.parametrize("name", KINDS)
def test_the_header_says_what_inspect_reads(log_kinds, name):
    path = kind(log_kinds, name)
    log = read_log(path)
    assert log.reason is None
    assert log.finished
    assert (log.size, log.mtime_ns) == (path.stat().st_size, path.stat().st_mtime_ns)
    same_header(log.header, read_eval_log(str(path), header_only=True))


@pytest.mark.parametrize("name", KINDS)
def test_the_summaries_say_what_inspect_reads(log_kinds, name):
    path = kind(log_kinds, name)
    ours, theirs = read_summaries(path), read_eval_log_sample_summaries(str(path))
    assert [row.key for row in ours] == [(str(row.id), row.epoch) for row in theirs]
    for mine, other in zip(ours, theirs, strict=True):
        same_summary(mine, other)


@pytest.mark.parametrize("name", KINDS)
def test_heads_and_samples_hold_what_the_whole_sample_holds(log_kinds, name):
    path = kind(log_kinds, name)
    whole = read_eval_log(str(path), resolve_attachments=True).samples or []
    heads = {head.key: head for head in read_heads(path)}
    assert len(heads) == len(whole)
    for sample in whole:
        head = heads[str(sample.id), sample.epoch]
        assert head.id == sample.id
        for field in ("input", "target", "choices"):
            assert text(getattr(head, field)) == text(getattr(sample, field)), field
        raw = read_sample(path, sample.id, sample.epoch)
        assert raw["uuid"] == sample.uuid
        assert text(resolve_attachments(raw["messages"], raw["attachments"])) == text(
            sample.messages
        )


@pytest.mark.parametrize("name", ["invalidated.eval", "json_invalidated.json"])
def test_which_samples_are_invalidated_is_seen(log_kinds, name):
    path = kind(log_kinds, name)
    expected = {s.id for s in read_eval_log(str(path)).samples if s.invalidation}
    assert expected == {2, 3}
    assert {row.id for row in read_summaries(path) if row.invalidated} == expected


def test_a_cancelled_sample_is_told_from_one_that_failed(log_kinds):
    cancelled = read_summaries(kind(log_kinds, "cancelled.eval"))
    failed = read_summaries(kind(log_kinds, "error.eval"))
    assert [row.id for row in cancelled if row.cancelled] == [4]
    assert [row.id for row in failed if row.error and not row.cancelled] == [3]
    assert read_log(kind(log_kinds, "cancelled.eval")).header.status == "cancelled"


def test_a_sample_that_a_recovery_found_unfinished_is_so_though_its_row_has_no_error(
    log_kinds, tmp_path
):
    """As Inspect's recovery from a shared buffer (`--log-shared`) writes the row."""
    path = tmp_path / "recovered.eval"
    with Archive(kind(log_kinds, "cancelled.eval")) as whole:
        rows = json.loads(whole.read(whole.members()["summaries.json"]))
        (unfinished,) = (row for row in rows if row["id"] == 4)
        del unfinished["error"], unfinished["completed_at"]
        unfinished["completed"] = True
        kept = [
            RawMember(whole, member)
            for name, member in whole.members().items()
            if name != "summaries.json"
        ]
        write_archive(path, [*kept, ("summaries.json", json.dumps(rows).encode())])
    assert read_summaries(path)[-1].id == 4
    assert [row.id for row in read_summaries(path) if row.cancelled] == [4]


def test_kinds_are_what_they_are_called(log_kinds):
    """Else the comparisons above would compare nothing."""
    rows = {name: read_summaries(kind(log_kinds, name)) for name in KINDS}
    assert sum(row.retries for row in rows["retried.eval"]) == 2
    assert {row.limit for row in rows["limited.eval"]} == {"token"}
    assert sorted(row.epoch for row in rows["epochs.eval"]) == [1, 1, 2, 2, 3, 3]
    assert len([row for row in rows["tolerated.eval"] if row.error]) == 2
    assert [row.id for row in rows["sliced.eval"]] == [3, 4]
    assert rows["chosen.eval"][0].choices == ("yes", "no", "maybe")
    assert rows["roles.eval"][0].role_usage["grader"].total_tokens == 10
    assert rows["roles.eval"][0].tokens == 20
    assert rows["odd_scores.eval"][0].scores["many_values"] == {"a": 0.5, "b": 1}
    assert "NaN" in kind(log_kinds, "json_scores.json").read_text()
    assert "attachment://" in json.dumps(read_sample(kind(log_kinds, "media.eval"), "pic", 1))
    assert (
        kind(log_kinds, "large.eval").stat().st_size
        < 100_000
        < len(next(read_heads(kind(log_kinds, "large.eval"))).input)
    )
    with zipfile.ZipFile(kind(log_kinds, "resumed.eval")) as archive:
        assert len(archive.namelist()) > len(set(archive.namelist()))


def test_a_summary_shows_what_the_user_asked(log_kinds):
    rows = {row.id: row for row in read_summaries(kind(log_kinds, "media.eval"))}
    assert rows["pic"].input == "what is this?\n(Image)"
    assert rows["chat"].input == "hi"
    long = read_summaries(kind(log_kinds, "large.eval"))[0].input
    assert long == ("é✓𝄞" * 200)[:500]


def test_wanted_heads_are_named_by_id_as_a_string_and_epoch(log_kinds):
    odd = kind(log_kinds, "odd_ids.eval")
    assert [h.id for h in read_heads(odd, {("a/b", 1), ("a/b", 2)})] == ["a/b"]
    assert [h.id for h in read_heads(odd, [(1, 1), ("none", 1)])] == ["1"]
    as_json = kind(log_kinds, "json_success.json")
    assert [h.id for h in read_heads(as_json, [("2", 1), (9, 1)])] == [2]


def test_a_head_costs_the_first_part_of_a_member_only(log_kinds, tmp_path):
    """The rest of the member may be damaged and its head is still read; the whole is not."""
    damaged = tmp_path / "damaged.eval"
    with zipfile.ZipFile(kind(log_kinds, "success.eval")) as archive:
        content = stored(archive)
    with zipfile.ZipFile(damaged, "w", zipfile.ZIP_STORED) as archive:
        sample = content["samples/1_epoch_1.json"]
        archive.writestr("header.json", content["header.json"])
        archive.writestr("samples/1_epoch_1.json", sample.ljust(100_000))
    data = bytearray(damaged.read_bytes())
    data[50_000] ^= 1
    damaged.write_bytes(data)
    assert [head.id for head in read_heads(damaged)] == [1]
    with pytest.raises(LogError, match=r"damaged\.eval is damaged"):
        read_sample(damaged, 1, 1)


def stored(archive):
    """Contents by name; the patched `zipfile` of Inspect knows zstd."""
    return {name: archive.read(name) for name in archive.namelist()}


def test_a_sample_that_is_not_there_is_a_sentence(log_kinds):
    for name in ("success.eval", "json_success.json"):
        with pytest.raises(LogError, match="holds no sample 77 in epoch 1"):
            read_sample(kind(log_kinds, name), 77, 1)


def test_the_raw_header_and_rows_go_back_to_inspect_unchanged(log_kinds):
    path = kind(log_kinds, "roles.eval")
    with zipfile.ZipFile(path) as archive:
        assert read_raw_header(path) == json.loads(archive.read("header.json"))
        assert read_raw_summaries(path) == json.loads(archive.read("summaries.json"))
    as_json = kind(log_kinds, "json_success.json")
    assert read_raw_header(as_json).items() <= json.loads(as_json.read_text()).items()


def test_deflated_and_stored_members_are_read_as_zstd_ones_are(log_kinds, tmp_path):
    path = kind(log_kinds, "media.eval")
    for method in (zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED):
        copy = tmp_path / f"{method}.eval"
        with zipfile.ZipFile(path) as old, zipfile.ZipFile(copy, "w", method) as new:
            for name, content in stored(old).items():
                new.writestr(name, content)
        assert read_log(copy).header == read_log(path).header
        assert read_summaries(copy) == read_summaries(path)
        assert list(read_heads(copy)) == list(read_heads(path))


# --- older Inspect ------------------------------------------------------------------------------

NEWER_EVAL = (
    "eval_id", "task_args_passed", "solver_args_passed", "task_display_name", "task_attribs",
    "task_registry_name", "scorers", "model_generate_config", "revision", "packages", "tags",
)  # fmt: skip
NEWER_SAMPLE = (
    "uuid", "error_retries", "events_data", "turn_count", "total_time", "working_time",
    "role_usage", "started_at", "completed_at", "choices",
)  # fmt: skip


def old_log(source, target, form):
    """A log as versions from before several scorers wrote it, by taking newer keys away."""
    with zipfile.ZipFile(source) as archive:
        content = {name: json.loads(data) for name, data in stored(archive).items()}
    header = content["header.json"]
    for key in NEWER_EVAL:
        header["eval"].pop(key, None)
    header["eval"]["created"] = "2024-05-01T12:00:00+02:00"
    header["eval"]["config"] = {"max_messages": 12, "unknown": 1}
    header["eval"]["sandbox"] = ["docker", "compose.yaml"]
    for key in ("tags", "metadata", "invalidated"):
        header.pop(key)
    score = header["results"].pop("scores")[0]
    header["results"]["scorer"] = {"name": score["name"], "params": {}}
    header["results"]["metrics"] = score["metrics"]
    header["results"].pop("headline")
    samples = [value for name, value in content.items() if name.startswith("samples/")]
    for sample in samples:
        for key in NEWER_SAMPLE:
            sample.pop(key, None)
        sample["score"] = next(iter(sample.pop("scores").values()), None)
        attachments = sample.pop("attachments")
        sample["transcript"] = {"events": sample.pop("events"), "content": attachments}
    if form == "json":
        target.write_text(json.dumps({**header, "samples": samples, "logging": []}))
    else:
        with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
            for sample in samples:
                name = f"samples/{sample['id']}_epoch_{sample['epoch']}.json"
                archive.writestr(name, json.dumps(sample))
            archive.writestr("header.json", json.dumps(header))


@pytest.mark.parametrize("form", ["eval", "json"])
def test_a_log_of_an_older_inspect_is_read_as_inspect_reads_it(log_kinds, tmp_path, form):
    path = tmp_path / f"2024-05-01T12-00-00_old.{form}"
    old_log(kind(log_kinds, "success.eval"), path, form)
    header, theirs = read_log(path).header, read_eval_log(str(path))
    assert header.created == theirs.eval.created == "2024-05-01T10:00:00+00:00"
    assert header.eval_id == theirs.eval.eval_id
    assert header.task_args_passed == theirs.eval.task_args_passed != {}
    assert header.config["message_limit"] == theirs.eval.config.message_limit == 12
    assert text(header.results.scores[0].metrics) == text(theirs.results.scores[0].metrics)
    rows = {row.key: row for row in read_summaries(path)}
    assert len(rows) == len(theirs.samples) == 6
    for sample in theirs.samples:
        row = rows[str(sample.id), sample.epoch]
        assert (row.input, row.target, row.uuid) == (sample.input, sample.target, None)
        assert row.completed
        assert row.scores == {"includes": next(iter(sample.scores.values())).value}
        assert read_sample(path, sample.id, 1)["input"] == sample.input
    assert len(list(read_heads(path))) == 6


def test_unknown_keys_are_passed_over_and_unexpected_nulls_are_defaults(log_kinds, tmp_path):
    source = kind(log_kinds, "success.eval")
    with zipfile.ZipFile(source) as archive:
        content = stored(archive)
    header = json.loads(content["header.json"])
    header["new"] = header["eval"]["new"] = {"deep": [1]}
    header["eval"].update(model_args=None, dataset=None, config=None, tags=None, packages=None)
    header["results"]["scores"][0]["metrics"]["accuracy"]["value"] = None
    rows = json.loads(content["summaries.json"])
    for row in rows:
        row.update(new=[], scores=None, model_usage=None, metadata=None, retries=None)
    path = tmp_path / "newer.eval"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("header.json", json.dumps(header))
        archive.writestr("summaries.json", json.dumps(rows))
    log = read_log(path)
    assert log.reason is None
    assert log.header.model_args == log.header.config == {}
    accuracy = log.header.results.scores[0].metrics["accuracy"].value
    assert accuracy != accuracy
    assert [(row.scores, row.retries) for row in read_summaries(path)] == [({}, 0)] * 6


# --- broken files -------------------------------------------------------------------------------


def test_a_log_cut_off_anywhere_has_a_reason(log_kinds, tmp_path):
    for name in ("success.eval", "json_success.json"):
        source = kind(log_kinds, name)
        data, whole = source.read_bytes(), read_log(source)
        path = tmp_path / source.name
        for length in {*range(0, len(data), 997), 1, 3, 4, 30, len(data) - 22, len(data) - 1}:
            path.write_bytes(data[:length])
            log = read_log(path)
            assert log.header is None, length
            assert log.reason.startswith(path.name)
            assert log.reason.endswith(".")
            assert "\n" not in log.reason
            assert log.size == length
            for read in (read_summaries, lambda p: list(read_heads(p))):
                with pytest.raises(LogError, match=path.name.replace(".", r"\.")):
                    read(path)
        path.write_bytes(data)
        assert read_log(path).header == whole.header


def test_a_log_with_a_flipped_byte_never_raises(log_kinds, tmp_path):
    source = kind(log_kinds, "success.eval")
    data, path = source.read_bytes(), tmp_path / "flipped.eval"
    good = read_log(source).header
    for position in range(len(data) - 1500, len(data), 7):
        changed = bytearray(data)
        changed[position] ^= 0x55
        path.write_bytes(changed)
        log = read_log(path)
        assert (log.header is None) == (log.reason is not None)
        assert log.header in (None, good) or not log.finished
        for read in (read_summaries, lambda p: list(read_heads(p))):
            with contextlib.suppress(LogError):
                read(path)


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("empty.eval", b"", "is empty"),
        ("text.eval", b"hello", "is not a log: it is no zip archive"),
        ("nul.eval", bytes(100_000), "is not a log: it is no zip archive"),
        ("2020-01-01T00-00-00_e.json", b"", "is empty"),
        ("2020-01-01T00-00-00_l.json", b"[1, 2]", "is cut off or not a log"),
        ("2020-01-01T00-00-00_x.json", b"{]}", "is not a log"),
        ("2020-01-01T00-00-00_o.json", b"{}", "is not an Inspect log"),
        ("2020-01-01T00-00-00_s.json", b'{"samples": []}', "is not an Inspect log"),
        ("2020-01-01T00-00-00_b.json", b'{"eval": "\xff"}', "is not a log"),
        ("2020-01-01T00-00-00_d.json", b'{"a":' + b"[" * 9000 + b"]" * 9000 + b"}", "not a log"),
    ],
)  # fmt: skip
def test_a_file_that_is_no_log_has_a_reason(tmp_path, name, content, says):
    path = tmp_path / name
    path.write_bytes(content)
    log = read_log(path)
    assert log.header is None
    assert says in log.reason
    assert log.reason.startswith(name)


def test_an_archive_of_something_else_has_a_reason(tmp_path):
    path = tmp_path / "photos.eval"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("photo.jpg", b"...")
    assert read_log(path).reason == "photos.eval is not an Inspect log: it has no header."
    for content in (b"[]", b'{"eval": 3}', b'{"eval": {"task": "t"}}', b"\xff", b"", b"nope"):
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("header.json", content)
        assert read_log(path).reason.startswith("photos.eval has an unknown form: header.json")


def test_what_is_no_file_has_a_reason(tmp_path):
    assert read_log(tmp_path / "none.eval").reason.startswith("none.eval can't be read: No such")
    assert read_log(tmp_path).reason == f"{tmp_path.name} is not a file."


def test_a_log_stays_readable_to_inspect_after_being_copied_byte_for_byte(log_kinds, tmp_path):
    """Reading opens nothing for writing: the file and its times stay as they were."""
    path = Path(shutil.copy(kind(log_kinds, "success.eval"), tmp_path))
    before = path.read_bytes(), path.stat().st_mtime_ns
    read_log(path)
    read_summaries(path)
    list(read_heads(path))
    assert (path.read_bytes(), path.stat().st_mtime_ns) == before


def test_a_log_that_inspect_wrote_again_is_read_as_it_is_now(log_kinds, tmp_path):
    path = Path(shutil.copy(kind(log_kinds, "success.eval"), tmp_path))
    log = read_eval_log(str(path))
    log.samples = log.samples[:2]
    write_eval_log(log, str(path))
    assert [row.id for row in read_summaries(path)] == [1, 2]
    assert read_eval_log_sample(str(path), 1, 1).uuid == read_sample(path, 1, 1)["uuid"]


def test_reading_loads_neither_inspect_nor_zipfile_nor_zstandard():
    script = """
import sys
import evaltui.logs.index, evaltui.logs.manifests, evaltui.logs.packing
heavy = {"inspect_ai", "zipfile", "zstandard", "pydantic", "textual"} & set(sys.modules)
assert not heavy, heavy
"""
    subprocess.run([sys.executable, "-c", script], check=True)
