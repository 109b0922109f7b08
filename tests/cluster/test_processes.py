"""Children of tests: they end when told to, and with the tests whatever happens."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cluster.processes import Child, Died, free_port
from tests.cluster.waiting import eventually

ROOT = Path(__file__).parents[2]

A_PARENT = """
import sys
from pathlib import Path
from tests.cluster.processes import Child
print(Child("sleeper", ["sleep", "600"], Path(sys.argv[1])).pid, flush=True)
sys.stdin.read()
"""

OBEYS = "import signal; print('ready', flush=True); signal.pause()"
STUBBORN = f"import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); {OBEYS}"


def python(code: str, folder: Path) -> Child:
    return Child("program", [sys.executable, "-c", code], folder / "program.log")


def alive(pid: int) -> bool:
    """A zombie is dead: only its parent's question is still open."""
    try:
        return ") Z " not in Path(f"/proc/{pid}/stat").read_text()
    except FileNotFoundError:
        return False


def test_a_child_that_ends_by_itself_is_told_with_the_end_of_its_log(tmp_path):
    child = python("print('no such port'); raise SystemExit(3)", tmp_path)

    eventually(lambda: not child.running)

    with pytest.raises(Died, match=r"(?s)program ended with exit code 3.*no such port"):
        child.expect_running()


def test_a_child_that_obeys_ends_by_its_signal(tmp_path):
    child = python(OBEYS, tmp_path)
    eventually(lambda: "ready" in child.tail())

    child.ask_to_stop()

    assert child.wait(within=10) == -signal.SIGTERM


def test_a_child_that_does_not_end_in_time_is_told_and_killed(tmp_path):
    child = python(STUBBORN, tmp_path)
    eventually(lambda: "ready" in child.tail())

    child.ask_to_stop()

    with pytest.raises(Died, match=r"program did not end within 0.2 s"):
        child.wait(within=0.2)
    assert child.exit_code == -signal.SIGKILL


def test_stopping_kills_whoever_does_not_obey_and_may_be_done_twice(tmp_path):
    child = python(STUBBORN, tmp_path)
    eventually(lambda: "ready" in child.tail())

    child.stop(within=0.2)
    child.stop()

    assert not child.running


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ties a child to its parent")
def test_a_child_dies_with_a_parent_that_was_killed(tmp_path):
    command = [sys.executable, "-c", A_PARENT, str(tmp_path / "sleeper.log")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT) as parent:
        child = int(parent.stdout.readline())
        eventually(lambda: Path(f"/proc/{child}/comm").read_text() == "sleep\n")
        parent.kill()

    eventually(lambda: not alive(child))


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ties a child to its parent")
def test_a_child_whose_parent_is_gone_already_never_starts():
    leash = Path(__file__).parent / "leash.py"
    somebody_else = str(os.getppid())

    done = subprocess.run(
        [sys.executable, str(leash), somebody_else, "echo"], capture_output=True, text=True, check=False
    )

    assert done.returncode == 1
    assert "the process that wanted it is gone" in done.stderr


def test_a_free_port_is_one_that_can_be_had():
    assert 1024 < free_port() < 65536
