"""`podgrouper check config`: all that is wrong with a configuration, before it runs."""

import json

import click

from podgrouper.cli.command import Command, config_file
from podgrouper.cli.complaints import Complaint
from podgrouper.cli.plugins import with_plugins
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
    podgrouper check config --schema > config.schema.json   # for your editor
    """,
)
@click.argument("file", required=False)
@click.option("--schema", is_flag=True, help="Print the JSON schema of the file instead.")
def config(file: str | None, *, schema: bool) -> None:
    """List everything that is wrong with the configuration FILE: exit 2 if there is anything."""
    if schema:
        click.echo(json.dumps(json_schema(), indent=2))
        return
    if file is None:
        raise Complaint([Finding("FILE", "this is missing: give the file to check, or --schema")])
    read = config_file(file)
    if isinstance(read, Config):
        read = with_plugins(read)
    if not isinstance(read, Config):
        raise Complaint(read)
    names = ", ".join(f"{profile.name} ({', '.join(profile.schedulers)})" for profile in read.profiles)
    click.echo(f"{file}: nothing to find. Profiles: {names}")
