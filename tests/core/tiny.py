"""The smallest policy and dialect there can be, and a sight whose answers a test chooses."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from podgrouper.core.fields import annotations, ref_of
from podgrouper.core.groups import Group, Grouping, LinkPatch, Placement, Rendered
from podgrouper.core.interfaces import FieldRule, Ownership, Profile, Reads, Scope
from podgrouper.core.model import Chain, Ending, Json, Kind, Link, Pod, Ref, Skip, Want, Workload
from podgrouper.core.pods import PodRows
from podgrouper.core.trimming import trimmed

GROUP = Kind("tiny.dev/v1", "PodGroup")
LINK = "tiny.dev/group"
SKIP = "tiny.dev/skip"

FIELDS = (
    FieldRule(("metadata", "ownerReferences"), Ownership.CREATION),
    FieldRule(("metadata", "labels", "queue"), Ownership.CREATION),
    FieldRule(("metadata", "labels", "*"), Ownership.NAMED),
    FieldRule(("metadata", "annotations", "least"), Ownership.NAMED, excludes="most"),
    FieldRule(("metadata", "annotations", "most"), Ownership.NAMED, excludes="least"),
    FieldRule(("spec", "floor"), Ownership.OURS, absent_as=0),
    FieldRule(("spec", "resources"), Ownership.OURS, quantities=True),
    FieldRule(("spec", "queue"), Ownership.LASTING, absent_as="default"),
    FieldRule(("spec", "topology"), Ownership.NAMED),
    FieldRule(("spec", "backoff"), Ownership.NEVER),
)


class TinyDialect:
    name = "tiny"
    kind = GROUP
    reads = Reads(annotations=frozenset({LINK}))
    fields = FIELDS
    predecessors = frozenset({"elder"})

    def render(self, group: Group) -> Rendered:
        if group.queue == "breaks the dialect":
            raise RuntimeError("no words for it")
        metadata = {"namespace": group.namespace, "name": group.name, "labels": dict(group.labels)}
        manifest = {
            "apiVersion": GROUP.api_version,
            "kind": GROUP.kind,
            "metadata": metadata,
            "spec": {"floor": group.floor},
        }
        return Rendered(group, manifest, ("its topology",) if group.topology else ())

    def link(self, group: Group, placement: Placement) -> LinkPatch:
        return LinkPatch({LINK: group.name})

    def link_of(self, pod: Pod) -> Link | None:
        found = pod.annotations.get(LINK)
        return None if found is None else Link(found)

    def queue_of(self, group: Group) -> None:
        return None

    def problems(self, group: Group) -> tuple[str, ...]:
        return ("its floor is below 0",) if (group.floor or 0) < 0 else ()


def one_group(workload: Workload) -> Grouping:
    """All living pods in one group, called as the boundary."""
    return Grouping((group_of(workload),)) if workload.live else Grouping()


def group_of(workload: Workload, **fields: object) -> Group:
    placements = tuple(Placement(member.pod) for member in workload.live)
    described = {"floor": len(placements), **fields}
    name = str(described.pop("name", f"pg-{workload.boundary.name}"))
    namespace = workload.members[0].pod.namespace
    return Group(namespace, name, (), placements, **described)  # type: ignore[arg-type]  # checked by the class


def nearest(pod: Pod, chain: Chain) -> Ref | Skip:
    return chain.owners[0].ref if chain.owners else pod.ref


def nothing(workload: Workload) -> Sequence[Want]:
    return ()


@dataclass(frozen=True)
class TinyPolicy:
    """Does what it is told."""

    grouped: Callable[[Workload], Grouping] = one_group
    placed: Callable[[Pod, Chain], Ref | Skip] = nearest
    wanted: Callable[[Workload], Sequence[Want]] = nothing
    reads: Reads = field(default_factory=Reads)
    name: str = "tiny"

    def boundary(self, pod: Pod, chain: Chain) -> Ref | Skip:
        return self.placed(pod, chain)

    def boundary_of_group(self, group: Json) -> Ref | None:
        if "breaks the policy" in annotations(group):
            raise RuntimeError("what a group")
        return None

    def wants(self, workload: Workload) -> Sequence[Want]:
        return self.wanted(workload)

    def group(self, workload: Workload) -> Grouping:
        return self.grouped(workload)


def profile(policy: TinyPolicy | None = None, scope: Scope | None = None) -> Profile:
    return Profile(
        "tiny",
        frozenset({"volcano"}),
        policy or TinyPolicy(),
        TinyDialect(),
        frozenset({SKIP}),
        scope or Scope(),
    )


def rows(objects: Iterable[Json], of: Profile | None = None) -> tuple[Pod, ...]:
    builder = PodRows((of or profile()).reads)
    return tuple(map(builder.row, objects))


@dataclass
class Glimpse:
    """A sight that knows these objects; of others it says what it is told to say."""

    objects: Sequence[Json] = ()
    otherwise: Ending = Ending.MISSING
    paths: frozenset[str] = frozenset({""})
    asked: list[str] = field(default_factory=list)
    labelled: tuple[Pod, ...] = ()
    classes: frozenset[str] = frozenset()

    def object(self, kind: Kind, namespace: str, name: str, uid: str = "", /) -> Json | Ending:
        self.asked.append(name)
        for found in self.objects:
            ref = ref_of(found)
            if (ref.kind, ref.name) == (kind, name) and ref.namespace in ("", namespace):
                return trimmed(found, self.paths) if uid in ("", ref.uid) else Ending.OTHER_UID
        return self.otherwise

    def group(self, kind: Kind, namespace: str, name: str, /) -> Json | None:
        found = self.object(kind, namespace, name)
        return None if isinstance(found, Ending) else found

    def groups(self, kind: Kind, namespace: str, prefix: str, /) -> Mapping[str, Json]:
        return {}

    def labelled_pods(self, namespace: str, labels: tuple[tuple[str, str], ...], /) -> tuple[Pod, ...]:
        return self.labelled

    def priority_classes(self) -> frozenset[str] | None:
        return self.classes
