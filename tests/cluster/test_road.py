"""The whole program against a real API server: pods appear, their groups exist, the pods are linked.

It runs as a process of its own, as a user who may do what `podgrouper rbac` says and nothing else, and what
it did is read in the server's audit log.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import pytest

from podgrouper.core.model import POD, Kind
from tests.cluster import objects
from tests.cluster.api import Object
from tests.cluster.audit import AuditEvent
from tests.cluster.control_plane import ControlPlane
from tests.cluster.kubelet import PretendKubelet
from tests.cluster.loader import create_all
from tests.cluster.program import Program, Programs, output_of
from tests.cluster.waiting import eventually

GANGS = 100
MEMBERS = 10
PODS = GANGS * MEMBERS

FULL_SPEED = 60.0
"""Seconds for a thousand pods on a machine that does other things too; a few are usual."""
SILENCE = 10.0
CONFLICT = 409
"""Somebody wrote to the same pod at the same moment: expected where controllers and kubelets are at work."""
LOOKING_AROUND = 30
"""Requests besides one for each pod and group: discovery, and a list or watch for each kind."""


@dataclass(frozen=True, slots=True)
class Profile:
    """What differs between the profiles as far as these tests can see."""

    name: str
    scheduler: str
    group: Kind
    link: str


VOLCANO = Profile(
    "volcano", "volcano", Kind("scheduling.volcano.sh/v1beta1", "PodGroup"), "scheduling.k8s.io/group-name"
)
KAI = Profile("kai", "kai-scheduler", Kind("scheduling.run.ai/v2alpha2", "PodGroup"), "pod-group-name")


@dataclass(frozen=True, slots=True)
class Scene:
    """A namespace on a plane, and the program's user there."""

    plane: ControlPlane
    namespace: str
    profile: Profile
    user: str

    def start(self, programs: Programs) -> Program:
        return programs.start(self.plane.kubeconfig(self.user), f"--profile={self.profile.name}")

    def start_slowly(self, programs: Programs) -> Program:
        """So slow that a test meets it in the middle of a thousand pods: it takes five seconds for them."""
        flags = [f"--profile={self.profile.name}", "--kube-api-qps=200", "--kube-api-burst=10"]
        return programs.launch(self.plane.kubeconfig(self.user), *flags)

    def until_some_are_linked(self) -> None:
        eventually(lambda: len(self.links()), lambda links: links >= PODS // 10, within=FULL_SPEED)

    def pods(self) -> Sequence[Object]:
        return self.plane.api.all_of(POD, self.namespace)

    def groups(self) -> Mapping[str, Object]:
        """By name."""
        found = self.plane.api.all_of(self.profile.group, self.namespace)
        return {group["metadata"]["name"]: group for group in found}

    def links(self) -> Mapping[str, str]:
        """Pod -> the group that it names; pods without a link are left out."""
        annotations = {pod["metadata"]["name"]: pod["metadata"].get("annotations", {}) for pod in self.pods()}
        return {
            name: keys[self.profile.link] for name, keys in annotations.items() if self.profile.link in keys
        }

    def unlinked(self) -> int:
        """How many pods name no group, or one that does not exist."""
        groups, links = self.groups(), self.links()
        return sum(links.get(pod["metadata"]["name"]) not in groups for pod in self.pods())

    def gangs(self) -> list[Object]:
        """Owners: half of them Jobs, half ReplicaSets, stored and acted upon by nobody."""
        kinds = (objects.job, objects.replica_set)
        owners = [
            kinds[number % 2](self.namespace, f"gang-{number}", self.profile.scheduler, MEMBERS)
            for number in range(GANGS)
        ]
        return list(create_all(self.plane, owners))

    def members(self, owners: Sequence[Object]) -> list[Object]:
        """Pods of these owners to be created, the members of each gang far apart."""
        return [
            objects.pod(
                self.namespace, f"{owner['metadata']['name']}-{number}", self.profile.scheduler, owner
            )
            for number in range(MEMBERS)
            for owner in owners
        ]

    def all_linked(self) -> None:
        """Waits until every pod is linked to a group that exists."""
        eventually(self.unlinked, lambda unlinked: unlinked == 0, within=FULL_SPEED)

    def silent(self) -> None:
        """Waits until nothing was asked for some time, the renewal of watches aside."""
        eventually(self._seconds_since_last_request, lambda passed: passed >= SILENCE, within=2 * SILENCE)

    def _seconds_since_last_request(self) -> float:
        asked = [event for event in self.plane.audit(self.user) if event.verb != "watch"]
        return (datetime.now(UTC) - asked[-1].at).total_seconds()


@pytest.fixture(params=[pytest.param(VOLCANO, id="volcano"), pytest.param(KAI, id="kai")])
def profile(request: pytest.FixtureRequest) -> Profile:
    return request.param


@pytest.fixture
def scene(plane: ControlPlane, namespace: str, crds: str, profile: Profile) -> Scene:
    plane.apply(crds)
    return _scene(plane, namespace, profile)


@pytest.fixture
def busy_scene(busy_plane: ControlPlane, busy_namespace: str, profile: Profile) -> Iterator[Scene]:
    """With real controllers, and pods that run as soon as they are there."""
    with PretendKubelet(busy_plane.api, busy_namespace):
        yield _scene(busy_plane, busy_namespace, profile)


def _scene(plane: ControlPlane, namespace: str, profile: Profile) -> Scene:
    user = plane.fresh_user()
    plane.allow(user, output_of("rbac", f"--profile={profile.name}"))
    return Scene(plane, namespace, profile, user)


def failures(events: Sequence[AuditEvent]) -> list[str]:
    return [str(event) for event in events if event.failed]


def since(moment: datetime, events: Sequence[AuditEvent]) -> Sequence[AuditEvent]:
    """Without those that were under way when it was killed: nobody was there to hear how they ended."""
    return [event for event in events if event.at > moment]


def changes(events: Sequence[AuditEvent]) -> Counter[str]:
    return Counter(f"{event.verb} {event.resource}" for event in events if event.changes)


def revisions(pods: Sequence[Object]) -> set[str]:
    """The ReplicaSets that these pods belong to."""
    return {pod["metadata"]["ownerReferences"][0]["name"] for pod in pods}


def test_a_thousand_pods_at_once_cost_a_request_each_and_one_per_group_then_silence(scene, programs):
    owners = scene.gangs()
    scene.start(programs)
    create_all(scene.plane, scene.members(owners))

    scene.all_linked()
    scene.silent()

    asked = scene.plane.audit(scene.user)
    assert failures(asked) == []
    assert changes(asked) == {"patch pods": PODS, "create podgroups": GANGS}
    assert len(asked) <= PODS + GANGS + LOOKING_AROUND
    assert Counter(Counter(scene.links().values()).values()) == {MEMBERS: GANGS}


def test_pods_that_were_there_before_it_started_are_linked_as_well(scene, programs):
    create_all(scene.plane, scene.members(scene.gangs()))

    scene.start(programs)
    scene.all_linked()
    scene.silent()

    asked = scene.plane.audit(scene.user)
    assert failures(asked) == []
    assert changes(asked) == {"patch pods": PODS, "create podgroups": GANGS}


def test_killed_in_the_middle_and_started_again_it_ends_the_same(scene, programs):
    create_all(scene.plane, scene.members(scene.gangs()))
    first = scene.start_slowly(programs)
    scene.until_some_are_linked()

    first.kill()
    killed = datetime.now(UTC)
    done_by_the_first = len(scene.links())
    scene.start(programs)
    scene.all_linked()
    scene.silent()

    assert done_by_the_first < PODS, "it was not killed in the middle"
    assert len(scene.groups()) == GANGS
    assert Counter(Counter(scene.links().values()).values()) == {MEMBERS: GANGS}
    assert failures(since(killed, scene.plane.audit(scene.user))) == []


def test_a_group_that_somebody_deletes_comes_back_within_five_seconds(scene, programs):
    owner = scene.plane.api.create(objects.replica_set(scene.namespace, "web", scene.profile.scheduler))
    scene.plane.api.create(objects.pod(scene.namespace, "web-0", scene.profile.scheduler, owner))
    scene.start(programs)
    scene.all_linked()
    name = scene.links()["web-0"]
    before = scene.groups()[name]["metadata"]["uid"]

    scene.plane.api.delete(scene.profile.group, scene.namespace, name)

    again = eventually(lambda: scene.groups()[name], within=5)
    assert again["metadata"]["uid"] != before
    assert scene.links() == {"web-0": name}


def test_a_restart_changes_nothing(scene, programs):
    owner = scene.plane.api.create(objects.job(scene.namespace, "train", scene.profile.scheduler))
    scene.plane.api.create(objects.pod(scene.namespace, "train-0", scene.profile.scheduler, owner))
    first = scene.start(programs)
    scene.all_linked()
    first.stop()
    before = len(scene.plane.audit(scene.user))

    scene.start(programs)
    scene.silent()

    asked = scene.plane.audit(scene.user)[before:]
    assert changes(asked) == {}
    assert failures(asked) == []


def test_it_goes_on_when_the_api_server_was_killed_and_came_back(scene, programs):
    owners = scene.gangs()
    pods = scene.members(owners)
    scene.start(programs)
    create_all(scene.plane, pods[: PODS // 2])

    scene.plane.kill_api_server()
    scene.plane.start_api_server()
    create_all(scene.plane, pods[PODS // 2 :])

    scene.all_linked()
    assert len(scene.groups()) == GANGS


def test_a_kind_that_appears_while_it_runs_is_followed(scene, programs):
    kind = Kind(f"{scene.profile.name}.tests.podgrouper.io/v1", "Widget")
    right = {"apiGroups": [kind.group], "resources": ["widgets"], "verbs": ["get", "list", "watch"]}
    scene.plane.allow(scene.user, [objects.cluster_role("read-widgets", [right])])
    scene.start(programs)

    scene.plane.apply([objects.crd(kind, "widgets")])
    widget = scene.plane.api.create(objects.custom(kind, scene.namespace, "late"))
    scene.plane.api.create(objects.pod(scene.namespace, "late-0", scene.profile.scheduler, widget))

    eventually(scene.links, within=10)
    (group,) = scene.groups().values()
    assert [owner["uid"] for owner in group["metadata"]["ownerReferences"]] == [widget["metadata"]["uid"]]


def test_where_owners_are_guarded_it_needs_no_more_rights(enforcing_plane, crds, profile, programs):
    enforcing_plane.apply(crds)
    with enforcing_plane.namespace() as namespace:
        scene = _scene(enforcing_plane, namespace, profile)
        owner = enforcing_plane.api.create(objects.job(namespace, "train", profile.scheduler))
        enforcing_plane.api.create(objects.pod(namespace, "train-0", profile.scheduler, owner))

        scene.start(programs)

        scene.all_linked()


def test_a_deployment_rolls_and_its_new_pods_are_linked(busy_scene, programs):
    plane, namespace = busy_scene.plane, busy_scene.namespace
    busy_scene.start(programs)
    plane.api.create(objects.deployment(namespace, "web", busy_scene.profile.scheduler, replicas=4))
    plane.kubectl("rollout", "status", "deployment/web", "-n", namespace, "--timeout=60s")
    before = revisions(busy_scene.pods())

    plane.kubectl("set", "image", "deployment/web", "main=pause:2", "-n", namespace)
    plane.kubectl("rollout", "status", "deployment/web", "-n", namespace, "--timeout=60s")

    eventually(busy_scene.pods, lambda pods: len(pods) == 4, within=30)
    busy_scene.all_linked()
    busy_scene.silent()
    assert not before & revisions(busy_scene.pods())
    assert [event for event in plane.audit(busy_scene.user) if event.failed and event.code != CONFLICT] == []


@pytest.mark.parametrize("profile", [pytest.param(VOLCANO, id="volcano")], indirect=True)
def test_it_ends_within_five_seconds_of_sigterm_when_idle(scene, programs):
    program = scene.start(programs)

    assert program.terminate(within=5) == 0


def test_it_ends_within_five_seconds_of_sigterm_in_the_middle_of_work(scene, programs):
    create_all(scene.plane, scene.members(scene.gangs()))
    program = scene.start_slowly(programs)
    scene.until_some_are_linked()

    assert program.terminate(within=5) == 0
    assert failures(scene.plane.audit(scene.user)) == []
