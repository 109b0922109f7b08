"""Plans on the embedded API: what is written, in which order, and what is known afterwards."""

import asyncio
import json

import pytest

from podgrouper.controller.reverts import TRUCE_SECONDS
from podgrouper.core.fields import dig, ref_of, text
from podgrouper.core.model import POD, Ref
from podgrouper.core.plans import EvictPod, Report, UpdateGroup, WriteStatus
from podgrouper.core.reasons import Reason
from podgrouper.dialects.volcano import LINK, POD_GROUP
from podgrouper.kube.errors import (
    AlreadyExists,
    Conflict,
    Forbidden,
    NotFound,
    Unavailable,
    unreachable,
)
from podgrouper.kube.transport import Answer
from podgrouper.memory.patches import MERGE
from podgrouper.sandbox.transport import MemoryTransport
from tests.builders import owner, pod
from tests.controller.desks import GROUP, PODS, Desk, create, desk, errors
from tests.roads.sandboxed import Sandbox
from tests.roads.virtual_time import in_virtual_time

NO = json.dumps({"kind": "Status", "reason": "Forbidden", "message": "not you"}).encode()


def refusing(method, name, status=403, body=NO):
    """Answers so to whatever is asked of that object or collection."""

    def refuse(request):
        hit = request.method == method and request.path.endswith(f"/{name}")
        return Answer(status, {}, body) if hit else None

    return refuse


@in_virtual_time
async def test_a_group_is_written_before_its_pods_point_at_it():
    at = desk()
    outcome = await at.carry_out(at.link("a"), at.link("b"), create())

    assert at.asked() == ["POST podgroups", "PATCH a", "PATCH b"]
    assert (len(outcome.done), outcome.failures) == (3, [])


@in_virtual_time
async def test_the_answers_are_known_before_any_watch_brings_them():
    at = desk()
    await at.carry_out(create(), at.link("a"))

    assert dig(at.known(), "spec.minMember") == 2
    assert at.scene.row("a").annotations.get(LINK) == "g"


@in_virtual_time
async def test_a_group_that_fails_keeps_its_pods_back_and_no_others():
    at = desk()
    at.sandbox.refuse = lambda request: (
        Answer(403, {}, NO) if b'"bad"' in request.body and request.method == "POST" else None
    )
    outcome = await at.carry_out(create("bad"), create("good"), at.link("a", "bad"), at.link("b", "good"))

    assert sorted(at.asked()) == ["PATCH b", "POST podgroups", "POST podgroups"]
    assert [failure.change.ref.name for failure in outcome.failures] == ["bad"]


@in_virtual_time
async def test_pods_of_a_group_that_needs_no_change_are_linked_at_once():
    at = desk(GROUP)
    await at.carry_out(at.link("a"))

    assert at.asked() == ["PATCH a"]


@in_virtual_time
async def test_one_link_that_fails_holds_up_no_other():
    at = desk(GROUP)
    at.sandbox.refuse = refusing("PATCH", "a")
    outcome = await at.carry_out(at.link("a"), at.link("b"))

    assert (errors(outcome), [change.pod.name for change in outcome.done]) == ([Forbidden], ["b"])


@in_virtual_time
async def test_what_is_only_told_asks_nothing():
    at = desk()
    report = Report(Ref(POD, "ns", "a"), Reason.BAD_VALUE, "what a value")
    outcome = await at.carry_out(report)

    assert (outcome.reports, outcome.done, at.asked()) == ([report], [], [])


def made_meanwhile(at):
    at.sandbox.store.load(GROUP)


def changed_meanwhile(at):
    at.sandbox.store.patch(Ref(POD_GROUP, "ns", "g"), MERGE, {"spec": {"minMember": 7}})


def gone_meanwhile(at):
    at.sandbox.store.delete(Ref(POD_GROUP, "ns", "g"))


def born_again_meanwhile(at):
    gone_meanwhile(at)
    at.sandbox.store.create({**create().object, "spec": {"minMember": 7}})


