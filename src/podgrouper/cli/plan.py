"""`podgrouper plan`: the road on files, without a cluster."""

import click

from podgrouper.cli import options
from podgrouper.cli.command import ConfiguredCommand
from podgrouper.cli.complaints import Complaint
from podgrouper.cli.files import load
from podgrouper.cli.show import FORMS, show
from podgrouper.config.model import Config
from podgrouper.core.rules import Finding
from podgrouper.planning import plan as plan_of


@click.command(
    cls=ConfiguredCommand,
    examples="""
    podgrouper plan -f world.yaml
    podgrouper plan -f deployment.yaml -f pods/ --profile volcano -o yaml
    kubectl get pods,replicasets,deployments -A -o json | podgrouper plan -f - -o table
    """,
)
@click.option(
    "-f",
    "--filename",
    "files",
    multiple=True,
    metavar="FILE",
    help="Objects as YAML or JSON, pods among them; a directory; - for standard input. Repeatable.",
)
@options.configuration()
@options.output(*FORMS)
def plan(files: tuple[str, ...], form: str, config: Config) -> None:
    """Show what would be created, changed, linked, deleted and skipped in a cluster that holds these objects.

    Objects without a namespace are in `default`. Nothing is written anywhere.
    """
    if not files:
        raise Complaint([Finding("--filename", "this is missing: give a file, a directory or - with -f")])
    loaded = load(files)
    if loaded.findings:
        raise Complaint(loaded.findings)
    show(plan_of(loaded.objects, config), form)
