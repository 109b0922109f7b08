"""`podgrouper crds`: the PodGroup kinds, for clusters that do not have them from their scheduler."""

from collections.abc import Iterator, Mapping
from importlib.resources import files

import click

from podgrouper.cli import options
from podgrouper.cli.command import ConfiguredCommand
from podgrouper.cli.show import documents
from podgrouper.config.documents import read_documents
from podgrouper.config.model import Config
from podgrouper.core.fields import text
from podgrouper.core.model import Json
from podgrouper.wiring import wire


@click.command(
    cls=ConfiguredCommand,
    examples="""
    podgrouper crds | kubectl apply --server-side -f -
    podgrouper crds --profile kai
    """,
)
@options.together(options.CONFIG, options.PROFILE)
def crds(config: Config) -> None:
    """Print the CRDs of the PodGroups that these profiles write.

    Only for clusters where the scheduler did not bring its own: those know more and should stay.
    """
    kinds = {(p.dialect.kind.group, p.dialect.kind.kind) for p in wire(config, {}).profiles}
    wanted = [crd for crd in shipped() if (text(crd, "spec.group"), text(crd, "spec.names.kind")) in kinds]
    click.echo(documents(wanted), nl=False)


def shipped() -> Iterator[Json]:
    """Every CRD that comes with the program, by file name."""
    folder = files("podgrouper") / "crds"
    for file in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if file.name.endswith(".yaml"):
            yield from (
                crd for crd in read_documents(file.read_text("utf-8")).values if isinstance(crd, Mapping)
            )
