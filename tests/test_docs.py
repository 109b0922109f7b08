"""What the documentation shows is what happens, and its links lead somewhere."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from podgrouper.cli.main import podgrouper
from podgrouper.config.model import Config
from podgrouper.config.program import parse_config
from podgrouper.core.status import LIFECYCLE

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "examples"
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])


def links(page: Path) -> list[str]:
    targets = re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text())
    return [target for target in targets if "://" not in target]


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", page.read_text(), re.DOTALL)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    missing = [target for target in links(page) if not (page.parent / target).exists()]

    assert missing == []


@pytest.mark.parametrize(
    ("page", "command"),
    [
        pytest.param(
            "README.md", "plan -f examples/deployment-volcano.yaml --profile volcano", id="the first group"
        ),
        pytest.param(
            "docs/guides/own-grouper.md",
            "plan -f examples/customjob.yaml --profile kai --plugin examples/customjob.py",
            id="a grouper of one's own",
        ),
    ],
)
def test_a_page_shows_what_plan_prints(monkeypatch, page, command):
    monkeypatch.chdir(ROOT)
    (shown,) = blocks(ROOT / page, "text")

    printed = CliRunner().invoke(podgrouper, command.split())

    assert f"podgrouper {command}" in "".join(blocks(ROOT / page, "sh"))
    assert [line.rstrip() for line in printed.output.splitlines()] == shown.splitlines()


def test_the_guide_shows_the_example_as_it_is():
    shown = blocks(ROOT / "docs/guides/own-grouper.md", "python")

    assert shown == [(EXAMPLES / name).read_text() for name in ("customjob.py", "test_customjob.py")]


def test_the_tests_of_the_example_run_where_a_person_copies_them(tmp_path):
    for name in ("customjob.py", "customjob.yaml", "test_customjob.py"):
        shutil.copy(EXAMPLES / name, tmp_path)

    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )

    assert "7 passed" in done.stdout


def test_the_guide_on_volcano_shows_what_explain_prints(monkeypatch):
    monkeypatch.chdir(ROOT)
    command, shown = blocks(ROOT / "docs/guides/kai-workloads-on-volcano.md", "text")

    printed = CliRunner().invoke(podgrouper, command.replace("\\\n", " ").split()[1:])

    assert [line.rstrip() for line in printed.output.splitlines()] == shown.splitlines()


@pytest.mark.parametrize(
    "page",
    [
        "docs/guides/first-steps.md",
        "docs/guides/lifecycle.md",
        "docs/guides/own-grouper.md",
        "docs/guides/kai-workloads-on-volcano.md",
        "docs/reference/config.md",
    ],
)
def test_configurations_that_are_shown_are_good_ones(page):
    read = [parse_config(block) for block in blocks(ROOT / page, "yaml")]

    assert read
    assert [entry for entry in read if not isinstance(entry, Config)] == []


def test_the_guide_tells_the_rules_of_the_lifecycle_in_their_order():
    page = (ROOT / "docs/guides/lifecycle.md").read_text()

    assert "\n".join(f"| `{rule.phase}` | {rule.when} |" for rule in LIFECYCLE) in page
