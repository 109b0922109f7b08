import pytest

from podgrouper.core.model import Ending, Kind
from podgrouper.core.reasons import Reason
from podgrouper.planning import plan
from podgrouper.policies.kai.policy import KaiPolicy
from podgrouper.policies.kai.settings import SKIP_TOP_OWNER, KaiSettings
from tests.policies.kai.worlds import (
    boundaries,
    deleting,
    existing_group,
    groups,
    kai_profile,
    only_group,
    pod,
    reasons,
    thing,
)

WORKFLOW = thing("argoproj.io/v1alpha1 Workflow", "wf")
JOB = thing("batch/v1 Job", "j")
DEPLOYMENT = thing("apps/v1 Deployment", "d")
REPLICA_SET = thing("apps/v1 ReplicaSet", "rs", owner=DEPLOYMENT)
RUN_AI = thing("run.ai/v7 TrainingWorkload", "tw")


@pytest.mark.parametrize(
    ("expected", "objects"),
    [
        pytest.param("Pod team/p", [pod("p")], id="a bare pod stands for itself"),
        pytest.param("Job team/j", [JOB, pod("p", JOB)], id="the owner"),
        pytest.param(
            "Deployment team/d", [DEPLOYMENT, REPLICA_SET, pod("p", REPLICA_SET)], id="the top owner"
        ),
        pytest.param("Pod team/p", [WORKFLOW, pod("p", WORKFLOW)], id="a workflow wraps its pods"),
        pytest.param(
            "Job team/k",
            [WORKFLOW, thing("batch/v1 Job", "k", owner=WORKFLOW), pod("p", thing("batch/v1 Job", "k"))],
            id="a workflow wraps a job",
        ),
        pytest.param("Pod team/p", [RUN_AI, pod("p", RUN_AI)], id="any version of a wrapper"),
        pytest.param(
            "TrainingWorkload team/tw",
            [
                WORKFLOW,
                thing("run.ai/v7 TrainingWorkload", "tw", owner=WORKFLOW),
                pod("p", RUN_AI),
            ],
            id="any version counts at the top only",
        ),
    ],
)
def test_pods_belong_together_at_the_top(expected, objects):
    assert str(boundaries(objects)["p"]) == expected


@pytest.mark.parametrize("ending", [Ending.FORBIDDEN, Ending.UNKNOWN_KIND])
def test_the_last_readable_owner_is_the_top(ending):
    objects = [DEPLOYMENT, REPLICA_SET, pod("p", REPLICA_SET)]

    assert (
        str(boundaries(objects, unreadable={Kind("apps/v1", "Deployment"): ending})["p"])
        == "ReplicaSet team/rs"
    )


