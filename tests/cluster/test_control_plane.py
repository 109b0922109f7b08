"""The control plane that other tests stand on: that it is what they believe it is."""

import json

import pytest

from podgrouper.core.model import POD, Kind
from tests.cluster import objects
from tests.cluster.api import Object, Refused
from tests.cluster.audit import AuditEvent
from tests.cluster.control_plane import KubectlFailed
from tests.cluster.kubelet import PretendKubelet
from tests.cluster.loader import create_all
from tests.cluster.servers import Options
from tests.cluster.waiting import eventually

JOB = Kind("batch/v1", "Job")
CONFIG_MAP = Kind("v1", "ConfigMap")
EVERYTHING = Options(controllers=True, scheduler=True, scheduler_names=("volcano",))
READ_PODS = objects.cluster_role("read-pods", [{"apiGroups": [""], "resources": ["pods"], "verbs": ["list"]}])


def told(events: list[AuditEvent]) -> list[tuple[str, str, int]]:
    """Verb, resource and answer, without the questions of discovery."""
    return [(event.verb, event.resource, event.code) for event in events if event.resource]


def config_map(namespace: str, name: str) -> Object:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"namespace": namespace, "name": name}}


def test_a_fresh_user_may_do_nothing(plane):
    stranger = plane.api_as(plane.fresh_user())

    with pytest.raises(Refused, match="cannot list resource") as refused:
        stranger.all_of(POD)

    assert refused.value.status == 403


def test_an_allowed_user_may_do_what_its_role_says_and_no_more(plane, namespace):
    user = plane.fresh_user()
    plane.allow(user, [READ_PODS])
    reader = plane.api_as(user)

    assert reader.all_of(POD, namespace) == []
    with pytest.raises(Refused, match="403"):
        reader.create(objects.pod(namespace, "mine", "volcano"))


def test_the_audit_log_counts_each_request_of_each_user_for_itself(plane, namespace):
    one, other = plane.fresh_user(), plane.fresh_user()
    plane.allow(one, [READ_PODS])
    plane.api_as(one).all_of(POD, namespace)
    plane.api_as(one).all_of(POD)
    with pytest.raises(Refused):
        plane.api_as(other).all_of(POD)

    assert told(plane.audit(one)) == [("list", "pods", 200), ("list", "pods", 200)]
    assert told(plane.audit(other)) == [("list", "pods", 403)]


def test_an_audit_event_names_its_object(plane, namespace):
    user = plane.fresh_user()
    with pytest.raises(Refused):
        plane.api_as(user).patch(POD, namespace, "absent", {}, "status")

    event = plane.audit(user)[-1]

    assert (event.namespace, event.name, event.subresource) == (namespace, "absent", "status")
    assert event.changes
    assert event.failed


def test_many_objects_are_created_at_once_and_the_admin_is_not_audited(plane, namespace):
    pods = create_all(plane, [objects.pod(namespace, f"pod-{number}", "volcano") for number in range(1000)])

    assert len({pod["metadata"]["uid"] for pod in pods}) == 1000
    assert len(plane.api.all_of(POD, namespace)) == 1000
    assert plane.audit("admin") == []


def test_a_namespace_goes_with_everything_in_it(plane):
    with plane.namespace() as name:
        plane.api.create(objects.pod(name, "pod", "volcano"))
        plane.api.create(objects.job(name, "job", "volcano"))

    gone = [plane.api.all_of(POD, name), plane.api.all_of(JOB, name)]

    assert gone == [[], []]
    with pytest.raises(Refused, match="404"):
        plane.api.get(Kind("v1", "Namespace"), "", name)


def test_nobody_acts_on_a_job_without_controllers(plane, namespace):
    job = plane.api.create(objects.job(namespace, "job", "volcano"))

    assert job["spec"]["parallelism"] == 1
    assert plane.api.all_of(POD, namespace) == []


def test_it_keeps_its_data_and_its_address_when_the_api_server_is_killed(plane, namespace):
    plane.api.create(objects.pod(namespace, "before", "volcano"))
    address = plane.url

    plane.kill_api_server()
    plane.start_api_server()

    assert plane.url == address
    assert [pod["metadata"]["name"] for pod in plane.api.all_of(POD, namespace)] == ["before"]


def test_kubectl_speaks_as_whom_one_likes(plane, namespace):
    user = plane.fresh_user()
    plane.kubectl("apply", "-f", "-", stdin=json.dumps(config_map(namespace, "made")))

    assert plane.api.get(CONFIG_MAP, namespace, "made")["metadata"]["name"] == "made"
    with pytest.raises(KubectlFailed, match="Forbidden"):
        plane.kubectl("get", "configmaps", user=user)


def test_apply_creates_and_changes(plane, namespace):
    text = "{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: %s}, data: {key: %s}}"
    plane.apply(text % (namespace, "old"))
    plane.apply(text % (namespace, "new"))

    assert plane.api.get(CONFIG_MAP, namespace, "settings")["data"] == {"key": "new"}


def test_owners_are_guarded_where_the_plugin_is_on(enforcing_plane):
    user = enforcing_plane.fresh_user()
    create_pods = {"apiGroups": [""], "resources": ["pods"], "verbs": ["create"]}
    enforcing_plane.allow(user, [objects.cluster_role("create-pods", [create_pods])])
    with enforcing_plane.namespace() as name:
        owner = enforcing_plane.api.create(objects.job(name, "job", "volcano"))

        with pytest.raises(Refused, match="blockOwnerDeletion"):
            enforcing_plane.api_as(user).create(objects.pod(name, "pod", "volcano", owner))


def test_controllers_make_pods_and_go_on_once_these_run(planes):
    plane = planes(EVERYTHING)
    with plane.namespace() as name, PretendKubelet(plane.api, name):
        plane.api.create(objects.deployment(name, "web", "volcano", replicas=3))

        words = plane.kubectl("rollout", "status", "deployment/web", "-n", name, "--timeout=30s")

    assert "successfully rolled out" in words


def test_garbage_is_collected_by_owner(planes):
    plane = planes(EVERYTHING)
    with plane.namespace() as name:
        owner = plane.api.create(config_map(name, "owner"))
        plane.api.create(objects.pod(name, "owned", "volcano", owner))
        plane.api.delete(CONFIG_MAP, name, "owner")

        eventually(lambda: plane.api.all_of(POD, name), lambda pods: not pods, within=30)


def test_a_scheduler_binds_to_nodes_that_nobody_runs(planes):
    plane = planes(EVERYTHING)
    plane.add_nodes(2)
    with plane.namespace() as name:
        plane.api.create(objects.pod(name, "pod", "volcano"))

        pods = eventually(lambda: plane.api.all_of(POD, name), lambda pods: "nodeName" in pods[0]["spec"])

    assert pods[0]["spec"]["nodeName"] in ("node-0", "node-1")
