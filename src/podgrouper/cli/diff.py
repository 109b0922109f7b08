"""`podgrouper diff`: the road on a cluster as it is now, without writing."""

import asyncio

import click

from podgrouper.cli import options
from podgrouper.cli.cluster import connected
from podgrouper.cli.command import ConfiguredCommand
from podgrouper.cli.show import FORMS, show
from podgrouper.cli.survey import survey
from podgrouper.config.model import Config
from podgrouper.planning import Plan, plan


@click.command(
    cls=ConfiguredCommand,
    examples="""
    podgrouper diff
    podgrouper diff --context staging --profile kai --namespace team-a -o yaml
    """,
)
@options.cluster()
@options.configuration()
@options.output(*FORMS)
def diff(kubeconfig: str, context: str, form: str, config: Config) -> None:
    """Show what podgrouper would change in a cluster now, and change nothing.

    Reads pods, PodGroups and the owners of the pods, once.
    """
    show(asyncio.run(_plan(kubeconfig, context, config)), form)


async def _plan(kubeconfig: str, context: str, config: Config) -> Plan:
    async with connected(kubeconfig, context) as client:
        seen = await survey(client, config)
    return plan(seen.objects.values(), config, unreadable=seen.unreadable)
