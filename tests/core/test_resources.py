"""What one pod counts for in a quota, and a gang of it in a queue."""

import time
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podgrouper.core.pods import resources_text
from podgrouper.core.resources import asked_in, gang_resources, pod_usage
from tests.policies.volcano.objects import printed

Amounts = Mapping[str, str]


def container(
    requests: Amounts | None = None, limits: Amounts | None = None, **more: object
) -> dict[str, object]:
    return {"name": "main", "resources": {"requests": requests or {}, "limits": limits or {}}, **more}


def granted(requests: Amounts, limits: Amounts | None = None, **more: object) -> dict[str, object]:
    status = {"name": "main", "resources": {"requests": requests, "limits": limits or {}}, **more}
    return {"containerStatuses": [status]}


INFEASIBLE = {"conditions": [{"type": "PodResizePending", "reason": "Infeasible", "status": "False"}]}


def usage(spec: Mapping[str, object], status: Mapping[str, object] | None = None) -> dict[str, str]:
    """Without the two that every pod has."""
    amounts = printed(pod_usage(resources_text(spec, status or {})))
    assert (amounts.pop("pods"), amounts.pop("count/pods")) == ("1", "1")
    return amounts


def cpu(amount: str) -> dict[str, str]:
    return {"cpu": amount, "requests.cpu": amount}


@pytest.mark.parametrize(
    ("expected", "spec"),
    [
        pytest.param({}, {}, id="nothing asked"),
        pytest.param(
            cpu("3"), {"containers": [container({"cpu": "1"}), container({"cpu": "2"})]}, id="a sum"
        ),
        pytest.param(
            {**cpu("1"), "limits.cpu": "2", "limits.memory": "1Gi"},
            {"containers": [container({"cpu": "1"}, {"cpu": "2", "memory": "1Gi", "nvidia.com/gpu": "1"})]},
            id="limits of the plain resources only",
        ),
        pytest.param(
            {"nvidia.com/gpu": "1", "requests.nvidia.com/gpu": "1"},
            {"containers": [container({"nvidia.com/gpu": "1"})]},
            id="a vendor's resource under two names",
        ),
        pytest.param(
            {"hugepages-2Mi": "4Mi", "requests.hugepages-2Mi": "4Mi"},
            {
                "containers": [
                    container({"hugepages-2Mi": "4Mi", "example.kubernetes.io/foo": "1", "foo": "1"})
                ]
            },
            id="huge pages, and nothing that Kubernetes does not know",
        ),
        pytest.param(
            {"requests.deviceclass.resource.kubernetes.io/gpu": "1"},
            {"containers": [container({"deviceclass.resource.kubernetes.io/gpu": "1"})]},
            id="a device class under one name",
        ),
        pytest.param(
            cpu("2"),
            {"initContainers": [container({"cpu": "2"})], "containers": [container({"cpu": "1"})]},
            id="an init container runs before the others",
        ),
        pytest.param(
            cpu("1500m"),
            {
                "initContainers": [container({"cpu": "500m"}, restartPolicy="Always")],
                "containers": [container({"cpu": "1"})],
            },
            id="a sidecar beside them",
        ),
        pytest.param(
            cpu("2100m"),
            {
                "initContainers": [
                    container({"cpu": "100m"}, restartPolicy="Always"),
                    container({"cpu": "2"}),
                ],
                "containers": [container({"cpu": "1"})],
            },
            id="and beside the init containers after it",
        ),
        pytest.param(
            {**cpu("1050m"), "limits.cpu": "2050m", "memory": "32Mi", "requests.memory": "32Mi"},
            {
                "containers": [container({"cpu": "1"}, {"cpu": "2"})],
                "overhead": {"cpu": "50m", "memory": "32Mi"},
            },
            id="overhead, on limits only where there is one",
        ),
        pytest.param(
            {**cpu("3"), "x.com/y": "1", "requests.x.com/y": "1"},
            {
                "containers": [container({"cpu": "1", "x.com/y": "1"})],
                "resources": {"requests": {"cpu": "3", "x.com/y": "9"}},
            },
            id="the pod as a whole instead of its containers",
        ),
        pytest.param(cpu("2"), {"containers": [container({"cpu": "2", "memory": "lots"})]}, id="no nonsense"),
        pytest.param(cpu("2"), {"containers": [container({"cpu": 2})]}, id="a number without quotes"),
    ],
)
def test_a_pod_counts_as_the_quota_counts_it(expected: Amounts, spec: Mapping[str, object]) -> None:
    assert usage(spec) == expected


