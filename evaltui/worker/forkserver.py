"""A process that has Inspect loaded and forks workers, which so start in milliseconds.

Started by name by the launcher, which it serves until its standard input ends; the workers live
on. It runs no task itself: every fork is used once. One JSON line a request (`{"folder": …}`), one
a reply: `{"ready": true}`, `{"pid": …}` in the order of requests, `{"pid": …, "exit": …}`.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import random
import selectors
import signal
import sys
import warnings
from pathlib import Path
from typing import Any

PRELOADED = (
    "inspect_ai", "inspect_ai.hooks", "inspect_ai.agent._acp.server",
    "inspect_ai.solver._transcript", "inspect_ai._control.scoring",
    "inspect_ai.model._providers.none", "inspect_ai.model._providers.mockllm",
    "anyio._backends._asyncio", "numpy", "opentelemetry.trace", "fsspec",
    "fsspec.implementations.local", "fsspec.implementations.chained", "markdown_it", "linkify_it",
    "evaltui.worker.main", "evaltui.worker.attempt", "evaltui.worker.load",
)  # fmt: skip
"""What a first `eval()` would import. Names only: one that a release lacks costs time, no more."""


class Channel:
    """Standard input and output moved out of reach of what preloaded modules and workers print."""

    def __init__(self) -> None:
        self.requests, self.replies = os.dup(0), os.dup(1)
        nothing = os.open(os.devnull, os.O_RDWR)
        for standard in (0, 1):
            os.dup2(nothing, standard)
        os.close(nothing)
        self._unread = b""

    def read(self) -> list[dict[str, Any]] | None:
        """The requests that have come in whole; None where no more will come."""
        data = os.read(self.requests, 65536)
        if not data:
            return None
        *lines, self._unread = (self._unread + data).split(b"\n")
        return [json.loads(line) for line in lines if line]

    def say(self, **reply: Any) -> None:
        with contextlib.suppress(BrokenPipeError):
            os.write(self.replies, json.dumps(reply).encode() + b"\n")

    def close(self) -> None:
        os.close(self.requests)
        os.close(self.replies)


def main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    channel = Channel()
    preload()
    channel.say(ready=True)
    serve(channel)


def preload() -> None:
    """Import what attempts need, and keep the collector from touching (and so copying) it."""
    gc.disable()
    for name in PRELOADED:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    gc.collect()
    gc.freeze()


def serve(channel: Channel) -> None:
    """Fork a worker for each request and say which have ended, until no more requests come."""
    woken, wakes = os.pipe()
    for end in (woken, wakes):
        os.set_blocking(end, False)
    signal.signal(signal.SIGCHLD, lambda _number, _frame: None)
    signal.set_wakeup_fd(wakes, warn_on_full_buffer=False)
    selector = selectors.DefaultSelector()
    selector.register(channel.requests, selectors.EVENT_READ)
    selector.register(woken, selectors.EVENT_READ)
    while True:
        ready = {key.fd for key, _ in selector.select()}
        if woken in ready:
            with contextlib.suppress(BlockingIOError):
                os.read(woken, 4096)
            _report_ended(channel)
        if channel.requests in ready:
            requests = channel.read()
            if requests is None:
                return
            for request in requests:
                _fork(channel, Path(request["folder"]), (selector, woken, wakes))


def _report_ended(channel: Channel) -> None:
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if pid == 0:
            return
        channel.say(pid=pid, exit=os.waitstatus_to_exitcode(status))


def _fork(channel: Channel, folder: Path, ours: tuple[selectors.BaseSelector, int, int]) -> None:
    with warnings.catch_warnings():
        # threads of numeric libraries, which see to their own forks
        warnings.simplefilter("ignore", DeprecationWarning)
        pid = os.fork()
    if pid:
        channel.say(pid=pid, folder=str(folder))
        return
    try:
        _become_worker(channel, folder, ours)
    finally:
        os._exit(1)  # reached where the worker failed before it could say so


def _become_worker(
    channel: Channel, folder: Path, ours: tuple[selectors.BaseSelector, int, int]
) -> None:
    selector, woken, wakes = ours
    signal.set_wakeup_fd(-1)
    selector.close()
    os.close(woken)
    os.close(wakes)
    channel.close()
    gc.enable()
    _reseed()
    sys.argv = [sys.argv[0], str(folder)]
    from evaltui.worker.main import work

    work(folder)


def _reseed() -> None:
    """Every worker shuffles its own way, as it would in a process of its own."""
    random.seed()
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        numpy.random.seed()


if __name__ == "__main__":
    main()
