import pytest

from podgrouper.core.rules import TypeDefault
from podgrouper.policies.kai.settings import KaiSettings
from tests.policies.kai.worlds import only_group, pod, priority_class, thing

CLASSES = tuple(priority_class(name) for name in ("gold", "silver", "build"))


def job(labels=(), annotations=(), owner=None):
    return thing("batch/v1 Job", "j", labels=dict(labels), annotations=dict(annotations), owner=owner)


@pytest.mark.parametrize(
    ("expected", "owner_labels", "pod_labels"),
    [
        pytest.param("default-queue", {}, {}, id="nobody says anything"),
        pytest.param("o", {"kai.scheduler/queue": "o"}, {"kai.scheduler/queue": "p"}, id="owner before pod"),
        pytest.param("p", {"kai.scheduler/queue": ""}, {"kai.scheduler/queue": "p"}, id="empty is absent"),
        pytest.param("a", {"project": "a"}, {"project": "b"}, id="the project's queue"),
        pytest.param("a-np", {"project": "a"}, {"kai.scheduler/node-pool": "np"}, id="one for each pool"),
        pytest.param("a", {"project": "a", "kai.scheduler/node-pool": "np"}, {}, id="the pool is the pod's"),
        pytest.param("q", {"project": "a"}, {"kai.scheduler/queue": "q"}, id="any queue before any project"),
    ],
)
def test_the_queue_is_the_first_that_somebody_names(expected, owner_labels, pod_labels):
    owner = job(owner_labels)

    assert only_group(owner, pod("p", owner, labels=pod_labels)).queue == expected


def test_node_pools_may_play_no_part():
    owner = job({"project": "a"})
    member = pod("p", owner, labels={"kai.scheduler/node-pool": "np"})

    group = only_group(owner, member, settings=KaiSettings(node_pool_label_key=""))

    assert (group.queue, group.labels) == ("a", {"project": "a"})


@pytest.mark.parametrize(
    ("expected", "owner_labels", "pod_labels", "spec"),
    [
        pytest.param("train", {}, {}, {}, id="the kind's default need not exist"),
        pytest.param(
            "gold", {"priorityClassName": "gold"}, {"priorityClassName": "build"}, {}, id="owner first"
        ),
        pytest.param(
            "build", {"priorityClassName": "none"}, {"priorityClassName": "build"}, {}, id="must exist"
        ),
        pytest.param(
            "build", {}, {"priorityClassName": "build"}, {"priorityClassName": "gold"}, id="label, spec"
        ),
        pytest.param("gold", {}, {"priorityClassName": ""}, {"priorityClassName": "gold"}, id="spec at last"),
    ],
)
def test_the_priority_class_is_the_first_that_exists(expected, owner_labels, pod_labels, spec):
    owner = job(owner_labels)

    assert (
        only_group(owner, pod("p", owner, labels=pod_labels, spec=spec), *CLASSES).priority_class == expected
    )


@pytest.mark.parametrize(
    ("expected", "defaults"),
    [
        pytest.param("gold", [TypeDefault("Job", "batch", "gold")], id="kind and group"),
        pytest.param("gold", [TypeDefault("Job.batch", "", "gold")], id="in one word"),
        pytest.param("gold", [TypeDefault("Job", "", "gold")], id="any group"),
        pytest.param(
            "gold", [TypeDefault("Job", "", "silver"), TypeDefault("Job", "batch", "gold")], id="group first"
        ),
        pytest.param(
            "silver",
            [TypeDefault("Job", "", "silver"), TypeDefault("Job", "batch", "no")],
            id="no class, next",
        ),
        pytest.param(
            "silver",
            [TypeDefault("Job", "", "gold"), TypeDefault("Job", "", "silver")],
            id="the later counts",
        ),
        pytest.param("train", [TypeDefault("Job", "example.com", "gold")], id="another group"),
    ],
)
def test_type_defaults_come_before_the_built_in_one(expected, defaults):
    owner = job()
    settings = KaiSettings(type_defaults=tuple(defaults))

    assert only_group(owner, pod("p", owner), *CLASSES, settings=settings).priority_class == expected


@pytest.mark.parametrize(
    ("expected", "owner_labels", "pod_labels", "default"),
    [
        pytest.param("", {}, {}, "", id="the scheduler concludes it"),
        pytest.param("preemptible", {"kai.scheduler/preemptibility": "preemptible"}, {}, "", id="the owner"),
        pytest.param("preemptible", {}, {"kai.scheduler/preemptibility": "preemptible"}, "", id="the pod"),
        pytest.param(
            "preemptible", {"kai.scheduler/preemptibility": "Yes"}, {}, "Preemptible", id="the default"
        ),
    ],
)
def test_preemptibility_is_the_first_that_is_one(expected, owner_labels, pod_labels, default):
    owner = job(owner_labels)
    settings = KaiSettings(type_defaults=(TypeDefault("Job", "batch", "", default),))

    assert only_group(owner, pod("p", owner, labels=pod_labels), settings=settings).preemptibility == expected


@pytest.mark.parametrize(
    ("expected", "annotations"),
    [
        pytest.param(("5m0s", "1h0m0s"), ("300s", "1h"), id="in Go's form"),
        pytest.param(("", "-1s"), ("-1s", "-1s"), id="only a grace may be negative"),
        pytest.param(("", ""), ("5", "1d"), id="unusable"),
    ],
)
def test_delay_and_grace_are_durations(expected, annotations):
    delay, grace = annotations
    keys = {"kai.scheduler/preemption-delay": delay, "kai.scheduler/staleness-grace-period": grace}
    owner = job(annotations=keys)

    group = only_group(owner, pod("p", owner))

    assert (group.preemption_delay, group.staleness_grace) == expected


def test_the_default_of_a_wrapper_is_written_as_a_label_when_it_decides():
    workflow = thing("argoproj.io/v1alpha1 Workflow", "wf")
    owner = job(owner=workflow)
    settings = KaiSettings(type_defaults=(TypeDefault("Workflow", "argoproj.io", "gold"),))

    group = only_group(workflow, owner, pod("p", owner), *CLASSES, settings=settings)

    assert (group.priority_class, group.labels) == ("gold", {"priorityClassName": "gold"})


def test_a_choice_beats_the_default_of_a_wrapper_and_leaves_no_label_of_it():
    workflow = thing("argoproj.io/v1alpha1 Workflow", "wf")
    owner = job(owner=workflow)
    settings = KaiSettings(type_defaults=(TypeDefault("Workflow", "argoproj.io", "gold"),))
    member = pod("p", owner, labels={"priorityClassName": "build"})

    group = only_group(workflow, owner, member, *CLASSES, settings=settings)

    assert (group.priority_class, group.labels) == ("build", {})


def test_every_choice_says_where_it_came_from():
    owner = job({"project": "a"})
    member = pod("p", owner, labels={"kai.scheduler/node-pool": "np"}, spec={"priorityClassName": "gold"})

    origins = only_group(owner, member, *CLASSES).origins

    assert origins == {
        "queue": "label project of Job team/j and label kai.scheduler/node-pool of Pod team/p",
        "priority_class": "spec.priorityClassName of Pod team/p",
    }
