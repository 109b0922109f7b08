"""The house rules that a tool can check."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def python(code: str) -> str:
    """What a fresh interpreter prints."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    return done.stdout.strip()


def test_arrows_between_the_parts_point_down():
    lint = Path(sys.executable).with_name("lint-imports")

    done = subprocess.run([lint, "--no-cache"], capture_output=True, text=True, check=False, cwd=ROOT)

    assert done.returncode == 0, done.stdout


def test_the_road_needs_no_loop_and_no_network():
    loaded = python(
        "import sys, podgrouper.core.road; print(sorted({'asyncio', 'socket', 'ssl'} & set(sys.modules)))"
    )

    assert loaded == "[]"


@pytest.mark.parametrize("command", ["plan", "rbac", "check", "version", "crds"])
def test_a_command_that_asks_no_server_loads_no_http_client(command):
    loaded = python(
        f"import sys, podgrouper.cli.main, podgrouper.cli.{command};"
        "print(sorted({'aiohttp', 'uvloop', 'asyncio'} & set(sys.modules)))"
    )

    assert loaded == "[]"


def test_the_tests_for_plugins_do_not_need_pytest_to_be_loaded():
    assert python("import sys, podgrouper.testing; print('pytest' in sys.modules)") == "False"


@pytest.mark.parametrize("name", ["Config", "Dialect", "Plan", "Policy", "plan"])
def test_the_public_names_are_there(name):
    assert python(f"import podgrouper; print(podgrouper.{name}.__name__)") == name
