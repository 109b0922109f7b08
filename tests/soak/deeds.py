"""What happens to a world while controllers work on it: its own controllers, kubelets and people at work,
and other producers of PodGroups who know nothing of ours."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from random import Random

from podgrouper.core.fields import annotations, being_deleted, mapping, ref_of, text
from podgrouper.core.model import POD, Json, Ref
from podgrouper.memory.patches import MERGE
from podgrouper.memory.refusals import Refused
from podgrouper.memory.store import Store
from tests.builders import Object
from tests.golden.running import GROUP_KINDS, LINKS
from tests.roads.worlds import GANG_SIZE, THEIRS, theirs

OTHERS = "another-producer"
"""The field manager of whoever else writes PodGroups."""
MARK = "example.com/mark"
"""What others note on groups of ours."""
ENDED = ("Succeeded", "Failed")


@dataclass(frozen=True)
class Deed:
    """One step. It finds the world as it is by then: what is not there any more cannot be done to."""

    what: str
    about: Ref
    profile: str
    word: str = ""
    obj: Object | None = field(default=None, repr=False)

    def do(self, store: Store) -> None:
        now = store.find(self.about.kind, self.about.namespace, self.about.name)
        with suppress(Refused):
            DEEDS[self.what](store, self, now)

    def __str__(self) -> str:
        return " ".join(filter(None, (str(self.about), self.what, self.word)))


Doing = Callable[[Store, Deed, Json | None], None]


def _comes(store: Store, deed: Deed, now: Json | None) -> None:
    if now is None and deed.obj is not None:
        store.load(deed.obj)


def _comes_naming_theirs(store: Store, deed: Deed, now: Json | None) -> None:
    """Linked from birth, to a group that may not be there."""
    if now is None and deed.obj is not None:
        linked = {**mapping(deed.obj, "metadata"), "annotations": {LINKS[deed.profile]: THEIRS}}
        store.load({**deed.obj, "metadata": linked})


def _comes_with_theirs(store: Store, deed: Deed, now: Json | None) -> None:
    """Another producer makes group and pod."""
    _ensure_theirs(store, deed)
    _comes_naming_theirs(store, deed, now)


def _comes_again(store: Store, deed: Deed, now: Json | None) -> None:
    """A namesake of another life."""
    if now is not None:
        store.delete(ref_of(now), grace=0)
    if deed.obj is not None and store.find(deed.about.kind, deed.about.namespace, deed.about.name) is None:
        metadata = {**mapping(deed.obj, "metadata"), "uid": f"{deed.about.uid}-{deed.word}"}
        store.load({**deed.obj, "metadata": metadata})


def _goes(store: Store, deed: Deed, now: Json | None) -> None:
    if now is not None:
        store.delete(ref_of(now), grace=0)


def _is_asked_to_go(store: Store, deed: Deed, now: Json | None) -> None:
    if now is not None:
        store.delete(ref_of(now))


def _becomes(store: Store, deed: Deed, now: Json | None) -> None:
    """Runs on a node, or ends. What has ended has ended, and what goes does not begin."""
    if now is None or being_deleted(now) or text(now, "status.phase") in ENDED:
        return
    if not text(now, "spec.nodeName"):
        store.bind(deed.about.namespace, deed.about.name, "node")
    _patch(store, ref_of(now), {"status": {"phase": deed.word}}, subresource="status")


def _asks_for(store: Store, deed: Deed, now: Json | None) -> None:
    if now is not None:
        asked = {**annotations(now), GANG_SIZE[deed.profile]: deed.word}
        store.load({**now, "metadata": {**mapping(now, "metadata"), "annotations": asked}})


def _scales_to(store: Store, deed: Deed, now: Json | None) -> None:
    if now is not None:
        store.load({**now, "spec": {**mapping(now, "spec"), "replicas": int(deed.word)}})


def _is_resized(store: Store, deed: Deed, now: Json | None) -> None:
    """It asks for another number of members, in the words of its kind."""
    if now is not None and deed.obj is not None:
        store.load({**now, "spec": {**mapping(now, "spec"), **mapping(deed.obj, "spec")}})


def _sees_its_pods_run(store: Store, deed: Deed, now: Json | None) -> None:
    """All pods of the workload."""
    for pod in store.list(POD, deed.about.namespace):
        if ref_of(pod).name.startswith(deed.about.name.partition("-")[0] + "-"):
            _becomes(store, replace(deed, about=ref_of(pod), word="Running"), pod)


def _joins_theirs(store: Store, deed: Deed, now: Json | None) -> None:
    """Another producer makes a group and links a pod that has none."""
    if now is None or annotations(now).get(LINKS[deed.profile]):
        return
    _ensure_theirs(store, deed)
    _annotate(store, now, {LINKS[deed.profile]: THEIRS})


def _ensure_theirs(store: Store, deed: Deed) -> None:
    kind, namespace = GROUP_KINDS[deed.profile], deed.about.namespace
    if store.find(kind, namespace, THEIRS) is None:
        store.load(theirs(str(kind), namespace))


def _loses_its_link(store: Store, deed: Deed, now: Json | None) -> None:
    if now is not None and annotations(now).get(LINKS[deed.profile]) != THEIRS:
        _annotate(store, now, {LINKS[deed.profile]: None})


def _loses_its_group(store: Store, deed: Deed, now: Json | None) -> None:
    group = _group(store, deed, now)
    if group is not None:
        store.delete(ref_of(group))


def _sees_its_group_marked(store: Store, deed: Deed, now: Json | None) -> None:
    group = _group(store, deed, now)
    if group is not None:
        _patch(store, ref_of(group), {"metadata": {"labels": {MARK: "theirs"}}})


def _sees_its_group_changed(store: Store, deed: Deed, now: Json | None) -> None:
    group = _group(store, deed, now)
    if group is not None:
        _patch(store, ref_of(group), {"spec": {"minMember": int(deed.word)}})


def _group(store: Store, deed: Deed, now: Json | None) -> Json | None:
    """The group of ours that the pod names."""
    name = annotations(now).get(LINKS[deed.profile], "") if now is not None else ""
    if not name or name == THEIRS:
        return None
    return store.find(GROUP_KINDS[deed.profile], deed.about.namespace, name)


def _annotate(store: Store, obj: Json | None, values: Mapping[str, str | None]) -> None:
    if obj is not None:
        _patch(store, ref_of(obj), {"metadata": {"annotations": values}})


def _patch(store: Store, ref: Ref, patch: Json, subresource: str = "") -> None:
    store.patch(ref, MERGE, patch, manager=OTHERS, subresource=subresource)


TO_PODS: Mapping[str, Doing] = {
    "goes": _goes,
    "is asked to go": _is_asked_to_go,
    "comes again": _comes_again,
    "becomes": _becomes,
    "joins theirs": _joins_theirs,
    "loses its link": _loses_its_link,
    "loses its group": _loses_its_group,
    "sees its group marked": _sees_its_group_marked,
    "sees its group changed": _sees_its_group_changed,
}
TAKING_BACK = ("loses its link", "loses its group", "sees its group changed")
TO_OWNERS: Mapping[str, Doing] = {
    "goes": _goes,
    "comes again": _comes_again,
    "asks for": _asks_for,
    "scales to": _scales_to,
    "is resized": _is_resized,
    "sees its pods run": _sees_its_pods_run,
}
COMING: Mapping[str, Doing] = {
    "comes": _comes,
    "comes naming theirs": _comes_naming_theirs,
    "comes with theirs": _comes_with_theirs,
}
DEEDS: Mapping[str, Doing] = {**COMING, **TO_PODS, **TO_OWNERS}


def word(what: str, luck: Random) -> str:
    """What a deed says besides. A life that comes again is one that never was before."""
    return f"{luck.getrandbits(32):x}" if what == "comes again" else luck.choice(_WORDS.get(what, ("",)))


_WORDS: Mapping[str, tuple[str, ...]] = {
    "becomes": ("Running", "Running", *ENDED),
    "asks for": ("1", "2", "5", "two"),
    "scales to": ("0", "0", "1", "3"),
    "sees its group changed": ("0", "5"),
}
