"""The patch of a link, applied as the API server applies it: a link is never overwritten."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podgrouper.controller.linking import link_operations
from podgrouper.core.groups import LinkPatch
from podgrouper.core.interfaces import Reads
from podgrouper.core.plans import LinkPod
from podgrouper.core.pods import PodRows
from podgrouper.memory.patches import JSON_PATCH, patched
from podgrouper.memory.refusals import Refused
from tests.builders import at_version, pod

LINK, PART, ODD = "scheduling.k8s.io/group-name", "part", "a~b/c~1d"
ROW = PodRows(Reads(annotations=frozenset({LINK, ODD}), labels=frozenset({PART, ODD}))).row
OURS = LinkPatch(annotations={LINK: "ours"})
BOTH = LinkPatch(annotations={LINK: "ours"}, labels={PART: "leader"})
NO_LINK = LinkPatch()


def linked(seen, now, patch=OURS, expects=NO_LINK):
    """The pod after the patch that was made for what was `seen`, applied to what is there `now`."""
    return patched(now, JSON_PATCH, link_operations(LinkPod(ROW(seen), "ours", patch, expects)))


def marks(obj):
    return obj["metadata"].get("annotations"), obj["metadata"].get("labels")


BARE = pod("p")
NOTED = pod("p", annotations={"note": "x"})
THEIRS = pod("p", annotations={LINK: "theirs"})


@pytest.mark.parametrize(
    ("seen", "patch", "expects", "expected"),
    [
        pytest.param(BARE, OURS, NO_LINK, ({LINK: "ours"}, None), id="no map at all"),
        pytest.param(NOTED, OURS, NO_LINK, ({"note": "x", LINK: "ours"}, None), id="other keys stay"),
        pytest.param(THEIRS, OURS, LinkPatch({LINK: "theirs"}), ({LINK: "ours"}, None), id="one that may go"),
        pytest.param(
            pod("p", annotations={LINK: ""}),
            OURS,
            LinkPatch({LINK: ""}),
            ({LINK: "ours"}, None),
            id="an empty one",
        ),
        pytest.param(BARE, BOTH, NO_LINK, ({LINK: "ours"}, {PART: "leader"}), id="into both maps"),
        pytest.param(
            pod("p", annotations={LINK: "ours"}, labels={PART: "worker"}),
            BOTH,
            LinkPatch({LINK: "ours"}, {PART: "worker"}),
            ({LINK: "ours"}, {PART: "leader"}),
            id="another part of the same group",
        ),
        pytest.param(
            NOTED,
            LinkPatch({ODD: "1"}, {ODD: "2"}),
            NO_LINK,
            ({"note": "x", ODD: "1"}, {ODD: "2"}),
            id="keys with slashes and tildes",
        ),
        pytest.param(BARE, LinkPatch(), NO_LINK, (None, None), id="nothing to say"),
    ],
)
def test_the_pod_as_it_was_seen_gets_its_link(seen, patch, expects, expected):
    assert marks(linked(seen, seen, patch, expects)) == expected


@pytest.mark.parametrize(
    "now",
    [
        pytest.param(at_version(BARE, 9), id="another version: its status changes all the time"),
        pytest.param(BARE | {"status": {"phase": "Running"}}, id="it runs by now"),
    ],
)
def test_what_does_not_matter_to_the_link_may_change_meanwhile(now):
    assert marks(linked(BARE, now)) == ({LINK: "ours"}, None)


@pytest.mark.parametrize(
    ("seen", "now", "patch", "expects"),
    [
        pytest.param(BARE, THEIRS, OURS, NO_LINK, id="somebody linked it, and made the map"),
        pytest.param(
            NOTED, pod("p", annotations={"note": "x", LINK: "theirs"}), OURS, NO_LINK, id="into the same map"
        ),
        pytest.param(BARE, NOTED, OURS, NO_LINK, id="somebody made the map that would replace it"),
        pytest.param(NOTED, BARE, OURS, NO_LINK, id="the map is gone"),
        pytest.param(
            THEIRS,
            pod("p", annotations={LINK: "third"}),
            OURS,
            LinkPatch({LINK: "theirs"}),
            id="the link that may go is another one by now",
        ),
        pytest.param(
            THEIRS,
            pod("p", annotations={"note": "x"}),
            OURS,
            LinkPatch({LINK: "theirs"}),
            id="somebody took that link away",
        ),
        pytest.param(
            BARE,
            pod("p", labels={PART: "worker"}),
            BOTH,
            NO_LINK,
            id="another part: then not the group either",
        ),
        pytest.param(BARE, at_version(BARE, 1, uid="uid-later"), OURS, NO_LINK, id="another life of the pod"),
    ],
)
def test_nothing_is_written_when(seen, now, patch, expects):
    with pytest.raises(Refused):
        linked(seen, now, patch, expects)


pods = st.builds(
    lambda marks: pod("p", annotations=marks) if marks else pod("p"),
    st.dictionaries(st.sampled_from([LINK, ODD, "note"]), st.sampled_from(["", "ours", "theirs"])),
)


@given(pods, pods)
def test_whatever_happened_meanwhile_only_the_link_that_was_seen_is_replaced(seen, now):
    link = {LINK: seen["metadata"]["annotations"][LINK]} if LINK in ROW(seen).annotations else {}
    try:
        after = linked(seen, now, OURS, LinkPatch(link))
    except Refused:
        after = now

    before = ROW(now).annotations.get(LINK)
    assert ROW(after).annotations.get(LINK) in (before, "ours")
    assert ROW(after).annotations.get(LINK) == before or before == link.get(LINK)
