"""`podgrouper check config`: all that is wrong with a configuration, before it runs."""

import json

import click

from podgrouper.cli import options
from podgrouper.cli.command import Command, configured
from podgrouper.cli.complaints import Complaint
from podgrouper.config.flags.kai import PLUGIN
from podgrouper.config.flags.typed import Flags
from podgrouper.config.model import Config
from podgrouper.config.program import json_schema
from podgrouper.core.rules import Finding


@click.group()
def check() -> None:
    """Find what is wrong with a configuration."""


@check.command(
    cls=Command,
    examples="""
    podgrouper check config podgrouper.yaml
    podgrouper check config podgrouper.yaml --plugin customjob.py
    podgrouper check config --schema > config.schema.json   # for your editor
    """,
)
@click.argument("file", required=False)
@options.plugins()
@click.option("--schema", is_flag=True, help="Print the JSON schema of the file instead.")
def config(file: str | None, plugin: tuple[str, ...], *, schema: bool) -> None:
    """List everything that is wrong with the configuration FILE: exit 2 if there is anything."""
    if schema:
        click.echo(json.dumps(json_schema(), indent=2))
        return
    if file is None:
        raise Complaint([Finding("FILE", "this is missing: give the file to check, or --schema")])
    read = configured(file, Flags(typed={PLUGIN: list(plugin)} if plugin else {}))
    if not isinstance(read, Config):
        raise Complaint(read)
    names = ", ".join(f"{profile.name} ({', '.join(profile.schedulers)})" for profile in read.profiles)
    click.echo(f"{file}: nothing to find. Profiles: {names}")
