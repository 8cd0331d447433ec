"""Several commands on one directory: one engine, the others look on; and the trash by command."""

import pytest

from tests.sets import Scratch, wait_until

pytestmark = pytest.mark.slow

SLOW = ("-T", "n=4", "-T", "sleep=1.5", "--max-samples", "1")


def test_a_second_run_follows_the_first_and_says_how_it_ended(cases: Scratch):
    first = cases.start("run", "logs", "counted.py@counted", "--model", "mockllm/a", *SLOW)
    wait_until(lambda: len(cases.calls()) >= 1, what="the first sample")
    second = cases.evaltui("run", "logs")
    assert second.returncode == 0, second.stdout + second.stderr
    assert "following it" in second.stderr
    first.communicate(timeout=60)
    assert first.returncode == 0
    assert len(cases.calls()) == 4


def test_a_second_run_with_a_further_model_has_the_first_run_it(cases: Scratch):
    first = cases.start("run", "logs", "counted.py@counted", "--model", "mockllm/a", *SLOW)
    wait_until(lambda: len(cases.calls()) >= 1, what="the first sample")
    second = cases.evaltui("run", "logs", "--model", "mockllm/b")
    assert second.returncode == 0, second.stdout + second.stderr
    first.communicate(timeout=60)
    assert first.returncode == 0
    assert sorted({call[3] for call in cases.calls()}) == ["mockllm/a", "mockllm/b"]
    assert len(cases.calls()) == 8


def test_what_only_the_engine_could_do_is_refused_with_its_holder(cases: Scratch):
    first = cases.start("run", "logs", "counted.py@counted", "--model", "mockllm/a", *SLOW)
    wait_until(lambda: len(cases.calls()) >= 1, what="the first sample")
    second = cases.evaltui("run", "logs", "--retry-errors")
    assert second.returncode == 4, second.stdout + second.stderr
    assert str(first.pid) in second.stderr
    first.communicate(timeout=60)


def test_a_detached_run_goes_on_by_itself_and_takes_commands(cases: Scratch):
    started = cases.evaltui(
        "run", "logs", "counted.py@counted", "--model", "mockllm/a", *SLOW, "--detach"
    )
    assert started.returncode == 0, started.stdout + started.stderr
    assert started.stdout.strip().isdigit()
    wait_until(lambda: len(cases.calls()) >= 1, what="the first sample")
    held = cases.evaltui("send", "logs", "hold", "counted@*")
    assert held.returncode == 0, held.stdout + held.stderr
    assert cases.evaltui("send", "logs", "release", "counted").returncode == 0
    assert cases.evaltui("send", "logs", "hold", "nothing").returncode == 2
    wait_until(lambda: cases.status()["state"] == "complete", 60, "the end")
    assert len(cases.calls()) == 4


def test_what_is_asked_of_a_detached_run_is_done(cases: Scratch):
    cases.fail(1)
    words = ("counted.py@counted", "--model", "mockllm/a", "-T", "n=1", "--no-fail-on-error")
    assert cases.evaltui("run", "logs", *words).returncode == 0
    cases.fail()
    assert cases.evaltui("run", "logs", "--detach", "--retry-errors").returncode == 0
    wait_until(lambda: len(cases.calls()) == 2, what="the errored sample again")


def test_after_a_quit_nobody_minds_the_set(cases: Scratch):
    words = ("counted.py@counted", "--model", "mockllm/a", "-T", "n=1", "-T", "sleep=3")
    first = cases.start("run", "logs", *words)
    wait_until(lambda: len(cases.calls()) >= 1, what="the first sample")
    quit = cases.evaltui("send", "logs", "quit")
    assert "lets go of the set; 1 worker runs on" in quit.stdout
    output, _ = first.communicate(timeout=60)
    assert first.returncode == 3, output
    assert "evaltui run logs minds them again" in output
    assert cases.status()["engine"] is None


def test_a_log_brought_back_from_the_trash_stays(cases: Scratch):
    cases.fail(2)
    words = ("counted.py@counted", "--model", "mockllm/a", "--retry-attempts", "0")
    assert cases.evaltui("run", "logs", *words).returncode == 3
    cases.fail()
    assert cases.evaltui("run", "logs").returncode == 0
    listed = cases.evaltui("trash", "logs")
    assert ".eval.trash" in listed.stdout
    assert len(cases.log_names()) == 1
    restored = cases.evaltui("trash", "logs", "--restore", "all")
    assert restored.returncode == 0, restored.stdout + restored.stderr
    assert len(cases.log_names()) == 2
    assert cases.evaltui("run", "logs").returncode == 0
    assert len(cases.log_names()) == 2
    assert cases.evaltui("trash", "logs").stdout == ""
