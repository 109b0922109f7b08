"""`podgrouper rbac`: the least that the enabled profiles need, computed from what they declare."""

import click

from podgrouper.cli import options
from podgrouper.cli.command import ConfiguredCommand, noted
from podgrouper.cli.roles import Subject, role_objects
from podgrouper.cli.show import as_json, documents, plain
from podgrouper.config.model import Config
from podgrouper.core.rules import Finding


class _ServiceAccount(click.ParamType[Subject]):
    name = "NAMESPACE/NAME"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> Subject:
        namespace, _, name = str(value).partition("/")
        if not (namespace and name) and ctx is not None:
            noted(ctx).append(Finding("--service-account", f"{value!r} is not accepted: give NAMESPACE/NAME"))
        return Subject(namespace, name)


@click.command(
    cls=ConfiguredCommand,
    examples="""
    podgrouper rbac --profile volcano | kubectl apply -f -
    podgrouper rbac --profile kai --service-account podgrouper/podgrouper
    podgrouper rbac --profile volcano --namespace team-a --namespace team-b
    podgrouper rbac --profile volcano --observe
    """,
)
@options.OBSERVE
@options.BLOCK_OWNERS
@options.configuration()
@click.option("--name", default="podgrouper", show_default=True, help="What the roles are called.")
@click.option(
    "--service-account",
    "subject",
    type=_ServiceAccount(),
    help="Print the bindings to this service account too.",
)
@options.output("yaml", "json")
def rbac(
    config: Config, observe: bool, block_owners: bool, name: str, subject: Subject | None, form: str
) -> None:
    """Print the roles that podgrouper needs with these profiles.

    Without --namespace one ClusterRole. With it Roles alone, one for each namespace: PriorityClasses and the
    labels of namespaces, which no Role can grant, are not read then. The Lease with which replicas elect
    one that writes gets a Role of its own, in its namespace or else in that of --service-account. With
    --observe reading is all that they grant.
    """
    objects = role_objects(config, name, subject, observe=observe, guarded=block_owners)
    if form == "json":
        click.echo(as_json({"apiVersion": "v1", "kind": "List", "items": plain(objects)}), nl=False)
    else:
        click.echo(documents(objects), nl=False)
