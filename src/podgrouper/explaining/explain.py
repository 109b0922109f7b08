"""From an object to everything that decided about its groups, and what keeps them from running.

Pure: it looks at a world, which was read from files or from a cluster. The road is walked as the controller
walks it, so the answer is what the program does and not what somebody wrote about it.
"""

from collections.abc import Iterable, Iterator, Mapping

from podgrouper.config.model import Config
from podgrouper.core.difference import difference
from podgrouper.core.fields import dig
from podgrouper.core.interfaces import Profile, Reads
from podgrouper.core.model import Ending, Json, Kind, Pod, Ref
from podgrouper.core.observed import shown_phase
from podgrouper.core.reasons import Reason
from podgrouper.core.status import ROOT, Gang, Tally
from podgrouper.explaining.causes import causes_of
from podgrouper.explaining.model import Cause, Count, Decided, Explanation, FieldShown, Step, Subject
from podgrouper.explaining.scene import Scene, pods_meant, scene_of
from podgrouper.explaining.words import words_of
from podgrouper.memory.world import World
from podgrouper.planning import texts_of
from podgrouper.wiring import wire

NOTHING_HIDDEN: Mapping[Kind, Ending] = {}
ENDINGS: Mapping[Ending, str] = {
    Ending.TOP: "",
    Ending.FORBIDDEN: "may not be read",
    Ending.UNKNOWN_KIND: "its kind is not served",
    Ending.MISSING: "does not exist",
    Ending.OTHER_UID: "exists with another uid",
    Ending.ELSEWHERE: "is in another namespace or version",
    Ending.CYCLE: "is on this chain already",
    Ending.MALFORMED: "the reference lacks apiVersion, kind, name or uid",
    Ending.TOO_DEEP: "is too far up",
    Ending.UNSEEN: "has not been looked for",
}


def explain(
    about: Ref,
    objects: Iterable[Json],
    config: Config | None = None,
    *,
    unreadable: Mapping[Kind, Ending] = NOTHING_HIDDEN,
) -> Explanation:
    """Explains a pod, a PodGroup, or whatever is above pods."""
    config = config or Config()
    world = World(objects, unreadable)
    profiles = wire(config, texts_of(config, world)).profiles
    world.see(profiles, Reads(scheduling=True))
    subjects = tuple(_subjects(pods_meant(about, world, profiles), world, profiles))
    return Explanation(about, subjects or (_nobody(about, world),))


def _subjects(pods: tuple[Pod, ...], world: World, profiles: tuple[Profile, ...]) -> Iterator[Subject]:
    """One for each group; pods without a group are told of together when the reason is the same."""
    told: set[str] = set()
    skipped: dict[tuple[Reason, tuple[str, ...]], list[Scene]] = {}
    for pod in pods:
        if pod.uid in told:
            continue
        scene = scene_of(pod, world, profiles)
        if scene.name:
            told |= {member.uid for member in scene.members}
            yield _subject(scene, [one for one in scene.members if one in pods] or [pod])
        else:
            reason = scene.skip.reason if scene.skip else Reason.OTHER_SCHEDULER
            owners = tuple(owner.uid for owner in pod.owners)
            skipped.setdefault((reason, owners), []).append(scene)
    for scenes in skipped.values():
        yield _subject(scenes[0], [scene.pod for scene in scenes])


def _nobody(about: Ref, world: World) -> Subject:
    """No pod is known that has to do with it."""
    exists = world.whole(about.kind, about.namespace, about.name) is not None
    sentence = f"{about} has no pods" if exists else f"{about} does not exist, or may not be read"
    return Subject((), (), Decided(), causes=(Cause(Reason.NO_PODS, sentence),))


def _subject(scene: Scene, pods: Iterable[Pod]) -> Subject:
    gang = scene.gang
    profile = scene.profile
    phase = shown_phase(profile.dialect.lifecycle.read(scene.live or {}), gang) if profile and gang else None
    return Subject(
        pods=tuple(pod.ref for pod in pods),
        chain=_chain(scene),
        decided=_decided(scene),
        group=scene.group_ref,
        exists=scene.live is not None,
        phase=phase,
        fields=tuple(_fields(scene)),
        counts=tuple(_counts(gang)) if gang else (),
        words=words_of(scene),
        causes=causes_of(scene),
    )


