"""`podgrouper explain`: why is my gang not running?"""

import asyncio

import click

from podgrouper.cli import options
from podgrouper.cli.cluster import connected
from podgrouper.cli.command import ConfiguredCommand
from podgrouper.cli.complaints import Complaint
from podgrouper.cli.files import load
from podgrouper.cli.inquiry import Asked, among, asked, inquire
from podgrouper.cli.telling import tell_json, tell_tree
from podgrouper.config.model import Config
from podgrouper.explaining.explain import explain as explanation_of
from podgrouper.explaining.model import Explanation

TOLD = {"tree": tell_tree, "json": tell_json}


@click.command(
    cls=ConfiguredCommand,
    examples="""
    podgrouper explain pod/train-worker-0 -n team-a
    podgrouper explain podgroup/podgroup-5c4b8f6e-0000-4000-8000-000000000002 -n team-a
    podgrouper explain deployment/web -o json
    kubectl get all,podgroups,events -o json | podgrouper explain job/train -f -
    """,
)
@click.argument("what", metavar="KIND/NAME", default="")
@click.option(
    "-f",
    "--filename",
    "files",
    multiple=True,
    metavar="FILE",
    help="Objects of files instead of a cluster; a directory; - for standard input. Repeatable.",
)
@options.cluster()
@options.configuration()
@options.output(*TOLD)
def explain(
    what: str, files: tuple[str, ...], kubeconfig: str, context: str, form: str, config: Config
) -> None:
    """Show who owns a pod, which rule grouped it, and what keeps its gang from running.

    Asks about a pod, a PodGroup or anything above pods. The first reason that is in the way comes with a
    stable code. Nothing is written.
    """
    if len(config.namespaces) > 1:
        raise Complaint.of("--namespace", "an object is in one namespace: give one")
    meant = asked(what)
    namespace = config.namespaces[0] if config.namespaces else ""
    if files:
        TOLD[form](_of_files(meant, files, namespace, config))
    else:
        TOLD[form](asyncio.run(_of_cluster(meant, kubeconfig, context, namespace or "default", config)))


def _of_files(what: Asked, files: tuple[str, ...], namespace: str, config: Config) -> Explanation:
    loaded = load(files)
    if loaded.findings:
        raise Complaint(loaded.findings)
    return explanation_of(among(loaded.objects, what, namespace), loaded.objects, config)


async def _of_cluster(
    what: Asked, kubeconfig: str, context: str, namespace: str, config: Config
) -> Explanation:
    async with connected(kubeconfig, context) as client:
        about, seen = await inquire(client, config, what, namespace)
    return explanation_of(about, seen.objects.values(), config, unreadable=seen.unreadable)
