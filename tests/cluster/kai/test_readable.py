"""Owners that come to be readable while it runs, may only be got, may not be read, or are somebody else's."""

from collections.abc import Mapping, Sequence
from typing import Any

from podgrouper.core.model import Kind
from tests.cluster import objects
from tests.cluster.api import CRD, Object
from tests.cluster.program import Programs
from tests.cluster.scenes import KAI, Scene
from tests.cluster.waiting import eventually

EVENT = Kind("v1", "Event")
LOOKS_AGAIN = 40.0
"""Seconds; a kind that is not served is asked for every fifteen."""


def may_read(scene: Scene, kind: Kind, *verbs: str) -> None:
    right = {"apiGroups": [kind.group], "resources": [plural(kind)], "verbs": verbs}
    scene.plane.allow(scene.user, [objects.cluster_role("read-some", [right])])


def plural(kind: Kind) -> str:
    return f"{kind.kind.lower()}s"


def installed(scene: Scene, kind: Kind) -> None:
    scene.plane.apply([objects.crd(kind, plural(kind))])


def withdrawn(scene: Scene, kind: Kind) -> None:
    """Its objects stay; the API server does not serve them."""
    name = f"{plural(kind)}.{kind.group}"
    versions = [
        {**version, "served": False} for version in objects.crd(kind, plural(kind))["spec"]["versions"]
    ]
    scene.plane.api.patch(CRD, "", name, {"spec": {"versions": versions}})
    path = scene.plane.api.served(kind).path(scene.namespace)
    eventually(lambda: scene.plane.api.ask_text("GET", path)[0], lambda status: status == 404)


def made(scene: Scene, kind: Kind, name: str = "w") -> Object:
    return scene.plane.api.create(objects.custom(kind, scene.namespace, name))


def member(scene: Scene, name: str, owner: Mapping[str, Any]) -> Object:
    return scene.plane.api.create(objects.pod(scene.namespace, name, KAI.scheduler, owner))


def owner_of(scene: Scene, pod: str) -> str:
    """What owns the group of a pod: `Widget/w`."""
    name = eventually(lambda: scene.links()[pod], within=LOOKS_AGAIN)
    (owner,) = scene.groups()[name]["metadata"]["ownerReferences"]
    return f"{owner['kind']}/{owner['name']}"


def told(scene: Scene, reason: str) -> Sequence[Object]:
    return [event for event in scene.plane.api.all_of(EVENT, scene.namespace) if event["reason"] == reason]


def test_a_kind_that_is_served_only_later_gathers_the_pods_that_are_not_linked_yet(
    scene: Scene, programs: Programs
):
    kind = Kind("later.tests.podgrouper.io/v1", "Widget")
    may_read(scene, kind, "get", "list", "watch")
    installed(scene, kind)
    widget = made(scene, kind)
    withdrawn(scene, kind)
    scene.start(programs)

    member(scene, "first", widget)
    assert owner_of(scene, "first") == "Pod/first"
    (unknown,) = eventually(lambda: told(scene, "OwnerKindUnknown"))
    assert unknown["involvedObject"]["name"] == "w"

    installed(scene, kind)
    (stays,) = eventually(lambda: told(scene, "LinkedElsewhere"), within=LOOKS_AGAIN)
    assert (stays["type"], stays["involvedObject"]["name"]) == ("Normal", "first")
    member(scene, "second", widget)
    assert owner_of(scene, "second") == "Widget/w"
    assert owner_of(scene, "first") == "Pod/first"


def test_an_owner_that_may_only_be_got_is_followed(scene: Scene, programs: Programs):
    kind = Kind("got.tests.podgrouper.io/v1", "Widget")
    installed(scene, kind)
    may_read(scene, kind, "get")
    widget = made(scene, kind)
    scene.start(programs)

    member(scene, "one", widget)
    member(scene, "two", widget)

    assert [owner_of(scene, name) for name in ("one", "two")] == ["Widget/w", "Widget/w"]
    assert told(scene, "OwnerForbidden") == []


def test_where_an_owner_may_not_be_read_the_chain_ends_below_it_and_that_is_told_once(
    scene: Scene, programs: Programs
):
    kind = Kind("hidden.tests.podgrouper.io/v1", "Widget")
    installed(scene, kind)
    above = made(scene, kind)
    below = objects.replica_set(scene.namespace, "rs", KAI.scheduler, 2)
    below["metadata"]["ownerReferences"] = [objects.controlled_by(above)]
    replica_set = scene.plane.api.create(below)
    scene.start(programs)

    member(scene, "one", replica_set)
    member(scene, "two", replica_set)

    assert [owner_of(scene, name) for name in ("one", "two")] == ["ReplicaSet/rs", "ReplicaSet/rs"]
    (forbidden,) = eventually(lambda: told(scene, "OwnerForbidden"))
    assert forbidden["type"] == "Warning"
    assert "hidden.tests.podgrouper.io/v1 Widget 'w' may not be read" in forbidden["message"]


def test_a_pod_of_another_schedulers_pod_belongs_to_that_one(scene: Scene, programs: Programs):
    scene.start(programs)
    driver = scene.plane.api.create(objects.pod(scene.namespace, "driver", "default-scheduler"))

    member(scene, "one", driver)
    member(scene, "two", driver)

    assert [owner_of(scene, name) for name in ("one", "two")] == ["Pod/driver", "Pod/driver"]
    assert scene.links().keys() == {"one", "two"}
    assert len(scene.groups()) == 1
