"""What a question about one object needs to know: the object, its namespace's pods and what is above them."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from podgrouper.cli.complaints import Complaint, Failure
from podgrouper.cli.survey import Seen, survey
from podgrouper.config.model import Config
from podgrouper.core.fields import kind_of, ref_of
from podgrouper.core.model import Json, Kind, Ref
from podgrouper.core.rules import Finding
from podgrouper.explaining.queues import QUEUES
from podgrouper.explaining.scene import EVENT
from podgrouper.kube.client import Client
from podgrouper.kube.errors import NotFound
from podgrouper.kube.requests import Resource, WatchSpec
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
    resources = await client.called(what.word)
    if not resources:
        raise Failure(
            f"the API server serves nothing that is called {what.word!r}: see kubectl api-resources"
        )
    about = await _found(client, _ours_first(resources, config), what, namespace)
    place = about.namespace or namespace
    narrowed = replace(config, namespaces=(place,))
    queues = (WatchSpec(queue) for queue, _ in QUEUES.values())
    besides = (WatchSpec(EVENT, place), *queues)
    return about, await survey(client, narrowed, every_pod=True, besides=besides)


def _ours_first(resources: Iterable[Resource], config: Config) -> list[Resource]:
    """Of several kinds of one name those that podgrouper writes come first: `podgroup` is a common word."""
    groups = {profile.dialect.kind for profile in wire(config, {}).profiles}
    return sorted(resources, key=lambda resource: resource.kind not in groups)


async def _found(client: Client, resources: Iterable[Resource], what: Asked, namespace: str) -> Ref:
    tried: list[str] = []
    for resource in resources:
        place = namespace if resource.namespaced else ""
        tried.append(f"{resource.plural}.{resource.kind.group}" if resource.kind.group else resource.plural)
        try:
            return ref_of(await client.get(resource.kind, place, what.name))
        except NotFound:
            continue
    where = f" in namespace {namespace!r}" if namespace else ""
    raise Failure(f"there is no {what.word} {what.name!r}{where} (looked for {', '.join(tried)})")


def among(objects: Iterable[Json], what: Asked, namespace: str) -> Ref:
    """The object of files that is meant; kinds are known there only by the objects that have them."""
    word, _, group = what.word.lower().partition(".")
    named = [obj for obj in objects if ref_of(obj).name == what.name]
    for obj in named:
        kind, place = kind_of(obj), ref_of(obj).namespace
        if word in _spellings(kind) and group in ("", kind.group) and place in ("", namespace):
            return ref_of(obj)
    raise Failure(f"there is no {what.word} {what.name!r} in namespace {namespace!r} in these files")


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
