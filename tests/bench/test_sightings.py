"""When a third party saw pods, and their links."""

import json

from bench.sightings import Sighting, Sightings

LINK = "group"


def line(change: str, name: str, namespace: str = "ns", **annotations: str) -> bytes:
    metadata = {"namespace": namespace, "name": name, "annotations": annotations}
    return json.dumps({"type": change, "object": {"metadata": metadata}}).encode()


def sightings(*news: tuple[float, bytes]) -> Sightings:
    found = Sightings(LINK)
    for at, lines in news:
        found.take(lines, at)
    return found


def test_a_pod_is_first_seen_once_and_linked_once():
    found = sightings(
        (1.0, line("ADDED", "a")),
        (2.0, line("MODIFIED", "a", note="status")),
        (3.5, line("MODIFIED", "a", group="g")),
        (9.0, line("MODIFIED", "a", group="g")),
    )

    assert found.linked("ns") == [Sighting(1.0, 3.5)]


def test_a_watch_that_begins_anew_makes_no_pod_younger():
    found = sightings(
        (1.0, line("ADDED", "a")), (2.0, line("ERROR", "")), (3.0, line("ADDED", "a", group="g"))
    )

    assert found.linked("ns") == [Sighting(1.0, 3.0)]


def test_pods_are_told_apart_by_namespace_and_by_the_beginning_of_their_names():
    ours = [line("ADDED", "w-1", group="g"), line("ADDED", "first-1")]
    found = sightings((1.0, b"\n".join([*ours, line("ADDED", "w-1", "other")])))

    assert [name for name, _ in found.of("ns", "w")] == ["w-1"]
    assert [len(found.linked(*place)) for place in (("ns", "w"), ("ns", "first"), ("other",))] == [1, 0, 0]


def test_a_deleted_pod_was_never_seen():
    found = sightings((1.0, line("ADDED", "a")), (2.0, line("DELETED", "a")))

    assert list(found.of("ns")) == []