@pytest.mark.parametrize(
    ("objects", "change", "meanwhile", "error", "known"),
    [
        pytest.param([], lambda _: create(), made_meanwhile, AlreadyExists, 1, id="it was made"),
        pytest.param([GROUP], Desk.update, changed_meanwhile, Conflict, 7, id="it was changed"),
        pytest.param([GROUP], Desk.delete, changed_meanwhile, Conflict, 7, id="it was changed: no deletion"),
        pytest.param([GROUP], Desk.update, gone_meanwhile, NotFound, None, id="it went"),
        pytest.param([GROUP], Desk.update, born_again_meanwhile, Conflict, 7, id="another life is there"),
        pytest.param([GROUP], Desk.delete, born_again_meanwhile, Conflict, 7, id="which is not deleted"),
    ],
)
@in_virtual_time
async def test_when_somebody_was_quicker_the_group_is_read_again(objects, change, meanwhile, error, known):
    at = desk(*objects)
    planned = change(at)
    meanwhile(at)
    outcome = await at.carry_out(planned)

    assert errors(outcome) == [error]
    assert at.asked()[1:] == ["GET g"]
    assert dig(at.known(), "spec.minMember") == known


def linked_meanwhile(at):
    at.sandbox.store.patch(Ref(POD, "ns", "a"), MERGE, {"metadata": {"annotations": {LINK: "theirs"}}})


def pod_gone_meanwhile(at):
    at.sandbox.store.delete(Ref(POD, "ns", "a"))


@pytest.mark.parametrize(
    ("meanwhile", "error", "known"),
    [
        pytest.param(linked_meanwhile, Conflict, {"a": "theirs", "b": None}, id="it was linked"),
        pytest.param(pod_gone_meanwhile, NotFound, {"b": None}, id="it went"),
    ],
)
@in_virtual_time
async def test_when_somebody_was_quicker_the_pod_is_read_again(meanwhile, error, known):
    at = desk(GROUP)
    link = at.link("a")
    meanwhile(at)
    outcome = await at.carry_out(link)

    assert errors(outcome) == [error]
    assert at.asked() == ["PATCH a", "GET a"]
    assert {row.name: row.annotations.get(LINK) for row in at.scene.store.labelled_pods("ns", ())} == known


@pytest.mark.parametrize(
    ("status", "asked"),
    [
        pytest.param(403, ["POST podgroups"], id="it was not"),
        pytest.param(429, ["POST podgroups"], id="not yet"),
        pytest.param(503, ["POST podgroups", "GET g"], id="nobody knows"),
    ],
)
@in_virtual_time
async def test_a_write_that_failed_is_looked_after_when_it_may_have_happened(status, asked):
    at = desk()
    at.sandbox.refuse = refusing("POST", "podgroups", status)
    outcome = await at.carry_out(create(), at.link("a"))

    assert (at.asked(), len(outcome.failures)) == (asked, 1)


class Deaf:
    """The server does what it is told, and the answers of writes get lost."""

    def __init__(self, api):
        self._memory = MemoryTransport(api)

    async def send(self, request):
        answer = await self._memory.send(request)
        if request.method != "GET":
            raise unreachable(request.asked, "the connection broke", sent=True)
        return answer

    def stream(self, request):
        return self._memory.stream(request)

    async def close(self):
        await self._memory.close()


@in_virtual_time
async def test_of_a_write_whose_answer_got_lost_it_is_known_that_it_happened():
    sandbox = Sandbox([*PODS, GROUP])
    at = Desk(sandbox, transport=Deaf(sandbox.api))
    outcome = await at.carry_out(at.update(5), at.link("a", "other"))

    assert errors(outcome) == [Unavailable, Unavailable]
    assert dig(at.known(), "spec.minMember") == 5
    assert at.scene.row("a").annotations.get(LINK) == "other"


@pytest.mark.parametrize(
    ("metadata", "left"),
    [
        pytest.param({}, None, id="nothing holds it: gone"),
        pytest.param({"finalizers": ["example.com/wait"]}, "g", id="a finalizer does: known to be going"),
    ],
)
@in_virtual_time
async def test_a_group_that_was_deleted_is(metadata, left):
    at = desk(owner(f"{POD_GROUP}", "g", spec={"minMember": 1}, **metadata))
    await at.carry_out(at.delete())

    found = at.known()
    assert text(found, "metadata.name") == (left or "")
    assert bool(text(found, "metadata.deletionTimestamp")) is bool(left)


def owned(**flags):
    reference = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web", "uid": "uid-web", **flags}
    return create(ownerReferences=[reference])


GUARDED = "podgroups is forbidden: cannot set blockOwnerDeletion if an ownerReference refers to a resource"


def guarding_owners(request):
    """Admission `OwnerReferencesPermissionEnforcement`."""
    return guarding_all(request) if b"blockOwnerDeletion" in request.body else None


