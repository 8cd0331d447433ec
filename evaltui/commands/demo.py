"""`evaltui demo`: a real set that needs no keys and no network, in a folder of its own."""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

import click

from evaltui.commands.set_options import Usage, local_directory


@click.command("demo")
@click.argument("log_dir", required=False)
@click.option("--plain", is_flag=True, help="Without a screen, even where one could be shown.")
@click.pass_context
def command(ctx: click.Context, log_dir: str | None, plain: bool) -> None:
    """Run four small tasks on three offline models: one errs, one is rate limited.

    LOG_DIR is made new; where it is left out, in a temporary folder that is named at the end.
    """
    folder = local_directory(log_dir) if log_dir else Path(tempfile.mkdtemp(prefix="evaltui-demo-"))
    directory = folder if log_dir else folder / "logs"
    if directory.exists() and any(directory.iterdir()):
        raise Usage(f"{directory} is not empty; name a new folder, or open it: evaltui {directory}")
    make_demo_set(directory)
    code = _run(directory, plain=plain)
    click.echo(f"The demo's logs are in {directory}. Open them: evaltui {directory}")
    ctx.exit(code)


def make_demo_set(directory: Path) -> None:
    """Write the demo's spec into `directory`, its task files beside it."""
    from evaltui.demo import TASK_FOLDER, demo_spec_args
    from evaltui.logs.layout import Layout
    from evaltui.spec import Amendment, ModelEntry, TaskEntry
    from evaltui.spec_edit import amend_spec

    demo = demo_spec_args(state="state")
    tasks = directory / "tasks"
    tasks.mkdir(parents=True)
    for place in demo.tasks:
        shutil.copy(TASK_FOLDER / place.partition("@")[0], tasks)
    entries = [place.partition("@") for place in demo.tasks]
    change = Amendment(
        tasks=tuple(TaskEntry(file, name) for file, _, name in entries),
        models=tuple(ModelEntry(model.name, args=model.args) for model in demo.models),
        settings=demo.options,
        root="tasks",
    )
    amend_spec(Layout(directory), change)


def _run(directory: Path, *, plain: bool) -> int:
    """On the screen where there is a terminal, else as lines."""
    if not plain and sys.stdout.isatty():
        from evaltui.commands.screen import show_set, why_no_screen

        if why_no_screen() is None:
            return show_set(directory, start=True)
    from evaltui.commands.running import run_here

    return run_here(directory, json_lines=False)
