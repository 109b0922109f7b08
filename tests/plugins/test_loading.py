"""Plugins are found, or everything that is wrong with them is."""

from pathlib import Path

import pytest

from podgrouper.core.interfaces import Reads
from podgrouper.core.model import Kind
from podgrouper.plugins.loading import Source, installed, load, named
from tests.plugins.sources import plugin

EXAMPLE = Path(__file__).parents[2] / "examples" / "customjob.py"
CUSTOM_JOB = Kind("example.com/v1", "CustomJob")
JOB = '"batch/v1", "Job"'


def complaints(*sources: str) -> list[str]:
    return [f"{found.path}: {found.message}" for found in load(named(sources), 5.0).findings]


def test_a_plugin_declares_what_it_groups_and_reads():
    loaded = load(named([str(EXAMPLE)]), 5.0)

    (found,) = loaded.plugins
    assert (loaded.findings, found.name, found.kinds) == ((), str(EXAMPLE), (CUSTOM_JOB,))
    assert found.reads == Reads(paths={CUSTOM_JOB: frozenset({"spec.minAvailable", "spec.replicas"})})
    assert found.patient


@pytest.mark.parametrize(
    ("target", "kinds"),
    [
        pytest.param("podgrouper.policies.kai.groupers.jobs", ["Job", "CronJob"], id="a module"),
        pytest.param("podgrouper.policies.kai.groupers.jobs:CronJobGrouper", ["CronJob"], id="a class of it"),
    ],
)
def test_a_module_is_a_plugin_too(target, kinds):
    loaded = load(named([target]), 5.0)

    assert [kind.kind for found in loaded.plugins for kind in found.kinds] == kinds


@pytest.mark.parametrize(
    ("ending", "why"),
    [
        pytest.param("kinds = (", "line 18: '(' was never closed", id="a syntax error"),
        pytest.param("raise OSError('no GPU')", "line 18: OSError: no GPU", id="it raises"),
        pytest.param("raise SystemExit(1)", "line 18: SystemExit: 1", id="it exits"),
        pytest.param("os._exit(4)", "its process ended with exit code 4", id="it exits at once"),
        pytest.param(
            "del CustomJobs",
            "it defines no class with kinds: derive one from podgrouper.groupers.Grouper",
            id="no grouper",
        ),
        pytest.param(
            "del CustomJobs.kinds",
            "it defines no class with kinds: derive one from podgrouper.groupers.Grouper",
            id="no kinds",
        ),
        pytest.param(
            "CustomJobs.kinds = 'Job'",
            "Expected `array`, got `str` - at `$[0].kinds`",
            id="kinds that are none",
        ),
        pytest.param(
            "CustomJobs.reads = None",
            "AttributeError: 'NoneType' object has no attribute 'labels'",
            id="reads that are none",
        ),
    ],
)
def test_a_plugin_that_cannot_be_loaded_is_a_finding(tmp_path, ending, why):
    source = plugin(tmp_path, afterwards=ending)

    assert complaints(source) == [f"plugin {source}: it cannot be loaded: {why}"]


@pytest.mark.parametrize(
    ("source", "why"),
    [
        pytest.param(
            "/no/such/file.py",
            "there is no such file: give the path of a Python file, or the name of a module",
            id="a file",
        ),
        pytest.param(
            "no_such_module", "ModuleNotFoundError: No module named 'no_such_module'", id="a module"
        ),
        pytest.param(
            "podgrouper.groupers:Nothing",
            "it defines no class 'Nothing' with kinds: derive one from podgrouper.groupers.Grouper",
            id="a class",
        ),
    ],
)
def test_a_plugin_that_is_not_there_is_a_finding(source, why):
    assert complaints(source) == [f"plugin {source}: it cannot be loaded: {why}"]


def test_everything_that_is_wrong_is_told_at_once(tmp_path):
    good, again = plugin(tmp_path, name="good"), plugin(tmp_path, name="again")
    broken = plugin(tmp_path, "return (", name="broken")
    jobs = plugin(tmp_path, name="jobs", kind=JOB)

    assert complaints(good, broken, again, jobs) == [
        f"plugin {broken}: it cannot be loaded: line 15: '(' was never closed",
        f"plugin {again}: plugin {good} groups example.com/v1 CustomJob too: keep one of them",
        f"plugin {jobs}: batch/v1 Job has a built-in grouper: set `overrides = True` to take its place",
    ]


@pytest.mark.parametrize(
    ("kind", "overrides", "expected"),
    [
        pytest.param(JOB, True, [], id="a built-in one that it means to replace"),
        pytest.param('"batch/*", "Job"', False, ["set `overrides = True`"], id="all versions of it"),
        pytest.param('"batch/v2", "Job"', False, [], id="another version"),
        pytest.param('"batch/v2", "Job"', True, ["remove `overrides`"], id="nothing to replace"),
    ],
)
def test_a_built_in_grouper_is_replaced_on_purpose_only(tmp_path, kind, overrides, expected):
    found = complaints(plugin(tmp_path, kind=kind, overrides=overrides))

    assert [words for words in expected if words not in " ".join(found)] == []
    assert len(found) == len(expected)


def test_installed_packages_register_theirs(tmp_path, monkeypatch):
    package = tmp_path / "acme-1.0.dist-info"
    package.mkdir()
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: acme\nVersion: 1.0\n")
    (package / "entry_points.txt").write_text("[podgrouper.groupers]\njobs = acme_jobs:CustomJobs\n")
    monkeypatch.syspath_prepend(tmp_path)

    assert installed() == (Source("jobs (acme)", "acme_jobs:CustomJobs"),)
