"""The roles that profiles need."""

from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podgrouper.cli.roles import Subject, grants_of, role_objects
from podgrouper.config.flags.typed import Flags, with_flags
from podgrouper.config.model import Config, LeaderElection
from podgrouper.core.fields import dig, items, ref_of
from podgrouper.core.model import Json

MAY = frozenset({"get", "list", "watch", "create", "patch", "delete"})


def config(*profiles: str, namespaces: tuple[str, ...] = (), **typed: str) -> Config:
    flags = {f"--{name.replace('_', '-')}": value for name, value in typed.items()}
    made = with_flags(Config(), Flags(profiles=profiles, typed={"--namespace": list(namespaces), **flags}))
    assert isinstance(made, Config)
    return made


def verbs(role: object, group: str, resource: str) -> list[str]:
    return [
        verb
        for rule in items(role, "rules")
        if group in rule["apiGroups"] and resource in rule["resources"]
        for verb in rule["verbs"]
    ]


def readable(roles: Iterable[Json]) -> set[tuple[str, str]]:
    """Group and resource of everything that may be listed."""
    rules = [rule for role in roles for rule in items(role, "rules") if "list" in rule["verbs"]]
    return {(group, name) for rule in rules for group in rule["apiGroups"] for name in rule["resources"]}


@pytest.mark.parametrize(
    ("profile", "group", "resource", "expected"),
    [
        pytest.param("volcano", "", "pods", ["get", "list", "watch", "patch"], id="pods are linked"),
        pytest.param(
            "volcano",
            "scheduling.volcano.sh",
            "podgroups",
            ["get", "list", "watch", "create", "patch", "delete"],
            id="groups of the dialect are written",
        ),
        pytest.param("volcano", "scheduling.run.ai", "podgroups", [], id="groups of no other dialect"),
        pytest.param("volcano", "apps", "replicasets", ["get", "list", "watch"], id="owners are read"),
        pytest.param("volcano", "", "configmaps", ["get", "list", "watch"], id="the rules are read"),
        pytest.param("kai", "", "configmaps", [], id="no ConfigMap that nobody named"),
        pytest.param("kai", "scheduling.k8s.io", "priorityclasses", ["list", "watch"], id="priority classes"),
        pytest.param("volcano", "", "events", ["create"], id="events are told"),
        pytest.param("volcano", "", "secrets", [], id="no secrets"),
    ],
)
def test_a_profile_gets_what_it_declares(profile, group, resource, expected):
    (role,) = role_objects(config(profile), "podgrouper", None)

    assert verbs(role, group, resource) == expected


@pytest.mark.parametrize(
    ("profile", "typed", "group", "resource", "expected"),
    [
        pytest.param("kai", {}, "scheduling.run.ai", "podgroups/status", [], id="no status by default"),
        pytest.param("kai", {}, "", "pods/eviction", [], id="no evictions by default"),
        pytest.param(
            "kai",
            {"write_status": "always"},
            "scheduling.run.ai",
            "podgroups/status",
            ["patch"],
            id="the status where it is written",
        ),
        pytest.param(
            "volcano",
            {"write_status": "always"},
            "scheduling.volcano.sh",
            "podgroups/status",
            [],
            id="no status of a CRD that has it in the object",
        ),
        pytest.param(
            "volcano", {"recover": "restart"}, "", "pods/eviction", ["create"], id="evictions: all gangs"
        ),
        pytest.param(
            "volcano", {"recover": "annotated"}, "", "pods/eviction", ["create"], id="evictions: who asks"
        ),
        pytest.param("volcano", {"recover": "restart"}, "", "secrets", [], id="nothing else"),
    ],
)
def test_who_does_more_for_groups_needs_more(profile, typed, group, resource, expected):
    (role,) = role_objects(config(profile, **typed), "podgrouper", None)

    assert verbs(role, group, resource) == expected


def test_a_kind_is_granted_once_where_its_values_are_read_too():
    grants = grants_of(config("kai", write_status="always"))

    assert len([one for one in grants if one.kind.kind == "PriorityClass"]) == 1


@pytest.mark.parametrize("namespaces", [(), ("team",)], ids=["everywhere", "in one namespace"])
def test_who_only_looks_may_read_what_others_may_and_write_nothing(namespaces):
    looking, working = (
        role_objects(config("volcano", "kai", namespaces=namespaces), "podgrouper", None, observe=observe)
        for observe in (True, False)
    )

    granted = {verb for role in looking for rule in items(role, "rules") for verb in rule["verbs"]}
    assert granted == {"get", "list", "watch"}
    assert readable(looking) == readable(working)


SUBJECTS = (None, Subject("system", "sa"))
CHOICES = st.fixed_dictionaries(
    {},
    optional={
        "write_status": st.just("always"),
        "recover": st.sampled_from(["annotated", "restart"]),
    },
)


