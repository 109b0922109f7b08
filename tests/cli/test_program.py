"""The program as its own process: exit codes and streams."""

import subprocess
import sys

import pytest


def run(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "podgrouper", *words]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)


@pytest.mark.parametrize(
    ("words", "code"),
    [
        pytest.param(["version"], 0, id="done"),
        pytest.param(["plan", "--log-level"], 2, id="a flag that is not there"),
        pytest.param(["plan", "-f", "/no/such/file"], 2, id="no such file"),
        pytest.param(["nonsense"], 2, id="no such command"),
        pytest.param(["diff", "--kubeconfig", "/no/such/file"], 2, id="no such kubeconfig"),
    ],
)
def test_the_exit_code_tells_how_it_went(words, code):
    done = run(*words)

    assert (done.returncode, "Traceback" in done.stderr) == (code, False)


def test_complaints_go_to_standard_error_a_line_each():
    done = run("rbac", "--profile", "volcan", "--namespace", "A")

    assert done.stdout == ""
    assert done.stderr.splitlines() == [
        "podgrouper: --profile: there is no profile 'volcan': did you mean `volcano`?",
        "podgrouper: --namespace[0]: 'A' is not accepted: give the name of a namespace",
    ]
