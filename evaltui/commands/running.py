"""An engine minding a set in this process, with its progress on standard output; or following one.

Here alone signals become requests to the engine: the engine itself runs in a thread and knows none.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from evaltui.commands.looking import output_glyphs
from evaltui.commands.progress import follow, last_word, progress_for
from evaltui.commands.set_options import Usage
from evaltui.engine.desk import Wish
from evaltui.engine.engine import Engine
from evaltui.engine.launcher import Launcher
from evaltui.engine.lock import HeldError, holder
from evaltui.engine.outcome import (
    COMPLETE,
    ERROR,
    HELD_BY_ANOTHER,
    INCOMPLETE,
    INTERRUPTED,
    Outcome,
)
from evaltui.engine.stopping import Stop
from evaltui.engine.tail import Tail
from evaltui.logs.files import trouble
from evaltui.logs.layout import Layout
from evaltui.logs.manifests import ensure_eval_set_id
from evaltui.spec import SpecError
from evaltui.text import visible


def run_here(
    log_dir: Path,
    *,
    json_lines: bool = False,
    eval_set_id: str | None = None,
    retry_errors: bool = False,
    rescore: bool = False,
    detached: bool = False,
    heir: bool = False,
) -> int:
    """Mind the set in `log_dir` to its end, showing progress; the exit code.

    heir: another engine let go of it for this one, and nobody asked for anything.
    Where another engine minds it already, this follows that one.
    """
    layout = Layout(log_dir)
    with_id(layout, eval_set_id)
    wish = None
    if retry_errors or rescore:
        wish = Wish(retry_errors=retry_errors, rescore=rescore, reason="asked")
    while True:
        there = holder(layout)
        if there is None:
            try:
                return _mind_here(layout, wish, json_lines=json_lines, detached=detached, heir=heir)
            except HeldError as error:
                there = error.holder
        code = _follow_other(layout, HeldError(log_dir, there), json_lines, asked=wish is not None)
        if code is not None:
            return code


def _mind_here(
    layout: Layout, wish: Wish | None, *, json_lines: bool, detached: bool, heir: bool
) -> int:
    """Raises HeldError when another engine is quicker."""
    with Launcher(layout) as launcher:
        running = Running(Engine(layout, launcher, detached=detached, heir=heir, wish=wish))
        with signals_to(running, detached):
            running.start()
            try:
                _show(layout, running, json_lines=json_lines, quiet=detached)
            except OSError as error:
                if error is not running.error:
                    raise
    return _farewell(layout, running, json_lines)


def with_id(layout: Layout, eval_set_id: str | None) -> None:
    """Give the set the id that `--id` names. Raises Usage when it has another."""
    if eval_set_id is None:
        return
    known = ensure_eval_set_id(layout.log_dir, eval_set_id)
    if known != eval_set_id:
        raise Usage(f"--id {eval_set_id}: the set in {layout.log_dir} has the id {known} already")


class Running:
    """An engine in a thread of its own, and how its run ended."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.outcome: Outcome | None = None
        self.error: BaseException | None = None
        self.handed_over = False
        self.interrupts = 0
        self._thread = threading.Thread(target=self._run, name="engine", daemon=True)

    def _run(self) -> None:
        try:
            self.outcome = self.engine.run()
        except BaseException as error:
            self.error = error

    def start(self) -> None:
        self._thread.start()

    def ended(self) -> bool:
        """Raises what kept the engine from running."""
        if self._thread.is_alive():
            return False
        if self.error is not None:
            raise self.error
        return True

    def ask(self, stop: Stop) -> None:
        self.handed_over |= stop == "hand_over"
        self.engine.stop(stop)


@contextlib.contextmanager
def signals_to(running: Running, detached: bool) -> Iterator[None]:
    """While the block runs: Ctrl-C drains, again cancels; TERM cancels; HUP hands over."""

    def interrupt(*_: object) -> None:
        running.interrupts += 1
        running.ask("drain" if running.interrupts == 1 else "cancel")
        if running.interrupts == 1 and not detached:
            _tell("stopping: running samples finish, nothing new starts; Ctrl-C again cancels them")

    def terminate(*_: object) -> None:
        running.ask("terminate")

    def hang_up(*_: object) -> None:
        running.ask("terminate" if detached else "hand_over")

    handlers = {signal.SIGINT: interrupt, signal.SIGTERM: terminate, signal.SIGHUP: hang_up}
    if detached:
        handlers[signal.SIGHUP] = lambda *_: None
    before = {number: signal.signal(number, handler) for number, handler in handlers.items()}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _tell(text: str) -> None:
    with contextlib.suppress(OSError, ValueError):
        print(text, file=sys.stderr, flush=True)


