"""What a question about one object needs to know: the object, its namespace's pods and what is above them."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from podgrouper.cli.complaints import Complaint, Failure
from podgrouper.cli.survey import Seen, owners_of, survey
from podgrouper.config.model import Config
from podgrouper.core.fields import kind_of, ref_of, uid
from podgrouper.core.model import POD, Json, Kind, Ref
from podgrouper.core.rules import Finding
from podgrouper.explaining.queues import QUEUES
from podgrouper.explaining.scene import EVENT
from podgrouper.kube.client import Client
from podgrouper.kube.errors import NotFound
from podgrouper.kube.requests import WatchSpec
from podgrouper.listing import lineage
from podgrouper.wiring import wire


@dataclass(frozen=True, slots=True)
class Asked:
    """What a person typed: `deployment/web`."""

    word: str
    name: str


def asked(typed: str) -> Asked:
    """Raises `Complaint` for what has another form."""
    word, slash, name = typed.partition("/")
    if not (word and slash and name) or "/" in name:
        raise Complaint(
            [Finding(typed, "this names no object: write KIND/NAME, such as pod/web-0 or podgroup/train")]
        )
    return Asked(word, name)


async def inquire(client: Client, config: Config, what: Asked, namespace: str) -> tuple[Ref, Seen]:
    """The object that is meant, and everything that bears on it. Raises `Failure` when there is none."""
    about = ref_of(await found(client, what, namespace, _group_kinds(config)))
    place = about.namespace or namespace
    narrowed = replace(config, namespaces=(place,))
    queues = (WatchSpec(queue) for queue, _ in QUEUES.values())
    besides = (WatchSpec(EVENT, place), *queues)
    return about, await survey(client, narrowed, every_pod=True, besides=besides)


async def found(
    client: Client, what: Asked, namespace: str, preferred: frozenset[Kind] = frozenset()
) -> Json:
    """The object. Of several kinds of one name the preferred are tried first. Raises `Failure`."""
    resources = await client.called(what.word)
    if not resources:
        raise Failure(
            f"the API server serves nothing that is called {what.word!r}: see kubectl api-resources"
        )
    for resource in sorted(resources, key=lambda one: one.kind not in preferred):
        try:
            return await client.get(resource.kind, namespace if resource.namespaced else "", what.name)
        except NotFound:
            continue
    raise Failure(f"there is no {what.word} {what.name!r} in namespace {namespace!r}: is it in another (-n)?")


async def below(client: Client, what: Asked, namespace: str) -> frozenset[str]:
    """The uids of an object and of everything between it and the pods of its namespace."""
    top = await found(client, what, namespace)
    objects = await owners_of(client, await client.list(WatchSpec(POD, namespace, metadata_only=True)))
    return lineage(uid(top), objects)


def _group_kinds(config: Config) -> frozenset[Kind]:
    """`podgroup` is a common word: those that podgrouper writes come first."""
    return frozenset(profile.dialect.kind for profile in wire(config, {}).profiles)


def among(objects: Iterable[Json], what: Asked, namespace: str) -> Ref:
    """The object of files that is meant; kinds are known there only by the objects that have them.

    Without a namespace it is looked for in all of them. Raises `Failure` when there is none, or several.
    """
    word, _, group = what.word.lower().partition(".")
    meant = [
        ref_of(obj)
        for obj in objects
        if ref_of(obj).name == what.name
        and word in _spellings(kind_of(obj))
        and group in ("", kind_of(obj).group)
    ]
    here = [ref for ref in meant if not namespace or ref.namespace in ("", namespace)]
    if not here:
        raise Failure(f"there is no {what.word} {what.name!r} {_in(namespace)} these files{_but(meant)}")
    if len({ref.namespace for ref in here}) > 1:
        raise Failure(f"these files have more than one {what.word} {what.name!r}{_but(here)}")
    return here[0]


def _in(namespace: str) -> str:
    return f"in namespace {namespace!r} in" if namespace else "in"


def _but(found: Iterable[Ref]) -> str:
    """Where there is one."""
    flags = sorted({f"-n {ref.namespace}" for ref in found if ref.namespace})
    return f": try {' or '.join(flags)}" if flags else ""


def _spellings(kind: Kind) -> frozenset[str]:
    """What people may call a kind: there is nobody to ask for its plural."""
    word = kind.kind.lower()
    plural = f"{word[:-1]}ies" if word.endswith("y") else f"{word}s"
    return frozenset({word, plural, f"{word}es", *SHORT.get(word, ())})


SHORT = {
    "pod": ("po",),
    "podgroup": ("pg",),
    "deployment": ("deploy",),
    "replicaset": ("rs",),
    "statefulset": ("sts",),
    "daemonset": ("ds",),
    "cronjob": ("cj",),
}
