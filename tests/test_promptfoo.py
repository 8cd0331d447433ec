"""promptfoo's results files (written by promptfoo 0.123.1) beside Inspect's logs.

How the files were made: `promptfoo eval -c NAME.config.json -o NAME.json`, `weighted` with
`--repeat 2`, all in `data/promptfoo`; the agents answer from the recordings that lie there.
"""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from evaltui.commands.front_door import front_door
from evaltui.stats.comparing import CellPair, compare_sides, rules_of
from evaltui.stats.comparison_wording import reconciliation_lines, run_lines
from evaltui.stats.promptfoo import (
    PromptfooError,
    expansion,
    is_promptfoo,
    printed,
    read_runs,
    same_totals,
    source,
    totals,
)
from evaltui.stats.reconcile import Row, Source, explain, reconcile
from evaltui.stats.rollups import usual_rules
from evaltui.stats.sides import SideError, read_side, renamed
from tests.made_logs import made_by

DATA = Path(__file__).parent / "data" / "promptfoo"
FILES = ("two-agents", "two-agents-threshold", "arrays", "weighted", "sets")


def runs(name: str):
    return {run.name: run for run in read_runs((DATA / f"{name}.json").read_bytes())}


class TestItsOwnFigures:
    @pytest.mark.parametrize("name", FILES)
    def test_are_made_again_from_the_verdicts(self, name):
        for run in runs(name).values():
            assert run.stated is not None
            assert same_totals(totals(run), run.stated)

    def test_pass_count_score_and_named_scores(self):
        made = totals(runs("two-agents")["alpha"])
        assert (made.passed, made.failed, made.errored, made.score) == (5, 5, 0, 7.0)
        assert made.named_scores == {"exact": 8.0, "cites": 6.0}

    def test_a_threshold_makes_other_passes_of_the_same_verdicts(self):
        plain, lenient = (runs(name)["alpha"] for name in ("two-agents", "two-agents-threshold"))
        assert [case.verdicts for case in plain.cases] == [case.verdicts for case in lenient.cases]
        assert (totals(plain).passed, totals(lenient).passed) == (5, 9)

    def test_weights_repeats_and_provider_errors(self):
        run = runs("weighted")["alpha"]
        made = totals(run)
        assert (made.passed, made.failed, made.errored) == (14, 4, 2)
        assert made.score == pytest.approx(14.5)
        assert made.named_scores == {"exact": 42.0, "cites": 28.0}
        assert {case.id for case in run.cases if case.errored} == {"q04"}
        keys = [row.key for row in source(run).rows]
        assert len(keys) == len(set(keys)) == 20
        assert {epoch for _, epoch in keys} == {1, 2}

    def test_sets_of_assertions_weigh_as_one_and_name_their_own(self):
        run = runs("sets")["echo"]
        made = totals(run)
        assert (made.passed, made.score) == (1, 2.0625)
        assert made.named_scores == {"length": 1.75, "form": 3.5, "cites": 12.0, "place": 2.0}
        assert run.cases[1].weights == {"form": 2, "length": 1, "contains 3": 1}
        explained = explain(source(run), rules_of(run))
        assert ("mean score", ("weighted mean (form x 2, length x 1, contains 3 x 1)",)) in [
            (each.printed, each.rules) for each in explained
        ]

    def test_an_altered_file_is_told_from_its_rows(self):
        document = json.loads((DATA / "two-agents.json").read_bytes())
        document["results"]["prompts"][0]["metrics"]["testPassCount"] = 6
        (alpha, _) = read_runs(json.dumps(document).encode())
        assert not same_totals(totals(alpha), alpha.stated)


class TestArrays:
    def test_36_rows_where_20_were_meant(self):
        found = expansion(runs("arrays")["echo"])
        assert (found.tests, found.rows, found.variables) == (20, 36, ("sources",))
        assert len(found.ids) == 8

    def test_repeats_are_no_expansion(self):
        assert expansion(runs("weighted")["alpha"]) is None
        assert expansion(runs("two-agents")["alpha"]) is None

    def test_expanded_rows_are_left_out_of_pairs_and_named(self):
        rows = read_side(str(DATA / "arrays.json"))
        compared = compare_sides(rows, rows)
        (pair,) = compared.pairs
        assert all(len(c.left_out["expanded"]) == 8 and c.pairs == 12 for c in pair.comparisons)
        assert len(pair.reconciliation.counts.repeated_first) == 8
        assert pair.reconciliation.parts_at == "counts"
        assert run_lines(pair.runs[0]) == [
            "echo: array variables (sources) made 36 rows of 20 tests"
        ]


