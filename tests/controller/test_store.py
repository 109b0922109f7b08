"""Pods as rows, and a look that writes down what it looked at."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podgrouper.controller.store import PRIORITY_CLASS, Store
from podgrouper.controller.tables import State
from podgrouper.core.interfaces import Reads
from podgrouper.core.model import Ending, Kind
from tests.builders import at_version, controls, owner, pod
from tests.core.tiny import GROUP, LINK, TinyPolicy, profile

SET = Kind("apps/v1", "ReplicaSet")
LABELLED = profile(
    TinyPolicy(reads=Reads(labels=frozenset({"app"}), paths={SET: frozenset({"spec.replicas"})}))
)


def store(*pods):
    found = Store([LABELLED], frozenset({"podgrouper.io"}))
    for obj in pods:
        found.put_pod(obj)
    return found


def at(version, name="p", uid="uid-p", **more):
    return at_version(pod(name, **more), version, uid=uid)


def version(found):
    row = found.pod("ns", "p")
    return row.version if row else ""


def group(name, namespace="ns"):
    return owner(f"{GROUP}", name, namespace=namespace)


def test_a_new_pod_has_no_row_before():
    before, now = store().put_pod(at(1))

    assert (before, now.name, now.version) == (None, "p", "1")


def test_a_later_version_takes_the_place_of_the_row():
    before, now = store(at(1)).put_pod(at(2))

    assert (before.version, now.version) == ("1", "2")


@pytest.mark.parametrize(
    "obj",
    [
        pytest.param(at(4), id="an older version"),
        pytest.param({"metadata": {"name": "", "namespace": "ns"}}, id="without a name"),
        pytest.param({"metadata": {"name": "p"}}, id="without a namespace"),
        pytest.param({}, id="no pod at all"),
    ],
)
def test_it_is_no_news(obj):
    found = store(at(5))

    assert found.put_pod(obj) is None
    assert (version(found), found.pod_count()) == ("5", 1)


def test_an_older_event_after_the_answer_of_our_own_write_changes_nothing():
    found = store(at(1))
    found.put_pod_answer(at(3, annotations={LINK: "g"}))

    assert found.put_pod(at(2)) is None
    assert found.pod("ns", "p").annotations.get(LINK) == "g"


@pytest.mark.parametrize(
    "pods",
    [
        pytest.param([], id="the watch has seen it off"),
        pytest.param([at(2, uid="uid-later")], id="it lives another life"),
    ],
)
def test_the_answer_of_our_own_write_brings_back_no_pod(pods):
    found = store(*pods)
    before = version(found)

    assert found.put_pod_answer(at(3)) is None
    assert version(found) == before


@pytest.mark.parametrize(
    ("gone", "expected"),
    [
        pytest.param({}, "", id="a listing does not show it"),
        pytest.param({"uid": "uid-p", "version": "6"}, "", id="its own end"),
        pytest.param({"uid": "uid-p", "version": "4"}, "", id="its own end, whatever version that has"),
        pytest.param({"uid": "uid-old", "version": "4"}, "5", id="the end of an older life"),
        pytest.param({"uid": "uid-later", "version": "9"}, "", id="the end of a younger one"),
    ],
)
def test_a_pod_goes_with_its_own_end(gone, expected):
    found = store(at(5))

    row = found.remove_pod("ns", "p", **gone)

    assert (version(found), row is None) == (expected, bool(expected))


def test_what_went_cannot_go_again():
    found = store(at(5))
    found.remove_pod("ns", "p")

    assert found.remove_pod("ns", "p") is None
    assert found.remove_pod("elsewhere", "p") is None
    assert (found.pod_count(), found.labelled_pods("ns", ())) == (0, ())


def test_pods_of_all_namespaces_count():
    found = store(at(1), at(1, name="q"), at(1, namespace="elsewhere"))

    assert found.pod_count() == 3
    assert found.pod_names("volcano") == {"elsewhere": {"p"}, "ns": {"p", "q"}}
    assert found.pod_names("volcano", "ns") == {"ns": {"p", "q"}}
    assert found.pod_names("volcano", "nowhere") == {}
    assert found.pod_names("another", "ns") == {"ns": set()}


def test_what_pods_share_is_kept_once():
    web = owner("apps/v1 ReplicaSet", "web")
    one, two = (pod(name, controls(web), labels={"app": "web"}) for name in "ab")
    found = store(one, two)

    a, b = (found.pod("ns", name) for name in "ab")

    assert a.owners is b.owners
    assert a.labels is b.labels


def test_the_paths_of_a_kind_are_those_that_were_declared():
    found = store()

    assert (found.table(SET).paths, found.table(Kind("v1", "Node")).paths) == ({"spec.replicas"}, frozenset())
    assert found.table(GROUP).paths == {""}


def test_a_kind_that_nobody_asks_for_is_forgotten_and_groups_are_not():
    found = store()
    found.table(SET).put(owner(f"{SET}", "web"))
    found.table(GROUP).put(group("g"))
    found.forget(SET)
    found.forget(GROUP)

    assert [table.kind for table in found.tables()] == [GROUP]
    assert len(found.table(GROUP)) == 1


def test_a_look_at_an_object_is_written_down_whether_it_is_there_or_not():
    found = store()
    found.table(SET).state = State.LISTED
    look = found.look()

    assert look.object(SET, "ns", "web") is Ending.UNSEEN
    assert look.places == {(SET, "ns", "web")}


def test_as_long_as_nobody_knows_whether_a_kind_has_namespaces_both_places_count():
    look = store().look()
    look.object(SET, "ns", "web")

    assert look.places == {(SET, "ns", "web"), (SET, "", "web")}


def test_an_object_of_a_kind_without_namespaces_is_looked_for_in_none():
    found = store()
    found.table(SET).state, found.table(SET).namespaced = State.LISTED, False
    look = found.look()
    look.object(SET, "ns", "web")

    assert look.places == {(SET, "", "web")}


def test_groups_are_found_by_the_beginning_of_their_names():
    found = store()
    for obj in (group("pg-b"), group("pg-a"), group("other"), group("pg-c", namespace="elsewhere")):
        found.table(GROUP).put(obj)
    look = found.look()

    assert list(look.groups(GROUP, "ns", "pg-")) == ["pg-a", "pg-b"]
    assert look.places == {(GROUP, "ns", "pg-a"), (GROUP, "ns", "pg-b")}


def test_a_group_that_is_not_there_was_looked_for_all_the_same():
    look = store().look()

    assert look.group(GROUP, "ns", "g") is None
    assert look.places == {(GROUP, "ns", "g")}


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        pytest.param((), ["api", "bare", "web"], id="all of the namespace"),
        pytest.param((("app", "web"),), ["web"], id="by a label"),
        pytest.param((("app", "db"),), [], id="that none has"),
    ],
)
def test_pods_are_found_by_labels_and_the_question_is_written_down(labels, expected):
    found = store(
        at(1, "web", labels={"app": "web"}),
        at(1, "api", labels={"app": "api"}),
        at(1, "bare"),
        at(1, "far", namespace="elsewhere", labels={"app": "web"}),
    )
    look = found.look()

    assert sorted(row.name for row in look.labelled_pods("ns", labels)) == expected
    assert look.queries == {("ns", labels)}


def test_priority_classes_are_known_by_name_and_looked_at_as_one():
    found = store()
    found.table(PRIORITY_CLASS).put(owner(f"{PRIORITY_CLASS}", "high", namespace=""))
    look = found.look()

    assert look.priority_classes() == {"high"}
    assert look.places == {(PRIORITY_CLASS, "", "")}


steps = st.lists(
    st.tuples(st.sampled_from(["put_pod", "put_pod_answer"]), st.integers(1, 9), st.sampled_from("ab")),
    max_size=20,
)


@given(steps)
def test_whatever_comes_in_whatever_order_a_row_never_gets_older(path):
    found, versions = store(), [0]
    for how, number, uid in path:
        getattr(found, how)(at(number, uid=uid))
        versions.append(int(version(found) or 0))

    assert versions == sorted(versions)