def guarding_all(request):
    """One that refuses in the same words whatever is written."""
    status = {"kind": "Status", "reason": "Forbidden", "message": GUARDED}
    return Answer(403, {}, json.dumps(status).encode()) if request.method == "POST" else None


@in_virtual_time
async def test_where_owners_are_guarded_the_group_goes_without_blocking_its_own_and_that_is_told():
    at = desk()
    at.sandbox.refuse = guarding_owners
    outcome = await at.carry_out(owned(blockOwnerDeletion=True))

    assert at.asked() == ["POST podgroups", "POST podgroups"]
    assert [report.reason for report in outcome.reports] == [Reason.OWNER_NOT_BLOCKED]
    assert (len(outcome.done), outcome.failures) == (1, [])


@in_virtual_time
async def test_for_a_minute_it_is_not_tried_with_the_flag_again():
    at = desk()
    at.sandbox.refuse = guarding_owners
    await at.carry_out(owned(blockOwnerDeletion=True))
    asked = []
    for seconds in (1, 60):
        await asyncio.sleep(seconds)
        at.sandbox.store.delete(Ref(POD_GROUP, "ns", "g"))
        await at.carry_out(owned(blockOwnerDeletion=True))
        asked.append(len(at.asked()))

    assert asked == [1, 2]


@in_virtual_time
async def test_refused_without_the_flag_as_well_it_is_not_tried_a_third_time():
    at = desk()
    at.sandbox.refuse = guarding_all
    asked = []
    for _ in range(2):
        outcome = await at.carry_out(owned(blockOwnerDeletion=True))
        asked.append((at.asked(), errors(outcome), outcome.reports))

    assert asked == [
        (["POST podgroups", "POST podgroups"], [Forbidden], []),
        (["POST podgroups"], [Forbidden], []),
    ]


@in_virtual_time
async def test_what_was_taken_back_twice_within_a_minute_waits_ten():
    at = desk(GROUP)
    outcomes = []
    for pause in (1, 1, TRUCE_SECONDS, 0):
        outcomes.append(await at.carry_out(at.update(3), at.link("a")))
        changed_meanwhile(at)
        at.scene.show(at.sandbox.store.get(POD_GROUP, "ns", "g"))
        await asyncio.sleep(pause)

    assert [UpdateGroup in map(type, outcome.done) for outcome in outcomes] == [True, True, False, True]
    assert [report.reason for report in outcomes[2].reports] == [Reason.CHANGE_REVERTED]
    assert outcomes[2].again_in == TRUCE_SECONDS


def evict(at, name):
    return EvictPod(at.scene.row(name), "g")


def unknown(at):
    found = at.known()
    version = text(found, "metadata.resourceVersion")
    return WriteStatus(ref_of(found), version, {"status": {"phase": "Unknown"}}, "")


@in_virtual_time
async def test_a_status_is_written_before_pods_are_evicted_because_of_it():
    at = desk(GROUP)
    outcome = await at.carry_out(evict(at, "a"), evict(at, "b"), unknown(at))

    assert at.asked() == ["PATCH g", "POST eviction", "POST eviction"]
    assert (outcome.failures, at.sandbox.store.list(POD)) == ([], ())


@in_virtual_time
async def test_nobody_is_evicted_when_the_group_changed_meanwhile():
    at = desk(GROUP)
    status = unknown(at)
    changed_meanwhile(at)
    outcome = await at.carry_out(evict(at, "a"), status)

    assert (errors(outcome), at.asked()) == ([Conflict], ["PATCH g", "GET g"])


class Crowd:
    """Each request takes a second; how many are under way at once, at most."""

    def __init__(self, api):
        self._memory = MemoryTransport(api)
        self._now = 0
        self.most = 0

    async def send(self, request):
        self._now += 1
        self.most = max(self.most, self._now)
        await asyncio.sleep(1)
        self._now -= 1
        return await self._memory.send(request)

    def stream(self, request):
        return self._memory.stream(request)

    async def close(self):
        await self._memory.close()


@in_virtual_time
async def test_links_are_written_side_by_side_but_not_all_at_once():
    names = [f"p-{number}" for number in range(50)]
    sandbox = Sandbox([GROUP, *map(pod, names)])
    crowd = Crowd(sandbox.api)
    at = Desk(sandbox, transport=crowd, in_flight=1000)
    outcome = await at.carry_out(*map(at.link, names))

    assert (crowd.most, len(outcome.done)) == (16, 50)
