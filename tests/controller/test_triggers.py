"""Which news wakes which keys; and that an echo of our own writes wakes nobody."""

import asyncio
from dataclasses import dataclass

import pytest

from podgrouper.controller.store import PRIORITY_CLASS
from podgrouper.controller.triggers import SOON_SECONDS
from podgrouper.core.fields import annotations, owner_refs, ref_of
from podgrouper.core.groups import LinkPatch
from podgrouper.core.interfaces import Reads
from podgrouper.core.model import POD, Ending, Key, Kind, ObjectWanted, Ref
from tests.builders import at_version, controls, owner, pod
from tests.controller.scenes import Scene, placed
from tests.core.tiny import GROUP, LINK, SKIP, TinyPolicy, profile
from tests.roads.virtual_time import in_virtual_time

SET = Kind("apps/v1", "ReplicaSet")
WEB, API = (owner(f"{SET}", name, spec={"replicas": 1}) for name in ("web", "api"))
READS = Reads(labels=frozenset({"app"}), paths={SET: frozenset({"spec.replicas"})})
LABELLED = profile(TinyPolicy(reads=READS))


def member(version=1, *, of=WEB, name="p", **more):
    return at_version(pod(name, controls(of), **more), version)


def group(version=1, name="pg-web", **more):
    return at_version(owner(f"{GROUP}", name, controls(WEB)), version, **more)


def woken_by(scene, *news):
    for obj in news:
        scene.show(obj)
    return scene.woken()


@pytest.mark.parametrize(
    ("known", "expected"),
    [
        pytest.param([WEB], ["key uid-web"], id="its owner is known: at once that of its boundary"),
        pytest.param([], ["family of web"], id="else the family, whose owner has to be read"),
    ],
)
def test_new_pods_of_one_owner_wake_one_item(known, expected):
    assert woken_by(Scene(*known), *(member(name=f"p-{number}") for number in range(1000))) == expected


def test_a_pod_of_another_scheduler_wakes_nobody():
    assert woken_by(Scene(WEB), member(scheduler="default-scheduler")) == []


def test_a_pod_whose_owner_was_not_seen_asks_for_it_and_waits():
    scene = Scene(member())
    scene.woken()

    (unseen,) = scene.place("p")

    assert unseen.objects == (ObjectWanted(SET, "ns", "web", "uid-web"),)
    assert (scene.woken(), scene.triggers.roster.any_homeless("ns")) == ([], True)


def test_the_owner_that_it_asked_for_wakes_the_family():
    scene = Scene(member())
    scene.place("p")
    scene.woken()

    assert woken_by(scene, WEB) == ["family of web"]


def test_a_pod_that_found_its_place_wakes_the_key_of_its_boundary():
    scene = Scene(member())
    scene.place("p")
    scene.show(WEB)
    scene.woken()

    assert scene.place("p") == [None]
    assert (scene.woken(), scene.triggers.roster.any_homeless("ns")) == (["key uid-web"], False)


@pytest.mark.parametrize(
    ("news", "expected"),
    [
        pytest.param(member(2), [], id="another version"),
        pytest.param(member(2, labels={"other": "x"}), ["key uid-web"], id="its first label"),
        pytest.param(member(2, phase="Failed"), ["key uid-web"], id="its end"),
        pytest.param(member(2, labels={"app": "x"}), ["key uid-web"], id="a declared label"),
        pytest.param(member(2, annotations={LINK: "theirs"}), ["key uid-web"], id="its link"),
        pytest.param(
            member(2) | {"status": {"phase": "Pending", "message": "pulling"}}, [], id="what nobody reads"
        ),
        pytest.param(member(0, phase="Failed"), ["key uid-web"], id="a version that is no number"),
    ],
)
def test_a_change_of_a_pod_wakes_its_key_when_somebody_reads_it(news, expected):
    assert woken_by(placed(WEB, member(), of=LABELLED), news) == expected


@pytest.mark.parametrize(
    "news",
    [
        pytest.param(member(2, phase="Running"), id="its phase"),
        pytest.param(member(2, spec={"nodeName": "n"}), id="its node"),
    ],
)
@in_virtual_time
async def test_a_pod_that_only_starts_wakes_its_key_soon(news):
    scene = placed(WEB, member(), of=LABELLED)
    scene.show(news)
    at_once = scene.woken()
    await asyncio.sleep(SOON_SECONDS)

    assert (at_once, scene.woken()) == ([], ["key uid-web"])


