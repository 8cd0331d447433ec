"""Every small file of a set torn, emptied, filled with rubbish or replaced by a directory.

What can be known without it is known; else one sentence names the file. Nothing finished is paid
for again, and nobody sees a traceback.
"""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from evaltui.cli import main
from evaltui.commands.looking import look
from evaltui.engine.clock import SystemClock
from evaltui.engine.foresee import foresee
from evaltui.engine.tail import Tail
from evaltui.engine.wanted import read_wanted
from evaltui.logs.layout import Layout
from tests.engines import Workers, minded, write_spec
from tests.sets import Scratch, scratch

pytestmark = pytest.mark.slow

KEPT = 4
"""Samples of the set, all of them finished; fewer than there are, so that a draw is recorded."""

Damage = Callable[[bytes], bytes | None]
DAMAGES: dict[str, Damage] = {
    "rubbish": lambda whole: random.Random(len(whole)).randbytes(max(200, len(whole))),
    "torn": lambda whole: whole[: len(whole) * 2 // 3],
    "empty": lambda whole: b"",
    "another shape": lambda whole: b'{"version": [1], "samples": {"a": 7}, "t": "x"}\n[1, null]\n',
    "a directory": lambda whole: None,
}


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Scratch:
    """A set that is complete, made once; tests damage copies of it."""
    cases = scratch(tmp_path_factory.mktemp("finished"))
    write_spec(cases, f"limit = {KEPT}")
    with minded(cases) as run:
        assert run.outcome().exit_code == 0
    assert len(cases.calls()) == KEPT
    return cases


@pytest.fixture
def cases(finished: Scratch, tmp_path: Path) -> Scratch:
    shutil.copytree(finished.folder, tmp_path, dirs_exist_ok=True)
    return Scratch(tmp_path)


def damage(path: Path, how: str) -> None:
    made = DAMAGES[how](path.read_bytes() if path.exists() else b"")
    path.unlink(missing_ok=True)
    if made is None:
        path.mkdir()
        (path / "inside").touch()
    else:
        path.write_bytes(made)


def files(layout: Layout) -> Iterable[Path]:
    """Of attempts, loads, fingerprints, draws and commands, and the locks of those who are gone."""
    (attempt,) = layout.attempts.iterdir()
    yield from (attempt / "attempt.json", attempt / "events.jsonl", attempt / "lock")
    yield from (next(folder.glob("*.json")) for folder in (layout.fingerprints, layout.draws))
    yield layout.spec_lock
    layout.commands.mkdir(exist_ok=True)
    yield layout.commands / "00000000000000000001-1-abc.json"


def forget_the_end(layout: Layout) -> None:
    """As after a crash between the launch and its end: the next engine takes the attempt over."""
    lines = layout.journal.read_bytes().splitlines(keepends=True)
    last = max(place for place, line in enumerate(lines) if b'"launched"' in line)
    layout.journal.write_bytes(b"".join(lines[: last + 1]))


def finds_nothing_to_do(cases: Scratch) -> None:
    layout = Layout(cases.logs)
    assert len(look(cases.logs).state.cells) == 1
    wanted, state = read_wanted(layout), Tail(layout).poll()
    (cell,) = foresee(layout, wanted, state, Workers(layout), SystemClock()).cells
    assert (cell.action, cell.reuse, cell.run) == ("none", KEPT, 0), cell
    with minded(cases) as run:
        assert run.outcome().exit_code == 0
    assert len(cases.calls()) == KEPT, "a finished sample was paid for again"


@pytest.mark.parametrize("how", DAMAGES)
@pytest.mark.parametrize("past", ["forgotten", "taken over", "known"])
def test_what_was_finished_is_known_all_the_same(cases: Scratch, how: str, past: str) -> None:
    layout = Layout(cases.logs)
    if past == "taken over":
        forget_the_end(layout)
    for path in [*files(layout), layout.eval_set_manifest, layout.logs_manifest]:
        if how != "a directory" or path not in (layout.eval_set_manifest, layout.logs_manifest):
            damage(path, how)
    if past == "forgotten" and how != "a directory":
        damage(layout.journal, how)
        damage(layout.lock, how)
    if how != "a directory":
        damage(next(layout.loads.glob("*.json")), how)
    finds_nothing_to_do(cases)


def test_folders_that_are_files_cost_nothing_that_was_finished(cases: Scratch) -> None:
    layout = Layout(cases.logs)
    for folder in (layout.fingerprints, layout.draws, layout.commands, layout.recoveries):
        shutil.rmtree(folder, ignore_errors=True)
        folder.touch()
    finds_nothing_to_do(cases)


@pytest.mark.parametrize("how", [how for how in DAMAGES if how != "a directory"])
def test_only_what_is_new_runs_beside_damaged_files(cases: Scratch, how: str) -> None:
    for path in files(Layout(cases.logs)):
        damage(path, how)
    write_spec(cases, f"limit = {KEPT + 2}")
    with minded(cases) as run:
        assert run.outcome().exit_code == 0
    assert sorted(call[1] for call in cases.calls()) == [str(n + 1) for n in range(KEPT + 2)]


@pytest.mark.parametrize(
    ("file", "how", "commands", "says"),
    [
        ("evalset.toml", "rubbish", ("run", "plan", "status"), "not UTF-8; save the file as UTF-8"),
        ("evalset.toml", "torn", ("run", "plan", "status"), "line 5, column 14"),
        ("evalset.toml", "empty", ("run",), "no task is named; add one"),
        ("evalset.toml", "another shape", ("run", "plan", "status"), "line 1, column 1"),
        ("evalset.toml", "a directory", ("run", "plan", "status"), "is a directory"),
        (".eval-set-id", "rubbish", ("run", "plan"), ".eval-set-id is no id of a set; delete it"),
        (".eval-set-id", "a directory", ("run", "plan"), "move it away"),
        (".evaltui/journal.jsonl", "a directory", ("run",), "journal.jsonl is a directory"),
        (".evaltui/lock", "a directory", ("run",), "lock is a directory"),
    ],
)
def test_what_must_be_read_is_named_with_the_way_out(
    cases: Scratch,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    file: str,
    how: str,
    commands: Iterable[str],
    says: str,
) -> None:
    damage(cases.logs / file, how)
    monkeypatch.chdir(cases.folder)
    for command in commands:
        with pytest.raises(SystemExit) as ended:
            main([command, "logs"])
        out, err = capfd.readouterr()
        assert ended.value.code == 2, out + err
        assert "Traceback" not in out + err
        assert says in err.strip().splitlines()[-1]
    assert len(cases.calls()) == KEPT


def test_a_load_that_has_no_place_blocks_its_cell_by_name(cases: Scratch) -> None:
    damage(result := next(Layout(cases.logs).loads.glob("*.json")), "a directory")
    with minded(cases) as run:
        assert run.outcome().exit_code == 3
    message = run.cell("counted").message
    assert result.name in message, message
    assert "move it away" in message
    assert len(cases.calls()) == KEPT
