"""The objects of one kind: newer news wins whoever brings it, and gone is told from never seen."""

import asyncio
import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podgrouper.controller.tables import State, Table, number
from podgrouper.controller.texts import COMMON_BYTES, DECODED_BYTES, DECODED_LIMIT
from podgrouper.core.fields import dig
from podgrouper.core.model import Ending, Kind
from tests.builders import at_version, controls, owner
from tests.roads.virtual_time import in_virtual_time

KIND = Kind("apps/v1", "ReplicaSet")
SPOT = ("ns", "web")


def web(version=1, uid="uid-web", **more):
    return at_version(owner(f"{KIND}", "web", **more), version, uid=uid)


def table(*objects, paths=("spec.replicas",), state=State.LISTED):
    found = Table(KIND, paths)
    found.state = state
    for obj in objects:
        found.put(obj)
    return found


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        pytest.param("12", 12, id="as every API server has it"),
        pytest.param("", 0, id="none"),
        pytest.param("v12", 0, id="a word"),
        pytest.param("-1", 0, id="below zero"),
        pytest.param("١٢", 0, id="digits of another script"),
        pytest.param("9" * 20, 0, id="too long for one"),
    ],
)
def test_a_version_is_a_number_or_says_nothing(version, expected):
    assert number(version) == expected


@pytest.mark.parametrize("take", [Table.put, Table.put_answer], ids=["watch", "answer"])
@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        pytest.param(web(1, spec={"replicas": 1}), web(2, spec={"replicas": 2}), True, id="another value"),
        pytest.param(web(1, spec={"replicas": 1}), web(2, spec={"replicas": 1}), False, id="the same"),
        pytest.param(
            web(1, spec={"replicas": 1}), web(2, spec={"replicas": 1, "paused": True}), False, id="undeclared"
        ),
        pytest.param(web(1), web(2) | {"status": {"replicas": 1}}, False, id="its status"),
        pytest.param(web(1), web(2, labels={"a": "b"}), True, id="its metadata"),
        pytest.param(web(1), web(2, generation=7), False, id="its generation"),
        pytest.param(web(1), web(2, uid="uid-later"), True, id="another life"),
    ],
)
def test_news_is_what_somebody_declared_to_read(take, before, after, expected):
    found = table(before)

    assert take(found, after) is expected
    assert found.version(SPOT) == "2"


@pytest.mark.parametrize("take", [Table.put, Table.put_answer], ids=["watch", "answer"])
def test_older_news_changes_nothing(take):
    found = table(web(5, spec={"replicas": 5}))

    assert take(found, web(4, spec={"replicas": 4})) is False
    assert dig(found.here(*SPOT), "spec.replicas") == 5


def test_an_answer_that_the_watch_has_passed_does_not_bring_back_what_went():
    found = table(web(5))
    found.remove(web(7))

    assert found.put_answer(web(6)) is False
    assert found.here(*SPOT) is None


def test_an_answer_that_is_younger_than_the_watch_stands_in_for_it():
    found = table(at_version(owner(f"{KIND}", "other"), 5))

    assert found.put_answer(web(6)) is True
    assert found.unconfirmed == {SPOT}
    assert found.put(web(6)) is False
    assert found.unconfirmed == set()


def test_the_watches_of_two_namespaces_do_not_pass_each_other():
    found = table(at_version(owner(f"{KIND}", "other", namespace="elsewhere"), 90))

    assert found.put_answer(web(6)) is True


def test_the_end_of_an_older_life_leaves_the_younger_one():
    found = table(web(9, uid="uid-later"))

    assert found.remove(web(7)) is False
    assert found.version(SPOT) == "9"


def test_the_end_of_a_younger_life_is_that_of_the_older_one_too():
    found = table(web(5))

    assert found.remove(web(9, uid="uid-later")) is True
    assert found.here(*SPOT) is None


def test_the_end_is_news_once():
    found = table(web(5))

    assert [found.remove(web(7)), found.remove(web(7))] == [True, False]


def gone():
    found = table(web(5))
    found.drop(SPOT)
    return found


def proven(uid, *others):
    found = table(*others)
    found.prove_absent("ns", "web", uid)
    return found


def forbidden():
    found = table(state=State.READ_ONE_BY_ONE)
    found.forbidden_in.add("ns")
    return found


