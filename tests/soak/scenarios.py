"""A whole simulated course of events, made up from one number."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from random import Random

from podgrouper.config.model import Config, KaiSettings, VolcanoSettings
from podgrouper.core.fields import ref_of
from podgrouper.core.model import POD
from tests.builders import Object
from tests.roads.families import FAMILIES, Place
from tests.roads.worlds import NAMESPACES, SCHEDULERS, TEXTS, TWISTS, World
from tests.soak.deeds import COMING, TAKING_BACK, TO_OWNERS, TO_PODS, Deed, word

PROFILES = (("volcano",), ("kai",), ("volcano", "kai"))
GAPS = (0.0, 0.0, 0.0, 0.1, 1.0, 5.0, 40.0, 200.0)
"""Seconds between one happening and the next: at once, while watches lag, when all is quiet."""
GROWS, LATE_GAPS = ("is resized", "asks for"), (0.0, 1.0, 200.0, 200.0)
"""What asks for more often comes when all have run for some time."""
MOST_WORKLOADS, MOST_MEMBERS, MOST_DEEDS = 3, 4, 6
LINKED = 0.15
"""How many pods may be linked by somebody else when they come."""
GROWING = 0.3
"""How many workloads ask for more or fewer members once they run."""
SIZED = ("a PyTorchJob", "an MPIJob", "a JobSet", "a StatefulSet")
"""Their owners say how many members there are, and floors follow."""


@dataclass(frozen=True)
class Workload:
    """What it is made of; its objects follow from it."""

    name: str
    profile: str
    family: str
    twist: str
    namespace: str
    members: int

    @property
    def objects(self) -> list[Object]:
        place = Place(self.name, self.namespace, SCHEDULERS[self.profile], self.members)
        return TWISTS[self.twist](FAMILIES[self.profile][self.family](place), self.profile)

    def __str__(self) -> str:
        return f"{self.name}: {self.family} of {self.members} in {self.namespace}, {self.twist}"


@dataclass(frozen=True)
class Happening:
    """A deed, so many seconds after the one before it."""

    after: float
    deed: Deed

    def __str__(self) -> str:
        return f"{self.after:6.1f} s  {self.deed}"


@dataclass(frozen=True)
class Scenario:
    """Everything that a run depends on. Equal scenarios run alike."""

    seed: int
    """Of the luck of the network; the rest stands below."""
    texts: tuple[tuple[str, str], ...]
    """By profile: the rules or defaults in its ConfigMap."""
    workloads: tuple[Workload, ...]
    story: tuple[Happening, ...]
    crashes: tuple[int, ...] = ()
    """After so many writes each life of the controller ends; the last one does not."""
    twin: bool = False
    """A second replica that writes as well: for some time both believe that it is their turn."""
    elder: bool = False
    """The same, of a version that decides otherwise."""
    calm: bool = False
    """The network does nothing odd."""

    @property
    def config(self) -> Config:
        profiles = (World(profile, text, ()).config.profiles for profile, text in self.texts)
        return Config(profiles=tuple(one for found in profiles for one in found))

    @property
    def elders_config(self) -> Config:
        volcano = VolcanoSettings(inherit_owner_annotations=False, workload_support=False)
        kai = KaiSettings(search_legacy_groups=False, knative_gang_schedule=False)
        profiles = self.config.profiles
        return Config(profiles=tuple(replace(profile, volcano=volcano, kai=kai) for profile in profiles))

    @property
    def ground(self) -> tuple[Object, ...]:
        """The ConfigMaps. They come first: what rules did not see stays as it was."""
        return tuple(obj for profile, text in self.texts for obj in World(profile, text, ()).ground)

    @property
    def contested(self) -> bool:
        """Somebody takes back what controllers write."""
        return self.elder or any(happening.deed.what in TAKING_BACK for happening in self.story)

    @property
    def size(self) -> int:
        return len(self.story) + len(self.crashes) + self.twin + self.elder + (not self.calm)

    def __str__(self) -> str:
        rules = [f"{profile}: rules say {text}" for profile, text in self.texts]
        crashes = [f"dies after {writes} writes" for writes in self.crashes]
        others = [name for name in ("twin", "elder", "calm") if getattr(self, name)]
        return "\n".join([*rules, *map(str, self.workloads), *map(str, self.story), *crashes, *others])


def scenario(seed: int) -> Scenario:
    """The course of events of this number. One in three numbers stands for a small world."""
    luck = Random(seed)
    profiles = luck.choice(PROFILES)
    most = 1 if seed % 3 == 0 else MOST_WORKLOADS
    workloads = tuple(_workload(luck, number, profiles) for number in range(luck.randint(1, most)))
    return Scenario(
        seed=seed,
        texts=tuple((profile, luck.choice(sorted(TEXTS[profile][1]))) for profile in profiles),
        workloads=workloads,
        story=tuple(_story(luck, workloads)),
        crashes=tuple(luck.randint(1, 12) for _ in range(luck.choice((0, 0, 1, 2)))),
        twin=luck.random() < 0.25,
        elder=luck.random() < 0.15,
        calm=luck.random() < 0.1,
    )


def _workload(luck: Random, number: int, profiles: tuple[str, ...]) -> Workload:
    name, profile, namespace = f"w{number}", luck.choice(profiles), luck.choice(NAMESPACES)
    if profile == "kai" and luck.random() < GROWING:
        return Workload(name, profile, luck.choice(SIZED), "nothing odd", namespace, luck.randint(1, 4))
    family, twist = luck.choice(sorted(FAMILIES[profile])), luck.choice(sorted(TWISTS))
    return Workload(name, profile, family, twist, namespace, luck.randint(0, MOST_MEMBERS))


def _story(luck: Random, workloads: tuple[Workload, ...]) -> Iterator[Happening]:
    """The lives of all workloads at once, each in its order."""
    waiting = [list(_life(luck, workload)) for workload in workloads]
    while any(waiting):
        life = luck.choice([one for one in waiting if one])
        deed = life.pop(0)
        yield Happening(luck.choice(LATE_GAPS if deed.what in GROWS else GAPS), deed)


def _life(luck: Random, workload: Workload) -> Iterator[Deed]:
    """Owners come before what they own; deeds are done while objects still come, and after."""
    objects = workload.objects
    there: list[Object] = []
    grows = workload.family in SIZED or luck.random() < GROWING
    deeds = luck.randint(0, 1 if grows else MOST_DEEDS)
    for obj in objects:
        coming = (
            luck.choice(sorted(COMING)) if ref_of(obj).kind == POD and luck.random() < LINKED else "comes"
        )
        yield Deed(coming, ref_of(obj), workload.profile, obj=obj)
        there.append(obj)
        if deeds and luck.random() < 0.2:
            deeds -= 1
            yield _deed(luck, luck.choice(there), workload)
    for _ in range(deeds if there else 0):
        yield _deed(luck, luck.choice(there), workload)
    owners = [obj for obj in objects if ref_of(obj).kind != POD]
    if owners and grows:
        yield Deed("sees its pods run", ref_of(owners[-1]), workload.profile)
        yield luck.choice((_resized, _asking))(luck, owners[0], workload)


def _resized(luck: Random, obj: Object, workload: Workload) -> Deed:
    about, members = ref_of(obj), luck.choice((1, MOST_MEMBERS + 1, MOST_MEMBERS + 2))
    sizes = replace(workload, members=members).objects
    other = next((one for one in sizes if ref_of(one) == about), obj)
    return Deed("is resized", about, workload.profile, str(members), other)


def _asking(luck: Random, obj: Object, workload: Workload) -> Deed:
    return Deed("asks for", ref_of(obj), workload.profile, word("asks for", luck))


def _deed(luck: Random, obj: Object, workload: Workload) -> Deed:
    about = ref_of(obj)
    table: Mapping[str, object] = TO_PODS if about.kind == POD else TO_OWNERS
    what = luck.choice(sorted(table))
    if what == "is resized":
        return _resized(luck, obj, workload)
    return Deed(what, about, workload.profile, word(what, luck), obj)