@pytest.fixture(scope="module")
def agents(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made_by("replayed.py", tmp_path_factory) / "agents"


@pytest.fixture(scope="module")
def pairs(agents: Path) -> dict[str, CellPair]:
    found = compare_sides(read_side(str(agents)), read_side(str(DATA / "two-agents.json")))
    assert not found.unmatched_a
    assert not found.unmatched_b
    return {pair.b: pair for pair in found.pairs}


class TestTwoAgents:
    """One grading module behind Inspect's scorers and behind promptfoo's assertions."""

    def test_forty_verdicts_and_no_disagreement(self, pairs):
        assert sum(pair.reconciliation.compared for pair in pairs.values()) == 40
        assert not any(pair.reconciliation.disagreements for pair in pairs.values())

    def test_counts_agree_and_the_numbers_part_at_the_roll_ups(self, pairs):
        for pair in pairs.values():
            assert pair.reconciliation.counts.agree
            assert pair.reconciliation.parts_at == "roll-ups"

    @pytest.mark.parametrize(
        ("agent", "exact", "cites", "passed", "weighted"),
        [("alpha", 0.8, 0.6, 0.5, 0.7), ("beta", 0.9, 0.8, 0.7, 0.85)],
    )
    def test_three_roll_ups_explain_every_printed_number(
        self, pairs, agent, exact, cites, passed, weighted
    ):
        explained = {
            (each.source, each.printed): (each.value, each.rules)
            for each in pairs[agent].reconciliation.explained
        }
        inspect = f"replay/{agent}.jsonl"
        assert explained == {
            (inspect, "accuracy of exact"): (pytest.approx(exact), ("exact",)),
            (inspect, "accuracy of cites"): (pytest.approx(cites), ("cites",)),
            (agent, "pass rate"): (pytest.approx(passed), ("all passed (exact, cites)",)),
            (agent, "mean score"): (
                pytest.approx(weighted),
                ("weighted mean (exact x 1, cites x 1)",),
            ),
            (agent, "named score exact"): (pytest.approx(exact), ("exact",)),
            (agent, "named score cites"): (pytest.approx(cites), ("cites",)),
        }

    def test_both_sources_give_each_roll_up_the_same(self, pairs):
        for pair in pairs.values():
            for first, second in pair.reconciliation.rollups:
                assert first.name == second.name
                assert first.value == pytest.approx(second.value)

    def test_a_threshold_is_explained_by_the_weighted_mean_that_reaches_it(self, agents):
        lenient = read_side(str(DATA / "two-agents-threshold.json"))
        found = compare_sides(read_side(f"{agents}::beta"), lenient)
        (pair,) = found.pairs
        explained = {each.printed: each.rules for each in pair.reconciliation.explained}
        assert explained["pass rate"] == ("weighted mean (exact x 1, cites x 1) ≥ 0.5",)

    def test_the_command_says_so(self, agents):
        words = ["compare", str(agents), str(DATA / "two-agents.json")]
        done = CliRunner().invoke(front_door, words)
        assert done.exit_code == 0
        assert done.stdout.count("20 verdicts compared, 0 disagreements") == 2
        assert "alpha prints pass rate .500: all passed (exact, cites)" in done.stdout
        assert done.stdout.count("the printed numbers differ by roll-up alone") == 2

    def test_the_agents_are_compared_pair_by_pair(self, agents):
        words = ["compare", f"{agents}::alpha", f"{agents}::beta", "--json"]
        document = json.loads(CliRunner().invoke(front_door, words).stdout)
        exact, cites = document["pairs"][0]["comparisons"]
        assert (exact["only_a"], exact["only_b"]) == (1, 2)
        assert (cites["only_a"], cites["only_b"]) == (0, 2)
        assert cites["p"] == 0.5
        assert cites["adjusted"] == 1.0

    def test_errors_count_as_failed_there_and_are_left_out_here(self, agents):
        found = compare_sides(read_side(f"{agents}::alpha"), read_side(str(DATA / "weighted.json")))
        (pair,) = found.pairs
        assert pair.comparisons[0].left_out["errored"] == ("q04",)
        explained = {e.printed: e.rules for e in pair.reconciliation.explained}
        assert any("missing as failed" in rule for rule in explained["pass rate"])
        assert explained["mean score"] == (
            "weighted mean (exact x 3, cites x 2, javascript 4 x 1), missing as failed",
        )


class TestNames:
    def test_a_scorer_of_another_name(self, agents):
        side = renamed(read_side(str(DATA / "two-agents.json")), {"exact": "match"})
        (pair,) = [p for p in compare_sides(read_side(str(agents)), side).pairs if p.b == "beta"]
        assert (pair.only_a, pair.only_b) == (("exact",), ("match",))
        assert pair.reconciliation.compared == 10
        assert pair.reconciliation.unmatched == ("exact", "match")

    def test_an_id_variable_of_ones_own(self):
        path = DATA / "two-agents.json"
        (first, *_) = read_runs(path.read_bytes(), "source")[0].cases
        assert first.id == "doc-11"
        with pytest.raises(PromptfooError, match="no test has a variable 'nope'"):
            read_runs(path.read_bytes(), "nope")

    def test_without_any_id_nothing_is_aligned(self, tmp_path):
        text = (DATA / "two-agents.json").read_text().replace('"id":"q', '"name":"q')
        (tmp_path / "r.json").write_text(text)
        with pytest.raises(SideError, match="name one with --id-variable"):
            read_side(str(tmp_path / "r.json"))
        assert len(read_side(str(tmp_path / "r.json"), id_variable="name").cells) == 2

    @pytest.mark.parametrize("content", [b"", b"[]", b'{"evalId": "x"}', b'{"evalId": 1, "resul'])
    def test_what_is_no_results_file(self, content):
        with pytest.raises(PromptfooError, match="no promptfoo results file"):
            read_runs(content)

    def test_a_results_file_is_known_by_its_beginning(self):
        assert all(is_promptfoo((DATA / f"{name}.json").read_bytes()) for name in FILES)
        assert not is_promptfoo((DATA / "two-agents.config.json").read_bytes())


def rows(*values: tuple[str, float, float]) -> tuple[Row, ...]:
    return tuple(Row((id, 1), {"a": a, "b": b}) for id, a, b in values)


class TestReconciling:
    FIRST = Source("x", rows(("1", 1, 1), ("2", 1, 0), ("3", 0, 0)), {"accuracy of a": 2 / 3})

    def test_counts_come_first(self):
        other = Source("y", rows(("1", 1, 1), ("2", 0, 0)), {"pass rate": 0.5})
        found = reconcile(self.FIRST, other, usual_rules(["a", "b"]))
        assert found.parts_at == "counts"
        assert found.counts.only_first == (("3", 1),)
        assert (found.compared, len(found.disagreements)) == (4, 1)
        assert reconciliation_lines(found)[0].startswith("counts differ: 3 rows of 3 samples")

    def test_then_the_verdicts(self):
        other = Source("y", rows(("1", 1, 1), ("2", 0, 0), ("3", 0, 0)), {"pass rate": 1 / 3})
        found = reconcile(self.FIRST, other, usual_rules(["a", "b"]))
        assert found.parts_at == "verdicts"
        (one,) = found.disagreements
        assert (one.key, one.scorer, one.first, one.second) == (("2", 1), "a", 1, 0)

    def test_then_the_roll_ups(self):
        other = Source("y", self.FIRST.rows, {"pass rate": 1 / 3})
        found = reconcile(self.FIRST, other, usual_rules(["a", "b"]))
        assert found.parts_at == "roll-ups"
        assert [each.rules for each in found.explained] == [
            ("a",),
            ("b", "all passed (a, b)"),
        ]

    def test_or_nowhere(self):
        other = Source("y", self.FIRST.rows, {"accuracy of a": 2 / 3})
        assert reconcile(self.FIRST, other, usual_rules(["a"])).parts_at == "none"

    def test_a_number_that_no_rule_makes_is_left_unexplained(self):
        other = Source("y", self.FIRST.rows, {"pass rate": 0.99})
        found = reconcile(self.FIRST, other, usual_rules(["a", "b"]))
        assert found.explained[-1].rules == ()


def test_printed_figures_are_shares_of_all_rows():
    assert printed(runs("weighted")["alpha"]) == pytest.approx(
        {
            "pass rate": 0.7,
            "mean score": 0.725,
            "named score cites": 28 / 36,
            "named score exact": 42 / 54,
        }
    )
