"""A field is the first usable of an ordered list of sources.

The list is data: it gives the value, and where it came from, for `explain`.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from podgrouper.core.fields import mapping
from podgrouper.core.model import Owner, Pod


class Source(NamedTuple):
    """A value that somebody wrote, and where it stands."""

    value: str
    origin: str


NOBODY = Source("", "")


def first_usable(sources: Iterable[Source], usable: Callable[[str], str]) -> Source:
    """The first source whose value `usable` turns into a text that is not empty, with that text.

    What is empty or unusable never hides what comes after it.
    """
    for value, origin in sources:
        text = usable(value) if value else ""
        if text:
            return Source(text, origin)
    return NOBODY


def as_it_is(value: str) -> str:
    """Usable whatever it says."""
    return value


def owner_labels(owners: Iterable[Owner], key: str) -> Iterator[Source]:
    """Of those that have such a label, in order."""
    return _said(owners, "metadata.labels", key, "label")


def owner_annotations(owners: Iterable[Owner], key: str) -> Iterator[Source]:
    """Of those that have such an annotation, in order."""
    return _said(owners, "metadata.annotations", key, "annotation")


def pod_label(pod: Pod, key: str) -> Source:
    value = pod.labels.get(key, "")
    return Source(value, f"label {key} of {pod.ref}") if value else NOBODY


def pod_annotation(pod: Pod, key: str) -> Source:
    value = pod.annotations.get(key, "")
    return Source(value, f"annotation {key} of {pod.ref}") if value else NOBODY


def _said(owners: Iterable[Owner], path: str, key: str, what: str) -> Iterator[Source]:
    """Most owners say nothing: for them nothing is put into words."""
    for owner in owners:
        value = mapping(owner.object, path).get(key)
        if isinstance(value, str) and value:
            yield Source(value, f"{what} {key} of {owner.ref}")
