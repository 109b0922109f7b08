"""`podgrouper demo` as people run it: a program that shows, checks and ends by itself."""

import json
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import pytest

from tests.cluster.processes import Child
from tests.cluster.waiting import eventually

UNDER_A_MINUTE = 60.0
CHILD = re.compile(r"controller in process (\d+)")
KUBECONFIG = re.compile(r"export KUBECONFIG=(\S+)")


class Demo:
    """The running demo, and what it has printed so far."""

    def __init__(self, child: Child) -> None:
        self.child = child

    def printed(self, pattern: re.Pattern[str], within: float = UNDER_A_MINUTE) -> str:
        """What the pattern captures, as soon as it is printed. Raises when the demo ends before."""

        def found() -> re.Match[str] | None:
            return pattern.search(self.output) or self.child.expect_running()

        match = eventually(found, within=within)
        assert match
        return match[1]

    @property
    def output(self) -> str:
        return self.child.log.read_text(encoding="utf-8")


@pytest.fixture
def start(tmp_path: Path) -> Iterator[object]:
    """Starts the demo with flags; whatever is left of it ends with the test."""
    started: list[Child] = []

    def demo(*flags: str) -> Demo:
        command = [sys.executable, "-m", "podgrouper", "demo", *flags]
        started.append(Child("demo", command, tmp_path / f"demo-{len(started)}.log"))
        return Demo(started[-1])

    yield demo
    for child in started:
        child.stop()


def alive(pid: int) -> bool:
    """Whether a process runs; one that nobody has waited for yet does not."""
    stat = Path(f"/proc/{pid}/stat")
    try:
        return stat.read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def listening(url: str) -> bool:
    try:
        with urlopen(url, timeout=5):
            return True
    except (URLError, ConnectionError):
        return False


def test_it_shows_both_profiles_and_ends_well_in_under_a_minute(start):
    begun = time.monotonic()
    demo = start()

    code = demo.child.wait(UNDER_A_MINUTE)

    assert code == 0, demo.output
    assert time.monotonic() - begun < UNDER_A_MINUTE
    assert "volcano: who owns what, in which group" in demo.output
    assert "kai: who owns what, in which group" in demo.output
    assert "34 pods in 17 groups" in demo.output


def test_without_the_controller_it_fails_and_says_so(start):
    demo = start()
    pid = int(demo.printed(CHILD))
    demo.printed(re.compile(r"(a Pod, a Deployment and a StatefulSet are created)"))

    subprocess.run(["kill", "-KILL", str(pid)], check=True)

    assert demo.child.wait(within=15.0) == 1
    assert f"podgrouper: the controller (process {pid}) has ended with exit code -9" in demo.output
    assert "who owns what" not in demo.output


def test_kept_up_it_answers_until_it_is_interrupted_and_leaves_nothing_behind(start):
    demo = start("--keep")
    kubeconfig = Path(demo.printed(KUBECONFIG))
    controller = int(demo.printed(CHILD))
    server = json.loads(kubeconfig.read_text())["clusters"][0]["cluster"]["server"]
    with urlopen(f"{server}/api/v1/namespaces/demo-kai/pods", timeout=10) as answer:
        pods = json.load(answer)["items"]

    demo.child.signal(signal.SIGINT)

    assert demo.child.wait(within=15.0) == 0, demo.output
    assert len(pods) == 17
    assert not alive(controller)
    assert not listening(server)
    assert not kubeconfig.exists()


def test_interrupted_before_its_end_it_fails_and_leaves_nothing_behind(start):
    demo = start()
    controller = int(demo.printed(CHILD))

    demo.child.signal(signal.SIGINT)

    assert demo.child.wait(within=15.0) == 1
    assert "the demo was stopped before its end" in demo.output
    assert not alive(controller)