def _chain(scene: Scene) -> tuple[Step, ...]:
    """From the top down to the pod, as a tree is drawn."""
    chain = scene.chain
    steps = [Step(str(owner.ref)) for owner in reversed(chain.owners)]
    at = chain.broken_at
    if at:
        name = f"{at.kind.kind} {at.name}" if at.complete else "an owner"
        steps.insert(0, Step(name, ENDINGS[chain.ending]))
    return (*steps, Step(str(scene.pod.ref)))


def _decided(scene: Scene) -> Decided:
    if scene.profile is None:
        return Decided()
    profile = scene.profile
    return Decided(profile.name, profile.policy.name, profile.dialect.name, _rule(scene))


def _rule(scene: Scene) -> str:
    """What the pods are grouped by: the policy's own words, else the owner of their group."""
    group = scene.group
    if group is None:
        return ""
    owner = next((f"{owner.kind.kind} {group.namespace}/{owner.name}" for owner in group.owners), "")
    return group.origins.get("group", owner)


def _counts(gang: Gang) -> Iterator[Count]:
    floors = gang.floors
    if floors.total_counts or not floors.parts:
        yield _count(gang, ROOT, floors.floor)
    for part in floors.parts:
        yield _count(gang, part.name, part.floor or 0)


def _count(gang: Gang, name: str, want: int) -> Count:
    tally = gang.tallies.get(name, Tally())
    done = tally.succeeded if gang.floors.succeeded_count else 0
    return Count(name, want, tally.live + done, tally.running)


SHOWN: tuple[tuple[str, str, str], ...] = (
    ("floor", "spec.minMember", "minMember"),
    ("floor_of_parts", "spec.minSubGroup", "minSubGroup"),
    ("queue", "spec.queue", "queue"),
    ("priority_class", "spec.priorityClassName", "priorityClassName"),
    ("resources", "spec.minResources", "minResources"),
    ("topology", "spec.networkTopology", "networkTopology"),
    ("topology", "spec.topologyConstraint", "topologyConstraint"),
    ("preemptibility", "spec.preemptibility", "preemptibility"),
    ("preemption_delay", "spec.preemptionDelay", "preemptionDelay"),
    ("staleness_grace", "spec.stalenessGracePeriod", "stalenessGracePeriod"),
    ("parts", "spec.minTaskMember", "minTaskMember"),
    ("parts", "spec.subGroups", "subGroups"),
)
"""Field of a group, where the PodGroup has it, and its name there."""


def _fields(scene: Scene) -> Iterator[FieldShown]:
    """What the PodGroup says and where it comes from; and what we would say where that is something else."""
    shown = scene.shown
    planned = scene.rendered.object if scene.rendered else {}
    differs = _differing(scene)
    for field, path, name in SHOWN:
        value, would = dig(shown, path), dig(planned, path)
        if value is not None or would is not None:
            origin = _foreign(would) if dig(differs, path) is not None else _origin(field, scene)
            yield FieldShown(name, _text(value), origin)


def _differing(scene: Scene) -> Json:
    """Where the PodGroup says something else than we would, by meaning."""
    if scene.profile is None or scene.rendered is None or scene.live is None:
        return {}
    return difference(scene.rendered.object, scene.live, scene.profile.dialect.fields, frozenset())


def _origin(field: str, scene: Scene) -> str:
    """Where the policy has it from; where it does not say, the kind of what makes the pods decides."""
    group = scene.group
    if group is None or scene.profile is None:
        return ""
    kinds = [owner.kind.kind for owner in group.owners]
    return group.origins.get(field, f"policy {scene.profile.policy.name} for {' and '.join(kinds)}")


def _foreign(would: object) -> str:
    return f"as it stands there; by our rules {_text(would)}"


def _text(value: object) -> str:
    if value is None:
        return "nothing"
    if isinstance(value, Mapping):
        return ", ".join(f"{key}={_text(item)}" for key, item in value.items())
    if isinstance(value, list | tuple):
        return "; ".join(map(_text, value))
    return str(value)
