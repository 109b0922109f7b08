"""`podgrouper explain -f`: which of the objects in files is meant, and what a plugin made of it."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from podgrouper.cli.complaints import Failure
from podgrouper.cli.main import podgrouper
from tests.builders import Object, controls, owner, pod
from tests.plugins.sources import plugin

ONE = pod("web", namespace="team-a")
TWO = pod("web", namespace="team-b")


def explained(folder: Path, objects: list[Object], *words: str) -> Result:
    file = folder / "objects.json"
    file.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}))
    return CliRunner().invoke(podgrouper, ["explain", "pod/web", "-f", str(file), "-o", "json", *words])


@pytest.mark.parametrize(
    ("objects", "words"),
    [
        pytest.param([ONE], [], id="the only one, wherever it is"),
        pytest.param([ONE, TWO], ["-n", "team-a"], id="the one in the namespace"),
    ],
)
def test_it_is_found(tmp_path, objects, words):
    result = explained(tmp_path, objects, *words)

    assert json.loads(result.output)["about"]["namespace"] == "team-a"


@pytest.mark.parametrize(
    ("objects", "words", "told"),
    [
        pytest.param(
            [ONE, TWO],
            [],
            "these files have more than one pod 'web': try -n team-a or -n team-b",
            id="several",
        ),
        pytest.param(
            [ONE],
            ["-n", "team-b"],
            "there is no pod 'web' in namespace 'team-b' in these files: try -n team-a",
            id="in another namespace",
        ),
        pytest.param([pod("other")], [], "there is no pod 'web' in these files", id="nowhere"),
    ],
)
def test_it_is_not_found_and_the_way_to_it_is_told(tmp_path, objects, words, told):
    result = explained(tmp_path, objects, *words)

    assert isinstance(result.exception, Failure)
    assert str(result.exception) == told


def test_a_grouper_that_raises_is_told_with_what_it_was_at(tmp_path):
    settings = {"plugins": [plugin(tmp_path, 'raise KeyError("parallelism")')]}
    config = tmp_path / "config.json"
    config.write_text(json.dumps({"profiles": [{"policy": "kai", "kai": settings}]}))
    job = owner("example.com/v1 CustomJob", "train")
    web = pod("web", controls(job), scheduler="kai-scheduler")

    (subject,) = json.loads(explained(tmp_path, [job, web], f"--config={config}").output)["subjects"]

    blocked = subject["blockedBy"]
    assert blocked["reason"] == "GrouperFailed"
    assert blocked["message"].endswith(
        "plugin.py, CustomJob ns/train: KeyError: 'parallelism': mend that grouper, or run without it"
    )