def _show(layout: Layout, running: Running, *, json_lines: bool, quiet: bool) -> None:
    glyphs = output_glyphs()
    live = can_redraw() and not quiet
    progress = progress_for(layout, Tail(layout), glyphs, json_lines=json_lines, live=live)
    with lost_output_ignored(running):
        follow(progress, running.ended)


def can_redraw() -> bool:
    """Whether standard output is a terminal that lines can be redrawn on."""
    return sys.stdout.isatty() and os.environ.get("TERM") not in (None, "", "dumb")


@contextlib.contextmanager
def lost_output_ignored(running: Running) -> Iterator[None]:
    """A terminal or pipe that is gone ends the showing and not the set."""
    try:
        yield
    except (BrokenPipeError, OSError) as error:
        if isinstance(error, HeldError) or error is running.error:
            raise
        devnull = os.open(os.devnull, os.O_WRONLY)
        os.dup2(devnull, sys.stdout.fileno())
        if not running.handed_over:
            running.ask("hand_over")
        while not running.ended():
            threading.Event().wait(0.1)


def _farewell(layout: Layout, running: Running, json_lines: bool) -> int:
    error, outcome = running.error, running.outcome
    if isinstance(error, SpecError):
        raise Usage(f"{layout.log_dir}: {error}")
    if isinstance(error, OSError):
        raise Usage(
            f"{layout.log_dir} can't be written ({trouble(error)}), so nothing was started; mend "
            "that or name another directory"
        )
    if error is not None or outcome is None:
        raise error or RuntimeError("the engine ended without an outcome")
    if outcome.end == "handed_over":
        return _handed_over(layout, running)
    if not json_lines:
        if outcome.message:
            click.echo(visible(outcome.message), err=outcome.end == "incomplete")
        if not can_redraw():  # the live table ends with it
            click.echo(last_word(Tail(layout)))
    return outcome.exit_code


def _handed_over(layout: Layout, running: Running) -> int:
    """The terminal is gone, and a detached engine goes on; or the engine was told to quit."""
    if running.handed_over:
        from evaltui.engine.detach import start_detached

        start_detached(layout, heir=True)
        return COMPLETE
    _tell(f"workers that run go on by themselves; evaltui run {layout.log_dir} minds them again")
    return INCOMPLETE


# --- another engine ------------------------------------------------------------------------------


def _follow_other(layout: Layout, error: HeldError, json_lines: bool, *, asked: bool) -> int | None:
    """Show what the other engine does, to its end; Ctrl-C stops only the looking.

    None where it ended with something left that nobody has looked at: an amendment that came late.
    """
    if asked:
        click.echo(f"evaltui: {error}", err=True)
        return HELD_BY_ANOTHER
    _tell(f"{error}; following it, Ctrl-C stops only the following")
    glyphs = output_glyphs()
    tail = Tail(layout)
    progress = progress_for(layout, tail, glyphs, json_lines=json_lines, live=can_redraw())
    try:
        follow(progress, lambda: holder(layout) is None)
    except KeyboardInterrupt:
        return INTERRUPTED
    state = tail.poll()
    if any(cell.status in ("idle", "queued") for cell in state.cells.values()):
        return None
    if not json_lines:
        click.echo(last_word(tail))
    return {"complete": 0, "incomplete": INCOMPLETE, "cancelled": INTERRUPTED}.get(
        state.status, ERROR
    )


def detached(log_dir: Path, eval_set_id: str | None, options: Sequence[str] = ()) -> int:
    """Start an engine in the background and say its pid; the exit code. options: of `run`."""
    from evaltui.engine.detach import start_detached

    layout = Layout(log_dir)
    with_id(layout, eval_set_id)
    there = holder(layout)
    if there is not None:
        click.echo(f"evaltui: {HeldError(log_dir, there)}", err=True)
        return HELD_BY_ANOTHER
    click.echo(start_detached(layout, options))
    return 0
