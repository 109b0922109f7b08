"""From a pod to its boundary, from a boundary to its workload; and what has to be read for either."""

import pytest

from podgrouper.core.fields import uid
from podgrouper.core.interfaces import Reads, Scope
from podgrouper.core.model import (
    NAMESPACE,
    POD,
    Ending,
    GroupWanted,
    Kind,
    LinkedWanted,
    ObjectWanted,
    PodsWanted,
    Ref,
    Skip,
)
from podgrouper.core.owners import chain_of
from podgrouper.core.reasons import Reason
from podgrouper.core.selectors import parse
from podgrouper.core.workloads import ROUNDS_OF_WANTS, Unseen, boundary_of, boundary_of_group, workload_of
from tests.builders import chain, controls, owner, pod
from tests.core.tiny import GROUP, LINK, SKIP, Glimpse, TinyPolicy, profile, rows

SET = Kind("apps/v1", "ReplicaSet")
WEB = owner(f"{SET}", "web", spec={"replicas": 2})
WEB_REF = Ref(SET, "ns", "web", "uid-web")
MEMBER = pod("p", controls(WEB))


def boundary(a_pod, *objects, of=None, otherwise=Ending.MISSING):
    of = of or profile()
    (row,) = rows([a_pod], of)
    sight = Glimpse(objects, otherwise)
    return boundary_of(row, chain_of(row, sight.object), of, sight)


def reason(found):
    return found.reason if isinstance(found, Skip) else found


def raising(*_):
    raise RuntimeError("what a pod")


def test_the_boundary_is_where_the_policy_says():
    assert boundary(MEMBER, WEB) == WEB_REF
    assert boundary(pod("alone")) == Ref(POD, "ns", "alone", "uid-alone")


@pytest.mark.parametrize(
    ("reads", "expected"),
    [
        pytest.param(Reads(resources=True), Reason.BAD_VALUE, id="who counts resources cannot group it"),
        pytest.param(Reads(), Ref(POD, "ns", "p", "uid-p"), id="to others it is a pod like others"),
    ],
)
def test_a_pod_with_more_containers_than_are_counted(reads, expected):
    containers = [{"name": f"c{number}"} for number in range(10_000)]

    found = boundary(pod("p", spec={"containers": containers}), of=profile(TinyPolicy(reads=reads)))

    assert reason(found) == expected


def test_an_owner_that_nobody_has_looked_for_is_asked_for():
    asked = Unseen((ObjectWanted(SET, "ns", "web", "uid-web"),))

    assert boundary(MEMBER, otherwise=Ending.UNSEEN) == asked


@pytest.mark.parametrize(
    ("a_pod", "objects", "expected"),
    [
        pytest.param(pod("p", annotations={SKIP: "true"}), [], Reason.OPTED_OUT, id="on the pod"),
        pytest.param(
            MEMBER, [owner(f"{SET}", "web", annotations={SKIP: "true"})], Reason.OPTED_OUT, id="on an owner"
        ),
        pytest.param(
            pod("p", annotations={SKIP: "yes"}),
            [],
            Ref(POD, "ns", "p", "uid-p"),
            id="any other word is no opt-out",
        ),
        pytest.param(
            pod("p", annotations={SKIP: "true"}, ownerReferences=[{}]),
            [],
            Reason.OPTED_OUT,
            id="before anything can be wrong",
        ),
    ],
)
def test_who_opts_out_is_left_alone(a_pod, objects, expected):
    assert reason(boundary(a_pod, *objects)) == expected


def test_an_opt_out_far_up_the_chain_counts_as_well():
    steps = chain(3)
    top = steps[0] | {"metadata": {**steps[0]["metadata"], "annotations": {SKIP: "true"}}}

    assert reason(boundary(pod("p", controls(steps[-1])), top, *steps[1:])) is Reason.OPTED_OUT


def test_a_reference_that_names_nothing_is_told_with_its_object():
    found = boundary(pod("p", ownerReferences=[{"kind": "Job"}]))

    assert (found.reason, found.message.partition(":")[0]) == (Reason.OWNER_MALFORMED, "Pod ns/p")


