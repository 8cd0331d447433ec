"""`evaltui results`, `compare` and `check` on real logs: what they print and how they end."""

import csv
import io
import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from evaltui.commands.front_door import front_door
from tests.made_logs import made_by

DATA = Path(__file__).parent / "data" / "promptfoo"


def evaltui(*words: str) -> Result:
    return CliRunner().invoke(front_door, list(words))


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made_by("stats_logs.py", tmp_path_factory)


class TestResults:
    def test_the_shift_stands_below_its_row(self, logs):
        done = evaltui("results", str(logs / "shift"))
        assert done.exit_code == 0
        head, row, finding = done.stdout.splitlines()
        assert head.split() == [
            "TASK", "MODEL", "SCORER", "SCORE", "95%", "STDERR", "SCORED", "MISSING", "BOUNDS",
        ]  # fmt: skip
        assert row.split() == [
            "shifted", "mockllm/m", "includes", ".600", ".502–.691", ".049", "100/100", "-",
            ".600–.600",
        ]  # fmt: skip
        assert "without retries this would be .500" in finding

    def test_json_csv_and_markdown_say_the_same(self, logs):
        place = str(logs / "kinds")
        document = json.loads(evaltui("results", place, "--json").stdout)
        lines = list(csv.DictReader(io.StringIO(evaltui("results", place, "--csv").stdout)))
        table = evaltui("results", place, "--markdown").stdout.splitlines()
        assert [row["scorer"] for row in document["rows"]] == [line["scorer"] for line in lines]
        for row, line in zip(document["rows"], lines, strict=True):
            assert float(line["value"]) == row["value"]
            assert float(line["low"]) == row["interval"]["low"]
            assert int(line["planned"]) == row["planned"]
        assert table[0].count("|") == table[1].count("|") == 10
        assert sum(line.startswith("| kinds") for line in table) == 3
        assert any(line.startswith("- kinds × mockllm/m, worded: ") for line in table)

    def test_a_rollup_a_range_and_a_bootstrap(self, logs):
        place = str(logs / "kinds")
        options = ("--rollup", "all", "--range", "worded=0:3", "--bootstrap", "--json")
        found = json.loads(evaltui("results", place, *options).stdout)["rows"]
        by_scorer = {row["scorer"]: row for row in found if row["task"] == "kinds"}
        assert "all passed (graded.a, graded.b, worded)" in by_scorer
        assert by_scorer["worded"]["interval"]["method"] == "bootstrap"

    @pytest.mark.parametrize(
        ("words", "says"),
        [
            (("--rollup", "x"), "--rollup x is none of"),
            (("--range", "x=3"), "--range x=3 is not SCORER=LOW:HIGH"),
            (("--range", "x=3:2"), "is not SCORER=LOW:HIGH"),
            (("--json", "--csv"), "exclude each other"),
        ],
    )
    def test_malformed_options_are_usage(self, logs, words, says):
        done = evaltui("results", str(logs / "shift"), *words)
        assert done.exit_code == 2
        assert says in done.stderr

    def test_nothing_to_show(self, tmp_path):
        assert evaltui("results", str(tmp_path)).exit_code == 1
        assert evaltui("results", str(tmp_path / "none")).exit_code == 2

    def test_text_from_logs_is_shown_literally(self, logs, tmp_path):
        directory = tmp_path / "\x1b[31mred"
        shutil.copytree(logs / "rerun", directory)
        (directory / "2020-01-01_\x1b[31m.eval").write_bytes(b"nothing")
        done = evaltui("results", str(directory))
        assert "\x1b" not in done.stdout + done.stderr
        assert "[31m" in done.stdout


class TestStatus:
    def test_a_shift_is_said_in_one_line(self, logs):
        done = evaltui("status", str(logs / "shift"))
        (line,) = [line for line in done.stdout.splitlines() if line.startswith("! ")]
        assert line.startswith("! shifted × mockllm/m, includes: 20 of 100 scored samples (20%)")
        assert "without retries this would be .500" in line

    def test_json_has_the_number_without_retries(self, logs):
        (found,) = json.loads(evaltui("status", str(logs / "shift"), "--json").stdout)["retries"]
        assert found["flags"] == ["shift", "share"]
        assert (found["value"], found["without_retries"]) == (0.6, 0.5)

    def test_a_set_without_retries_says_nothing(self, logs):
        assert "! " not in evaltui("status", str(logs / "kinds")).stdout


