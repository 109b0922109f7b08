"""Flags change a configuration and are checked like its file."""

import pytest

from podgrouper.config.flags import Flags, with_flags
from podgrouper.config.model import BUILT_IN, Config, ProfileConfig

VOLCANO, KAI = BUILT_IN


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        pytest.param(Flags(), Config(), id="none"),
        pytest.param(Flags(profiles=["kai"]), Config(profiles=(KAI,)), id="one profile"),
        pytest.param(Flags(profiles=["kai", "volcano"]), Config(), id="order does not matter"),
        pytest.param(
            Flags(profiles=["volcano"], scheduler_names=["a", "b"]),
            Config(profiles=(ProfileConfig("volcano", "volcano", "volcano", ("a", "b")),)),
            id="other scheduler names",
        ),
        pytest.param(Flags(namespaces=["a"]), Config(namespaces=("a",)), id="a namespace"),
        pytest.param(
            Flags(kube_api_qps="0.5", kube_api_burst="7"),
            Config(kube_api_qps=0.5, kube_api_burst=7),
            id="pace",
        ),
        pytest.param(
            Flags(log_level="debug", log_format="json"),
            Config(log_level="debug", log_format="json"),
            id="log",
        ),
        pytest.param(Flags(health_address=""), Config(health_address=""), id="no health server"),
    ],
)
def test_a_flag_wins_over_the_configuration(flags, expected):
    assert with_flags(Config(), flags) == expected


def test_what_no_flag_says_stays_as_the_file_has_it():
    config = Config(namespaces=("a",), kube_api_qps=3.0, log_format="json")

    assert with_flags(config, Flags(kube_api_burst="9")) == Config(
        namespaces=("a",), kube_api_qps=3.0, kube_api_burst=9, log_format="json"
    )


def test_all_mistakes_are_told_at_once():
    flags = Flags(
        profiles=["volcan"],
        namespaces=["A"],
        log_level="loud",
        log_format="xml",
        health_address="nowhere",
        kube_api_qps="-1",
        kube_api_burst="many",
    )

    findings = with_flags(Config(), flags)

    assert not isinstance(findings, Config)
    assert {finding.path for finding in findings} == {
        "--profile",
        "--namespace[0]",
        "--log-level",
        "--log-format",
        "--health-address",
        "--kube-api-qps",
        "--kube-api-burst",
    }


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        pytest.param(Flags(profiles=["volcan"]), "did you mean `volcano`?", id="a near name"),
        pytest.param(
            Flags(scheduler_names=["a"]), "add --profile volcano or --profile kai", id="whose name?"
        ),
        pytest.param(Flags(kube_api_burst="3"), "nothing without --kube-api-qps", id="burst alone"),
        pytest.param(Flags(kube_api_burst="0"), "a whole number from 1 on", id="no burst"),
        pytest.param(Flags(kube_api_qps="1e400"), "a number above 0", id="beyond any number"),
    ],
)
def test_a_mistake_is_told_with_the_next_step(flags, message):
    findings = with_flags(Config(), flags)

    assert not isinstance(findings, Config)
    assert message in " ".join(finding.message for finding in findings)