def test_a_policy_that_raises_costs_the_pod_its_group():
    found = boundary(MEMBER, WEB, of=profile(TinyPolicy(placed=raising)))

    assert found == Skip(Reason.GROUPER_FAILED, "profile tiny: RuntimeError: what a pod")


def scoped(**scope):
    selectors = {key: parse(value) if isinstance(value, str) else value for key, value in scope.items()}
    return profile(scope=Scope(**selectors))


def namespace(**marks):
    return owner(f"{NAMESPACE}", "ns", namespace="", labels=marks)


@pytest.mark.parametrize(
    ("of", "objects", "expected"),
    [
        pytest.param(scoped(namespaces=frozenset({"ns"})), [], WEB_REF, id="a configured namespace"),
        pytest.param(
            scoped(namespaces=frozenset({"other"})), [], Reason.NAMESPACE_OUT_OF_SCOPE, id="another namespace"
        ),
        pytest.param(scoped(pod_labels="team=a"), [], WEB_REF, id="labels of the pod"),
        pytest.param(scoped(pod_labels="team=b"), [], Reason.NAMESPACE_OUT_OF_SCOPE, id="other labels"),
        pytest.param(scoped(namespace_labels="on=yes"), [namespace(on="yes")], WEB_REF, id="its namespace"),
        pytest.param(
            scoped(namespace_labels="on=yes"),
            [namespace(on="no")],
            Reason.NAMESPACE_OUT_OF_SCOPE,
            id="other labels of the namespace",
        ),
        pytest.param(
            scoped(namespace_labels="on=yes"),
            [],
            Reason.NAMESPACE_OUT_OF_SCOPE,
            id="a namespace that is gone",
        ),
        pytest.param(scoped(namespace_labels="!off"), [], WEB_REF, id="and has no labels then"),
    ],
)
def test_a_profile_looks_only_where_it_is_told_to(of, objects, expected):
    labelled = pod("p", controls(WEB), labels={"team": "a"})

    assert reason(boundary(labelled, WEB, *objects, of=of)) == expected


def test_the_labels_of_a_namespace_are_asked_for():
    found = boundary(pod("p"), of=scoped(namespace_labels="on=yes"), otherwise=Ending.UNSEEN)

    assert found == Unseen((ObjectWanted(NAMESPACE, "", "ns"),))


def test_a_policy_that_raises_over_a_group_looks_after_none():
    broken = owner(f"{GROUP}", "g", annotations={"breaks the policy": "yes"})

    assert boundary_of_group(broken, profile()) is None


def workload(*pods, sight=None, of=None, at=WEB_REF):
    of = of or profile()
    return workload_of(at, rows(pods, of), of, sight or Glimpse([WEB]))


def test_members_are_sorted_by_age_then_name():
    pods = [
        pod(name, controls(WEB), creationTimestamp=f"2026-01-0{day}T00:00:00Z")
        for name, day in [("c", 1), ("a", 2), ("b", 1)]
    ]

    assert [member.pod.name for member in workload(*pods).members] == ["b", "c", "a"]


def test_members_know_their_way_up_and_their_link():
    linked = pod("p", controls(WEB), annotations={LINK: "g"})

    (member,) = workload(linked).members

    assert ([one.ref for one in member.chain.owners], member.link.group) == ([WEB_REF], "g")


def test_the_chain_of_a_thousand_pods_of_one_owner_is_followed_once():
    sight = Glimpse([WEB])
    workload(*(pod(f"p-{number}", controls(WEB)) for number in range(1000)), sight=sight)

    assert sight.asked == ["web", "web"], "once as the root, once as an owner"


def test_the_root_is_the_object_of_the_boundary_or_nothing_when_it_cannot_be_read():
    assert workload(MEMBER).root == WEB
    assert workload(MEMBER, sight=Glimpse(otherwise=Ending.FORBIDDEN)).root == {}


