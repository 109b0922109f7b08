"""How a link is written so that it never overwrites another one.

A JSON patch that tests first: that life of the pod, still without a link (or with the one that we saw).
Not a resourceVersion: kubelet and scheduler write the pod's status all the time, and none of that is a
reason to fail. The server applies such a patch to whatever is there and takes all of it or nothing.
"""

from collections.abc import Iterator, Mapping

from podgrouper.core.model import Json
from podgrouper.core.plans import LinkPod


def link_operations(link: LinkPod) -> list[Json]:
    """The operations of one patch, tests before changes."""
    pod, patch, expects = link.pod, link.patch, link.expects
    return [
        _test("/metadata/uid", pod.uid),
        *_into("/metadata/annotations", patch.annotations, expects.annotations, there=pod.has_annotations),
        *_into("/metadata/labels", patch.labels, expects.labels, there=pod.has_labels),
    ]


def _into(path: str, values: Mapping[str, str], expects: Mapping[str, str], *, there: bool) -> Iterator[Json]:
    """Keys can only be added to a map that exists; a missing map is added, if it is still missing."""
    if not values:
        return
    if not there:
        yield _test(path, None)
        yield {"op": "add", "path": path, "value": dict(values)}
        return
    for key, value in values.items():
        place = f"{path}/{_escaped(key)}"
        yield _test(place, expects.get(key))
        yield {"op": "add", "path": place, "value": value}


def _test(path: str, value: str | None) -> Json:
    """For the API server a missing key equals null, as long as the map around it exists."""
    return {"op": "test", "path": path, "value": value}


def _escaped(key: str) -> str:
    """RFC 6901."""
    return key.replace("~", "~0").replace("/", "~1")
