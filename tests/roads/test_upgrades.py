"""Other rules take over while gangs run: those stay as they are, and what is new is made by the new ones."""

import json
from collections.abc import Callable
from dataclasses import dataclass, replace

import pytest

from podgrouper.config.model import BUILT_IN, Config, ProfileConfig
from podgrouper.core.changes import MANAGER
from podgrouper.core.fields import annotations, dig, owner_refs, ref_of, text
from podgrouper.core.model import POD, Json, Kind, Ref
from podgrouper.core.precedents import RULES
from podgrouper.core.reasons import Reason
from podgrouper.core.recovery import RECORD, RECOVER
from podgrouper.memory.patches import MERGE
from podgrouper.planning import plan
from tests.builders import Object, controls, owner, pod
from tests.roads import virtual_time
from tests.roads.sandboxed import EVENT, Sandbox

VOLCANO, KAI = BUILT_IN
VOLCANO_GROUP = Kind("scheduling.volcano.sh/v1beta1", "PodGroup")
KAI_GROUP = Kind("scheduling.run.ai/v2alpha2", "PodGroup")
LINK = "scheduling.k8s.io/group-name"
SIZE = "scheduling.volcano.sh/group-min-member"
MARK = "volcano.sh/note"


@dataclass(frozen=True)
class Upgrade:
    """A profile before and after, and what its groups say of the field that they differ in."""

    before: ProfileConfig
    after: ProfileConfig
    kind: Kind
    field: str
    old: object
    new: object

    def workload(self, name: str, **more: str) -> Object:
        return owner("apps/v1 StatefulSet", name, spec={"replicas": 1}, annotations={SIZE: "2", **more})

    def member(self, name: str) -> Object:
        return pod(f"{name}-0", controls(self.workload(name)), scheduler=self.before.schedulers[0])


def not_inheriting(profile: ProfileConfig) -> ProfileConfig:
    return replace(profile, volcano=replace(profile.volcano, inherit_owner_annotations=False))


def by_default(preemptibility: str) -> ProfileConfig:
    text_of_defaults = json.dumps([{"typeName": "StatefulSet", "preemptibility": preemptibility}])
    return replace(KAI, kai=replace(KAI.kai, type_defaults=text_of_defaults))


UPGRADES = [
    pytest.param(
        Upgrade(
            not_inheriting(VOLCANO),
            VOLCANO,
            VOLCANO_GROUP,
            "spec.minMember",
            1,
            2,
        ),
        id="volcano: another floor",
    ),
    pytest.param(
        Upgrade(
            by_default("preemptible"),
            by_default("non-preemptible"),
            KAI_GROUP,
            "spec.preemptibility",
            "preemptible",
            "non-preemptible",
        ),
        id="kai: other defaults",
    ),
]


@pytest.fixture(params=UPGRADES)
def upgrade(request) -> Upgrade:
    return request.param


Step = Callable[[Sandbox], None]


def lived(upgrade: Upgrade, *steps: Step, phase: str = "Running") -> Sandbox:
    """A gang is made by the old rules and gets into that phase; under the new ones the steps happen."""
    sandbox = Sandbox([upgrade.workload("old"), upgrade.member("old")])

    async def both() -> None:
        async with sandbox.controller(Config(profiles=(upgrade.before,))):
            await sandbox.quiet()
        becomes("old-0", phase)(sandbox)
        async with sandbox.controller(Config(profiles=(upgrade.after,))):
            await sandbox.quiet()
            for step in steps:
                step(sandbox)
                await sandbox.quiet()

    virtual_time.run(both())
    return sandbox


def becomes(name: str, phase: str) -> Step:
    def step(sandbox: Sandbox) -> None:
        status = {"status": {"phase": phase}}
        sandbox.store.patch(Ref(POD, "ns", name), MERGE, status, subresource="status")

    return step


def comes(*objects: Object) -> Step:
    def step(sandbox: Sandbox) -> None:
        for obj in objects:
            sandbox.store.load(obj)

    return step


def said(upgrade: Upgrade, sandbox: Sandbox) -> dict[str, object]:
    """By the workload's name."""
    groups = sandbox.store.list(upgrade.kind)
    return {owner_of(one): dig(one, upgrade.field) for one in groups}


def owner_of(group: Json) -> str:
    (found,) = owner_refs(group)
    return found.name


def forgets_who_shaped_it(upgrade: Upgrade) -> Step:
    def step(sandbox: Sandbox) -> None:
        (group,) = sandbox.store.list(upgrade.kind)
        sandbox.store.patch(ref_of(group), MERGE, {"metadata": {"annotations": {RULES: None}}})

    return step


def kept(sandbox: Sandbox) -> list[Json]:
    return [event for event in sandbox.store.list(EVENT) if event["reason"] == "GroupKept"]


