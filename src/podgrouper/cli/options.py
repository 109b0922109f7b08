"""Flags that several commands share, each said once."""

from collections.abc import Callable
from typing import Protocol, TypeVar

import click

from podgrouper.cli.command import OneOf, RowOption, names_of
from podgrouper.config.flags.kai import PLUGIN
from podgrouper.config.flags.table import ROWS

F = TypeVar("F", bound=Callable[..., object])


class Decorator(Protocol):
    """Adds options to the function of a command."""

    def __call__(self, function: F, /) -> F: ...


CONFIG = click.option("--config", metavar="FILE", help="Configuration file, see `podgrouper check config`.")
PROFILE = click.option(
    "--profile",
    "profiles",
    multiple=True,
    metavar="NAME",
    help="Only this profile, built in (volcano, kai) or of the configuration. Repeatable.  [default: all]",
)
SCHEDULER_NAME = click.option(
    "--scheduler-name",
    "scheduler_names",
    multiple=True,
    metavar="NAME",
    help="The pods of this scheduler, for the one profile that is chosen. Repeatable.",
)
KUBECONFIG = click.option(
    "--kubeconfig",
    metavar="FILE",
    default="",
    help="How to reach the cluster.  [default: $KUBECONFIG, ~/.kube/config, the pod's service account]",
)
CONTEXT = click.option(
    "--context", metavar="NAME", default="", help="Context of the kubeconfig.  [default: its current one]"
)
OBSERVE = click.option(
    "--observe", is_flag=True, help="Only look: write nothing, and tell what would be written."
)
BLOCK_OWNERS = click.option(
    "--block-owner-deletion",
    "block_owners",
    is_flag=True,
    help="For clusters with the admission plugin OwnerReferencesPermissionEnforcement: grant `update` on the "
    "finalizers of owners, so that their foreground deletion waits for groups there too.",
)


def from_rows(*, running: bool) -> Decorator:
    """An option for every flag of the table; `running`: with those for a program that keeps running."""
    return together(
        *(click.option(*names_of(row), cls=RowOption, row=row) for row in ROWS if running or not row.running)
    )


def plugins() -> Decorator:
    """Of the table only the flag that names plugins."""
    return together(
        *(click.option(*names_of(row), cls=RowOption, row=row) for row in ROWS if row.flag == PLUGIN)
    )


def output(*forms: str) -> Decorator:
    return click.option("-o", "--output", "form", type=OneOf(*forms), default=forms[0], show_default=True)


def together(*options: Decorator) -> Decorator:
    """Several options as one decorator, shown in this order."""

    def decorate(function: F, /) -> F:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


def configuration(*, running: bool = False) -> Decorator:
    """What decides which pods are looked at and how they are grouped."""
    return together(CONFIG, PROFILE, SCHEDULER_NAME, from_rows(running=running))


def cluster() -> Decorator:
    return together(KUBECONFIG, CONTEXT)
