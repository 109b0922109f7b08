"""Queue, priority class, preemptibility and the rest: for each the list of who is asked, in order.

`heard` are the owners that have a say, nearest first; the last of them is the one that the workload is
grouped by. The wrappers above it speak right after it, for what it does not say. Where a rule of KAI
lets an empty or unusable value hide a usable one, ours does not (ruling K30).
"""

from collections.abc import Iterator, Mapping
from itertools import chain

from podgrouper.core.durations import canonical, parse_duration
from podgrouper.core.model import Owner, Pod
from podgrouper.policies.kai import keys
from podgrouper.policies.kai.scene import Scene
from podgrouper.policies.kai.sources import (
    Source,
    as_it_is,
    first_usable,
    owner_annotations,
    owner_labels,
    pod_annotation,
    pod_label,
)
from podgrouper.policies.kai.type_defaults import preemptibilities_of, priorities_of

PREEMPTIBILITIES = frozenset({"preemptible", "non-preemptible"})

Owners = tuple[Owner, ...]


def choices(scene: Scene, pod: Pod, heard: Owners, priority: str) -> Mapping[str, Source]:
    """Every field that somebody may choose, under its name in `core.groups.Group`. `pod` speaks for all."""
    return {
        "queue": queue(scene, pod),
        "priority_class": priority_class(scene, pod, heard, priority),
        "preemptibility": preemptibility(scene, pod, heard),
        "preemption_delay": duration(scene, pod, heard, keys.PREEMPTION_DELAY, shortest=0),
        "staleness_grace": duration(scene, pod, heard, keys.STALENESS_GRACE),
    }


def queue(scene: Scene, pod: Pod) -> Source:
    """The queue label of owner and pod; else the project's queue, one for each node pool; else the default.

    A pool is the pod's, never the owner's: pods of one workload template may ask for different pools.
    """
    key = scene.settings.queue_label_key
    named = first_usable((*owner_labels(scene.voices, key), pod_label(pod, key)), as_it_is)
    if named.value:
        return named
    project = first_usable(
        (*owner_labels(scene.voices, keys.PROJECT), pod_label(pod, keys.PROJECT)), as_it_is
    )
    pool = node_pool(scene, pod)
    if project.value and pool.value:
        return Source(f"{project.value}-{pool.value}", f"{project.origin} and {pool.origin}")
    return project if project.value else default_queue(scene)


def default_queue(scene: Scene) -> Source:
    """That of the scheduler, where it has one of its own, is nobody's choice."""
    queue = scene.settings.default_queue
    return Source(queue, "built-in default" if queue else "")


def node_pool(scene: Scene, pod: Pod) -> Source:
    """The pod's node pool; nobody's when node pools play no part."""
    key = scene.settings.node_pool_label_key
    return pod_label(pod, key) if key else Source("", "")


def priority_class(scene: Scene, pod: Pod, heard: Owners, default: str) -> Source:
    """The first class of these that exists; else the default of the kind, which need not exist.

    The pod is asked after every owner anew, so its wish beats that of the owners above the nearest.
    """
    asked = chain.from_iterable(_priority_labels(scene, pod, owner) for owner in heard)
    typical = priorities_of((*scene.skipped, *heard), scene.settings.type_defaults)
    found = first_usable(
        chain(asked, typical), lambda value: value if scene.has_priority_class(value) else ""
    )
    return found if found.value else Source(default, "built-in default of the kind")


def _priority_labels(scene: Scene, pod: Pod, owner: Owner) -> Iterator[Source]:
    speaking = scene.voices if owner is scene.owner else (owner,)
    yield from owner_labels(speaking, keys.PRIORITY_CLASS)
    yield pod_label(pod, keys.PRIORITY_CLASS)
    yield Source(pod.priority_class, f"spec.priorityClassName of {pod.ref}")


def preemptibility(scene: Scene, pod: Pod, heard: Owners) -> Source:
    """Owners, pod, type defaults. Nobody: the scheduler concludes it from the priority."""
    key = keys.PREEMPTIBILITY
    asked = (*owner_labels((*heard, *scene.skipped), key), pod_label(pod, key))
    typical = preemptibilities_of((*scene.skipped, *heard), scene.settings.type_defaults)
    return first_usable(chain(asked, typical), lambda value: value if value in PREEMPTIBILITIES else "")


def duration(scene: Scene, pod: Pod, heard: Owners, key: str, shortest: int | None = None) -> Source:
    """A duration in Go's canonical form, of the owners or else the pod."""
    asked = (*owner_annotations((*heard, *scene.skipped), key), pod_annotation(pod, key))

    def usable(value: str) -> str:
        size = parse_duration(value)
        return "" if size is None or (shortest is not None and size < shortest) else canonical(size)

    return first_usable(asked, usable)


def labels_of_defaults(scene: Scene, chosen: Mapping[str, Source]) -> Mapping[str, str]:
    """Labels that a wrapper's type default leaves on the group, when it was the one that decided.

    KAI writes the default of a skipped kind as if the owner had said so.
    """
    typical = {
        keys.PRIORITY_CLASS: (chosen["priority_class"], priorities_of),
        keys.PREEMPTIBILITY: (chosen["preemptibility"], preemptibilities_of),
    }
    return {
        key: source.value
        for key, (source, defaults_of) in typical.items()
        if source in tuple(defaults_of(scene.skipped, scene.settings.type_defaults))
    }
