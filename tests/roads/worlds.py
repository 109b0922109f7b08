"""Small worlds of both profiles, as recipes: a failing one is told in a line for each of its workloads.

A world is a few workloads, each of a family (what owns what) and with a twist (what is odd about it).
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

from hypothesis import strategies as st

from podgrouper.config.model import BUILT_IN, LEVEL_RULES, Config, ConfigMapKey
from podgrouper.core.fields import mapping, ref_of
from podgrouper.core.model import Ref
from tests.builders import Object, owner
from tests.golden.running import GROUP_KINDS, LINKS
from tests.roads.families import FAMILIES, Place

NAMESPACES = ("blue", "green")
SCHEDULERS = {"volcano": "volcano", "kai": "kai-scheduler"}
THEIRS = "theirs"
"""A PodGroup that somebody else made."""
DEFAULTS = ConfigMapKey("kai", "defaults", "types")
GANG_SIZE = {"volcano": "scheduling.volcano.sh/group-min-member", "kai": "kai.scheduler/batch-min-member"}


@dataclass(frozen=True)
class Piece:
    """One workload: a recipe."""

    family: str
    twist: str
    namespace: str
    members: int
    passing: int = 0
    """So many pods besides come and go."""


Step: TypeAlias = Object | Ref
"""An object comes, or goes."""


@dataclass(frozen=True)
class World:
    """What hypothesis shows of a world; the objects follow from it."""

    profile: str
    text: str
    pieces: tuple[Piece, ...]

    @property
    def config(self) -> Config:
        volcano, kai = BUILT_IN
        if self.profile == "volcano":
            return Config(profiles=(volcano,))
        live = replace(kai.kai, type_defaults_configmap=DEFAULTS)
        return Config(profiles=(replace(kai, kai=live),))

    @property
    def ground(self) -> tuple[Object, ...]:
        """The ConfigMap with rules or defaults. It comes first: what rules did not see stays as it was."""
        where, texts = TEXTS[self.profile]
        text = texts[self.text]
        if not text:
            return ()
        made = owner("v1 ConfigMap", where.name, namespace=where.namespace, data={where.key: text})
        return (made,)

    @property
    def stories(self) -> tuple[tuple[Step, ...], ...]:
        """What happens to each workload, owners first."""
        return tuple(self._story(number, piece) for number, piece in enumerate(self.pieces))

    @property
    def objects(self) -> tuple[Object, ...]:
        """All that is there in the end, in an order in which it can come to be."""
        steps = [step for story in self.stories for step in story]
        gone = {step for step in steps if isinstance(step, Ref)}
        stay = [step for step in steps if not isinstance(step, Ref) and ref_of(step) not in gone]
        return (*self.ground, *stay)

    def _story(self, number: int, piece: Piece) -> tuple[Step, ...]:
        place = Place(f"w{number}", piece.namespace, SCHEDULERS[self.profile], piece.members)
        plain = FAMILIES[self.profile][piece.family](place)
        return (*TWISTS[piece.twist](plain, self.profile), *_come_and_gone(plain, piece.passing))


def _come_and_gone(objects: list[Object], count: int) -> Iterator[Step]:
    """Pods like the last one, which are deleted again."""
    if not objects or objects[-1]["kind"] != "Pod":
        return
    last = mapping(objects[-1], "metadata")
    passing = [
        _changed(objects[-1], name=f"{last['name']}-{number}", uid=f"{last['uid']}-{number}")
        for number in range(count)
    ]
    yield from passing
    yield from map(ref_of, passing)


def _changed(obj: Object, **metadata: object) -> Object:
    return {**obj, "metadata": {**mapping(obj, "metadata"), **metadata}}


def _first_pod(objects: list[Object], change: Callable[[Object], Object]) -> list[Object]:
    first = next((obj for obj in objects if obj["kind"] == "Pod"), None)
    return [change(obj) if obj is first else obj for obj in objects]


def _top(objects: list[Object], **metadata: object) -> list[Object]:
    return [_changed(obj, **metadata) if at == 0 else obj for at, obj in enumerate(objects)]


def _all_run(objects: list[Object], _profile: str) -> list[Object]:
    runs = {"status": {"phase": "Running"}}
    return [obj | runs if obj["kind"] == "Pod" else obj for obj in objects]


def theirs(kind: str, namespace: str) -> Object:
    uid = f"uid-{THEIRS}-{namespace}-{kind.partition('.')[0]}"
    return owner(kind, THEIRS, namespace=namespace, uid=uid, spec={"minMember": 7, "queue": "q"})


def _linked_elsewhere(objects: list[Object], profile: str) -> list[Object]:
    where = mapping(objects[0], "metadata")["namespace"] if objects else NAMESPACES[0]
    link = {LINKS[profile]: THEIRS}
    return [
        theirs(str(GROUP_KINDS[profile]), str(where)),
        *_first_pod(objects, lambda obj: _changed(obj, annotations=link)),
    ]


def _linked_to_nothing(objects: list[Object], profile: str) -> list[Object]:
    return _first_pod(objects, lambda obj: _changed(obj, annotations={LINKS[profile]: "nowhere"}))


def _of_another_scheduler(objects: list[Object], _profile: str) -> list[Object]:
    return _first_pod(
        objects, lambda obj: obj | {"spec": {**mapping(obj, "spec"), "schedulerName": "default-scheduler"}}
    )


def _golden_priority(objects: list[Object], _profile: str) -> list[Object]:
    gold = owner("scheduling.k8s.io/v1 PriorityClass", "gold", namespace="") | {"value": 100}
    return [*_top(objects, labels={"priorityClassName": "gold"}), gold]


def _without_top(objects: list[Object], _profile: str) -> list[Object]:
    """The owner at the top is gone; pods that were their own top stay."""
    return [obj for at, obj in enumerate(objects) if at or obj["kind"] == "Pod"]


Twist = Callable[[list[Object], str], list[Object]]
TWISTS: Mapping[str, Twist] = {
    "nothing odd": lambda objects, _: objects,
    "all run": _all_run,
    "one has succeeded": lambda objects, _: _first_pod(
        objects, lambda obj: obj | {"status": {"phase": "Succeeded"}}
    ),
    "one is being deleted": lambda objects, _: _first_pod(
        objects, lambda obj: _changed(obj, deletionTimestamp="2026-01-02T00:00:00Z", finalizers=["a/b"])
    ),
    "one is linked elsewhere": _linked_elsewhere,
    "one is linked to nothing": _linked_to_nothing,
    "one is of another scheduler": _of_another_scheduler,
    "opted out": lambda objects, _: _top(objects, annotations={"podgrouper.io/skip": "true"}),
    "a gang of two": lambda objects, profile: _top(objects, annotations={GANG_SIZE[profile]: "2"}),
    "a gang of rubbish": lambda objects, profile: _top(objects, annotations={GANG_SIZE[profile]: "two"}),
    "golden": _golden_priority,
    "the top is gone": _without_top,
}

_LEVELS = "podgroup-level-rules: [{apiversion: %s, kind: %s, adjust-level: %s}]"
TEXTS: Mapping[str, tuple[ConfigMapKey, Mapping[str, str]]] = {
    "volcano": (
        LEVEL_RULES,
        {
            "nothing": "",
            "Deployments": _LEVELS % ("apps/v1", "deployment", 0),
            "below Workflows": _LEVELS % ("argoproj.io/v1alpha1", "workflow", -1),
            "rubbish": "podgroup-level-rules: [{kind: 3}]",
        },
    ),
    "kai": (
        DEFAULTS,
        {
            "nothing": "",
            "preemptible Jobs": '[{"typeName": "Job", "group": "batch", "preemptibility": "preemptible"}]',
            "rubbish": '[{"typeName": 3}]',
        },
    ),
}


_UNSETTLED = {("a Knative service", "one is linked elsewhere")}
"""Not for worlds that must not depend on order: what KAI makes of it does, and our vectors say so too."""


def worlds(profile: str) -> st.SearchStrategy[World]:
    """One to four workloads of this profile."""
    pieces = st.builds(
        Piece,
        family=st.sampled_from(sorted(FAMILIES[profile])),
        twist=st.sampled_from(sorted(TWISTS)),
        namespace=st.sampled_from(NAMESPACES),
        members=st.integers(0, 4),
        passing=st.integers(0, 2),
    ).filter(lambda piece: (piece.family, piece.twist) not in _UNSETTLED)
    texts = st.sampled_from(sorted(TEXTS[profile][1]))
    return st.builds(World, st.just(profile), texts, st.lists(pieces, min_size=1, max_size=4).map(tuple))
