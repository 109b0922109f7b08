"""The replica types of Kubeflow's jobs, for schedulers that count by role."""

import pytest

from tests.policies.kai.worlds import only_group, pod, thing

TYPE, ROLE = "training.kubeflow.org/replica-type", "training.kubeflow.org/job-role"
LAST = {"launcherCreationPolicy": "WaitForWorkersReady"}


def replicas(**counts: int) -> dict[str, object]:
    return {name: {"replicas": count} for name, count in counts.items()}


def available(count: int) -> dict[str, object]:
    return {"runPolicy": {"schedulingPolicy": {"minAvailable": count}}}


TF = {"tfReplicaSpecs": replicas(Worker=4, PS=2, Chief=1)}
MPI = {"mpiReplicaSpecs": replicas(Launcher=1, Worker=4)}


@pytest.mark.parametrize(
    ("expected", "kind", "spec"),
    [
        pytest.param({"chief": 1, "ps": 2, "worker": 4}, "kubeflow.org/v1 TFJob", TF, id="all replicas"),
        pytest.param(
            {"chief": 1, "ps": 2, "worker": 1},
            "kubeflow.org/v1 TFJob",
            TF | available(4),
            id="of a floor below that workers get what is left",
        ),
        pytest.param(
            {"chief": 1, "ps": 1, "worker": 0},
            "kubeflow.org/v1 TFJob",
            TF | available(2),
            id="nobody gets more than there is",
        ),
        pytest.param(
            {"master": 1, "worker": 2},
            "kubeflow.org/v1 XGBoostJob",
            {"xgbReplicaSpecs": replicas(Worker=2, Master=1)},
            id="the master first",
        ),
        pytest.param(
            {"launcher": 1, "worker": 4}, "kubeflow.org/v2beta1 MPIJob", MPI, id="launcher and workers"
        ),
        pytest.param(
            {"launcher": 0, "worker": 4},
            "kubeflow.org/v2beta1 MPIJob",
            MPI | LAST,
            id="a launcher that is made last is not asked for",
        ),
        pytest.param(
            {"odd": 0, "worker": 0},
            "kubeflow.org/v1 TFJob",
            {"tfReplicaSpecs": {"Odd": {"replicas": "x"}, "Worker": 3}} | available(2),
            id="a count that makes no sense is none",
        ),
    ],
)
def test_a_floor_is_given_out_to_the_replica_types(expected, kind, spec):
    owner = thing(kind, "train", spec)

    group = only_group(owner, pod("p", owner, labels={TYPE: "worker"}))

    assert {role.name: role.floor for role in group.roles} == expected
    assert group.parts == ()


@pytest.mark.parametrize(
    ("expected", "labels"),
    [
        pytest.param("worker", {TYPE: "Worker", ROLE: "master"}, id="what Kubeflow's operator calls it"),
        pytest.param("launcher", {ROLE: "launcher"}, id="what MPI's own operator calls it"),
        pytest.param("", {}, id="nothing"),
    ],
)
def test_a_pod_says_which_role_it_has(expected, labels):
    owner = thing("kubeflow.org/v2beta1 MPIJob", "train", MPI)

    (placement,) = only_group(owner, pod("p", owner, labels=labels)).placements

    assert (placement.role, placement.part) == (expected, "")