@given(
    profiles=st.sampled_from([("volcano",), ("kai",), ("volcano", "kai")]),
    namespaces=st.sampled_from([(), ("a",), ("a", "b")]),
    choices=CHOICES,
    subject=st.sampled_from(SUBJECTS),
    observe=st.booleans(),
    guarded=st.booleans(),
)
def test_no_configuration_asks_for_what_is_nobodys_business(
    profiles, namespaces, choices, subject, observe, guarded
):
    wanted = config(*profiles, namespaces=namespaces, **choices)
    roles = role_objects(wanted, "x", subject, observe=observe, guarded=guarded)
    rules = [rule for role in roles for rule in items(role, "rules")]
    resources = {resource for rule in rules for resource in rule["resources"]}
    granted = {verb for rule in rules for verb in rule["verbs"]}

    assert "*" not in repr(rules)
    assert not {resource for resource in resources if resource.startswith("secrets")}
    assert granted <= {*MAY} | ({"update"} if guarded and not observe else set())
    assert {"finalizers"} >= {verb_door(rule) for rule in rules if "update" in rule["verbs"]}
    assert not namespaces or not {kind for kind in map(kind_of, roles) if kind.startswith("Cluster")}


def verb_door(rule: Json) -> str:
    (door,) = {resource.partition("/")[2] for resource in rule["resources"]}
    return str(door)


def kind_of(role: Json) -> str:
    return ref_of(role).kind.kind


def test_who_guards_owners_is_asked_for_those_that_groups_may_block_and_no_others():
    (role,) = role_objects(config("volcano", "kai"), "x", None, guarded=True)
    rules = [rule for rule in items(role, "rules") if "update" in rule["verbs"]]

    assert {resource for rule in rules for resource in rule["resources"]} == {
        f"{plural}/finalizers"
        for plural in (
            "cronjobs",
            "daemonsets",
            "deployments",
            "jobs",
            "pods",
            "replicasets",
            "statefulsets",
        )
    }


def test_a_kind_is_granted_once():
    kinds = [(grant.kind, grant.name) for grant in grants_of(Config())]

    assert len(kinds) == len(set(kinds))


def test_the_configmap_of_the_rules_is_granted_by_its_name():
    (role,) = role_objects(config("volcano"), "podgrouper", None)

    named = [rule["resourceNames"] for rule in items(role, "rules") if "resourceNames" in rule]

    assert named == [["volcano-controller-configmap"]]


def test_with_namespaces_there_is_a_role_in_each_and_nothing_else():
    objects = role_objects(config("kai", namespaces=("a", "b")), "x", None)

    assert [(ref_of(obj).kind.kind, ref_of(obj).namespace) for obj in objects] == [
        ("Role", "a"),
        ("Role", "b"),
    ]


def test_the_rules_of_another_namespace_get_a_role_there():
    objects = role_objects(config("volcano", namespaces=("a",)), "x", None)

    assert [(ref_of(obj).kind.kind, ref_of(obj).namespace) for obj in objects] == [
        ("Role", "a"),
        ("Role", "volcano-system"),
    ]


def test_each_role_is_bound_to_the_service_account():
    role, binding, *_ = role_objects(config("volcano"), "x", Subject("ns", "sa"))

    assert dig(binding, "roleRef.name") == ref_of(role).name
    assert items(binding, "subjects") == ({"kind": "ServiceAccount", "namespace": "ns", "name": "sa"},)


def test_the_lease_is_granted_where_it_lies_and_no_other_one():
    role, _, lease_role, binding = role_objects(config("volcano"), "x", Subject("system", "sa"))

    assert (verbs(role, "coordination.k8s.io", "leases"), ref_of(lease_role).namespace) == ([], "system")
    assert [(rule["verbs"], rule.get("resourceNames")) for rule in items(lease_role, "rules")] == [
        (["get", "patch"], ["podgrouper"]),
        (["create"], None),
    ]
    assert ref_of(binding).kind.kind == "RoleBinding"


@pytest.mark.parametrize(
    ("expected", "leading"),
    [
        pytest.param(["leases"], LeaderElection(namespace="locks"), id="where it is named"),
        pytest.param([], LeaderElection(), id="nobody knows where it lies"),
        pytest.param([], LeaderElection(enabled=False, namespace="locks"), id="nobody is elected"),
    ],
)
def test_the_lease_is_granted_only_when_it_is_known(expected, leading):
    _, *roles = role_objects(Config(leader_election=leading), "x", None)

    granted = [resource for role in roles for rule in items(role, "rules") for resource in rule["resources"]]
    assert sorted(set(granted)) == expected
