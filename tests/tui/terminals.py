"""A terminal for tests: a process in a pty, what it sent, and what its screen shows."""

import contextlib
import fcntl
import os
import pty
import select
import signal
import struct
import sys
import termios
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import pyte

ROOT = Path(__file__).parents[2]
XTERM = {"TERM": "xterm-256color", "COLORTERM": "truecolor", "LANG": "en_GB.UTF-8"}
NEVER = (
    "COLUMNS",
    "LINES",
    "NO_COLOR",
    "SSH_CONNECTION",
    "SSH_TTY",
    "TMUX",
    "COLORFGBG",
    "LC_ALL",
    "LC_CTYPE",
)


class Terminal:
    """A pty with a process in it. `settings`: of the line, before the process started."""

    def __init__(
        self,
        *command: str,
        size: tuple[int, int] = (80, 24),
        environ: Mapping[str, str] | None = None,
        blocked: tuple[signal.Signals, ...] = (),
    ) -> None:
        self.screen = pyte.Screen(*size)
        self._stream = pyte.ByteStream(self.screen)
        self.sent = b""
        kept = {name: value for name, value in os.environ.items() if name not in NEVER}
        self.pid, self.master = pty.fork()
        if self.pid == 0:
            signal.pthread_sigmask(signal.SIG_BLOCK, blocked)
            fcntl.ioctl(0, termios.TIOCSWINSZ, _packed(*size))  # before anybody asks for it
            os.chdir(ROOT)
            os.execvpe(command[0], command, {**kept, **XTERM, **(environ or {})})
        self.settings = termios.tcgetattr(self.master)

    def resize(self, width: int, height: int) -> None:
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, _packed(width, height))
        self.screen.resize(height, width)

    def read(self, seconds: float) -> bytes:
        """All that is sent within a time, or until the terminal is closed."""
        got = b""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            if not select.select([self.master], [], [], left)[0]:
                break
            try:
                data = os.read(self.master, 65536)
            except OSError:
                break
            if not data:
                break
            got += data
            self._stream.feed(_plain(data))
        self.sent += got
        return got

    def wait_for(self, there: str | Callable[[], bool], seconds: float = 20) -> None:
        """Read until a text stands on the screen, or until something holds."""
        until = time.monotonic() + seconds
        while not (there() if callable(there) else there in self.text):
            assert time.monotonic() < until, f"never came: {there}\n{self.text}"
            self.read(0.05)

    @property
    def text(self) -> str:
        return "\n".join(self.screen.display)

    def type(self, keys: bytes) -> None:
        os.write(self.master, keys)

    def settle(self) -> None:
        """Read until nothing has come for a while."""
        while self.read(0.3):
            pass

    def end(self, seconds: float = 10) -> int:
        """The exit code of the process, once it has ended."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            if self.master >= 0:
                self.read(0.05)
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.pid = 0
                return os.waitstatus_to_exitcode(status)
            time.sleep(0.02)
        raise AssertionError(f"still running after {seconds} s:\n{self.text}")

    def hang_up(self) -> None:
        os.close(self.master)
        self.master = -1

    def close(self) -> None:
        if self.pid:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        if self.master >= 0:
            with contextlib.suppress(OSError):
                os.close(self.master)

    @property
    def restored(self) -> bool:
        """Whether line and screen are as a shell wants them."""
        ends = (b"\x1b[?1049l", b"\x1b[?25h", b"\x1b[?2004l", b"\x1b[?7h")
        line = termios.tcgetattr(self.master) == self.settings
        return line and all(end in self.sent for end in ends)


def sample(size: tuple[int, int] = (80, 24), rows: int = 40, **how) -> Terminal:
    """The sample app in a terminal, its first rows drawn."""
    environ = {**how.pop("environ", {}), "ROWS": str(rows)}
    terminal = Terminal(
        sys.executable, "-m", "tests.tui.sample_app", size=size, environ=environ, **how
    )
    try:
        terminal.wait_for("? help")
        terminal.wait_for("swe_bench_" if rows else "nothing matches")
        terminal.settle()
    except BaseException:
        terminal.close()
        raise
    return terminal


def _plain(data: bytes) -> bytes:
    """Without what pyte would show as text."""
    for private in (b"\x1b[>25u", b"\x1b[<u", b"\x1b[?2026$p", b"\x1b[?2048$p"):
        data = data.replace(private, b"")
    return data


def _packed(width: int, height: int) -> bytes:
    return struct.pack("HHHH", height, width, 0, 0)
