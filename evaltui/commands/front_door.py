"""The front door of the command line: which command a line means. It imports none before that."""

from __future__ import annotations

import gc
import importlib

import click

from evaltui import __version__
from evaltui.commands.names import COMMANDS


class FrontDoor(click.Group):
    """A group whose commands load on use, and where `evaltui LOG_DIR …` means `open`."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        module = importlib.import_module(COMMANDS[name][0])
        if not gc.isenabled():  # see `cli.main`
            gc.freeze()
            gc.enable()
        command: click.Command = module.command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, about) for name, (_, about) in COMMANDS.items()])

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        own = {"--help", "-h", "--version"}
        if not args or (args[0] not in own and args[0] not in COMMANDS):
            args = ["open", *args]
        return super().parse_args(ctx, args)


@click.group(
    cls=FrontDoor,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="evaltui LOG_DIR [TASKS…] opens a set; `evaltui COMMAND --help` says more.",
)
@click.version_option(__version__, prog_name="evaltui", message="%(prog)s %(version)s")
def front_door() -> None:
    """Run and mind sets of language model evaluations: many tasks, many models, one directory."""
