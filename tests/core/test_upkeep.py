"""What is due for a group once it is made, from values alone."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podgrouper.core.difference import merged
from podgrouper.core.interfaces import Profile, Upkeep
from podgrouper.core.model import Json, Pod
from podgrouper.core.plans import EvictPod, Report, UpdateGroup, WriteStatus
from podgrouper.core.pods import PodRows
from podgrouper.core.recovery import RECOVER, Recover, Recovery
from podgrouper.core.upkeep import Standing, duty_of, keeper_of
from podgrouper.dialects.kai import KaiDialect
from podgrouper.dialects.volcano import VolcanoDialect
from podgrouper.policies.volcano.policy import VolcanoPolicy
from tests.builders import controls, owner, pod

NOW = datetime(2026, 11, 19, tzinfo=UTC)
ALWAYS = Upkeep(write_status=True)
RESTART = Upkeep(write_status=True, recovery=Recovery(Recover.RESTART))
DIALECTS = {"volcano": VolcanoDialect(), "kai": KaiDialect()}
LINKS = {"volcano": "scheduling.k8s.io/group-name", "kai": "pod-group-name"}


def profile(name: str = "volcano", upkeep: Upkeep = ALWAYS, scheduler: str = "") -> Profile:
    schedulers = frozenset({scheduler or name})
    return Profile(name, schedulers, VolcanoPolicy(), DIALECTS[name], frozenset(), upkeep=upkeep)


def group(kept: Profile, floor: int = 2, **more: object) -> Json:
    marks = {"annotations": {RECOVER: "restart"}} if kept.upkeep.recovers else {}
    return owner(str(kept.dialect.kind), "g", spec={"minMember": floor}, **marks, **more)


def member(kept: Profile, number: int, phase: str, node: str = "", **more: object) -> Pod:
    link = {"annotations": {LINKS[kept.dialect.name]: "g"}}
    job = owner("batch/v1 Job", "job")
    made = pod(f"p-{number}", controls(job), phase=phase, spec={"nodeName": node}, **link, **more)
    return PodRows(kept.reads).row(made)


def seen(kept: Profile, look: Iterable[tuple[str, bool]]) -> list[Pod]:
    """Pods in these phases, each with a node or without."""
    return [member(kept, number, phase, "n" if bound else "") for number, (phase, bound) in enumerate(look)]


def lived(kept: Profile, life: Iterable[Iterable[tuple[str, bool]]]) -> Standing:
    """A group whose members looked so one after the other, and that was looked after each time."""
    standing = Standing(group(kept), (), NOW, {})
    for look in life:
        standing = carried_out(kept, replace(standing, members=seen(kept, look)))
    return standing


def kinds(kept: Profile, standing: Standing) -> list[type]:
    return [type(change) for change in duty_of(standing, kept).changes]


def carried_out(kept: Profile, standing: Standing) -> Standing:
    """The group after everything that is due was written, however many looks that takes."""
    for version in range(2, 6):
        for change in duty_of(standing, kept).changes:
            if isinstance(change, UpdateGroup | WriteStatus):
                live = merged(standing.group, change.patch)
                live = merged(live, {"metadata": {"resourceVersion": str(version)}})
                standing = replace(standing, group=live)
    return standing


def at_rest(kept: Profile, standing: Standing) -> bool:
    return not {UpdateGroup, WriteStatus} & set(kinds(kept, standing))


def test_nothing_is_due_for_a_group_that_is_being_deleted():
    kept = profile()
    gone = group(kept, deletionTimestamp="2026-11-19T00:00:00Z")

    assert kinds(kept, Standing(gone, [member(kept, 0, "Running")], NOW, {})) == []


def test_the_group_is_written_once_in_a_look_and_the_note_comes_first():
    kept = profile(upkeep=RESTART)
    standing = Standing(group(kept), [member(kept, 0, "Pending")], NOW, {})

    assert kinds(kept, standing) == [UpdateGroup]


def test_a_restart_is_noted_then_told_with_the_members_that_go():
    kept = profile(upkeep=RESTART)
    members = [member(kept, 0, "Running", "n")]
    broken = group(kept, status={"phase": "Unknown"})
    standing = carried_out(kept, Standing(broken, members, NOW, {}))

    later = replace(standing, now=NOW + kept.upkeep.recovery.after)

    assert kinds(kept, later) == [UpdateGroup, EvictPod, Report]


NEVER = Upkeep()


@pytest.mark.parametrize(
    ("members", "profiles", "expected"),
    [
        pytest.param(["a"], [("a", NEVER), ("b", ALWAYS)], "a", id="that of the member"),
        pytest.param(["b", "a"], [("a", NEVER), ("b", ALWAYS)], "b", id="that of the oldest member"),
        pytest.param(["c"], [("a", ALWAYS)], None, id="a member of nobody's"),
        pytest.param([], [("a", ALWAYS), ("b", ALWAYS)], "a", id="without members, as all would do"),
        pytest.param([], [("a", NEVER), ("b", ALWAYS)], None, id="without members, where not all would"),
    ],
)
def test_a_group_has_one_profile_that_looks_after_it(members, profiles, expected):
    known = [profile(scheduler=name, upkeep=upkeep) for name, upkeep in profiles]
    pods = [
        member(known[0], number, "Pending")._replace(scheduler=name) for number, name in enumerate(members)
    ]

    keeper = keeper_of(pods, known)

    assert (next(iter(keeper.schedulers)) if keeper else None) == expected


looks = st.lists(
    st.tuples(st.sampled_from(["Pending", "Running", "Succeeded", "Failed"]), st.booleans()), max_size=4
)
lives = st.lists(looks, min_size=1, max_size=4)


@pytest.mark.parametrize("upkeep", [pytest.param(ALWAYS, id="status"), pytest.param(RESTART, id="recovery")])
@pytest.mark.parametrize("name", ["volcano", "kai"])
@given(life=lives)
def test_whatever_happened_a_second_look_finds_nothing_to_write(name, upkeep, life):
    kept = profile(name, upkeep)
    assert at_rest(kept, lived(kept, life))


@pytest.mark.parametrize("name", ["volcano", "kai"])
@given(way=lives, end=looks)
def test_two_ways_to_one_world_with_one_phase_before_it_lead_to_one_status(name, way, end):
    kept = profile(name)
    lifecycle = kept.dialect.lifecycle
    walked = lived(kept, way)
    before = lifecycle.read(walked.group).phase
    fresh = merged(group(kept), lifecycle.write(replace(lifecycle.read({}), phase=before), {}))

    one = carried_out(kept, replace(walked, members=seen(kept, end)))
    other = carried_out(kept, Standing(fresh, seen(kept, end), NOW, {}))

    assert _said(lifecycle.read(one.group)) == _said(lifecycle.read(other.group))


def _said(status: object) -> tuple[object, ...]:
    """Without the times."""
    conditions = {(each.type, each.holds, each.reason, each.message) for each in status.conditions}
    return (status.phase, status.running, status.succeeded, status.failed, conditions)
