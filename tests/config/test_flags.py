"""Flags change a configuration and are checked like its file."""

import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta

import pytest

from podgrouper.config.flags.rows import Row, Typed
from podgrouper.config.flags.table import REPLACED, ROWS
from podgrouper.config.flags.typed import Flags, with_flags
from podgrouper.config.model import (
    BUILT_IN,
    Config,
    ConfigMapKey,
    KaiSettings,
    LeaderElection,
    ProfileConfig,
    VolcanoSettings,
)
from podgrouper.core.recovery import Recover, Recovery
from podgrouper.core.selectors import equal_to

VOLCANO, KAI = BUILT_IN


def changed(typed: Mapping[str, Typed], config: Config | None = None) -> Config:
    ready = with_flags(config or Config(), Flags(typed=typed))
    assert isinstance(ready, Config)
    return ready


def findings(flags: Flags) -> list[tuple[str, str]]:
    found = with_flags(Config(), flags)
    assert not isinstance(found, Config)
    return [(finding.path, finding.message) for finding in found]


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        pytest.param(Flags(), Config(), id="none"),
        pytest.param(Flags(["kai"]), Config(profiles=(KAI,)), id="one profile"),
        pytest.param(Flags(["kai", "volcano"]), Config(), id="order does not matter"),
        pytest.param(
            Flags(["volcano"], ["a", "b"]),
            Config(profiles=(ProfileConfig("volcano", "volcano", "volcano", ("a", "b")),)),
            id="other scheduler names",
        ),
    ],
)
def test_profiles_and_their_schedulers_are_chosen(flags, expected):
    assert with_flags(Config(), flags) == expected


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        pytest.param({"--namespace": ["a"]}, Config(namespaces=("a",)), id="a namespace"),
        pytest.param(
            {"--kube-api-qps": "0.5", "--kube-api-burst": "7"},
            Config(kube_api_qps=0.5, kube_api_burst=7),
            id="pace",
        ),
        pytest.param(
            {"--log-level": "debug", "--log-format": "json"},
            Config(log_level="debug", log_format="json"),
            id="log",
        ),
        pytest.param({"--health-address": ""}, Config(health_address=""), id="no health server"),
        pytest.param(
            {"--qps": "20", "--burst": "100"}, Config(kube_api_qps=20.0, kube_api_burst=100), id="KAI's pace"
        ),
        pytest.param(
            {"--burst": "500"}, Config(kube_api_qps=50.0, kube_api_burst=500), id="KAI's burst with KAI's qps"
        ),
    ],
)
def test_a_flag_wins_over_the_configuration(typed, expected):
    assert changed(typed) == expected


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        pytest.param({"--queue-label-key": "x.io/q"}, KaiSettings(queue_label_key="x.io/q"), id="queue key"),
        pytest.param({"--nodepool-label-key": ""}, KaiSettings(node_pool_label_key=""), id="no node pools"),
        pytest.param(
            {"--knative-gang-schedule": "false"}, KaiSettings(knative_gang_schedule=False), id="Knative"
        ),
        pytest.param({"--search-legacy-pg": "F"}, KaiSettings(search_legacy_groups=False), id="legacy"),
        pytest.param({"--search-legacy-pg": "1"}, KaiSettings(), id="true as Go writes it"),
        pytest.param(
            {
                "--default-priorities-configmap-name": "defaults",
                "--default-priorities-configmap-namespace": "kai",
            },
            KaiSettings(type_defaults_configmap=ConfigMapKey("kai", "defaults", "types")),
            id="type defaults",
        ),
        pytest.param(
            {"--pod-label-selector": "team=a, stage=test"},
            KaiSettings(pod_label_selector=(equal_to("team", "a"), equal_to("stage", "test"))),
            id="pods by label",
        ),
        pytest.param(
            {"--namespace-label-selector": "grouped=yes"},
            KaiSettings(namespace_label_selector=(equal_to("grouped", "yes"),)),
            id="namespaces by label",
        ),
        pytest.param(
            {"--default-priorities-configmap-name": "", "--default-priorities-configmap-namespace": ""},
            KaiSettings(),
            id="no type defaults",
        ),
    ],
)
def test_flags_of_kai_change_the_profiles_of_its_policy(typed, expected):
    assert changed(typed).profiles == (VOLCANO, replace(KAI, kai=expected))


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        pytest.param(
            {"--inherit-owner-annotations": "false"},
            VolcanoSettings(inherit_owner_annotations=False),
            id="nothing is inherited",
        ),
        pytest.param(
            {"--feature-gates": ["WorkLoadSupport=false"]}, VolcanoSettings(workload_support=False), id="gate"
        ),
        pytest.param(
            {"--feature-gates": ["AllAlpha=false", "WorkLoadSupport=T"]},
            VolcanoSettings(),
            id="a gate that is named itself",
        ),
        pytest.param(
            {"--feature-gates": ["AllAlpha=false"]}, VolcanoSettings(workload_support=False), id="all gates"
        ),
        pytest.param({"--feature-gates": [" , "]}, VolcanoSettings(), id="no gate"),
        pytest.param(
            {"--level-rules-configmap": "system/rules"},
            VolcanoSettings(level_rules_configmap=ConfigMapKey("system", "rules", "volcano-controller.conf")),
            id="level rules",
        ),
        pytest.param(
            {"--level-rules-configmap": ""}, VolcanoSettings(level_rules_configmap=None), id="no level rules"
        ),
    ],
)
def test_flags_of_volcano_change_the_profiles_of_its_policy(typed, expected):
    assert changed(typed).profiles == (replace(VOLCANO, volcano=expected), KAI)


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        pytest.param({"--leader-elect": "false"}, LeaderElection(enabled=False), id="nobody"),
        pytest.param(
            {"--leader-elect-lease-duration": "1m", "--leader-elect-renew-deadline": "40s"},
            LeaderElection(lease_seconds=60, renew_seconds=40),
            id="times",
        ),
        pytest.param(
            {"--leader-elect-resource-name": "lock", "--lock-object-namespace": "system"},
            LeaderElection(name="lock", namespace="system"),
            id="which lease",
        ),
        pytest.param({"--leader-elect-resource-lock": "leases"}, LeaderElection(), id="the only kind"),
    ],
)
def test_flags_of_leader_election(typed, expected):
    assert changed(typed).leader_election == expected


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        pytest.param({"--write-status": "always"}, {"write_status": "always"}, id="who writes the status"),
        pytest.param({"--recover": "restart"}, {"recovery": Recovery(Recover.RESTART)}, id="recovery"),
        pytest.param(
            {"--recover": "annotated", "--recover-after": "60", "--restarts-per-hour": "1"},
            {"recovery": Recovery(Recover.ANNOTATED, timedelta(minutes=1), 1)},
            id="recovery in its details",
        ),
    ],
)
def test_what_is_done_for_groups_holds_for_every_profile(typed, expected):
    assert changed(typed).profiles == tuple(replace(one, **expected) for one in BUILT_IN)


