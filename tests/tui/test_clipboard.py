"""Copying: into tmux where one is in it, else to the terminal; and into a file always."""

import base64
import os
import shutil
import subprocess

import pytest

from evaltui.tui.clipboard import LARGEST, copy


def test_it_goes_to_the_terminal_and_into_a_file_for_the_user_alone(tmp_path):
    sent: list[str] = []
    path = tmp_path / "state" / "copied.txt"
    said = copy("swe × gpt\n\x1b[31m", {}, sent.append, path)
    encoded = base64.b64encode("swe × gpt\n\x1b[31m".encode()).decode()
    assert sent == [f"\x1b]52;c;{encoded}\x07"]
    assert path.read_text() == "swe × gpt\n\x1b[31m"
    assert path.stat().st_mode & 0o777 == 0o600
    assert said == f"copied, if your terminal allows it (and in {path})"


def test_what_is_too_long_for_a_terminal_is_in_the_file(tmp_path):
    sent: list[str] = []
    said = copy("x" * (LARGEST + 1), {}, sent.append, tmp_path / "copied.txt")
    assert sent == []
    assert said == f"too long for the clipboard: in {tmp_path / 'copied.txt'}"


def test_where_no_file_can_be_written_that_is_no_error(tmp_path):
    (tmp_path / "file").write_text("")
    path = tmp_path / "file" / "copied.txt"
    assert copy("x", {}, [].append, path) == "copied, if your terminal allows it"
    assert copy("x" * (LARGEST + 1), {}, [].append, path) == "could not be copied or saved"


def test_a_name_that_is_no_utf8_is_copied_as_it_is(tmp_path):
    name = os.fsdecode(b"log-\xff.eval")
    copy(name, {}, [].append, tmp_path / "copied.txt")
    assert (tmp_path / "copied.txt").read_bytes() == b"log-\xff.eval"


@pytest.mark.skipif(shutil.which("tmux") is None, reason="no tmux here")
def test_inside_tmux_its_buffer_is_loaded(tmp_path, monkeypatch):
    socket = tmp_path / "t"
    tmux = ["tmux", "-S", str(socket), "-f", "/dev/null"]
    subprocess.run([*tmux, "new-session", "-d", "-s", "s", "sleep", "60"], check=True)
    try:
        monkeypatch.setenv("TMUX", f"{socket},1,0")
        sent: list[str] = []
        said = copy("from evaltui", os.environ, sent.append, tmp_path / "copied.txt")
        assert said == f"copied (and in {tmp_path / 'copied.txt'})"
        assert sent == []
        shown = subprocess.run([*tmux, "show-buffer"], capture_output=True, text=True, check=True)
        assert shown.stdout == "from evaltui"
    finally:
        subprocess.run([*tmux, "kill-server"], check=False)


def test_a_tmux_that_is_gone_leaves_the_terminal(tmp_path, monkeypatch):
    monkeypatch.setenv("TMUX", f"{tmp_path / 'none'},1,0")
    sent: list[str] = []
    copy("x", os.environ, sent.append, tmp_path / "copied.txt")
    assert len(sent) == 1
