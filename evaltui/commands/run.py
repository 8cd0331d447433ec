"""`evaltui run`: a set to its end without a screen."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from evaltui.commands.set_command import SetCommand
from evaltui.commands.set_options import set_line, set_options


@click.command("run", cls=SetCommand)
@set_options
@click.option("--json", "json_lines", is_flag=True, help="Every decision as one JSON line.")
@click.option("--detach", is_flag=True, help="Start it in the background, print its pid, return.")
@click.option("--retry-errors", is_flag=True, help="Run tolerated errored samples again too.")
@click.option("--rescore", is_flag=True, help="Score finished samples again, by today's scorers.")
@click.pass_context
def command(
    ctx: click.Context,
    /,
    json_lines: bool,
    detach: bool,
    retry_errors: bool,
    rescore: bool,
    **values: Any,
) -> None:
    """Run TASKS on models in LOG_DIR to the end; without them, finish what LOG_DIR asks for.

    Where LOG_DIR is left out it is ./logs, or what INSPECT_LOG_DIR says.

    Exit codes: 0 complete, 1 error, 2 usage, 3 incomplete, 4 held by another engine, 130
    interrupted, 143 terminated.
    """
    from evaltui.commands.running import detached, run_here
    from evaltui.commands.setting_up import set_up
    from evaltui.engine.detach import DETACHED, HEIR

    line = set_line(values)
    os.environ.update(line.environment)
    set_up(line, Path.cwd())
    if detach:
        asked = {"--retry-errors": retry_errors, "--rescore": rescore}
        options = [flag for flag, wanted in asked.items() if wanted]
        ctx.exit(detached(line.log_dir, line.eval_set_id, options))
    ctx.exit(
        run_here(
            line.log_dir,
            json_lines=json_lines,
            eval_set_id=line.eval_set_id,
            retry_errors=retry_errors,
            rescore=rescore,
            detached=DETACHED in os.environ,
            heir=os.environ.get(DETACHED) == HEIR,
        )
    )
