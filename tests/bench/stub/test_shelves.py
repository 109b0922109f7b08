"""Lists, watches and single objects of the stub tell of the same objects."""

import itertools

import msgspec
import pytest

from bench.stub.sample import Crowd
from bench.stub.shelves import NAMESPACES, Wanted, shelves_of
from podgrouper.config.model import BUILT_IN, Config
from podgrouper.core.fields import ref_of
from podgrouper.core.model import POD, Kind
from podgrouper.sandbox.forms import Form

KAI = BUILT_IN[1]
SCHEDULER = KAI.schedulers[0]
OTHER = "default-scheduler"
ALL = Wanted()
CROWDS = (Crowd("job", 23, SCHEDULER), Crowd("alone", 4, OTHER))
REPLICA_SET = Kind("apps/v1", "ReplicaSet")


@pytest.fixture(scope="module")
def shelves():
    return shelves_of(CROWDS, Config(profiles=(KAI,)))


def listed(shelf, limit, wanted=ALL, form=Form.WHOLE):
    """The objects of all pages, page by page."""
    items, rest = shelf.items(form, wanted, 0, limit)
    pages = [msgspec.json.decode(b"[%s]" % items)]
    while rest:
        items, rest = shelf.items(form, wanted, rest, limit)
        pages.append(msgspec.json.decode(b"[%s]" % items))
    return pages


def watched(shelf, wanted=ALL, form=Form.WHOLE):
    lines = b"".join(shelf.lines(form, wanted)).splitlines()
    return [msgspec.json.decode(line)["object"] for line in lines]


@pytest.mark.parametrize("limit", [0, 5, 10, 35, 50, 229, 230, 500])
def test_pages_and_a_watch_tell_of_the_same_objects(shelves, limit):
    pages = listed(shelves[POD], limit)

    assert list(itertools.chain(*pages)) == watched(shelves[POD])


@pytest.mark.parametrize(
    ("limit", "sizes"),
    [
        pytest.param(0, [270], id="no limit"),
        pytest.param(100, [100, 100, 70], id="full pages"),
        pytest.param(95, [90, 90, 90], id="workloads are not torn apart"),
        pytest.param(5, [10] * 27, id="one at least"),
    ],
)
def test_a_page_holds_as_many_workloads_as_there_is_room_for(shelves, limit, sizes):
    assert [len(page) for page in listed(shelves[POD], limit)] == sizes


def test_nothing_is_there_twice(shelves):
    found = list(itertools.chain(*(watched(shelf) for shelf in shelves.values())))

    assert len({ref_of(obj).uid for obj in found}) == len(found)
    assert len({ref_of(obj) for obj in found}) == len(found)


@pytest.mark.parametrize(
    ("wanted", "pods"),
    [
        pytest.param(Wanted(scheduler=SCHEDULER), 230, id="of a scheduler"),
        pytest.param(Wanted(scheduler=OTHER), 40, id="of the other one"),
        pytest.param(Wanted(NAMESPACES[2]), 40, id="in a namespace"),
        pytest.param(Wanted(NAMESPACES[3], SCHEDULER), 20, id="of a scheduler in a namespace"),
        pytest.param(Wanted("elsewhere"), 0, id="in a namespace where nothing is"),
    ],
)
def test_what_is_selected_is_all_that_is_told(shelves, wanted, pods):
    assert len(watched(shelves[POD], wanted)) == pods
    assert sum(map(len, listed(shelves[POD], 30, wanted))) == pods


def test_each_object_can_be_had_alone(shelves):
    objects = watched(shelves[POD])

    alone = [shelves[POD].one(ref.namespace, ref.name, Form.WHOLE) for ref in map(ref_of, objects)]

    assert [msgspec.json.decode(one) for one in alone] == objects


@pytest.mark.parametrize(
    ("namespace", "name"),
    [
        pytest.param(NAMESPACES[0], "train-00000023-1", id="of a number too large"),
        pytest.param(NAMESPACES[1], "train-00000000-1", id="elsewhere"),
        pytest.param(NAMESPACES[0], "train-00000000-77", id="of no such pod"),
        pytest.param(NAMESPACES[0], "train", id="without a number"),
    ],
)
def test_what_is_not_there_cannot_be_had(shelves, namespace, name):
    assert shelves[POD].one(namespace, name, Form.WHOLE) is None


def test_metadata_alone_is_metadata_alone(shelves):
    found = watched(shelves[Kind("batch/v1", "Job")], form=Form.METADATA)

    assert {frozenset(obj) for obj in found} == {frozenset({"kind", "apiVersion", "metadata"})}
    assert len(found) == 23