class TestCheck:
    @pytest.mark.parametrize(
        ("words", "code", "says"),
        [
            (("--min", "accuracy=0.6"), 0, ""),
            (("--min", "includes=0.61"), 3, "includes is .600, below 0.61"),
            (("--min", "includes/stderr=0.01", "--max-errors", "0"), 0, ""),
            (("--max-reroll", "0.2"), 0, ""),
            (("--max-reroll", "0.05"), 3, "20 of 100 scored samples were tried again"),
            (("--min", "acuracy=0.5"), 2, "there are accuracy, includes, stderr"),
            (("--min", "accuracy"), 2, "is not NAME=VALUE"),
            (("--max-errors", "-1"), 2, "-1"),
        ],
    )
    def test_a_gate(self, logs, words, code, says):
        done = evaltui("check", str(logs / "shift"), *words)
        assert done.exit_code == code, done.stderr
        assert says in done.stderr

    def test_a_roll_up_can_be_the_bar(self, logs):
        words = ("check", str(logs / "kinds"), "--rollup", "all", "--incomplete")
        done = evaltui(*words, "--min", "all passed=0.1")
        assert done.exit_code == 3
        assert "all passed (graded.a, graded.b, worded): all passed is .000" in done.stderr
        assert "failing × mockllm/m has no all passed." in done.stderr

    def test_errored_samples_are_counted_once_a_cell(self, logs):
        assert evaltui("check", str(logs / "kinds"), "--max-errors", "2").exit_code == 0
        done = evaltui("check", str(logs / "kinds"), "--max-errors", "1")
        assert done.exit_code == 3
        assert "2 samples errored, more than 1" in done.stderr

    def test_a_cell_without_a_log_does_not_pass(self, logs, tmp_path):
        shutil.copytree(logs / "shift", tmp_path / "logs")
        shutil.copy(Path(__file__).with_name("stats_logs.py"), tmp_path)
        file = tmp_path / "logs" / "evalset.toml"
        spec = (
            'version = 1\n[[task]]\nfile = "stats_logs.py"\nname = "{}"\n[[model]]\nname = "{}"\n'
        )
        file.write_text(spec.format("shifted", "mockllm/m"))
        assert evaltui("check", str(tmp_path / "logs")).exit_code == 0
        file.write_text(spec.format("shifted", "mockllm/m") + '[[model]]\nname = "mockllm/n"\n')
        done = evaltui("check", str(tmp_path / "logs"))
        assert done.exit_code == 3
        assert "shifted × mockllm/n has no log." in done.stderr
        assert evaltui("check", str(tmp_path / "logs"), "--incomplete").exit_code == 0

    def test_no_log_or_a_broken_one_does_not_pass(self, logs, tmp_path):
        assert evaltui("check", str(tmp_path)).exit_code == 3
        shutil.copytree(logs / "shift", tmp_path / "logs")
        (tmp_path / "logs" / "cut.eval").write_bytes(b"PK")
        done = evaltui("check", str(tmp_path / "logs"), "--min", "accuracy=0.1")
        assert done.exit_code == 3
        assert "cut.eval can't be read" in done.stderr


class TestCompare:
    def test_two_logs_pair_by_pair(self, logs):
        older, newer = sorted((logs / "rerun").glob("*.eval"))
        done = evaltui("compare", str(newer), str(older), "--json")
        assert done.exit_code == 0
        (pair,) = json.loads(done.stdout)["pairs"]
        (found,) = pair["comparisons"]
        assert found["pairs"] == 10
        assert found["left_out"] == {"errored": ["3", "7"]}
        assert found["difference"] == 0.0
        assert pair["reconciliation"] is None

    def test_cells_are_picked_by_words(self, logs):
        done = evaltui("compare", f"{logs / 'kinds'}::repeated", str(logs / "unreduced"))
        assert done.exit_code == 0
        assert done.stdout.startswith("repeated × mockllm/m  against  repeated × mockllm/m")
        assert "over 5 pairs" in done.stdout

    def test_other_questions_are_left_out(self, logs):
        done = evaltui("compare", str(logs / "shift"), f"{logs / 'kinds'}::failing", "--json")
        (pair,) = json.loads(done.stdout)["pairs"]
        (found,) = pair["comparisons"]
        assert found["left_out"]["other content"]
        assert found["left_out"]["only in a"]

    @pytest.mark.parametrize(
        ("a", "says"),
        [
            ("nowhere", "nowhere does not exist"),
            ("kinds::nosuch", "has no cell with 'nosuch'"),
            ("empty", "holds no log"),
            ("text.json", "text.json"),
            ("text.json::x", "is not a directory"),
        ],
    )
    def test_what_cannot_be_compared(self, logs, tmp_path, monkeypatch, a, says):
        monkeypatch.chdir(tmp_path)
        shutil.copytree(logs / "kinds", tmp_path / "kinds")
        (tmp_path / "empty").mkdir()
        (tmp_path / "text.json").write_text("{}")
        done = evaltui("compare", a, "kinds")
        assert done.exit_code == 2
        assert says in done.stderr

    def test_a_side_without_a_partner(self, logs):
        arrays = str(DATA / "arrays.json")
        done = evaltui("compare", arrays, str(DATA / "two-agents.json"))
        assert done.exit_code == 1
        assert "no partner: echo" in done.stdout
