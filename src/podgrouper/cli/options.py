"""Flags that several commands share, each said once."""

from collections.abc import Callable
from typing import Protocol, TypeVar

import click

from podgrouper.cli.command import OneOf
from podgrouper.config import words

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
NAMESPACE = click.option(
    "--namespace",
    "-n",
    "namespaces",
    multiple=True,
    metavar="NAME",
    help="Only this namespace. Repeatable.  [default: all]",
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

RUNNING = (
    click.option(
        "--log-level", metavar="|".join(words.LOG_LEVELS), help="Least important lines.  [default: info]"
    ),
    click.option(
        "--log-format",
        metavar="|".join(words.LOG_FORMATS),
        help="For people, or for machines.  [default: text]",
    ),
    click.option(
        "--health-address",
        metavar="HOST:PORT",
        help="Where /healthz, /readyz and /metrics are served; empty: nowhere.  [default: :8080]",
    ),
    click.option(
        "--kube-api-qps", metavar="NUMBER", help="Requests per second, at most.  [default: no limit of ours]"
    ),
    click.option("--kube-api-burst", metavar="NUMBER", help="Requests at once before --kube-api-qps counts."),
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


def configuration() -> Decorator:
    """What decides which pods are looked at, for commands that do not run on."""
    return together(CONFIG, PROFILE, SCHEDULER_NAME, NAMESPACE)


def cluster() -> Decorator:
    return together(KUBECONFIG, CONTEXT)


def running() -> Decorator:
    """What only matters to a program that keeps running."""
    return together(*RUNNING)
