"""Verbs on the embedded API: what each error means, and how an overloaded server is treated."""

import asyncio
import json

import pytest

from podgrouper.core.fields import ref_of, text
from podgrouper.core.model import Kind, Ref
from podgrouper.kube.errors import Conflict, Gone, Invalid, NotFound, TooMany, Unavailable, UnknownKind
from podgrouper.kube.requests import WatchSpec, plain_get, watch
from podgrouper.kube.transport import Answer
from podgrouper.memory.resources import found_in_file
from tests.builders import owner
from tests.roads.sandboxed import Sandbox
from tests.roads.virtual_time import in_virtual_time

NOTE_KIND, WIDGET = Kind("v1", "ConfigMap"), Kind("example.com/v1", "Widget")
NOTES = [owner(f"{NOTE_KIND}", f"note-{number}", data={"text": "x"}) for number in range(3)]
NOTE = Ref(NOTE_KIND, "ns", "note-0", "uid-note-0")


def status(code, reason="", **headers):
    body = {"kind": "Status", "code": code, "reason": reason, "message": "words"}
    return Answer(code, headers, json.dumps(body).encode())


def answering(*answers, to="note-0"):
    """These, one after the other, to whoever asks for that; then what is true."""
    left = list(answers)

    def answer(request):
        return left.pop(0) if left and request.path.endswith(to) else None

    return answer


def now():
    return asyncio.get_running_loop().time()


@pytest.mark.parametrize("answer", [status(429, "TooManyRequests"), status(503)], ids=["too many", "away"])
@in_virtual_time
async def test_a_server_that_asks_for_a_pause_gets_one_from_everybody(answer):
    sandbox = Sandbox(NOTES)
    client = sandbox.client()
    await client.resource(NOTE_KIND)
    sandbox.refuse = answering(Answer(answer.status, {"retry-after": "7"}, answer.body))
    with pytest.raises((TooMany, Unavailable)) as caught:
        await client.get(NOTE_KIND, "ns", "note-0")
    await asyncio.gather(*(client.get(NOTE_KIND, "ns", f"note-{number}") for number in range(3)))

    assert (caught.value.retry_after, now()) == (7.0, 7.0)


@in_virtual_time
async def test_so_it_is_when_it_refuses_a_watch():
    sandbox = Sandbox(NOTES)
    client = sandbox.client()
    request = watch(await client.resource(NOTE_KIND), WatchSpec(NOTE_KIND), initial=True)
    sandbox.refuse = answering(status(429, **{"retry-after": "7"}), to="/configmaps")
    with pytest.raises(TooMany):
        async with client.stream(request):
            pass
    await client.get(NOTE_KIND, "ns", "note-0")

    assert now() == 7.0


@in_virtual_time
async def test_an_object_is_read_under_the_name_of_its_kind_also_without_its_content():
    found = await Sandbox(NOTES).client().get(NOTE_KIND, "ns", "note-0", metadata_only=True)

    assert (found["apiVersion"], found["kind"], "data" in found) == ("v1", "ConfigMap", False)


@in_virtual_time
async def test_a_list_has_all_pages_with_their_kinds():
    sandbox = Sandbox([owner(f"{NOTE_KIND}", f"note-{number:04}") for number in range(1001)])

    found = await sandbox.client().list(WatchSpec(NOTE_KIND, "ns"))

    assert [len(found), found[0]["kind"], ref_of(found[-1]).name] == [1001, "ConfigMap", "note-1000"]
    assert [len(dict(one.query)) for one in sandbox.asked if one.path.endswith("configmaps")] == [1, 2, 2]


@in_virtual_time
async def test_a_list_whose_pages_expire_is_read_all_at_once():
    sandbox = Sandbox(NOTES)
    sandbox.refuse = answering(status(410, "Expired"), to="/configmaps")

    assert len(await sandbox.client().list(WatchSpec(NOTE_KIND, "ns"))) == 3
    assert [dict(one.query) for one in sandbox.asked[-2:]] == [{"limit": "500"}, {}]


@in_virtual_time
async def test_but_not_again_and_again():
    sandbox = Sandbox(NOTES)
    sandbox.refuse = answering(*[status(410, "Expired")] * 2, to="/configmaps")

    with pytest.raises(Gone):
        await sandbox.client().list(WatchSpec(NOTE_KIND, "ns"))


TESTS = {"op": "test", "path": "/metadata/uid", "value": "another"}
CHANGES = {"op": "add", "path": "/data/text", "value": "y"}
BREAKS = {"op": "add", "path": "/metadata/labels", "value": {"no key": "x"}}


@pytest.mark.parametrize(
    ("operations", "error"),
    [
        pytest.param([TESTS, CHANGES], Conflict, id="a test fails: somebody was quicker"),
        pytest.param([CHANGES, BREAKS], Invalid, id="the object would not be valid"),
    ],
)
@in_virtual_time
async def test_a_json_patch_that_does_not_go_through_changes_nothing(operations, error):
    sandbox = Sandbox(NOTES)
    with pytest.raises(error):
        await sandbox.client().json_patch(NOTE, operations)

    assert text(sandbox.store.get(NOTE_KIND, "ns", "note-0"), "data.text") == "x"


@in_virtual_time
async def test_an_object_that_is_not_there_is_another_thing_than_a_kind_that_is_not():
    client = Sandbox(NOTES).client()
    with pytest.raises(NotFound):
        await client.get(NOTE_KIND, "ns", "gone")
    with pytest.raises(UnknownKind):
        await client.get(WIDGET, "ns", "gone")


@in_virtual_time
async def test_a_kind_that_goes_is_noticed_when_it_is_asked_for():
    sandbox = Sandbox([owner(f"{WIDGET}", "w"), owner("v1 ConfigMap", "n")])
    sandbox.store.catalog.add(found_in_file(WIDGET, namespaced=True))
    client = sandbox.client()
    await client.get(WIDGET, "ns", "w")
    sandbox.store.catalog.withdraw(WIDGET)
    with pytest.raises(UnknownKind):
        await client.get(WIDGET, "ns", "w")
    with pytest.raises(UnknownKind):
        await client.resource(WIDGET)


@pytest.mark.parametrize("body", [b"<html>", b"[]", b'"text"', b""], ids=repr)
@in_virtual_time
async def test_an_answer_that_is_no_object_leaves_a_write_in_doubt(body):
    sandbox = Sandbox(NOTES)
    sandbox.refuse = answering(Answer(200, {}, body))
    with pytest.raises(Unavailable) as caught:
        await sandbox.client().merge_patch(NOTE, {"data": {"text": "y"}})

    assert caught.value.maybe_done


@in_virtual_time
async def test_any_path_may_be_asked_for():
    answer = await Sandbox().client().send(plain_get("/version"))

    assert json.loads(answer.body)["major"] == "1"
