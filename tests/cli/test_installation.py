"""What `podgrouper manifests` prints."""

import pytest

from podgrouper.cli.installation import DIGEST, Installation, as_arguments, installed
from podgrouper.config.model import Config
from podgrouper.core.fields import dig, items, ref_of
from tests.cli.test_program import run

WANTED = Installation("grouper", "system", "podgrouper:1", 2, ("--profile=kai",))


def deployment(wanted=WANTED):
    return installed(wanted, Config())[-1]


def container(wanted=WANTED):
    (found,) = items(deployment(wanted), "spec.template.spec.containers")
    return found


def test_everything_is_there_before_what_needs_it():
    kinds = [ref_of(obj).kind.kind for obj in installed(WANTED, Config())]

    assert kinds == [
        "Namespace",
        "ServiceAccount",
        "ClusterRole",
        "ClusterRoleBinding",
        "Role",
        "RoleBinding",
        "Deployment",
    ]


def test_the_program_may_do_as_little_as_possible_on_its_node():
    assert container()["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
    assert dig(deployment(), "spec.template.spec.securityContext.runAsNonRoot") is True


def test_the_configuration_file_comes_along_and_a_change_of_it_rolls_the_pods():
    one, other = (
        Installation("x", "system", "podgrouper:1", 1, (), text)
        for text in ("log: {level: info}", "log: {level: debug}")
    )
    (config_map,) = (obj for obj in installed(one, Config()) if ref_of(obj).kind.kind == "ConfigMap")

    assert config_map["data"] == {"config.yaml": "log: {level: info}"}
    assert container(one)["args"] == ["--config=/etc/podgrouper/config.yaml"]
    digests = [dig(deployment(w), "spec.template.metadata.annotations") for w in (one, other)]
    assert digests[0][DIGEST] != digests[1][DIGEST]


@pytest.mark.parametrize(
    ("expected", "port"), [pytest.param(["health"], 8081, id="a port"), pytest.param([], 0, id="no server")]
)
def test_it_is_asked_how_it_is_where_it_says_so(expected, port):
    found = container(Installation("x", "system", "podgrouper:1", 1, health_port=port))

    assert [one["name"] for one in found.get("ports", [])] == expected
    assert ("livenessProbe" in found, "readinessProbe" in found) == (bool(expected), bool(expected))


def test_where_owners_are_guarded_the_role_has_what_that_takes():
    wanted = Installation("x", "system", "podgrouper:1", 1, owners_guarded=True)
    roles = [items(obj, "rules") for obj in installed(wanted, Config())]

    assert [rules for rules in roles if "pods/finalizers" in repr(rules)] != []


def test_flags_are_handed_on_as_they_were_typed():
    assert list(as_arguments({"--namespace": ["a", "b"], "--leader-elect": "true"})) == [
        "--namespace=a",
        "--namespace=b",
        "--leader-elect=true",
    ]


def test_everything_that_is_wrong_is_told_at_once():
    done = run("manifests", "--replicas", "0", "--install-namespace", "A_B", "--profile", "volcan")

    assert (done.returncode, done.stdout) == (2, "")
    assert sorted(line.split(": ")[1] for line in done.stderr.splitlines()) == [
        "--image",
        "--install-namespace",
        "--profile",
        "--replicas",
    ]
