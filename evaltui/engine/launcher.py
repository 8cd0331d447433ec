"""Starts workers: for attempts, for loads of a task, for recoveries of crashed logs.

They run in sessions of their own and outlive this process. A server that has Inspect loaded forks
them; where it can't be had, each starts as a plain process, later by the time of an import. Only
this module knows the difference, and it knows nothing of what workers do.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path

from evaltui.logs.layout import Layout

_PYTHON = (sys.executable, "-P")  # no folder of the user's shadows a module of ours
_SECONDS_TO_PRELOAD = 60.0


class LaunchError(Exception):
    """A worker that could not be started; one sentence."""


class Launcher:
    """Starts workers for one set. Preloading begins at once, in another process.

    May be called from any thread; one call at a time.
    """

    def __init__(
        self, layout: Layout, *, environment: Mapping[str, str] | None = None, preload: bool = True
    ) -> None:
        """environment: what workers get instead of this process's. preload: false for plain
        processes only."""
        self._layout = layout
        self._environment = dict(os.environ if environment is None else environment)
        self._lock = threading.Lock()
        self._plain: set[int] = set()
        self._exits: dict[int, int] = {}
        self._server = _Server.start(self._environment) if preload else None

    def __enter__(self) -> Launcher:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def ready(self) -> bool:
        """Whether a worker would start at once; until then a start waits for the preloading."""
        return self._server is None or self._server.ready

    def attempt(self, name: str) -> int:
        """Start the attempt whose order lies in its folder; the worker's pid. LaunchError."""
        return self.start(self._layout.attempts / name)

    def load(self, name: str) -> int:
        """Start the load whose order lies in its folder; the worker's pid. LaunchError."""
        return self.start(self._layout.loads / name)

    def recover(self, name: str) -> int:
        """Start the recovery whose order lies in its folder; the worker's pid. LaunchError."""
        return self.start(self._layout.recoveries / name)

    def start(self, folder: Path) -> int:
        """Start a worker on the order that lies in `folder`; its pid. Raises LaunchError.

        Waits while Inspect is still being loaded; see `ready`.
        """
        with self._lock:
            if self._server is not None:
                pid = self._server.fork(folder)
                if pid is not None:
                    return pid
                self._server.close()
                self._server = None
            pid = _spawn(folder, self._environment)
            self._plain.add(pid)
            return pid

    def poll(self) -> dict[int, int]:
        """Pid -> exit code of the workers that ended since the last call; below 0: by a signal.

        A worker that had ended when this process took over, or with the server, is not among
        them: what counts is its `ended` event and whether its lock is free.
        """
        with self._lock:
            if self._server is not None:
                self._exits.update(self._server.exits())
            for pid in list(self._plain):
                self._reap(pid)
            exits, self._exits = self._exits, {}
            return exits

    def close(self) -> None:
        """Let go of the workers, which run on, and of the server."""
        with self._lock:
            if self._server is not None:
                self._server.close()
                self._server = None

    def _reap(self, pid: int) -> None:
        try:
            ended, status = os.waitpid(pid, os.WNOHANG)
        except ChildProcessError:
            self._plain.discard(pid)
            return
        if ended:
            self._plain.discard(pid)
            self._exits[pid] = os.waitstatus_to_exitcode(status)


def _spawn(folder: Path, environment: Mapping[str, str]) -> int:
    command = [*_PYTHON, "-m", "evaltui.worker", str(folder)]
    nothing = (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0)
    written = os.O_WRONLY | os.O_APPEND | os.O_CREAT
    output = (os.POSIX_SPAWN_OPEN, 1, str(folder / "output.log"), written, 0o666)
    errors = (os.POSIX_SPAWN_DUP2, 1, 2)
    try:
        return os.posix_spawn(
            command[0], command, environment, file_actions=[nothing, output, errors], setpgroup=0
        )
    except OSError as error:
        raise LaunchError(f"No worker can be started: {error.strerror}.") from None


class _Server:
    """The forkserver's near end: requests out, replies in by a thread."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self._changed = threading.Condition()
        self._ready = False
        self._gone = False
        self._started: list[int] = []
        self._exits: dict[int, int] = {}
        threading.Thread(target=self._listen, name="evaltui-launcher", daemon=True).start()

    @classmethod
    def start(cls, environment: Mapping[str, str]) -> _Server | None:
        """A server that begins to preload, or None where no process can be started."""
        command = [*_PYTHON, "-m", "evaltui.worker.forkserver"]
        try:
            process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=dict(environment),
                start_new_session=True,
            )
        except OSError:
            return None
        return cls(process)

    @property
    def ready(self) -> bool:
        return self._ready or self._gone

    def fork(self, folder: Path) -> int | None:
        """The pid of a new worker, or None where the server can't give one."""
        request = json.dumps({"folder": str(folder)}).encode() + b"\n"
        assert self._process.stdin is not None
        with self._changed:
            try:
                self._process.stdin.write(request)
                self._process.stdin.flush()
            except OSError:
                return None
            answered = self._changed.wait_for(
                lambda: self._started or self._gone, _SECONDS_TO_PRELOAD
            )
            if not answered:
                # a late fork must not run beside the plain process that is started instead
                self._process.kill()
            return self._started.pop(0) if self._started else None

    def exits(self) -> dict[int, int]:
        with self._changed:
            exits, self._exits = self._exits, {}
            return exits

    def close(self) -> None:
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        if not self._ready:
            self._process.kill()  # it would end only after the preloading, and has no workers yet
        try:
            self._process.wait(timeout=2)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _listen(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as replies:
            for line in replies:
                reply = json.loads(line)
                with self._changed:
                    if "exit" in reply:
                        self._exits[reply["pid"]] = reply["exit"]
                    elif "pid" in reply:
                        self._started.append(reply["pid"])
                    else:
                        self._ready = True
                    self._changed.notify_all()
        with self._changed:
            self._gone = True
            self._changed.notify_all()
