"""A namespace on a control plane, the program's user in it, and what a test wants to know of both.

The program runs as a process of its own, as a user who may do what `podgrouper rbac` says and nothing else.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from podgrouper.core.model import POD, Kind
from tests.cluster import objects
from tests.cluster.api import Object
from tests.cluster.audit import AuditEvent
from tests.cluster.control_plane import ControlPlane
from tests.cluster.loader import create_all
from tests.cluster.program import Program, Programs, output_of
from tests.cluster.waiting import eventually

GANGS = 100
MEMBERS = 10
PODS = GANGS * MEMBERS

FULL_SPEED = 60.0
"""Seconds for a thousand pods on a machine that does other things too; a few are usual."""
SILENCE = 10.0


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

    def start(self, programs: Programs, *flags: str) -> Program:
        return programs.start(self.plane.kubeconfig(self.user), f"--profile={self.profile.name}", *flags)

    def start_with_rights(self, programs: Programs, *flags: str) -> Program:
        """With the role that the program asks for when it has these flags."""
        self.plane.allow(self.user, output_of("rbac", f"--profile={self.profile.name}", *flags))
        return self.start(programs, *flags)

    def again(self, *flags: str) -> "Scene":
        """The same for another user: what two replicas ask is told apart by who asks."""
        user = self.plane.fresh_user()
        self.plane.allow(user, output_of("rbac", f"--profile={self.profile.name}", *flags))
        return replace(self, user=user)

    def start_slowly(self, programs: Programs, *flags: str, qps: int = 200) -> Program:
        """So slow that a test meets it in the middle of a thousand pods: it takes five seconds for them."""
        slow = [f"--profile={self.profile.name}", f"--kube-api-qps={qps}", "--kube-api-burst=10"]
        return programs.launch(self.plane.kubeconfig(self.user), *slow, *flags)

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
        silent_for(SILENCE, self.plane, self.user)


def silent_for(seconds: float, plane: ControlPlane, user: str) -> None:
    """Waits until the user asked for nothing for so long, the renewal of watches aside."""

    def passed() -> float:
        asked = [event for event in plane.audit(user) if event.verb != "watch"]
        return (datetime.now(UTC) - asked[-1].at).total_seconds()

    eventually(passed, lambda found: found >= seconds, within=2 * SILENCE)


def scene_on(plane: ControlPlane, namespace: str, profile: Profile) -> Scene:
    """With a fresh user, who has got the role."""
    user = plane.fresh_user()
    plane.allow(user, output_of("rbac", f"--profile={profile.name}"))
    return Scene(plane, namespace, profile, user)


def failures(events: Sequence[AuditEvent]) -> list[str]:
    return [str(event) for event in events if event.failed]


def changes(events: Sequence[AuditEvent]) -> Counter[str]:
    return Counter(f"{event.verb} {event.resource}" for event in events if event.changes)
