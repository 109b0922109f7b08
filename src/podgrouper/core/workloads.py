"""Stage 3 of the road, its pure part: from a pod to its boundary, from a boundary to its workload.

Both functions look at the cluster through a `Sight`, which never waits. Where it has not looked yet,
they answer with the question (`Unseen`); whoever can wait reads the answer and asks again.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Protocol

from podgrouper.core.faults import ExtensionFailed, Fault
from podgrouper.core.fields import annotations, labels
from podgrouper.core.interfaces import Profile, Scope
from podgrouper.core.model import (
    NAMESPACE,
    POD,
    Answer,
    Chain,
    Ending,
    GroupsWanted,
    GroupWanted,
    Json,
    Kind,
    LinkedWanted,
    Member,
    ObjectWanted,
    OwnerRef,
    Pod,
    PodsWanted,
    Ref,
    Skip,
    Want,
    Workload,
)
from podgrouper.core.owners import chain_of
from podgrouper.core.pods import TOO_LARGE
from podgrouper.core.reasons import Reason
from podgrouper.core.selectors import selects

ROUNDS_OF_WANTS = 3
"""A policy may ask on what it was told (a RayJob names its RayCluster in its status), but not for ever."""


class Sight(Protocol):
    """What is known of the cluster at this moment."""

    def object(self, kind: Kind, namespace: str, name: str, uid: str = "", /) -> Json | Ending:
        """The object, or why it cannot be had; `Ending.UNSEEN` when nobody has looked yet.

        With a uid only that life of it (`owners.Lookup`); without one, whatever has that name.
        """

    def group(self, kind: Kind, namespace: str, name: str, /) -> Json | None: ...

    def groups(self, kind: Kind, namespace: str, prefix: str, /) -> Mapping[str, Json]:
        """Those whose names begin so; name -> group."""

    def labelled_pods(self, namespace: str, labels: tuple[tuple[str, str], ...], /) -> tuple[Pod, ...]: ...

    def priority_classes(self) -> frozenset[str] | None:
        """Their names; None where they may not be read."""


@dataclass(frozen=True, slots=True)
class Unseen:
    """What has to be read before there is an answer."""

    objects: tuple[ObjectWanted, ...]


def boundary_of(pod: Pod, chain: Chain, profile: Profile, sight: Sight) -> Ref | Skip | Unseen:
    """Where the pod belongs together with others, or why it does not. `chain` is this pod's."""
    opted_out = _opt_out(pod.ref, pod.annotations, profile)
    if opted_out:
        return opted_out
    outside = _outside(pod, profile.scope, sight)
    if outside:
        return outside
    if profile.reads.resources and pod.resources == TOO_LARGE:
        return Skip(Reason.BAD_VALUE, f"{pod.ref} has more containers than are counted: use fewer")
    if chain.ending is Ending.UNSEEN and chain.broken_at:
        return Unseen((_wanted(chain.broken_at, pod.namespace),))
    for owner in chain.owners:
        opted_out = _opt_out(owner.ref, annotations(owner.object), profile)
        if opted_out:
            return opted_out
    if chain.ending is Ending.MALFORMED:
        at = chain.owners[-1].ref if chain.owners else pod.ref
        return Skip(Reason.OWNER_MALFORMED, f"{at}: an owner reference lacks apiVersion, kind, name or uid")
    try:
        found = profile.policy.boundary(pod, chain)
    except Exception as error:
        return Skip(Reason.GROUPER_FAILED, fault_of(profile, error).message)
    return _about_to_be_collected(pod, found, profile)


def _about_to_be_collected(pod: Pod, found: Ref | Skip, profile: Profile) -> Ref | Skip:
    """A pod in a group whose owner is gone is no trouble: workloads end that way, and their pods follow."""
    link = profile.dialect.link_of(pod)
    if isinstance(found, Skip) and found.reason is Reason.OWNER_GONE and link and link.group:
        return Skip(
            Reason.OWNER_LEAVING, f"{found.message}; until the pod is collected it stays in its group"
        )
    return found


def boundary_of_group(group: Json, profile: Profile) -> Ref | None:
    """The boundary that looks after this PodGroup even without pods; None when there is none."""
    try:
        return profile.policy.boundary_of_group(group)
    except Exception:
        return None


def fault_of(profile: Profile, error: Exception) -> Fault:
    """What an extension raised. One that knows better who it was says so itself."""
    if isinstance(error, ExtensionFailed):
        return error.fault
    who = f"profile {profile.name}"
    return Fault(who, f"{who}: {type(error).__name__}: {error}")


def _outside(pod: Pod, scope: Scope, sight: Sight) -> Skip | Unseen | None:
    """Why the pod is none of this profile's business; None when it is."""
    if scope.namespaces and pod.namespace not in scope.namespaces:
        return Skip(Reason.NAMESPACE_OUT_OF_SCOPE, f"namespace {pod.namespace!r} is not a configured one")
    if not selects(scope.pod_labels, pod.labels):
        return Skip(
            Reason.NAMESPACE_OUT_OF_SCOPE, f"the labels of {pod.ref} are not those that are asked for"
        )
    if not scope.namespace_labels:
        return None
    namespace = sight.object(NAMESPACE, "", pod.namespace)
    if namespace is Ending.UNSEEN:
        return Unseen((ObjectWanted(NAMESPACE, "", pod.namespace),))
    have = {} if isinstance(namespace, Ending) else labels(namespace)
    if not selects(scope.namespace_labels, have):
        return Skip(
            Reason.NAMESPACE_OUT_OF_SCOPE,
            f"the labels of namespace {pod.namespace!r} are not those that are asked for",
        )
    return None


