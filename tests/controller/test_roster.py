"""Which pods belong together, what keys stand for, and who looked at what."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podgrouper.controller.roster import Dependencies, Family, Roster, family_of
from podgrouper.controller.store import Look, Store
from podgrouper.core.interfaces import Reads
from podgrouper.core.model import Key, Kind, Ref
from tests.builders import controls, owner, pod
from tests.core.tiny import GROUP, TinyPolicy, profile, rows

SET = Kind("apps/v1", "ReplicaSet")
WEB, API = (Ref(SET, "ns", name, f"uid-{name}") for name in ("web", "api"))
KEY_WEB, KEY_API = (Key("tiny", "ns", ref.uid) for ref in (WEB, API))
BOUNDARIES = {KEY_WEB: WEB, KEY_API: API}
PROFILE = profile(TinyPolicy(reads=Reads(labels=frozenset({"app"}))))
PODS = dict(zip("abc", rows([pod(name, labels={"app": name}) for name in "abc"], PROFILE), strict=True))
A, B = PODS["a"], PODS["b"]
GROUP_SPOT, OTHER_SPOT = ("ns", "g"), ("ns", "h")


def family(name):
    (row,) = rows([pod("p", controls(owner(f"{SET}", name)))])
    return family_of("tiny", row)


def test_pods_with_the_same_owners_are_one_family():
    assert family("web") == family("web")
    assert family("web") != family("api")


def test_a_pod_without_owners_is_a_family_of_its_own():
    assert family_of("tiny", A) == Family("tiny", "ns", (), "uid-a")
    assert family_of("tiny", A) != family_of("tiny", B)


def test_a_family_ends_with_its_last_pod():
    roster, web = Roster(), family("web")
    roster.join(web, A)
    roster.join(web, B)

    assert [roster.part(web, A), roster.families()] == [False, (web,)]
    assert [roster.part(web, B), roster.families()] == [True, ()]
    assert roster.part(web, B) is False


def test_a_pod_that_finds_its_place_is_news_for_its_key():
    roster = Roster()

    assert roster.settle(A, KEY_WEB, WEB) == (KEY_WEB,)
    assert (roster.key_of(A), roster.boundary(KEY_WEB), set(roster.members(KEY_WEB))) == (KEY_WEB, WEB, {"a"})


def test_a_pod_that_moves_is_news_for_both_keys():
    roster = Roster()
    roster.settle(A, KEY_WEB, WEB)

    assert roster.settle(A, KEY_API, API) == (KEY_WEB, KEY_API)
    assert (set(roster.members(KEY_WEB)), set(roster.members(KEY_API))) == (set(), {"a"})


def test_a_pod_that_goes_is_news_for_the_key_that_had_it():
    roster = Roster()
    roster.settle(A, KEY_WEB, WEB)

    assert roster.settle(A, None, None) == (KEY_WEB,)
    assert (roster.key_of(A), roster.idle(KEY_WEB)) == (None, True)


def test_a_pod_waits_for_its_place_until_it_is_settled():
    roster = Roster()
    roster.wait(A)
    waiting = roster.any_homeless("ns")
    roster.settle(A, None, None)

    assert (waiting, roster.any_homeless("ns")) == (True, False)


def test_a_pod_that_has_a_place_does_not_wait_for_one():
    roster = Roster()
    roster.settle(A, KEY_WEB, WEB)
    roster.wait(A)

    assert not roster.any_homeless("ns")


def test_a_group_is_held_by_one_key_at_a_time():
    roster = Roster()

    assert roster.hold(KEY_WEB, WEB, GROUP_SPOT) is None
    assert roster.hold(KEY_API, API, GROUP_SPOT) == KEY_WEB
    assert (roster.idle(KEY_WEB), roster.idle(KEY_API)) == (True, False)
    assert roster.let_go(GROUP_SPOT) == KEY_API
    assert roster.let_go(GROUP_SPOT) is None


def test_a_key_is_idle_when_its_last_pod_and_its_last_group_are_gone():
    roster = Roster()
    roster.settle(A, KEY_WEB, WEB)
    roster.hold(KEY_WEB, WEB, GROUP_SPOT)
    roster.hold(KEY_WEB, WEB, OTHER_SPOT)

    seen = [roster.idle(KEY_WEB)]
    for step in (
        lambda: roster.settle(A, None, None),
        lambda: roster.let_go(GROUP_SPOT),
        lambda: roster.let_go(OTHER_SPOT),
    ):
        step()
        seen.append(roster.idle(KEY_WEB))

    assert seen == [False, False, False, True]


def test_a_key_stands_for_its_boundary_until_it_is_dropped():
    roster = Roster()
    roster.settle(A, KEY_WEB, WEB)
    roster.settle(A, None, None)
    kept = roster.keys()
    roster.drop(KEY_WEB)

    assert (kept, roster.keys(), roster.boundary(KEY_WEB)) == ((KEY_WEB,), (), None)


moves = st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from([None, KEY_WEB, KEY_API])), max_size=15)


def settled(path):
    roster = Roster()
    for name, key in path:
        roster.settle(PODS[name], key, BOUNDARIES.get(key))
    return roster


@given(moves)
def test_wherever_pods_moved_each_belongs_where_it_was_settled_last(path):
    roster = settled(path)

    last = dict(path)
    assert {name: roster.key_of(PODS[name]) for name in last} == last
    assert {key: set(roster.members(key)) for key in BOUNDARIES} == {
        key: {name for name, of in last.items() if of == key} for key in BOUNDARIES
    }


@given(moves)
def test_when_all_are_gone_nothing_is_left(path):
    roster = settled([*path, *((name, None) for name in "abc")])
    for key in BOUNDARIES:
        roster.drop(key)

    assert not any(vars(roster).values())


def look(places=(), queries=()):
    found = Look(Store([PROFILE], frozenset()))
    found.places.update(places)
    found.queries.update(queries)
    return found


AT_WEB, AT_API, AT_GROUP = (SET, "ns", "web"), (SET, "ns", "api"), (GROUP, "ns", "g")
LABELLED_A, ANY = ("ns", (("app", "a"),)), ("ns", ())


def test_who_looked_at_an_object_is_found_by_it():
    dependencies = Dependencies()
    dependencies.note(KEY_WEB, look([AT_WEB, AT_GROUP]))
    dependencies.note(KEY_API, look([AT_WEB]))

    assert set(dependencies.at(SET, ("ns", "web"))) == {KEY_WEB, KEY_API}
    assert dependencies.at(GROUP, ("ns", "g")) == (KEY_WEB,)
    assert dependencies.at(GROUP, ("ns", "web")) == ()


def test_who_looked_at_several_objects_of_a_kind_is_found_once():
    dependencies = Dependencies()
    dependencies.note(KEY_WEB, look([AT_WEB, AT_API]))

    assert dependencies.on(SET) == (KEY_WEB,)
    assert set(dependencies.spots(SET)) == {("ns", "web"), ("ns", "api")}


def test_only_the_last_look_counts():
    dependencies = Dependencies()
    dependencies.note(KEY_WEB, look([AT_WEB], [LABELLED_A]))
    dependencies.note(KEY_WEB, look([AT_API], [ANY]))

    assert (dependencies.at(SET, ("ns", "web")), dependencies.at(SET, ("ns", "api"))) == ((), (KEY_WEB,))
    assert dependencies.asking_for(B) == (KEY_WEB,)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        pytest.param(LABELLED_A, [KEY_WEB], id="labels that it has"),
        pytest.param(("ns", (("app", "b"),)), [], id="labels that it has not"),
        pytest.param(ANY, [KEY_WEB], id="any pod"),
        pytest.param(("elsewhere", ()), [], id="any pod elsewhere"),
    ],
)
def test_who_looked_for_such_a_pod_is_found_by_it(query, expected):
    dependencies = Dependencies()
    dependencies.note(KEY_WEB, look(queries=[query]))

    assert list(dependencies.asking_for(A)) == expected


looks = st.lists(
    st.tuples(
        st.sampled_from([KEY_WEB, KEY_API]),
        st.frozensets(st.sampled_from([AT_WEB, AT_API, AT_GROUP])),
        st.frozensets(st.sampled_from([LABELLED_A, ANY])),
    ),
    max_size=10,
)


@given(looks)
def test_whatever_was_looked_at_before_is_forgotten_with_the_item(path):
    dependencies = Dependencies()
    for item, places, queries in path:
        dependencies.note(item, look(places, queries))
    for item in (KEY_WEB, KEY_API):
        dependencies.forget(item)

    assert not any(vars(dependencies).values())
