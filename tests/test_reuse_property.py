"""Any history, as attempts that do what the verdicts say would leave it: errors, kills, edits,
reorders, grown and shrunk data, epochs up and down, slices, questions that stand twice."""

import random
from collections import Counter

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evaltui.logs.attempt import LoadedTask, Rules
from tests.histories import Life, asked, runs, task

QUESTIONS = "abcdefgh"

slices = st.one_of(
    st.just({}),
    st.builds(lambda n: {"limit": n}, st.integers(1, 6)),
    st.builds(lambda a, n: {"limit": (a, a + n)}, st.integers(0, 5), st.integers(1, 4)),
    st.builds(lambda ids: {"sample_id": tuple(ids)}, st.sets(st.integers(1, 8), min_size=1)),
)
steps = st.lists(
    st.fixed_dictionaries(
        {
            "data": st.lists(st.sampled_from(QUESTIONS), min_size=1, max_size=8),
            "same_data": st.booleans(),
            "shuffle": st.integers(0, 3),
            "epochs": st.integers(1, 3),
            "slice": slices,
            "sample_shuffle": st.sampled_from([None, None, 5, True]),
            "errors": st.sets(st.sampled_from(QUESTIONS), max_size=3),
            "killed_after": st.one_of(st.none(), st.integers(0, 10)),
            "fail_on_error": st.sampled_from([None, False, 1, 0.5]),
        }
    ),
    min_size=1,
    max_size=6,
)


def load(data: list[str], with_ids: bool, seed: int) -> LoadedTask:
    """The data in the order of one load; ids belong to the questions, counted where they repeat."""
    seen: Counter[str] = Counter()
    rows = []
    for question in data:
        seen[question] += 1
        rows.append((question, f"{question}{seen[question]}"))
    if seed:
        random.Random(seed).shuffle(rows)
    return task([row[0] for row in rows], [row[1] for row in rows] if with_ids else None)


def usable_answers(life: Life, with_ids: bool) -> Counter[tuple[str, int]]:
    """How many clean answers the logs hold for each (question, or id with ids) and epoch."""
    found = {
        ((str(sample.id) if with_ids else str(sample.content)), sample.epoch, sample.uuid)
        for log in life.logs
        for sample in log.samples
        if sample.state == "clean"
    }
    return Counter((name, epoch) for name, epoch, _ in found)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(steps, st.booleans())
def test_nothing_clean_runs_twice_and_every_sample_ends_with_its_question(story, with_ids):
    life = Life()
    data: list[str] = story[0]["data"]
    for number, step in enumerate(story):
        data = data if step["same_data"] else step["data"]
        sample_shuffle = None if "sample_id" in step["slice"] else step["sample_shuffle"]
        rules = Rules(epochs=step["epochs"], sample_shuffle=sample_shuffle, **step["slice"])
        threshold = {"fail_on_error": step["fail_on_error"]}
        planned = load(data, with_ids, step["shuffle"] * 10 + number)
        at_work = load(data, with_ids, step["shuffle"] * 20 + number)

        plan = life.plan(planned, rules, **threshold)
        life.draw = plan.draw or life.draw
        decision = life.plan(at_work, rules, **threshold)
        if plan.blocked is not None:
            assert decision.blocked is not None
            continue
        assert decision.action == plan.action
        assert sorted(decision.verdicts, key=str) == sorted(plan.verdicts, key=str)
        assert sorted(asked(decision, at_work)) == sorted(asked(plan, planned))
        assert sum(decision.counts.values()) == len(decision.wanted) * step["epochs"]

        answers = usable_answers(life, with_ids)
        wanted: Counter[tuple[str, int]] = Counter()
        paid: Counter[tuple[str, int]] = Counter()
        key_of = {
            decision.ids[place]: (
                str(decision.ids[place]) if with_ids else at_work.items[place].content
            )
            for place in decision.wanted
        }
        for verdict in decision.verdicts:
            wanted[key_of[verdict.id], verdict.epoch] += 1
            paid[key_of[verdict.id], verdict.epoch] += verdict.verdict != "reuse"
        everything = len(decision.wanted) == len(at_work.items)
        for key, count in paid.items():
            # with part of equal questions asked for, the answers may belong to the other part
            if everything or with_ids:
                assert count == max(0, wanted[key] - answers[key])

        if decision.action == "none":
            continue
        left = [step["killed_after"]]

        def outcome(question, sample_id, epoch, left=left, errors=step["errors"]):
            if left[0] is not None:
                left[0] -= 1
                if left[0] < 0:
                    return None
            return "errored" if question in errors else "clean"

        before = len(life.calls)
        log = life.carry_out(decision, at_work, rules, outcome)
        if step["killed_after"] is None:
            assert len(life.calls) - before == len(runs(decision))
        content_of = {
            str(decision.ids[place]): at_work.items[place].content for place in decision.wanted
        }
        assert all(each.content == content_of[str(each.id)] for each in log.samples)
        kept = [each.uuid for each in log.samples if each.uuid]
        assert len(kept) == len(set(kept))

    rules = Rules()
    final = load(data, with_ids, 99)
    if life.plan(final, rules).action != "none":
        life.carry_out(life.plan(final, rules), final, rules)
    end = life.plan(load(data, with_ids, 100), rules)
    assert end.action == "none"
    holder = next(log for log in life.logs if log.name == end.complete_in)
    ids = {str(each) for each in end.ids}
    held = [each.content for each in holder.samples if str(each.id) in ids and each.epoch == 1]
    assert sorted(held) == sorted(data)