@pytest.mark.parametrize(
    ("ending", "reason"),
    [
        pytest.param(Ending.FORBIDDEN, Reason.OWNER_FORBIDDEN, id="forbidden"),
        pytest.param(Ending.UNKNOWN_KIND, Reason.OWNER_KIND_UNKNOWN, id="not served"),
    ],
)
def test_an_owner_that_is_not_read_is_told_in_the_same_words_for_all_that_is_below(ending, reason):
    above = thing("example.com/v1 Rollout", "r")
    sets = [thing("apps/v1 ReplicaSet", name, owner=above) for name in ("one", "two")]
    objects = [above, *sets, *(pod(f"{n}", sets[n // 2]) for n in range(4))]

    made = plan(objects, unreadable={Kind("example.com/v1", "Rollout"): ending})

    told = {(str(report.about), report.reason, report.message) for report in made.warnings}
    assert [(about, why) for about, why, _ in told] == [("Rollout team/r", reason)]
    assert {ref.name for ref in made.created} == {"pg-one-uid-one", "pg-two-uid-two"}


@pytest.mark.parametrize(
    ("expected", "objects"),
    [
        pytest.param(Reason.OWNER_GONE, [pod("p", JOB)], id="the owner is gone"),
        pytest.param(
            Reason.OWNER_GONE,
            [JOB | {"metadata": {**JOB["metadata"], "uid": "another"}}, pod("p", JOB)],
            id="a namesake took its place",
        ),
        pytest.param(
            Reason.OWNER_CYCLE,
            [thing("batch/v1 Job", "j", owner=JOB), pod("p", JOB)],
            id="an owner owns itself",
        ),
        pytest.param(
            Reason.FINISHED, [pod("p", JOB, phase="Succeeded")], id="nobody is warned about the dead"
        ),
    ],
)
def test_a_chain_that_leads_nowhere_is_a_reasoned_skip(expected, objects):
    assert boundaries(objects)["p"].reason == expected


def test_a_kind_of_ones_own_may_wrap_as_well():
    settings = KaiSettings(skip_top_owner=(*SKIP_TOP_OWNER, Kind("example.com/*", "Pipeline")))
    pipeline = thing("example.com/v2 Pipeline", "pipe")

    assert str(boundaries([pipeline, pod("p", pipeline)], kai_profile(settings))["p"]) == "Pod team/p"


def test_what_a_wrapper_says_counts_where_the_owner_is_silent():
    workflow = thing("argoproj.io/v1alpha1 Workflow", "wf", labels={"kai.scheduler/queue": "flow", "x": "wf"})
    job = thing("batch/v1 Job", "j", owner=workflow, labels={"x": "job"})

    group = only_group(workflow, job, pod("p", job))

    assert (group.queue, group.labels) == ("flow", {"kai.scheduler/queue": "flow", "x": "job"})


@pytest.mark.parametrize(
    ("expected", "objects"),
    [
        pytest.param({"p": "Finished"}, [JOB, pod("p", JOB, phase="Failed")], id="ended and never linked"),
        pytest.param({"p": "Finished"}, [JOB, deleting(pod("p", JOB))], id="being deleted and never linked"),
        pytest.param({"p": "OwnerLeaving"}, [deleting(JOB), pod("p", JOB)], id="the owner goes"),
        pytest.param(
            {"p": "LinkedElsewhere"},
            [pod("p", annotations={"pod-group-name": ""})],
            id="a bare pod with an empty link",
        ),
        pytest.param(
            {"p": "LinkedElsewhere"},
            [pod("p", annotations={"pod-group-name": "mine"})],
            id="a bare pod that names any group",
        ),
        pytest.param(
            {"p": "LinkedElsewhere"},
            [JOB, existing_group("mine"), pod("p", JOB, annotations={"pod-group-name": "mine"})],
            id="a group of somebody else that exists",
        ),
    ],
)
def test_pods_that_are_left_alone_say_why(expected, objects):
    assert reasons(objects) == expected
    assert groups(objects) == ()


def test_a_foreign_link_takes_no_other_pod_along():
    objects = [
        JOB,
        existing_group("mine"),
        pod("a", JOB),
        pod("b", JOB, annotations={"pod-group-name": "mine"}),
    ]

    assert [place.pod.name for place in groups(objects)[0].placements] == ["a"]


def test_a_link_to_a_group_that_is_no_more_is_replaced():
    group = only_group(JOB, pod("p", JOB, annotations={"pod-group-name": "gone"}))

    assert [place.replaces for place in group.placements] == ["gone"]


@pytest.mark.parametrize(
    ("expected", "existing"),
    [pytest.param(1, [existing_group("pg-j-uid-j")], id="kept"), pytest.param(0, [], id="not made anew")],
)
def test_a_group_without_living_members_is_kept_and_not_made(expected, existing):
    done = pod("p", JOB, phase="Succeeded", annotations={"pod-group-name": "pg-j-uid-j"})

    assert len(groups([JOB, done, *existing])) == expected


def test_a_bare_pod_keeps_its_group_up_to_date_without_copying_its_own_link():
    group = only_group(pod("p", annotations={"pod-group-name": "pg-p-uid-p", "note": "x"}))

    assert "pod-group-name" not in group.annotations
    assert group.annotations["note"] == "x"


def test_the_oldest_living_pod_speaks_whatever_the_order():
    first, second = pod("a", JOB, labels={"user": "ann"}), pod("b", JOB, labels={"user": "bob"})

    assert {only_group(JOB, *order).labels["user"] for order in ((first, second), (second, first))} == {"ann"}


def test_a_number_that_makes_no_sense_is_told_to_every_pod():
    job = thing("batch/v1 Job", "j", annotations={"kai.scheduler/batch-min-member": "abc"})

    assert reasons([job, pod("a", job), pod("b", job)]) == {"a": "BadValue", "b": "BadValue"}


def test_everything_that_is_read_is_declared():
    reads = KaiPolicy().reads

    assert {"kai.scheduler/queue", "kai.scheduler/node-pool", "user", "project"} <= reads.labels
    assert Kind("batch/v1", "Job") in reads.kinds
    assert reads.priority_classes


def test_without_a_node_pool_key_none_is_read():
    assert "" not in KaiPolicy(KaiSettings(node_pool_label_key="")).reads.labels