ELSEWHERE = at_version(owner(f"{KIND}", "web", namespace="elsewhere"), 3, uid="uid-web")


@pytest.mark.parametrize(
    ("found", "uid", "expected"),
    [
        pytest.param(table(), "", Ending.UNSEEN, id="never looked for"),
        pytest.param(table(state=State.NOT_SERVED), "", Ending.UNKNOWN_KIND, id="no such kind"),
        pytest.param(forbidden(), "", Ending.FORBIDDEN, id="not allowed there"),
        pytest.param(gone(), "uid-web", Ending.MISSING, id="that life is over"),
        pytest.param(gone(), "", Ending.UNSEEN, id="over, but another one may have come"),
        pytest.param(table(web(5, uid="uid-later")), "uid-web", Ending.UNSEEN, id="another life is here"),
        pytest.param(proven(""), "", Ending.MISSING, id="looked for"),
        pytest.param(proven("uid-web"), "uid-web", Ending.MISSING, id="that life was looked for"),
        pytest.param(
            proven("uid-web", web(5, uid="uid-later")), "uid-web", Ending.OTHER_UID, id="and another is here"
        ),
        pytest.param(proven("uid-web", ELSEWHERE), "uid-web", Ending.ELSEWHERE, id="it lives elsewhere"),
    ],
)
def test_why_there_is_no_object(found, uid, expected):
    assert found.look("ns", "web", uid) is expected


@pytest.mark.parametrize(
    ("name", "uid"),
    [
        pytest.param("x" * 1_000_000, "", id="a name of a megabyte"),
        pytest.param("web", "x" * 1_000_000, id="a uid of a megabyte"),
    ],
)
def test_what_no_object_can_be_called_is_missing_and_nobody_has_to_ask(name, uid):
    assert table().look("ns", name, uid) is Ending.MISSING


def test_forbidden_in_one_namespace_is_not_forbidden_in_another():
    assert forbidden().look("other", "web") is Ending.UNSEEN


def test_what_is_listed_is_not_forbidden():
    found = forbidden()
    found.state = State.LISTED
    found.put(web(6))

    assert dig(found.look("ns", "web"), "metadata.uid") == "uid-web"


def test_what_was_missing_and_comes_is_there():
    found = proven("")
    found.put(web(6))

    assert dig(found.look("ns", "web"), "metadata.uid") == "uid-web"


def test_what_was_missing_and_is_named_is_a_question_again():
    found = table()
    found.prove_absent(*SPOT, "")

    found.doubt(SPOT)

    assert found.look(*SPOT) is Ending.UNSEEN


def test_that_a_life_is_proven_gone_says_nothing_of_a_later_one():
    found = table(web(uid="uid-later"))

    found.drop(SPOT, "uid-web")

    assert dig(found.look(*SPOT, "uid-later"), "metadata.uid") == "uid-later"
    assert found.look(*SPOT, "uid-web") is Ending.OTHER_UID


def test_what_came_and_is_forgotten_is_a_question_again():
    found = proven("")
    found.put(web(6))
    found.forget(SPOT)

    assert found.look("ns", "web") is Ending.UNSEEN


def test_an_object_that_was_read_before_is_read_as_it_is_now():
    found = table(web(1, spec={"replicas": 1}))
    read_before = dig(found.here(*SPOT), "spec.replicas")
    found.put(web(2, spec={"replicas": 2}))

    assert (read_before, dig(found.here(*SPOT), "spec.replicas")) == (1, 2)


def test_an_object_without_a_namespace_is_found_from_inside_one():
    found = table(at_version(owner(f"{KIND}", "web", namespace=""), 1))
    found.namespaced = False

    assert dig(found.look("ns", "web"), "metadata.name") == "web"


def test_an_object_is_read_as_it_came_in_without_what_nobody_declared():
    rs = at_version(
        owner(f"{KIND}", "web", controls(owner("apps/v1 Deployment", "d")), spec={"replicas": 2}), 8
    )
    noisy = rs | {"spec": {"replicas": 2, "template": {"spec": {}}}, "status": {"replicas": 2}}

    assert table(noisy).here(*SPOT) == rs


