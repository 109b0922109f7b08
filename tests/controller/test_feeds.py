"""From the events of a watch to the store: what a relist does not show is gone, and nothing else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podgrouper.controller.feeds import PodFeed, TableFeed
from podgrouper.controller.tables import State
from podgrouper.core.model import Kind
from podgrouper.kube.errors import Forbidden, NotAllowed, Unavailable, UnknownKind
from podgrouper.kube.watching import Failing, Put, Recovered, Removed, Restarted, Synced
from tests.builders import at_version, controls, owner, pod
from tests.controller.scenes import Scene, placed

SET = Kind("apps/v1", "ReplicaSet")


def web(name="web", version=1, namespace="ns"):
    return at_version(owner(f"{SET}", name, namespace=namespace), version)


def member(name="p", version=1, **more):
    return at_version(pod(name, **more), version)


class Watched:
    """The feed of ReplicaSets, or of pods, and the store behind it."""

    def __init__(self, scene=None, *, namespace="", pods=False):
        self.scene = scene or Scene()
        self.table = self.scene.store.table(SET)
        self.told = []
        self.feed = (
            PodFeed(self.scene.triggers, "volcano", namespace, lambda: self.told.append("pods"))
            if pods
            else TableFeed(
                self.table, self.scene.triggers, namespace, lambda table: self.told.append(table.kind)
            )
        )

    def after(self, *events):
        self.feed(events)
        return self

    @property
    def names(self):
        return sorted(name for _, name in self.table.spots())

    @property
    def pods(self):
        return sorted(self.scene.names())


def listed(namespace=""):
    watched = Watched(namespace=namespace)
    watched.table.state = State.LISTED
    return watched


def test_events_fill_the_store_one_by_one():
    watched = Watched().after(Put(web("a")), Put(web("b")), Removed(web("a", 2)))

    assert watched.names == ["b"]


def test_what_a_relist_does_not_show_is_gone_when_it_is_through():
    watched = Watched().after(Put(web("a")), Put(web("b")), Synced("5"), Restarted(), Put(web("b")))
    before = watched.names

    assert (before, watched.after(Synced("9")).names) == (["a", "b"], ["b"])


def test_a_relist_that_begins_again_starts_anew():
    watched = Watched().after(
        Put(web("a")), Synced("5"), Restarted(), Put(web("a")), Restarted(), Synced("9")
    )

    assert watched.names == []


def test_what_is_younger_than_the_relist_stays():
    watched = listed().after(Synced("5"), Restarted())
    watched.scene.triggers.object_answered(watched.table, web("ours", 12))

    assert watched.after(Synced("9")).names == ["ours"]
    assert watched.after(Restarted(), Synced("12")).names == []


def test_what_only_our_own_answers_brought_goes_with_the_first_list_that_should_show_it():
    watched = listed().after(Restarted())
    watched.scene.triggers.object_answered(watched.table, web("ours", 7))

    assert watched.after(Synced("9")).names == []


def test_a_version_that_is_no_number_proves_nothing_younger():
    watched = Watched().after(Put(at_version(web("a"), 0)), Synced(""), Restarted(), Synced("opaque"))

    assert watched.names == []


def test_the_watch_of_one_namespace_says_nothing_of_another():
    watched = Watched(namespace="ns")
    watched.scene.show(web("far", namespace="elsewhere"))
    watched.scene.show(web("near"))

    assert watched.after(Restarted(), Synced("9")).names == ["far"]


def test_nor_do_answers_about_another_namespace():
    watched = listed(namespace="ns")
    watched.scene.triggers.object_answered(watched.table, web("far", 7, namespace="elsewhere"))

    assert watched.after(Restarted(), Synced("9")).names == ["far"]


def test_who_looked_at_what_a_relist_lost_is_woken():
    scene = placed(web(), pod("p", controls(web())))
    Watched(scene).after(Restarted(), Synced("9"))

    assert scene.woken() == ["family of web"]


def test_a_relist_that_shows_the_same_wakes_nobody():
    scene = placed(web(), pod("p", controls(web())))
    Watched(scene).after(Restarted(), Put(web()), Synced("9"))

    assert scene.woken() == []


def test_an_object_that_cannot_be_kept_costs_no_other():
    unkept = at_version(web("a"), 1, labels={"half": "\ud800"})

    watched = Watched().after(Put(unkept), Put(web("b")), Synced("9"))

    assert (watched.names, watched.feed.synced) == (["b"], True)


@pytest.mark.parametrize(
    ("error", "synced"),
    [
        pytest.param(Forbidden(""), False, id="not allowed any more"),
        pytest.param(NotAllowed(""), False, id="cannot be watched"),
        pytest.param(UnknownKind(""), False, id="not served any more"),
        pytest.param(Unavailable(""), True, id="no answer: that passes"),
    ],
)
def test_what_was_seen_is_up_to_date_unless_the_watch_was_refused(error, synced):
    watched = Watched().after(Synced("5"), Failing(error))

    assert (watched.feed.synced, watched.feed.error) == (synced, error)


@pytest.mark.parametrize(
    ("events", "synced"),
    [
        pytest.param([Synced("5")], True, id="everything listed"),
        pytest.param([Failing(Forbidden(""))], False, id="refused"),
    ],
)
def test_the_first_answer_is_a_list_or_a_refusal(events, synced):
    watched = Watched()
    before = watched.feed.first_answer.is_set()
    watched.after(*events)

    assert (before, watched.feed.first_answer.is_set(), watched.feed.synced) == (False, True, synced)
    assert watched.told == [SET]


def test_a_watch_that_works_again_has_no_error():
    watched = Watched().after(Synced("5"), Failing(Unavailable("")), Recovered())

    assert (watched.feed.synced, watched.feed.error, watched.told) == (True, None, [SET] * 3)


def test_pods_come_and_go():
    watched = Watched(pods=True).after(Put(member("a")), Put(member("b")), Removed(member("a", 2)))

    assert watched.pods == ["b"]


def test_the_end_of_an_older_pod_of_that_name_leaves_the_younger_one():
    watched = Watched(pods=True).after(Put(at_version(pod("p"), 9, uid="uid-later")), Removed(member("p", 5)))

    assert watched.pods == ["p"]


def test_a_relist_of_one_scheduler_says_nothing_of_another():
    watched = Watched(pods=True)
    watched.scene.show(member("theirs", scheduler="kai-scheduler"))
    watched.scene.show(member("ours"))

    assert watched.after(Restarted(), Synced("9")).pods == ["theirs"]


def test_a_relist_of_pods_of_one_namespace_says_nothing_of_another():
    watched = Watched(pods=True, namespace="ns")
    watched.scene.show(member("far", namespace="elsewhere"))
    watched.scene.show(member("near"))

    assert watched.after(Restarted(), Synced("9")).pods == ["far"]


def test_a_pod_that_a_relist_lost_is_gone_and_its_key_is_woken():
    scene = placed(pod("p"))
    watched = Watched(scene, pods=True).after(Restarted(), Synced("9"))

    assert (watched.pods, scene.woken()) == ([], ["key uid-p"])


names = st.frozensets(st.sampled_from("abcd"))


@given(names, names, names)
def test_after_a_relist_there_is_what_it_showed_whatever_was_there(before, shown, gone_meanwhile):
    watched = Watched().after(*(Put(web(name)) for name in sorted(before)), Synced("2"), Restarted())
    watched.after(*(Put(web(name, 3)) for name in sorted(shown)))
    watched.after(*(Removed(web(name, 4)) for name in sorted(gone_meanwhile)), Synced("5"))

    assert watched.names == sorted(shown - gone_meanwhile)
