"""`evaltui config`: where the settings are, what they are worth now, and where each comes from."""

from __future__ import annotations

import os

import click


@click.command("config")
def command() -> None:
    """Print the settings file's path, the effective values and their origins."""
    from evaltui import settings
    from evaltui.text import visible

    loaded = settings.load(settings.config_path(), os.environ)
    click.echo(f"{loaded.path}{'' if loaded.path.exists() else '  (not there: all defaults)'}")
    for each in loaded.effective:
        click.echo(f"{each.name:<10} {visible(str(each.value)):<24} {visible(each.origin)}")
    for problem in loaded.problems:
        click.echo(visible(problem), err=True)
