"""A click command with the options of a set; of one that has no flag it says where it stands.

It only words the refusal: what options there are is in `evaltui.options`.
"""

from __future__ import annotations

import click

from evaltui.commands.set_options import Usage
from evaltui.options import BY_KEY


class SetCommand(click.Command):
    """Raises Usage for an option of `inspect eval-set` that is set in the spec alone."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
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