def test_a_group_of_running_members_stays_and_a_new_one_is_made_by_the_new_rules(upgrade):
    sandbox = lived(upgrade, comes(upgrade.workload("new"), upgrade.member("new")))

    assert said(upgrade, sandbox) == {"old": upgrade.old, "new": upgrade.new}


def test_that_it_stays_is_told_once_to_the_group(upgrade):
    sandbox = lived(upgrade, comes(upgrade.workload("new"), upgrade.member("new")))

    (event,) = kept(sandbox)
    assert (event["type"], dig(event, "involvedObject.kind")) == ("Normal", "PodGroup")
    assert f"{upgrade.field} {upgrade.new}" in text(event, "message")


def test_a_group_in_which_nothing_runs_follows_at_once(upgrade):
    assert said(upgrade, lived(upgrade, phase="Pending")) == {"old": upgrade.new}


def test_a_group_follows_when_nothing_of_it_runs_any_more(upgrade):
    sandbox = lived(upgrade, becomes("old-0", "Pending"))

    assert said(upgrade, sandbox) == {"old": upgrade.new}


def test_a_group_follows_when_its_workload_changes(upgrade):
    sandbox = lived(upgrade, comes(upgrade.workload("old", **{MARK: "x"})))

    assert said(upgrade, sandbox) == {"old": upgrade.new}


def test_a_group_follows_when_somebody_takes_away_what_says_who_shaped_it(upgrade):
    sandbox = lived(upgrade, forgets_who_shaped_it(upgrade))

    assert said(upgrade, sandbox) == {"old": upgrade.new}
    assert len(kept(sandbox)) == 1


def test_what_a_workload_changed_while_nobody_looked_is_followed_under_the_same_rules(upgrade):
    same = replace(upgrade, before=upgrade.after)
    sandbox = lived(same)

    async def later() -> None:
        sandbox.store.load(same.workload("old", **{MARK: "x"}))
        async with sandbox.controller(Config(profiles=(same.after,))):
            await sandbox.quiet()

    virtual_time.run(later())

    (group,) = sandbox.store.list(upgrade.kind)
    assert (annotations(group).get(MARK), kept(sandbox)) == ("x", [])


def test_a_plan_shows_what_stays_and_why(upgrade):
    sandbox = lived(replace(upgrade, after=upgrade.before))
    objects = [*sandbox.store.list(upgrade.kind), *sandbox.store.list(POD), upgrade.workload("old")]

    found = plan(objects, Config(profiles=(upgrade.after,)))

    assert found.changed == ()
    assert [warning.reason for warning in found.warnings] == [Reason.GROUP_KEPT]


@pytest.mark.parametrize(
    ("after", "kind"),
    [
        pytest.param(replace(VOLCANO, policy="kai"), VOLCANO_GROUP, id="another policy, so another name"),
        pytest.param(replace(VOLCANO, dialect="kai"), KAI_GROUP, id="another dialect"),
    ],
)
def test_a_pod_that_is_linked_stays_so_whatever_new_ones_are_called(after, kind):
    upgrade = Upgrade(VOLCANO, after, kind, "", None, None)

    sandbox = lived(upgrade, comes(upgrade.workload("new"), upgrade.member("new")))

    links = {ref_of(one).name: annotations(one).get(LINK) for one in sandbox.store.list(POD)}
    assert links["old-0"] == "podgroup-uid-old"
    assert "new" in {owner_of(group) for group in sandbox.store.list(kind)}
    assert "old" in {owner_of(group) for group in sandbox.store.list(VOLCANO_GROUP)}


@pytest.mark.parametrize(
    ("key", "stays"),
    [
        pytest.param("podgrouper.io/of-a-later-version", True, id="what that version noted for itself"),
        pytest.param(RECORD, True, id="the record of restarts"),
        pytest.param(RECOVER, False, id="what this version decides too"),
        pytest.param("volcano.sh/once-inherited", False, id="what came from the workload"),
    ],
)
def test_of_what_a_later_version_wrote_its_own_notes_stay_after_a_downgrade(key, stays):
    upgrade = Upgrade(VOLCANO, VOLCANO, VOLCANO_GROUP, "", None, None)

    sandbox = lived(upgrade, is_noted(key))

    (group,) = sandbox.store.list(VOLCANO_GROUP)
    assert (key in annotations(group)) is stays


def is_noted(key: str) -> Step:
    def step(sandbox: Sandbox) -> None:
        (group,) = sandbox.store.list(VOLCANO_GROUP)
        patch = {"metadata": {"annotations": {key: "x"}}}
        sandbox.store.patch(ref_of(group), MERGE, patch, manager=MANAGER)

    return step
