"""What takes text or objects from strangers, each as a function of bytes that raises when a promise breaks.

pytest gives them the corpus and whatever hypothesis makes up; `make fuzz` runs them under a fuzzer that sees
which lines an input reaches.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import cache

import msgspec

from podgrouper import planning
from podgrouper.config.levels import parse_level_rules
from podgrouper.config.model import Config
from podgrouper.config.type_defaults import parse_type_defaults
from podgrouper.controller.shapes import pod_shape
from podgrouper.core import durations, quantity, selectors
from podgrouper.core.fields import annotations, ref_of
from podgrouper.core.interfaces import Reads
from podgrouper.core.model import POD, Json, Kind
from podgrouper.core.owners import DEPTH_LIMIT, chain_of
from podgrouper.core.pods import PodRows
from podgrouper.core.reasons import Reason
from podgrouper.kube.decoding import Assembly, Decoder, object_of, tolerant
from podgrouper.kube.errors import ApiError, Gone, Invalid, Unavailable
from podgrouper.kube.requests import Resource, WatchSpec
from podgrouper.kube.watching import Event, Restarted, Synced, Watching
from podgrouper.memory.world import World
from podgrouper.wiring import wire
from tests.builders import Object, owner, pod

Target = Callable[[bytes], None]

SCHEDULERS = ("volcano", "kai-scheduler")
LINKS = {"volcano": "scheduling.k8s.io/group-name", "kai-scheduler": "pod-group-name"}
JOB = Kind("batch/v1", "Job")
PODS = Resource(POD, "pods", namespaced=True)


def decoder(data: bytes) -> None:
    """Lines never raise, lists and objects only a ValueError; what comes out can be written down again."""
    for read in _decoders():
        for line in read.lines(data + b"\n").lines:
            msgspec.json.encode(line.object)
        with suppress(ValueError):
            msgspec.json.encode(read.page(data).items)
    with suppress(ValueError):
        msgspec.json.encode(object_of(data))


def assembly(data: bytes) -> None:
    """However a stream is cut, its whole lines come out and nothing else. The first byte says how."""
    size, stream = (data[:1] or b"\1")[0] % 7 + 1, data[1:]
    built = Assembly()
    lines = b"".join(built.complete(stream[at : at + size]) for at in range(0, len(stream), size))
    assert lines == stream[: stream.rfind(b"\n") + 1]
    assert built.size == len(stream) - len(lines)


def watching(data: bytes) -> None:
    """Whatever is answered: no raise, no end of a listing without its beginning, and a pause that ends.

    Answers are told apart by the byte 255, chunks of a stream by 254.
    """
    machine = Watching(WatchSpec(POD), shape=_pod_shape(), random=lambda: 0.5)
    listing = False
    for now, answer in enumerate(data.split(b"\xff")):
        for event in _answered(machine, answer, float(now)):
            listing = listing or isinstance(event, Restarted)
            assert listing or not isinstance(event, Synced)
            listing = listing and not isinstance(event, Synced)
        assert 0 <= machine.pause() < float("inf")


def _answered(machine: Watching, answer: bytes, now: float) -> Iterator[Event]:
    if answer in _FAILURES:
        yield from machine.failed(_FAILURES[answer], now)
    elif machine.ask(PODS).streams:
        yield from machine.opened(now)
        for chunk in answer.split(b"\xfe"):
            if machine.streaming:
                yield from machine.chunk(chunk, now)
        if machine.streaming:
            yield from machine.ended(now)
    else:
        yield from machine.page(answer, now)


_FAILURES: Mapping[bytes, ApiError] = {
    b"410": Gone("too old"),
    b"422": Invalid("sendInitialEvents is forbidden"),
    b"503": Unavailable("away"),
}


def quantities(data: bytes) -> None:
    """What was read and printed once stays as it is, and so do durations."""
    text = data.decode("utf-8", "surrogateescape")
    found = quantity.parse(text)
    if found is not None:
        once = str(quantity.parse(str(found)))
        assert str(quantity.parse(once)) == once
    length = durations.parse_duration(text)
    if length is not None:
        assert durations.parse_duration(durations.canonical(length)) == length


def rules(data: bytes) -> None:
    """No text of a ConfigMap raises, and one without rules says why."""
    text = data.decode("utf-8", "surrogateescape")
    for parse in (parse_level_rules, parse_type_defaults):
        found, findings = parse(text)
        assert found is not None or findings
    with suppress(selectors.BadSelector):
        selectors.selects(selectors.parse(text), {"a": text})


def written(data: bytes) -> None:
    """Any text in any label or annotation that somebody reads, of a pod and of its owner."""
    texts = data.decode("utf-8", "replace").split("\n")
    for scheduler in SCHEDULERS:
        for keys in (_reads().labels, _reads().annotations):
            said = {
                key: texts[place % len(texts)] for place, key in enumerate(sorted(keys - set(LINKS.values())))
            }
            job = owner(str(JOB), "job", annotations=said, labels=said)
            member = pod("p", scheduler=scheduler, annotations=said, labels=said)
            _keeps_promises([job, _below(member, job), pod("q", scheduler=scheduler, labels=said)])


def owners(data: bytes) -> None:
    """Objects that own each other in any way: the chain ends, and the pod is placed or told why not.

    Each byte is a reference: who has it, whom it names, and whether that one is the controller.
    """
    things: list[Object] = [pod("p"), *(owner(str(JOB), f"job-{number}") for number in range(7))]
    for byte in data[:64]:
        _refer(things[byte % 8], things[byte // 8 % 8], controller=bool(byte & 64), whole=not byte & 128)
    world = World(things, {})
    world.see(wire(Config(), {}).profiles)
    chain = chain_of(PodRows(Reads()).row(things[0]), world.object)
    assert len(chain.owners) <= DEPTH_LIMIT
    _keeps_promises(things)


def objects(data: bytes) -> None:
    """A pod and an owner of it with any JSON in any place."""
    with suppress(ValueError):
        raw = tolerant(data)
        entries = raw if isinstance(raw, list) else [raw]
        for scheduler in SCHEDULERS:
            job = _with(owner("ray.io/v1 RayCluster", "job"), entries[0] if entries else None)
            member = _below(pod("p", scheduler=scheduler), job)
            _keeps_promises([job, member, *(_with(member, entry) for entry in entries[1:3])])


def _with(obj: Object, more: object) -> Object:
    """Laid over the object; what names it stays as it is."""
    if not isinstance(more, Mapping):
        return {**obj, "spec": more}
    metadata = obj["metadata"]
    laid = more.get("metadata")
    named = {**laid, **metadata} if isinstance(laid, Mapping) and isinstance(metadata, Mapping) else metadata
    kept = {key: obj[key] for key in ("apiVersion", "kind")}
    return {**obj, **more, **kept, "metadata": named}


def _below(member: Object, above: Object) -> Object:
    copy: Object = json.loads(json.dumps(member))
    _refer(copy, above, controller=True, whole=True)
    return copy


def _refer(one: Object, other: Object, *, controller: bool, whole: bool) -> None:
    metadata, named = one["metadata"], ref_of(other)
    assert isinstance(metadata, dict)
    entry = {
        "apiVersion": named.kind.api_version,
        "kind": named.kind.kind,
        "name": named.name,
        "uid": named.uid,
    }
    entry |= {"controller": True} if controller else {}
    metadata.setdefault("ownerReferences", []).append(entry if whole else {**entry, "uid": ""})


def _keeps_promises(objects: list[Object]) -> None:
    """Nothing of ours raises, and every pod of ours is linked or told why not."""
    made = planning.plan(objects, Config())
    failed = [entry for entry in made.skipped if entry.skip.reason is Reason.GROUPER_FAILED]
    assert not failed, failed[0].skip.message
    told = {entry.pod.uid for entry in made.skipped} | {link.pod.uid for link in made.links}
    assert {ref_of(obj).uid for obj in objects if _ours(obj)} <= told


def _ours(obj: Json) -> bool:
    """A pod that is there to be linked: neither ended nor linked by hand."""
    row = PodRows(Reads()).row(obj)
    return obj["kind"] == "Pod" and row.live and not annotations(obj).keys() & set(LINKS.values())


@cache
def _reads() -> Reads:
    found = Reads()
    for profile in wire(Config(), {}).profiles:
        found |= profile.reads
    return found


@cache
def _pod_shape() -> type:
    return pod_shape(_reads())


@cache
def _decoders() -> tuple[Decoder, ...]:
    """For objects as they are, and for pods."""
    return Decoder(), Decoder(_pod_shape())


TARGETS: Mapping[str, Target] = {
    "decoder": decoder,
    "assembly": assembly,
    "watching": watching,
    "quantities": quantities,
    "rules": rules,
    "written": written,
    "owners": owners,
    "objects": objects,
}
