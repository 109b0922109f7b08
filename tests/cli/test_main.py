"""The command line as a whole: what it answers to what a person types."""

import json
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner, Result

from podgrouper import __version__
from podgrouper.cli.complaints import Complaint, line
from podgrouper.cli.main import COMMANDS, podgrouper
from tests.plugins.sources import plugin

EXAMPLES = Path(__file__).parents[2] / "examples"
JOB = '"batch/v1", "Job"'


def call(*words: str, stdin: str = "") -> Result:
    return CliRunner().invoke(podgrouper, list(words), input=stdin)


def complaints(*words: str) -> list[str]:
    error = call(*words).exception
    assert isinstance(error, Complaint)
    return [line(finding) for finding in error.findings]


def test_help_lists_every_command_and_the_exit_codes():
    text = call("--help").output

    assert all(name in text for name in COMMANDS)
    assert "Exit codes" in text


@pytest.mark.parametrize("command", ["run", "plan", "diff", "rbac", "crds", "version", "demo"])
def test_every_command_explains_itself_with_an_example(command):
    text = call(command, "--help").output

    assert f"\n  podgrouper {command}" in text.partition("Examples:")[2]


def test_version():
    assert call("version").output.startswith(f"podgrouper {__version__} (Python 3.")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        pytest.param(
            ["plan", "--profle", "kai", "-f", "-"],
            ["--profle: there is no such flag: did you mean --profile?"],
            id="a misspelt flag, its value not held against it",
        ),
        pytest.param(["version", "now"], ["now: nothing is expected here: see --help"], id="a stray word"),
        pytest.param(
            ["plan"],
            ["--filename: this is missing: give a file, a directory or - with -f"],
            id="no file",
        ),
        pytest.param(
            ["check", "config"], ["FILE: this is missing: give the file to check, or --schema"], id="no FILE"
        ),
        pytest.param(
            ["rbac", "--service-account", "x"],
            ["--service-account: 'x' is not accepted: give NAMESPACE/NAME"],
            id="half a service account",
        ),
        pytest.param(
            ["plan", "-f", "/no/such/file"],
            ["/no/such/file: this cannot be read: No such file or directory"],
            id="a missing file",
        ),
        pytest.param(
            ["plan", "--zap-log-level=debug", "--zap-devel", "--qps=5", "-f", "-"],
            [
                "--zap-log-level: this flag of KAI's pod-grouper has no meaning here: use --log-level",
                "--zap-devel: this flag of KAI's pod-grouper has no meaning here: use --log-format text",
                "--qps: this means something to `podgrouper run` alone: remove it",
            ],
            id="flags of another program",
        ),
        pytest.param(
            ["plan", "--knative-gang-schedule", "false", "-f", "-"],
            [
                "false: nothing is expected here: true and false follow a flag after `=`, as in --flag=false",
            ],
            id="a switch with its value apart",
        ),
    ],
)
def test_a_mistake_is_told_with_the_next_step(words, expected):
    assert complaints(*words) == expected


def test_mistakes_in_flags_and_configuration_are_told_together(tmp_path):
    config = tmp_path / "config.yaml"
    config.write_text("profiles: [{policy: volcan}]\nlog: {level: loud}\n")

    found = complaints("rbac", "--config", str(config), "--namespace", "A", "--bogus", "-o", "xml")

    assert [entry.replace(str(config), "FILE").partition(" is")[0] for entry in found] == [
        "--output: 'xml'",
        "--bogus: there",
        "FILE: profiles[0].policy: 'volcan'",
        "FILE: log.level: 'loud'",
        "--namespace[0]: 'A'",
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("profiles: [{policy: kai}]", "Profiles: kai (kai-scheduler)", id="one profile"),
        pytest.param("", "Profiles: volcano (volcano), kai (kai-scheduler)", id="the built-in ones"),
    ],
)
def test_a_good_configuration_is_said_to_be_one(tmp_path, text, expected):
    file = tmp_path / "config.yaml"
    file.write_text(text)

    result = call("check", "config", str(file))

    assert (result.exit_code, result.output) == (0, f"{file}: nothing to find. {expected}\n")


def test_the_schema_is_printed_as_json():
    assert json.loads(call("check", "config", "--schema").output)["title"] == "podgrouper configuration"


def test_roles_are_printed_as_yaml_or_json():
    as_yaml = list(yaml.safe_load_all(call("rbac", "--profile", "volcano").output))
    as_json = json.loads(call("rbac", "--profile", "volcano", "-o", "json").output)

    assert as_yaml == as_json["items"]


def test_plugins_are_told_about_together_with_everything_else(tmp_path):
    broken, job = plugin(tmp_path, "return (", name="broken"), plugin(tmp_path, name="job", kind=JOB)

    found = complaints("plan", "--profile", "kai", "--plugin", broken, "--plugin", job, "--bogus", "-n", "A")

    assert [entry.replace(str(tmp_path), "DIR").partition(": ")[0] for entry in found] == [
        "--bogus",
        "--namespace[0]",
        "plugin DIR/broken.py",
        "plugin DIR/job.py",
    ]


def test_a_configuration_is_good_only_with_good_plugins(tmp_path):
    missing = tmp_path / "missing.py"
    file = tmp_path / "config.yaml"
    file.write_text(f"profiles: [{{policy: kai, kai: {{plugins: [{missing}]}}}}]")

    (found,) = complaints("check", "config", str(file))

    assert found.startswith(f"plugin {missing}: it cannot be loaded: there is no such file")


def test_a_plugin_is_checked_with_a_configuration_that_does_not_name_it(tmp_path):
    file = tmp_path / "config.yaml"
    file.write_text("profiles: [{policy: kai}]")

    (found,) = complaints("check", "config", str(file), "--plugin", plugin(tmp_path, "return ("))

    assert found.endswith("'(' was never closed")


def test_a_plugin_gets_the_rights_that_it_declares(tmp_path):
    roles = call("rbac", "--profile", "kai", "--plugin", plugin(tmp_path)).output

    assert "customjobs" in roles
    assert "customjobs" not in call("rbac", "--profile", "kai").output


def test_explain_tells_what_a_plugin_decided():
    words = ("explain", "pod/train-0", "-f", f"{EXAMPLES}/customjob.yaml", "-n", "team-a", "--profile", "kai")

    told = call(*words, "--plugin", f"{EXAMPLES}/customjob.py", "-o", "json")

    fields = {field["name"]: field["value"] for field in json.loads(told.output)["subjects"][0]["fields"]}
    assert fields["minMember"] == "2"
