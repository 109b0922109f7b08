"""The control plane as fixtures, for every folder of tests (a plugin that `tests/conftest.py` names).

One plane of a kind per test process, started when the first test asks for it: with pytest-xdist each
worker has its own, which costs four seconds each and saves every question about who may stop it.
"""

import os
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import NoReturn, Protocol, TypeAlias, runtime_checkable

import pytest

from tests.cluster import binaries
from tests.cluster.control_plane import ControlPlane
from tests.cluster.program import Programs, output_of
from tests.cluster.servers import BARE, Options

Planes: TypeAlias = Callable[[Options], ControlPlane]


@runtime_checkable
class _WithLogs(Protocol):
    """What a test has running."""

    def logs(self) -> str: ...


ENFORCING = Options(admission=("OwnerReferencesPermissionEnforcement",))


@pytest.fixture(scope="session")
def planes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Planes]:
    """A plane for these options: the same one for equal options, until the session ends."""
    running: dict[Options, ControlPlane] = {}
    with ExitStack() as ends:

        def plane_of(options: Options) -> ControlPlane:
            if options not in running:
                folder = tmp_path_factory.mktemp("control-plane")
                running[options] = ends.enter_context(ControlPlane(folder, _binaries(options), options))
            running[options].expect_running()
            return running[options]

        yield plane_of


@pytest.fixture
def plane(planes: Planes) -> ControlPlane:
    """etcd and an API server: owners own what a test says, and nobody acts on anything."""
    return planes(BARE)


@pytest.fixture
def enforcing_plane(planes: Planes) -> ControlPlane:
    """Like `plane`, and who sets blockOwnerDeletion needs rights on the owner's finalizers."""
    return planes(ENFORCING)


@pytest.fixture
def busy_plane(planes: Planes, crds: str) -> ControlPlane:
    """With kube-controller-manager, which knows the CRDs of podgrouper and so collects PodGroups too."""
    return planes(Options(controllers=True, crds=crds))


@pytest.fixture
def namespace(plane: ControlPlane) -> Iterator[str]:
    """An empty namespace on `plane`; with everything in it, it goes when the test ends."""
    with plane.namespace() as name:
        yield name


@pytest.fixture
def busy_namespace(busy_plane: ControlPlane) -> Iterator[str]:
    """An empty namespace on `busy_plane`."""
    with busy_plane.namespace() as name:
        yield name


@pytest.fixture(scope="session")
def crds() -> str:
    """The CRDs that podgrouper brings, as YAML."""
    return output_of("crds")


@pytest.fixture
def programs(tmp_path: Path) -> Iterator[Programs]:
    """Starts `podgrouper run`, as often as a test wants; all of them end with it."""
    with Programs(tmp_path) as programs:
        yield programs


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks every test that needs a control plane, so that `-m 'not control_plane'` leaves none of them."""
    for item in items:
        if "planes" in getattr(item, "fixturenames", ()):
            item.add_marker("control_plane")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Shows the ends of the logs of whatever a failed test had running.

    Skips for want of binaries are all told from this file: the summary then folds them into one line.
    """
    report = yield
    if report.failed:
        running = [value for value in getattr(item, "funcargs", {}).values() if isinstance(value, _WithLogs)]
        report.sections.extend((type(value).__name__, value.logs()) for value in running)
    told = report.longrepr
    if report.skipped and isinstance(told, tuple) and binaries.HOW_TO_GET_THEM in told[2]:
        report.longrepr = (__file__, 1, told[2])
    return report


def _binaries(options: Options) -> Path:
    extra = {"kube-controller-manager": options.controllers, "kube-scheduler": options.scheduler}
    try:
        binaries.find(binaries.SERVERS)
        return binaries.find([*binaries.SERVERS, *(name for name, wanted in extra.items() if wanted)])
    except binaries.Unavailable as why:
        _go_without(str(why))


def _go_without(why: str) -> NoReturn:
    """A skip; in CI a failure, since there a skipped test would look like a passed one."""
    if os.environ.get("CI") == "true":
        pytest.fail(why, pytrace=False)
    pytest.skip(why)