def workload_of(boundary: Ref, pods: Iterable[Pod], profile: Profile, sight: Sight) -> Workload | Unseen:
    """All that the policy needs to decide about one boundary."""
    root = _root(boundary, profile, sight)
    if root is Ending.UNSEEN:
        return Unseen((ObjectWanted(boundary.kind, boundary.namespace, boundary.name, boundary.uid),))
    members = _members(pods, profile, sight)
    if isinstance(members, Unseen):
        return members
    workload = Workload(
        boundary=boundary,
        root={} if isinstance(root, Ending) else root,
        members=members,
        priority_classes=sight.priority_classes() if profile.reads.priority_classes else frozenset(),
    )
    return _with_answers(workload, profile, sight)


def _with_answers(workload: Workload, profile: Profile, sight: Sight) -> Workload | Unseen:
    """With an answer to everything that the policy wants."""
    for _ in range(ROUNDS_OF_WANTS):
        try:
            asked = dict.fromkeys(profile.policy.wants(workload))
        except Exception as error:
            return replace(workload, fault=fault_of(profile, error))
        wanted = [want for want in asked if want not in workload.answers]
        if not wanted:
            break
        answers = {want: _answer(want, profile, sight) for want in wanted}
        unseen = [want for want, answer in answers.items() if answer is Ending.UNSEEN]
        if unseen:
            return Unseen(tuple(_to_read(want, profile) for want in unseen))
        workload = replace(workload, answers={**workload.answers, **answers})
    return workload


def _root(boundary: Ref, profile: Profile, sight: Sight) -> Json | Ending:
    if boundary.kind == POD and POD not in profile.reads.paths:
        return {}
    return sight.object(boundary.kind, boundary.namespace, boundary.name, boundary.uid)


def _members(pods: Iterable[Pod], profile: Profile, sight: Sight) -> tuple[Member, ...] | Unseen:
    """By age. Pods with the same owners share one chain: it is followed once for a thousand of them."""
    chains: dict[tuple[OwnerRef, ...], Chain] = {}
    members: list[Member] = []
    for pod in sorted(pods, key=_by_age):
        chain = chains.get(pod.owners) or chains.setdefault(pod.owners, chain_of(pod, sight.object))
        if chain.ending is Ending.UNSEEN and chain.broken_at:
            return Unseen((_wanted(chain.broken_at, pod.namespace),))
        members.append(Member(pod, chain, profile.dialect.link_of(pod)))
    return tuple(members)


def _wanted(reference: OwnerRef, namespace: str) -> ObjectWanted:
    return ObjectWanted(reference.kind, namespace, reference.name, reference.uid)


def _by_age(pod: Pod) -> tuple[str, str]:
    """RFC 3339 in UTC sorts as text."""
    return (pod.created, pod.name)


def _answer(want: Want, profile: Profile, sight: Sight) -> Answer:
    match want:
        case ObjectWanted(kind, namespace, name, uid):
            return sight.object(kind, namespace, name, uid)
        case PodsWanted(namespace, labels):
            return sight.labelled_pods(namespace, labels)
        case GroupWanted():
            return _group(want, profile.dialect.kind, sight)
        case GroupsWanted(namespace, prefix):
            return sight.groups(profile.dialect.kind, namespace, prefix)
        case LinkedWanted(namespace, group):
            return tuple(pod for pod in sight.labelled_pods(namespace, ()) if _names(pod, group, profile))


def _group(want: GroupWanted, kind: Kind, sight: Sight) -> Json | Ending | None:
    found = sight.group(kind, want.namespace, want.name)
    if found is not None or not want.sure:
        return found
    return Ending.UNSEEN if sight.object(kind, want.namespace, want.name) is Ending.UNSEEN else None


def _to_read(want: Want, profile: Profile) -> ObjectWanted:
    """The object behind a want that only a look at the cluster answers."""
    if isinstance(want, ObjectWanted):
        return want
    assert isinstance(want, GroupWanted), f"{want} is answered from memory"
    return ObjectWanted(profile.dialect.kind, want.namespace, want.name)


def _names(pod: Pod, group: str, profile: Profile) -> bool:
    link = profile.dialect.link_of(pod)
    return link is not None and link.group == group


def _opt_out(about: Ref, found: Mapping[str, str], profile: Profile) -> Skip | None:
    """Exactly `true`: a person who writes `yes` or `1` is told by the group that appears."""
    key = next((key for key in sorted(profile.skip_annotations) if found.get(key) == "true"), "")
    if not key:
        return None
    return Skip(
        Reason.OPTED_OUT, f"{about} carries the opt-out annotation {key}: remove it to have its pods grouped"
    )
