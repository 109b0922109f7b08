"""A workload is deleted: its pods are linked and about to be collected, which is nothing to warn of."""

import pytest

from podgrouper.config.model import Config, ProfileConfig
from podgrouper.core.fields import annotations, ref_of
from podgrouper.core.model import POD
from tests.builders import controls, owner, pod
from tests.roads import virtual_time
from tests.roads.sandboxed import Sandbox

KAI = Config(profiles=(ProfileConfig("kai", "kai", "kai", ("kai-scheduler",)),))
ROLES = {"Launcher": {"replicas": 1}, "Worker": {"replicas": 1}}


@pytest.mark.parametrize(
    "workload",
    [
        pytest.param(owner("batch/v1 Job", "w"), id="one that needs nothing of its owner"),
        pytest.param(
            owner("kubeflow.org/v2beta1 MPIJob", "w", spec={"mpiReplicaSpecs": ROLES}),
            id="one whose floor stands in its owner",
        ),
        pytest.param(owner("ray.io/v1 RayCluster", "w", spec={"workerGroupSpecs": []}), id="one with parts"),
    ],
)
def test_pods_that_outlive_their_owner_keep_their_group_without_a_word(workload):
    head = {"ray.io/group": "headgroup"}
    members = [pod(f"p{n}", controls(workload), scheduler="kai-scheduler", labels=head) for n in range(2)]
    sandbox = Sandbox([workload, *members])

    async def goes() -> None:
        async with sandbox.controller(KAI):
            await sandbox.quiet()
            sandbox.store.delete(ref_of(workload))
            await sandbox.quiet()

    virtual_time.run(goes())

    assert sandbox.warned() == []
    assert {annotations(found)["pod-group-name"] for found in sandbox.store.list(POD)} == {"pg-w-uid-w"}


def test_a_pod_that_comes_after_its_owner_went_is_told():
    workload = owner("batch/v1 Job", "w")
    sandbox = Sandbox([pod("late", controls(workload), scheduler="kai-scheduler")])

    async def comes() -> None:
        async with sandbox.controller(KAI):
            await sandbox.quiet()

    virtual_time.run(comes())

    assert [event["reason"] for event in sandbox.warned()] == ["OwnerGone"]
