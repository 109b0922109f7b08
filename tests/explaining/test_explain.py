"""Every cause that keeps a gang from running is told apart by its own code, in a sentence that helps."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podgrouper.core.fields import kind_of
from podgrouper.core.model import POD, Ending, Kind, Ref
from podgrouper.core.reasons import HELP
from podgrouper.core.status import Phase
from podgrouper.explaining.explain import explain
from podgrouper.explaining.model import Cause, Count, Step, Subject
from tests.builders import Object, controls, owner, pod
from tests.explaining.scenes import (
    SIZE,
    below,
    condition,
    event,
    group,
    in_the_eyes_of_volcano,
    job,
    kai_job,
    kai_pod,
    linked,
    pair,
    queue,
    replica_set,
    stateful_set,
    told_by_kai,
    told_of_group,
    unscheduled,
    with_,
)

JOB = Kind("batch/v1", "Job")
VOLCANO_GROUP = Kind("scheduling.volcano.sh/v1beta1", "PodGroup")
DEPLOYMENT = owner("apps/v1 Deployment", "top", spec={"replicas": 4})
RAY = owner("ray.io/v1 RayCluster", "ray")
LOOP = owner("ray.io/v1 RayCluster", "loop")


def subject(objects: list[Object], name: str = "a", **hidden: Ending) -> Subject:
    """What is told about the group of this pod."""
    kinds = {kind_of(obj) for obj in objects} | {VOLCANO_GROUP}
    unreadable = {kind: hidden[kind.kind] for kind in kinds if kind.kind in hidden}
    (found,) = explain(Ref(POD, "ns", name), objects, unreadable=unreadable).subjects
    return found


def blocked(objects: list[Object], **hidden: Ending) -> Cause:
    found = subject(objects, **hidden).blocked_by
    assert found is not None
    return found


CAUSES = [
    pytest.param(
        [pod("a", scheduler="default-scheduler")],
        "OtherScheduler",
        "spec.schedulerName in its pod template to one of: kai-scheduler, volcano",
        id="wrong scheduler name",
    ),
    pytest.param(
        [pod("a", annotations={"podgrouper.io/skip": "true"})], "OptedOut", "opt-out", id="opted out"
    ),
    pytest.param(
        [linked("a", link="theirs")],
        "LinkedElsewhere",
        "'theirs', which does not exist",
        id="linked elsewhere",
    ),
    pytest.param(
        [kai_pod("a")], "OwnerGone", "Job train above Pod ns/a does not exist", id="its owner is gone"
    ),
    pytest.param(
        [
            with_(
                LOOP, metadata={"ownerReferences": pod("x", controls(LOOP))["metadata"]["ownerReferences"]}
            ),
            pod("a", controls(LOOP), scheduler="kai-scheduler"),
        ],
        "OwnerCycle",
        "was passed already",
        id="owners in a circle",
    ),
    pytest.param(
        [
            owner("batch/v1 Job", "train", annotations={"kai.scheduler/batch-min-member": "two"}),
            kai_pod("a"),
        ],
        "BadValue",
        "batch-min-member",
        id="a value that the grouper cannot use",
    ),
    pytest.param(
        [replica_set(), pod("a", controls(replica_set())), event("GroupRefused", "queue is closed")],
        "GroupRefused",
        "queue is closed",
        id="the API denied the group",
    ),
    pytest.param(
        [replica_set(), pod("a", controls(replica_set()))],
        "GroupMissing",
        "PodGroup ns/podgroup-uid-web does not exist yet",
        id="nobody has made the group",
    ),
    pytest.param(
        [*pair(queue("other"))], "QueueMissing", "queue 'default' does not exist", id="queue missing"
    ),
    pytest.param(pair(queue("default", "Closed")), "QueueClosed", "'default' is Closed", id="queue closed"),
    pytest.param(
        below(replica_set(floor=3, replicas=3), "a", "b", floor=3),
        "TooFewPods",
        "2 of 3 members exist: ReplicaSet web has to create the others",
        id="fewer pods than the floor",
    ),
    pytest.param(
        below(replica_set(floor=3, replicas=2), "a", "b", floor=3),
        "FloorOutOfReach",
        "ReplicaSet web never has more than 2 (spec.replicas is 2)",
        id="more than the replicas",
    ),
    pytest.param(
        below(job(3, parallelism=4, completions=2), "a", "b", floor=3),
        "FloorOutOfReach",
        "spec.parallelism is 4 and spec.completions 2",
        id="more than the completions",
    ),
    pytest.param(
        below(job(2, suspend=True), "a"), "FloorOutOfReach", "spec.suspend is true", id="a suspended Job"
    ),
    pytest.param(
        [DEPLOYMENT, *below(replica_set(controls(DEPLOYMENT), floor=4, replicas=1), "a", floor=4)],
        "FloorOutOfReach",
        "gets 2 before the old ones go (the Deployment rolls with maxSurge 1 and maxUnavailable 1)",
        id="a rollout",
    ),
    pytest.param(
        below(stateful_set(), "a"),
        "OrderedStart",
        "set spec.podManagementPolicy to Parallel",
        id="deadlock by design",
    ),
    pytest.param(
        below(stateful_set("Parallel"), "a"),
        "TooFewPods",
        "StatefulSet web has",
        id="no deadlock in parallel",
    ),
    pytest.param(
        pair(
            status=unscheduled("Unschedulable", "0/3 nodes are available: 3 Insufficient cpu."),
            spec={"containers": [{"name": "c", "resources": {"requests": {"cpu": "500m"}}}]},
        ),
        "NotEnoughResources",
        "2 of 2 members; those without a node ask for cpu 1: 0/3 nodes are available: 3 Insufficient cpu.",
        id="not enough resources",
    ),
    pytest.param(
        pair(
            status=unscheduled("SchedulingGated"), spec={"schedulingGates": [{"name": "kueue.x/admission"}]}
        ),
        "PodsGated",
        "kueue.x/admission on 2",
        id="gated",
    ),
    pytest.param(
        [*pair()[:3], linked("b", controls(replica_set()), status={"phase": "Failed"})],
        "MembersFailed",
        "1 members have failed (b)",
        id="failed members",
    ),
    pytest.param(
        kai_job(kai_pod("done", "Succeeded"), kai_pod("a"), kai_pod("b")),
        "RetryParked",
        "1 members have succeeded and count no more; 2 are left, fewer than the floor of 3",
        id="a retried member parked",
    ),
    pytest.param(
        kai_job(*map(kai_pod, "abc"), spec={"schedulingBackoff": 5}),
        "BadBackoff",
        "is 5: set it to -1",
        id="a backoff that means nothing",
    ),
    pytest.param(
        kai_job(
            *map(kai_pod, "abc"),
            status=told_by_kai("QueueDoesNotExist", "queue default-queue does not exist"),
        ),
        "QueueMissing",
        "'default-queue' does not exist",
        id="KAI says that the queue is missing",
    ),
    pytest.param(
        kai_job(*map(kai_pod, "abc"), status=told_by_kai("OverLimit", "limit is 2 GPUs")),
        "QueueOverLimit",
        "OverLimit: limit is 2 GPUs",
        id="KAI says that the queue is used up",
    ),
    pytest.param(
        in_the_eyes_of_volcano(
            condition("Unschedulable", "NotEnoughResources", "2/2 tasks in gang unschedulable: 3 nodes", "02")
        ),
        "NotEnoughResources",
        "2 of 2 members; those without a node ask for nothing in particular: 2/2 tasks in gang",
        id="Volcano says so of the group alone",
    ),
    pytest.param(
        in_the_eyes_of_volcano(
            condition("Unschedulable", "NotEnoughResources", "2/2 tasks in gang unschedulable", "01"),
            condition("Scheduled", "tasks in gang are ready to be scheduled", "", "02"),
        ),
        "NotScheduledYet",
        "says 'Scheduled=True",
        id="an old word of Volcano's beside a newer one",
    ),
    pytest.param(
        [
            *pair(),
            told_of_group("Unschedulable", "queue resource quota insufficient: insufficient nvidia.com/gpu"),
        ],
        "QueueOverLimit",
        "has nothing left for PodGroup ns/podgroup-uid-web, queue resource quota insufficient: insufficient",
        id="Volcano says that the queue is used up",
    ),
    pytest.param(
        [*pair(), told_of_group("Unschedulable", "resource in cluster is overused: overused cpu")],
        "NotEnoughResources",
        "resource in cluster is overused: overused cpu. Free or add what is missing",
        id="Volcano does not let the group in",
    ),
    pytest.param(
        kai_job(*map(kai_pod, "abc"), status=told_by_kai("", "not enough resources for the workload")),
        "NotEnoughResources",
        "3 of 3 members; those without a node ask for nothing in particular: not enough resources for",
        id="KAI says that there is no room",
    ),
    pytest.param(pair(), "NotScheduledYet", "scheduler 'volcano' has said nothing", id="no scheduler runs"),
]


@pytest.mark.parametrize(("objects", "code", "words"), CAUSES)
def test_a_cause_has_its_own_code_and_says_what_to_do(objects, code, words):
    cause = blocked(objects)

    assert (str(cause.reason), words in cause.sentence) == (code, True), cause.sentence


def test_a_missing_crd_is_told_before_the_missing_group():
    cause = blocked(pair()[::2], PodGroup=Ending.UNKNOWN_KIND)

    assert str(cause.reason) == "GroupKindMissing"


ADVICE = [
    pytest.param(
        pair(linked("c", controls(replica_set()), spec={"priorityClassName": "high"})),
        {},
        ["PriorityMix"],
        id="priority mix",
    ),
    pytest.param(
        below(with_(replica_set(), metadata={"annotations": {SIZE: "x"}}), "a", floor=1),
        {},
        ["BadValue"],
        id="bad annotation",
    ),
    pytest.param(
        [RAY, pod("a", controls(RAY), scheduler="kai-scheduler")],
        {"RayCluster": Ending.FORBIDDEN},
        ["OwnerForbidden"],
        id="an owner that may not be read",
    ),
    pytest.param(
        [RAY, pod("a", controls(RAY), scheduler="kai-scheduler")],
        {"RayCluster": Ending.UNKNOWN_KIND},
        ["OwnerKindUnknown"],
        id="an owner of a kind that is not served",
    ),
]


@pytest.mark.parametrize(("objects", "hidden", "expected"), ADVICE)
def test_what_does_not_stop_a_group_is_good_to_know(objects, hidden, expected):
    causes = subject(objects, **hidden).causes

    assert [str(cause.reason) for cause in causes if not cause.blocks] == expected


def test_a_running_gang_has_nothing_in_its_way():
    found = subject(pair(spec={"nodeName": "n"}, status={"phase": "Running"}))

    assert (found.blocked_by, found.causes) == (None, ())


def test_a_group_that_runs_by_the_schedulers_word_has_nothing_in_its_way():
    objects = [replica_set(), group(2, status={"phase": "Running"}), linked("a", controls(replica_set()))]

    assert subject(objects).phase is Phase.RUNNING
    assert subject(objects).blocked_by is None


def test_the_chain_is_told_from_the_top_with_where_it_breaks():
    web = replica_set(controls(DEPLOYMENT))
    objects = [web, pod("a", controls(web))]

    assert subject(objects).chain == (
        Step("Deployment top", "does not exist"),
        Step("ReplicaSet ns/web"),
        Step("Pod ns/a"),
    )


def test_want_have_and_running_are_counted():
    objects = below(replica_set(floor=3, replicas=3), "a", "b", floor=3)

    assert subject(objects).counts == (Count("", 3, 2, 0),)


def test_each_field_says_where_it_comes_from():
    fields = {field.name: (field.value, field.origin) for field in subject(pair()).fields}

    assert fields["minMember"] == (
        "2",
        "ReplicaSet ns/web, annotation scheduling.volcano.sh/group-min-member",
    )


def test_what_follows_from_a_kind_names_policy_and_kind():
    found = subject([*kai_job(*map(kai_pod, "abc"), floor=1)[1:], owner("batch/v1 Job", "train")])

    origins = {field.name: field.origin for field in found.fields}
    assert (found.decided.rule, origins["minMember"]) == ("Job ns/train", "policy kai for Job")


def test_what_an_annotation_says_names_it():
    origins = {field.name: field.origin for field in subject(kai_job(*map(kai_pod, "abc"))).fields}

    assert origins["minMember"] == "Job ns/train, annotation kai.scheduler/batch-min-member"


def test_a_gang_that_lacks_members_does_not_lack_room_as_well():
    status = unscheduled("Unschedulable", "1 of 3 pods would fit: others are missing")

    causes = subject(below(replica_set(floor=3, replicas=3), "a", floor=3, status=status)).causes

    assert [str(cause.reason) for cause in causes] == ["TooFewPods"]


def test_a_field_that_somebody_else_changed_says_so():
    objects = [replica_set(), group(7), linked("a", controls(replica_set()))]

    fields = {field.name: (field.value, field.origin) for field in subject(objects).fields}

    assert fields["minMember"] == ("7", "as it stands there; by our rules 2")


def test_the_words_of_the_scheduler_are_told():
    status = unscheduled("Unschedulable", "3 Insufficient cpu.")
    theirs = event("FailedScheduling", "no fit", source="volcano")

    words = [(word.where, word.says) for word in subject(pair(theirs, status=status)).words]

    assert words == [
        ("2 pods", "Unschedulable: 3 Insufficient cpu."),
        ("event on Pod", "FailedScheduling: no fit"),
    ]


def test_what_volcano_said_before_is_told_after_what_it_says_now():
    objects = in_the_eyes_of_volcano(
        condition("Unschedulable", "NotEnoughResources", "2/2 tasks in gang unschedulable", "01"),
        condition("Scheduled", "tasks in gang are ready to be scheduled", "", "02"),
    )

    assert [(word.where, word.says) for word in subject(objects).words] == [
        ("PodGroup", "Scheduled=True: tasks in gang are ready to be scheduled"),
        (
            "PodGroup, before",
            "Unschedulable=True: NotEnoughResources: 2/2 tasks in gang unschedulable",
        ),
    ]


def test_kai_tells_of_its_queue():
    amounts = {
        "name": "team",
        "queueResourceLimits": {"cpu": "4"},
        "podGroupRequestedResources": {"cpu": "8"},
    }
    objects = kai_job(kai_pod("a"), status=told_by_kai("OverLimit", "too much", **amounts))

    assert [word.says for word in subject(objects).words] == [
        "OverLimit: too much: queue team: requested cpu=8; limit cpu=4"
    ]


@pytest.mark.parametrize(
    "about",
    [
        pytest.param(Ref(POD, "ns", "a"), id="a pod"),
        pytest.param(Ref(VOLCANO_GROUP, "ns", "podgroup-uid-web"), id="its group"),
        pytest.param(Ref(Kind("apps/v1", "ReplicaSet"), "ns", "web"), id="its owner"),
        pytest.param(Ref(Kind("apps/v1", "Deployment"), "ns", "top"), id="the top of its chain"),
    ],
)
def test_one_may_ask_at_any_height(about):
    web = replica_set(controls(DEPLOYMENT))
    objects = [DEPLOYMENT, *below(web, "a", "b")]

    (found,) = explain(about, objects).subjects

    assert found.group == Ref(VOLCANO_GROUP, "ns", "podgroup-uid-web")


def test_a_group_that_does_not_exist_yet_is_found_by_the_pods_that_would_be_in_it():
    web = replica_set()
    about = Ref(VOLCANO_GROUP, "ns", "podgroup-uid-web")

    (found,) = explain(about, [web, pod("a", controls(web))]).subjects

    assert (found.exists, [ref.name for ref in found.pods]) == (False, ["a"])


def test_pods_without_a_group_are_told_of_together():
    objects = [owner("batch/v1 Job", "web"), *(linked(name, controls(job()), link="theirs") for name in "ab")]

    (found,) = explain(Ref(JOB, "ns", "web"), objects).subjects

    assert [ref.name for ref in found.pods] == ["a", "b"]


@pytest.mark.parametrize(
    ("objects", "words"),
    [
        pytest.param([job()], "has no pods", id="no pods"),
        pytest.param([], "does not exist, or may not be read", id="no such thing"),
    ],
)
def test_what_leads_to_no_pod_says_so(objects, words):
    (found,) = explain(Ref(JOB, "ns", "web"), objects).subjects

    assert (str(found.causes[0].reason), words in found.causes[0].sentence) == ("NoPods", True)


@settings(deadline=None)
@given(st.sampled_from(CAUSES), st.randoms())
def test_the_order_of_the_objects_changes_nothing(case, random):
    objects, _, _ = case.values
    shuffled = random.sample(objects, len(objects))

    assert subject(shuffled) == subject(objects)


def test_every_code_that_is_given_has_help():
    assert {case.values[1] for case in CAUSES} <= {str(reason) for reason in HELP}