def test_a_flag_takes_the_place_of_what_the_file_says():
    written = replace(KAI, kai=KaiSettings(type_defaults="[]", queue_label_key="x.io/q"))

    (profile,) = changed(
        {
            "--default-priorities-configmap-name": "defaults",
            "--default-priorities-configmap-namespace": "kai",
        },
        Config(profiles=(written,)),
    ).profiles

    assert profile.kai == KaiSettings(
        queue_label_key="x.io/q", type_defaults_configmap=ConfigMapKey("kai", "defaults", "types")
    )


def test_what_no_flag_says_stays_as_the_file_has_it():
    config = Config(namespaces=("a",), kube_api_qps=3.0, log_format="json")

    assert changed({"--kube-api-burst": "9"}, config) == Config(
        namespaces=("a",), kube_api_qps=3.0, kube_api_burst=9, log_format="json"
    )


def test_all_mistakes_are_told_at_once():
    typed: Mapping[str, Typed] = {
        "--namespace": ["A"],
        "--log-level": "loud",
        "--log-format": "xml",
        "--health-address": "nowhere",
        "--kube-api-qps": "-1",
        "--kube-api-burst": "many",
        "--queue-label-key": "a b",
        "--knative-gang-schedule": "yes",
        "--default-priorities-configmap-namespace": "kai",
    }

    assert [path for path, _ in findings(Flags(profiles=["volcan"], typed=typed))] == [
        "--profile",
        "--namespace[0]",
        "--log-level",
        "--log-format",
        "--health-address",
        "--kube-api-qps",
        "--kube-api-burst",
        "--queue-label-key",
        "--knative-gang-schedule",
    ]


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        pytest.param(Flags(["volcan"]), "did you mean `volcano`?", id="a near name"),
        pytest.param(
            Flags(scheduler_names=["a"]), "add --profile volcano or --profile kai", id="whose name?"
        ),
        pytest.param(
            Flags(typed={"--kube-api-burst": "3"}), "nothing without --kube-api-qps", id="burst alone"
        ),
        pytest.param(Flags(typed={"--kube-api-burst": "0"}), "a whole number from 1 on", id="no burst"),
        pytest.param(Flags(typed={"--kube-api-qps": "1e400"}), "a number above 0", id="beyond any number"),
        pytest.param(
            Flags(typed={"--qps": "1", "--kube-api-qps": "2"}), "--kube-api-qps says the same", id="two names"
        ),
        pytest.param(
            Flags(typed={"--leader-elect-retry-period": "9s"}),
            "the renew deadline (10 s) must be longer than 1.2 retry periods (9 s)",
            id="a retry that comes too late",
        ),
        pytest.param(
            Flags(typed={"--leader-elect-lease-duration": "10s"}),
            "the lease duration (10 s) must be longer than the renew deadline (10 s)",
            id="others would take over too early",
        ),
        pytest.param(
            Flags(typed={"--leader-elect-retry-period": "never"}), "a duration from 100ms to 1h", id="no time"
        ),
        pytest.param(
            Flags(typed={"--feature-gates": ["CSIStorage=true"]}),
            "the gate CSIStorage has no meaning here",
            id="a gate of others",
        ),
        pytest.param(
            Flags(typed={"--feature-gates": ["WorkloadSupport=true"]}),
            "there is no gate 'WorkloadSupport': give WorkLoadSupport=true",
            id="a misspelt gate",
        ),
        pytest.param(
            Flags(typed={"--feature-gates": ["WorkLoadSupport"]}),
            "'WorkLoadSupport' is not accepted: give WorkLoadSupport=true",
            id="half a gate",
        ),
        pytest.param(
            Flags(typed={"--default-priorities-configmap-name": "a"}),
            "give --default-priorities-configmap-namespace too",
            id="a ConfigMap without its namespace",
        ),
        pytest.param(
            Flags(["volcano"], typed={"--queue-label-key": "x"}),
            "a flag for profiles of the policy `kai`, and none is chosen: add --profile kai",
            id="a flag of the other policy",
        ),
    ],
)
def test_a_mistake_is_told_with_the_next_step(flags, message):
    assert message in " ".join(message for _, message in findings(flags))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.flag)
def test_every_flag_tells_what_is_wrong_with_it_and_never_raises(row: Row):
    typed: Typed = ["\x00 !"] if row.repeatable else "\x00 !"

    assert {path.partition("[")[0] for path, _ in findings(Flags(typed={row.flag: typed}))} == {row.flag}


@pytest.mark.parametrize("flag", REPLACED)
def test_a_flag_without_meaning_is_told_with_what_to_do(flag):
    assert re.search(r"has no meaning here: .*(use|remove it|served at)", str(REPLACED[flag]))


def test_no_flag_is_both_known_and_replaced():
    assert {row.flag for row in ROWS} & REPLACED.keys() == set()
    assert len({row.flag for row in ROWS}) == len(ROWS)
