"""Events: each once per change of meaning, and whatever happens to them never in the way."""

import asyncio
import json
from datetime import UTC, datetime

import pytest

from podgrouper.controller.telling import WAITING_LIMIT, Recorder, event_of
from podgrouper.core.fields import dig, text
from podgrouper.core.model import POD, Kind, Ref
from podgrouper.core.plans import Report
from podgrouper.core.reasons import Reason
from podgrouper.kube.transport import Answer
from tests.builders import owner
from tests.roads.sandboxed import EVENT, Sandbox
from tests.roads.virtual_time import in_virtual_time

NOW = datetime(2026, 11, 19, 12, tzinfo=UTC)
A, B = (Ref(POD, "ns", name, f"uid-{name}") for name in "ab")
NODE = Ref(Kind("v1", "Node"), "", "n1", "uid-n1")


def report(about=A, message="what a value", reason=Reason.BAD_VALUE):
    return Report(about, reason, message)


def cluster():
    return Sandbox([owner("v1 Namespace", "ns", namespace="")])


def recorder(sandbox):
    return Recorder(sandbox.client(), lambda: NOW)


@in_virtual_time
async def test_what_a_source_said_last_time_is_not_news():
    one, two, three = (report(message=words) for words in ("one", "two", "three"))
    found = recorder(Sandbox())

    assert [found.tell("key", said) for said in ([one], [one, two], [one, two], [two, three])] == [
        (one,),
        (two,),
        (),
        (three,),
    ]


@in_virtual_time
async def test_what_was_over_and_comes_back_is_news():
    found = recorder(Sandbox())

    assert [found.tell("key", said) for said in ([report()], [], [report()])] == [
        (report(),),
        (),
        (report(),),
    ]


@in_virtual_time
async def test_sources_do_not_speak_for_each_other():
    found = recorder(Sandbox())
    found.tell("one", [report()])
    found.tell("other", [])

    assert found.tell("other", [report()]) == (report(),)
    assert found.tell("one", [report()]) == ()


@in_virtual_time
async def test_a_source_that_is_no_more_starts_anew():
    found = recorder(Sandbox())
    found.tell("key", [report()])
    found.forget("key")

    assert found.tell("key", [report()]) == (report(),)


@in_virtual_time
async def test_news_comes_in_one_order_however_it_was_found():
    said = [report(B), report(A, "two"), report(A, "one")]

    assert recorder(Sandbox()).tell("key", said) == (report(A, "one"), report(A, "two"), report(B))


@pytest.mark.parametrize(
    ("reason", "expected"),
    [
        pytest.param(Reason.BAD_VALUE, "Warning", id="trouble"),
        pytest.param(Reason.LINKED_ELSEWHERE, "Normal", id="somebody's choice"),
    ],
)
def test_an_event_is_a_warning_unless_somebody_wanted_it_so(reason, expected):
    event = event_of(report(reason=reason), NOW)

    assert (event["type"], event["reason"]) == (expected, str(reason))


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(report(message="another value"), id="words"),
        pytest.param(report(reason=Reason.GROUP_REFUSED), id="reason"),
        pytest.param(report(Ref(POD, "ns", "a", "uid-later")), id="life of the pod"),
    ],
)
def test_events_have_other_names_when_they_say_something_else(other):
    names = {text(event_of(one, NOW), "metadata.name") for one in (report(), report(), other)}

    assert len(names) == 2


@pytest.mark.parametrize(
    ("about", "expected"),
    [
        pytest.param(A, "ns", id="where its object is"),
        pytest.param(NODE, "default", id="for an object without a namespace in the default one"),
    ],
)
def test_an_event_lies(about, expected):
    assert text(event_of(report(about), NOW), "metadata.namespace") == expected


@pytest.mark.parametrize(
    "odd",
    [
        pytest.param(report(Ref(POD, "ns", "p" * 253, "u")), id="a long name"),
        pytest.param(report(message=""), id="no words"),
    ],
)
@in_virtual_time
async def test_the_api_takes_events_about_anything(odd):
    assert [event["reason"] for event in await written([odd])] == ["BadValue"]


def test_words_that_no_json_can_hold_are_told_as_well_as_can_be():
    assert event_of(report(message="half a \ud800 pair"), NOW)["message"] == "half a ? pair"


def test_words_are_cut_to_what_the_api_server_takes():
    assert event_of(report(message="x" * 5000), NOW)["message"] == "x" * 1024


async def written(*said, sandbox=None):
    """The events that the API has after these were told, each by a recorder of its own."""
    sandbox = sandbox or cluster()
    for reports in said:
        found = recorder(sandbox)
        writing = asyncio.create_task(found.write())
        found.tell("key", reports)
        await asyncio.sleep(60)
        writing.cancel()
    return sandbox.store.list(EVENT)


@in_virtual_time
async def test_a_restart_tells_nothing_twice():
    assert len(await written([report()], [report()])) == 1


@in_virtual_time
async def test_an_event_names_its_object_and_who_tells():
    (event,) = await written([report()])

    assert (dig(event, "involvedObject.name"), dig(event, "involvedObject.uid")) == ("a", "uid-a")
    assert (event["message"], dig(event, "source.component")) == ("what a value", "podgrouper.io")
    assert event["lastTimestamp"] == "2026-11-19T12:00:00Z"


@pytest.mark.parametrize("status", [403, 404, 409, 429, 500, 503])
@in_virtual_time
async def test_an_event_that_cannot_be_written_holds_up_no_other(status):
    sandbox = cluster()
    refusal = Answer(status, {}, json.dumps({"kind": "Status", "reason": "X"}).encode())
    sandbox.refuse = lambda request: refusal if b"uid-a" in request.body else None

    events = await written([report(A), report(B)], sandbox=sandbox)

    assert [dig(event, "involvedObject.name") for event in events] == ["b"]


@in_virtual_time
async def test_more_than_anybody_reads_is_not_kept():
    many = [report(message=str(number)) for number in range(WAITING_LIMIT + 50)]

    assert len(await written(many)) == WAITING_LIMIT


@in_virtual_time
async def test_no_more_than_fifty_a_second_are_written():
    sandbox = cluster()
    found = recorder(sandbox)
    writing = asyncio.create_task(found.write())
    found.tell("key", [report(message=str(number)) for number in range(500)])
    await asyncio.sleep(1)
    writing.cancel()

    assert 40 <= len(sandbox.store.list(EVENT)) <= 51
