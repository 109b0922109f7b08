"""`podgrouper version`."""

import platform

import click

from podgrouper import __version__
from podgrouper.cli.command import Command


@click.command(cls=Command, examples="podgrouper version")
def version() -> None:
    """Print the version of podgrouper and of the Python that runs it."""
    click.echo(f"podgrouper {__version__} (Python {platform.python_version()})")
