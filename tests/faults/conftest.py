"""A site for the faults, and what they came to at the end of the run."""

import os
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cluster.fixtures import Planes
from tests.cluster.servers import BARE
from tests.faults.figures import Figure, Memory, table, write
from tests.faults.site import Site

SEED = int(os.environ.get("SEED") or random.SystemRandom().randrange(1_000_000))
"""`SEED=` repeats the choices of the load."""
FIGURES = pytest.StashKey[list[Figure]]()
MEMORIES = pytest.StashKey[list[Memory]]()
REPORT = Path(__file__).parents[2] / "build" / "faults.json"


def pytest_configure(config: pytest.Config) -> None:
    config.stash[FIGURES] = []
    config.stash[MEMORIES] = []


@pytest.fixture(scope="session")
def figures(request: pytest.FixtureRequest) -> list[Figure]:
    return request.config.stash[FIGURES]


@pytest.fixture(scope="session")
def memories(request: pytest.FixtureRequest) -> list[Memory]:
    return request.config.stash[MEMORIES]


@pytest.fixture(scope="module")
def site(planes: Planes, crds: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """One program for all faults of a module: what one leaves behind, the next ones meet."""
    yield from _site(planes, crds, tmp_path_factory.mktemp("site"))


@pytest.fixture(scope="module")
def site_by_pages(planes: Planes, crds: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """Whatever is listed there comes in small pages."""
    yield from _site(planes, crds, tmp_path_factory.mktemp("site"), page=5)


def _site(planes: Planes, crds: str, folder: Path, page: int = 0) -> Iterator[Site]:
    plane = planes(BARE)
    plane.apply(crds)
    with plane.namespace() as namespace, Site(plane, namespace, folder, seed=SEED, page=page) as site:
        yield site


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    figures, memories = config.stash[FIGURES], config.stash[MEMORIES]
    if not figures:
        return
    terminalreporter.section(f"faults, SEED={SEED}")
    for line in table(figures):
        terminalreporter.write_line(line)
    for memory in memories:
        terminalreporter.write_line(
            f"memory: {memory.before:.0f} MiB, after {memory.rounds} faults {memory.after:.0f} MiB"
        )
    if memories:  # all of them were gone through
        write(REPORT, SEED, figures, memories)