ONE_CPU = {"containers": [container({"cpu": "1"}, {"cpu": "1"})]}


@pytest.mark.parametrize(
    ("expected", "status"),
    [
        pytest.param(("1", "1"), {}, id="nothing granted yet"),
        pytest.param(("2", "3"), granted({"cpu": "2"}, {"cpu": "3"}), id="more granted"),
        pytest.param(("1", "1"), granted({"cpu": "500m"}, {"cpu": "500m"}), id="less granted"),
        pytest.param(
            ("4", "1"),
            granted({"cpu": "2"}, allocatedResources={"cpu": "4"}),
            id="allocated counts for requests",
        ),
        pytest.param(
            ("500m", "600m"), {**granted({"cpu": "500m"}, {"cpu": "600m"}), **INFEASIBLE}, id="never to be"
        ),
        pytest.param(
            ("1", "1"),
            {"containerStatuses": [{"name": "main", "allocatedResources": {"cpu": "9"}}]},
            id="allocated alone is not looked at",
        ),
    ],
)
def test_during_a_resize_the_larger_counts(expected: tuple[str, str], status: Mapping[str, object]) -> None:
    amounts = usage(ONE_CPU, status)

    assert (amounts["cpu"], amounts["limits.cpu"]) == expected


def test_a_gang_asks_for_all_of_its_pods() -> None:
    asked = resources_text({"containers": [container({"cpu": "500m", "memory": "480Mi"})]}, {})

    assert printed(gang_resources(asked, 3)) == {
        "count/pods": "3",
        "pods": "3",
        "cpu": "1500m",
        "requests.cpu": "1500m",
        "memory": "1440Mi",
        "requests.memory": "1440Mi",
    }


def test_a_gang_of_nobody_asks_for_nothing() -> None:
    assert gang_resources(resources_text(ONE_CPU, {}), 0) == {}


def test_a_gang_of_two_billion_costs_no_more_than_one_of_two() -> None:
    started = time.perf_counter()

    assert str(gang_resources("", 2**31 - 1)["pods"]) == "2147483647"
    assert time.perf_counter() - started < 0.1


SPECS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["containers", "initContainers", "resources", "requests", "limits", "name", "cpu", "a/b"]
            ),
            inner,
            max_size=3,
        )
    ),
    max_leaves=20,
)


@given(
    st.dictionaries(st.sampled_from(["containers", "initContainers", "overhead", "resources"]), SPECS), SPECS
)
def test_no_shape_of_a_pod_breaks_the_sum(spec: Mapping[str, object], status: object) -> None:
    text = resources_text(spec, status if isinstance(status, Mapping) else {})

    assert str(pod_usage(text)["pods"]) == "1"


@pytest.mark.parametrize("text", ["{", "[]", "3", '"x"', '{"spec": 3, "status": []}'])
def test_no_text_breaks_the_sum(text: str) -> None:
    assert str(pod_usage(text)["pods"]) == "1"


@pytest.mark.parametrize(
    ("expected", "resources"),
    [
        pytest.param({"cpu": "1"}, {"requests": {"cpu": "1"}}, id="requests"),
        pytest.param({"cpu": "2"}, {"limits": {"cpu": "2"}}, id="limits are requests where there are none"),
        pytest.param(
            {"cpu": "1"}, {"requests": {"cpu": "1"}, "limits": {"cpu": "2"}}, id="requests come before limits"
        ),
        pytest.param({}, {}, id="nothing"),
        pytest.param({}, {"requests": "much"}, id="nothing that makes sense"),
    ],
)
def test_a_template_asks_as_its_pods_will(expected, resources):
    usage = pod_usage(asked_in({"spec": {"containers": [{"name": "main", "resources": resources}]}}))

    assert {name: str(amount) for name, amount in usage.items() if name == "cpu"} == expected