def linked_as(link, **more):
    """The pod as the answer of that link shows it."""
    return member(2, annotations=link.annotations, **more)


@pytest.mark.parametrize(
    ("before", "answer", "expected"),
    [
        pytest.param({}, {}, [], id="it came out as it was sent"),
        pytest.param({"phase": "Running"}, {"phase": "Running"}, ["key uid-web"], id="the pod runs"),
        pytest.param({}, {"labels": {"app": "x"}}, ["key uid-web"], id="something else changed as well"),
    ],
)
def test_a_link_that_was_just_written_is_no_news_to_its_key_when(before, answer, expected):
    scene = placed(WEB, member(**before), of=LABELLED)
    link = LinkPatch({LINK: "pg-web"})
    scene.triggers.pod_linked(linked_as(link, **answer), link)

    assert scene.woken() == expected
    assert scene.row("p").annotations == {LINK: "pg-web"}


def test_a_group_that_came_out_as_decided_is_news_to_all_but_who_wrote_it():
    scene = placed(WEB, member())
    looks = {name: scene.store.look() for name in ("writer", "other")}
    for name, look in looks.items():
        look.group(GROUP, "ns", "pg-web")
        scene.triggers.dependencies.note(Key("tiny", "ns", name), look)
    scene.triggers.object_answered(scene.table(group()), group(7), Key("tiny", "ns", "writer"))

    assert scene.woken() == ["key other"]


def test_a_new_pod_of_a_family_that_waits_only_joins_it():
    scene = Scene(member(), member(name="q"))

    assert scene.woken() == ["family of web"]
    assert sorted(scene.triggers.roster.of_family(scene.family("p"))) == ["p", "q"]


def test_our_own_link_wakes_nobody_when_it_comes_back():
    scene = placed(WEB, member())
    linked = member(2, annotations={LINK: "pg-web"})
    scene.triggers.pod_answered(linked)
    scene.woken()

    assert woken_by(scene, linked) == []


def test_nor_does_an_older_event_that_comes_between():
    scene = placed(WEB, member())
    scene.triggers.pod_answered(member(3, annotations={LINK: "pg-web"}))
    scene.woken()

    assert woken_by(scene, member(2, phase="Running")) == []


def test_the_answer_of_a_link_wakes_nobody_once_the_pod_is_gone():
    scene = placed(WEB, member())
    scene.triggers.pod_removed("ns", "p")
    scene.woken()
    scene.triggers.pod_answered(member(3, annotations={LINK: "pg-web"}))

    assert scene.woken() == []


def test_our_own_group_wakes_nobody_when_it_comes_back():
    scene = placed(WEB, member())
    scene.triggers.object_answered(scene.table(group()), group(7))
    scene.woken()

    assert woken_by(scene, group(7)) == []


def test_a_pod_that_goes_wakes_its_key_and_nothing_more_is_told_of_it():
    scene = placed(WEB, member())
    scene.triggers.pod_removed("ns", "p")

    assert (scene.woken(), scene.skips) == (["key uid-web"], [("p", "")])


def test_a_pod_that_was_read_as_a_whole_is_missing_when_it_is_gone():
    scene = placed(WEB, member())
    scene.table(member()).put(member())
    scene.triggers.pod_removed("ns", "p")

    assert scene.store.table(POD).look("ns", "p", "uid-p") is Ending.MISSING


def test_what_was_read_of_a_namesake_stays_when_the_pod_before_it_goes():
    scene = placed(WEB, member())
    scene.table(member()).put(at_version(member(), 9, uid="uid-later"))
    scene.triggers.pod_removed("ns", "p")

    assert ref_of(scene.store.table(POD).look("ns", "p", "uid-later")).uid == "uid-later"


def test_with_its_last_pod_a_family_ends_and_what_it_looked_at_wakes_nobody():
    scene = placed(WEB, member())
    scene.triggers.pod_removed("ns", "p")
    scene.woken()

    assert woken_by(scene, at_version(WEB, 2, labels={"team": "a"})) == []
    assert scene.triggers.roster.families() == ()


