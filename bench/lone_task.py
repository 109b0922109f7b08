"""What the lone client is to send: podgrouper's own requests for a sample of the workload."""

from bench.lone import Letter, Sample, Task
from bench.orders import Where
from bench.workloads import owners_of, plural_of, pod
from podgrouper.config.model import BUILT_IN, Config
from podgrouper.controller.linking import link_operations
from podgrouper.core.model import POD, Json
from podgrouper.kube import requests
from podgrouper.kube.pace import IN_FLIGHT
from podgrouper.kube.requests import Request, Resource
from podgrouper.planning import plan
from tests.cluster import objects
from tests.cluster.api import Object, kind_of
from tests.cluster.scenes import Profile

SAMPLE = Sample(
    namespace="sample-namespace",
    pod="sample-pod",
    pod_uid="5a3b1e00-0000-4000-8000-00000000000a",
    owner="sample-owner",
    owner_uid="5a3b1e00-0000-4000-8000-000000000000",
)
_CREATED = "2026-01-01T00:00:00Z"


def task_for(where: Where, profile: Profile, shape: str, members: int) -> Task:
    """For gangs of that shape. Raises `ValueError` where podgrouper itself would make no group of them."""
    chosen = tuple(one for one in BUILT_IN if one.name == profile.name)
    planned = plan(_sample(profile.scheduler, shape, members), Config(profiles=chosen))
    (made,), (link,) = planned.pod_groups, planned.links
    kind = Resource(kind_of(made), "podgroups", namespaced=True)
    pods = Resource(POD, "pods", namespaced=True)
    nearest = kind_of(owners_of(shape, SAMPLE.namespace, SAMPLE.owner, profile.scheduler, members).owners[-1])
    owners = Resource(nearest, plural_of(nearest), namespaced=True)
    group = _letter(requests.create(kind, SAMPLE.namespace, _as_sent(made)))
    return Task(
        where=where,
        per_pod=SAMPLE.pod_uid in group.body,
        in_flight=IN_FLIGHT,
        sample=SAMPLE,
        owner=_letter(requests.get(owners, SAMPLE.namespace, SAMPLE.owner)),
        group=group,
        pod=_letter(requests.json_patch(pods, link.pod.ref, link_operations(link))),
    )


def _sample(scheduler: str, shape: str, members: int) -> list[Json]:
    """The owners, of which a pod names the nearest by uid, and one pod."""
    gang = owners_of(shape, SAMPLE.namespace, SAMPLE.owner, scheduler, members)
    above: Object = {}
    for level, owner in enumerate(reversed(gang.owners)):
        uid = f"{SAMPLE.owner_uid[:-1]}{level}"
        owner["metadata"] |= {"uid": uid, "creationTimestamp": _CREATED}
    for owner in gang.owners:
        if above:
            owner["metadata"]["ownerReferences"] = [objects.controlled_by(above)]
        above = owner
    member = pod(SAMPLE.pod, scheduler, above, gang.labels, size=0)
    member["metadata"] |= {"uid": SAMPLE.pod_uid, "creationTimestamp": _CREATED}
    return [*gang.owners, {**member, "status": {"phase": "Pending"}}]


def _as_sent(made: Json) -> Json:
    """Without what the world of files added."""
    metadata = made["metadata"]
    assert isinstance(metadata, dict)
    return {**made, "metadata": {key: value for key, value in metadata.items() if key != "uid"}}


def _letter(request: Request) -> Letter:
    return Letter(request.method, request.target, request.headers, request.body.decode())
