"""How long a failed cell waits, and when it is given up."""

from __future__ import annotations

from evaltui.engine.retry import Failure, GiveUp, Rerun, RetryRules, after_failure, repeats


def failure(*samples: int, text: str = "boom", gained: int = 0) -> Failure:
    return Failure(frozenset((str(id), 1, text) for id in samples), gained=gained)


def test_waits_double_from_the_first_and_stop_growing_at_an_hour() -> None:
    rules = RetryRules(wait=30)
    waits = [rules.seconds(failures) for failures in (1, 2, 3, 7, 8, 200)]
    assert waits == [30, 60, 120, 1920, 3600, 3600]


def test_immediate_reruns_do_not_wait() -> None:
    assert RetryRules(wait=30, immediate=True).seconds(5) == 0


def test_rules_come_from_the_spec_with_defaults() -> None:
    assert RetryRules.of({}) == RetryRules(30, 10, False)
    assert RetryRules.of({"retry_wait": 1, "retry_attempts": 2}) == RetryRules(1, 2, False)


def test_the_due_time_follows_the_clock_that_is_handed_in() -> None:
    history = [failure(1), failure(2)]
    assert after_failure(RetryRules(wait=1), history, 2, now=100) == Rerun(due=102, failures=2)


def test_reruns_are_used_up() -> None:
    rules = RetryRules(attempts=2)
    history = [failure(1), failure(2), failure(3)]
    assert isinstance(after_failure(rules, history[:2], 2, 0), Rerun)
    outcome = after_failure(rules, history, 3, 0)
    assert isinstance(outcome, GiveUp)
    assert outcome.why == "attempts"
    assert outcome.message.startswith("Failed after 2 reruns with error on 1 sample (boom)")


def test_no_rerun_when_none_is_wanted() -> None:
    outcome = after_failure(RetryRules(attempts=0), [failure(1)], 1, 0)
    assert isinstance(outcome, GiveUp)
    assert outcome.message.startswith("Failed at once")


def test_a_failure_that_only_repeats_itself_is_stuck() -> None:
    """The first attempt gains the clean samples, three reruns bring nothing: waits 1, 2, 4."""
    history = [failure(2, 5, gained=4)]
    waits = []
    while isinstance(step := after_failure(RetryRules(wait=1), history, len(history), 0), Rerun):
        waits.append(step.due)
        history.append(failure(2, 5))
    assert waits == [1, 2, 4]
    assert isinstance(step, GiveUp)
    assert step.why == "stuck"
    assert "the same error on 2 samples (boom)" in step.message


def test_repeats_are_broken_by_a_gain_by_other_samples_and_by_other_errors() -> None:
    same = [failure(1)] * 4
    assert repeats(same) == 3
    assert repeats([*same, failure(1, gained=1)]) == 0
    assert repeats([*same, failure(2)]) == 0
    assert repeats([*same, failure(1, text="other")]) == 0
    assert repeats([failure(1, gained=3), failure(1)]) == 1


def test_numbers_and_addresses_in_an_error_do_not_make_it_another() -> None:
    first = failure(1, text="<object at 0x7f01> timed out after 12.5 s")
    again = failure(1, text="<object at 0x7fcc> timed out after 13 s")
    assert repeats([first, again]) == 1


def test_a_failure_without_samples_repeats_by_its_own_error() -> None:
    crash = Failure(error="the worker was killed")
    assert repeats([crash, crash]) == 1
    assert repeats([crash, Failure(error="out of memory")]) == 0
