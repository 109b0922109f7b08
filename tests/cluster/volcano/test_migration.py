"""Volcano's own controller beside ours, as during a migration: two that write the same groups."""

import threading
from collections import Counter
from collections.abc import Iterator

import pytest

from tests.cluster import objects
from tests.cluster.api import Api, Refused
from tests.cluster.scenes import VOLCANO, Scene
from tests.cluster.volcano.workloads import GANG_SIZE, REPLICA_SET, annotated, events, inherited
from tests.cluster.waiting import eventually

PAUSE = 0.1
MOST_WRITES = 3
"""Of one change: it, and twice after it was taken back."""


class OtherController:
    """Writes every group as it would have it, again and again, as Volcano's writes whole maps and specs."""

    def __init__(self, api: Api, namespace: str) -> None:
        self._api = api
        self._namespace = namespace
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="other-controller")
        self.writes = 0

    def __enter__(self) -> "OtherController":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _run(self) -> None:
        path = self._api.served(VOLCANO.group).path(self._namespace)
        while not self._over.wait(PAUSE):
            for group in self._api.all_of(VOLCANO.group, self._namespace):
                if group["spec"]["minMember"] != 1:
                    self._write(path, group)

    def _write(self, path: str, group: dict) -> None:
        theirs = {**group, "spec": {**group["spec"], "minMember": 1}}
        try:
            self._api.ask(
                "PUT", f"{path}/{group['metadata']['name']}?fieldManager=vc-controller-manager", theirs
            )
            self.writes += 1
        except Refused as refused:
            if refused.status not in (404, 409):
                raise


@pytest.fixture
def other(busy_scene: Scene) -> Iterator[OtherController]:
    with OtherController(busy_scene.plane.api, busy_scene.namespace) as running:
        yield running


def test_two_controllers_of_different_opinion_do_not_write_for_ever(busy_scene, programs, other):
    api, namespace = busy_scene.plane.api, busy_scene.namespace
    busy_scene.start(programs)
    api.create(annotated(objects.replica_set(namespace, "web", VOLCANO.scheduler, 2), {GANG_SIZE: "2"}))

    eventually(lambda: events(busy_scene, "ChangeReverted"), within=30)
    busy_scene.silent()

    asked = Counter(
        event.verb for event in busy_scene.plane.audit(busy_scene.user) if event.resource == "podgroups"
    )
    assert asked["create"] == 1
    assert asked["patch"] <= MOST_WRITES
    assert other.writes <= MOST_WRITES + 1
    assert len(busy_scene.links()) == 2


def test_a_change_of_mind_is_written_although_another_was_taken_back(busy_scene, programs, other):
    api, namespace = busy_scene.plane.api, busy_scene.namespace
    busy_scene.start(programs)
    api.create(annotated(objects.replica_set(namespace, "web", VOLCANO.scheduler, 2), {GANG_SIZE: "2"}))
    eventually(lambda: events(busy_scene, "ChangeReverted"), within=30)

    api.patch(REPLICA_SET, namespace, "web", {"metadata": {"annotations": {"volcano.sh/new": "word"}}})

    eventually(
        lambda: [inherited(group) for group in busy_scene.groups().values()],
        lambda found: found == [{"volcano.sh/new": "word"}],
    )
