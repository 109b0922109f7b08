"""The configuration file."""

import json
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import jsonschema
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from podgrouper.config.model import (
    BUILT_IN,
    Config,
    ConfigMapKey,
    KaiSettings,
    LeaderElection,
    ProfileConfig,
    VolcanoSettings,
)
from podgrouper.config.program import json_schema, parse_config
from podgrouper.core.model import Kind
from podgrouper.core.recovery import Recover, Recovery
from podgrouper.core.rules import Finding
from podgrouper.core.selectors import equal_to

ROOT = Path(__file__).parents[2]


def findings(text: str) -> tuple[Finding, ...]:
    read = parse_config(text)
    assert not isinstance(read, Config)
    return read


def paths(text: str) -> list[str]:
    return [finding.path for finding in findings(text)]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="an empty file"),
        pytest.param("# nothing\n---\n", id="a file of comments"),
        pytest.param("{}", id="an empty map"),
        pytest.param("profiles: [{policy: volcano}, {policy: kai}]", id="the built-in profiles by name"),
    ],
)
def test_what_a_file_leaves_out_is_as_without_a_file(text):
    assert parse_config(text) == Config()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("namespaces: [a, b]", Config(namespaces=("a", "b")), id="namespaces"),
        pytest.param("skipAnnotation: x.io/off", Config(skip_annotation="x.io/off"), id="opt-out"),
        pytest.param(
            "kubeApi: {qps: 50, burst: 100}", Config(kube_api_qps=50.0, kube_api_burst=100), id="pace"
        ),
        pytest.param(
            "log: {level: debug, format: json}", Config(log_level="debug", log_format="json"), id="log"
        ),
        pytest.param(
            "leaderElection: {enabled: true, leaseDuration: 1m, resourceNamespace: system}",
            Config(leader_election=LeaderElection(enabled=True, lease_seconds=60, namespace="system")),
            id="leader election",
        ),
        pytest.param("healthAddress: ''", Config(health_address=""), id="no health server"),
        pytest.param("healthAddress: '[::1]:80'", Config(health_address="[::1]:80"), id="IPv6"),
        pytest.param("profiles: [{policy: volcano}]", Config(profiles=BUILT_IN[:1]), id="one profile"),
        pytest.param(
            "profiles: [{policy: kai, dialect: volcano}]",
            Config(profiles=(ProfileConfig("kai", "kai", "volcano", ("volcano",)),)),
            id="the scheduler goes with the dialect",
        ),
        pytest.param(
            "profiles: [{policy: kai, writeStatus: always, recover: restart, recoverAfterSeconds: 60}]",
            Config(
                profiles=(
                    replace(
                        BUILT_IN[1],
                        write_status="always",
                        recovery=Recovery(Recover.RESTART, timedelta(minutes=1)),
                    ),
                )
            ),
            id="what is done for groups once they are made",
        ),
        pytest.param(
            "profiles: [{policy: volcano, volcano: {levels: {configMap: null}}}]",
            Config(
                profiles=(
                    ProfileConfig(
                        "volcano",
                        "volcano",
                        "volcano",
                        ("volcano",),
                        volcano=VolcanoSettings(level_rules_configmap=None),
                    ),
                )
            ),
            id="no ConfigMap of level rules",
        ),
        pytest.param(
            """
            profiles:
            - name: training
              policy: kai
              schedulerNames: [my-kai]
              kai:
                nodePoolLabelKey: ""
                typeDefaults: {configMap: {namespace: kai, name: defaults}}
                skipTopOwner: [{apiVersion: example.com/*, kind: Wrapper}]
                podLabelSelector: {team: a}
            """,
            Config(
                profiles=(
                    ProfileConfig(
                        "training",
                        "kai",
                        "kai",
                        ("my-kai",),
                        kai=KaiSettings(
                            node_pool_label_key="",
                            type_defaults_configmap=ConfigMapKey("kai", "defaults", "types"),
                            skip_top_owner=(Kind("example.com/*", "Wrapper"),),
                            pod_label_selector=(equal_to("team", "a"),),
                        ),
                    ),
                )
            ),
            id="settings of the kai policy",
        ),
    ],
)
def test_a_file_becomes_values(text, expected):
    assert parse_config(text) == expected


