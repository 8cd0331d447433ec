"""A click command with the options of a set, and what it does with words and variables it gets.

What options there are is in `evaltui.options`.
"""

from __future__ import annotations

import click
from click.core import ParameterSource

from evaltui.commands.set_options import Usage, tasks_named
from evaltui.options import BY_KEY

_TASKS = (
    "TASKS are FILE.py, FILE.py@NAME, a folder of such files, or PACKAGE/NAME of an installed "
    "package. The first word is LOG_DIR unless it names a file of tasks or --log-dir is given."
)


class SetCommand(click.Command):
    """Raises Usage for an option of `inspect eval-set` that is set in the spec alone.

    Inspect's variables count where the line names tasks, as a command line of Inspect does. Else it
    goes on with a set, which nothing that a shell exports may change behind its plan's back.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        rest = self._parsed(ctx, args)
        if not tasks_named(ctx.params["places"], ctx.params["log_dir"]):
            for parameter in self.params:
                name = parameter.name or ""
                if ctx.get_parameter_source(name) is ParameterSource.ENVIRONMENT:
                    ctx.params[name] = () if parameter.multiple else None
        return rest

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        super().format_help_text(ctx, formatter)
        formatter.write_paragraph()
        with formatter.indentation():
            formatter.write_text(_TASKS)

    def _parsed(self, ctx: click.Context, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            setting = _setting(error.option_name)
            if setting is None:
                raise
            raise Usage(
                f"{error.option_name} can't stand on the line; write {setting} under [options] "
                "in the set's evalset.toml"
            ) from None


def _setting(flag: str) -> str | None:
    key = flag.removeprefix("--").replace("-", "_")
    if key in BY_KEY:
        return f"{key} = …"
    key = key.removeprefix("no_")
    return f"{key} = false" if key in BY_KEY else None