@pytest.mark.parametrize(
    ("reads", "expected"),
    [
        pytest.param(Reads(), "", id="nobody reads it"),
        pytest.param(Reads(paths={POD: frozenset({""})}), "uid-p", id="it is read as a whole"),
    ],
)
def test_the_root_of_a_pod_that_is_its_own_boundary(reads, expected):
    of = profile(TinyPolicy(reads=reads))
    found = workload(pod("p"), sight=Glimpse([pod("p")]), of=of, at=Ref(POD, "ns", "p", "uid-p"))

    assert uid(found.root) == expected


@pytest.mark.parametrize(
    ("pods", "expected"),
    [
        pytest.param([], ObjectWanted(SET, "ns", "web", "uid-web"), id="the boundary"),
        pytest.param(
            [pod("q", controls(owner("batch/v1 Job", "train")))],
            ObjectWanted(Kind("batch/v1", "Job"), "ns", "train", "uid-train"),
            id="an owner of a member",
        ),
    ],
)
def test_what_nobody_has_looked_for_is_asked_for(pods, expected):
    sight = Glimpse([WEB] if pods else [], Ending.UNSEEN)

    assert workload(*pods, sight=sight) == Unseen((expected,))


def asking(*wants, reads=None):
    return profile(TinyPolicy(wanted=lambda _: wants, reads=reads or Reads()))


LINKED, OTHER = (rows([pod(name, annotations={LINK: group})])[0] for name, group in [("a", "g"), ("b", "h")])
THE_GROUP = owner(f"{GROUP}", "g")


@pytest.mark.parametrize(
    ("want", "expected"),
    [
        pytest.param(ObjectWanted(SET, "ns", "web"), WEB, id="an object"),
        pytest.param(ObjectWanted(SET, "ns", "gone"), Ending.MISSING, id="one that is not there"),
        pytest.param(ObjectWanted(SET, "ns", "web", "uid-old"), Ending.OTHER_UID, id="another life of it"),
        pytest.param(PodsWanted("ns", (("app", "x"),)), (LINKED, OTHER), id="pods by labels"),
        pytest.param(GroupWanted("ns", "g"), THE_GROUP, id="a group"),
        pytest.param(GroupWanted("ns", "h"), None, id="a group that is not there"),
        pytest.param(LinkedWanted("ns", "g"), (LINKED,), id="pods that name a group"),
    ],
)
def test_a_policy_gets_an_answer_to_what_it_wants(want, expected):
    sight = Glimpse([WEB, THE_GROUP], labelled=(LINKED, OTHER))

    assert workload(MEMBER, sight=sight, of=asking(want)).answers == {want: expected}


def test_wants_that_nobody_has_looked_for_are_asked_for_together():
    wants = tuple(ObjectWanted(SET, "ns", name) for name in ("a", "b"))

    assert workload(sight=Glimpse([WEB], Ending.UNSEEN), of=asking(*wants)) == Unseen(wants)


def test_a_policy_may_ask_on_what_it_was_told_but_not_for_ever():
    def one_more(found):
        return [*found.answers, ObjectWanted(SET, "ns", f"next-{len(found.answers)}")]

    found = workload(MEMBER, of=profile(TinyPolicy(wanted=one_more)))

    assert len(found.answers) == ROUNDS_OF_WANTS == 3


def test_a_policy_that_cannot_say_what_it_wants_is_not_asked_to_group():
    found = workload(MEMBER, of=profile(TinyPolicy(wanted=raising)))

    assert found.fault.message == "profile tiny: RuntimeError: what a pod"


@pytest.mark.parametrize(
    ("reads", "expected"),
    [
        pytest.param(Reads(), frozenset(), id="nobody reads them"),
        pytest.param(Reads(priority_classes=True), {"high"}, id="declared"),
    ],
)
def test_priority_classes_are_seen_by_who_declared_them(reads, expected):
    found = workload(MEMBER, sight=Glimpse([WEB], classes=frozenset({"high"})), of=asking(reads=reads))

    assert found.priority_classes == expected


def test_living_members_are_those_that_have_not_ended():
    pods = [pod(name, controls(WEB), phase=phase) for name, phase in [("a", "Running"), ("b", "Failed")]]

    assert [member.pod.name for member in workload(*pods).live] == ["a"]