@pytest.mark.parametrize(
    ("text", "path", "message"),
    [
        pytest.param("[]", "", "an empty list is not accepted: give a map with", id="no map"),
        pytest.param("a: [", "line 2, column 1", "this is not YAML", id="no YAML"),
        pytest.param("a: 1\n---\nb: 2", "", "there are 2 documents in it: keep one", id="two documents"),
        pytest.param("a: &a [*a]", "line 1", "*a holds itself", id="an alias of itself"),
        pytest.param("log: {}\nlog: {}", "line 2, column 1", "'log' is there twice", id="a key twice"),
        pytest.param("healthadress: x", "healthadress", "did you mean `healthAddress`?", id="a near key"),
        pytest.param("zzz: 1", "zzz", "known are profiles, namespaces,", id="an unknown key"),
        pytest.param("namespaces: a", "namespaces", "'a' is not accepted: give a list of", id="no list"),
        pytest.param("namespaces: [A_B]", "namespaces[0]", "give the name of a namespace", id="a bad name"),
        pytest.param("namespaces: [a, a]", "namespaces[1]", "'a' is in the list twice", id="twice"),
        pytest.param('namespaces: ["a\\n"]', "namespaces[0]", "not accepted", id="a name with a newline"),
        pytest.param("kubeApi: {qps: '5'}", "kubeApi.qps", "'5' is not accepted: give a number", id="text"),
        pytest.param("kubeApi: {qps: true}", "kubeApi.qps", "true is not accepted", id="a bool for a number"),
        pytest.param("kubeApi: {qps: 0}", "kubeApi.qps", "a number above 0", id="zero"),
        pytest.param("kubeApi: {qps: .nan}", "kubeApi.qps", "a number above 0", id="not a number"),
        pytest.param("kubeApi: {qps: 1, burst: 1.5}", "kubeApi.burst", "a whole number", id="half a request"),
        pytest.param("kubeApi: {burst: 3}", "kubeApi.burst", "nothing without `qps`", id="burst alone"),
        pytest.param(
            "leaderElection: {leaseDuration: 15}", "leaderElection.leaseDuration", "`15s`", id="no unit"
        ),
        pytest.param(
            "leaderElection: {leaseDuration: 5s}",
            "leaderElection.leaseDuration",
            "longer than the renew deadline (10 s)",
            id="others would take over too early",
        ),
        pytest.param("log: {level: loud}", "log.level", "`debug` or `info`", id="no such level"),
        pytest.param("log:", "log", "nothing is not accepted", id="an empty section"),
        pytest.param("profiles: []", "profiles", "at least one", id="no profile"),
        pytest.param("profiles: [{}]", "profiles[0].policy", "this is missing", id="no policy"),
        pytest.param(
            "profiles: [{policy: volcan}]", "profiles[0].policy", "`volcano` or `kai`", id="no such policy"
        ),
        pytest.param(
            "profiles: [{policy: kai, volcano: {}}]",
            "profiles[0].volcano",
            "remove them",
            id="settings of another policy",
        ),
        pytest.param(
            "profiles: [{policy: kai}, {policy: kai, schedulerNames: [b]}]",
            "profiles[1].name",
            "is called 'kai' too",
            id="one name for two profiles",
        ),
        pytest.param(
            "profiles: [{policy: kai, schedulerNames: [a, s]}, {policy: volcano, schedulerNames: [b, s]}]",
            "profiles[1].schedulerNames[1]",
            "profiles[0] claims the scheduler 's' too",
            id="one scheduler for two profiles",
        ),
        pytest.param(
            "profiles: [{policy: volcano}, {policy: kai, dialect: volcano}]",
            "profiles[1].schedulerNames",
            "profiles[0] claims the scheduler 'volcano' too",
            id="one scheduler for two profiles, unsaid",
        ),
        pytest.param(
            "profiles: [{policy: volcano, volcano: {levels: {configMap: {}, rules: ''}}}]",
            "profiles[0].volcano.levels",
            "exclude each other",
            id="rules from two places",
        ),
        pytest.param(
            "profiles: [{policy: volcano, volcano: {levels: {rules: 'podgroup-level-rules: 3'}}}]",
            "profiles[0].volcano.levels.rules: podgroup-level-rules",
            "",
            id="a bad rule inside",
        ),
        pytest.param(
            "profiles: [{policy: kai, kai: {podLabelSelector: {a: 1}}}]",
            "profiles[0].kai.podLabelSelector.a",
            "in quotes",
            id="a number for a label",
        ),
    ],
)
def test_a_mistake_is_told_with_its_path_and_what_is_accepted(text, path, message):
    (finding,) = findings(text)

    assert finding.path == path
    assert message in finding.message


def test_all_mistakes_are_told_at_once():
    text = """
    profiles:
    - policy: volcan
      schedulernames: [a]
    - policy: kai
      schedulerNames: [s, "b c"]
    - policy: kai
      name: other
      schedulerNames: [s]
    log: {level: loud, fromat: json}
    namespaces: [A]
    """

    assert sorted(paths(text)) == [
        "log.fromat",
        "log.level",
        "namespaces[0]",
        "profiles[0].policy",
        "profiles[0].schedulernames",
        "profiles[1].schedulerNames[1]",
        "profiles[2].schedulerNames[0]",
    ]


def test_a_bomb_of_aliases_is_refused_before_it_unfolds():
    levels = "\n".join(f"x{n}: &x{n} [{', '.join([f'*x{n - 1}'] * 10)}]" for n in range(1, 12))

    (finding,) = findings(f"x0: &x0 [a]\n{levels}")

    assert "aliases stand for more than" in finding.message


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
KEYS = st.sampled_from(["profiles", "policy", "name", "schedulerNames", "kai", "volcano", "levels", "log"])
NEARLY = st.recursive(
    JSON,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)


@given(NEARLY)
def test_any_value_is_a_configuration_or_has_findings(value):
    read = parse_config(json.dumps(value))

    assert isinstance(read, Config) or read


@given(st.text())
def test_any_text_is_a_configuration_or_has_findings(text):
    read = parse_config(text)

    assert isinstance(read, Config) or read


@given(NEARLY.filter(lambda value: isinstance(value, dict)))
def test_what_the_schema_refuses_is_refused_here_too(value):
    refused = not jsonschema.Draft202012Validator(json_schema()).is_valid(value)

    assert not refused or not isinstance(parse_config(json.dumps(value)), Config)


def test_the_published_schema_is_the_one_of_the_code():
    published = json.loads((ROOT / "docs/reference/config.schema.json").read_text())

    assert published == json_schema()


def test_the_schema_is_a_valid_one_and_its_defaults_fit_it():
    schema = json_schema()
    defaults = {key: field["default"] for key, field in schema["properties"].items()}

    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(defaults, schema)
    assert parse_config(yaml.safe_dump(defaults)) == Config()
