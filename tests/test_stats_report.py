"""Real logs reported: scores as Inspect has them, their denominators, and what their past did."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from evaltui.logs.archive import LogError
from evaltui.logs.attempt import CellOrder, LogPath, Order, Verdict
from evaltui.logs.layout import Layout
from evaltui.logs.reading import read_summaries
from evaltui.stats.document import Report, Row
from evaltui.stats.from_logs import read_one, read_set
from evaltui.stats.report import main, report
from tests.made_logs import made_by


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made_by("stats_logs.py", tmp_path_factory)


def rows(directory: Path) -> dict[tuple[str, str | None, str | None], Row]:
    found = report(read_set(directory), str(directory))
    assert not found.skipped
    return {(row.task, row.scorer, row.reducer): row for row in found.rows}


def one(directory: Path) -> Row:
    (row,) = rows(directory).values()
    return row


class TestAsInspect:
    def test_every_mean_and_error_is_the_one_in_the_log(self, folder):
        checked = 0
        for directory in ("shift", "rerun", "kinds", "unreduced"):
            for row in rows(folder / directory).values():
                for metric in ("accuracy", "mean"):
                    if metric in row.inspect:
                        assert row.value == pytest.approx(row.inspect[metric], abs=1e-12)
                        checked += 1
                if "stderr" in row.inspect:
                    assert row.stderr == pytest.approx(row.inspect["stderr"], abs=1e-15)
                    checked += 1
        assert checked >= 18

    def test_one_row_for_each_value_and_reducer(self, folder):
        assert set(rows(folder / "kinds")) == {
            ("kinds", "graded.a", "mean"),
            ("kinds", "graded.b", "mean"),
            ("kinds", "worded", "mean"),
            ("failing", "includes", "mean"),
            ("repeated", "includes", "mean"),
            ("repeated", "includes", "at_least_1"),
            ("talkative", "includes", "mean"),
        }
        assert set(rows(folder / "unreduced")) == {("repeated", "includes", None)}

    def test_intervals_know_of_epochs(self, folder):
        found = rows(folder / "kinds")
        assert found["repeated", "includes", "mean"].interval.method == "clustered wilson"
        reduced = found["repeated", "includes", "at_least_1"].interval
        assert (reduced.method, reduced.n) == ("wilson", 5)


class TestDenominators:
    def test_errored_samples_are_missing_and_bound_the_score(self, folder):
        row = rows(folder / "kinds")["failing", "includes", "mean"]
        assert (row.planned, row.scored, row.errored, row.not_run) == (12, 10, 2, 0)
        assert row.bounds == pytest.approx((2 / 12, 4 / 12))

    def test_a_scorer_without_a_value_leaves_it_unscored(self, folder):
        found = rows(folder / "kinds")
        assert found["kinds", "graded.a", "mean"].unscored == 1
        assert found["kinds", "worded", "mean"].unscored == 0

    def test_a_text_that_is_no_number_is_counted(self, folder):
        assert rows(folder / "kinds")["kinds", "worded", "mean"].unreadable == 1

    def test_samples_stopped_by_a_limit_are_counted(self, folder):
        row = rows(folder / "kinds")["talkative", "includes", "mean"]
        assert (row.limited, row.scored) == (4, 4)


class TestRetries:
    def test_retried_samples_that_pass_more_often_are_told_in_one_line(self, folder):
        row = one(folder / "shift")
        assert row.flags == ("shift", "share")
        assert (row.value, row.without_retries) == (0.6, 0.5)
        assert row.sentence == (
            "20 of 100 scored samples (20%) were retried after an error, scoring 1.00 against "
            ".500 for the rest (p < .001); without retries this would be .500; 20 of 20 errors "
            "were ConnectionError and 20 of 20 have topic law."
        )
        assert {trait.kind for trait in row.traits} == {"error", "metadata", "input length"}
        assert [shift.level for shift in row.shifts] == ["retry"]

    def test_samples_of_a_later_attempt_are_a_level_of_their_own(self, folder):
        row = one(folder / "rerun")
        assert (row.logs, row.rerolled, row.reused) == (2, 2, 10)
        assert [(shift.level, shift.rerolled) for shift in row.shifts] == [("rerun", 2)]
        assert row.flags == ("share",)
        assert row.traits[0].value == "RuntimeError"

    def test_a_run_from_scratch_is_no_rerun(self, folder):
        row = one(folder / "apart")
        assert (row.logs, row.rerolled, row.reused, row.flags) == (2, 0, 0, ())
        assert row.scored == 12

    def test_a_superseded_log_in_the_trash_still_tells(self, folder, tmp_path):
        directory = tmp_path / "logs"
        shutil.copytree(folder / "rerun", directory)
        layout = Layout(directory)
        layout.trash.mkdir(parents=True)
        older = min(directory.glob("*.eval"))
        older.rename(layout.trash / f"{older.name}.trash")
        row = one(directory)
        assert (row.logs, row.rerolled, row.reused) == (1, 2, 10)
        assert row.shifts[0].level == "rerun"

    def test_an_attempts_order_still_tells_when_the_trash_is_emptied(self, folder, tmp_path):
        directory = tmp_path / "logs"
        directory.mkdir()
        newest = max((folder / "rerun").glob("*.eval"))
        shutil.copy(newest, directory)
        assert [s.level for s in one(directory).shifts] == ["retry"]  # the record in the samples
        ordered(directory, "a2", newest.name, ("gone.eval",), errored=(3,))
        ordered(directory, "a1", "gone.eval", (), errored=(7,))
        ordered(directory, "other", "unrelated.eval", (), errored=(9,))
        row = one(directory)
        assert [(s.level, s.rerolled) for s in row.shifts] == [("rerun", 2)]
        assert row.rerolled == 2


def ordered(
    directory: Path, attempt: str, log: str, logs: tuple[str, ...], errored: tuple[int, ...]
) -> None:
    """What an attempt of the engine leaves: its order, and the event that names its log."""
    paths = Layout(directory).attempt(attempt)
    paths.folder.mkdir(parents=True)
    order = Order(
        version=1,
        attempt=attempt,
        number=2,
        reason="rerun",
        action="run",
        cell=CellOrder(key="k", task_file="t.py", task="failing", model="mockllm/m"),
        root="..",
        log_dir=".",
        eval_set_id="s",
        logs=logs,
        verdicts=tuple(Verdict(id, 1, "run", "errored") for id in errored),
    )
    paths.order.write_bytes(msgspec.json.encode(order))
    paths.events.write_bytes(msgspec.json.encode(LogPath(t=1.0, path=f"/logs/{log}")) + b"\n")


class TestChoice:
    def test_the_fullest_log_is_the_cells_not_the_newest(self, folder, tmp_path):
        logs = Path(shutil.copytree(folder / "apart", tmp_path / "logs"))
        clean = {
            path: sum(sample.error is None for sample in read_summaries(path))
            for path in logs.glob("*.eval")
        }
        other, fullest = sorted(clean, key=clean.__getitem__)
        assert clean[other] < clean[fullest]
        assert one(logs).log == fullest.name
        kept = fullest.read_bytes()
        fullest.write_bytes(other.read_bytes())
        other.write_bytes(kept)
        assert one(logs).log == other.name

    def test_a_plans_choice_comes_first(self, folder):
        names = sorted(path.name for path in (folder / "apart").glob("*.eval"))
        found = report(read_set(folder / "apart", chosen=[names[0]]), "apart")
        assert [row.log for row in found.rows] == [names[0]]

    def test_a_broken_log_is_skipped_with_its_reason(self, folder, tmp_path):
        shutil.copytree(folder / "rerun", tmp_path / "logs")
        (tmp_path / "logs" / "cut.eval").write_bytes(b"PK\x03\x04 not a zip")
        found = report(read_set(tmp_path / "logs"), "logs")
        assert [each.log for each in found.skipped] == ["cut.eval"]
        assert len(found.rows) == 1

    def test_one_log_alone(self, folder):
        path = max((folder / "rerun").glob("*.eval"))
        assert read_one(path).columns[0].planned == 12
        with pytest.raises(LogError):
            read_one(folder / "nothing.eval")


class TestProcess:
    def test_where_nothing_was_retried_no_libraries_are_loaded(self, folder):
        code = (
            "import sys; from pathlib import Path; from evaltui.stats import findings; "
            f"assert not findings.retry_findings(Path({str(folder / 'kinds')!r})); "
            "assert not {'scipy', 'numpy', 'inspect_ai'} & set(sys.modules)"
        )
        command = [sys.executable, "-c", code]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr

    def test_the_document_is_the_report_and_inspect_is_not_loaded(self, folder):
        code = (
            "import sys; from evaltui.stats import report; "
            f"report.main([{str(folder / 'shift')!r}, '--rollup', 'all']); "
            "assert 'inspect_ai' not in sys.modules; assert 'scipy.stats' not in sys.modules"
        )
        command = [sys.executable, "-c", code]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr
        document = msgspec.json.decode(done.stdout, type=Report)
        assert document.rows[0].value == 0.6
        assert document.version == 1
        assert json.loads(done.stdout)["rows"][0]["interval"]["method"] == "wilson"

    def test_bad_words_and_places_are_said_in_a_sentence(self, tmp_path, capsys):
        (tmp_path / "file").touch()
        for words, code in (
            ((str(tmp_path / "file"),), 1),
            ((str(tmp_path), "--rollup", "a"), 2),
            ((), 2),
            ((str(tmp_path), "--rollup"), 2),
        ):
            assert main(words) == code
            out, err = capsys.readouterr()
            assert not out
            assert err.strip()
