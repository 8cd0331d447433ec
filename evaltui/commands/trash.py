"""`evaltui trash`: the superseded logs of a set; only here are they ever deleted."""

from __future__ import annotations

import click

from evaltui.commands.set_options import Usage, local_directory


@click.command("trash")
@click.argument("log_dir")
@click.option("--restore", "restore", metavar="NAME", help="Move a log back; `all` for every one.")
@click.option("--empty", is_flag=True, help="Delete the superseded logs for good.")
def command(log_dir: str, restore: str | None, empty: bool) -> None:
    """List the superseded logs of LOG_DIR, bring them back, or delete them."""
    from evaltui.engine import trash
    from evaltui.logs.layout import Layout
    from evaltui.text import count, visible

    if restore and empty:
        raise Usage("--restore and --empty say opposite things; keep one")
    directory = local_directory(log_dir)
    if not directory.exists():
        raise Usage(f"{log_dir} does not exist; name the log directory of a set")
    layout = Layout(directory)
    try:
        if empty:
            number, size = trash.empty(layout)
            click.echo(f"{number} logs deleted, {count(size)} bytes freed")
            return
        for path in trash.contents(layout):
            if restore is None:
                click.echo(f"{visible(path.name)}  {count(path.stat().st_size)} bytes")
        if restore is not None:
            for log in _restored(layout, restore):
                click.echo(f"{visible(log)} is back in {log_dir}")
    except (OSError, trash.TrashError) as error:
        raise Usage(str(error)) from None


def _restored(layout, name: str) -> list[str]:  # type: ignore[no-untyped-def]
    """Bring back one log, or all; through the engine where one runs, so that it plans again."""
    from evaltui.engine import inbox, trash
    from evaltui.engine.clock import SystemClock
    from evaltui.engine.lock import holder

    there = {path.name: _log_name(path.name) for path in trash.contents(layout)}
    wanted = [t for t, log in there.items() if name in ("all", t, log)]
    if not wanted:
        raise Usage(
            f"no log called {name} is in the trash; evaltui trash {layout.log_dir} lists it"
        )
    for each in wanted:
        if holder(layout) is None:
            trash.bring_back(layout, each, there[each])
            continue
        arguments = {"trash": each, "log": there[each]}
        sent = inbox.send(layout, "restore", scope="set", arguments=arguments)
        answer = inbox.outcome(layout, sent, SystemClock(), 10)
        if answer is None or answer.refused:
            raise Usage(answer.outcome if answer else "the engine has not answered within 10 s")
    return [there[each] for each in wanted]


def _log_name(trash_name: str) -> str:
    """`x.eval.trash` and `x.eval.2.trash` were both `x.eval`."""
    stem = trash_name.removesuffix(".trash")
    head, dot, number = stem.rpartition(".")
    return head if dot and number.isdigit() else stem
