"""The watch machine: nothing is lost, nothing is told twice that matters, and it never asks in a hurry."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypedDict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podgrouper.core.fields import kind_of
from podgrouper.core.model import Kind
from podgrouper.kube.errors import (
    ApiError,
    BadRequest,
    Conflict,
    Forbidden,
    Gone,
    Internal,
    Invalid,
    NotFound,
    TooMany,
    Unauthorized,
    Unavailable,
    UnknownKind,
)
from podgrouper.kube.requests import PAGE, Request, WatchSpec
from podgrouper.kube.watching import Event, Failing, Put, Recovered, Removed, Restarted, Synced, Watching
from tests.kube.mirrors import Mirror
from tests.kube.shelf import THING, Shelf, bookmark, cut, expired, line, thing

SPEC = WatchSpec(THING.kind)
NOW = 1000.0
LATER = NOW + 3600


def machine(version: str = "", shape: type[object] = dict, random: float = 1.0) -> Watching:
    return Watching(SPEC, shape=shape, random=lambda: random, version=version)


def query(request: Request) -> dict[str, str]:
    return dict(request.query)


def started(version: str = "10") -> Watching:
    """Synced at that version, with an open stream."""
    watching = machine(version)
    watching.ask(THING)
    watching.opened(NOW)
    return watching


def told(watching: Watching, data: bytes) -> list[Event]:
    return watching.chunk(data, NOW)


def once(watching: Watching, shelf: Shelf, cuts: Sequence[int] = ()) -> list[Event]:
    """One request and all of its answer, the stream being cut into pieces at these places and then ended."""
    ask = watching.ask(THING)
    try:
        if not ask.streams:
            return watching.page(shelf.page(ask.request), NOW)
        answer = shelf.stream(ask.request)
    except ApiError as error:
        return watching.failed(error, NOW)
    events = watching.opened(NOW)
    for piece in cut(answer, cuts):
        if watching.streaming:
            events += watching.chunk(piece, NOW)
    return events + (watching.ended(LATER) if watching.streaming else [])


def broken_off(watching: Watching, shelf: Shelf, after: int) -> list[Event]:
    """One request whose connection breaks after so many bytes, or whose page never comes."""
    ask = watching.ask(THING)
    if not ask.streams:
        return watching.failed(Unavailable("no page"), NOW)
    try:
        answer = shelf.stream(ask.request)
    except ApiError as error:
        return watching.failed(error, NOW)
    events = watching.opened(NOW)
    events += watching.chunk(answer[: after % (len(answer) + 1)], NOW)
    return events + (watching.failed(Unavailable("broken"), NOW) if watching.streaming else [])


def brought_up_to_date(watching: Watching, shelf: Shelf, mirror: Mirror) -> None:
    """As many whole answers as it takes to have seen everything."""
    for _ in range(2 * len(shelf.things) + 6):
        mirror.take(once(watching, shelf))


names = st.sampled_from(["a", "b", "ä\u0085\u2028", "d", "e"])
notes = st.text(alphabet=st.characters(codec="utf-8"), max_size=20)


@dataclass(frozen=True)
class Step:
    """Something happens on the shelf, then a connection breaks after so many bytes."""

    put: tuple[tuple[str, str], ...]
    remove: tuple[str, ...]
    forget: bool
    after: int


steps = st.builds(
    Step,
    st.lists(st.tuples(names, notes), max_size=3).map(tuple),
    st.lists(names, max_size=2).map(tuple),
    st.booleans(),
    st.integers(0, 5000),
)


def happens(step: Step, shelf: Shelf) -> None:
    for name, note in step.put:
        shelf.put(name, note)
    for name in step.remove:
        shelf.remove(name)
    if step.forget:
        shelf.forget()


@given(st.lists(steps, max_size=8), st.booleans())
def test_whatever_breaks_in_the_end_it_shows_what_there_is(history, watch_list):
    shelf, watching, mirror = Shelf(watch_list=watch_list), machine(), Mirror()
    for step in history:
        happens(step, shelf)
        mirror.take(broken_off(watching, shelf, step.after))
        mirror.take(once(watching, shelf, [step.after]))

    brought_up_to_date(watching, shelf, mirror)

    assert mirror.rows == shelf.things


@given(st.lists(steps, max_size=5), st.booleans())
def test_without_a_listing_every_change_is_told_once(history, watch_list):
    shelf, watching, mirror = Shelf(watch_list=watch_list), machine(), Mirror()
    brought_up_to_date(watching, shelf, mirror)
    before = len(mirror.events)
    first = shelf.version
    for step in history:
        happens(Step(step.put, step.remove, forget=False, after=0), shelf)
        mirror.take(broken_off(watching, shelf, step.after))
    brought_up_to_date(watching, shelf, mirror)

    assert len([event for event in mirror.events[before:] if isinstance(event, Put | Removed)]) == (
        shelf.version - first
    )
    assert Restarted() not in mirror.events[before:]


@given(st.lists(st.tuples(names, notes), max_size=6), st.lists(st.integers(0, 4000), max_size=30))
def test_chunks_may_be_cut_anywhere(things, cuts):
    shelf = Shelf()
    for name, note in things:
        shelf.put(name, note)

    assert once(machine(), shelf, cuts) == once(machine(), shelf)


def test_a_watch_begins_with_everything_and_says_when_that_is_through():
    shelf = Shelf()
    shelf.put("b")
    shelf.put("a")

    events = once(machine(), shelf)

    assert events == [Restarted(), Put(shelf.things["a"]), Put(shelf.things["b"]), Synced("3")]


def test_it_asks_for_all_that_watch_list_needs():
    request = machine(random=0.5).ask(THING).request

    assert query(request) == {
        "watch": "true",
        "allowWatchBookmarks": "true",
        "sendInitialEvents": "true",
        "resourceVersionMatch": "NotOlderThan",
        "timeoutSeconds": "300",
    }
    assert (request.headers["Accept-Encoding"], request.timeout) == ("identity", 330.0)


@pytest.mark.parametrize(
    "error",
    [
        pytest.param(Invalid("sendInitialEvents is forbidden", status=422), id="422"),
        pytest.param(BadRequest("what is that?", status=400), id="400"),
    ],
)
def test_a_server_that_refuses_watch_list_is_listed_at_once_and_from_then_on(error):
    watching = machine()
    watching.ask(THING)

    assert watching.failed(error, NOW) == []
    first = watching.ask(THING)
    watching.page(b'{"metadata":{"resourceVersion":"5"},"items":[]}', NOW)
    watching.failed(Gone("old", status=410), NOW)
    second = watching.ask(THING)

    assert (first.streams, second.streams, watching.pause()) == (False, False, 0.0)
    assert query(first.request) == query(second.request) == {"limit": str(PAGE)}


def test_a_bookmark_before_the_end_mark_shows_a_server_that_knows_no_watch_list():
    watching = machine()
    watching.ask(THING)
    watching.opened(NOW)

    told(watching, bookmark(5))

    assert (watching.streaming, watching.ask(THING).streams) == (False, False)


def test_watches_that_end_without_the_end_mark_lead_to_lists():
    watching = machine()
    watching.ask(THING)
    watching.opened(NOW)
    watching.ended(LATER)
    again = watching.ask(THING)
    watching.opened(NOW)
    watching.ended(LATER)

    assert (again.streams, watching.ask(THING).streams) == (True, False)


def test_pages_follow_each_other_and_the_watch_begins_where_the_list_was():
    shelf = Shelf(watch_list=False)
    shelf.put("a")
    shelf.put("b")
    shelf.put("c")
    watching = machine()
    once(watching, shelf)

    first, second = once(watching, shelf), once(watching, shelf)

    assert first == [Restarted(), Put(shelf.things["a"]), Put(shelf.things["b"])]
    assert second == [Put(shelf.things["c"]), Synced("4")]
    assert query(watching.ask(THING).request)["resourceVersion"] == "4"


def test_a_list_whose_pages_expire_begins_anew_in_one_piece():
    shelf = Shelf(watch_list=False)
    shelf.put("a")
    shelf.put("b")
    shelf.put("c")
    watching = machine()
    once(watching, shelf)
    once(watching, shelf)
    shelf.put("d")
    shelf.forget()
    once(watching, shelf)

    asked = query(watching.ask(THING).request)
    events = once(watching, shelf)

    assert asked == {}
    assert (events[0], events[-1], len(events)) == (Restarted(), Synced("5"), 6)


def test_a_page_that_does_not_come_is_asked_for_again():
    shelf = Shelf(watch_list=False)
    shelf.put("a")
    shelf.put("b")
    shelf.put("c")
    watching = machine()
    once(watching, shelf)
    once(watching, shelf)
    watching.failed(Unavailable("broken"), NOW)

    assert once(watching, shelf) == [Put(shelf.things["c"]), Synced("4")]


def test_after_a_clean_end_it_goes_on_at_once_where_it_was():
    watching = started("10")
    told(watching, line("MODIFIED", thing("a", 11)))

    assert watching.ended(LATER) == []
    assert (watching.pause(), query(watching.ask(THING).request)["resourceVersion"]) == (0.0, "11")


def test_bookmarks_move_the_place_to_go_on_and_say_nothing():
    watching = started("10")

    assert told(watching, bookmark(99)) == []
    assert query(watching.ask(THING).request)["resourceVersion"] == "99"


def test_during_a_listing_there_is_no_place_to_go_on():
    watching = machine()
    watching.ask(THING)
    watching.opened(NOW)
    told(watching, line("ADDED", thing("a", 7)))
    watching.failed(Unavailable("broken"), NOW)

    assert "sendInitialEvents" in query(watching.ask(THING).request)


@pytest.mark.parametrize(
    "expire",
    [
        pytest.param(lambda watching: told(watching, expired()), id="inside the stream"),
        pytest.param(lambda watching: watching.failed(Gone("old", status=410), NOW), id="as the status"),
    ],
)
def test_a_version_that_is_too_old_means_a_listing_at_once(expire):
    watching = started("10")

    assert expire(watching) == []
    assert (watching.streaming, watching.pause()) == (False, 0.0)
    assert "sendInitialEvents" in query(watching.ask(THING).request)


def test_what_came_before_an_error_in_the_same_chunk_counts():
    events = told(started(), line("ADDED", thing("a", 11)) + expired() + line("ADDED", thing("b", 12)))

    assert events == [Put(thing("a", 11))]


def test_a_server_that_always_says_expired_is_not_asked_in_a_hurry():
    watching = machine("10")
    watching.ask(THING)
    pauses = []
    for _ in range(6):
        watching.failed(Gone("old", status=410), NOW)
        pauses.append(watching.pause())

    assert pauses == [0.0, 1.0, 2.0, 4.0, 5.0, 5.0]


def test_lists_that_succeed_before_watches_that_expire_do_not_start_a_race():
    watching = machine("10")
    watching.ask(THING)
    watching.failed(Invalid("no watch list", status=422), NOW)
    pauses = []
    for _ in range(4):
        watching.failed(Gone("old", status=410), NOW)
        pauses.append(watching.pause())
        watching.page(b'{"metadata":{"resourceVersion":"5"},"items":[]}', NOW)

    assert pauses[-1] > pauses[1] > 0


@pytest.mark.parametrize(
    ("error", "pauses"),
    [
        pytest.param(Unavailable("down"), [0.5, 1.0, 2.0], id="no answer"),
        pytest.param(Internal("oops", status=500), [0.5, 1.0, 2.0], id="500"),
        pytest.param(Unauthorized("who?", status=401), [0.5, 1.0, 2.0], id="401"),
        pytest.param(Conflict("?", status=409), [0.5, 1.0, 2.0], id="what makes no sense"),
        pytest.param(Forbidden("no", status=403), [5.0, 5.0, 5.0], id="403 is slow"),
        pytest.param(NotFound("no", status=404), [5.0, 5.0, 5.0], id="404 is slow"),
        pytest.param(UnknownKind("no", status=404), [5.0, 5.0, 5.0], id="unknown kind is slow"),
        pytest.param(TooMany("slow", status=429, retry_after=7.0), [7.0, 7.0, 7.0], id="Retry-After"),
        pytest.param(TooMany("slow", status=429, retry_after=1e9), [300.0] * 3, id="Retry-After for ever"),
    ],
)
def test_failures_in_a_row_are_further_and_further_apart(error, pauses):
    watching = machine("10")
    watching.ask(THING)
    found = []
    for _ in pauses:
        watching.failed(error, NOW)
        found.append(watching.pause())

    assert found == pauses


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        pytest.param(Forbidden("no", status=403), "true", id="a right was withdrawn"),
        pytest.param(UnknownKind("no", status=404), "true", id="its CRD was deleted"),
        pytest.param(Unavailable("down"), None, id="nobody answered"),
    ],
)
def test_what_was_refused_is_listed_anew(error, expected):
    watching = started("10")
    watching.failed(error, NOW)

    assert query(watching.ask(THING).request).get("sendInitialEvents") == expected


def test_the_first_answer_after_none_is_the_first_failure_again():
    watching = machine("10")
    watching.ask(THING)
    away, starting = Unavailable("down"), Unavailable("starting", status=503)
    pauses = []
    for error in (away, away, away, starting, starting, away):
        watching.failed(error, NOW)
        pauses.append(watching.pause())

    assert pauses == [0.5, 1.0, 2.0, 0.5, 1.0, 2.0]


def test_pauses_are_never_longer_than_a_minute():
    watching = machine("10")
    watching.ask(THING)
    for _ in range(2000):
        watching.failed(Forbidden("no", status=403), NOW)

    assert watching.pause() == 60.0


def test_pauses_are_spread():
    watching = machine("10", random=0.0)
    watching.ask(THING)
    watching.failed(Unavailable("down"), NOW)

    assert watching.pause() == 0.25


def test_something_that_came_makes_the_next_failure_the_first():
    watching = started("10")
    watching.failed(Unavailable("broken"), NOW)
    watching.failed(Unavailable("broken"), NOW)
    watching.opened(NOW)
    told(watching, line("ADDED", thing("a", 11)))
    watching.failed(Unavailable("broken"), NOW)

    assert watching.pause() == 0.5


def test_so_does_a_watch_that_lived_long():
    watching = started("10")
    watching.failed(Unavailable("broken"), NOW)
    watching.failed(Unavailable("broken"), NOW)
    watching.opened(NOW)
    watching.failed(Unavailable("broken"), LATER)

    assert watching.pause() == 0.5


def test_watches_that_end_at_once_are_not_asked_for_in_a_hurry():
    watching = started("10")
    watching.ended(NOW)
    watching.opened(NOW)
    watching.ended(NOW)

    assert watching.pause() == 1.0


def test_one_broken_connection_is_no_news():
    watching = started("10")
    first = watching.failed(Unavailable("broken"), NOW)
    second = watching.failed(Unavailable("down"), NOW)

    assert (first, [type(event) for event in second]) == ([], [Failing])


def test_a_failure_is_told_once_for_each_class_and_then_its_end():
    watching = machine("10")
    watching.ask(THING)
    forbidden, internal = Forbidden("no", status=403), Internal("oops", status=500)
    events = [
        *watching.failed(forbidden, NOW),
        *watching.failed(forbidden, NOW),
        *watching.failed(internal, NOW),
        *watching.failed(forbidden, NOW),
        *watching.opened(NOW),
        *watching.failed(forbidden, NOW),
    ]

    assert events == [
        Failing(forbidden),
        Failing(internal),
        Failing(forbidden),
        Recovered(),
        Restarted(),
        Failing(forbidden),
    ]


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"<html>502</html>\n", id="a gateway's page"),
        pytest.param(b'{"type":"ADDED","object":{"metada\n', id="half a line"),
        pytest.param(b"\x00\xff\n", id="noise"),
    ],
)
def test_a_line_that_is_no_json_breaks_the_stream_and_loses_nothing_before_it(data):
    watching = started("10")

    events = told(watching, line("ADDED", thing("a", 11)) + data + line("ADDED", thing("b", 12)))

    assert (events, watching.streaming) == ([Put(thing("a", 11))], False)
    assert query(watching.ask(THING).request)["resourceVersion"] == "11"


def test_a_place_that_stays_unreadable_is_passed_by_a_listing():
    watching = started("10")
    for _ in range(3):
        watching.opened(NOW)
        told(watching, b"nonsense\n")

    assert "sendInitialEvents" in query(watching.ask(THING).request)


def test_a_line_that_is_cut_off_by_the_end_of_the_stream_is_a_broken_stream():
    watching = started("10")
    told(watching, line("ADDED", thing("a", 11))[:-5])
    watching.ended(LATER)

    assert (watching.streaming, query(watching.ask(THING).request)["resourceVersion"]) == (False, "10")


def test_half_a_line_of_a_broken_stream_does_not_leak_into_the_next():
    watching = started("10")
    told(watching, b'{"type":"ADD')
    watching.failed(Unavailable("broken"), NOW)
    watching.ask(THING)
    watching.opened(NOW)

    assert told(watching, line("ADDED", thing("a", 11))) == [Put(thing("a", 11))]


def test_a_line_without_end_is_given_up(monkeypatch):
    monkeypatch.setattr("podgrouper.kube.watching.LINE_LIMIT", 100)
    watching = started("10")
    told(watching, b"x" * 60)
    told(watching, b"x" * 60)

    assert not watching.streaming


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"\n\n \r\n", id="blank lines"),
        pytest.param(b'{"type":"ADDED","object":null}\n', id="no object"),
        pytest.param(b'{"type":"ADDED","object":[1]}\n', id="a list for an object"),
        pytest.param(b'{"type":"WHATEVER","object":{}}\n', id="a type of tomorrow"),
        pytest.param(b"{}\n", id="nothing in it"),
        pytest.param(b"[]\n", id="another JSON"),
        pytest.param(b"3\n", id="a number"),
    ],
)
def test_lines_that_mean_nothing_are_passed_over(data):
    watching = started("10")

    assert told(watching, data + line("ADDED", thing("a", 11))) == [Put(thing("a", 11))]


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(b"<html>", id="a gateway's page"),
        pytest.param(b"[]", id="another JSON"),
        pytest.param(b'{"items":[]}', id="no version"),
    ],
)
def test_a_page_that_is_none_is_a_failure(body):
    watching = machine()
    watching.failed(Invalid("no watch list", status=422), NOW)
    watching.ask(THING)

    assert watching.page(body, NOW) == []
    assert [type(event) for event in watching.page(body, NOW)] == [Failing]


def test_items_that_come_without_a_kind_get_one():
    watching = machine()
    watching.failed(Invalid("no watch list", status=422), NOW)
    watching.ask(THING)

    events = watching.page(b'{"metadata":{"resourceVersion":"5"},"items":[{"metadata":{"name":"a"}}]}', NOW)

    assert [kind_of(event.obj) for event in events if isinstance(event, Put)] == [THING.kind]


def test_metadata_alone_comes_under_the_name_of_its_kind():
    partial = {"kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": {"name": "a"}}

    events = told(started(), line("ADDED", partial))

    assert [kind_of(event.obj) for event in events if isinstance(event, Put)] == [
        Kind("shop.example/v1", "Thing")
    ]


class Metadata(TypedDict, total=False):
    name: str
    resourceVersion: str


class Narrow(TypedDict, total=False):
    metadata: Metadata


def test_only_what_the_shape_declares_is_built():
    watching = machine("10", Narrow)
    watching.ask(THING)
    watching.opened(NOW)

    events = told(watching, line("ADDED", {"metadata": {"name": "a", "uid": "u"}, "spec": {}}))

    assert events == [Put({"metadata": {"name": "a"}, "apiVersion": "shop.example/v1", "kind": "Thing"})]


def test_a_shape_hides_neither_end_mark_nor_error():
    watching = machine(shape=Narrow)
    watching.ask(THING)
    watching.opened(NOW)

    events = told(watching, line("ADDED", thing("a", 7)) + bookmark(9, end=True) + expired())

    assert [type(event) for event in events] == [Restarted, Put, Synced][1:]
    assert not watching.streaming


def test_one_object_of_another_shape_costs_no_other():
    watching = machine("10", Narrow)
    watching.ask(THING)
    watching.opened(NOW)

    events = told(watching, line("ADDED", {"metadata": 3}) + line("ADDED", {"metadata": {"name": "b"}}))

    assert [event.obj["metadata"] for event in events if isinstance(event, Put)] == [3, {"name": "b"}]
