"""Pods that hold anything and speak of whatever there is, and what a plan does for everybody else."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from hypothesis import strategies as st

from podgrouper import planning
from podgrouper.config.model import Config
from podgrouper.core.fields import kind_of, mapping, ref_of
from podgrouper.core.model import POD, Json, Ref
from podgrouper.planning import CONFIG_MAP
from tests.builders import Object, pod
from tests.roads.costs import profile_called
from tests.roads.worlds import SCHEDULERS, World

PARTS = ("containers", "initContainers", "overhead", "resources", "priorityClassName", "nodeName")


@dataclass(frozen=True)
class Effects:
    """Groups by namespace and name; links, skips and what is deleted in words."""

    groups: Mapping[tuple[str, str], Json]
    links: frozenset[tuple[str, str]]
    skips: frozenset[tuple[str, str, str]]
    deleted: frozenset[str]

    def outside(self, namespace: str) -> "Effects":
        kept = {place: group for place, group in self.groups.items() if place[0] != namespace}
        return Effects(kept, self.links, self.skips, self.deleted)


def effects(objects: Iterable[Json], config: Config, stranger: str) -> Effects:
    """On everybody but the pod of that uid and the group that it owns."""
    made = planning.plan(objects, config)
    groups = {
        (ref_of(group).namespace, ref_of(group).name): _without_uid(group)
        for group in made.pod_groups
        if stranger not in str(mapping(group, "metadata").get("ownerReferences"))
    }
    links = ((link.pod.uid, link.group) for link in made.links)
    skips = ((one.pod.uid, one.skip.reason, one.skip.message) for one in made.skipped)
    return Effects(
        groups,
        frozenset(link for link in links if link[0] != stranger),
        frozenset(skip for skip in skips if skip[0] != stranger),
        frozenset(map(str, made.deleted)),
    )


def _without_uid(group: Json) -> Json:
    """Groups are numbered in the order in which they are made."""
    metadata = {key: value for key, value in mapping(group, "metadata").items() if key != "uid"}
    return {**group, "metadata": metadata}


@st.composite
def strangers(draw: st.DrawFn, world: World, namespace: str) -> Object:
    """A pod there that names objects, uids and groups of this world, and has anything in its other fields."""
    known = st.sampled_from([*_texts_of(world), "true", "2", ""]) | st.text(max_size=5)
    values = st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | known,
        lambda below: st.lists(below, max_size=3) | st.dictionaries(known, below, max_size=3),
        max_leaves=6,
    )
    reads = profile_called(world.profile).reads
    metadata = {
        "labels": draw(_some(reads.labels, known) | values),
        "annotations": draw(_some(reads.annotations, known) | values),
        "ownerReferences": draw(st.lists(_references(world, known, values), max_size=3) | values),
    }
    made = pod("stranger", namespace=namespace, scheduler=SCHEDULERS[world.profile])
    spec = {**mapping(made, "spec"), **draw(_some(PARTS, values))}
    return {**made, "metadata": {**mapping(made, "metadata"), **metadata}, "spec": spec}


def _some(keys: Iterable[str], values: st.SearchStrategy[object]) -> st.SearchStrategy[object]:
    return st.dictionaries(st.sampled_from(sorted(keys)), values, max_size=4)


def _references(
    world: World, known: st.SearchStrategy[object], values: st.SearchStrategy[object]
) -> st.SearchStrategy[object]:
    """True ones more often than not: a uid that fits is what opens a door."""
    refs = [ref_of(obj) for obj in world.objects if kind_of(obj) != CONFIG_MAP]
    kinds = st.sampled_from(sorted({ref.kind for ref in refs} | {POD}))
    made_up = st.builds(Ref, kinds, st.just(""), known, known)
    flags = st.fixed_dictionaries({}, optional={"controller": st.booleans(), "blockOwnerDeletion": values})
    true = st.sampled_from(refs) if refs else st.nothing()
    return st.builds(lambda ref, more: {**_reference(ref), **more}, true | made_up, flags)


def _reference(ref: Ref) -> Object:
    return {"apiVersion": ref.kind.api_version, "kind": ref.kind.kind, "name": ref.name, "uid": ref.uid}


def _texts_of(world: World) -> list[str]:
    """What somebody may have read off the world: names, uids, and the groups that there will be."""
    made = planning.plan(world.objects, world.config)
    refs = [ref_of(obj) for obj in (*world.objects, *made.pod_groups)]
    return sorted({text for ref in refs for text in (ref.name, ref.uid) if text})
