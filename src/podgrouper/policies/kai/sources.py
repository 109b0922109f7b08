"""A field is the first usable of an ordered list of sources.

The list is data: it gives the value, and where it came from, for `explain`.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from podgrouper.core.fields import annotations, labels
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
    return (Source(labels(owner.object).get(key, ""), f"label {key} of {owner.ref}") for owner in owners)


def owner_annotations(owners: Iterable[Owner], key: str) -> Iterator[Source]:
    return (
        Source(annotations(owner.object).get(key, ""), f"annotation {key} of {owner.ref}") for owner in owners
    )


def pod_label(pod: Pod, key: str) -> Source:
    return Source(pod.labels.get(key, ""), f"label {key} of {pod.ref}")


def pod_annotation(pod: Pod, key: str) -> Source:
    return Source(pod.annotations.get(key, ""), f"annotation {key} of {pod.ref}")
