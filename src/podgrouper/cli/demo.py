"""`podgrouper demo`: gangs form in an embedded Kubernetes API, before your eyes."""

import asyncio
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import click

from podgrouper.cli.command import Command
from podgrouper.cli.complaints import Failure
from podgrouper.cli.demonstration.playing import play


@click.command(
    cls=Command,
    examples="""
    podgrouper demo
    podgrouper demo --keep
    """,
)
@click.option("--keep", is_flag=True, help="Stay up afterwards, and say how kubectl gets in.")
def demo(keep: bool) -> None:
    """Watch gangs form in an embedded Kubernetes API.

    Needs no cluster and no network. Starts an API server in memory on 127.0.0.1, the controller as a process
    of its own, and workloads for the profiles volcano and kai; shows what comes of them as the API tells it,
    checks it, and ends in under a minute. Exit code 1 if anything is not as it should be.
    """
    with tempfile.TemporaryDirectory(prefix="podgrouper-demo-") as folder, _plain_failures():
        asyncio.run(play(Path(folder), keep=keep))


@contextmanager
def _plain_failures() -> Iterator[None]:
    """Tasks fail in groups; a person wants the one reason."""
    try:
        yield
    except BaseExceptionGroup as group:
        failures = _failures(group)
        if not failures:
            raise
        raise failures[0] from group


def _failures(error: BaseException) -> Sequence[Failure]:
    if isinstance(error, BaseExceptionGroup):
        return [found for inner in error.exceptions for found in _failures(inner)]
    return [error] if isinstance(error, Failure) else []