def test_a_pod_that_was_gone_already_wakes_nobody():
    scene = placed(WEB)
    scene.triggers.pod_removed("ns", "p")

    assert scene.woken() == []


def test_a_namesake_wakes_the_key_of_the_one_before_and_its_own():
    scene = placed(WEB, API, member())
    later = at_version(member(of=API), 9, uid="uid-later")

    assert woken_by(scene, later) == ["key uid-web", "key uid-api"]


def test_a_namesake_without_owners_is_another_boundary():
    scene = placed(pod("alone"))

    assert woken_by(scene, at_version(pod("alone"), 9, uid="uid-later")) == ["key uid-alone", "key uid-later"]
    assert scene.triggers.roster.families() == (scene.family("alone"),)


def test_a_pod_that_is_adopted_wakes_both_keys_and_leaves_its_old_family():
    scene = placed(WEB, API, member())

    assert woken_by(scene, member(2, of=API)) == ["key uid-web", "key uid-api"]
    assert scene.triggers.roster.families() == (scene.family("p"),)


def test_a_pod_that_opts_out_wakes_the_key_that_had_it_and_is_told_why():
    scene = placed(WEB, member())

    assert woken_by(scene, member(2, annotations={SKIP: "true"})) == ["key uid-web"]
    assert scene.skips == [("p", "OptedOut")]
    assert scene.triggers.roster.idle(scene.triggers.roster.keys()[0])


@pytest.mark.parametrize(
    ("news", "expected"),
    [
        pytest.param(at_version(WEB, 2), [], id="another version"),
        pytest.param(at_version(WEB, 2) | {"status": {"replicas": 1}}, [], id="its status"),
        pytest.param(at_version(WEB, 2, labels={"team": "a"}), ["family of web"], id="its metadata"),
        pytest.param(at_version(WEB, 2) | {"spec": {"replicas": 3}}, ["family of web"], id="declared"),
        pytest.param(at_version(API, 2), [], id="another owner"),
    ],
)
def test_a_change_of_an_owner_wakes_who_looked_at_it(news, expected):
    assert woken_by(placed(WEB, member(), of=LABELLED), news) == expected


@pytest.mark.parametrize(
    "end",
    [
        pytest.param(lambda scene: scene.hide(at_version(WEB, 5)), id="a watch says so"),
        pytest.param(
            lambda scene: scene.triggers.object_dropped(scene.table(WEB), ("ns", "web")),
            id="a list proves it",
        ),
        pytest.param(
            lambda scene: scene.triggers.fire_kind(scene.table(WEB)), id="its kind is known otherwise"
        ),
    ],
)
def test_who_looked_at_an_owner_is_woken_when(end):
    scene = placed(WEB, member())
    end(scene)

    assert scene.woken() == ["family of web"]


def test_the_end_of_what_was_gone_already_wakes_nobody():
    scene = placed(WEB, member())
    scene.hide(at_version(WEB, 5))
    scene.woken()
    scene.hide(at_version(WEB, 5))

    assert scene.woken() == []


def looked(scene, look_at):
    """The key of web looked once more, and did not settle on anything new."""
    (key,) = scene.triggers.roster.keys()
    look = scene.store.look()
    look_at(look)
    scene.triggers.dependencies.note(key, look)
    return scene


def test_a_group_that_comes_or_goes_wakes_the_key_that_looked_for_it():
    scene = looked(placed(WEB, member()), lambda look: look.group(GROUP, "ns", "pg-web"))

    assert woken_by(scene, group()) == ["key uid-web"]
    scene.hide(group(2))
    assert scene.woken() == ["key uid-web"]


def test_any_priority_class_wakes_who_looked_at_them():
    scene = looked(placed(WEB, member()), lambda look: look.priority_classes())

    assert woken_by(scene, owner(f"{PRIORITY_CLASS}", "high", namespace="")) == ["key uid-web"]