def test_reading_many_objects_forgets_none():
    count = 2 * DECODED_LIMIT
    found = table(*(owner(f"{KIND}", f"web-{number}", spec={"replicas": number}) for number in range(count)))

    twice = [dig(found.here("ns", f"web-{n % count}"), "spec.replicas") for n in range(2 * count)]

    assert twice == [*range(count), *range(count)]


def test_of_huge_objects_few_are_kept_as_they_were_read():
    huge = "x" * (DECODED_BYTES // 4)
    found = table(*(owner(f"{KIND}", f"web-{number}", annotations={"a": huge}) for number in range(8)))

    first = found.here("ns", "web-0")
    again = found.here("ns", "web-0")
    others = [found.here("ns", f"web-{number}") for number in range(8)]

    assert len(others) == 8
    assert first is again
    assert found.here("ns", "web-0") is not first


@pytest.mark.parametrize(
    ("size", "shared"),
    [
        pytest.param(3, True, id="as usual"),
        pytest.param(COMMON_BYTES, False, id="huge: it would stay after its objects"),
    ],
)
def test_what_objects_have_in_common_is_kept_once_unless_it_is_huge(size, shared):
    spec = {"replicas": "x" * size}
    found = table(*(owner(f"{KIND}", name, spec=spec) for name in ("a", "b")))

    one, two = (found.here("ns", name) for name in ("a", "b"))

    assert one["spec"] == two["spec"] == spec
    assert (one["spec"] is two["spec"]) is shared


def managed(version, *managers, time="2026-01-01T00:00:00Z"):
    entries = [{"manager": name, "time": time, "fieldsV1": {f"f:{name}": {}}} for name in managers]
    return at_version(owner(f"{KIND}", "web"), version, managedFields=entries)


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        pytest.param(managed(2, "ours", "theirs"), False, id="another one writes"),
        pytest.param(managed(2, "ours", time="2026-02-02T00:00:00Z"), False, id="we wrote again"),
        pytest.param(managed(2), True, id="none of it is ours any more"),
        pytest.param(at_version(owner(f"{KIND}", "web"), 2, managedFields="nonsense"), True, id="nonsense"),
    ],
)
def test_of_who_wrote_what_only_our_part_is_kept(after, expected):
    found = Table(KIND, [""], frozenset({"ours"}))
    found.put(managed(1, "ours"))

    assert found.put(after) is expected


def test_the_status_of_a_group_is_not_kept():
    found = Table(KIND, [""], frozenset({"ours"}))
    found.put(web(1) | {"status": {"phase": "Pending"}})

    assert found.put(web(2) | {"status": {"phase": "Running"}}) is False
    assert "status" not in found.here(*SPOT)


@in_virtual_time
async def test_whoever_waits_for_an_object_is_woken_when_it_comes():
    found = table()
    waiting = [asyncio.create_task(found.arrival(SPOT, 5)) for _ in range(2)]
    await asyncio.sleep(1)
    found.put(web(1))

    assert [await one for one in waiting] == [True, True]
    assert asyncio.get_running_loop().time() == 1


@in_virtual_time
async def test_nobody_waits_longer_than_he_wanted():
    found = table()
    short, long = (asyncio.create_task(found.arrival(SPOT, seconds)) for seconds in (1, 5))
    await asyncio.sleep(2)
    found.put(web(1))

    assert (await short, await long) == (False, True)


news = st.lists(
    st.tuples(st.sampled_from(["put", "put_answer", "remove"]), st.integers(1, 9), st.sampled_from("ab")),
    max_size=20,
)


@given(news)
def test_whatever_comes_in_whatever_order_the_version_of_one_life_never_falls(steps):
    found = table()
    seen = []
    for how, version, uid in steps:
        getattr(found, how)(web(version, uid=uid))
        seen.append(found.version(SPOT))
    runs = [(int(a), int(b)) for a, b in itertools.pairwise(seen) if a and b]

    assert [pair for pair in runs if pair[0] > pair[1]] == []


def test_where_rows_are_let_go_an_answer_counts_though_the_watch_was_there_before():
    found = table(web(5), state=State.READ_ONE_BY_ONE)
    found.forget(SPOT)

    found.put_answer(web(5))

    assert found.look(*SPOT, "uid-web") == found.here(*SPOT) is not None
