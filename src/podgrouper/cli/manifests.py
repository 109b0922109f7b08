"""`podgrouper manifests`: everything that it takes to run in a cluster."""

from pathlib import Path

import click

from podgrouper.cli import options
from podgrouper.cli.command import Asked, ConfiguredCommand, asked_of, noted
from podgrouper.cli.installation import Installation, as_arguments, installed
from podgrouper.cli.show import as_json, documents, plain
from podgrouper.config import words
from podgrouper.config.model import Config
from podgrouper.config.shapes import Bad, Text

REPLICAS = Text("a number from 1 to 9", "[1-9]")
IMAGE = Text("the name of an image that has the command podgrouper", r"\S+", 512)


class _Named(click.ParamType[str]):
    """A name as the API server takes it."""

    name = "NAME"

    def __init__(self, shape: Text) -> None:
        self._shape = shape

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> str:
        flag = param.opts[-1] if param else ""
        read = self._shape.read(value, flag)
        if not isinstance(read, Bad):
            return read.value
        if ctx is not None:
            noted(ctx).extend(read.findings)
        return ""


@click.command(
    cls=ConfiguredCommand,
    examples="""
    podgrouper manifests --image registry.example.com/podgrouper:0.1 --profile kai | kubectl apply -f -
    podgrouper manifests --image podgrouper:0.1 --config podgrouper.yaml --replicas 1
    """,
)
@click.option(
    "--image",
    type=_Named(IMAGE),
    default="",
    help="The image that has the command podgrouper. Must be given.",
)
@click.option(
    "--name",
    type=_Named(words.NAMESPACE),
    default="podgrouper",
    show_default=True,
    help="What everything is called.",
)
@click.option(
    "--install-namespace",
    type=_Named(words.NAMESPACE),
    default="podgrouper",
    show_default=True,
    help="Where it is to run; --namespace says which pods it looks after.",
)
@click.option(
    "--replicas",
    type=_Named(REPLICAS),
    default="2",
    show_default=True,
    metavar="NUMBER",
    help="One of them writes, the others stand by.",
)
@options.BLOCK_OWNERS
@options.configuration(running=True)
@options.output("yaml", "json")
def manifests(
    config: Config,
    *,
    image: str,
    name: str,
    install_namespace: str,
    replicas: str,
    block_owners: bool,
    form: str,
) -> None:
    """Print what `kubectl apply -f -` needs to run podgrouper in a cluster.

    A namespace, a service account with the roles of `podgrouper rbac`, the configuration file as a ConfigMap,
    and a Deployment. All other flags become flags of `podgrouper run` there.
    """
    asked = asked_of(click.get_current_context())
    wanted = Installation(
        name,
        install_namespace,
        image,
        int(replicas),
        tuple(_flags(asked)),
        Path(asked.file).read_text(encoding="utf-8") if asked.file else None,
        _port(config.health_address),
        block_owners,
    )
    objects = installed(wanted, config)
    if form == "json":
        click.echo(as_json({"apiVersion": "v1", "kind": "List", "items": plain(objects)}), nl=False)
    else:
        click.echo(documents(objects), nl=False)


def _flags(asked: Asked) -> list[str]:
    flags = asked.flags
    chosen = {"--profile": flags.profiles, "--scheduler-name": flags.scheduler_names}
    return [*as_arguments(chosen), *as_arguments(flags.typed)]


def _port(address: str) -> int:
    return int(address.rpartition(":")[2]) if address else 0