@pytest.mark.parametrize(
    ("news", "expected"),
    [
        pytest.param(member(name="q", of=API, labels={"app": "x"}), True, id="comes"),
        pytest.param(member(name="q", of=API, labels={"app": "y"}), False, id="has other labels"),
        pytest.param(member(2, name="old", of=API, labels={"app": "y"}), True, id="loses its label"),
        pytest.param(member(2, name="old", of=API, labels={"app": "x"}, phase="Failed"), True, id="changes"),
    ],
)
def test_a_pod_wakes_who_looked_for_such_pods_when_it(news, expected):
    old = member(name="old", of=API, labels={"app": "x"})
    scene = placed(WEB, API, member(), old, of=LABELLED)
    web = scene.triggers.roster.key_of(scene.row("p"))
    look = scene.store.look()
    look.labelled_pods("ns", (("app", "x"),))
    scene.triggers.dependencies.note(web, look)

    assert ("key uid-web" in woken_by(scene, news)) is expected


def test_so_does_one_that_goes():
    scene = looked(placed(WEB, member()), lambda look: look.labelled_pods("ns", ()))
    scene.show(member(name="q", of=API))
    scene.woken()
    scene.triggers.pod_removed("ns", "q")

    assert scene.woken() == ["key uid-web"]


def test_a_pod_wakes_who_looked_at_it_as_an_object():
    scene = looked(placed(WEB, member()), lambda look: look.object(POD, "ns", "q"))

    assert "key uid-web" in woken_by(scene, member(name="q", of=API))
    scene.triggers.pod_removed("ns", "q")
    assert "key uid-web" in scene.woken()


def test_a_pod_that_was_read_as_a_whole_is_known_as_our_own_write_left_it():
    scene = placed(WEB, member())
    scene.table(member()).put(member())
    scene.triggers.pod_answered(member(2, annotations={LINK: "pg-web"}))

    assert annotations(scene.store.table(POD).here("ns", "p")) == {LINK: "pg-web"}


@pytest.mark.parametrize(
    ("news", "read_again"),
    [
        pytest.param(member(2, phase="Failed"), False, id="its phase: what was read of it still holds"),
        pytest.param(member(2, labels={"app": "y"}), True, id="its labels"),
    ],
)
def test_a_pod_that_was_read_as_a_whole_is_read_again_after_a_change_of(news, read_again):
    scene = placed(WEB, member(), of=LABELLED)
    scene.table(member()).put(member())
    scene.show(news)

    assert (scene.store.table(POD).here("ns", "p") is None) is read_again


@dataclass(frozen=True)
class Standing(TinyPolicy):
    """Looks after groups by their owner, with pods or without."""

    def boundary_of_group(self, group):
        return next((Ref(one.kind, "ns", one.name, one.uid) for one in owner_refs(group)), None)


STANDING = profile(Standing(reads=Reads(self_standing=frozenset({SET}))))


@pytest.mark.parametrize(
    ("of", "news", "expected"),
    [
        pytest.param(STANDING, group(), ["key uid-web"], id="of a boundary that stands for itself"),
        pytest.param(STANDING, group(deletionTimestamp="2026-01-01T00:00:00Z"), [], id="that is going"),
        pytest.param(STANDING, owner(f"{GROUP}", "g"), [], id="of nobody"),
        pytest.param(profile(Standing()), group(), [], id="of a policy without such kinds"),
    ],
)
def test_without_pods_a_group_wakes_the_key_of_its_boundary(of, news, expected):
    assert woken_by(Scene(of=of), news) == expected


def test_when_that_group_goes_its_key_is_woken_and_has_nothing_left():
    scene = Scene(group(), of=STANDING)
    (key,) = scene.triggers.roster.keys()
    scene.woken()
    scene.hide(group(2))

    assert scene.woken() == ["key uid-web"]
    assert scene.triggers.roster.idle(key)


def test_a_group_that_changes_its_owner_wakes_both_keys():
    scene = Scene(group(), of=STANDING)
    scene.woken()

    assert woken_by(scene, at_version(owner(f"{GROUP}", "pg-web", controls(API)), 2)) == [
        "key uid-web",
        "key uid-api",
    ]


def test_changed_rules_are_in_force_at_once_and_everybody_is_looked_at_again():
    scene = placed(WEB, group(), member(), pod("alone"))

    rest = scene.triggers.rewire((STANDING,))

    assert set(scene.woken()) == {"family of web", "family of uid-alone", "key uid-web", "key uid-alone"}
    assert scene.triggers.profile("tiny") is STANDING
    assert [scene.woken() for _ in rest] == [["key uid-web"]]
