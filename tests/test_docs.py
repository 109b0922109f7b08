"""What the documentation shows is what happens, and its links lead somewhere."""

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from podgrouper.cli.main import podgrouper
from podgrouper.config.model import Config
from podgrouper.config.program import parse_config
from podgrouper.core.status import LIFECYCLE

ROOT = Path(__file__).parents[1]
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


def test_the_readme_shows_what_plan_prints(monkeypatch):
    monkeypatch.chdir(ROOT)
    (shown,) = blocks(ROOT / "README.md", "text")

    printed = CliRunner().invoke(
        podgrouper, ["plan", "-f", "examples/deployment-volcano.yaml", "--profile", "volcano"]
    )

    assert [line.rstrip() for line in printed.output.splitlines()] == shown.splitlines()


@pytest.mark.parametrize(
    "page", ["docs/guides/first-steps.md", "docs/guides/lifecycle.md", "docs/reference/config.md"]
)
def test_configurations_that_are_shown_are_good_ones(page):
    read = [parse_config(block) for block in blocks(ROOT / page, "yaml")]

    assert read
    assert [entry for entry in read if not isinstance(entry, Config)] == []


def test_the_guide_tells_the_rules_of_the_lifecycle_in_their_order():
    page = (ROOT / "docs/guides/lifecycle.md").read_text()

    assert "\n".join(f"| `{rule.phase}` | {rule.when} |" for rule in LIFECYCLE) in page
