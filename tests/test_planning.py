"""The road on files: the same objects give the same plan, and afterwards there is nothing to do."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import podgrouper
from podgrouper import Config
from podgrouper.config.model import BUILT_IN
from podgrouper.core.fields import annotations, ref_of
from podgrouper.core.model import Ending, Kind
from podgrouper.dialects.volcano import LINK, POD_GROUP
from tests.builders import controls, owner, pod

SET = Kind("apps/v1", "ReplicaSet")
WEB, IDLE = owner(f"{SET}", "web", spec={"replicas": 2}), owner(f"{SET}", "idle", spec={"replicas": 0})
JOB = owner("batch/v1 Job", "train", spec={"parallelism": 2})
STALE = owner(f"{POD_GROUP}", "podgroup-uid-web", controls(WEB), spec={"minMember": 9})
UNUSED = owner(f"{POD_GROUP}", "podgroup-uid-idle", controls(IDLE), spec={"minMember": 1})
FOREIGN = owner(f"{POD_GROUP}", "theirs", spec={"minMember": 4})
RULES = BUILT_IN[0].volcano.level_rules_configmap
PODS = [
    pod("web-0", controls(WEB)),
    pod("web-1", controls(WEB)),
    pod("train-0", controls(JOB)),
    pod("kai-0", controls(JOB), scheduler="kai-scheduler"),
    pod("other", scheduler="default-scheduler"),
    pod("out", annotations={"podgrouper.io/skip": "true"}),
]
WORLD = [WEB, IDLE, JOB, STALE, UNUSED, FOREIGN, *PODS]


def names(refs):
    return sorted(ref.name for ref in refs)


def skips(plan):
    return {entry.pod.name: str(entry.skip.reason) for entry in plan.skipped}


def test_a_plan_says_what_would_be_done_and_what_would_be_there():
    plan = podgrouper.plan(WORLD)

    assert names(plan.created) == ["pg-train-uid-train", "podgroup-uid-train"]
    assert names(ref for ref, _ in plan.changed) == ["podgroup-uid-web"]
    assert names(plan.deleted) == ["podgroup-uid-idle"]
    assert sorted(link.pod.name for link in plan.links) == ["kai-0", "train-0", "web-0", "web-1"]
    assert skips(plan) == {"other": "OtherScheduler", "out": "OptedOut"}


def test_untouched_groups_are_there_as_well():
    assert FOREIGN in podgrouper.plan(WORLD).pod_groups


@given(st.permutations(WORLD))
def test_the_order_of_the_objects_plays_no_part(world):
    assert podgrouper.plan(world) == podgrouper.plan(WORLD)


def after(plan, world):
    """The objects as the plan leaves them."""
    links = {link.pod.name: dict(link.patch.annotations) for link in plan.links}
    rest = [obj for obj in world if ref_of(obj).kind != POD_GROUP]
    marks = [annotations(obj) | links.get(ref_of(obj).name, {}) for obj in rest]
    linked = [
        obj | {"metadata": {**obj["metadata"], "annotations": found}}
        for obj, found in zip(rest, marks, strict=True)
    ]
    return [*linked, *plan.pod_groups]


def test_carried_out_there_is_nothing_left_to_do():
    volcano = Config(profiles=BUILT_IN[:1])
    first = podgrouper.plan(WORLD, volcano)

    second = podgrouper.plan(after(first, WORLD), volcano)

    assert (second.created, second.changed, second.links, second.deleted) == ((), (), (), ())
    assert second.pod_groups == first.pod_groups


def test_only_chosen_profiles_look_at_pods():
    plan = podgrouper.plan(WORLD, Config(profiles=BUILT_IN[1:]))

    assert names(plan.created) == ["pg-train-uid-train"]
    assert skips(plan)["web-0"] == "OtherScheduler"


@pytest.mark.parametrize("ending", [Ending.FORBIDDEN, Ending.UNKNOWN_KIND])
def test_a_kind_that_cannot_be_read_still_owns_its_pods(ending):
    plan = podgrouper.plan([WEB, *PODS[:2]], unreadable={SET: ending})

    assert [link.patch.annotations[LINK] for link in plan.links] == ["podgroup-uid-web"] * 2


FLOW = owner("example.com/v1 Flow", "flow")
STEP = owner("example.com/v1 Step", "step", controls(FLOW))
BY_FLOW = "podgroup-level-rules:\n- {apiversion: example.com/v1, kind: flow}\n"


def saying(text):
    return owner("v1 ConfigMap", RULES.name, namespace=RULES.namespace, data={RULES.key: text})


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        pytest.param([], ["podgroup-uid-step"], id="no ConfigMap: the controller"),
        pytest.param([saying(BY_FLOW)], ["podgroup-uid-flow"], id="a rule for the flow"),
        pytest.param([saying("[")], ["podgroup-uid-step"], id="nonsense"),
    ],
)
def test_rules_are_read_from_the_config_map_among_the_objects(texts, expected):
    plan = podgrouper.plan([FLOW, STEP, pod("p", controls(STEP)), *texts])

    assert names(plan.created) == expected


def test_a_text_of_which_nothing_can_be_used_is_told():
    (bad,) = podgrouper.plan([saying("[")]).bad_texts

    assert (bad.source, bad.unreadable) == (RULES, True)


def test_without_objects_there_is_nothing_to_do():
    plan = podgrouper.plan([])

    assert (plan.pod_groups, plan.links, plan.skipped, plan.warnings) == ((), (), (), ())
