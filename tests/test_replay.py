"""`replay/` models: they say what was recorded for a sample, and nothing where nothing was."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from inspect_ai.log import EvalLog, read_eval_log
from inspect_ai.model import get_model

from evaltui.providers.recordings import RecordingError, open_recordings
from tests.made_logs import made_by


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made_by("replayed.py", tmp_path_factory)


@pytest.fixture(scope="module")
def log(folder: Path) -> Callable[[str], EvalLog]:
    return lambda name: read_eval_log(str(folder / f"{name}.eval"))


def answers(log: EvalLog) -> dict[tuple[int | str, int], list[str]]:
    return {
        (sample.id, sample.epoch): [m.text for m in sample.messages if m.role == "assistant"]
        for sample in log.samples or []
        if sample.error is None
    }


def errors(log: EvalLog) -> dict[int | str, str]:
    return {s.id: s.error.message for s in log.samples or [] if s.error is not None}


def test_a_log_replays_call_by_call(log):
    assert log("again").status == "success"
    assert answers(log("again")) == answers(log("recorded"))
    assert answers(log("again"))[2, 1] == [
        "2 messages, heard question 2",
        "4 messages, heard question 2",
    ]


def test_the_recorded_usage_is_counted_again(log):
    usage = log("again").samples[0].model_usage
    assert [each.total_tokens for each in usage.values()] == [20]


def test_a_sample_is_found_whatever_the_order(log):
    assert answers(log("reordered")) == {
        key: said for key, said in answers(log("recorded")).items() if key[1] == 1
    }


def test_a_sample_that_was_not_recorded_errs_alone(log):
    assert list(errors(log("unknown"))) == [9]
    assert "holds no recording of sample 9, epoch 1" in errors(log("unknown"))[9]
    assert len(answers(log("unknown"))) == 2


def test_an_edited_question_gets_no_old_answer(log):
    assert sorted(errors(log("edited"))) == [1, 2, 3]


def test_a_call_more_than_recorded_errs(log):
    assert sorted(errors(log("longer"))) == [1, 2, 3]
    assert "2 recorded calls for sample 1, epoch 1, and this is call 3" in errors(log("longer"))[1]


def test_an_epoch_more_than_recorded_errs(log):
    third = [s for s in log("more_epochs").samples if s.epoch == 3]
    assert all("epoch 3" in s.error.message for s in third)
    assert len(answers(log("more_epochs"))) == 6


def test_a_recording_made_of_a_log_replays_the_same(folder):
    command = [sys.executable, "-m", "evaltui.providers.replay", str(folder / "recorded.eval")]
    made = subprocess.run(command, capture_output=True, check=True, timeout=60).stdout
    path = folder / "made.jsonl"
    path.write_bytes(made)
    assert len(made.splitlines()) == 6
    recordings = open_recordings(path)
    found = recordings.find("2", 1, ["question 2"])
    said = [call.output["choices"][0]["message"]["content"] for call in recordings.calls(found)]
    assert said == ["2 messages, heard question 2", "4 messages, heard question 2"]


def lines(path: Path, *records: dict[str, object]) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def test_what_was_asked_decides_before_a_number(tmp_path):
    recordings = open_recordings(
        lines(
            tmp_path / "r.jsonl",
            {"id": 1, "input": "one?", "output": "1"},
            {"id": 2, "input": "two?", "output": "2"},
        )
    )
    assert recordings.find("1", 1, ["two?"]).calls[0].output == "2"
    assert recordings.find("1", 1, ["wrapped: one?"]).calls[0].output == "1"
    assert recordings.find("1", 1, ["wrapped: three?"], input="three?") is None


def test_one_question_recorded_twice_needs_its_id(tmp_path):
    recordings = open_recordings(
        lines(
            tmp_path / "r.jsonl",
            {"id": "a", "input": "same?", "output": "1"},
            {"id": "b", "input": "same?", "output": "2"},
        )
    )
    assert recordings.find("b", 1, ["same?"]).calls[0].output == "2"
    assert recordings.find("c", 1, ["same?"]) is None


async def test_a_prompt_outside_of_a_sample_is_found_by_its_text(tmp_path):
    path = lines(tmp_path / "r.jsonl", {"input": "How  many?", "outputs": ["three", "four"]})
    model = get_model(f"replay/{path}", memoize=False)
    assert (await model.generate("How many?")).completion == "three"
    with pytest.raises(RecordingError, match="this prompt"):
        await model.generate("How much?")


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b'{"id": 1}\n', "line 1: a recording needs"),
        (b'{"output": "x"}\n', "line 1: a recording needs"),
        (b'{"id": 1, "output": "x"}\nnonsense\n', "line 2: "),
        (b'{"id": 1, "output": "\xff"}\n', "line 1: "),
    ],
)
def test_a_broken_recording_is_refused_in_a_sentence(tmp_path, content, says):
    path = tmp_path / "broken.jsonl"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=says):
        get_model(f"replay/{path}", memoize=False)


def test_a_missing_recording_names_the_path(tmp_path):
    with pytest.raises(ValueError, match=r"no recording at .*none\.eval"):
        get_model(f"replay/{tmp_path}/none.eval", memoize=False)


def test_model_args_are_refused(tmp_path):
    path = lines(tmp_path / "r.jsonl", {"id": 1, "output": "x"})
    with pytest.raises(ValueError, match="takes no model args"):
        get_model(f"replay/{path}", memoize=False, seed=1)
